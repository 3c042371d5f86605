"""A server that is stopped and started again on its folder, then with --read-only."""

import json
import signal
from urllib.parse import urlsplit

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]

RULE = '%@rule mine: "it is a dog"\nalike(I,J,mine,90) :- word(1,I,"dog"), word(2,J,"cat").\n'
PAIR = {"sent1": "A dog sleeps.", "sent2": "A cat sleeps."}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder whose own name is hostile."""
    return tmp_path_factory.mktemp("restart") / '"><img src=x onerror=alert(1)>\u202e'


def test_nothing_is_lost_when_the_server_is_stopped(serving, let_in, folder, expect):
    with serving(folder) as server, let_in(server) as page:
        port = urlsplit(server.address).port
        page.goto("/rules")
        assert folder.name in page.inner_text("header")
        page.fill("#new-name", "mine.lp")
        page.click("#new button")
        page.click(".cm-content")
        page.keyboard.insert_text(RULE)
        page.keyboard.press("Control+s")
        expect(page.locator("#message")).to_have_text("mine.lp is saved.")
        page.goto("/words")
        row = page.locator("[data-table='words.tsv'] .new input")
        row.first.fill("tea")
        row.last.fill("cuppa")
        row.last.press("Enter")
        page.locator("[data-place='words.tsv:2']").wait_for()
        page.goto("/correct?corpus=images&pair=1")
        page.locator("#picture svg").wait_for()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("r")
        expect(page.locator("#count")).to_have_text("1 of 10 corrected")
        page.goto("/rules?file=mine.lp")
        page.click(".cm-content")
        page.keyboard.press("Control+End")
        page.keyboard.insert_text("% not saved\n")
        states = page.request.get("/project/effects").json()["states"]
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) in (0, -signal.SIGTERM, 143)
        # The page says so, and what is typed stays; what was asked then ends.
        page.expected += [400, 403, "ERR_CONNECTION_REFUSED"]
        page.keyboard.press("Control+s")
        expect(page.locator("#message")).to_contain_text("Is ists-asp serve still running?")
        with serving(folder, "--port", port) as again:
            page.keyboard.press("Control+s")
            expect(page.locator("#message")).to_contain_text("Open the address that ists-asp serve")
            expect(page.locator(".cm-content")).to_contain_text("% not saved")
            with let_in(again) as other:
                now = other.request.get("/project/effects").json()["states"]
                assert [one["number"] for one in now] == [1, 2, 3]
                assert now == states
                other.goto("/rules?file=mine.lp")
                expect(other.locator(".cm-content")).to_contain_text("it is a dog")
                other.goto("/words")
                expect(other.locator("[data-place='words.tsv:2']")).to_be_visible()
                other.goto("/correct?corpus=images&pair=1")
                expect(other.locator("#count")).to_have_text("1 of 10 corrected")
                # In the first tab the cookie is right again: what was typed can be saved.
                page.context.add_cookies(other.context.cookies())
                page.keyboard.press("Control+s")
                expect(page.locator("#message")).to_have_text("mine.lp is saved.")
    assert (folder / "rules" / "mine.lp").read_text("utf-8") == RULE + "% not saved\n"


@pytest.fixture(scope="module")
def guest(serving, let_in, folder):
    with serving(folder, "--read-only") as server, let_in(server) as page:
        yield page


def everything(folder):
    return {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".history" not in path.parts
    }


@pytest.mark.parametrize("view", ["try", "words", "rules", "effects", "correct", "learn", "report"])
def test_who_may_only_read_finds_nothing_to_change(guest, folder, expect, view):
    before = everything(folder)
    guest.goto(f"/{view}")
    expect(guest.locator("header")).to_contain_text("read only")
    wanted = {
        "try": "main textarea",
        "words": "[data-place='words.tsv:2']",
        "rules": ".cm-content",
        "effects": "#states tbody tr",
        "correct": "#picture svg",
        "learn": "#corpora label",
        "report": "#corpus",
    }
    expect(guest.locator(wanted[view]).first).to_be_visible()
    changing = guest.locator(
        "#tables :is(.new, button:text-is('Delete')), #new, #save, #delete, #take,"
        " #states button:text-is('Go back to this'), #keys button, #accept, #undo, #start, #adopt"
    )
    for button in changing.all():
        assert button.is_hidden() or button.is_disabled(), button.inner_text()
    for key in ("Control+s", "Control+z", "e", "x", "Delete", "f", "Enter"):
        guest.keyboard.press(key)
    assert everything(folder) == before


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/project/rules/file", {"name": "x.lp", "text": "", "before": None}),
        ("DELETE", "/project/rules/file", {"name": "mine.lp", "before": "0"}),
        ("POST", "/project/words", {"name": "words.tsv", "before": "0", "line": 2}),
        ("POST", "/project/effects/go-to?number=1", {}),
        ("POST", "/project/corrections/images", {"id": "1", "do": "accept"}),
        ("POST", "/project/corrections/images/undo", {}),
        ("POST", "/project/learning", {"corpora": ["images"], "folds": 2}),
        ("POST", "/project/learning/adopt", {}),
    ],
)
def test_who_may_only_read_is_refused_in_one_line(guest, folder, method, path, body):
    before = everything(folder)
    answer = guest.request.fetch(path, method=method, data=body)
    assert (answer.status, list(answer.json())) == (403, ["error"]), answer.text()
    assert "nothing can be changed here" in answer.json()["error"]
    assert everything(folder) == before


def test_who_may_only_read_can_still_ask(guest):
    answer = guest.request.post("/api/solve", data=PAIR)
    assert answer.ok
    assert json.loads(answer.text())["alignments"]
