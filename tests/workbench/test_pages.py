"""The pages that try pairs and words and write rules, with the mouse and with keys alone."""

import json

import pytest

pytestmark = pytest.mark.browser
CANDIDATES = "lp_rules/alignment/candidates.lp"


def put(tab, first="A man with a hat plays a guitar.", second="A woman plays an old guitar."):
    tab.goto("/try")
    tab.fill("#sent1", first)
    tab.fill("#sent2", second)
    tab.wait_for_selector("#answer:not(.busy):not([hidden]) #words:not(:empty)")


@pytest.mark.always
def test_what_is_typed_is_drawn_told_and_rated_and_is_in_the_address(page):
    page.goto("/try")
    page.evaluate("sessionStorage.clear()")
    page.goto("/try")
    page.locator("#start .cards").wait_for()
    for field, text in (("#sent1", "A man plays a guitar."), ("#sent2", "A woman sings.")):
        page.fill(field, text)
    # The examples make room for the first answer.
    page.locator("#start .cards").wait_for(state="hidden")
    put(page)
    assert page.locator("#picture .link").count() >= 2
    assert "guitar" in page.text_content("#words")
    assert "± " in page.text_content("#rated")
    # While its words are awaited, a new picture is not grey.
    held = []
    page.route("**/api/explain", lambda route: held.append(route))
    page.fill("#sent1", "A man with a hat plays guitar.")
    page.wait_for_selector("#answer:not(.busy) #words:empty", state="attached")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    page.unroute("**/api/explain")
    page.wait_for_selector("#words:not(:empty)")
    address = page.url
    assert "token" not in address
    page.goto("/words")
    page.goto(address)
    page.wait_for_selector("#answer:not(.busy) #words:not(:empty)")
    assert page.input_value("#sent2") == "A woman plays an old guitar."
    page.fill("#sent1", "")
    page.wait_for_selector("#answer", state="hidden")
    page.fill("#sent1", "A man plays.")
    page.wait_for_selector("#answer:not(.busy) #words:not(:empty)")
    # What is refused says why, and no answer to another pair stands below it.
    page.expected.append(400)
    page.fill("#sent1", "x " * 1000)
    page.wait_for_selector("#answer", state="hidden")
    for place in ("#message", "#waiting"):
        assert "1000 tokens" in page.text_content(place)


def test_a_link_says_why_a_drag_why_not_and_the_picture_is_a_file(page, expect):
    put(page)
    page.click("#picture .link rect >> nth=0")
    page.wait_for_selector("#why:not([hidden]) .sentence")
    assert "is aligned with" in page.text_content("#why h3 >> nth=0")
    # One sentence first.
    assert page.locator("#why details[open]").count() == 0
    # The list beside the picture and the picture have one focus, and say the same.
    page.locator(".links button").nth(1).click()
    expect(page.locator("#picture g.far[role=button]")).to_have_count(
        page.locator(".links button").count() - 1
    )
    told = page.locator("#picture g.open[role=button]").get_attribute("aria-label")
    expect(page.locator(".links .open")).to_have_text(told.replace('"', ""))
    ends = page.locator("#picture .alone[data-side='1']"), page.locator("#picture [data-side='2']")
    boxes = (end.first.bounding_box() for end in ends)
    (x, y), (right, below) = ((box["x"] + 5, box["y"] + 5) for box in boxes)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 35, y + 55, steps=3)
    page.mouse.move(right, below, steps=3)
    page.mouse.up()
    expect(page.locator("#why .tree")).to_have_count(1)
    expect(page.locator("#why h3")).to_be_visible()
    page.keyboard.press("w")
    expect(page.locator("#wrong label")).to_contain_text("“with a hat” ~ “A woman” should be")
    with page.expect_download() as download:
        page.click("#svg")
    text = download.value.path().read_text("utf-8")
    assert text.startswith("<svg")
    assert "<style>" in text


