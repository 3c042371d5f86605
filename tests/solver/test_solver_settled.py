"""Labels settled while grounding, and prices of chunks, leave the best answers as they are."""

import random
from itertools import product
from random import Random

import pytest
from clingo.ast import parse_string

from benchmarks.synthetic import make_repeated_pair
from ists_asp.model import Label
from ists_asp.rules import load_program
from ists_asp.solver import Solver
from ists_asp.solver.bounds import DualValues
from ists_asp.solver.pairing import settle
from ists_asp.solver.search import CORE_GUIDED, ground, search
from ists_asp.solver.statements import Shapes
from tests.sharing import cases, shared_system
from tests.solver.conftest import item, token_facts

LABELS = ("equi", "oppo", "spe", "simi", "rel")
JUDGEMENT = """
proposed(run(I,I),run(J,J)) :- near(I,J,_).
token_count(X,Y,2) :- proposed(X,Y).
evidence(pair(run(I,I),run(J,J)),near,V) :- near(I,J,V).
evidence(link(X,Y),here,100) :- proposed(X,Y).
evidence(side(1,run(I,I),run(J,J)),first,V) :- product(I,J,V).
evidence(side(2,run(I,I),run(J,J)),second,V) :- norm(I,J,V,_).
weight(near,align,3).
"""
FORBIDDEN = "forbidden_label(run(I,I),run(J,J),L) :- glued(I,J,N), nth(N,L).\n" + "".join(
    f"nth({number},{label}).\n"
    for number, label in enumerate(("equi", "oppo", "spe1", "spe2", "simi", "rel"))
)
SIZE = 4
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


@pytest.fixture
def load(rules_of):
    return lambda text: rules_of("decide.lp", rules=JUDGEMENT + text)


def weights(chance):
    """Few values, so that labels and scores are often as good as others."""
    sides = ("this_spe", "other_spe", "simi", "score")
    drawn = [
        *(("near", label, (-50, 0, 0, 50)) for label in LABELS),
        *(("here", label, (-50, 0, 0, 50)) for label in LABELS),
        *((name, label, (-50, 0, 50)) for name in ("first", "second") for label in sides),
        *((f"label({label})", "score", (50, 150, 250, 320)) for label in LABELS),
    ]
    return "".join(f"weight({n},{label},{chance.choice(values)}).\n" for n, label, values in drawn)


def make_items(chance, count):
    """Pairs of four tokens a side, of which some are near one another."""
    tokens = range(1, SIZE + 1)
    for number in range(1, count + 1):
        facts = [*token_facts(SIZE, SIZE)]
        for first, second in product(tokens, tokens):
            for form, share, values in (
                ("near({},{},{})", 0.6, (50, 100)),
                ("product({},{},{})", 0.5, (0, 100)),
                ("norm({},{},{},1)", 0.3, (0, 100)),
            ):
                if chance.random() < share:
                    facts.append(form.format(first, second, chance.choice(values)))
            for label in range(6):
                if chance.random() < chance.choice((0.1, 0.1, 0.1, 0.9)):
                    facts.append(f"glued({first},{second},{label})")
        yield item(number, ",".join(facts), (SIZE, SIZE))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_settled_answers_are_those_of_the_choices(load, seed):
    chance = random.Random(seed)
    solver = Solver(load(FORBIDDEN + weights(chance)))
    pairs = list(make_items(chance, 6))
    assert solver._batches._paired.settled != solver._batches._paired.statements
    together = [solution and solution.answers for solution in solver._batches.solve(pairs)]
    alone = [solver.solve(*pair).answers for pair in pairs]
    assert together == alone
    labels = {line.label for answers in alone for line in answers[0].alignments}
    assert len(labels - {Label.NOALI}) > 1


# Rules that speak of labels or scores.
@cases("""
text
:- label(X,Y,oppo).
:~ score(X,Y,1). [1@1,X,Y]
odd(X) :- label(X,_,rel).
forbidden_score(X,Y,1) :- proposed(X,Y).
{ score(X,Y,0) } :- aligned(X,Y).
aligned(run(1,1),run(1,1)) :- proposed(run(1,1),run(1,1)).
label(run(1,1),run(1,1),equi).
near_enough(X) :- closeness(X,_,_,P), P > 300.
#minimize { 1@2,X,Y : label(X,Y,rel), viable(X,Y) }.
_objective_priority(9) :- viable(X,Y).
_settled_label(1,1,rel).
""")
def test_rules_that_speak_of_labels_or_scores_keep_the_choices(load, text):
    rules = load(text)
    solver = Solver(rules)
    assert settle(rules, solver.program, Shapes()) is None
    assert solver._batches._paired.settled == solver._batches._paired.statements


@pytest.mark.parametrize(
    "text", ["", "forbidden_label(X,Y,oppo) :- proposed(X,Y).", ":- aligned(X,X)."]
)
def test_other_rules_do_not(load, text):
    rules = load(text)
    assert settle(rules, Solver(rules).program, Shapes()) is not None


@pytest.mark.parametrize("profile", ["headlines", "answers-students", "es"])
def test_labels_of_shipped_profiles_are_settled(profile):
    _, rules = load_program(profile)
    assert settle(rules, Solver(rules).program, Shapes()) is not None


def test_a_label_that_no_order_knows_is_left_to_the_choices(load):
    solver = Solver(load("licences. licensed(X,Y,odd,any) :- viable(X,Y)."))
    assert solver._batches.solve(list(make_items(random.Random(1), 3))) is None


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
