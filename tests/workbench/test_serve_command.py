"""The command: how it ends and begins again, read-only, and with a crowd before its door."""

import json
import shutil
import signal
import socket
import subprocess
import threading
import time
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from http.client import HTTPConnection
from pathlib import Path

import pytest

from ists_asp.resources import docs_dir
from ists_asp.workbench.app import CONNECTIONS, IDLE
from tests.fuzz.exchanges import PATIENCE, request, tried
from tests.fuzz.folders import snapshot
from tests.serving import opened, serving, start_server
from tests.sharing import cases
from tests.workbench.conftest import settle

pytestmark = pytest.mark.slow


start = partial(start_server, stderr=subprocess.PIPE, errors="replace")
RULE = '%@rule mine: "it is a dog"\nalike(I,J,mine,90) :- word(1,I,"dog"), word(2,J,"cat").\n'
PAIR = {"sent1": "a dog sleeps", "sent2": "a cat sleeps"}
# Grounding this has no end.
ENDLESS = "own(0).\nown(N+1) :- own(N).\n"


def test_what_cannot_be_served_is_told_in_a_line(tmp_path, served):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        cases = [
            (tmp_path / "a", ("--port", number), f"port {number} is taken"),
            (served.folder, (), "another server is at work"),
            (tmp_path / "b", ("--profile", "\x1b]0;x\x07"), "\\u001b"),
        ]
        running = [start(folder, *arguments) for folder, arguments, _ in cases]
        for (_, _, words), process in zip(cases, running, strict=True):
            output, errors = process.communicate(timeout=90)
            assert (process.returncode, output, errors.count("\n")) == (2, "", 1), errors
            assert words in errors
    assert not (tmp_path / "b").exists()


