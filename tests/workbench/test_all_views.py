"""Each view with content, as axe sees it, and with text that is no friend."""

import csv
import shutil
from pathlib import Path

import pytest

from ists_asp.terminal import visible

pytestmark = pytest.mark.browser


FOLDER = Path(__file__).parent
AXE, LOOK = ((FOLDER / name).read_text("utf-8") for name in ("vendor/axe.min.js", "look.js"))
FAULTY = 'alike(I,J,told,9) :- word(1,I,"dog"), wrod(2,J,"cat").\nbroken(X) :- word(1,X,_)\n'
SCRIPT = "<script>alert(1)</script>"
IMAGE = '"><img src=x onerror=alert(2)>'
REVERSED = "\u202e\u2066gnp.exe"
LONG = "Donaudampfschifffahrt" * 9
HOSTILE = [SCRIPT, IMAGE, REVERSED, LONG]


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
    page.locator("[data-pair='1'] td").last.click()
    page.locator("#detail .causes a").first.wait_for()
    page.locator("#detail button", has_text="not OPPO").click()
    page.locator(".proposal h3").or_(page.get_by_text("it would make")).first.wait_for()


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


@pytest.fixture
def calm(page):
    """A page that must show no dialog, and get no node that the text asks for."""
    dialogs = []
    page.on("dialog", lambda one: (dialogs.append(one.message), one.dismiss()))
    yield page
    assert page.locator("img, main script, header script").count() == 0
    assert dialogs == []


@pytest.fixture
def corpus(served):
    """A table with hostile ids and sentences, and a name that is no better."""
    path = served.folder / "corpora" / f"<b>{IMAGE}.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(["id", "sentence1", "sentence2"])
        rows.writerows([f"{text}", f"A dog {text} sleeps.", f"A cat {text}."] for text in HOSTILE)
    yield path.name
    path.unlink()


def narrow(page):
    page.set_viewport_size({"width": 390, "height": 844})
    return page.evaluate("document.documentElement.scrollWidth") <= 390


def test_it_stays_text_where_it_is_tried(calm, expect):
    calm.goto("/try")
    for number, text in enumerate(HOSTILE):
        calm.fill("#sent1", f"A dog {text} sleeps in house{number}.")
        calm.fill("#sent2", f"{text} A cat sleeps.")
        expect(calm.locator("#picture")).to_contain_text(f"house{number}")
        expect(calm.locator("#words")).not_to_be_empty()
    expect(calm.locator("#answer")).not_to_have_class("busy")
    calm.locator("#picture .link rect").first.click()
    calm.locator("#why .sentence").first.wait_for()
    assert narrow(calm)


def test_it_stays_text_in_a_report_and_while_answers_are_corrected(corpus, correct, calm, expect):
    calm.goto("/report")
    calm.select_option("#corpus", corpus)
    calm.get_by_role("button", name="Show").click()
    calm.locator("article svg").first.wait_for()
    titles = [one.removeprefix("Pair ") for one in calm.locator("article h2").all_text_contents()]
    # What changes the direction of reading is shown, not obeyed.
    assert titles == list(map(visible, HOSTILE))
    calm.locator("article [role=button]").first.click()
    expect(calm.locator("article .lead").first).to_be_visible()
    calm.fill("[name=q]", "gnp")
    expect(calm.locator("article")).to_have_count(1)
    calm.fill("[name=q]", "")
    assert narrow(calm)
    calm.locator("h2 a").nth(1).click()
    expect(calm.locator("article").nth(1)).to_be_focused()
    calm.goto("/correct")
    calm.select_option("#corpus", corpus)
    for text in HOSTILE:
        expect(calm.locator("#place")).to_contain_text(text)
        # Marks of direction are no part of a sentence that a table has.
        expect(calm.locator("#sentences")).to_contain_text(text.lstrip("\u202e\u2066"))
        calm.keyboard.press("ArrowRight")
        calm.keyboard.press("Enter")
    expect(calm.locator("#count")).to_have_text("4 of 4 corrected")
    expect(calm.locator("#message")).to_have_text("That was the last pair.")
    assert narrow(calm)


def test_it_stays_text_where_words_and_rules_are_looked_up(corpus, written, calm, expect):
    sentence = (SCRIPT + IMAGE + REVERSED).replace('"', "'")
    rule = 'alike(I,J,hostile_words,90) :- word(1,I,"dog"), word(2,J,"cat").'
    written("rules/hostile.lp", f'%@rule hostile_words: "{sentence}: {{I}}"\n{rule}\n')
    written("rules/terms.tsv", f"dog = cat # {IMAGE}\n{LONG[:50]} = x # {SCRIPT}\n")
    calm.goto("/words")
    calm.select_option("#corpus", corpus)
    calm.locator("[data-place='terms.tsv:1']", has_text="4").click()
    expect(calm.locator(".below")).to_contain_text(SCRIPT)
    expect(calm.locator("main")).to_contain_text(f"# {IMAGE}")
    assert narrow(calm)
    calm.goto("/rules?file=hostile.lp&line=2")
    calm.select_option("#corpus", corpus)
    expect(calm.locator("#rule")).to_have_value("hostile_words")
    calm.click("#look")
    expect(calm.locator("#verdict")).to_contain_text("hostile_words: fired")
    expect(calm.locator("#fired")).to_contain_text(SCRIPT)
    assert narrow(calm)
    calm.goto("/try?1=A+dog+sleeps.&2=A+cat+sleeps.")
    calm.locator("#picture .link rect").first.click()
    calm.locator("#why .sentence").first.wait_for()
    assert narrow(calm)


def test_tables_and_corpora_with_odd_names_are_shown(served, written, calm, expect):
    tables = ["<img src=x onerror=alert(3)>.tsv", f"{LONG[:200]}.tsv", "naïve words.tsv"]
    for name in tables:
        written(f"rules/{name}", "storm <> calm\n")
    corpora = [served.folder / "corpora" / name for name in (LONG[:200], "a  b")]
    for folder in corpora:
        shutil.copytree(served.folder / "corpora" / "images", folder)
    try:
        for name in tables:
            calm.goto("/rules")
            calm.locator("#own a", has_text=name).click()
            expect(calm.locator("#name")).to_have_text(name)
            expect(calm.locator(".cm-content")).to_have_text("storm <> calm")
        for view in ("report", "words", "rules", "learn", "effects"):
            assert calm.goto(f"/{view}").status == 200
            assert narrow(calm), view
            if view == "words":
                for name in (*tables, "words.tsv"):
                    expect(calm.locator(f'[data-table="{name}"]')).to_be_visible()
        calm.goto("/correct")
        for folder in corpora:
            calm.select_option("#corpus", folder.name)
            expect(calm.locator("#export")).to_have_attribute("download", f"{folder.name}.wa")
            expect(calm.locator("#answer.busy")).to_have_count(0)
            expect(calm.locator("#place")).to_contain_text("1 of 10")
            assert narrow(calm)
    finally:
        # The page may be asking for what is gone now.
        calm.expected.append(400)
        for folder in corpora:
            shutil.rmtree(folder)
