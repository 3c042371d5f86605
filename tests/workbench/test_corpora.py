"""What is done with the corpora of a project: reports, effects, corrections, lessons."""

import re
import shutil

import pytest

from ists_asp.evaluate.wa_check import check_file

pytestmark = pytest.mark.browser
GOLD = """<sentence id="{}" status="">
// A dog runs .
// A dog sleeps .
<source>
1 A :\x20
2 dog :\x20
3 runs :\x20
4 . :\x20
</source>
<translation>
1 A :\x20
2 dog :\x20
3 sleeps :\x20
4 . :\x20
</translation>
<alignment>
1 2 <==> 1 2 // EQUI // 5 // A dog <==> A dog
3 <==> 3 // REL // 2 // runs <==> sleeps
</alignment>
</sentence>


"""


@pytest.mark.long
def test_what_is_learned_is_measured_first_and_adopted_as_a_new_state(served, correct, page):
    page.goto("/learn")
    page.locator("#needed", has_text="ten corrected pairs").wait_for()
    for name in served.asked("/project/corrections/headlines")["ids"]:
        correct("accept", name, "headlines")
    page.locator("#corpora input:checked").first.wait_for()
    page.locator("#needed").wait_for(state="hidden")
    page.locator("#lesson summary").click()
    page.fill("#folds", "2")
    page.get_by_role("button", name="Learn", exact=True).click()
    page.locator("#doing", has_text="Step 1 of 2").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.locator("#fault", has_text="cancelled").wait_for()
    assert page.locator("#found").is_hidden()
    page.get_by_role("button", name="Learn", exact=True).click()
    page.locator("#found").wait_for(timeout=300_000)
    assert page.locator("#gains tbody tr").count() == 8
    assert page.locator("#gains .dim", has_text="within chance").count() >= 1
    assert not list((served.folder / "rules").glob("learned-*"))
    page.locator("#adopt").click()
    page.locator("#message", has_text="Adopted as learned-1.lp").wait_for()
    text = (served.folder / "rules" / "learned-1.lp").read_text()
    assert text.startswith("% Corrections: profile headlines")
    page.goto("/effects")
    page.locator("#heading", has_text="learned from 10 corrected pairs").wait_for()
    page.locator("#measures td.number b").first.wait_for()
    (served.folder / "rules" / "learned-1.lp").unlink()


@pytest.fixture
def corpus(served):
    """Write files of a corpus, which are gone afterwards."""
    folder = served.folder / "corpora" / "own"

    def write(**files):
        folder.mkdir()
        for name, text in files.items():
            (folder / name.replace("_", ".")).write_text(text, "utf-8")
        return folder.name

    yield write
    shutil.rmtree(folder)


@pytest.mark.always
def test_a_corpus_is_decided_and_says_why(corpus, served, page):
    """Two pairs with gold, of which one has other tokens; and one pair without an answer."""
    corpus(
        sent1_txt="A dog runs .\nTwo cats sleep on a sofa .\nA man sings .\n",
        sent2_txt="A dog sleeps .\nTwo cats sleep .\nA woman sings .\n",
        gold_wa=GOLD.format(1) + GOLD.format(2),
    )
    page.goto("/report")
    page.select_option("#corpus", "own")
    page.get_by_role("button", name="Show").click()
    page.locator("article svg").first.wait_for()
    assert page.url == f"{served.address}/report?corpus=own"
    assert page.locator("#work").is_hidden()
    assert page.locator("article h2").all_inner_texts() == ["Pair 1", "Pair 2", "Pair 3"]
    first = page.locator("#pair-1")
    facts = first.locator(".facts").inner_text()
    assert all(told in facts for told in ("rated ", "Typ+Sco", "2 punctuation marks hidden"))
    assert first.locator(".words").inner_text()
    assert "the gold of 1 pairs has other tokens and is left out" in page.inner_text("#report")
    first.locator('[data-line="0"][role=button]').first.click()
    first.locator(".lead").wait_for()
    first.locator(".rules summary").first.click()
    # A rule leads to where it is.
    where = first.locator(".rules a").first.get_attribute("href")
    assert where.startswith("/rules?file=lp_rules%2F")
    first.get_by_role("button", name="This is wrong").click()
    assert "A dog” ~ “A dog” should be" in first.locator("#wrong").inner_text()
    # What was decided is shown at once, and filters are in the address.
    page.fill("[name=q]", "sings")
    page.reload()
    page.locator("article svg").first.wait_for()
    assert page.locator("article h2").all_inner_texts() == ["Pair 3"]