def test_it_ends_when_it_is_told_to_and_leaves_no_process(tmp_path):
    """Whoever waits for a worker then hears of it, and no trace of Python is printed."""
    pair = {"sent1": "a dog", "sent2": "a cat", "decision": ["rating"]}
    draft = {"name": "a.lp", "text": "p(1..30000). q(X,Y) :- p(X), p(Y)."}
    rows = (f"{n} dogs run after a cat\t{n} cats run from a dog\n" for n in range(500))
    (tmp_path / "p" / "corpora").mkdir(parents=True)
    (tmp_path / "p" / "corpora" / "many.tsv").write_text("".join(rows), "utf-8")
    for number, path, body in (
        (signal.SIGINT, "/api/why", pair),
        (signal.SIGTERM, "/project/rules/check", draft),
        (signal.SIGTERM, "/project/report/decide?corpus=many.tsv", None),
    ):
        with start(tmp_path / "p", "--quiet") as process:
            server = opened(tmp_path / "p", process)
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            assert children
            headers = {
                "authorization": f"Bearer {server.token}",
                "content-type": "application/json",
            }
            with closing(HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
                connection.request("POST" if body else "GET", path, json.dumps(body), headers)
                time.sleep(0.5)
                process.send_signal(number)
                response = connection.getresponse()
                told = json.loads(response.read().split(b"\n")[-2:][0])["error"]
            assert (response.status, told[:20]) == (503 if body else 200, "the server is ending")
            assert process.communicate(timeout=60)[1] == ""
        for _ in range(100):
            left = [child for child in children if Path("/proc", child).exists()]
            time.sleep(0.1 if left else 0)
        assert left == []


def test_shared_work_begins_a_new_project(tmp_path):
    work = {"profile": "images", "project": "headlines", "sent1": "a dog", "sent2": "a cat & more"}
    file = tmp_path / "work.json"
    good = {"a.lp": "dogs(1)."}

    def refused(rules, words):
        file.write_text(json.dumps({**work, "rules": rules}))
        with start(tmp_path / "p", "--open", file) as process:
            output, errors = process.communicate(timeout=90)
        assert (process.returncode > 0, output, errors.count("\n")) == (True, "", 1), errors
        assert words in errors

    refused({"../a.lp": ""}, "is not a name for a rule file")
    refused([], "Expected `object`, got `array` - at `$.rules`")
    file.write_text(json.dumps({**work, "rules": good}))
    with serving(tmp_path / "p", "--open", file) as server:
        assert server.asked("/project/rules/texts")["a.lp"] == "dogs(1)."
        refused(good, "this is a project already")


def test_a_folder_keeps_its_port_and_its_token(tmp_path):
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    addresses = []
    for arguments in ((), (), ("--new-token",), ("--read-only",), ("--port", 0)):
        with serving(tmp_path / "p", *arguments, **state) as server:
            addresses.append((server.port, server.token))
            assert server.send("/try")[0] == 200
    first, again, renewed, reading, elsewhere = addresses
    assert (first, renewed) == (again, reading)
    assert renewed[0] == first[0] != elsewhere[0]
    assert renewed[1] == elsewhere[1] != first[1]
    (kept,) = (tmp_path / "state").rglob("serve/*")
    assert (kept.read_text(), kept.stat().st_mode & 0o777) == (renewed[1], 0o600)
    assert not [
        path
        for path in (tmp_path / "p").rglob("*")
        if path.is_file() and renewed[1].encode() in path.read_bytes()
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder whose own name is hostile, with a rule, a word and a correction."""
    folder = tmp_path_factory.mktemp("restart") / '"><img src=x onerror=alert(1)>\u202e'
    with serving(folder, "--profile", "headlines") as server:
        file = {"name": "mine.lp", "text": RULE, "before": None}
        server.asked("/project/rules/file", file, "PUT")
        (words,) = server.asked("/project/words")["tables"]
        entry = {"left": "tea", "right": "cuppa", "before": words["digest"]}
        server.asked("/project/words", {"name": words["name"], **entry})
        server.asked("/project/corrections/images", {"id": "1", "do": "accept"})
        states = server.asked("/project/effects")["states"]
    assert [state["number"] for state in states] == [1, 2, 3]
    (folder.parent / "states.json").write_text(json.dumps(states))
    return folder


@pytest.mark.browser
def test_nothing_is_lost_when_the_server_is_stopped(let_in, folder, expect):
    with serving(folder) as server, let_in(server) as page:
        assert server.asked("/project/effects")["states"] == json.loads(
            (folder.parent / "states.json").read_text()
        )
        assert server.asked("/project/corrections/images")["mended"] == ["1"]
        page.goto("/words")
        assert folder.name in page.inner_text("header")
        expect(page.locator("[data-place='words.tsv:2']")).to_be_visible()
        page.goto("/rules?file=mine.lp")
        page.click(".cm-content")
        page.keyboard.press("Control+End")
        page.keyboard.insert_text("% not saved\n")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) in (0, -signal.SIGTERM, 143)
        # The page says so, and what is typed stays; what was asked then ends.
        page.expected += [400, 403, "ERR_CONNECTION_REFUSED"]
        page.keyboard.press("Control+s")
        expect(page.locator("#message")).to_contain_text("Is ists-asp serve still running?")
        with serving(folder, "--port", server.port, "--new-token") as again:
            page.keyboard.press("Control+s")
            expect(page.locator("#message")).to_contain_text("Open the address that ists-asp serve")
            expect(page.locator(".cm-content")).to_contain_text("% not saved")
            # When the cookie is right again, what was typed can be saved.
            page.request.get(f"{again.address}/static/icon.svg?token={again.token}")
            page.keyboard.press("Control+s")
            expect(page.locator("#message")).to_have_text("mine.lp is saved.")
    assert (folder / "rules" / "mine.lp").read_text("utf-8") == RULE + "% not saved\n"


@pytest.fixture(scope="module")
def guest(folder):
    with serving(folder, "--read-only") as server:
        yield server


@pytest.mark.browser
def test_who_may_only_read_finds_nothing_to_change(guest, let_in, folder, expect):
    before = snapshot(folder)
    with let_in(guest) as page:
        for view, wanted in {
            "try": "main textarea",
            "words": "[data-place='words.tsv:2']",
            "rules": ".cm-content",
            "effects": "#states tbody tr",
            "correct": "#picture svg",
            "learn": "#corpora label",
            "report": "#corpus",
            "feedback": "#file",
        }.items():
            page.goto(f"/{view}")
            expect(page.locator("header")).to_contain_text("read only")
            expect(page.locator(wanted).first).to_be_visible()
            changing = page.locator(
                "#tables :is(.new, button:text-is('Delete')), #new, #save, #delete, #take, #adopt,"
                " #states button:text-is('Go back to this'), #keys button, #accept, #undo,"
                " button#start"
            )
            for button in changing.all():
                assert button.is_hidden() or button.is_disabled(), button.inner_text()
            for key in ("Control+s", "Control+z", "e", "x", "Delete", "f", "Enter"):
                page.keyboard.press(key)
    assert snapshot(folder) == before


@cases(
    "method | path | body",
    ("PUT", "/project/rules/file", {"name": "x.lp", "text": "", "before": None}),
    ("DELETE", "/project/rules/file", {"name": "mine.lp", "before": "0"}),
    ("POST", "/project/words", {"name": "words.tsv", "before": "0", "line": 2}),
    ("POST", "/project/effects/go-to?number=1", {}),
    ("POST", "/project/corrections/images", {"id": "1", "do": "accept"}),
    ("POST", "/project/corrections/images/undo", {}),
    ("POST", "/project/learning", {"corpora": ["images"], "folds": 2}),
    ("POST", "/project/learning/adopt", {}),
    (
        *("PUT", "/project/feedback/marks"),
        {"answer": "a", "references": ["b"], "verdict": "correct"},
    ),
)
def test_who_may_only_read_is_refused_in_one_line_and_can_still_ask(
    guest, folder, method, path, body
):
    before = snapshot(folder)
    status, answered = guest.ask(path, body, method)
    assert (status, list(answered)) == (403, ["error"])
    assert "nothing can be changed here" in answered["error"]
    assert snapshot(folder) == before
    assert guest.asked("/api/solve", {"sent1": "A dog.", "sent2": "A cat."})["alignments"]


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    with telling(tmp_path_factory.mktemp("crowd")) as server:
        server.asked("/api/solve", PAIR)
        yield server


@contextmanager
def telling(root):
    """A server of its own, whose standard error must be lines of ours when it has ended."""
    errors = root / "errors.txt"
    with errors.open("w") as stream, serving(root / "project", stderr=stream) as server:
        yield server
    lines = errors.read_text("utf-8").splitlines()
    assert all(line.startswith("error: ") for line in lines), lines


def connect(stack, server):
    return stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=60))


def page_seconds(server):
    began = time.monotonic()
    assert server.send("/try")[0] == 200
    return time.monotonic() - began


def test_pages_answer_beside_idle_connections_questions_and_rules_without_an_end(crowded):
    rules = crowded.folder / "rules" / "endless.lp"
    with ExitStack() as stack:
        idle = [connect(stack, crowded) for _ in range(300)]
        rules.write_text(ENDLESS, "utf-8")
        statuses = list[int]()

        def ask(number):
            body = {"sent1": f"a dog sleeps in house {number}", "sent2": "a cat sleeps"}
            statuses.append(crowded.send("/api/solve", body)[0])

        askers = [threading.Thread(target=ask, args=(number,)) for number in range(50)]
        for asker in askers:
            asker.start()
        assert max(page_seconds(crowded) for _ in range(10)) < PATIENCE
        rules.unlink()
        for asker in askers:
            asker.join(120)
        assert len(statuses) == 50
        assert set(statuses) <= {200, 400}
        assert statuses.count(200) > 0
        assert len(idle) > CONNECTIONS


def test_a_connection_that_sends_no_request_is_closed(crowded):
    head = request(crowded, "/try")
    with ExitStack() as stack:
        silent, cut, served = (connect(stack, crowded) for _ in range(3))
        cut.sendall(head[:40])
        served.sendall(head)
        assert served.recv(100).startswith(b"HTTP/1.1 200")
        began = time.monotonic()
        for connection in (silent, cut):
            try:
                assert connection.recv(1) == b""
            except ConnectionResetError:
                continue
        assert time.monotonic() - began < IDLE + 3


def test_rules_that_cannot_be_loaded_are_loaded_once(crowded):
    rules = crowded.folder / "rules" / "wrong.lp"
    rules.write_text("aligned(1, 1) :- no such thing\n", "utf-8")
    crowded.asked("/project/rules")
    body = {**PAIR, "profile": "images"}
    first = crowded.ask("/api/solve", body)
    began = time.monotonic()
    assert {crowded.ask("/api/solve", body)[0] for _ in range(20)} == {first[0]} == {400}
    assert time.monotonic() - began < PATIENCE
    assert "wrong.lp" in first[1]["error"]
    rules.unlink()
    settle(crowded)
    crowded.asked("/api/solve", body)


def test_the_first_entry_of_the_tutorial_does_what_it_says(crowded):
    tutorial = (docs_dir() / "tutorials" / "workbench.md").read_text("utf-8")
    pair = {"sent1": "The power is off.", "sent2": "The electricity is off."}

    def is_told():
        told = crowded.asked("/api/explain", pair)["text"].split(". ")[-1]
        rating = crowded.asked("/api/rate", pair)["rating"]["value"]
        assert told.rstrip(".") in tutorial
        assert f"rating is {rating:.1f}." in tutorial
        return told

    before = is_told()
    (words,) = crowded.asked("/project/words")["tables"]
    entry = {"name": words["name"], "before": words["digest"], "left": "power"}
    crowded.asked("/project/words", {**entry, "right": "electricity"})
    settle(crowded)
    assert is_told() != before
    crowded.asked("/project/rules/undo", {})
    settle(crowded)


def test_hostile_exchanges_cost_nobody_a_page(crowded):
    faults = [tried(crowded, number) for number in range(36)]
    assert [fault for fault in faults if fault] == []


def test_a_pair_does_not_wait_until_a_corpus_is_annotated(crowded):
    rows = "".join(f"the dog {number} sleeps,a cat {number} runs\n" for number in range(3000))
    (crowded.folder / "corpora" / "long.csv").write_text(f"sentence1,sentence2\n{rows}", "utf-8")

    def progress():
        return crowded.asked("/project/effects/progress")["under_way"] or {}

    while progress().get("corpus") != "long.csv":
        time.sleep(0.05)
    crowded.asked("/api/solve", {"sent1": "a dog sleeps again", "sent2": "a cat"})
    # Nothing of it is decided yet.
    assert progress()["pairs"] == 0


def test_what_fails_is_a_line_of_json_and_one_of_the_log(tmp_path):
    with telling(tmp_path) as server:
        shutil.rmtree(server.folder)
        status, answer = server.ask("/project/effects")
    assert (status, list(answer)) == (400, ["error"])
