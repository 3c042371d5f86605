"""What Python callers give is checked as what the command line gives is."""

import math

import pytest

from ists_asp import load
from ists_asp.errors import UsageError


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"models": 0}, "models=0; expected how many answers, from 1"),
        ({"models": 1.5}, "models=1.5"),
        ({"time_limit": "a"}, "time_limit='a'; expected seconds, more than 0"),
        ({"time_limit": None}, "time_limit=None"),
        ({"time_limit": -1}, "time_limit=-1"),
        ({"time_limit": math.nan}, "time_limit=nan"),
    ],
)
def test_limits_are_numbers_in_range(given, words):
    with pytest.raises(UsageError) as caught:
        load("baseline", **given)
    assert str(caught.value).startswith(words)


def test_paths_and_constants_may_be_text_and_numbers(tmp_path):
    rules = tmp_path / "mine.lp"
    rules.write_text("#const most = 1.\n")
    with load("baseline", rules=str(rules), constants={"most": 3}, cache=str(tmp_path)) as system:
        answer = system.solve("a cat", "a dog")
        assert answer.alignments
        with pytest.raises(UsageError, match="templates=3; expected what"):
            system.explain(answer, templates=3)
    assert list(tmp_path.glob("annotations*"))
