"""Two sentences are tried: picture, words, rating, why and why not."""

import json

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def page(page):
    page.goto("/try")
    return page


def put(page, first="A man with a hat plays a guitar.", second="A woman plays an old guitar."):
    page.fill("#sent1", first)
    page.fill("#sent2", second)
    page.wait_for_selector("#answer:not(.busy):not([hidden]) #words:not(:empty)")


@pytest.mark.always
def test_what_is_typed_is_drawn_told_and_rated_and_is_in_the_address(page):
    put(page)
    assert page.locator("#picture .link").count() >= 2
    assert "guitar" in page.text_content("#words")
    assert "± " in page.text_content("#rated")
    address = page.url
    assert "token" not in address
    page.goto("/words")
    page.goto(address)
    page.wait_for_selector("#answer:not(.busy) #words:not(:empty)")
    assert page.input_value("#sent2") == "A woman plays an old guitar."


def test_a_link_says_why_one_sentence_first(page):
    put(page)
    page.click("#picture .link rect >> nth=0")
    page.wait_for_selector("#why:not([hidden]) .sentence")
    assert "is aligned with" in page.text_content("#why h3 >> nth=0")
    assert page.locator("#why details[open]").count() == 0


def test_a_drag_asks_why_not(page):
    put(page)
    chunks = page.locator("#picture [data-side='1']"), page.locator("#picture [data-side='2']")
    one, two = chunks[0].first.bounding_box(), chunks[1].nth(1).bounding_box()
    page.mouse.move(one["x"] + 5, one["y"] + 5)
    page.mouse.down()
    page.mouse.move(one["x"] + 40, one["y"] + 60, steps=3)
    page.mouse.move(two["x"] + 5, two["y"] + 5, steps=3)
    page.mouse.up()
    page.wait_for_selector("#why:not([hidden]) li, #why:not([hidden]) .sentence")


def test_only_the_newest_counts_and_each_tab_has_its_own(page):
    page.fill("#sent1", "A dog sleeps.")
    for number in range(12):
        page.fill("#sent2", f"A dog {'very ' * number}sleeps.")
    page.wait_for_selector("#answer:not(.busy):not([hidden]) #words:not(:empty)")
    assert page.text_content("#picture").count("very") >= 11
    other = page.another()
    other.goto("/try")
    put(other, "A dog sleeps.", "A small dog snores.")
    assert "snores" in other.text_content("#picture")
    assert "very" in page.text_content("#picture")


def test_an_empty_side_shows_nothing_and_a_fault_is_told(page):
    put(page)
    page.fill("#sent1", "")
    page.wait_for_selector("#answer", state="hidden")
    page.expected.append(400)
    page.fill("#sent1", "x " * 1000)
    page.wait_for_selector("#message:not(:empty)")
    assert "1000 tokens" in page.text_content("#message")


def test_the_picture_can_be_had_as_a_file(page):
    put(page)
    with page.expect_download() as got:
        page.click("#svg")
    text = got.value.path().read_text("utf-8")
    assert text.startswith("<svg")
    assert "<style>" in text


@pytest.mark.long
def test_another_kind_of_text_decides_anew(page):
    put(page, "Un hombre toca la guitarra.", "Una mujer toca la guitarra.")
    page.select_option("#profile", "es")
    page.wait_for_function("() => document.querySelector('#words').textContent.includes('dice')")
    assert "profile=es" in page.url


def test_the_api_page_needs_no_network(page):
    page.goto("/docs")
    page.wait_for_selector(".opblock-summary-path")
    assert json.dumps(page.inner_text("body")).count("/api/") >= 6
