"""Times in constant memory."""

import pickle
from random import Random

import pytest

from ists_asp.engine.answer import Durations, Timings


def test_quantiles_are_within_a_hundredth():
    random = Random(1)
    values = sorted(10 ** random.uniform(-5, 1) for _ in range(5000))
    durations = Durations()
    for value in values:
        durations.add(value)
    assert len(durations) == 5000
    for share in (0.01, 0.5, 0.95):
        exact = values[int(share * 5000) - 1]
        assert durations.quantile(share) == pytest.approx(exact, rel=0.01)
    assert durations.quantile(1) == durations.longest == values[-1]
    assert Durations().quantile(0.5) == 0.0


def test_a_million_pairs_take_the_memory_of_a_thousand():
    random = Random(2)
    sizes = []
    for count in (1_000, 100_000):
        stages = Timings()
        for _ in range(count):
            stages.decide(random.uniform(0.001, 0.01), random.uniform(0.001, 0.01))
        sizes.append(len(pickle.dumps(stages)))
    assert sizes[1] < 2 * sizes[0]
