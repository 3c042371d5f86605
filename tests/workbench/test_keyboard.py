"""All of it without a mouse: only keys, from the moment a page is there."""

import pytest

pytestmark = pytest.mark.browser


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
