"""The tools of the tests: the rota and the lines to break."""

from collections import Counter

import pytest

from tests.mutants import MUTANTS, ROOT
from tests.rota import DAYS, part_of, read_durations, slices_of

DURATIONS = read_durations()
PARTS = {
    (file, piece): part_of(file, DAYS, DURATIONS, piece)
    for file in DURATIONS
    for piece in range(slices_of(file, DURATIONS))
}


def test_each_slice_of_a_file_has_one_part_and_so_has_a_new_file():
    assert set(PARTS.values()) == set(range(1, DAYS + 1))
    light = Counter(part_of(f"light {number}", DAYS, DURATIONS) for number in range(1000))
    assert sorted(light) == list(range(1, DAYS + 1))
    assert max(light.values()) < 150


@pytest.mark.parametrize("bench", [True, False])
def test_all_parts_take_about_as_long(bench):
    loads = Counter(dict.fromkeys(range(1, DAYS + 1), 0.0))
    for (file, _), part in PARTS.items():
        assert (ROOT / file).is_file()
        if file.startswith("tests/workbench/") == bench:
            loads[part] += DURATIONS[file] / slices_of(file, DURATIONS)
    assert max(loads.values()) - min(loads.values()) <= 80


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.file} {mutant.old}")
def test_the_line_is_there(mutant):
    assert mutant.broken(ROOT) != (ROOT / mutant.file).read_text("utf-8")
    assert all((ROOT / tests).exists() for tests in mutant.tests.split())


def test_there_are_forty_mutants():
    assert len(set(MUTANTS)) == len(MUTANTS) >= 40
