"""Two tabs of one browser at the same project: neither takes anything from the other."""

import json

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture
def tabs(page):
    return page, page.another()


def test_each_tab_tries_its_own_pair(tabs, expect):
    for number, tab in enumerate(tabs):
        tab.goto("/try")
        tab.fill("#sent1", "A dog sleeps.")
        tab.fill("#sent2", ("A cat sleeps.", "A small dog snores.")[number])
    for tab, word in zip(tabs, ("cat", "snores"), strict=True):
        expect(tab.locator("#picture")).to_contain_text(word)
        expect(tab.locator("#words")).to_contain_text(word)


@pytest.mark.long
def test_who_saves_a_rule_file_second_sees_what_the_first_has_written(tabs, served, expect):
    path = served.folder / "rules" / "shared.lp"
    path.write_text("% begun\n", "utf-8")
    try:
        for tab, text in zip(tabs, ("% first\n", "% second\n"), strict=True):
            tab.goto("/rules?file=shared.lp")
            tab.click(".cm-content")
            tab.keyboard.press("Control+End")
            tab.keyboard.insert_text(text)
        first, second = tabs
        second.expected.append(409)
        first.bring_to_front()
        first.keyboard.press("Control+s")
        expect(first.locator("#message")).to_have_text("shared.lp is saved.")
        second.bring_to_front()
        second.keyboard.press("Control+s")
        expect(second.locator("#conflict")).to_be_visible()
        expect(second.locator(".cm-deletedChunk")).to_contain_text("% first")
        expect(second.locator("div.cm-changedLine")).to_contain_text("% second")
        assert path.read_text("utf-8") == "% begun\n% first\n"
        second.click("#mine")
        expect(second.locator("#message")).to_have_text("shared.lp is saved.")
        assert path.read_text("utf-8") == "% begun\n% second\n"
        # What was written over is in the history, and the first tab is told.
        kept = [one for one in (served.folder / ".history").iterdir() if one.is_file()]
        assert "% begun\n% first\n" in [one.read_text("utf-8") for one in kept]
        first.bring_to_front()
        expect(first.locator(".cm-content")).to_contain_text("% second")
    finally:
        path.unlink()


def test_corrections_of_two_tabs_add_up(tabs, served, expect):
    first, second = tabs
    try:
        for tab in tabs:
            tab.goto("/correct?corpus=images&pair=3")
            tab.locator("#picture svg").wait_for()
            tab.keyboard.press("ArrowRight")
        first.keyboard.press("r")
        expect(first.locator("#chosen")).to_contain_text("REL")
        second.keyboard.press("f")
        expect(second.locator("#chosen")).to_contain_text("REL_FACT")
        (line,) = (served.folder / "corrections" / "images.jsonl").read_text().splitlines()
        assert {"REL"} <= {one["label"] for one in json.loads(line)["alignments"]}
    finally:
        first.expected.append(400)
        while first.request.post("/project/corrections/images/undo", data={}).ok:
            pass


def test_a_word_that_another_tab_has_added_is_not_lost(tabs, served, expect):
    path = served.folder / "rules" / "shared.tsv"
    path.write_text("", "utf-8")
    second = tabs[1]
    second.expected.append(409)
    try:
        for tab in tabs:
            tab.goto("/words")
            tab.locator("[data-table='shared.tsv']").wait_for()
        for tab, (one, other) in zip(tabs, (("tea", "cuppa"), ("sofa", "couch")), strict=True):
            row = tab.locator("[data-table='shared.tsv'] .new input")
            row.first.fill(one)
            row.last.fill(other)
            row.last.press("Enter")
            tab.locator("[data-place='shared.tsv:1']").wait_for()
        assert path.read_text("utf-8") in ("tea = cuppa\n", "tea = cuppa\nsofa = couch\n")
        expect(second.locator("[data-table='shared.tsv'] input").first).to_have_value("tea")
    finally:
        path.unlink()
