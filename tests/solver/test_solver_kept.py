"""Answers that are kept are those that a run from scratch finds, whatever was edited."""

from dataclasses import replace

import pytest

from ists_asp.engine.program import Program, reading_for
from ists_asp.errors import IstsError
from ists_asp.io.store import Store
from ists_asp.rules import Purpose, find_rules, load_rules
from ists_asp.solver import SolverOptions
from ists_asp.solver.batch import BATCH
from tests.solver.conftest import items
from tests.solver.test_solver_pairing import BASE
from tests.tables import Grammar

INPUT = """
#defined d/2. #defined n/1. #defined w/2. #defined t/1. #defined u/2.
#defined a/1. #defined b/1. #defined c/2. #defined h/1.
#minimize{ S@-9,S : noali(S,1) }.
"""
PAIRS = (
    *('d(1,3),d(2,1),w(1,"red")', 'w(2,"blue"),n(1)', 'd(1,2),n(2),w(1,"blue"),w(2,"red")'),
    *("d(2,2),d(2,3),d(1,1),n(1)", 'w(1,"green"),d(3,3)', 'n(1),n(2),n(3),w(2,"red"),d(1,1)'),
)
# Without a bound a(X+1) may follow from a(X) for ever.
STATEMENTS = """
statement 4 | <head> :- X < 5, <body>.
statement 2 | { h(X) : n(X), <literal> } :- <body>.
statement | :- <body>, <decided>.
statement 2 | :~ <body>, <free>. [<weight>@1,X]
statement | <fact>
statement 2 | <table>
body | <binds>
body | <binds>, <literal>
body | <binds>, <literal>, <literal>
literal | d(<term>,<term>)
literal | n(<term>)
literal | w(<term>,<word>)
literal | a(<term>)
literal | b(<term>)
literal | t(<term>)
table | t(<1..3>).
table | t(<word>).
table | u(<word>,<1..3>).
table | t(X) :- u(_,X), X > <0..2>.
table | u(X,Y) :- t(X), t(Y), X < Y, not t(3).
constant | #const k = <1..3>.
"""
CHOICES = {
    "head": ["a(X)", "b(X)", "c(X,1)", "c(2,X)", "a(X+1)", "b((X;2))"],
    "term": ["X", "X", "1", "2", "3", "k", "_", "X+1", "(1;3)"],
    "word": ['"red"', '"blue"', '"green"'],
    # Literals that give X a value, and others.
    "binds": [
        *("d(X,_)", "d(_,X)", "n(X)", "t(X)", "w(X,<word>)", "a(X)", "b(X)", "c(X,_)", "c(1,X)"),
        *("h(X)", "u(_,X)", "X = 1..2", "w(X,W), u(W,_)", "w(S,W), u(W,X)"),
        "X = #max{ Y : d(Y,_) }, X = 1..3",
    ],
    "literal": [
        *("noali(1,1)", "h(X)", "not a(X)", "not b(1)", "not n(X)", "not noali(2,1)", "not t(X)"),
        *('not w(1,"red")', "X > 1", "X != k", "#count{ Y : d(X,Y) } > 1", "1 { h(Y) : t(Y) }"),
        *("#sum{ Y,Z : d(Y,Z), not t(Y) } < k+2", "a(Y) : t(Y)", "not b(Y) : n(Y)", "not not a(X)"),
    ],
    "decided": ["noali(1,1)", "not noali(2,1)", "h(X)"],
    "free": ["noali(1,1)", "h(X)", "alic(2,1)"],
    "weight": ["X", "1", "-2", "k"],
    "fact": ["a(2).", "n(2).", "b(1).", "d(2,k).", 'w(1,"red").'],
}


@pytest.fixture
def decide(tmp_path):
    """Decide pairs by statements, with what an earlier call has kept or without."""
    store = Store(tmp_path / "cache")

    def decide(statements, pairs, *, kept=True, **options):
        (tmp_path / "rules.lp").write_text(BASE + INPUT + "\n".join(statements))
        where = find_rules(tmp_path / "rules.lp")
        try:
            rules = load_rules(where, store=store if kept else None, family="test")
            reading = reading_for(Purpose.ANSWER, rules, {})
            found = list(Program(rules, SolverOptions(**options), reading, keeps=True).run(pairs))
        except IstsError as error:
            return [str(error)], []
        return [
            str(one) if isinstance(one, IstsError) else replace(one.answers[0], pair=pairs[0][0])
            for one in found
        ], found

    return decide


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds", [range(12), pytest.param(range(1000, 1300), marks=pytest.mark.long)]
)
def test_after_random_edits_answers_are_those_of_a_run_from_scratch(decide, seeds):
    pairs = items(*PAIRS)
    for seed in seeds:
        grammar = Grammar(seed, STATEMENTS, **CHOICES)
        statements = [grammar.make("statement") for _ in range(6)]
        decide(["#const k = 2.", *statements], pairs)
        for _ in range(grammar.choice([1, 1, 2, 3])):
            grammar.edit(statements, "statement")
        edited = [grammar.choice(["#const k = 2.", grammar.make("constant")]), *statements]
        answers, _ = decide(edited, pairs)
        assert answers == decide(edited, pairs, kept=False)[0], (seed, edited)


LIKES = ":~ noali(1,1). [-1@4] :~ noali(2,1). [1@4]"
DEAR = ":~ n(m), noali(1,1). [1@5]"


@pytest.mark.parametrize(
    ("before", "after", "constants"),
    [
        (["#const k' = 1. #const m = k'.", DEAR], ["#const k' = 7. #const m = k'.", DEAR], {}),
        (["#const k = x. #const m = x.", DEAR], ["#const k = y. #const m = x.", DEAR], {"m": "k"}),
        (["-a(X) :- n(X)."], ["-a(X) :- n(X).", "a(7)."], {}),
    ],
    ids=["constant with a mark", "constant for a constant", "denied fact"],
)
def test_what_an_edit_touches_without_being_named_is_decided_again(
    decide, before, after, constants
):
    pairs = items("n(7)", "n(x)", "n(y)", "n(3)")
    decide([LIKES, *before], pairs, constants=constants)
    answers, _ = decide([LIKES, *after], pairs, constants=constants)
    old, new = (
        decide([LIKES, *statements], pairs, kept=False, constants=constants)[0]
        for statements in (before, after)
    )
    assert old != answers == new


def test_an_edit_touches_the_right_pairs_in_many_batches(decide):
    # More than are looked up at a time.
    pairs = items(*(f"n({number})" for number in range(4 * BATCH + 50)))
    decide([LIKES], pairs)
    touched = {3, BATCH - 1, BATCH, 4 * BATCH - 1, 4 * BATCH, 4 * BATCH + 49}
    edit = f":~ n({';'.join(map(str, touched))}), noali(1,1). [1@5]"
    answers, found = decide([LIKES, edit], pairs)
    assert {number for number, one in enumerate(found) if not one.kept} == touched
    assert answers == decide([LIKES, edit], pairs, kept=False)[0]
    assert all((answers[number] != answers[0]) == (number in touched) for number in range(1, 450))
