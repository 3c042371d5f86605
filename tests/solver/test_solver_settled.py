"""Labels and scores that are settled while grounding are those that choices give."""

import random

import pytest
from clingo import parse_term

from ists_asp.io.text import make_sentence
from ists_asp.model import Label, Pair
from ists_asp.resources import asp_dir
from ists_asp.rules import find_rules, load_program, load_rules
from ists_asp.rules.source import RuleSource
from ists_asp.solver import Solver, SolverOptions
from ists_asp.solver.pairing import settle
from ists_asp.solver.statements import Shapes

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


def rules_of(tmp_path, text):
    (tmp_path / "rules.lp").write_text(text)
    core = RuleSource(
        asp_dir().resolve() / "decide.lp", "asp/decide.lp", asp_dir().resolve(), "asp"
    )
    return load_rules([core, *find_rules(tmp_path / "rules.lp")])


def weights(chance):
    """Few values, so that labels and scores are often as good as others."""
    return (
        "".join(
            f"weight({name},{label},{chance.choice((-50, 0, 0, 50))}).\n"
            for name in ("near", "here")
            for label in LABELS
        )
        + "".join(
            f"weight({name},{label},{chance.choice((-50, 0, 50))}).\n"
            for name in ("first", "second")
            for label in ("this_spe", "other_spe", "simi", "score")
        )
        + "".join(
            f"weight(label({label}),score,{chance.choice((50, 150, 250, 320))}).\n"
            for label in LABELS
        )
    )


def items(chance, count):
    found = []
    for number in range(1, count + 1):
        facts = ["chunked"]
        for side in (1, 2):
            for token in range(1, SIZE + 1):
                facts += [
                    f'token({side},{token},"w{token}")',
                    f'part({side},{token},1,"w{token}","w{token}",noun,nn)',
                    f"given_boundary({side},{token})",
                ]
        for first in range(1, SIZE + 1):
            for second in range(1, SIZE + 1):
                if chance.random() < 0.6:
                    facts.append(f"near({first},{second},{chance.choice((50, 100))})")
                if chance.random() < 0.5:
                    facts.append(f"product({first},{second},{chance.choice((0, 100))})")
                if chance.random() < 0.3:
                    facts.append(f"norm({first},{second},{chance.choice((0, 100))},1)")
                facts += [
                    f"glued({first},{second},{label})"
                    for label in range(6)
                    if chance.random() < chance.choice((0.1, 0.1, 0.1, 0.9))
                ]
        sentence = make_sentence([f"w{token}" for token in range(1, SIZE + 1)])
        found.append(
            (Pair(str(number), sentence, sentence), parse_term(f"({','.join(facts)},)").arguments)
        )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_settled_answers_are_those_of_the_choices(tmp_path, seed):
    chance = random.Random(seed)
    rules = rules_of(tmp_path, JUDGEMENT + FORBIDDEN + weights(chance))
    solver = Solver(rules, SolverOptions())
    pairs = items(chance, 6)
    assert solver._batches is not None
    assert solver._batches._paired.settled != solver._batches._paired.statements
    together = solver._batches.solve(pairs)
    assert together is not None
    alone = [solver.solve(*pair).answers for pair in pairs]
    assert [found and found.answers for found in together] == alone
    found = {line.label for answers in alone for line in answers[0].alignments}
    assert len(found - {Label.NOALI}) > 1


@pytest.mark.parametrize(
    "text",
    [
        *(":- label(X,Y,oppo).", ":~ score(X,Y,1). [1@1,X,Y]", "odd(X) :- label(X,_,rel)."),
        *("forbidden_score(X,Y,1) :- proposed(X,Y).", "{ score(X,Y,0) } :- aligned(X,Y)."),
        "aligned(run(1,1),run(1,1)) :- proposed(run(1,1),run(1,1)).",
        *("label(run(1,1),run(1,1),equi).", "near_enough(X) :- closeness(X,_,_,P), P > 300."),
        "#minimize { 1@2,X,Y : label(X,Y,rel), viable(X,Y) }.",
        *("_objective_priority(9) :- viable(X,Y).", "_settled_label(1,1,rel)."),
    ],
)
def test_rules_that_speak_of_labels_or_scores_keep_the_choices(tmp_path, text):
    rules = rules_of(tmp_path, JUDGEMENT + text)
    solver = Solver(rules, SolverOptions())
    assert settle(rules, solver.program, Shapes()) is None
    assert solver._batches is not None
    assert solver._batches._paired.settled == solver._batches._paired.statements


@pytest.mark.parametrize(
    "text", ["", "forbidden_label(X,Y,oppo) :- proposed(X,Y).", ":- aligned(X,X)."]
)
def test_other_rules_do_not(tmp_path, text):
    rules = rules_of(tmp_path, JUDGEMENT + text)
    assert settle(rules, Solver(rules, SolverOptions()).program, Shapes()) is not None


@pytest.mark.parametrize("profile", ["headlines", "answers-students", "es"])
def test_labels_of_shipped_profiles_are_settled(profile):
    _, rules = load_program(profile)
    assert settle(rules, Solver(rules).program, Shapes()) is not None


def test_a_label_that_no_order_knows_is_left_to_the_choices(tmp_path):
    rules = rules_of(tmp_path, JUDGEMENT + "licences. licensed(X,Y,odd,any) :- viable(X,Y).")
    solver = Solver(rules, SolverOptions())
    assert solver._batches is not None
    assert solver._batches.solve(items(random.Random(1), 3)) is None
