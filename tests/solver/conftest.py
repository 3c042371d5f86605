import pytest
from clingo import parse_term

from ists_asp.io.text import make_sentence
from ists_asp.model import Pair
from ists_asp.resources import asp_dir
from ists_asp.rules import find_rules, load_rules
from ists_asp.solver import Solver, SolverOptions


@pytest.fixture
def rules_of(tmp_path, monkeypatch):
    """Load rules from the texts of files, behind the machine of ``asp/`` if there is one."""
    monkeypatch.chdir(tmp_path)

    def load(core=None, **texts):
        files = list(find_rules(asp_dir() / core, f"asp/{core}")) if core else []
        for name, text in texts.items():
            (tmp_path / f"{name}.lp").write_text(text)
            files += find_rules(tmp_path / f"{name}.lp", f"{name}.lp")
        return load_rules(files)

    return load


@pytest.fixture
def make(rules_of):
    """Make a solver from the text of a rule file."""
    return lambda text, **options: Solver(rules_of(rules=text), SolverOptions(**options))


def item(name, facts, sizes=(1, 1)):
    """A pair of so many words a side, and its facts."""
    sides = (make_sentence(["w"] * size) for size in sizes)
    return Pair(str(name), *sides), tuple(parse_term(f"({facts},)").arguments) if facts else ()


def items(*texts):
    """Pairs of one word a side from the text of their facts."""
    return [item(number, text) for number, text in enumerate(texts, start=1)]


def token_facts(*sizes):
    """Sentences of so many tokens, each a chunk that is given."""
    for side, size in enumerate(sizes, start=1):
        for token in range(1, size + 1):
            yield f'token({side},{token},"w"),given_boundary({side},{token})'
            yield f'part({side},{token},1,"w","w",noun,nn)'
    yield "chunked"
