"""Answers that are kept are those that a run from scratch finds, whatever was edited."""

import random
from dataclasses import replace

import pytest

from ists_asp.engine.program import Program, reading_for
from ists_asp.errors import IstsError
from ists_asp.io.store import Store
from ists_asp.rules import Purpose
from ists_asp.rules.loader import load_rules
from ists_asp.rules.source import find_rules
from ists_asp.solver import SolverOptions
from ists_asp.solver.batch import BATCH
from tests.solver.test_solver_pairing import BASE

INPUT = """
#defined d/2. #defined n/1. #defined w/2. #defined t/1. #defined u/2.
#defined a/1. #defined b/1. #defined c/2. #defined h/1.
#minimize{ S@-9,S : noali(S,1) }.
"""
WORDS = ("red", "blue", "green")
PAIRS = (
    *('d(1,3),d(2,1),w(1,"red")', 'w(2,"blue"),n(1)', 'd(1,2),n(2),w(1,"blue"),w(2,"red")'),
    *("d(2,2),d(2,3),d(1,1),n(1)", 'w(1,"green"),d(3,3)', 'n(1),n(2),n(3),w(2,"red"),d(1,1)'),
)


class Chance(random.Random):
    """Makes statements."""

    def term(self):
        return self.choice(["X", "X", "1", "2", "3", "k", "_", "X+1", "(1;3)"])

    def safe(self):
        """A literal that gives X a value."""
        return self.choice(
            [
                *("d(X,_)", "d(_,X)", "n(X)", "t(X)"),
                f'w(X,"{self.choice(WORDS)}")',
                *("a(X)", "b(X)", "c(X,_)", "c(1,X)", "h(X)", "u(_,X)", "X = 1..2"),
                *("w(X,W), u(W,_)", "w(S,W), u(W,X)", "X = #max{ Y : d(Y,_) }, X = 1..3"),
            ]
        )

    def literal(self):
        return self.choice(
            [
                f"d({self.term()},{self.term()})",
                f"n({self.term()})",
                f'w({self.term()},"{self.choice(WORDS)}")',
                f"a({self.term()})",
                f"b({self.term()})",
                f"t({self.term()})",
                *("noali(1,1)", "h(X)", "not a(X)", "not b(1)", "not n(X)", "not noali(2,1)"),
                "not t(X)",
                'not w(1,("red";"blue"))'.replace('("red";"blue")', '"red"'),
                *("X > 1", "X != k", "#count{ Y : d(X,Y) } > 1"),
                *("#sum{ Y,Z : d(Y,Z), not t(Y) } < k+2", "1 { h(Y) : t(Y) }", "a(Y) : t(Y)"),
                *("not b(Y) : n(Y)", "not not a(X)"),
            ]
        )

    def body(self):
        return ", ".join([self.safe(), *(self.literal() for _ in range(self.randint(0, 2)))])

    def statement(self):
        kind = self.randrange(12)
        if kind < 4:
            head = self.choice(["a(X)", "b(X)", "c(X,1)", "c(2,X)", "a(X+1)", "b((X;2))"])
            # Without a bound a(X+1) may follow from a(X) for ever.
            return f"{head} :- X < 5, {self.body()}."
        if kind < 6:
            return f"{{ h(X) : n(X), {self.literal()} }} :- {self.body()}."
        if kind == 6:
            return f":- {self.body()}, {self.choice(['noali(1,1)', 'not noali(2,1)', 'h(X)'])}."
        if kind < 9:
            weight = self.choice(["X", "1", "-2", "k"])
            what = self.choice(["noali(1,1)", "h(X)", "alic(2,1)"])
            return f":~ {self.body()}, {what}. [{weight}@1,X]"
        if kind == 9:
            return self.choice(["a(2).", "n(2).", "b(1).", "d(2,k).", 'w(1,"red").'])
        return self.choice(
            [
                f"t({self.randint(1, 3)}).",
                f't("{self.choice(WORDS)}").',
                f'u("{self.choice(WORDS)}",{self.randint(1, 3)}).',
                f"t(X) :- u(_,X), X > {self.randint(0, 2)}.",
                "u(X,Y) :- t(X), t(Y), X < Y, not t(3).",
            ]
        )

    def edited(self, statements):
        """Statements with one to three of them changed, the constant included."""
        found = list(statements)
        for _ in range(self.choice([1, 1, 2, 3])):
            kind = self.randrange(4)
            if kind == 0:
                found[0] = f"#const k = {self.randint(1, 3)}."
            elif kind == 1 and len(found) > 2:
                del found[self.randrange(1, len(found))]
            elif kind == 2 and len(found) > 2:
                found[self.randrange(1, len(found))] = self.statement()
            else:
                found.insert(self.randrange(1, len(found) + 1), self.statement())
        return found


