"""Many at once, slow or hostile: pages answer all the time, and the log has a line for a fault."""

import shutil
import socket
import threading
import time
from contextlib import ExitStack, contextmanager

import pytest

from ists_asp.workbench.app import CONNECTIONS, IDLE
from tests.fuzz.exchanges import PATIENCE, request, tried
from tests.serving import serving
from tests.workbench.conftest import settle

pytestmark = pytest.mark.slow

PAIR = {"sent1": "a dog sleeps", "sent2": "a cat sleeps"}
# Grounding this has no end.
ENDLESS = "own(0).\nown(N+1) :- own(N).\n"


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    with telling(tmp_path_factory.mktemp("crowd")) as server:
        server.asked("/api/solve", PAIR)
        yield server


@contextmanager
def telling(folder):
    """A server of its own, whose standard error must be lines of ours when it has ended."""
    errors = folder / "errors.txt"
    with errors.open("w") as stream, serving(folder / "project", stderr=stream) as server:
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
