"""Each view with content: on a phone and on a wide screen, light and dark, as axe sees it."""

from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

FOLDER = Path(__file__).parent
AXE, LOOK = ((FOLDER / name).read_text("utf-8") for name in ("vendor/axe.min.js", "look.js"))
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
    page.locator("#detail button", has_text="not OPPO").click()
    page.locator(".proposal h3").first.wait_for()


def fill_correct(page, _written):
    page.goto("/correct?corpus=images&pair=1")
    page.locator("#picture svg").wait_for()
    for key in (*["ArrowRight"] * 3, "s"):
        page.keyboard.press(key)
    page.locator("#count", has_text="1 of 10").wait_for()
    page.keyboard.press("w")
    page.locator(".proposal", has_text="of 10 pairs of images change").first.wait_for()


def fill_learn(page, _written):
    page.goto("/learn")
    page.locator("#corpora label").first.wait_for()


def fill_report(page, _written):
    page.goto("/report?corpus=headlines")
    page.locator("article svg").first.wait_for()
    page.locator("#pair-1 [data-line='0'][role=button]").first.click()
    page.locator("#pair-1 .lead").wait_for()


def fill_start(page, _written):
    page.goto("/try")
    assert page.locator(".cards a").count() == 6
    page.locator(".cards a", has_text="Answers").click()
    page.click("#pasted button")
    page.click("#start")
    page.locator("#export").wait_for()
    assert "2 contradictory" in page.inner_text("#total")
    page.goto("/try")
    assert page.locator(".legend div").count() == 8


def fill_help(page, _written):
    page.goto("/try")
    page.click("text=Help")
    for link in page.locator("main a").evaluate_all("all => all.map((one) => one.href)"):
        assert page.request.get(link).ok or not link.startswith(page.url.partition("/help")[0]), (
            link
        )
    page.click("text=Glossary")


def fill_docs(page, _written):
    page.goto("/docs")
    page.locator(".opblock-summary-control").first.click()
    page.locator(".opblock-body textarea[aria-label]").wait_for()
    assert page.inner_text("body").count("/api/") >= 6


FILLS = [
    *(fill_try, fill_words, fill_rules, fill_effects, fill_correct, fill_learn, fill_report),
    *(fill_start, fill_help, fill_docs),
]


@pytest.mark.parametrize("fill", FILLS, ids=lambda fill: fill.__name__[5:])
def test_a_view_fits_is_dark_where_that_is_wanted_and_axe_finds_nothing(
    let_in, served, written, correct, fill
):
    with let_in(served, bypass_csp=True) as view:
        fill(view, written)
        view.evaluate(f"{LOOK}.unfold()")
        view.evaluate(AXE)
        for width, scheme in ((390, "light"), (900, "light"), (390, "dark"), (1400, "dark")):
            view.set_viewport_size({"width": width, "height": 844})
            view.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            # Scripts hear of it in the next frame.
            view.evaluate("new Promise((go) => requestAnimationFrame(() => setTimeout(go, 50)))")
            assert view.evaluate("document.documentElement.scrollWidth") <= width
            for fault in ("cutOff", "narrow", "axe"):
                assert view.evaluate(f"{LOOK}.{fault}()") == []
            bright = view.evaluate(f"{LOOK}.brightness()")
            assert bright < 60 if scheme == "dark" else bright > 240
