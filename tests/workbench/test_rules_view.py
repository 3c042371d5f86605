"""The view of rules in Chromium: read, take over, write, check, look up, save, see what fires."""

import json
import urllib.error
import urllib.request

import pytest

pytestmark = pytest.mark.browser

CANDIDATES = "lp_rules/alignment/candidates.lp"


@pytest.fixture
def written(served):
    """Write rule files outside the browser; they are gone after the test."""
    paths = []

    def write(name, text):
        path = served.folder / "rules" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        paths.append(path)
        return path

    yield write
    for path in paths:
        path.unlink(missing_ok=True)


def ask(served, path, body=None, method=None):
    """The status and the JSON of an answer, without a browser."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"authorization": f"Bearer {served.token}", "content-type": "application/json"}
    request = urllib.request.Request(served.address + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=200) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def write_at_end(page, text):
    page.click(".cm-content")
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(text)


def test_a_link_opens_a_shipped_file_at_its_line_to_read_only(page, expect):
    page.goto(f"/rules?file={CANDIDATES}&line=12")
    expect(page.locator("#name")).to_have_text(CANDIDATES)
    expect(page.locator(".cm-activeLine")).to_contain_text("linked(C,D,V) :- likeness")
    expect(page.locator(".cm-activeLine .lp-predicate").first).to_have_text("linked")
    expect(page.locator("#save")).to_be_hidden()
    write_at_end(page, "p(1).")
    assert "p(1)." not in page.inner_text(".cm-content")
    expect(page.locator("#shipped details[open] a[aria-current]")).to_have_text("candidates.lp")


@pytest.mark.always
def test_a_shipped_file_is_taken_over_changed_and_compared(page, served, written, expect):
    page.goto("/rules?file=lp_rules/words/amounts.lp")
    page.click("#take")
    expect(page.locator("#name")).to_have_text("words/amounts.lp")
    expect(page.locator("#about")).to_have_text("It takes the place of lp_rules/words/amounts.lp.")
    path = served.folder / "rules" / "words" / "amounts.lp"
    shipped = path.read_text("utf-8")
    written("words/amounts.lp", shipped)
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


@pytest.mark.always
def test_findings_are_told_at_their_places_while_somebody_types(page, expect):
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


def test_predicates_are_completed_and_say_what_they_mean(page, expect):
    page.goto("/rules")
    page.fill("#new-name", "completed.lp")
    page.click("#new button")
    page.click(".cm-content")
    page.keyboard.type("p(1) :- alik")
    chosen = page.locator(".cm-tooltip-autocomplete li").first
    expect(chosen).to_contain_text("alike")
    expect(page.locator(".cm-completionInfo")).to_contain_text("are alike for the reason Kind")
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    expect(page.locator(".cm-content")).to_contain_text("p(1) :- alike")
    page.locator(".cm-line", has_text="alike").locator("text=alike").last.hover()
    expect(page.locator(".told-words")).to_contain_text("alike(I,J,Kind,V)")


def test_a_key_and_a_click_go_to_where_a_predicate_is_told(page, expect):
    page.goto(f"/rules?file={CANDIDATES}&line=12")
    page.locator(".cm-activeLine .lp-predicate", has_text="likeness").click()
    page.keyboard.press("F12")
    expect(page.locator(".cm-activeLine")).to_contain_text("%*! likeness(")
    page.goto(f"/rules?file={CANDIDATES}&line=12")
    page.locator(".cm-activeLine .lp-predicate", has_text="in_chunk").first.click(
        modifiers=["Control"]
    )
    expect(page.locator(".cm-activeLine")).to_contain_text("%*! in_chunk(")


def test_what_is_changed_outside_is_noticed(page, written, expect):
    path = written("outside.lp", "% first\n")
    page.goto("/rules?file=outside.lp")
    expect(page.locator(".cm-content")).to_contain_text("% first")
    path.write_text("% second\n", "utf-8")
    expect(page.locator(".cm-content")).to_contain_text("% second")
    expect(page.locator("#status")).to_have_text("")


@pytest.mark.parametrize("keep", [True, False])
def test_a_conflict_shows_both_texts_and_loses_neither(page, served, written, expect, keep):
    path = written("conflict.lp", "% begun\n")
    page.expected.append(409)
    page.goto("/rules?file=conflict.lp")
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
    kept = [one for one in (served.folder / ".history").iterdir() if one.is_file()]
    assert "% theirs\n" in [one.read_text("utf-8") for one in kept]


def test_hostile_rules_keep_nobody_waiting_for_ever(page, served, written, expect):
    given = {"name": "hostile.lp", "text": f"p({'x' * 900_000}"}
    status, found = ask(served, "/project/rules/check", given)
    assert (status, found[0]["kind"]) == (200, "syntax")
    assert len(found[0]["text"]) < 1000
    given["text"] = '%@rule hostile: "{X}"\ncounted(X+1) :- counted(X).\ncounted(1).\n'
    assert ask(served, "/project/rules/check", given)[0] == 200
    written("hostile.lp", "")
    page.goto("/rules?file=hostile.lp")
    write_at_end(page, given["text"])
    page.keyboard.press("Control+s")
    expect(page.locator("#fault")).to_contain_text("hostile.lp")
    assert ask(served, "/api/solve", {"sent1": "a dog", "sent2": "a cat"})[0] == 200
    page.once("dialog", lambda dialog: dialog.accept())
    page.click("#delete")
    expect(page.locator("#fault")).to_be_hidden()


def test_where_a_rule_fires_is_shown_with_its_words(page, expect):
    page.goto("/rules?file=lp_rules/words/tables.lp&line=25")
    expect(page.locator("#rule")).to_have_value("same_by_table")
    page.click("#look")
    expect(page.locator("#verdict")).to_contain_text("same_by_table: fired for")
    expect(page.locator("#fired mark").first).to_have_text("injured")
    expect(page.locator("#fired")).to_contain_text("means the same as hurt")
    page.fill("#rule", "no_such_rule")
    page.click("#look")
    expect(page.locator("#verdict")).to_contain_text("no rule that decides answers is called")
