"""Both scorers and the check agree with the task's own scripts, on a sample of perturbed files."""

from random import Random

import pytest

from ists_asp.io.text import make_sentence
from ists_asp.io.wa import write_pair
from ists_asp.model import Alignment, Label, Pair

from . import scripts
from .kinds import KINDS, make

pytestmark = pytest.mark.skipif(bool(scripts.MISSING), reason=scripts.MISSING)


def test_there_are_kinds_enough():
    assert len({kind.name for kind in KINDS}) == len(KINDS) > 70


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS[::3], ids=lambda kind: kind.name)
def test_perturbed_files(kind, tmp_path):
    scheme = ("2016", "2015")[KINDS.index(kind) % 2]
    case = make(kind, Random(kind.name))
    assert list(scripts.faults(case, tmp_path, [scheme])) == []


def test_what_is_written_is_accepted_whatever_the_words(tmp_path):
    words = ["<==>", "//", "1<==>1//EQUI//5//", "sentence", 'id="2"', ".", "</alignment>"]
    words += ["0", "NIL"]
    pair = Pair("1", make_sentence(words), make_sentence(words[::-1]))
    numbers = range(1, len(words) + 1)
    lines = [Alignment((number,), (number,), Label.REL, 2.5) for number in numbers]
    lines.append(Alignment(tuple(numbers), tuple(numbers), Label.SIMI, 3.0))
    file = tmp_path / "written.wa"
    file.write_text(write_pair(pair, lines))
    assert scripts.check(file) == scripts.Verdict(True, frozenset())
    printed = scripts.measure("2016", file, file).printed
    assert printed == dict.fromkeys(("Ali", "Type", "Score", "Typ+Sco"), "1.0000")
