"""Each view with content: on a phone and on a wide screen, light and dark, as axe sees it."""

from pathlib import Path

import pytest

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
# The largest of red, green and blue behind the page.
BRIGHTNESS = """() => [document.documentElement, document.body]
  .map((node) => getComputedStyle(node).backgroundColor.match(/[\\d.]+/g).map(Number))
  .filter(([, , , alpha = 1]) => alpha)
  .map((parts) => Math.max(...parts.slice(0, 3))).pop() ?? 255"""
# All that folds, but for the shipped files in Rules.
UNFOLD = """() => document.querySelectorAll("main details").forEach((one) => {
  one.open ||= !one.closest(".files");
})"""
FAULTY = 'alike(I,J,told,9) :- word(1,I,"dog"), wrod(2,J,"cat").\nbroken(X) :- word(1,X,_)\n'


def fill_try(page, _written):
    page.goto("/try?1=A+man+with+a+hat+plays+a+guitar.&2=A+woman+plays+an+old+guitar.")
    page.wait_for_selector("#answer:not(.busy):not([hidden]) #words:not(:empty)")
    page.click("#picture .link rect >> nth=0")
    page.locator("#why .sentence").first.wait_for()


def fill_words(page, written):
    written("rules/terms.tsv", "power = electricity # kept\nstorm <> calm\n")
    page.goto("/words")
    page.locator("[data-place='terms.tsv:1']", has_text="1").click()
    page.locator(".below").wait_for()


def fill_rules(page, _written):
    page.goto("/rules")
    page.fill("#new-name", "notes/findings.lp")
    page.click("#new button")
    page.click(".cm-content")
    page.keyboard.insert_text(FAULTY)
    page.locator("#findings li").first.wait_for()
    page.locator(".cm-lint-marker").first.wait_for()
    page.fill("#rule", "same_by_table")
    page.click("#look")
    page.locator("#fired mark").first.wait_for()
    page.locator("#verdict:not(:empty)").wait_for()


def fill_effects(page, written):
    page.goto("/effects")
    page.locator("#measures td.number b").first.wait_for()
    written("rules/words.tsv", "electricity <> power\n")
    page.locator("[data-pair='1'] button").click()
    page.locator("#detail .causes a").first.wait_for()


def fill_correct(page, _written):
    page.goto("/correct?corpus=images&pair=1")
    page.locator("#picture svg").wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("r")
    page.locator("#count", has_text="1 of 10").wait_for()


def fill_learn(page, _written):
    page.goto("/learn")
    page.locator("#corpora label").first.wait_for()


def fill_report(page, _written):
    page.goto("/report?corpus=headlines")
    page.locator("article svg").first.wait_for()
    page.locator("#pair-1 [data-line='0'][role=button]").first.click()
    page.locator("#pair-1 .lead").wait_for()


def fill_docs(page, _written):
    page.goto("/docs")
    page.locator(".opblock-summary-control").first.click()
    page.locator(".opblock-body textarea[aria-label]").wait_for()
    assert page.inner_text("body").count("/api/") >= 6


FILLS = [
    *(fill_try, fill_words, fill_rules, fill_effects, fill_correct, fill_learn, fill_report),
    fill_docs,
]


@pytest.mark.parametrize("fill", FILLS, ids=lambda fill: fill.__name__[5:])
def test_a_view_fits_is_dark_where_that_is_wanted_and_axe_finds_nothing(
    let_in, served, written, correct, fill
):
    with let_in(served, bypass_csp=True) as view:
        fill(view, written)
        view.evaluate(UNFOLD)
        view.evaluate(AXE.read_text("utf-8"))
        for width, scheme in ((390, "light"), (900, "light"), (390, "dark"), (1400, "dark")):
            view.set_viewport_size({"width": width, "height": 844})
            view.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            # Scripts hear of it in the next frame.
            view.evaluate("new Promise((go) => requestAnimationFrame(() => setTimeout(go, 50)))")
            assert view.evaluate("document.documentElement.scrollWidth") <= width
            assert view.evaluate(CUT_OFF) == []
            assert view.evaluate(NARROW) == []
            assert view.evaluate(RUN) == []
            bright = view.evaluate(BRIGHTNESS)
            assert bright < 60 if scheme == "dark" else bright > 240
