"""What an edit changes: figures, pairs, pictures and causes; and rules without an end."""

import re
import time

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CHANGING = "electricity <> power\n"
"""It makes an alignment of pair 1 of the headlines another one."""


def save(view, served, text):
    """Write the table, as an editor does, and wait until that is noticed."""
    words = served.folder / "rules" / "words.tsv"
    if words.read_text("utf-8") == text:
        return
    latest = noticed(view)
    words.write_text(text, encoding="utf-8")
    while noticed(view) == latest:
        time.sleep(0.1)


def noticed(view):
    return view.request.get("/project/effects/progress").json()["latest"]


@pytest.fixture
def effects(page, served):
    """The view, when it shows figures; rules are put back afterwards."""
    words = (served.folder / "rules" / "words.tsv").read_text("utf-8")
    page.goto("/effects")
    page.locator("#measures td.number b").first.wait_for()
    yield page
    save(page, served, words)


def edited(effects, served):
    """Save an edit, and wait until its effect on pair 1 is shown."""
    before = effects.locator("#heading").inner_text()
    save(effects, served, CHANGING)
    effects.wait_for_function(
        "before => document.querySelector('#heading').textContent !== before", arg=before
    )
    effects.locator("[data-pair='1']").first.wait_for()


@pytest.mark.always
def test_an_edit_shows_measures_and_pairs_by_itself(effects, served):
    before = effects.locator("#states tbody tr").count()
    edited(effects, served)
    assert effects.locator("#states tbody tr").count() == before + 1
    row = effects.locator("#measures tr", has_text="headlines").inner_text()
    assert len(re.findall(r"\d+\.\d\d\s→\s\d+\.\d\d", row)) == 4
    assert re.search(r"[1-9]\d* of 10", row)
    assert "changed in headlines" in effects.locator("#changed").inner_text()


@pytest.mark.long
def test_a_pair_shows_both_pictures_and_the_edit_that_is_to_blame(effects, served):
    edited(effects, served)
    effects.locator("[data-pair='1'] button").click()
    detail = effects.locator("#detail")
    detail.locator("figure svg").nth(1).wait_for()
    detail.get_by_text("All that was edited").wait_for()
    shown = detail.locator(".changes").inner_text()
    assert "without power ~ without electricity: EQUI →" in shown
    assert 'opposite("electricity","power")' in shown
    link = detail.locator(".causes a", has_text="words.tsv:1").first
    assert link.get_attribute("href") == "/rules?file=words.tsv&line=1"
    before, after = detail.locator("figure svg").all()[:2]
    assert before.inner_html() != after.inner_html()


def test_going_back_is_a_new_state_and_any_two_can_be_compared(effects, served):
    first = effects.locator("#states tbody tr").first.locator("td").nth(2).inner_text()
    edited(effects, served)
    row = effects.locator("#states tbody tr").nth(1)
    row.get_by_role("button", name="Go back").click()
    effects.locator("#states td", has_text=f"back to state {first}").first.wait_for()
    assert (served.folder / "rules" / "words.tsv").read_text() != CHANGING
    effects.get_by_label(f"Before state {first}", exact=True).check()
    effects.get_by_text("No pair has another answer").wait_for()
    changed = int(first) + 1
    effects.get_by_label(f"After state {changed}", exact=True).check()
    effects.locator("[data-pair='1']").first.wait_for()


def test_a_fault_in_the_rules_is_told_with_its_place(effects, served):
    save(effects, served, "no entry\n")
    effects.locator(".fault", has_text="words.tsv:1: 'no entry' is not an entry").first.wait_for()


@pytest.mark.long
def test_rules_without_an_end_are_told_and_the_server_stays_usable(serving, let_in, tmp_path):
    with serving(tmp_path / "project") as server, let_in(server) as view:
        view.context.set_default_timeout(400_000)
        view.goto("/effects")
        view.locator("#measures td.number b").first.wait_for()
        # It has an end, but none that anybody lives to see.
        endless = "_endless(0). _endless(N+1) :- _endless(N), N < 2000000000, word(_,_,_).\n"
        (server.folder / "rules" / "endless.lp").write_text(endless)
        view.locator("#doing", has_text="State 2").wait_for()
        view.goto("/try?1=a+dog+sleeps&2=a+cat+sleeps")
        view.locator("#picture svg").wait_for()
        view.goto("/effects")
        view.locator(".fault", has_text="no answer within 10 s").first.wait_for()
