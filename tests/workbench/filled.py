"""Each view with something in it: a picture, reasons, findings, a difference, an open pair."""

from contextlib import contextmanager

TRY = "/try?1=A+man+with+a+hat+plays+a+guitar.&2=A+woman+plays+an+old+guitar."
TERMS = "power = electricity # kept\nstorm <> calm\n"
FAULTY = 'alike(I,J,told,9) :- word(1,I,"dog"), wrod(2,J,"cat").\nbroken(X) :- word(1,X,_)\n'


@contextmanager
def _try(page, _folder):
    page.goto(TRY)
    page.wait_for_selector("#answer:not(.busy):not([hidden]) #words:not(:empty)")
    page.click("#picture .link rect >> nth=0")
    page.locator("#why .sentence").first.wait_for()
    yield


@contextmanager
def _words(page, folder):
    terms = folder / "rules" / "terms.tsv"
    terms.write_text(TERMS, "utf-8")
    try:
        page.settle()
        page.goto("/words")
        page.locator("[data-place='terms.tsv:1']", has_text="1").click()
        page.locator(".below").wait_for()
        yield
    finally:
        terms.unlink()


@contextmanager
def _rules(page, _folder):
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
    yield


@contextmanager
def _effects(page, folder):
    words = folder / "rules" / "words.tsv"
    was = words.read_text("utf-8")
    page.goto("/effects")
    page.locator("#measures td.number b").first.wait_for()
    words.write_text(was + "electricity <> power\n", "utf-8")
    try:
        page.locator("[data-pair='1'] button").click()
        page.locator("#detail .causes a").first.wait_for()
        yield
    finally:
        words.write_text(was, "utf-8")


@contextmanager
def _correct(page, _folder):
    page.goto("/correct?corpus=images&pair=1")
    page.locator("#picture svg").wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("r")
    page.locator("#count", has_text="1 of 10").wait_for()
    yield
    page.keyboard.press("Control+z")
    page.locator("#count", has_text="0 of 10").wait_for()


@contextmanager
def _learn(page, _folder):
    page.goto("/learn")
    page.locator("#corpora label").first.wait_for()
    yield


@contextmanager
def _report(page, _folder):
    page.goto("/report?corpus=headlines")
    page.locator("article svg").first.wait_for()
    page.locator("#pair-1 [data-line='0'][role=button]").first.click()
    page.locator("#pair-1 .lead").wait_for()
    yield


@contextmanager
def _docs(page, _folder):
    page.goto("/docs")
    page.locator(".opblock-summary-control").first.click()
    page.locator(".opblock-body textarea[aria-label]").wait_for()
    yield


VIEWS = {
    "try": _try,
    "words": _words,
    "rules": _rules,
    "effects": _effects,
    "correct": _correct,
    "learn": _learn,
    "report": _report,
    "docs": _docs,
}


@contextmanager
def filled(page, view, folder):
    """Show a view with all that folds open; the project is as before afterwards."""
    with VIEWS[view](page, folder):
        # In Rules that would be all shipped files.
        page.evaluate("""() => document.querySelectorAll("main details").forEach((one) => {
          one.open ||= !one.closest(".files");
        })""")
        yield page
