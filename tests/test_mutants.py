"""The lines that the mutation check breaks are there: each once."""

import pytest

from tests.mutants import MUTANTS, ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.file} {mutant.old}")
def test_the_line_is_there(mutant):
    assert mutant.broken(ROOT) != (ROOT / mutant.file).read_text("utf-8")
    assert all((ROOT / tests).exists() for tests in mutant.tests.split())


def test_there_are_forty_mutants():
    assert len(set(MUTANTS)) == len(MUTANTS) >= 40
