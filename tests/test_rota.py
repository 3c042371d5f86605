"""The tools of the tests: the rota and the lines to break."""

from collections import Counter

import pytest

from tests.mutants import MUTANTS, ROOT
from tests.rota import DAYS, part_of, read_durations


def test_each_file_has_one_part_and_keeps_it_when_others_come():
    durations = read_durations()
    parts = {file: part_of(file, DAYS, durations) for file in durations}
    assert set(parts.values()) == set(range(1, DAYS + 1))
    light = Counter(part_of(f"light {number}", DAYS, durations) for number in range(1000))
    assert sorted(light) == list(range(1, DAYS + 1))
    assert max(light.values()) < 150


def test_all_parts_take_about_as_long():
    durations = read_durations()
    loads = Counter(dict.fromkeys(range(1, DAYS + 1), 0.0))
    for file, seconds in durations.items():
        assert (ROOT / file).is_file()
        loads[part_of(file, DAYS, durations)] += seconds
    assert max(loads.values()) - min(loads.values()) <= max(durations.values())


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.file} {mutant.old}")
def test_the_line_is_there(mutant):
    assert mutant.broken(ROOT) != (ROOT / mutant.file).read_text("utf-8")
    assert all((ROOT / tests).exists() for tests in mutant.tests.split())


def test_there_are_forty_mutants():
    assert len(set(MUTANTS)) == len(MUTANTS) >= 40
