"""The page in Chromium, where playwright and a Chromium are installed."""

import shutil

import pytest

from ists_asp.report import Entry, Evidence, Fired, compare, page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser():
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no Chromium is installed: apt-get install chromium")
    sync = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    with sync.sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        yield started
        started.close()


@pytest.fixture
def view(browser, tmp_path, answer, gold):
    """A page of two pairs; what goes wrong in the browser fails the test."""
    evil = "<script>alert(1)</script>"
    first = answer(
        f"a {evil}", "a y", ([1], [1], "EQUI", 5.0), ([2], [2], "SIMI", 2.0), identifier="one"
    )
    second = answer("b", "z", ([1], [1], "OPPO", 4.0), identifier="two")
    fired = tuple(Fired(f"rule_{n}", f"says {evil} {n}", "x.lp", n, 50 - n) for n in range(12))
    found = {((1,), (1,)): (Evidence("aligned", (), fired, 4, 9),)}
    right = gold(([1], [1], "EQUI", 5.0), ([2], [2], "SPE1", 2.0))
    entries = [
        Entry(first, evil, found, compare(first, right)),
        Entry(second, "opposed", {}, compare(second, second.alignments)),
    ]
    file = tmp_path / "r.html"
    file.write_text(page(entries, "Report"), encoding="utf-8")
    opened = browser.new_context(offline=True).new_page()
    faults = []
    opened.on("pageerror", lambda fault: faults.append(str(fault)))
    opened.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
    opened.on("console", lambda text: faults.append(text.text) if text.type == "error" else None)
    opened.goto(file.as_uri())
    yield opened
    assert faults == []
    opened.context.close()


def shown(view):
    return [head.inner_text() for head in view.query_selector_all("article:not([hidden]) h2")]


def test_links_open_by_mouse_and_keyboard(view):
    panel = view.locator("#pair-0 .rules")
    link = view.locator('#pair-0 [data-line="0"][role=button]')
    link.locator("rect").click()
    assert panel.locator("li").count() == 12
    assert "says <script>alert(1)</script> 0 rule_0 x.lp:0" in panel.inner_text()
    assert "4 more, +9 together" in panel.inner_text()
    link.focus()
    view.keyboard.press("Enter")
    assert panel.is_hidden()


def test_filters_narrow_the_pairs(view):
    assert shown(view) == ["Pair one", "Pair two"]
    view.uncheck("input[value=OPPO]")
    assert shown(view) == ["Pair one"]
    view.click("button[type=reset]")
    view.fill("#search", "oppos")
    assert shown(view) == ["Pair two"]
    view.click("button[type=reset]")
    view.fill("#low", "4.5")
    assert shown(view) == ["Pair one"]
    view.click("button[type=reset]")
    view.select_option("#gold", "label")
    assert shown(view) == ["Pair one"]
    view.click("button[type=reset]")
    view.click("#confusion summary")
    view.click('[data-gold="OPPO"]')
    assert shown(view) == ["Pair two"]
    assert "1 of 2 pairs" in view.inner_text("#count")