def test_work_can_be_cancelled(corpus, page):
    sides = ["".join(f"man number {n} walks in street {m}\n" for n in range(600)) for m in "12"]
    corpus(sent1_txt=sides[0], sent2_txt=sides[1])
    page.goto("/report?corpus=own")
    page.locator("#cancel").click()
    page.get_by_text("Cancelled.").wait_for()
    assert page.locator("#work").is_hidden()
    assert page.locator("article").count() == 0


def test_an_edit_shows_measures_pairs_and_causes_and_is_gone_back_from(
    served, written, page, expect
):
    states = page.locator("#states tbody tr")
    page.goto("/effects")
    page.locator("#measures td.number b").first.wait_for()
    first, heading = states.first.locator("td").nth(2).inner_text(), page.inner_text("#heading")
    written("rules/words.tsv", "electricity <> power\n")
    expect(states.nth(1).locator("td").nth(2)).to_have_text(first)
    expect(page.locator("#heading")).not_to_have_text(heading)
    page.locator("[data-pair='1']").first.wait_for()
    row = page.locator("#measures tr", has_text="headlines").inner_text()
    # What stays as it was is shown once.
    measures = re.findall(r"(\d+\.\d\d)(?:\s→\s(\d+\.\d\d)\s[▲▼]?\s?[+−]\d+\.\d\d)?(?!\d)", row)
    assert len(measures) == 4
    assert any(new for _, new in measures)
    assert all(old != new for old, new in measures)
    assert re.search(r"[1-9]\d* of 10", row)
    assert "changed in headlines" in page.locator("#changed").inner_text()
    page.locator("[data-pair='1'] button").focus()
    page.keyboard.press("Enter")
    detail = page.locator("#detail")
    detail.locator("figure svg").nth(1).wait_for()
    detail.get_by_text("All that was edited").wait_for()
    shown = detail.locator(".changes").inner_text()
    assert "without power ~ without electricity: EQUI →" in shown
    assert 'opposite("electricity","power")' in shown
    link = detail.locator(".causes a", has_text="words.tsv:1").first
    assert link.get_attribute("href") == "/rules?file=words.tsv&line=1"
    older, newer = detail.locator("figure svg").all()[:2]
    assert older.inner_html() != newer.inner_html()
    states.nth(1).get_by_role("button", name="Go back").click()
    page.locator("#states td", has_text=f"back to state {first}").first.wait_for()
    assert "power" not in (served.folder / "rules" / "words.tsv").read_text()
    page.get_by_label(f"Before state {first}", exact=True).check()
    page.get_by_text("No pair has another answer").wait_for()
    page.get_by_label(f"After state {int(first) + 1}", exact=True).check()
    page.locator("[data-pair='1']").first.wait_for()


@pytest.fixture
def pair(correct, page):
    """The view of the first pair of the images; nothing is mended before or afterwards."""
    page.goto("/correct?corpus=images&pair=1")
    page.locator("#picture svg").wait_for()
    page.keyboard.press("ArrowRight")
    return page


def sides(view):
    """The words of the chosen alignment."""
    return view.inner_text("#chosen").partition(":")[0].split(" ~ ")


