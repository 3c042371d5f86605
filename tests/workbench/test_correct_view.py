"""Answers mended by mouse and keyboard, and what is on disk then."""

import json

import pytest

from ists_asp.evaluate.files import evaluate_files
from ists_asp.evaluate.wa_check import check_file
from ists_asp.learn.examples import read_gold

pytestmark = [pytest.mark.browser, pytest.mark.slow]


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
