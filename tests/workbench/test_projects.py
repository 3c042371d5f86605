"""What is done with the corpora of a project: reports, effects, corrections, lessons."""

import json
import re
import shutil
import time

import pytest

from ists_asp.evaluate.files import evaluate_files
from ists_asp.evaluate.wa_check import check_file
from ists_asp.learn.examples import read_gold

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def corrected(page, served):
    """All headlines are accepted as they are; that is taken back afterwards."""
    address = "/project/corrections/headlines"
    for name in page.request.get(address).json()["ids"]:
        assert page.request.post(address, data={"id": name, "do": "accept"}).ok
    yield page
    while page.request.post(f"{address}/undo", data={}).ok:
        pass


@pytest.mark.always
def test_too_few_corrections_are_refused_in_one_line(page, served):
    page.goto("/learn")
    page.locator("#corpora label").first.wait_for()
    page.expected.append(400)
    page.get_by_role("button", name="Learn", exact=True).click()
    told = page.locator("#message", has_text="0 corrected pairs are too few")
    told.wait_for()
    assert "expected 10 or more" in told.inner_text()


def test_a_lesson_is_cancelled_with_all_its_processes(corrected):
    corrected.goto("/learn")
    corrected.locator("#corpora input:checked").first.wait_for()
    corrected.get_by_role("button", name="Learn", exact=True).click()
    corrected.locator("#doing", has_text="Step 1 of 2").wait_for()
    corrected.get_by_role("button", name="Cancel").click()
    corrected.locator("#fault", has_text="cancelled").wait_for()
    assert corrected.locator("#found").is_hidden()


@pytest.mark.long
def test_what_is_learned_is_measured_first_and_adopted_as_a_new_state(corrected, served):
    corrected.goto("/learn")
    corrected.locator("#corpora input:checked").first.wait_for()
    corrected.get_by_role("button", name="Learn", exact=True).click()
    corrected.locator("#found").wait_for(timeout=300_000)
    assert corrected.locator("#gains tbody tr").count() == 8
    assert not list((served.folder / "rules").glob("learned-*"))
    corrected.locator("#adopt").click()
    corrected.locator("#message", has_text="Adopted as learned-1.lp").wait_for()
    text = (served.folder / "rules" / "learned-1.lp").read_text()
    assert text.startswith("% Corrections: profile headlines")
    corrected.goto("/effects")
    corrected.locator("#heading", has_text="learned from 10 corrected pairs").wait_for()
    corrected.locator("#measures td.number b").first.wait_for()


@pytest.fixture
def small(served):
    """Two pairs with gold, of which one has other tokens; and one pair without an answer."""
    folder = served.folder / "corpora" / "small"
    folder.mkdir()
    firsts = ["A dog runs .", "Two cats sleep on a sofa .", "A man sings ."]
    seconds = ["A dog sleeps .", "Two cats sleep .", "A woman sings ."]
    for name, lines in (("sent1.txt", firsts), ("sent2.txt", seconds)):
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    tokens = ["A", "dog", "runs", "."], ["A", "dog", "sleeps", "."]
    sides = ["\n".join(f"{n} {form} : " for n, form in enumerate(side, 1)) for side in tokens]
    gold = "1 2 <==> 1 2 // EQUI // 5 // A dog <==> A dog\n3 <==> 3 // REL // 2 // runs <==> sleeps"
    (folder / "gold.wa").write_text(
        "".join(
            f'<sentence id="{number}" status="">\n// A dog runs .\n// A dog sleeps .\n<source>\n'
            f"{sides[0]}\n</source>\n<translation>\n{sides[1]}\n</translation>\n"
            f"<alignment>\n{gold}\n</alignment>\n</sentence>\n\n\n"
            for number in (1, 2)
        ),
        encoding="utf-8",
    )
    yield "small"
    shutil.rmtree(folder)


