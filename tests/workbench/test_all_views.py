"""Each view with content: on a phone and on a wide screen, light and dark, as axe sees it."""

from pathlib import Path

import pytest

from tests.workbench.filled import VIEWS, filled

pytestmark = pytest.mark.browser

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
RUN = """async () => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
  const found = await axe.run(document, { runOnly: tags, resultTypes: ["violations"] });
  return found.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html}`));
}"""
# What is cut off at the right edge of the window, unless it can be scrolled to.
CUT_OFF = """() => [...document.querySelectorAll("main *, header *, #api *")].filter((node) => {
  const { right, width } = node.getBoundingClientRect();
  if (!width || right <= innerWidth + 1 || node.closest(".quiet,.cm-editor")) return false;
  for (let up = node.parentElement; up; up = up.parentElement) {
    if (up !== document.body && getComputedStyle(up).overflowX !== "visible") return false;
  }
  return true;
}).map((node) => node.outerHTML.slice(0, 200))"""
# Texts of controls that are longer than their boxes.
NARROW = """() => [...document.querySelectorAll("main :is(button, select, input)")].filter((node) =>
  node.checkVisibility() && node.scrollWidth > node.clientWidth + 1)
  .map((node) => node.outerHTML)"""


def resized(view, width, scheme="light"):
    view.set_viewport_size({"width": width, "height": 844})
    view.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    # Scripts hear of it in the next frame.
    view.evaluate("() => new Promise((go) => requestAnimationFrame(() => setTimeout(go, 50)))")


def brightness(page):
    """The largest of red, green and blue behind the page."""
    return page.evaluate("""() => [document.documentElement, document.body]
        .map((node) => getComputedStyle(node).backgroundColor.match(/[\\d.]+/g).map(Number))
        .filter(([, , , alpha = 1]) => alpha)
        .map((parts) => Math.max(...parts.slice(0, 3))).pop() ?? 255""")


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_fits_is_dark_where_that_is_wanted_and_axe_finds_nothing(let_in, served, name):
    with let_in(served, bypass_csp=True) as page, filled(page, name, served.folder) as view:
        view.evaluate(AXE.read_text("utf-8"))
        for width, scheme in ((390, "light"), (900, "light"), (390, "dark"), (1400, "dark")):
            resized(view, width, scheme)
            assert view.evaluate("document.documentElement.scrollWidth") <= width
            assert view.evaluate(CUT_OFF) == []
            assert view.evaluate(NARROW) == []
            assert view.evaluate(RUN) == []
            assert (brightness(view) < 60) if scheme == "dark" else (brightness(view) > 240)
