"""The pages that try pairs and words, with the mouse and with keys alone."""

import json

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def tab(page):
    page.goto("/try")
    return page


def put(tab, first="A man with a hat plays a guitar.", second="A woman plays an old guitar."):
    tab.fill("#sent1", first)
    tab.fill("#sent2", second)
    tab.wait_for_selector("#answer:not(.busy):not([hidden]) #words:not(:empty)")


@pytest.mark.always
def test_what_is_typed_is_drawn_told_and_rated_and_is_in_the_address(tab):
    put(tab)
    assert tab.locator("#picture .link").count() >= 2
    assert "guitar" in tab.text_content("#words")
    assert "± " in tab.text_content("#rated")
    address = tab.url
    assert "token" not in address
    tab.goto("/words")
    tab.goto(address)
    tab.wait_for_selector("#answer:not(.busy) #words:not(:empty)")
    assert tab.input_value("#sent2") == "A woman plays an old guitar."


def test_a_link_says_why_one_sentence_first(tab):
    put(tab)
    tab.click("#picture .link rect >> nth=0")
    tab.wait_for_selector("#why:not([hidden]) .sentence")
    assert "is aligned with" in tab.text_content("#why h3 >> nth=0")
    assert tab.locator("#why details[open]").count() == 0


def test_a_drag_asks_why_not(tab):
    put(tab)
    chunks = tab.locator("#picture [data-side='1']"), tab.locator("#picture [data-side='2']")
    one, two = chunks[0].first.bounding_box(), chunks[1].nth(1).bounding_box()
    tab.mouse.move(one["x"] + 5, one["y"] + 5)
    tab.mouse.down()
    tab.mouse.move(one["x"] + 40, one["y"] + 60, steps=3)
    tab.mouse.move(two["x"] + 5, two["y"] + 5, steps=3)
    tab.mouse.up()
    tab.wait_for_selector("#why:not([hidden]) li, #why:not([hidden]) .sentence")


def test_only_the_newest_counts_and_each_tab_has_its_own(tab):
    tab.fill("#sent1", "A dog sleeps.")
    for number in range(12):
        tab.fill("#sent2", f"A dog {'very ' * number}sleeps.")
    tab.wait_for_selector("#answer:not(.busy):not([hidden]) #words:not(:empty)")
    assert tab.text_content("#picture").count("very") >= 11
    other = tab.another()
    other.goto("/try")
    put(other, "A dog sleeps.", "A small dog snores.")
    assert "snores" in other.text_content("#picture")
    assert "very" in tab.text_content("#picture")


def test_an_empty_side_shows_nothing_and_a_fault_is_told(tab):
    put(tab)
    tab.fill("#sent1", "")
    tab.wait_for_selector("#answer", state="hidden")
    tab.expected.append(400)
    tab.fill("#sent1", "x " * 1000)
    tab.wait_for_selector("#message:not(:empty)")
    assert "1000 tokens" in tab.text_content("#message")


def test_the_picture_can_be_had_as_a_file(tab):
    put(tab)
    with tab.expect_download() as got:
        tab.click("#svg")
    text = got.value.path().read_text("utf-8")
    assert text.startswith("<svg")
    assert "<style>" in text


@pytest.mark.long
def test_another_kind_of_text_decides_anew(tab):
    put(tab, "Un hombre toca la guitarra.", "Una mujer toca la guitarra.")
    tab.select_option("#profile", "es")
    tab.wait_for_function("() => document.querySelector('#words').textContent.includes('dice')")
    assert "profile=es" in tab.url


def test_the_api_page_needs_no_network(tab):
    tab.goto("/docs")
    tab.wait_for_selector(".opblock-summary-path")
    assert json.dumps(tab.inner_text("body")).count("/api/") >= 6


@pytest.fixture
def tab_to(page):
    """Press Tab until a node that fits a selector has the focus."""

    def press(selector, most=90, key="Tab"):
        for _ in range(most):
            page.keyboard.press(key)
            if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
                return
        raise AssertionError(f"{key} does not lead to {selector}")

    return press


def test_the_first_tab_leads_to_the_content(page, tab_to):
    page.goto("/words")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main"
    tab_to("main select", 2)


