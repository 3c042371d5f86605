"""Workers: the same answers as without them, and an end to what has none."""

import os
import signal
import time
from contextlib import closing
from functools import partial
from threading import Timer
from types import SimpleNamespace

import pytest

from ists_asp.engine import Limits, Setup, System, preparation
from ists_asp.errors import RuleError, SolveError, too_late
from ists_asp.io.text import make_sentence
from ists_asp.model import Pair
from ists_asp.pipeline.stages import Stages
from ists_asp.processes import OUT_OF_TIME
from ists_asp.run import pool as pool_module
from ists_asp.run.pool import Limit, Pool, SupersededError, Worker, ask_each
from ists_asp.run.worker import OUT_OF_MEMORY
from ists_asp.solver.batch import batches
from tests.sharing import python

pytestmark = pytest.mark.slow

TEXTS = ("a cat sits", "a dog runs", "two men talk", "a bird sings")
GROUND_BOMB = 'deep(N+1) :- deep(N). deep(0) :- word(1,_,"bomb").\n'
TABLE_BOMB = "deep(0). deep(N+1) :- deep(N).\n"


def processes(pool):
    return [worker.number for worker in pool.workers if worker.number]


def pairs(count, *, bomb=None):
    made = []
    for number in range(count):
        text = TEXTS[number % len(TEXTS)]
        first = "a bomb ticks" if number == bomb else text
        sides = (make_sentence(one.split()) for one in (first, f"{text} now"))
        made.append(Pair(str(number), *sides))
    return made


@pytest.fixture(scope="module")
def annotator():
    return System(Setup("images"))


def spec(tmp_path, rules="", **limits):
    file = tmp_path / "bomb.lp"
    file.write_text(rules)
    return Setup("images", (file,) if rules else (), limits=Limits(**limits))


def test_only_memory_that_is_written_to_counts():
    # As libraries and threads set it aside, more of it on a machine with more processors.
    aside = "mmap.mmap(-1, 1 << 32, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0)"
    text = f"""
import mmap
from ists_asp.processes import limit_memory
limit_memory(1 << 28)
kept = {aside}
try:
    bytearray(1 << 28)
except MemoryError:
    print("no memory")
"""
    assert python("-c", text, check=True).stdout == "no memory\n"


def test_a_worker_that_cannot_load_the_rules_again_says_why(tmp_path, annotator):
    with closing(Stages(spec(tmp_path, "extra.\n"), annotator, 1, 5000)) as stages:
        (worker,) = processes(stages._pool)
        (tmp_path / "bomb.lp").write_text(f"p({'f(' * 30_000}1{')' * 30_000}).")
        os.kill(worker, signal.SIGKILL)
        ((_, outcome),) = stages.decide(batches((None, pair) for pair in pairs(1)))
    assert outcome.failure.found == "the rules cannot be loaded: the worker crashed (signal 11)"


def test_rules_that_ground_without_end_are_one_error(tmp_path, monkeypatch):
    """Within the time limit, unless the shipped rules take longer."""
    monkeypatch.setattr(preparation, "LOADING", 3.0)
    with pytest.raises(
        RuleError, match=r"^the rules take more than 4 s before any pair, those of .+ among"
    ):
        Pool(spec(tmp_path, TABLE_BOMB, seconds=3.0, grace=1.0), 1, copied=True)


def test_faulty_rules_are_told_as_without_workers(tmp_path):
    with pytest.raises(RuleError, match=r"bomb\.lp:1"):
        Pool(spec(tmp_path, "a :- b"), 1)


def test_workers_that_neither_compute_nor_answer_are_replaced(tmp_path, annotator, monkeypatch):
    monkeypatch.setattr(pool_module, "STILL", 2)
    pool = Pool(spec(tmp_path), 1)
    annotated = list(annotator.annotate(pairs(3)))
    try:
        (worker,) = processes(pool)
        # As if it had been killed with a lock in its hands.
        os.kill(worker, signal.SIGSTOP)
        report = pool.submit(annotated).result(timeout=100)
        assert processes(pool) != [worker]
    finally:
        pool.close()
    assert [outcome.pair.id for outcome in report] == ["0", "1", "2"]
    assert all(outcome.answers for outcome in report)


@pytest.mark.parametrize(
    ("code", "blameless"),
    [
        *((one, False) for one in (-signal.SIGSEGV, -signal.SIGABRT, OUT_OF_TIME, OUT_OF_MEMORY)),
        *((one, True) for one in (-signal.SIGKILL, -signal.SIGTERM, 1, None)),
    ],
)
def test_a_crash_and_a_limit_are_the_fault_of_the_pairs(code, blameless):
    assert pool_module.LostError(code).blameless == blameless


