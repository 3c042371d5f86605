"""What is known of a statement by its text is what its syntax tree says."""

import pytest

from ists_asp.solver.statements import Shape
from ists_asp.syntax.trees import Signature, atoms, calls_script, parse, predicates, walk

STATEMENTS = [
    'p(a;b,c;"x;y,(\\"",d).',
    "p(;1).",
    "p(1;;2).",
    'p("").',
    "p(1..2,X) :- X=f(1,2), not q(X,|X|), not not r(_,X;X,2), #true, X < Y, s(X):t(X,Y).",
    "{a(X):b(X,1)} = 1 :- c.",
    "p((1,2)).",
    "p(X,(a,);b) :- q(X).",
    '_p\'x(X) :- __a(X), not -b(X,"a"), X="p(a,b)".',
    "a(X) ; b(X,Y) :- c(X,Y).",
    "p(|X;Y|) :- q(X,Y).",
    ":- not p(X;Y,Z).",
    "#show X : p(X).",
    ":~ p(X,Y). [X@1,Y]",
    "a :- 1 = {p(X,Y) : q(X;Y)}, not not z.",
]


@pytest.mark.parametrize("text", STATEMENTS)
def test_predicates_are_those_of_the_tree(text):
    for part in walk(parse(text)[0]):
        of_tree = {Signature(atom.name, len(atom.arguments)) for atom in atoms(part)}
        assert predicates.__wrapped__(part) == of_tree


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('p("@f(X)") :- q(X).', False),
        (":~ p(X). [1@2,X]", False),
        ("p(X) :- q(X), X = @f(X).", True),
        ("p(@f).", True),
    ],
)
def test_calls_are_told_from_texts_and_priorities(text, calls):
    (node,) = parse(text)
    assert calls_script(node) is calls
    assert Shape.of(node).calls is calls
