"""The page in Chromium: it draws, opens, filters, and neither loads nor runs anything foreign."""

import re
import shutil

import pytest

from ists_asp.report import Entry, compare, evidence, page
from ists_asp.trace.contrast import Contrast, Reason
from ists_asp.trace.evidence import RulePlace

pytestmark = pytest.mark.browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Root may not use the sandbox; without the others Chromium looks for its maker's servers.
OPTIONS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run"),
)
EVIL = "<script>alert(1)</script>"
BREAK = "</script><img/src=x/onerror=alert(2)>"


@pytest.fixture(scope="module")
def browser():
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no browser: install chromium, on Debian by apt-get install chromium")
    sync = pytest.importorskip(
        "playwright.sync_api", reason="no playwright: pip install -c constraints.txt -e '.[test]'"
    )
    with sync.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=OPTIONS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Open a page of entries, without network; what goes wrong in the browser fails the test."""
    faults, contexts = [], []

    def show(*entries):
        file = tmp_path / "r.html"
        file.write_text(page(entries, f"Report {EVIL}"), encoding="utf-8")
        context = browser.new_context(offline=True, viewport={"width": 1000, "height": 800})
        contexts.append(context)
        view = context.new_page()
        view.on("pageerror", lambda fault: faults.append(str(fault)))
        view.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
        view.on("console", lambda line: faults.append(f"{line.type}: {line.text}"))
        view.on("request", lambda asked: asked.url == file.as_uri() or faults.append(asked.url))
        view.goto(file.as_uri())
        return view

    yield show
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def view(open_page, answer, gold):
    """A page of three pairs: other label in gold, as in gold, other alignment in gold."""
    first = answer(
        f"a {EVIL} c",
        f"{BREAK} y",
        ([1], [1], "EQUI", 5.0),
        ([2], [2], "SIMI", 2.0),
        ([3], [], "NOALI", None),
        identifier="one",
    )
    second = answer("b", "z", ([1], [1], "OPPO", 4.0), identifier="two")
    third = answer(
        "b d", "z w", ([1], [1], "SPE1", 3.0), ([2], [2], "REL", 1.0), identifier="three"
    )
    pros = tuple(
        Reason("n", f"says {EVIL} {n}", 100, 50 - n, 50 - n, RulePlace(f"rule_{n}", "x.lp", n))
        for n in range(16)
    )
    told = Contrast("align", "align:1:1", "aligned", "aligned, not left free", pros=pros)
    found = {((1,), (1,)): (told,)}
    label = gold(([1], [1], "EQUI", 5.0), ([2], [2], "SPE1", 2.0), ([3], [], "NOALI", None))
    other = gold(([1], [1], "SPE1", 3.0), ([2], [], "NOALI", None), ([], [2], "NOALI", None))
    return open_page(
        Entry(first, f"Both say {EVIL}.", found, compare(first, label)),
        Entry(second, "They are opposed.", {}, compare(second, second.alignments)),
        Entry(third, "Alike.", {}, compare(third, other)),
    )


def shown(view):
    # Not the inner text: Chromium leaves out what is far below the window.
    return view.locator("article:not([hidden]) h2").all_text_contents()


def reset(view):
    view.click("button[type=reset]")
    view.get_by_text("3 of 3 pairs").wait_for()


def faded(view):
    return view.locator("article:not([hidden]) .faded[role=button]").count()


def test_chunks_stand_in_two_rows_with_a_coloured_mark_between(view):
    drawing = view.locator("#pair-0 .scroll > svg").first
    rows = [box.bounding_box() for box in drawing.locator(".chunk rect").all()]
    assert len(rows) == 5
    upper, lower = rows[:3], rows[3:]
    assert len({box["y"] for box in upper}) == len({box["y"] for box in lower}) == 1
    for one, other in ((upper[0], upper[1]), (upper[1], upper[2]), (lower[0], lower[1])):
        assert one["x"] + one["width"] < other["x"]
    marks = drawing.locator(".link[role=button] rect").all()
    assert len(marks) == 2
    for mark in marks:
        box = mark.bounding_box()
        assert upper[0]["y"] + upper[0]["height"] < box["y"]
        assert box["y"] + box["height"] < lower[0]["y"]
    links = view.locator("article .scroll > svg .link[role=button]").all()
    colours = {
        link.locator("text").text_content().split()[0]: link.locator("rect").evaluate(
            "mark => getComputedStyle(mark).stroke"
        )
        for link in links
    }
    assert colours.keys() == {"EQUI", "SIMI", "OPPO", "SPE1", "REL"}
    assert len(set(colours.values())) == 5
    assert all(colour.startswith("rgb(") for colour in colours.values())
    lines = drawing.locator("[data-line='0'] path")
    assert lines.count() == 2
    for line in lines.all():
        assert line.evaluate("path => getComputedStyle(path).stroke") == colours["EQUI"]
        assert line.evaluate("path => path.getTotalLength()") > 20


def test_text_is_shown_as_it_is_written_and_never_run(view):
    assert view.title() == f"Report {EVIL}"
    assert view.locator("h1").inner_text() == f"Report {EVIL}"
    assert view.locator("#pair-0 .words").inner_text() == f"Both say {EVIL}."
    texts = view.locator("#pair-0 .scroll > svg").first.locator(".chunk text").all_text_contents()
    assert texts == ["a", EVIL, "c", BREAK, "y"]
    assert view.locator("script").count() == 2
    assert view.locator("img").count() == 0


def test_links_open_by_mouse_and_keyboard(view):
    panel = view.locator("#pair-0 .rules")
    link = view.locator('#pair-0 [data-line="0"][role=button]')
    assert panel.is_hidden()
    link.locator("rect").click()
    assert panel.is_visible()
    assert link.get_attribute("aria-expanded") == "true"
    assert panel.locator("li").count() == 12
    assert f"says {EVIL} 0 rule_0 x.lp:0" in panel.inner_text()
    assert "4 more, +146 together" in panel.inner_text()
    link.focus()
    view.keyboard.press("Enter")
    assert panel.is_hidden()
    view.locator('#pair-0 .alone[data-line="2"]').click()
    assert panel.inner_text() == "No rules are recorded."


def test_a_link_of_a_real_answer_tells_its_rules_and_where_they_are(open_page, trace):
    view = open_page(Entry(trace.answer, "", evidence(trace)))
    link = view.locator('[data-line="0"][role=button]')
    link.locator("rect").click()
    panel = view.locator(".rules")
    heads = panel.locator("h3").all_inner_texts()
    assert heads[0] == '"12" is aligned with "10"'
    assert any(" is labelled " in head for head in heads)
    places = panel.locator("li code").all_inner_texts()
    assert len(places) > 20
    assert all(re.fullmatch(r"(\w+ )?(asp|lp_rules)/[\w/-]+\.lp:\d+", place) for place in places)
    assert any(place.startswith("any_pair lp_rules/alignment/") for place in places)
    points = panel.locator("li .points").all_inner_texts()
    assert any(one.startswith("+") for one in points)
    assert any(one.startswith("−") for one in points)
    # Another link takes its place.
    view.locator('[data-line="1"][role=button] rect').click()
    assert panel.locator("h3").first.inner_text() == '"killed" is aligned with "killed"'
    assert link.get_attribute("aria-expanded") == "false"


def test_labels_narrow_the_pairs(view):
    assert shown(view) == ["Pair one", "Pair two", "Pair three"]
    assert faded(view) == 0
    view.uncheck("input[value=OPPO]")
    assert shown(view) == ["Pair one", "Pair three"]
    view.uncheck("input[value=REL]")
    assert shown(view) == ["Pair one", "Pair three"]
    assert faded(view) == 1
    view.uncheck("input[value=SPE1]")
    assert shown(view) == ["Pair one"]
    assert view.inner_text("#count") == "1 of 3 pairs, 3 lines"
    reset(view)
    assert shown(view) == ["Pair one", "Pair two", "Pair three"]


def test_scores_narrow_the_pairs(view):
    view.fill("#low", "4.5")
    assert shown(view) == ["Pair one"]
    assert faded(view) == 2
    view.fill("#low", "0")
    view.fill("#high", "1.5")
    assert shown(view) == ["Pair three"]
    view.fill("#high", "4")
    assert shown(view) == ["Pair one", "Pair two", "Pair three"]


def test_words_narrow_the_pairs(view):
    view.fill("#search", "oppos")
    assert shown(view) == ["Pair two"]
    view.fill("#search", "alike Z")
    assert shown(view) == ["Pair three"]
    view.fill("#search", "nowhere")
    assert shown(view) == []
    assert view.inner_text("#count") == "0 of 3 pairs, 0 lines"


def test_disagreement_with_gold_narrows_the_pairs(view):
    for chosen, pairs in {
        "differs": ["Pair one", "Pair three"],
        "label": ["Pair one"],
        "alignment": ["Pair three"],
        "score": [],
        "same": ["Pair one", "Pair two", "Pair three"],
        "": ["Pair one", "Pair two", "Pair three"],
    }.items():
        view.select_option("#gold", chosen)
        assert shown(view) == pairs
    assert view.locator("#pair-1 .agrees").inner_text() == "As in gold."
    differs = view.locator("#pair-0 details.gold")
    assert differs.locator("svg").is_hidden()
    differs.locator("summary").click()
    assert differs.locator("svg").is_visible()
    assert f'"{EVIL}" SIMI 2 "y": other label in gold' in differs.inner_text()


def test_a_cell_of_the_table_of_labels_opens_its_pairs(view):
    table = view.locator("#confusion table")
    assert table.is_hidden()
    view.click("#confusion summary")
    assert table.is_visible()
    cell = table.locator('[data-gold="SPE1"][data-ours="SIMI"]')
    assert cell.inner_text() == "1"
    cell.click()
    assert cell.get_attribute("aria-pressed") == "true"
    assert shown(view) == ["Pair one"]
    assert faded(view) == 2
    table.locator('[data-gold="OPPO"][data-ours="OPPO"]').click()
    assert shown(view) == ["Pair two"]
    assert cell.get_attribute("aria-pressed") == "false"
    table.locator('[data-gold="NOALI"][data-ours="none"]').click()
    assert shown(view) == ["Pair three"]
    reset(view)
    assert shown(view) == ["Pair one", "Pair two", "Pair three"]
    assert table.locator("[aria-pressed=true]").count() == 0


def test_a_wide_picture_scrolls_in_its_own_box(open_page, answer):
    words = " ".join(f"word{number}" for number in range(40))
    view = open_page(Entry(answer(words, "x", ([1], [1], "REL", 1.0)), "", {}))
    view.set_viewport_size({"width": 420, "height": 700})
    root = view.locator("html")
    assert root.evaluate("root => root.scrollWidth <= root.clientWidth")
    assert view.locator(".scroll").evaluate("box => box.scrollWidth > box.clientWidth")
