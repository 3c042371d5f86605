"""Golden tests: ``NAME.lp`` includes encodings and has facts, ``NAME.expected`` what is shown.

Plain clingo runs a case from any folder: ``clingo --opt-mode=optN 0 NAME.lp``.
"""

from pathlib import Path

import pytest
from clingo import Control

FOLDER = Path(__file__).parent
CASES = sorted(FOLDER.glob("*.expected"))


def optima(case):
    """The shown atoms of all optimal answer sets, each as a sorted list, and clingo's messages."""
    messages = []
    control = Control(["--opt-mode=optN", "0"], logger=lambda _code, text: messages.append(text))
    control.load(str(case))
    control.ground()
    found = []
    with control.solve(yield_=True) as search:
        for model in search:
            if model.optimality_proven or not model.cost:
                found.append(sorted(map(str, model.symbols(shown=True))))
    return found, messages


@pytest.mark.parametrize("expected", CASES, ids=lambda path: path.stem)
def test_the_case_has_the_expected_answer_and_no_other(expected):
    found, messages = optima(expected.with_suffix(".lp"))
    assert messages == []
    assert found == [sorted(expected.read_text("utf-8").splitlines())]


def test_every_case_has_both_files():
    shared = {"pairs"}
    assert CASES
    assert {file.stem for file in FOLDER.glob("*.lp")} - shared == {file.stem for file in CASES}
