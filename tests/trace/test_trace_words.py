"""The words that are quoted are those that a rule's numbers stand for, whatever atoms there are."""

import json

import pytest

from ists_asp.engine import load
from ists_asp.io.text import make_sentence
from ists_asp.model import Pair
from ists_asp.report import evidence
from ists_asp.rules.arguments import CHUNK, SPAN, TOKEN, argument_types
from ists_asp.syntax.ground import Ground
from ists_asp.trace import decisions
from ists_asp.trace.rendering import Grower, document, render
from ists_asp.trace.trace import Words
from tests.trace.conftest import system

CHUNKED = ("in_chunk(1,1,1)", "in_chunk(1,2,2)", "in_chunk(1,2,3)", "in_chunk(2,1,1)")
PAIR = ("a cat sleeps", "one cat naps")
ODD = """
in_chunk("x",1,1). in_chunk(f(x),1,1). in_chunk(3,1,1). in_chunk(1,odd,"t"). in_chunk(1,odd,99).
in_chunk(1,odd,(1,2)). in_chunk(x,y,z). in_chunk(#inf,#sup,-1). -in_chunk(1,odd,1). in_chunk(1,1).
"""
"""Sides, chunks and tokens that are text, functions or not there; a negated atom; another arity."""


@pytest.mark.slow
def test_traces_pass_over_odd_atoms(tmp_path):
    file = tmp_path / "odd.lp"
    file.write_text(ODD)
    usual = system("default").solve(*PAIR).alignments
    with load(rules=[file], lax=True) as odd:
        trace = odd.trace(*PAIR)
        assert trace.answer.alignments == usual
        for decision in decisions(trace):
            assert decision.text in render(Grower(trace).decision(decision))[0]
            assert set(decision.tokens1) | set(decision.tokens2) <= {1, 2, 3}
        assert json.loads(json.dumps(document(trace)))["decisions"]
        assert evidence(trace)
        found = [trace.words.tokens("token", 1, Ground(number)) for number in range(-1, 5)]
        assert found == [(), (), (1,), (2,), (3,), ()]
        assert "no rule can derive it" in trace.why_not("3 <==> 1").text()


@pytest.fixture
def words():
    pair = Pair("1", make_sentence(["storm", "hits", "coast"]), make_sentence(["calm"]))
    odd = ("in_chunk(1,3,0)", "in_chunk(1,3,4)", "in_chunk(3,1,1)", 'in_chunk(1,3,"x")')
    return Words(pair, map(Ground, (*CHUNKED, *odd)), argument_types({}))


QUOTED = [
    *((TOKEN, 1, "1", '"storm"'), (TOKEN, 1, "3", '"coast"'), (TOKEN, 2, "1", '"calm"')),
    *((CHUNK, 1, "2", '"hits coast"'), (SPAN, 1, "run(1,2)", '"storm hits coast"')),
    # Tokens count from 1 to the last one; there are two sentences.
    *((TOKEN, 1, value, None) for value in ("0", "-1", "4", "x")),
    *((TOKEN, 3, "1", None), (CHUNK, 1, "3", None), (SPAN, 1, "run(3,3)", None)),
]


@pytest.mark.parametrize(("kind", "side", "value", "quoted"), QUOTED)
def test_what_is_there_is_quoted(words, kind, side, value, quoted):
    assert words.quoted(kind, side, Ground(value)) == quoted