def drag(view, one, two, shift=False):
    boxes = [
        view.locator(f"#picture [data-side='{side}']", has_text=text).first.bounding_box()
        for side, text in enumerate((one, two), 1)
    ]
    (x, y), (right, below) = ((box["x"] + 8, box["y"] + 8) for box in boxes)
    view.mouse.move(x, y)
    view.mouse.down()
    view.mouse.move(right, below - 20, steps=4)
    view.mouse.move(right, below, steps=2)
    if shift:
        view.keyboard.down("Shift")
    view.mouse.up()
    view.keyboard.up("Shift")


@pytest.mark.always
def test_an_answer_is_corrected_with_keys_and_taken_back(pair, served, expect):
    chosen = pair.locator("#chosen")
    for key, told in (
        *(("r", "REL"), ("Shift+Digit2", "REL 2"), ("f", "REL_FACT 2"), ("+", "REL_FACT 3")),
        *(("e", "EQUI_FACT 5"), ("o", "OPPO"), ("t", "OPPO_FACT_POL")),
    ):
        pair.keyboard.press(key)
        expect(chosen).to_contain_text(told)
        expect(pair.locator("#count")).to_have_text("1 of 10 corrected")
    wa = served.folder / "corrections" / "images.wa"
    assert ("// OPPO_FACT_POL // " in wa.read_text(), check_file(wa).faults) == (True, ())
    one, two = sides(pair)
    pair.keyboard.press("x")
    expect(chosen).to_have_text("No alignment is chosen.")
    for side, text in enumerate((one, two), 1):
        pair.locator(f"#picture [data-side='{side}'][aria-label*={text!r}]").first.focus()
        pair.keyboard.press("Enter")
    expect(chosen).to_contain_text(f"{one} ~ {two}: SIMI 3")
    with pair.expect_download() as download:
        pair.get_by_text("Export .wa").click()
    assert download.value.suggested_filename == "images.wa"
    for _ in range(9):
        pair.keyboard.press("Control+z")
    expect(pair.locator("#count")).to_have_text("0 of 10 corrected")
    for key, count in (("y", 1), ("z", 0)):
        pair.keyboard.press(f"Control+{key}")
        expect(pair.locator("#count")).to_have_text(f"{count} of 10 corrected")
    for key, place in (("n", "Pair 2"), ("p", "Pair 1")):
        pair.keyboard.press(key)
        expect(pair.locator("#place")).to_contain_text(place)


def test_where_two_annotators_differ_is_settled(correct, written, page, served, expect):
    aligned = next(line for line in correct("accept")["alignments"] if line["tokens2"])
    mine = served.folder / "corrections" / "images.jsonl"
    theirs = written("../second/images.jsonl", mine.read_text("utf-8")).read_text("utf-8")
    for second, key in ((False, "k"), (True, "a")):
        tokens = {side: aligned[side] for side in ("tokens1", "tokens2")}
        correct("label", label="REL", **tokens)
        page.goto("/correct?corpus=images")
        expect(page.locator("#agreement")).to_contain_text("1 pair was corrected by both. F1 ")
        expect(page.locator("#differing tbody tr").first).to_contain_text("REL")
        page.get_by_role("button", name="1", exact=True).click()
        page.locator("#theirs svg").wait_for()
        page.keyboard.press(key)
        expect(page.locator("#agreement")).to_contain_text("0 are left to settle.")
        assert (mine.read_text("utf-8") == theirs) == second


def test_drags_align_and_join_chunks(pair, served, expect):
    chosen, (one, two) = pair.locator("#chosen"), sides(pair)
    others = pair.locator("#picture [data-side='2']").all_text_contents()
    pair.keyboard.press("x")
    expect(chosen).to_contain_text("No alignment")
    assert pair.locator("#picture .alone", has_text=one).count() >= 1
    drag(pair, one, two)
    expect(chosen).to_contain_text(f"{one} ~ {two}: SIMI 3")
    other = next(text for text in (each.splitlines()[-1] for each in others) if two not in text)
    drag(pair, one, other, shift=True)
    for word in (*two.split(), *other.split()):
        expect(chosen).to_contain_text(word)
    assert check_file(served.folder / "corrections" / "images.wa").faults == ()