@pytest.mark.always
def test_a_pair_is_typed_and_says_why_and_why_not(page, tab_to, expect):
    page.goto("/try")
    page.keyboard.type("A man plays a guitar.")
    page.keyboard.press("Tab")
    page.keyboard.type("A woman plays an old guitar.")
    expect(page.locator("#words")).to_contain_text("old")
    expect(page.locator("#answer")).not_to_have_class("busy")
    tab_to("#picture .link")
    assert page.evaluate("getComputedStyle(document.activeElement.querySelector('rect')).stroke")
    page.keyboard.press("Enter")
    expect(page.locator("#why h3").first).to_contain_text("is aligned with")
    tab_to("#picture [data-side='1']")
    page.keyboard.press("Enter")
    expect(page.locator("#picture .chosen")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#picture .chosen")).to_have_count(0)
    page.keyboard.press("Enter")
    tab_to("#picture [data-side='2']:last-of-type")
    page.keyboard.press("Enter")
    expect(page.locator("#why h3")).to_have_count(0)
    expect(page.locator("#why .tree").first).to_be_visible()
    tab_to("#rated button", key="Shift+Tab")
    page.keyboard.press("Space")
    expect(page.locator("#why")).to_contain_text("rating")


def test_a_word_is_added_and_deleted(page, served, tab_to, expect):
    path = served.folder / "rules" / "keys.tsv"
    path.write_text("", "utf-8")
    try:
        page.goto("/words")
        expect(page.locator("[data-table='keys.tsv']")).to_be_visible()
        tab_to("[data-table='keys.tsv'] .new input")
        page.keyboard.type("kettle")
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Tab")
        page.keyboard.type("teapot")
        page.keyboard.press("Enter")
        expect(page.locator("[data-table='keys.tsv'] tbody tr")).to_have_count(2)
        assert path.read_text("utf-8") == "kettle <> teapot\n"
        tab_to("[aria-label='Delete line 1']", key="Shift+Tab")
        page.keyboard.press("Enter")
        expect(page.locator("[data-table='keys.tsv'] tbody tr")).to_have_count(1)
        assert path.read_text("utf-8") == ""
    finally:
        path.unlink()


def test_a_rule_file_is_made_saved_and_deleted(page, served, tab_to, expect):
    path = served.folder / "rules" / "keys.lp"
    page.goto("/rules")
    expect(page.locator("#own a").first).to_be_visible()
    tab_to("#new-name")
    page.keyboard.type("keys.lp")
    page.keyboard.press("Enter")
    expect(page.locator(".cm-content")).to_be_focused()
    page.keyboard.type("% mine")
    page.keyboard.press("Control+s")
    expect(page.locator("#message")).to_have_text("keys.lp is saved.")
    assert path.read_text("utf-8") == "% mine"
    # The editor keeps nobody in.
    tab_to("#rule", 4)
    page.once("dialog", lambda dialog: dialog.accept())
    # The page may be having checked what is gone then.
    page.expected.append(400)
    tab_to("#delete", key="Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#message")).to_have_text("keys.lp is deleted.")
    assert not path.exists()


def test_an_answer_is_corrected_and_taken_back(page, tab_to, expect):
    page.goto("/correct?corpus=headlines&pair=2")
    page.locator("#picture svg").wait_for()
    page.keyboard.press("ArrowRight")
    words = page.inner_text("#chosen").partition(":")[0]
    page.keyboard.press("x")
    expect(page.locator("#chosen")).to_have_text("No alignment is chosen.")
    one, two = words.split(" ~ ")
    for side, text in enumerate((one, two), 1):
        tab_to(f"#picture [data-side='{side}'][aria-label*={text!r}]")
        page.keyboard.press("Enter")
    expect(page.locator("#chosen")).to_contain_text(f"{words}: SIMI 3")
    for key, told in (("o", "OPPO"), ("Shift+Digit2", "OPPO 2"), ("t", "OPPO_POL 2")):
        page.keyboard.press(key)
        expect(page.locator("#chosen")).to_contain_text(told)
    for _ in range(5):
        page.keyboard.press("Control+z")
    expect(page.locator("#count")).to_have_text("0 of 10 corrected")
    page.keyboard.press("n")
    expect(page.locator("#place")).to_contain_text("Pair 3")
    page.keyboard.press("p")
    expect(page.locator("#place")).to_contain_text("Pair 2")


