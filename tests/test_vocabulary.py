"""What Python calls the predicates is what the rules of asp/ call them."""

import re

import pytest
from clingo import Number

from ists_asp.resources import asp_dir
from ists_asp.rules.check.names import documented
from ists_asp.vocabulary import ALIGNED, TOKEN, Argument, all_predicates


def test_every_predicate_is_documented_in_asp():
    known = [one.signature for one in all_predicates()]
    assert len(known) == len(set(known)) > 60
    assert set(known) <= documented()


def test_every_documented_predicate_is_declared():
    # What rules make of tokens and spans for themselves, no fact says and nobody reads.
    own = {("span_start", 3)}
    assert documented() - {one.signature for one in all_predicates()} == own


@pytest.mark.parametrize("predicate", all_predicates(), ids=str)
def test_arguments_have_the_letters_that_stand_for_them(predicate):
    letters = {
        Argument.SENTENCE: "S",
        Argument.CHUNK: "C",
        Argument.SPAN1: "X",
        Argument.SPAN2: "Y",
    }
    texts = [file.read_text("utf-8") for file in asp_dir().glob("*.lp")]
    (found,) = {
        match[1]
        for text in texts
        for match in re.finditer(rf"^%\*! {predicate.name}(?:\((.*)\))?$", text, re.M)
    }
    written = found.split(",") if found else []
    assert len(written) == predicate.arity
    for argument, letter in zip(predicate.arguments, written, strict=True):
        assert letters.get(argument, letter) == letter


def test_a_predicate_makes_atoms():
    assert str(TOKEN(Number(1), Number(2), Number(3))) == "token(1,2,3)"
    assert (str(ALIGNED), ALIGNED.arity, ALIGNED.signature) == ("aligned/2", 2, ("aligned", 2))
