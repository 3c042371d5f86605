"""Prices of chunks: other terms of the objective, the same best answers."""

from itertools import product
from random import Random

import pytest
from clingo.ast import parse_string

from benchmarks.synthetic import make_repeated_pair
from ists_asp.solver.bounds import DualValues
from ists_asp.solver.search import CORE_GUIDED, ground, search
from tests.sharing import shared_system

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
    random, size, facts, spans = Random(seed), 6, [], []
    for sentence in (1, 2):
        start = random.randrange(1, size)
        facts += [f"merged({sentence},{start})", f"chunk({sentence},1..{size})"]
        single = [f"run({chunk},{chunk})" for chunk in range(1, size + 1)]
        spans.append([*single, f"run({start},{start + 1})"])
    for pair in map(",".join, product(*spans)):
        facts.append(f"worth({pair},{random.choice((2, 2, 2, 3, 5))})")
        for label in ("equi", "simi", "rel"):
            facts.append(f"label_worth({pair},{label},{random.choice((-1, 2, 2, 3))})")
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
def test_chunks_that_are_all_the_same_are_aligned_in_their_order():
    (answer,) = shared_system("headlines").solve_many([make_repeated_pair(40)])
    lines = [(line.tokens1, line.tokens2) for line in answer.alignments if line.label.aligned]
    assert (answer.optimal, len(lines), lines) == (True, 40, sorted(lines))
