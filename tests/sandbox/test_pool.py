"""Workers: the same answers as without them, and an end to what has none."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path

import pytest

from ists_asp.engine import Limits, Setup, System, Timings
from ists_asp.errors import RuleError
from ists_asp.io.text import make_sentence
from ists_asp.io.wa import write_answer
from ists_asp.model import Pair
from ists_asp.rules import load_program
from ists_asp.run import run
from ists_asp.sandbox.executor import Inline
from ists_asp.sandbox.pool import Pool
from ists_asp.sandbox.worker import Decider

pytestmark = pytest.mark.slow

TEXTS = ("a cat sits", "a dog runs", "two men talk", "a bird sings")
GROUND_BOMB = 'deep(N+1) :- deep(N). deep(0) :- word(1,_,"bomb").\n'
MEMORY_BOMB = 'many(A,B,C,D) :- word(1,_,"bomb"), A=1..900, B=1..900, C=1..900, D=1..900.\n'
TABLE_BOMB = "deep(0). deep(N+1) :- deep(N).\n"


def pairs(count: int, *, bomb: int | None = None) -> list[Pair]:
    made = []
    for number in range(count):
        text = TEXTS[number % len(TEXTS)]
        first = "a bomb ticks" if number == bomb else text
        sides = (make_sentence(one.split()) for one in (first, f"{text} now"))
        made.append(Pair(str(number), *sides))
    return made


@pytest.fixture(scope="module")
def annotator() -> System:
    return System(Setup("images"))


def spec(tmp_path: Path, rules: str = "", **limits: float) -> Setup:
    given = ()
    if rules:
        file = tmp_path / "bomb.lp"
        file.write_text(rules)
        given = (file,)
    memory = limits.pop("memory", None)
    return Setup("images", given, limits=Limits(memory=memory and int(memory), **limits))


def decide(made: Setup, items: list[Pair], annotator: System, jobs: int = 1) -> list:
    pool = Pool(made, jobs)
    try:
        return list(run(items, annotator, pool, Timings()))
    finally:
        pool.close()


def never() -> Pool:
    raise AssertionError("nothing here is long")


def test_workers_decide_as_this_process_does(tmp_path: Path, annotator: System) -> None:
    made, items = spec(tmp_path), pairs(45)
    inline = Inline(Decider(made), never)
    alone = list(run(items, annotator, inline, Timings()))
    inline.close()
    together = decide(made, items, annotator, jobs=2)
    assert [outcome.pair.id for outcome in together] == [str(number) for number in range(45)]
    assert [write_answer(one.answers[0]) for one in together] == [
        write_answer(one.answers[0]) for one in alone
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("rules", "limits", "reason"),
    [
        (GROUND_BOMB, {"seconds": 3.0}, "no answer within 3 s"),
        (MEMORY_BOMB, {"seconds": 60.0, "memory": 6e8}, "more than 572 MB of memory"),
    ],
)
def test_a_bomb_costs_its_pair_only(
    tmp_path: Path,
    annotator: System,
    rules: str,
    limits: dict[str, float],
    reason: str,
) -> None:
    outcomes = decide(spec(tmp_path, rules, grace=1.0, **limits), pairs(5, bomb=2), annotator)
    assert [outcome.pair.id for outcome in outcomes] == ["0", "1", "2", "3", "4"]
    assert [bool(outcome.answers) for outcome in outcomes] == [True, True, False, True, True]
    assert outcomes[2].failure.reason == reason


def test_only_memory_that_is_written_to_counts() -> None:
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
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "no memory\n"


def test_a_worker_that_cannot_load_the_rules_again_says_why(
    tmp_path: Path, annotator: System
) -> None:
    pool = Pool(spec(tmp_path, "extra.\n"), 1)
    try:
        (worker,) = pool._pool._pool_manager.worker_manager.workers
        (tmp_path / "bomb.lp").write_text(f"p({'f(' * 30_000}1{')' * 30_000}).")
        os.kill(worker, signal.SIGKILL)
        (outcome,) = run(pairs(1), annotator, pool, Timings())
    finally:
        pool.close()
    assert outcome.failure.reason == "the rules cannot be loaded: the worker crashed (signal 11)"


def test_rules_that_cannot_be_loaded_are_one_error(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"the rules cannot be loaded: more than 8 s"):
        Pool(spec(tmp_path, TABLE_BOMB, loading=8.0), 1)


def test_faulty_rules_are_told_as_without_workers(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"bomb\.lp:1"):
        Pool(spec(tmp_path, "a :- b"), 1)


def test_rules_that_changed_meanwhile_are_refused(tmp_path: Path) -> None:
    made = spec(tmp_path, "extra.\n")
    _, rules = load_program("images", made.rules)
    sums = tuple(file.sha256 for file in rules.files)
    changed = Setup("images", made.rules, files=(*sums[:-1], "0" * 64))
    with pytest.raises(RuleError, match="a rule file has changed since the run began"):
        Pool(changed, 1)


def test_a_killed_worker_costs_nothing(tmp_path: Path, annotator: System) -> None:
    pool = Pool(spec(tmp_path), 1)
    items = iter(pairs(60))
    try:
        outcomes = run(items, annotator, pool, Timings())
        found = [next(outcomes)]
        worker = pool._pool.schedule(os.getpid).result()
        os.kill(worker, signal.SIGKILL)
        found += outcomes
    finally:
        pool.close()
    assert [outcome.pair.id for outcome in found] == [str(number) for number in range(60)]
    assert all(outcome.answers for outcome in found)


def test_workers_that_say_nothing_are_replaced(
    tmp_path: Path, annotator: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = Pool.__new__(Pool)
    monkeypatch.setattr(Pool, "_load", lambda _self: ())
    pool.__init__(spec(tmp_path, seconds=1.0, grace=1.0), 1)
    annotated = list(annotator.annotate(pairs(3)))
    try:
        task = pool.submit(annotated[:1])
        task.result()
        # Nobody waits long for it, but for those that come after it.
        seconds = chain([1.0], repeat(300.0))
        monkeypatch.setattr(Pool, "patience", property(lambda _self: next(seconds)))
        (worker,) = pool._pool._pool_manager.worker_manager.workers
        # As if it had been killed with a lock in its hands.
        os.kill(worker, signal.SIGSTOP)
        report = pool.submit(annotated).result()
    finally:
        # It may have been replaced already.
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGCONT)
        pool.close()
    assert [outcome.pair.id for outcome in report.outcomes] == ["0", "1", "2"]
    assert all(outcome.answers for outcome in report.outcomes)
    assert pool.generation >= 1


def test_time_is_that_of_the_processor(tmp_path: Path, annotator: System) -> None:
    made = spec(tmp_path, GROUND_BOMB, seconds=0.5, grace=0.5)
    pool = Pool(made, 1)
    (bomb,) = annotator.annotate(pairs(1, bomb=0))
    try:
        task = pool.submit([bomb])
        (worker,) = pool._pool._pool_manager.worker_manager.workers
        # Whoever takes the processor from a worker takes nothing from its pair.
        os.kill(worker, signal.SIGSTOP)
        time.sleep(2.0)
        assert not task._future.done()
        os.kill(worker, signal.SIGCONT)
        (outcome,) = task.result().outcomes
    finally:
        pool.close()
    assert outcome.failure.reason == "no answer within 0.5 s"
