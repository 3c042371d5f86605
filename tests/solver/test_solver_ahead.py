"""Grounding ahead: the same answers in processes that leave nothing behind, or none of theirs."""

import gc
import os
import signal
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from benchmarks.synthetic import make_pair
from ists_asp.engine import Setup
from ists_asp.run.pool import Worker
from ists_asp.run.worker import decide, explain, rate
from ists_asp.solver import Solver, SolverOptions, ahead
from tests.sharing import cases, shared_system
from tests.solver.conftest import item

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grounds ahead on Linux only")

RULES = """
#defined p/1. #defined table/1. #defined quiet/0.
table(X) :- fact(X). fact(3).
{ told(X,Y) : p(Y) } = 1 :- p(X), X = (1;2;3).
:- told(X,_), p((77;78)), X > 1.
#maximize { X*Y,X,Y : told(X,Y) }.
#show told/2.
#show told(quiet,0) : quiet.
"""


def listed():
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


@pytest.fixture
def children():
    """The processes that a test has begun: there may be others, as for resources."""
    gc.collect()
    before = {*listed()}

    def begun():
        return [number for number in listed() if number not in before]

    yield begun
    gc.collect()
    assert not begun()
    assert not ahead._waiting


@pytest.fixture
def make(rules_of, children):
    """A solver that reads what is shown, and whether it has been asked ahead."""

    def read(_subject, atoms, cost, best):
        return sorted(map(str, atoms)), cost, best

    def made(text=RULES, **options):
        return Solver(rules_of(rules=text), SolverOptions(**{"ahead": True, **options}), read)

    return made


def asked(solver, facts):
    """An answer, and whether the process that grounds ahead gave it."""
    solution = solver.solve(*item(1, facts))
    return solution.answers[0], solution.unique


def test_a_process_grounds_ahead_and_answers_as_without_it(make):
    solver = make()
    assert not asked(solver, "p(1)")[1]
    for facts in ("p(1),p(2),p(4)", "p(2),p(9),quiet", "quiet", "p(3)"):
        expected, _ = asked(make(ahead=False), facts)
        assert asked(solver, facts) == (expected, True)


@cases("""
facts            | why
p(1),-p(2)       | a negated fact
p(1),other(1)    | no rule has been heard of it
p(1),table(1)    | a table has more
""")
def test_facts_of_another_kind_are_decided_without_it(make, facts, why):
    solver = make()
    asked(solver, "p(1)")
    answer, ahead_of_it = asked(solver, facts)
    assert not ahead_of_it, why
    assert answer[0] == ["told(1,1)"]
    assert asked(solver, "p(1)")[1]


def test_answers_as_good_as_others_and_warnings_are_left_to_other_ways(make, children):
    solver = make(RULES.replace("X*Y", "X"))
    asked(solver, "p(1)")
    assert not asked(solver, "p(1),p(2)")[1]
    solver = make(RULES + "told(X,X) :- p(X), never(X).")
    gc.collect()
    asked(solver, "p(1)")
    assert solver.warnings
    assert not children()


def test_rules_that_differ_have_processes_of_their_own_and_these_end_with_them(make, children):
    solver, other = make(), make(RULES.replace("X*Y", "-X*Y"))
    for at in (solver, other):
        asked(at, "p(1)")
    assert asked(solver, "p(1),p(2)")[0][0] == ["told(1,2)", "told(2,2)"]
    assert asked(other, "p(1),p(2)")[0][0] == ["told(1,1)", "told(2,1)"]
    assert len(children()) == 2
    more = [make() for _ in range(3)]
    for at in more:
        asked(at, "p(1)")
    assert len(children()) == ahead._MOST
    del more, solver, at
    gc.collect()
    assert len(children()) == 1
    assert asked(other, "p(2)")[1]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_one_that_ends_or_hangs_is_done_without(make, children, monkeypatch, number):
    monkeypatch.setattr(ahead, "_PATIENCE", 0.3)
    solver = make()
    asked(solver, "p(1)")
    os.kill(int(children()[-1]), number)
    for _ in range(2):
        assert asked(solver, "p(1),p(2)") == ((["told(1,2)", "told(2,2)"], (-6,), True), False)
    assert not children()


def test_a_pair_that_takes_too_long_is_given_up_and_the_next_is_not(make, monkeypatch):
    solver = make(RULES + "deep(X+1) :- deep(X), X < 3000000. deep(0) :- p(7).")
    monkeypatch.setattr(ahead, "_LIMIT", 0.5)
    asked(solver, "p(1)")
    assert not asked(solver, "p(7)")[1]
    assert asked(solver, "p(1)")[1]


@pytest.mark.slow
def test_a_worker_that_stays_answers_alike_and_leaves_no_process():
    system = shared_system("default")
    pairs = [make_pair(3, number) for number in range(4)]
    pairs = list(system.annotate(system.read([(p.sent1.text, p.sent2.text) for p in pairs])))
    with closing(Worker(Setup("default", ahead=True))) as worker:
        for pair in pairs:
            answer = worker.ask(partial(decide, pair=pair))
            told = worker.ask(partial(explain, answer=answer))
            rating = worker.ask(partial(rate, answer=answer))
            assert answer == decide(system, pair)
        below = Path(f"/proc/{worker.number}/task/{worker.number}/children").read_text().split()
        assert len(below) == 3
        assert told == explain(system, answer)
        assert rating == rate(system, answer)
    until = time.monotonic() + 10
    while any(Path(f"/proc/{number}").exists() for number in below):
        assert time.monotonic() < until
        time.sleep(0.1)