def test_pairs_of_a_report_are_gone_through(page, expect):
    page.goto("/report?corpus=headlines")
    page.locator("#pair-2 svg").wait_for()
    for key, wanted in (("j", "1"), ("j", "2"), ("k", "1")):
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.id") == f"pair-{wanted}"
    page.keyboard.press("Enter")
    expect(page.locator("#pair-1 .lead")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#pair-1 .rules")).to_be_hidden()


def test_states_are_chosen_in_effects(page, served, tab_to, expect):
    words = served.folder / "rules" / "words.tsv"
    was = words.read_text("utf-8")
    page.goto("/effects")
    expect(page.locator("#measures td.number b").first).to_be_visible()
    words.write_text(was + "electricity <> power\n", "utf-8")
    try:
        expect(page.locator("[data-pair='1']")).to_be_visible()
        tab_to("[data-pair='1'] button")
        page.keyboard.press("Enter")
        expect(page.locator("#detail .causes a").first).to_be_visible()
        expect(page.locator("#detail")).to_be_focused()
        tab_to("[name=state-Before]")
        page.keyboard.press("ArrowUp")
        expect(page.locator("#detail")).to_be_hidden()
        expect(page.locator("#changed")).to_contain_text("No pair has another answer")
    finally:
        words.write_text(was, "utf-8")


@pytest.fixture
def table(served):
    """A table with a text, which nobody else uses."""
    path = served.folder / "rules" / "terms.tsv"

    def write(text):
        path.write_text(text, "utf-8")
        return path

    yield write
    path.unlink(missing_ok=True)


def add(page, left, sign, right):
    row = page.locator("[data-table='terms.tsv'] .new")
    row.locator("input").first.fill(left)
    row.locator("select").select_option(sign)
    row.locator("input").last.fill(right)
    row.locator("input").last.press("Enter")


@pytest.mark.always
def test_an_entry_is_added_and_shows_the_pairs_that_it_touches(page, table, expect):
    path = table("# My terms\n\ncar = automobile # kept\n")
    page.goto("/words")
    add(page, "Power", "=", "electricity")
    count = page.locator("[data-place='terms.tsv:4']")
    expect(count).to_have_text("1")
    assert path.read_text("utf-8") == "# My terms\n\ncar = automobile # kept\nPower = electricity\n"
    expect(page.locator("[data-place='terms.tsv:3']")).to_have_text("0")
    count.click()
    expect(page.locator(".below")).to_contain_text("Storm leaves thousands without power")
    expect(page.locator(".new input").first).to_be_visible()


@pytest.mark.long
def test_a_lemma_and_a_phrase_touch_as_the_rules_match_them(page, table, expect):
    table("storm <> thousand\nnorthern spain = spain\nbase = ball\n")
    page.goto("/words")
    expect(page.locator("[data-place='terms.tsv:1']")).to_have_text("1")
    expect(page.locator("[data-place='terms.tsv:2']")).to_have_text("1")
    expect(page.locator("[data-place='terms.tsv:3']")).to_have_text("0")


def test_a_row_is_changed_and_what_stands_behind_it_stays(page, table, expect):
    path = table("# one\ncar = automobile # kept\nbig = large\n")
    page.goto("/words")
    row = page.locator("[data-table='terms.tsv'] tbody tr").first
    row.locator("select").select_option("<>")
    expect(page.locator("[data-place='terms.tsv:2']")).to_be_visible()
    expect(row.locator("select")).to_have_value("<>")
    row.locator("input").last.fill("bicycle")
    row.locator("input").last.press("Tab")
    expect(page.locator("[data-table='terms.tsv'] tbody tr input").nth(1)).to_have_value("bicycle")
    page.wait_for_timeout(300)
    assert path.read_text("utf-8") == "# one\ncar <> bicycle # kept\nbig = large\n"


def test_a_row_is_taken_away_and_nothing_else(page, table, expect):
    path = table("# one\ncar = automobile\n\nbig = large # b\n")
    page.goto("/words")
    page.locator("[data-table='terms.tsv']").get_by_label("Delete line 2").click()
    expect(page.locator("[data-place='terms.tsv:3']")).to_be_visible()
    assert path.read_text("utf-8") == "# one\n\nbig = large # b\n"


@pytest.mark.parametrize(("left", "right"), [("same", "Same"), ("a = b", "c"), ("x", "")])
def test_what_is_no_entry_is_refused_in_a_line_and_not_written(page, table, expect, left, right):
    path = table("big = large\n")
    page.expected.append(400)
    page.goto("/words")
    add(page, left, "=", right)
    expect(page.locator("#message")).to_contain_text("entry")
    assert path.read_text("utf-8") == "big = large\n"


def test_a_faulty_line_is_shown_where_it_stands(page, table, expect):
    table("big = large\nnonsense\n")
    page.expected.append(400)
    page.goto("/words")
    expect(page.locator("td.error")).to_contain_text("'nonsense' is not an entry")


def test_a_table_that_was_changed_meanwhile_is_not_written_over(page, table, expect):
    path = table("big = large\n")
    page.expected.append(409)
    page.goto("/words")
    expect(page.locator("[data-place='terms.tsv:1']")).to_be_visible()
    path.write_text("small = tiny\n", "utf-8")
    add(page, "car", "=", "automobile")
    expect(page.locator("[data-table='terms.tsv'] input").first).to_have_value("small")
    assert path.read_text("utf-8") == "small = tiny\n"


def test_each_edit_is_a_state_of_its_own(page, served, table, expect):
    table("")
    page.goto("/words")
    add(page, "tea", "=", "cuppa")
    expect(page.locator("[data-table='terms.tsv'] tbody tr")).to_have_count(2)
    assert '"edit": "tea = cuppa"' in (served.folder / ".history" / "log.jsonl").read_text("utf-8")
