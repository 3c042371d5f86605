"""Prices of chunks: other terms of the objective, the same best answers."""

from random import Random

import pytest
from clingo.ast import parse_string

from benchmarks.synthetic import make_repeated_pair
from ists_asp import load
from ists_asp.solver.bounds import DualValues
from ists_asp.solver.search import CORE_GUIDED, ground, search

MACHINE = """
span_chunk(S,run(C,C),C) :- chunk(S,C).
span_chunk(S,run(C,C+1),(C;C+1)) :- chunk(S,C), chunk(S,C+1), merged(S,C).
{ aligned(X,Y) } :- worth(X,Y,_).
:- chunk(1,C), #count{X,Y : aligned(X,Y), span_chunk(1,X,C)} > 1.
:- chunk(2,C), #count{X,Y : aligned(X,Y), span_chunk(2,Y,C)} > 1.
free(1,C) :- chunk(1,C), not aligned(X,Y) : worth(X,Y,_), span_chunk(1,X,C).
free(2,C) :- chunk(2,C), not aligned(X,Y) : worth(X,Y,_), span_chunk(2,Y,C).
{ label(X,Y,L) : label_worth(X,Y,L,_) } = 1 :- aligned(X,Y).
score(X,Y,5) :- label(X,Y,equi).
{ score(X,Y,N) : N = 1..4 } = 1 :- aligned(X,Y), not label(X,Y,equi).
#maximize{ W@4,X,Y : aligned(X,Y), worth(X,Y,W) }.
#maximize{ W@3,X,Y : label(X,Y,L), label_worth(X,Y,L,W) }.
#maximize{ N*W@2,X,Y : score(X,Y,N), worth(X,Y,W) }.
#minimize{ |C-D|@1,X,Y : aligned(X,Y), X = run(C,_), Y = run(D,_) }.
"""


class Charging(DualValues):
    """Says for which priorities chunks have prices."""

    def __init__(self):
        super().__init__()
        self.charged = []

    def _charge(self, control, priority, *others):
        self.charged.append(priority)
        super()._charge(control, priority, *others)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_an_answer_costs_the_same_with_prices_as_without(seed):
    random = Random(seed)
    size = 6
    spans = {sentence: [f"run({c},{c})" for c in range(1, size + 1)] for sentence in (1, 2)}
    facts = [f"chunk({sentence},{c})" for sentence in (1, 2) for c in range(1, size + 1)]
    for sentence in (1, 2):
        start = random.randrange(1, size)
        facts.append(f"merged({sentence},{start})")
        spans[sentence].append(f"run({start},{start + 1})")
    for first in spans[1]:
        for second in spans[2]:
            facts.append(f"worth({first},{second},{random.choice((2, 2, 2, 3, 5))})")
            facts += [
                f"label_worth({first},{second},{label},{random.choice((-1, 2, 2, 3))})"
                for label in ("equi", "simi", "rel")
            ]
    statements = []
    parse_string(MACHINE + "".join(f"{fact}.\n" for fact in facts), statements.append)
    costs, charging = [], Charging()
    for strategy, prices in (("--opt-strategy=bb", None), (CORE_GUIDED, charging)):
        control = ground(statements, (), [strategy], lambda *_: None, prices)
        found, _ = search(control, 60, atoms=False)
        assert found.optimal
        costs.append(found.cost)
    assert costs[0] == costs[1]
    # Alignments whose prices are hardly more than they weigh are still in question.
    assert charging.charged == [4, 3, 2, 1]


@pytest.mark.slow
@pytest.mark.parametrize("size", [20, 40])
def test_chunks_that_are_all_the_same_are_aligned_in_their_order(size):
    with load("headlines", cache=None) as system:
        (answer,) = system.solve_many([make_repeated_pair(size)])
    assert answer.optimal
    lines = [(line.tokens1, line.tokens2) for line in answer.alignments if line.label.aligned]
    assert len(lines) == size
    assert lines == sorted(lines)