@pytest.mark.always
def test_a_corpus_is_decided_and_says_why(page, small, served):
    page.goto("/report")
    page.select_option("#corpus", small)
    page.get_by_role("button", name="Show").click()
    page.locator("article svg").first.wait_for()
    assert page.url == f"{served.address}/report?corpus=small"
    assert page.locator("#work").is_hidden()
    assert page.locator("article h2").all_inner_texts() == ["Pair 1", "Pair 2", "Pair 3"]
    first = page.locator("#pair-1")
    assert "rated " in first.locator(".facts").inner_text()
    assert "Typ+Sco" in first.locator(".facts").inner_text()
    assert "2 punctuation marks hidden" in first.locator(".facts").inner_text()
    assert first.locator(".words").inner_text()
    assert "the gold of 1 pairs has other tokens and is left out" in page.inner_text("#report")
    first.locator('[data-line="0"][role=button]').first.click()
    first.locator(".lead").wait_for()
    first.locator(".rules summary").first.click()
    # A rule leads to where it is.
    where = first.locator(".rules a").first.get_attribute("href")
    assert where.startswith("/rules?file=lp_rules%2F")
    # What was decided is shown at once, and filters are in the address.
    page.fill("[name=q]", "sings")
    page.reload()
    page.locator("article svg").first.wait_for()
    assert page.locator("article h2").all_inner_texts() == ["Pair 3"]


def test_reasons_are_those_of_the_rules_that_decided(page, small, served):
    page.goto(f"/report?corpus={small}")
    link = page.locator('#pair-1 [data-line="0"][role=button]').first
    link.wait_for()
    rules = served.folder / "rules" / "report_view.lp"
    rules.write_text("% nothing yet\n", encoding="utf-8")
    try:
        page.expected = [400]
        link.click()
        page.get_by_text("the rules have changed since this was decided").wait_for()
    finally:
        rules.unlink()


