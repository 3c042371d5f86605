"""Random rule texts: what the trace says fired is what clingo derives from the atoms that hold."""

import random
from collections import defaultdict

import pytest
from clingo import Control

from tests.trace.conftest import CHUNKS

HEADER = CHUNKS.count("\n")
LAYERS = ("ab", "cd", "ef")
LITERALS = """
{p}(X)
{p}(X)
not {p}(X)
not not {p}(X)
{p}(_)
not {p}(_)
X < {n}
{p}((X;X+1))
{p}(X-1..X)
not {p}((X;1))
{p}(Z) : {q}(Z)
not {p}(Z) : {q}(Z), Z != X
#sum{{ Z : {p}(Z) }} > {n}
1 <= #count{{ Z : {p}(Z), not {q}(Z) }} <= 2
not #max{{ Z : {p}(Z); X }} > {n}
2 {{ {p}(X); {q}(2); {p}(1) }}
"""


def literal(rng, names):
    form = rng.choice(LITERALS.strip().splitlines())
    return form.format(p=rng.choice(names), q=rng.choice(names), n=rng.randint(0, 4))


def program(rng):
    """The lines of a text, and rules by which ``fired(line,atom)`` follows from a model."""
    lines = ["dom(1..3).", "{ a(X) : dom(X) }.", "1 { b(X) : dom(X) } 2."]
    meaning = ["fired(1,dom(1..3)).", "fired(2,a(X)) :- a(X).", "fired(3,b(X)) :- b(X)."]
    for layer in (1, 2):
        for _ in range(rng.randint(2, 5)):
            head, other = (rng.choice(LAYERS[layer]) for _ in range(2))
            body = [literal(rng, "".join(LAYERS[:layer])) for _ in range(rng.randint(1, 3))]
            # Plain recursion within a layer.
            body = "; ".join(["dom(X)", *body, *[f"{other}(X)"] * (rng.random() < 0.3)])
            # A chosen atom is true; of a disjunction nothing else is.
            form, atoms, true = rng.choice(
                [
                    *[("{}", [f"{head}(X)"], "#true")] * 2,
                    ("{{ {} }}", [f"{head}(X)", f"{other}(X+1)"], "{0}"),
                    ("{}", [f"{head}(X)", f"{other}(1)"], "{0}; {{ {1} }} = 1"),
                ]
            )
            both = "; ".join(atoms)
            lines.append(f"{form.format(both)} :- {body}.")
            for atom in atoms:
                given = true.format(atom, both)
                meaning.append(f"fired({len(lines)},{atom}) :- {given}; {body}.")
    return [*lines, "#maximize{ X@2,X : e(X); 1@1 : c(1) }."], meaning


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_firings_are_those_of_the_meaning(trace, seed):
    lines, meaning = program(random.Random(seed))
    found = trace("\n".join(lines) + "\n")
    control = Control(logger=lambda *_: None)
    control.add("\n".join([*meaning, *(f"{atom}." for atom in found.true)]))
    control.ground()
    expected, said = defaultdict(set), defaultdict(set)
    for fired in control.symbolic_atoms.by_signature("fired", 2):
        line, atom = fired.symbol.arguments
        expected[line.number].add(str(atom))
    for table in (found.firings, found.tables):
        for head, firings in table.by_head.items():
            for firing in firings:
                said[firing.probe.rule.line - HEADER].add(str(head))
    for number, line in enumerate(lines, 1):
        assert said[number] == expected[number], line
    for atom in found.true:
        for firing in found.reasons(atom)[:1]:
            assert all(found.rank(below) < found.rank(atom) for below in firing.positive)
