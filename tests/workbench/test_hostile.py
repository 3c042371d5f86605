"""Text that is no friend: in sentences, ids, rule sentences, and names of files."""

import csv
import os
import shutil

import pytest

from ists_asp.terminal import visible

pytestmark = pytest.mark.browser

SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(2)>'
REVERSED = "\u202e\u2066gnp.exe"
LONG = "Donaudampfschifffahrt" * 9
HOSTILE = [SCRIPT, IMAGE, REVERSED, LONG]


def named(one, *others):
    """Values to try by their names: one of them always, the others where there is time."""
    marked = [pytest.param(value, marks=pytest.mark.long, id=name) for name, value in others]
    return [pytest.param(one[1], id=one[0]), *marked]


@pytest.fixture
def calm(page):
    """A page that must show no dialog, and get no node that the text asks for."""
    dialogs = []
    page.on("dialog", lambda one: (dialogs.append(one.message), one.dismiss()))
    yield page
    assert page.locator("img, main script, header script").count() == 0
    assert dialogs == []


@pytest.fixture
def corpus(served):
    """A table with hostile ids and sentences, and a name that is no better."""
    path = served.folder / "corpora" / f"<b>{IMAGE}.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(["id", "sentence1", "sentence2"])
        rows.writerows([f"{text}", f"A dog {text} sleeps.", f"A cat {text}."] for text in HOSTILE)
    yield path.name
    path.unlink()


@pytest.fixture
def rule(served, calm):
    """A rule whose sentence is hostile, and which fires for a dog."""
    path = served.folder / "rules" / "hostile.lp"
    sentence = (SCRIPT + IMAGE + REVERSED).replace('"', "'")
    path.write_text(
        f'%@rule hostile_words: "{sentence}: {{I}}"\n'
        'alike(I,J,hostile_words,90) :- word(1,I,"dog"), word(2,J,"cat").\n',
        "utf-8",
    )
    calm.settle()
    yield path
    path.unlink()


def narrow(page):
    page.set_viewport_size({"width": 390, "height": 844})
    return page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    "text", named(("script", SCRIPT), ("image", IMAGE), ("reversed", REVERSED), ("long", LONG))
)
def test_it_stays_text_where_it_is_tried(calm, expect, text):
    calm.goto("/try")
    calm.fill("#sent1", f"A dog {text} sleeps.")
    calm.fill("#sent2", f"{text} A cat sleeps.")
    expect(calm.locator("#words")).not_to_be_empty()
    calm.locator("#picture .link rect").first.click()
    calm.locator("#why .sentence").first.wait_for()
    assert narrow(calm)


@pytest.mark.long
def test_it_stays_text_in_a_report(calm, corpus, expect):
    calm.goto("/report")
    calm.select_option("#corpus", corpus)
    calm.get_by_role("button", name="Show").click()
    calm.locator("article svg").first.wait_for()
    titles = [one.removeprefix("Pair ") for one in calm.locator("h2").all_text_contents()]
    # What changes the direction of reading is shown, not obeyed.
    assert titles == list(map(visible, HOSTILE))
    calm.locator("article [role=button]").first.click()
    expect(calm.locator("article .lead").first).to_be_visible()
    calm.fill("[name=q]", "gnp")
    expect(calm.locator("article")).to_have_count(1)
    calm.fill("[name=q]", "")
    assert narrow(calm)
    calm.locator("h2 a").nth(1).click()
    expect(calm.locator("article").nth(1)).to_be_focused()


def test_it_stays_text_while_answers_are_corrected(calm, corpus, served, expect):
    calm.goto("/correct")
    calm.select_option("#corpus", corpus)
    for text in HOSTILE:
        expect(calm.locator("#place")).to_contain_text(text)
        expect(calm.locator("#sentences")).to_contain_text(text)
        calm.keyboard.press("ArrowRight")
        calm.keyboard.press("Enter")
    expect(calm.locator("#count")).to_have_text("4 of 4 corrected")
    assert narrow(calm)
    calm.expected.append(400)
    for _ in HOSTILE:
        calm.keyboard.press("Control+z")
    expect(calm.locator("#count")).to_have_text("0 of 4 corrected")


