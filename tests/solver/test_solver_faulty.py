"""Rules that lead to no answer: the pair fails, its rules are named, and no other pair is touched.

The machine of ``asp/`` decides sentences of given chunks, one token each, by rules of a test.
"""

import pytest
from clingo import parse_term

from ists_asp.errors import AnswerError, IstsError, RuleError, WeightsError
from ists_asp.resources import asp_dir
from ists_asp.solver import Solver, bounds
from tests.sharing import cases
from tests.solver.conftest import item, token_facts

# Chunks of the same number are aligned; the first two are equivalent.
RULES = """
proposed(run(C,C),run(D,D)) :- chunk(1,C), chunk(2,D), C = D.
token_count(X,Y,1) :- proposed(X,Y).
evidence(pair(run(C,C),Y),first,100) :- proposed(run(C,C),Y), C <= 2.
evidence(pair(X,Y),all,100) :- proposed(X,Y).
weight(all,align,10). weight(first,equi,10). weight(all,rel,5). weight(label(rel),score,200).
"""
ALL = "proposed(run(C,C),run(D,D)) :- chunk(1,C), chunk(2,D). "
SIZES = {"a": (1, 1), "b": (3, 2), "c": (2, 3), "d": (5, 5), "many": (8, 8)}
"""The numbers of tokens of each pair."""

*ITEMS, MANY = (item(name, ",".join(token_facts(*SIZES[name])), SIZES[name]) for name in SIZES)
BOMB = "bomb :- token(1,5,_). "
BOTH = "proposed(X,Y), label_type(L)"
SOUND = """
span_chunk(S,X,99) :- span(S,X).
merge(S,run(C,99)) :- chunk(S,C).
free(S,C) :- chunk(S,C).
aligned(run(C,C),run(C,C)) :- chunk(1,C), chunk(2,C), C < 3.
#maximize{ 2147483647@9,I,S : token(S,I,_) }.
:~ aligned(X,Y). [-2000000000@9,X,Y]
{ tag(X,Y,(fact;pol)) } = 1 :- aligned(X,Y).
{ tag(X,Y,fact) } :- aligned(X,Y). a :- not b. b :- not a.
-aligned(X,Y) :- proposed(X,Y), X > Y. #show -aligned/2. -label(1,1,1). #show -label/3.
#show proposed/2. #show "label(1,1,1)". #show noali(3) : chunk(1,1).
"""
"""Rules that are odd, and have an answer; the first four forbid prices of alignments."""


@pytest.fixture
def solver(rules_of):
    """Make a solver of the machine, the rules above, and those of a user."""
    return lambda text: Solver(rules_of("decide.lp", rules=RULES, mine=text))


def outcome(decide):
    try:
        return decide().answers
    except IstsError as error:
        return type(error), str(error)


def outcomes_in_company(solver, items):
    """What becomes of each pair of a company; the pairs after a failure are decided anew."""
    outcomes = {}
    while len(outcomes) < len(items):
        solutions = solver.solve_all(items[len(outcomes) :])
        for pair, _ in items[len(outcomes) :]:
            outcomes[pair.id] = outcome(lambda solutions=solutions: next(solutions))
            if isinstance(outcomes[pair.id][0], type):
                break
    return outcomes


def check_company(solver, *more):
    """What becomes of each pair, which is the same alone, with all others, and with ``more``."""
    alone = {item[0].id: outcome(lambda item=item: solver.solve(*item)) for item in ITEMS}
    for items in (ITEMS, *more):
        found = outcomes_in_company(solver, items)
        assert found == {pair.id: alone[pair.id] for pair, _ in items}
    return alone


def test_the_machine_answers(solver):
    alone = check_company(solver(""))
    assert [str(line.label) for line in alone["d"][0].alignments] == ["EQUI"] * 2 + ["REL"] * 3
    assert [line.score for line in alone["d"][0].alignments] == [5, 5, 2, 2, 2]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "rules"), list(enumerate(SOUND.strip().splitlines())))
