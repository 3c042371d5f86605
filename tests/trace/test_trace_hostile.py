"""Atoms that no shipped rule derives, in places that traces read words from."""

import json

import pytest

from ists_asp.engine import load
from ists_asp.report import evidence
from ists_asp.syntax.ground import Ground
from ists_asp.trace import decisions
from ists_asp.trace.document import document
from ists_asp.trace.tree import decision_tree, render
from tests.trace.conftest import system

PAIR = ("a cat sleeps", "one cat naps")
ODD = {
    "a side that is text": 'in_chunk("x",1,1).',
    "a side that is a function": "in_chunk(f(x),1,1).",
    "a third sentence": "in_chunk(3,1,1).",
    "a token that is text": 'in_chunk(1,odd,"t").',
    "a token that is not there": "in_chunk(1,odd,99).",
    "a token that is a tuple": "in_chunk(1,odd,(1,2)).",
    "everything is odd": "in_chunk(x,y,z). in_chunk(#inf,#sup,-1).",
    "a negated atom": "-in_chunk(1,odd,1).",
    "two arguments": "in_chunk(1,1).",
}


@pytest.mark.slow
def test_traces_pass_over_odd_atoms(tmp_path):
    file = tmp_path / "odd.lp"
    file.write_text("\n".join(ODD.values()))
    usual = system("default").solve(*PAIR).alignments
    with load(rules=[file]) as odd:
        trace = odd.trace(*PAIR)
        assert trace.answer.alignments == usual
        for decision in decisions(trace):
            assert decision.text in render(decision_tree(trace, decision))[0]
            assert set(decision.tokens1) | set(decision.tokens2) <= {1, 2, 3}
        assert json.loads(json.dumps(document(trace)))["decisions"]
        assert evidence(trace)
        found = [trace.words.tokens("token", 1, Ground(number)) for number in range(-1, 5)]
        assert found == [(), (), (1,), (2,), (3,), ()]
        assert "no rule derives it" in trace.why_not("3 <==> 1").text()