def test_it_stays_text_where_words_and_rules_are_looked_up(calm, corpus, rule, served, expect):
    terms = served.folder / "rules" / "terms.tsv"
    terms.write_text(f"dog = cat # {IMAGE}\n{LONG[:50]} = x # {SCRIPT}\n", "utf-8")
    calm.settle()
    try:
        calm.goto("/words")
        calm.select_option("#corpus", corpus)
        calm.locator("[data-place='terms.tsv:1']", has_text="4").click()
        expect(calm.locator(".below")).to_contain_text(SCRIPT)
        expect(calm.locator("main")).to_contain_text(f"# {IMAGE}")
        assert narrow(calm)
        calm.goto("/rules?file=hostile.lp&line=2")
        calm.select_option("#corpus", corpus)
        expect(calm.locator("#rule")).to_have_value("hostile_words")
        calm.click("#look")
        expect(calm.locator("#verdict")).to_contain_text("hostile_words: fired")
        expect(calm.locator("#fired")).to_contain_text(SCRIPT)
        assert narrow(calm)
        calm.goto("/try?1=A+dog+sleeps.&2=A+cat+sleeps.")
        calm.locator("#picture .link rect").first.click()
        calm.locator("#why .sentence").first.wait_for()
        assert narrow(calm)
    finally:
        terms.unlink()


TABLES = named(
    ("image", "<img src=x onerror=alert(3)>.tsv"),
    ("long", f"{LONG[:200]}.tsv"),
    ("foreign", "naïve words.tsv"),
)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_with_an_odd_name_is_shown(calm, served, expect, name):
    path = served.folder / "rules" / name
    path.write_text("storm <> calm\n", "utf-8")
    calm.settle()
    try:
        calm.goto("/rules")
        calm.locator("#own a", has_text=name).click()
        expect(calm.locator("#name")).to_have_text(name)
        expect(calm.locator(".cm-content")).to_have_text("storm <> calm")
        assert narrow(calm)
        calm.goto("/words")
        expect(calm.locator("h2", has_text=name)).to_be_visible()
        expect(calm.locator("[data-table='words.tsv']")).to_be_visible()
        assert narrow(calm)
    finally:
        # The page may be asking for what is gone now.
        calm.expected.append(400)
        path.unlink()


UNREADABLE = named(("bytes", os.fsdecode(b"\xff\xfe")), ("reversed", REVERSED), ("lines", "a\nb"))


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_name_that_cannot_be_shown_is_no_part_of_the_project(calm, served, expect, name):
    rules, corpus = served.folder / "rules" / f"{name}.lp", served.folder / "corpora" / name
    rules.write_text("not even a rule\n", "utf-8")
    shutil.copytree(served.folder / "corpora" / "images", corpus)
    try:
        for view in ("rules", "words", "effects", "correct", "learn", "report"):
            assert calm.goto(f"/{view}").status == 200
        calm.goto("/rules")
        expect(calm.locator("#own a")).to_have_text(["words.tsv"])
        expect(calm.locator("#corpus option")).to_have_text(["headlines", "images"])
        assert calm.request.get("/project/effects").ok
    finally:
        rules.unlink()
        shutil.rmtree(corpus)


@pytest.mark.parametrize("name", named(("long", LONG[:200]), ("spaces", "a  b")))
def test_a_corpus_with_an_odd_name_is_shown(calm, served, expect, name):
    folder = served.folder / "corpora" / name
    shutil.copytree(served.folder / "corpora" / "images", folder)
    try:
        for view in ("report", "words", "rules", "learn", "effects"):
            assert calm.goto(f"/{view}").status == 200
            assert narrow(calm), view
        calm.goto("/correct")
        calm.select_option("#corpus", name)
        expect(calm.locator("#export")).to_have_attribute("download", f"{name}.wa")
        expect(calm.locator("#answer.busy")).to_have_count(0)
        expect(calm.locator("#place")).to_contain_text("1 of 10")
        assert narrow(calm)
    finally:
        calm.expected.append(400)
        shutil.rmtree(folder)
