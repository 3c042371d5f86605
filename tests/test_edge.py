"""What the Python API raises where rules spoil a pair: errors of ists-asp that say why."""

import pytest

from ists_asp.errors import IstsError, inside
from ists_asp.model import Pair, Sentence, Token, Word


def annotated(text):
    """A sentence of words that are said to be nouns: nobody has to read it."""
    words = text.split()
    return Sentence(
        tuple(
            Token(number, word, (Word(word, word, "NOUN", "NN"),))
            for number, word in enumerate(words, start=1)
        )
    )


GOOD = annotated("a cat sits")


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (RecursionError(), "a rule or a term is nested too deeply"),
        (MemoryError(), "no memory is left"),
        (RuntimeError("unexpected"), "clingo cannot decide by the rules: unexpected"),
        (RuntimeError("x: Value too large for defined data type"), "arithmetic overflow"),
        (AssertionError(), "what the rules derive cannot be read: AssertionError."),
        (
            IndexError("list index out of range"),
            "what the rules derive cannot be read: IndexError: list index out of range.",
        ),
    ],
)
def test_whatever_is_raised_names_the_pair(raised, message):
    with pytest.raises(IstsError) as caught, inside(Pair("7", GOOD, GOOD)):
        raise raised
    assert str(caught.value).startswith(f"pair 7: {message}")