class Silent:
    """The way from a process that says nothing for nine looks."""

    looks = 0

    def poll(self, _seconds):
        self.looks += 1
        return self.looks == 10

    def recv(self):
        return "done"


def test_looks_count_and_not_the_clock(monkeypatch):
    """Ctrl-Z, then fg: who watches is halted with what is watched, and the clock goes on."""
    monkeypatch.setattr("ists_asp.processes.usage", lambda _process: (0.0, False))
    monkeypatch.setattr(time, "time", lambda: 1e12)
    monkeypatch.setattr(time, "monotonic", lambda: 1e12)
    for _ in range(2):
        halted = Silent()
        with pytest.raises(TimeoutError):
            pool_module.heard(0, halted, 1.0, still=3)
        assert halted.looks == 3
    # Who waits for a processor that others have is not halted.
    monkeypatch.setattr("ists_asp.processes.usage", lambda _process: (0.0, True))
    assert pool_module.heard(0, Silent(), 1.0, still=3) == "done"


def test_time_is_that_of_the_processor(tmp_path, annotator):
    made = spec(tmp_path, GROUND_BOMB, seconds=0.5, grace=0.5)
    pool = Pool(made, 1)
    (bomb,) = annotator.annotate(pairs(1, bomb=0))
    try:
        task = pool.submit([bomb])
        (worker,) = processes(pool)
        # Whoever takes the processor from a worker takes nothing from its pair.
        os.kill(worker, signal.SIGSTOP)
        time.sleep(2.0)
        assert not task.done()
        os.kill(worker, signal.SIGCONT)
        (outcome,) = task.result()
    finally:
        pool.close()
    assert outcome.failure.found == "no answer within 0.5 s"


def slowly(_system, seconds):
    time.sleep(seconds)
    return os.getpid()


def test_a_question_whose_worker_is_killed_is_put_to_another_one_but_not_in_the_end(tmp_path):
    worker = Worker(spec(tmp_path))
    worker.load()
    first = worker.number
    Timer(0.5, os.kill, (first, signal.SIGKILL)).start()
    assert worker.ask(partial(slowly, seconds=2)) not in (first, os.getpid())
    worker.close()
    with pytest.raises(SolveError, match="the worker was ended"):
        worker.ask(partial(slowly, seconds=0))


def test_an_interrupted_question_is_superseded_only_if_nobody_wants_it(tmp_path):
    with closing(Worker(spec(tmp_path))) as worker:
        for still, error in ((False, SupersededError), (True, SolveError)):
            worker.load()
            wants = iter((True, still))
            Timer(0.5, worker.interrupt).start()
            with pytest.raises(error):
                worker.ask(partial(slowly, seconds=9), wanted=lambda wants=wants: next(wants))


def hostile(_system, pairs):
    for pair in pairs:
        if pair.id == "crash":
            os.kill(os.getpid(), signal.SIGFPE)
        while pair.id == "spin":
            pass
        if pair.id == "odd" and len(pairs) == 1:
            raise RuleError("odd", where="pair odd", hint="Mend it")
    if any(pair.id == "odd" for pair in pairs):
        raise RuleError("one of them is odd")
    return [f"{pair.id}{'+' * (len(pairs) > 1)}" for pair in pairs]


CRASHED = (
    "with these rules the command crashed: arithmetic overflow (signal 8). Look for a division"
)
LATE = "no answer within 0.3 s. Allow more time, or simplify the rules"


@pytest.mark.parametrize(
    ("batches", "expected"),
    [
        ("a crash b | c d", ["a", CRASHED, "b", "c+", "d+"]),
        ("odd a spin", ["pair odd: odd. Mend it", "a", LATE]),
    ],
)
def test_a_pair_that_costs_a_worker_its_life_costs_no_other_pair(batches, expected):
    worker = Worker(Setup("baseline"), command=True)
    ask = partial(worker.ask, limit=Limit(0.3, partial(too_late, 0.3)))
    items = [[SimpleNamespace(id=name) for name in some.split()] for some in batches.split("|")]
    try:
        results = [str(result) for _, result in ask_each(ask, items, hostile)]
    finally:
        worker.close()
    assert len(results) == len(expected)
    assert all(map(str.startswith, results, expected)), results
