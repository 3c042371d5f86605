"""Workers: the same answers as without them, and an end to what has none; times of processes."""

import multiprocessing
import os
import pickle
import signal
import time
from contextlib import closing, contextmanager
from functools import partial
from random import Random
from threading import Timer
from types import SimpleNamespace

import pytest

from ists_asp.cli.console import summary
from ists_asp.engine import Limits, Setup, System, Timings, preparation
from ists_asp.errors import RuleError, SolveError, too_late
from ists_asp.io.text import make_sentence
from ists_asp.model import Pair
from ists_asp.pipeline.stages import Stages
from ists_asp.processes import OUT_OF_TIME, suspects, usage
from ists_asp.run import pool as pool_module
from ists_asp.run.pool import Limit, Pool, SupersededError, Worker, ask_each
from ists_asp.run.worker import OUT_OF_MEMORY
from ists_asp.solver.batch import batches
from tests.sharing import cases, python

TEXTS = ("a cat sits", "a dog runs", "two men talk", "a bird sings")
GROUND_BOMB = 'deep(N+1) :- deep(N). deep(0) :- word(1,_,"bomb").\n'
TABLE_BOMB = "deep(0). deep(N+1) :- deep(N).\n"
CRASHED = (
    "with these rules the command crashed: arithmetic overflow (signal 8). Look for a division"
)
LATE = "no answer within 0.3 s. Allow more time, or simplify the rules"


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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_worker_that_cannot_load_the_rules_again_says_why(tmp_path, annotator):
    with closing(Stages(spec(tmp_path, "extra.\n"), annotator, 1, 5000)) as stages:
        (worker,) = processes(stages._pool)
        (tmp_path / "bomb.lp").write_text(f"p({'f(' * 30_000}1{')' * 30_000}).")
        os.kill(worker, signal.SIGKILL)
        ((_, outcome),) = stages.decide(batches((None, pair) for pair in pairs(1)))
    assert outcome.failure.found == "the rules cannot be loaded: the worker crashed (signal 11)"


@pytest.mark.slow
def test_rules_that_ground_without_end_are_one_error(tmp_path, monkeypatch):
    """Within the time limit, unless the shipped rules take longer."""
    monkeypatch.setattr(preparation, "LOADING", 3.0)
    with pytest.raises(
        RuleError, match=r"^the rules take more than 4 s before any pair, those of .+ among"
    ):
        Pool(spec(tmp_path, TABLE_BOMB, seconds=3.0, grace=1.0), 1, copied=True).load()


@pytest.mark.slow
def test_faulty_rules_are_told_as_without_workers(tmp_path):
    with pytest.raises(RuleError, match=r"bomb\.lp:1"):
        Pool(spec(tmp_path, "a :- b"), 1).load()


@pytest.mark.slow
def test_workers_that_neither_compute_nor_answer_are_replaced(tmp_path, annotator, monkeypatch):
    monkeypatch.setattr(pool_module, "STILL", 2)
    pool = Pool(spec(tmp_path), 1)
    pool.load()
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


@pytest.mark.slow
@cases(
    "code | blameless",
    *((one, False) for one in (-signal.SIGSEGV, -signal.SIGABRT, OUT_OF_TIME, OUT_OF_MEMORY)),
    *((one, True) for one in (-signal.SIGKILL, -signal.SIGTERM, 1, None)),
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_time_is_that_of_the_processor(tmp_path, annotator):
    made = spec(tmp_path, GROUND_BOMB, seconds=0.5, grace=0.5)
    pool = Pool(made, 1)
    pool.load()
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


@pytest.mark.slow
def test_a_question_whose_worker_is_killed_is_put_to_another_one_but_not_in_the_end(tmp_path):
    worker = Worker(spec(tmp_path))
    worker.load()
    first = worker.number
    Timer(0.5, os.kill, (first, signal.SIGKILL)).start()
    assert worker.ask(partial(slowly, seconds=2)) not in (first, os.getpid())
    worker.close()
    with pytest.raises(SolveError, match="the worker was ended"):
        worker.ask(partial(slowly, seconds=0))


@pytest.mark.slow
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


@pytest.mark.slow
@cases(
    "batches | expected",
    ("a crash b | c d", ["a", CRASHED, "b", "c+", "d+"]),
    ("odd a spin", ["pair odd: odd. Mend it", "a", LATE]),
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


def _busy():
    while True:
        pass


@contextmanager
def child(target, *arguments):
    process = multiprocessing.get_context("fork").Process(target=target, args=arguments)
    process.start()
    try:
        yield process.pid
    finally:
        process.kill()
        process.join()


def told_within(process, seconds, wanted):
    """Whether what is said of a process is ever as wanted."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if wanted(*usage(process)):
            return True
        time.sleep(0.05)
    return False


def test_what_computes_or_waits_for_its_turn_is_never_told_to_stand_still():
    with child(_busy) as process:
        # Whether it has a processor or waits for one, it is not idle.
        assert told_within(process, 20, lambda seconds, busy: busy and seconds > 0.05)
        assert not told_within(process, 0.5, lambda _seconds, busy: not busy)
        os.kill(process, signal.SIGSTOP)
        assert told_within(process, 20, lambda _seconds, busy: not busy)


def test_what_does_nothing_stands_still():
    with child(time.sleep, 60) as process:
        assert told_within(process, 20, lambda _seconds, busy: not busy)
        first = usage(process)
        assert usage(process) == first


def test_the_summary_tells_the_median_and_the_longest():
    stages, other = Timings(), Timings()
    for number in range(1, 6):
        stages.decide(0.001 * number, 0.001 * number)
    other.decide(0.5, 0.25)
    stages.merge(other)
    assert "solving 6.0 ms a pair in the median, 750.0 ms at worst" in summary(6, 1.0, stages)
    assert "solving 0.0 ms a pair in the median, 0.0 ms at worst" in summary(1, 1.0, Timings())


def test_the_memory_grows_with_the_times_and_not_with_the_pairs():
    random = Random(2)
    sizes = []
    for count in (10_000, 100_000):
        stages = Timings()
        for _ in range(count):
            stages.decide(random.uniform(0.001, 0.01), random.uniform(0.001, 0.01))
        sizes.append(len(pickle.dumps(stages)))
    assert sizes[1] < 2 * sizes[0]


def test_the_lines_that_may_have_ended_a_process_are_named(tmp_path):
    rules = tmp_path / "mine.lp"
    rules.write_text(
        "#show a/2.\na(X/0) :- b(X). % 1/2\nb(1).\n#show f(X) : b(X), c(X).\nc(X+1) :- c(X).\n"
        "d(1..9).\n"
    )
    assert suspects(-signal.SIGFPE, [rules]) == f"; look at {rules}:2"
    places = (f"{rules}:{line}" for line in (4, 5, 6))
    assert suspects(OUT_OF_TIME, [rules]) == f"; look at {' and '.join(places)}"
    rules.write_text("b(1).\n")
    assert suspects(OUT_OF_TIME, [rules]) == ""
