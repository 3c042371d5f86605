import pytest
from clingo import parse_term

from ists_asp.io.text import make_sentence
from ists_asp.model import Pair
from ists_asp.rules.loader import load_rules
from ists_asp.rules.source import find_rules
from ists_asp.solver import Solver, SolverOptions


@pytest.fixture
def make(tmp_path):
    """Make a solver from the text of a rule file."""

    def make(text, **options):
        (tmp_path / "rules.lp").write_text(text)
        return Solver(load_rules(find_rules(tmp_path / "rules.lp")), SolverOptions(**options))

    return make


@pytest.fixture
def items():
    """Make pairs of one word a side from the text of their facts."""

    def items(*texts):
        return [
            (
                Pair(str(number), make_sentence(["a"]), make_sentence(["b"])),
                tuple(parse_term(f"({text},)").arguments) if text else (),
            )
            for number, text in enumerate(texts, start=1)
        ]

    return items