def test_only_the_newest_counts_and_each_tab_has_its_own(page):
    page.goto("/try")
    page.fill("#sent1", "A dog sleeps.")
    for number in range(12):
        page.fill("#sent2", f"A dog {'very ' * number}sleeps.")
    page.wait_for_selector("#answer:not(.busy):not([hidden]) #words:not(:empty)")
    assert page.text_content("#picture").count("very") >= 11
    other = page.another()
    put(other, "A dog sleeps.", "A small dog snores.")
    assert "snores" in other.text_content("#picture")
    assert "very" in page.text_content("#picture")


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


@pytest.mark.always
def test_keys_type_a_pair_and_ask_why_and_why_not(page, tab_to, expect):
    page.goto("/words")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main"
    tab_to("main select", 2)
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
    # The reason in a sentence stands there; the rules are folded.
    expect(page.locator("#why .tree")).to_have_count(1)
    expect(page.locator("#why h3")).to_have_count(1)
    tab_to("#why summary")
    page.keyboard.press("Enter")
    expect(page.locator("#why .tree")).to_be_visible()
    tab_to("#rated button", key="Shift+Tab")
    page.keyboard.press("Space")
    expect(page.locator("#why")).to_contain_text("rating")


def test_keys_add_and_delete_a_word(served, written, page, tab_to, expect):
    path = written("rules/keys.tsv", "")
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
    states = (served.folder / ".history" / "log.jsonl").read_text("utf-8").splitlines()
    edits = [json.loads(line)["edit"] for line in states[-2:]]
    assert edits == ["kettle <> teapot", "removed kettle <> teapot"]
    for key, count, told in (("z", 2, "taken back"), ("y", 1, "done again"), ("z", 2, "taken")):
        page.keyboard.press(f"Control+{key}")
        expect(page.locator("[data-table='keys.tsv'] tbody tr")).to_have_count(count)
        expect(page.locator("#message")).to_contain_text(told)
    assert path.read_text("utf-8") == "kettle <> teapot\n"
    page.locator("#main").focus()
    page.keyboard.press("?")
    expect(page.locator("#shortcuts")).to_contain_text("Ctrl-ZUndo")
    page.keyboard.press("Escape")
    expect(page.locator("#shortcuts")).to_be_hidden()


def test_keys_make_save_and_delete_a_rule_file(page, served, tab_to, expect):
    path = served.folder / "rules" / "keys.lp"
    page.goto("/rules")
    expect(page.locator("#own a").first).to_be_visible()
    tab_to("#wanted")
    page.keyboard.type("weekday tuesday")
    expect(page.locator("#hits")).to_contain_text("lp_rules/english/words.lp")
    page.fill("#wanted", "")
    tab_to("#new-name", key="Shift+Tab")
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


@pytest.mark.always
def test_an_entry_is_added_and_shows_the_pairs_that_it_touches(written, page, expect):
    path = written("rules/terms.tsv", "# My terms\n\ncar = automobile # kept\n")
    page.goto("/words")
    add(page, "Power", "=", "electricity")
    count = page.locator("[data-place='terms.tsv:4']")
    expect(count).to_have_text("1")
    assert path.read_text("utf-8") == "# My terms\n\ncar = automobile # kept\nPower = electricity\n"
    expect(page.locator("[data-place='terms.tsv:3']")).to_have_text("0")
    count.click()
    expect(page.locator(".below")).to_contain_text("Storm leaves thousands without power")
    expect(page.locator(".new input").first).to_be_visible()


def add(page, left, sign, right):
    row = page.locator("[data-table='terms.tsv'] .new")
    row.locator("input").first.fill(left)
    row.locator("select").select_option(sign)
    row.locator("input").last.fill(right)
    row.locator("input").last.press("Enter")


