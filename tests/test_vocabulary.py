"""The vocabulary is what the comments of asp/ say, in names of arguments that all have a kind."""

import re

import pytest
from clingo import Number

from ists_asp import vocabulary as v
from ists_asp.vocabulary import ALIGNED, KINDS, TOKEN_COUNT, Predicate, all_predicates, targets
from tests.sharing import cases
from tests.tours import ROOT

VALUES = {
    *(*"DKMNPTUVW", "Atom", "Change", "Chunks", "Decision", "Distance", "Form", "From"),
    *("Letters", "Name", "Number", "Percent", "Prefix", "Rating", "Reason", "Similarity", "Stem"),
    *("Target", "Text", "Unit", "Value", "Weight", "Worth", "Xpos", "Zeros"),
}
"""The names of arguments that are numbers, texts or terms."""


def test_every_argument_has_a_kind():
    names = {name for one in (*all_predicates(), *targets().values()) for name in one.arguments}
    assert names == KINDS.keys() | VALUES


def test_every_predicate_that_python_names_is_documented():
    imported = r"^from ists_asp\.vocabulary import (?:\(([^)]*)\)|(.*))$"
    texts = [file.read_text("utf-8") for file in sorted((ROOT / "python").rglob("*.py"))]
    lists = ["".join(each) for text in texts for each in re.findall(imported, text, re.MULTILINE)]
    used = {name for text in texts for name in re.findall(r"\bv\.([A-Z][A-Z_]+)\b", text)}
    names = used.union(*(re.findall(r"\b[A-Z][A-Z_]+\b", listed) for listed in lists))
    named = [value for name in names if isinstance(value := getattr(v, name), Predicate)]
    assert len(named) > 50
    about = {*all_predicates(), *targets().values()}
    assert about.issuperset(named)
    assert len({one.name for one in about}) == len(about) > 100


@cases("""
predicate  | meanings=
token      | [("sentence", 0), ("token", ("is", 0)), None]
initials   | [("sentence", 0), ("token", ("is", 0)), ("token", ("is", 0)), None]
glued      | [("sentence", 0), ("token", ("is", 0)), ("token", ("other", 0))]
near       | [("token", 1), ("token", 2), None]
last       | [("sentence", 0), ("chunk", ("is", 0)), ("token", ("is", 0))]
line_token | [None, ("sentence", 0), ("token", ("is", 1))]
span       | [("sentence", 0), ("span", ("is", 0))]
label      | [("span", 1), ("span", 2), ("label", 0)]
side       | [("sentence", 0), ("span", 1), ("span", 2)]
retag      | [("sentence", 0), ("token", ("is", 0)), ("tag", 0), None]
""")
def test_names_of_arguments_say_what_they_are(predicate, meanings):
    assert Predicate(predicate).meanings == meanings


def test_a_predicate_makes_atoms():
    assert str(TOKEN_COUNT(Number(1), Number(2), Number(3))) == "token_count(1,2,3)"
    assert (str(ALIGNED), ALIGNED.arity, ALIGNED.signature) == ("aligned/2", 2, ("aligned", 2))
    assert v.fact("near", 1, 2, 30) == "near(1,2,30)"
    with pytest.raises(ValueError, match=r"near has the arguments .*, got \(1,\)"):
        v.fact("near", 1)
