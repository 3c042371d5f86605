"""The lines that the mutation check breaks are there: each once."""

import pytest

from tests.mutants import MUTANTS, ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_the_line_is_there(mutant):
    text = (ROOT / mutant.file).read_text("utf-8")
    assert mutant.broken(text) != text
    for tests in mutant.tests.split():
        assert (ROOT / tests).exists()


def test_there_are_forty_mutants():
    assert len(set(map(str, MUTANTS))) == len(MUTANTS) >= 40