def test_every_pair_has_the_same_answer_in_every_company(solver, number, rules, monkeypatch):
    if number < 4:
        monkeypatch.setattr(bounds, "_FEW", 1)
    for name, answers in check_company(solver(rules), ITEMS[::-1], ITEMS[1:]).items():
        assert number < 4 or answers[0].optimal, name


def test_costs_beyond_32_bits_are_told_in_full(solver):
    alone = check_company(solver("#maximize{ 2147483647@9,I,S : token(S,I,_) }."))
    assert alone["d"][0].cost[0] == -(2**31 - 1) * sum(SIZES["d"])


# Rules, and below them what is said of the pair that they break.
@pytest.mark.slow
@cases(r"""
rules | message
label(X,Y,simi) :- aligned(X,Y), bomb. forbidden_label(X,Y,simi) :- proposed(X,Y), bomb.
    an alignment has 2 labels: equi, simi; label(run(1,1),run(1,1),simi) comes from mine.lp:1
label(X,Y,"s") :- proposed(X,Y), bomb.
    label(run(1,1),run(1,1),"s") comes from mine.lp:1
licensed(X,Y,odd,m) :- proposed(X,Y), bomb. forbidden_label(X,Y,L) :- B(X,Y,L), bomb.
    an alignment has no such label; label(run(1,1),run(1,1),odd) comes from mine.lp:1
label(X,Y,noali) :- aligned(X,Y), bomb.
    label(run(1,1),run(1,1),noali) comes from mine.lp:1
score(X,Y,3) :- aligned(X,Y), bomb.
    an alignment has 2 scores: 3, 5; score(run(1,1),run(1,1),3) comes from mine.lp:1
\n%@rule my_score: "a score"\nscore(X,Y,99) :- aligned(X,Y), bomb.
    score(run(1,1),run(1,1),99) comes from my_score (mine.lp:3)
first(1,99,3) :- bomb.
    first(1,99,3) comes from mine.lp:1
chunk(1,99) :- bomb.
    there is no such chunk; noali(1,99) comes from mine.lp:1
span_token(1,X,99) :- aligned(X,_), bomb.
    sentence 1 has no such token; span_token(1,run(1,1),99) comes from mine.lp:1
token(1,99,"x") :- bomb.
    sentence 1 has no such token; span_token(1,run(5,5),6) comes from mine.lp:1
\nviable(f,f) :- bomb, not viable(f,f).
    the rules admit no answer set, for these cannot all hold: mine.lp:1; mine.lp:2. Loosen
span_token(1,X,1) :- aligned(X,_), bomb.
    span_token(1,run(2,2),1) comes from mine.lp:1
aligned("x",1) :- bomb.
    aligned("x",1) comes from mine.lp:1
noali(1,1) :- bomb.
    a chunk is on two lines; noali(1,1) comes from mine.lp:1
{ tag(X,Y,T) : T = (1;f(X)) } = 2 :- aligned(X,Y), bomb.
    tag(run(1,1),run(1,1),1) comes from mine.lp:1
score(X,Y,7) ; score(X,Y,8) :- aligned(X,Y), bomb.
     comes from mine.lp:1
1 <= #count{ Z : score(X,Y,Z) : Z = 8 } :- aligned(X,Y), bomb.
    score(run(1,1),run(1,1),8) comes from mine.lp:1
#show label(X,Y,rel) : aligned(X,Y), bomb.
    label(run(1,1),run(1,1),rel) comes from mine.lp:1
score(X,Y,8..9) :- aligned((X;X),Y), label(X,_,_), not noali(_,77), bomb.
    score(run(1,1),run(1,1),8) comes from mine.lp:1
#maximize{ 2147483647@5,I : bomb, aligned(_,_), I = 1..3 }.
    arithmetic overflow: weights add up to more than clingo can count
ALL #maximize{ 2147483647@9,S,I : token(S,I,_), bomb, aligned(_,_) }. | ; look at mine.lp:1.
big :- #sum{ 2147483647,X : aligned(X,_), bomb } > 5.
    arithmetic overflow: weights add up to more than clingo can count
ALL :- #sum{2147483647,X,Y : aligned(X,Y), bomb} > 5. | ; look at mine.lp:1.
:- bomb.
    the rules admit no answer set
""")
def test_the_pair_fails_and_no_other(solver, rules, message):
    for short, long in (("\\n", "\n"), ("B(X,Y,L)", BOTH), ("ALL ", ALL)):
        rules = rules.replace(short, long)
    alone = check_company(solver(BOMB + rules))
    assert [key for key, found in alone.items() if isinstance(found[0], type)] == ["d"]
    kind, text = alone["d"]
    assert issubclass(kind, WeightsError if "; look at" in message else IstsError)
    assert text.startswith("pair d: ")
    assert message in text
    assert "\n" not in text
    assert str(asp_dir()) not in text


