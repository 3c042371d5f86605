"""Times in bounded memory."""

import pickle
from random import Random

from ists_asp.cli.console import summary
from ists_asp.engine import Timings


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