def test_work_can_be_cancelled(page, served):
    folder = served.folder / "corpora" / "large"
    folder.mkdir()
    for side in "12":
        lines = (f"man number {n} walks along street {side}" for n in range(600))
        (folder / f"sent{side}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    try:
        page.goto("/report?corpus=large")
        page.locator("#cancel").click()
        page.get_by_text("Cancelled.").wait_for()
        assert page.locator("#work").is_hidden()
        assert page.locator("article").count() == 0
    finally:
        shutil.rmtree(folder)


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


@pytest.fixture
def correct(page, served):
    """The view of the first pair of the images; nothing is mended before or afterwards."""
    page.goto("/correct?corpus=images&pair=1")
    page.locator("#picture svg").wait_for()
    yield page
    page.expected.append(400)
    while page.request.post("/project/corrections/images/undo", data={}).ok:
        pass


def files(served, corpus="images"):
    folder = served.folder / "corrections"
    return folder / f"{corpus}.wa", folder / f"{corpus}.jsonl", folder / ".log.jsonl"


def chosen(view, text):
    view.locator("#chosen", has_text=text).wait_for()


def drag(view, one, two, shift=False):
    boxes = [
        view.locator(f"#picture [data-side='{side}']", has_text=text).first
        for side, text in enumerate((one, two), 1)
    ]
    points = [(box["x"] + 8, box["y"] + 8) for box in (each.bounding_box() for each in boxes)]
    view.mouse.move(*points[0])
    view.mouse.down()
    view.mouse.move(points[1][0], points[1][1] - 20, steps=4)
    view.mouse.move(*points[1], steps=2)
    if shift:
        view.keyboard.down("Shift")
    view.mouse.up()
    view.keyboard.up("Shift")


@pytest.mark.always
def test_keys_choose_label_score_and_tags_and_the_files_have_it_at_once(correct, served):
    correct.keyboard.press("ArrowRight")
    correct.keyboard.press("r")
    correct.keyboard.press("Shift+Digit2")
    correct.keyboard.press("f")
    chosen(correct, "REL_FACT 2")
    correct.keyboard.press("+")
    chosen(correct, "REL_FACT 3")
    correct.locator("#count", has_text="1 of 10 corrected").wait_for()
    wa, lines, log = files(served)
    assert "// REL_FACT // 3 //" in wa.read_text()
    assert json.loads(lines.read_text())["id"] == "1"
    done = [json.loads(line)["action"] for line in log.read_text().splitlines()[-4:]]
    assert [one.split()[0] for one in done] == ["label", "score", "tag", "score"]
    correct.keyboard.press("e")
    chosen(correct, "EQUI_FACT 5")


def test_what_is_removed_is_unaligned_and_a_drag_aligns_it_again(correct, served):
    correct.keyboard.press("ArrowRight")
    text = correct.locator("#chosen").inner_text()
    one, two = text.partition(":")[0].split(" ~ ")
    correct.keyboard.press("x")
    chosen(correct, "No alignment")
    assert correct.locator("#picture .alone", has_text=one).count() >= 1
    drag(correct, one, two)
    chosen(correct, f"{one} ~ {two}: SIMI 3")
    wa, *_ = files(served)
    assert check_file(wa).faults == ()
    assert not any("on no line" in note for note in check_file(wa).notes)


def test_with_shift_a_chunk_joins_an_alignment(correct, served):
    correct.keyboard.press("ArrowRight")
    one, two = correct.locator("#chosen").inner_text().partition(":")[0].split(" ~ ")
    others = correct.locator("#picture [data-side='2']").all_text_contents()
    other = next(text for text in (each.splitlines()[-1] for each in others) if two not in text)
    drag(correct, one, other, shift=True)
    correct.wait_for_function(
        "words => words.every(one => document.querySelector('#chosen').textContent.includes(one))",
        arg=[*two.split(), *other.split()],
    )
    wa, *_ = files(served)
    assert check_file(wa).faults == ()


def test_enter_on_two_chunks_aligns_them(correct):
    first = correct.locator("#picture [data-side='1']").first
    second = correct.locator("#picture [data-side='2']").last
    first.focus()
    correct.keyboard.press("Enter")
    second.focus()
    correct.keyboard.press("Enter")
    chosen(correct, "SIMI 3")


def test_all_pairs_are_accepted_as_they_are_and_make_gold(correct, served):
    for number in range(10):
        correct.locator("#place", has_text=f"{number + 1} of 10").wait_for()
        correct.keyboard.press("Enter")
    correct.locator("#count", has_text="10 of 10 corrected").wait_for()
    correct.keyboard.press("p")
    correct.locator("#place", has_text="9 of 10").wait_for()
    correct.keyboard.press("n")
    correct.locator("#place", has_text="10 of 10").wait_for()
    wa, *_ = files(served)
    gold = served.folder / "corpora" / "images" / "gold.wa"
    assert evaluate_files(gold, wa).overall.alignment.f1 > 0.5
    assert len(read_gold(wa)) == 10
    with correct.expect_download() as download:
        correct.get_by_text("Export .wa").click()
    assert download.value.suggested_filename == "images.wa"
    assert download.value.path().read_text() == wa.read_text()


def test_corrections_of_two_tabs_add_up(correct, served, expect):
    tabs = first, second = correct, correct.another()
    for tab in tabs:
        tab.goto("/correct?corpus=images&pair=3")
        tab.locator("#picture svg").wait_for()
        tab.keyboard.press("ArrowRight")
    first.keyboard.press("r")
    expect(first.locator("#chosen")).to_contain_text("REL")
    second.keyboard.press("f")
    expect(second.locator("#chosen")).to_contain_text("REL_FACT")
    (line,) = files(served)[1].read_text().splitlines()
    assert {"REL"} <= {one["label"] for one in json.loads(line)["alignments"]}


@pytest.mark.long
def test_undo_goes_back_action_by_action_and_survives_a_restart(serving, let_in, tmp_path):
    for begin in (True, False):
        with serving(tmp_path / "project") as server, let_in(server) as view:
            view.goto("/correct?corpus=headlines&pair=1")
            view.locator("#picture svg").wait_for()
            view.keyboard.press("ArrowRight")
            if begin:
                view.keyboard.press("o")
                view.keyboard.press("Shift+Digit1")
                chosen(view, "OPPO 1")
            else:
                view.expected.append(400)
                chosen(view, "OPPO 1")
                view.keyboard.press("Control+z")
                view.locator("#picture text", has_text="OPPO 4").wait_for()
                view.keyboard.press("Control+z")
                view.locator("#count", has_text="0 of 10").wait_for()
                view.keyboard.press("Control+z")
                view.locator("#message", has_text="nothing to take back").wait_for()
    assert (server.folder / "corrections" / "headlines.wa").read_text() == ""
