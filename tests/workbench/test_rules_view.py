"""The view of rules in Chromium: read, take over, write, complete, save."""

import pytest

pytestmark = pytest.mark.browser

CANDIDATES = "lp_rules/alignment/candidates.lp"


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
    write_at_end(page, '%@rule hostile: "{X}"\ncounted(X+1) :- counted(X).\ncounted(1).\n')
    page.keyboard.press("Control+s")
    # The rules take all the time that they have to be loaded.
    expect(page.locator("#unloaded")).to_contain_text("hostile.lp", timeout=240_000)
    page.goto("/words")
    expect(page.locator("#unloaded")).to_contain_text("hostile.lp")
    page.goto("/rules?file=hostile.lp")
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("#delete")
    expect(page.locator("#unloaded")).to_be_hidden()