def test_a_row_is_changed_and_what_stands_behind_it_stays(written, page, expect):
    path = written("rules/terms.tsv", "# one\ncar = automobile # kept\nbig = large\n")
    page.goto("/words")
    row, held = page.locator("[data-table='terms.tsv'] tbody tr").first, []
    page.route("**/project/words", lambda route: held.append(route))
    row.locator("select").select_option("<>")
    while not held:
        page.wait_for_timeout(20)
    # What is typed while that is saved is saved as well.
    row.locator("input").last.fill("bicycle")
    with page.expect_response("**/project/words"):
        held[0].continue_()
    page.unroute("**/project/words")
    row.locator("input").last.press("Tab")
    expect(page.locator("[data-table='terms.tsv'] tbody tr input").nth(1)).to_have_value("bicycle")
    page.wait_for_timeout(300)
    assert path.read_text("utf-8") == "# one\ncar <> bicycle # kept\nbig = large\n"


def test_a_table_that_was_changed_meanwhile_is_not_written_over(written, page, expect):
    path = written("rules/terms.tsv", "big = large\n")
    page.expected += [409, 400]
    page.goto("/words")
    expect(page.locator("[data-place='terms.tsv:1']")).to_be_visible()
    path.write_text("small = tiny\n", "utf-8")
    add(page, "car", "=", "automobile")
    expect(page.locator("[data-table='terms.tsv'] input").first).to_have_value("small")
    assert path.read_text("utf-8") == "small = tiny\n"
    add(page, "same", "=", "Same")
    expect(page.locator("#message")).to_contain_text("entry")
    expect(page.locator("[data-table='terms.tsv'] .new input").first).to_have_value("same")
    path.write_text("small = tiny\nnonsense\n", "utf-8")
    page.goto("/words")
    expect(page.locator("td.error")).to_contain_text("'nonsense' is not an entry")


def write_at_end(page, text):
    page.click(".cm-content")
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(text)


def test_a_link_opens_a_shipped_file_to_read_only_and_keys_lead_to_predicates(page, expect):
    line = page.locator(".cm-activeLine")
    page.goto(f"/rules?file={CANDIDATES}&line=14")
    expect(page.locator("#name")).to_have_text(CANDIDATES)
    expect(line).to_contain_text("linked(C,D,V) :- likeness")
    expect(line.locator(".lp-predicate").first).to_have_text("linked")
    expect(page.locator("#save")).to_be_hidden()
    write_at_end(page, "p(1).")
    assert "p(1)." not in page.inner_text(".cm-content")
    expect(page.locator("#shipped details[open] a[aria-current]")).to_have_text("candidates.lp")
    page.goto(f"/rules?file={CANDIDATES}&line=14")
    line.locator(".lp-predicate", has_text="likeness").click()
    page.keyboard.press("F12")
    expect(line).to_contain_text("%*! likeness(")
    page.goto(f"/rules?file={CANDIDATES}&line=14")
    line.locator(".lp-predicate", has_text="in_chunk").first.click(modifiers=["Control"])
    expect(line).to_contain_text("%*! in_chunk(")


@pytest.mark.always
def test_a_shipped_file_is_taken_over_changed_and_compared(page, served, expect):
    page.goto("/rules?file=lp_rules/words/amounts.lp")
    page.click("#take")
    expect(page.locator("#name")).to_have_text("words/amounts.lp")
    expect(page.locator("#about")).to_have_text("It takes the place of lp_rules/words/amounts.lp.")
    path = served.folder / "rules" / "words" / "amounts.lp"
    shipped = path.read_text("utf-8")
    write_at_end(page, "% mine\n")
    expect(page.locator("#status")).to_have_text("not saved")
    expect(page.locator("#own a.changed")).to_have_text("amounts.lp")
    page.click("#differ")
    expect(page.locator(".cm-insertedLine, .cm-changedLine").first).to_contain_text("% mine")
    page.keyboard.press("Control+s")
    expect(page.locator("#message")).to_have_text("words/amounts.lp is saved.")
    assert path.read_text("utf-8") == f"{shipped}% mine\n"
    expect(page.locator("#findings li")).to_have_count(0)
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("#delete")
    expect(page.locator("#name")).to_have_text("lp_rules/words/amounts.lp")
    assert not path.exists()


