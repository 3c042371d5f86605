"""The words that are quoted are those that a rule's numbers stand for."""

import pytest

from ists_asp.io.text import make_sentence
from ists_asp.model import Pair
from ists_asp.syntax.ground import Ground
from ists_asp.trace.argument_types import CHUNK, SPAN, TOKEN, argument_types
from ists_asp.trace.words import Words

CHUNKED = ("in_chunk(1,1,1)", "in_chunk(1,2,2)", "in_chunk(1,2,3)", "in_chunk(2,1,1)")


@pytest.fixture
def words():
    pair = Pair("1", make_sentence(["storm", "hits", "coast"]), make_sentence(["calm"]))
    odd = ("in_chunk(1,3,0)", "in_chunk(1,3,4)", "in_chunk(3,1,1)", 'in_chunk(1,3,"x")')
    return Words(pair, map(Ground, (*CHUNKED, *odd)), argument_types(()))


@pytest.mark.parametrize(
    ("kind", "side", "value", "quoted"),
    [
        (TOKEN, 1, "1", '"storm"'),
        (TOKEN, 1, "3", '"coast"'),
        (TOKEN, 2, "1", '"calm"'),
        (CHUNK, 1, "2", '"hits coast"'),
        (SPAN, 1, "run(1,2)", '"storm hits coast"'),
        # Tokens count from 1 to the last one; there are two sentences.
        (TOKEN, 1, "0", None),
        (TOKEN, 1, "-1", None),
        (TOKEN, 1, "4", None),
        (TOKEN, 3, "1", None),
        (TOKEN, 1, "x", None),
        (CHUNK, 1, "3", None),
        (SPAN, 1, "run(3,3)", None),
    ],
)
def test_what_is_there_is_quoted(words, kind, side, value, quoted):
    assert words.quoted(kind, side, Ground(value)) == quoted
