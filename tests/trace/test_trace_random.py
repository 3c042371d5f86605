"""Random rule texts: what the trace says fired is what fires by the meaning of the rules."""

import random
from collections import defaultdict

import pytest

from tests.trace.conftest import CHUNKS

HEADER = CHUNKS.count("\n")
DOMAIN = (1, 2, 3)
LAYERS = (("a", "b"), ("c", "d"), ("e", "f"))


def extent(model, name):
    return {values[0] for found, values in model if found == name and len(values) == 1}


def has(model, name, value):
    return value in extent(model, name)


# A literal is its text over X and whether it holds for a value of X.
def literals(rng, names):
    p, q = rng.choice(names), rng.choice(names)
    bound = rng.randint(0, 4)
    return rng.choice(
        [
            (f"{p}(X)", lambda m, x: has(m, p, x)),
            (f"{p}(X)", lambda m, x: has(m, p, x)),
            (f"not {p}(X)", lambda m, x: not has(m, p, x)),
            (f"not not {p}(X)", lambda m, x: has(m, p, x)),
            (f"{p}(_)", lambda m, x: bool(extent(m, p))),
            (f"not {p}(_)", lambda m, x: not extent(m, p)),
            (f"X < {bound}", lambda m, x: x < bound),
            (f"{p}((X;X+1))", lambda m, x: has(m, p, x) or has(m, p, x + 1)),
            (f"{p}(X-1..X)", lambda m, x: has(m, p, x) or has(m, p, x - 1)),
            (f"not {p}((X;1))", lambda m, x: not has(m, p, x) or not has(m, p, 1)),
            (f"{p}(Z) : {q}(Z)", lambda m, x: extent(m, q) <= extent(m, p)),
            (f"not {p}(Z) : {q}(Z), Z != X", lambda m, x: not (extent(m, q) - {x}) & extent(m, p)),
            (f"#sum{{ Z : {p}(Z) }} > {bound}", lambda m, x: sum(extent(m, p)) > bound),
            (
                f"1 <= #count{{ Z : {p}(Z), not {q}(Z) }} <= 2",
                lambda m, x: 1 <= len(extent(m, p) - extent(m, q)) <= 2,
            ),
            (
                f"not #max{{ Z : {p}(Z); X }} > {bound}",
                lambda m, x: max(extent(m, p) | {x}) <= bound,
            ),
            (
                f"2 {{ {p}(X); {q}(2); {p}(1) }}",
                lambda m, x: len({(p, (x,)), (p, (1,)), (q, (2,))} & m) > 1,
            ),
        ]
    )


def program(rng):
    """The lines of a text, and for each what it derives: functions from a model to atoms."""
    lines = ["dom(1..3).", "{ a(X) : dom(X) }.", "1 { b(X) : dom(X) } 2."]
    derives = {
        line: lambda m, name=name: {(name, (x,)) for x in extent(m, name)}
        for line, name in ((2, "a"), (3, "b"))
    }
    derives[1] = lambda _: {("dom", (x,)) for x in DOMAIN}
    for layer in (1, 2):
        below = [name for names in LAYERS[:layer] for name in names]
        for _ in range(rng.randint(2, 5)):
            head, other = rng.choice(LAYERS[layer]), rng.choice(LAYERS[layer])
            body = [literals(rng, below) for _ in range(rng.randint(1, 3))]
            if rng.random() < 0.3:
                # Plain recursion within a layer.
                body.append((f"{other}(X)", lambda m, x, p=other: has(m, p, x)))
            kind = rng.choice(["rule", "rule", "choice", "disjunction"])
            condition = "; ".join(text for text, _ in body)
            lines.append(
                {
                    "rule": f"{head}(X) :- dom(X); {condition}.",
                    "choice": f"{{ {head}(X); {other}(X+1) }} :- dom(X); {condition}.",
                    "disjunction": f"{head}(X); {other}(1) :- dom(X); {condition}.",
                }[kind]
            )
            derives[len(lines)] = lambda m, kind=kind, head=head, other=other, body=body: {
                atom
                for x in DOMAIN
                if all(holds(m, x) for _, holds in body)
                for atom in _heads(m, kind, head, other, x)
            }
    lines.append("#maximize{ X@2,X : e(X); 1@1 : c(1) }.")
    return lines, derives


def _heads(model, kind, head, other, x):
    first, second = (head, (x,)), (other, (x + 1 if kind == "choice" else 1,))
    if kind == "rule":
        return {first}
    true = {first, second} & model
    return true if kind == "choice" or len(true) == 1 else set()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_firings_are_those_of_the_meaning(trace, seed):
    lines, derives = program(random.Random(seed))
    text = "\n".join(lines) + "\n"
    found = trace(text)
    model = {
        (atom.name, tuple(part.number for part in atom.arguments))
        for atom in found.true
        if atom.name != "first"
    }
    said = defaultdict(set)
    for table in (found.firings, found.tables):
        for head, firings in table.by_head.items():
            for firing in firings:
                values = tuple(part.number for part in head.arguments)
                said[firing.probe.rule.line - HEADER].add((head.name, values))
    for line, meaning in derives.items():
        assert said[line] == meaning(model), lines[line - 1]
    for atom in found.true:
        for firing in found.reasons(atom)[:1]:
            assert all(found.rank(below) < found.rank(atom) for below in firing.positive)