@pytest.fixture
def decide(tmp_path):
    """Decide pairs by statements, with what an earlier call has kept or without."""
    store = Store(tmp_path / "cache")

    def decide(statements, items, *, kept=True, **options):
        (tmp_path / "rules.lp").write_text(BASE + INPUT + "\n".join(statements))
        where = find_rules(tmp_path / "rules.lp")
        try:
            rules = load_rules(where, store=store if kept else None, family="test")
            reading = reading_for(Purpose.ANSWER, rules, {})
            found = list(Program(rules, SolverOptions(**options), reading, keeps=True).run(items))
        except IstsError as error:
            return [str(error)], []
        return [
            str(one) if isinstance(one, IstsError) else replace(one.answers[0], pair=items[0][0])
            for one in found
        ], found

    return decide


def try_edits(decide, items, seeds, *, least=0.0):
    """Edit random rules, and compare what is kept with a run from scratch."""
    kept = 0
    for seed in seeds:
        chance = Chance(seed)
        statements = ["#const k = 2.", *(chance.statement() for _ in range(6))]
        decide(statements, items)
        statements = chance.edited(statements)
        answers, found = decide(statements, items)
        assert answers == decide(statements, items, kept=False)[0], (seed, statements)
        kept += sum(1 for one in found if getattr(one, "kept", False))
    assert kept >= least * len(items) * len(seeds)


@pytest.mark.slow
def test_after_random_edits_answers_are_those_of_a_run_from_scratch(decide, items):
    try_edits(decide, items(*PAIRS), range(12))


@pytest.mark.slow
@pytest.mark.long
def test_after_many_random_edits_answers_are_those_of_a_run_from_scratch(decide, items):
    try_edits(decide, items(*PAIRS), range(1000, 1300))


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
    decide, items, before, after, constants
):
    pairs = items("n(7)", "n(x)", "n(y)", "n(3)")
    decide([LIKES, *before], pairs, constants=constants)
    answers, _ = decide([LIKES, *after], pairs, constants=constants)
    scratch = decide([LIKES, *after], pairs, kept=False, constants=constants)[0]
    assert answers == scratch
    assert answers != decide([LIKES, *before], pairs, kept=False, constants=constants)[0]


def test_an_edit_touches_the_right_pairs_in_many_batches(decide, items):
    # More than are looked up at a time.
    pairs = items(*(f"n({number})" for number in range(4 * BATCH + 50)))
    decide([LIKES], pairs)
    touched = {3, BATCH - 1, BATCH, 4 * BATCH - 1, 4 * BATCH, 4 * BATCH + 49}
    edit = f":~ n({';'.join(map(str, touched))}), noali(1,1). [1@5]"
    answers, found = decide([LIKES, edit], pairs)
    assert {number for number, one in enumerate(found) if not one.kept} == touched
    assert answers == decide([LIKES, edit], pairs, kept=False)[0]
    assert all((answers[number] != answers[0]) == (number in touched) for number in range(1, 450))
