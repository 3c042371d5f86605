"""What the system says of processes, and times in bounded memory."""

import multiprocessing
import os
import pickle
import signal
import time
from contextlib import contextmanager
from random import Random

from ists_asp.cli.console import summary
from ists_asp.engine import Timings
from ists_asp.processes import OUT_OF_TIME, suspects, usage


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
