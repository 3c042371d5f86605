"""The tools of the tests: the rota and the lines to break."""

from collections import Counter

import pytest

from tests.mutants import MUTANTS, ROOT
from tests.rota import DAYS, LONG, parts_of, read_durations


def test_each_test_has_one_part_and_keeps_it_when_others_come():
    durations = read_durations()
    light = [f"light {number}" for number in range(1000)]
    parts = parts_of([*durations, *light], DAYS, durations)
    some = ["light 7", *list(durations)[:3]]
    assert parts_of(some, DAYS, durations) == {name: parts[name] for name in some}
    assert set(parts.values()) == set(range(1, DAYS + 1))
    counts = Counter(parts[name] for name in light)
    assert max(counts.values()) < 150


def test_all_parts_take_about_as_long():
    durations = read_durations()
    loads = Counter()
    for name, part in parts_of(durations, DAYS, durations).items():
        assert durations[name] >= LONG
        loads[part] += durations[name]
    loads.update(dict.fromkeys(range(1, DAYS + 1), 0.0))
    assert max(loads.values()) - min(loads.values()) <= max(durations.values(), default=0)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.file} {mutant.old}")
def test_the_line_is_there(mutant):
    assert mutant.broken(ROOT) != (ROOT / mutant.file).read_text("utf-8")
    assert all((ROOT / tests).exists() for tests in mutant.tests.split())


def test_there_are_forty_mutants():
    assert len(set(MUTANTS)) == len(MUTANTS) >= 40
