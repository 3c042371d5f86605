"""A corpus as a report: decided in the background, with reasons asked for, and cancelled."""

import shutil

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def corpus(served):
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
def test_a_corpus_is_decided_and_says_why(page, corpus, served):
    page.goto("/report")
    page.select_option("#corpus", corpus)
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


def test_reasons_are_those_of_the_rules_that_decided(page, corpus, served):
    page.goto(f"/report?corpus={corpus}")
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