def test_shipped_rules_are_named_where_no_other_is_to_blame(solver):
    pair, facts = ITEMS[0]
    with pytest.raises(AnswerError, match=r"first\(1,2,9\) comes from chunk_begins \(asp/chunks"):
        solver("").solve(pair, (*facts, parse_term("given_boundary(1,9)")))


def test_an_error_of_grounding_names_the_rule_as_the_user_does(solver):
    made = solver("\nfoo(X) :- not token(1,1,X).")
    with pytest.raises(RuleError, match=r"^pair a: mine\.lp:2:1: the variable is unsafe: X\. Use"):
        made.solve(*ITEMS[0])


@pytest.mark.slow
@cases("""
rules
label(X,Y,"s") :- proposed(X,Y).
score(X,Y,"s") :- proposed(X,Y).
label(X,Y,L) :- label_type(L), proposed(X,Y).
aligned(f(1),#sup). label(1). score(1,2).
#maximize{ 2147483647@4,X,Y : aligned(X,Y) }.
#minimize{ -2147483648@4,X,Y : aligned(X,Y) }.
#maximize{ 1@4,X : aligned(X,Y); 2147483647@4,x,X : aligned(X,Y) }.
""")
def test_prices_of_many_alignments_take_whatever_rules_derive(solver, rules):
    kind, text = outcome(lambda: solver(ALL + rules).solve(*MANY))
    assert issubclass(kind, RuleError)
    assert "comes from mine.lp:1" in text or "arithmetic overflow" in text


@pytest.mark.slow
@cases("""
rules
span_chunk("x",Y,"z") :- proposed(_,Y).
span_chunk(1,Y,f(Y)) :- proposed(Y,_).
viable(X,X) :- X = (1;2;3).
score_weight(f(X),Y,1,2) :- proposed(X,Y). aligned(1,2,3).
""")
def test_prices_do_not_mind_what_makes_no_difference(solver, rules):
    (answer,), (plain,) = (solver(ALL + more).solve(*MANY).answers for more in (rules, ""))
    assert answer.alignments == plain.alignments
    assert len(answer.alignments) == SIZES["many"][0]


# The product of the first two with a weight would come round to a small number.
@pytest.mark.slow
@cases("""
rule | named
ALL token_count(X,Y,2147483647) :- proposed(X,Y). | token_count(run(
ALL evidence(pair(X,Y),all,214748365) :- proposed(X,Y). | evidence(pair(run(
weight(huge,score,2147483647) :- token(1,1,_). | weight(huge,score,2147483647)
label_weight(X,Y,equi,-2147483648) :- viable(X,Y). | label_weight(run(
""")
def test_numbers_that_clingo_cannot_add_up_are_named(solver, rule, named):
    for kind, text in check_company(solver(rule.replace("ALL ", ALL))).values():
        assert issubclass(kind, AnswerError)
        assert "arithmetic overflow: a number is too large to be added up; " + named in text
        assert " comes from mine.lp:1" in text