def test_findings_are_told_and_predicates_completed_while_somebody_types(page, expect):
    page.goto("/rules")
    page.fill("#new-name", "notes/fresh.lp")
    page.click("#new button")
    expect(page.locator("#about")).to_contain_text("A new file")
    write_at_end(page, '%@rule fresh: "{X} is new"\nnot_there(X) :- wrod(1,X,_).\n')
    expect(page.locator("#findings")).to_contain_text("line 2: no rule and no fact derives wrod/3")
    expect(page.locator(".cm-lintRange-error").first).to_have_text("wrod")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("broken(X) :- word(1,X,_)")
    # What was found in the text before fades meanwhile.
    expect(page.locator("#findings")).to_have_class("findings busy")
    expect(page.locator("#findings")).to_have_class("findings")
    expect(page.locator("#findings")).to_contain_text("the file ends in the middle of a rule")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text('%@rule fresh: "it is new"\nadds_nothing :- word(1,1,"new").\n')
    expect(page.locator("#findings .error")).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(page.locator(".cm-content")).to_contain_text("broken")
    page.keyboard.press("Control+a")
    page.keyboard.type("p(1) :- alik")
    expect(page.locator(".cm-tooltip-autocomplete li").first).to_contain_text("alike")
    expect(page.locator(".cm-completionInfo")).to_contain_text("are alike for the reason Kind")
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    expect(page.locator(".cm-content")).to_contain_text("p(1) :- alike")
    page.locator(".cm-line", has_text="alike").locator("text=alike").last.hover()
    expect(page.locator(".told-words")).to_contain_text("alike(I,J,Kind,V)")


@pytest.mark.parametrize("keep", [True, False])
def test_what_is_changed_outside_is_noticed_and_a_conflict_loses_no_text(
    served, written, page, expect, keep
):
    path = written("rules/conflict.lp", "% first\n")
    page.expected.append(409)
    page.goto("/rules?file=conflict.lp")
    expect(page.locator(".cm-content")).to_contain_text("% first")
    path.write_text("% begun\n", "utf-8")
    expect(page.locator(".cm-content")).to_contain_text("% begun")
    expect(page.locator("#status")).to_have_text("")
    write_at_end(page, "% mine\n")
    path.write_text("% theirs\n", "utf-8")
    page.keyboard.press("Control+s")
    expect(page.locator("#conflict")).to_be_visible()
    expect(page.locator(".cm-deletedChunk").first).to_contain_text("theirs")
    assert path.read_text("utf-8") == "% theirs\n"
    page.click("#mine" if keep else "#theirs")
    expect(page.locator("#conflict")).to_be_hidden()
    expect(page.locator("#status")).to_have_text("")
    if keep:
        expect(page.locator("#message")).to_have_text("conflict.lp is saved.")
    assert path.read_text("utf-8") == ("% begun\n% mine\n" if keep else "% theirs\n")
    # What was written over is in the history.
    history = [file for file in (served.folder / ".history").iterdir() if file.is_file()]
    assert "% theirs\n" in [file.read_text("utf-8") for file in history]


def test_a_fault_of_the_rules_is_shown_until_it_is_mended(written, page, expect):
    written("rules/hostile.lp", "")
    page.goto("/rules?file=hostile.lp")
    write_at_end(page, "broken(X) :- word(1,X,_)\n")
    page.keyboard.press("Control+s")
    expect(page.locator("#unloaded")).to_contain_text("hostile.lp")
    page.goto("/words")
    expect(page.locator("#unloaded")).to_contain_text("hostile.lp")
    page.goto("/rules?file=hostile.lp")
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("#delete")
    expect(page.locator("#unloaded")).to_be_hidden()
