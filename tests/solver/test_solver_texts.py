"""Terms, statements and facts as text are what clingo makes of them."""

import pytest
from clingo import SymbolType, parse_term
from clingo.ast import ASTType, parse_string
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.solver.search import ground
from ists_asp.solver.statements import FactLoader, Shape
from ists_asp.syntax.ground import Ground, plain, symbols, texts
from ists_asp.syntax.trees import Signature, atoms, parse, predicates, signature, walk
from tests.sharing import cases

HOLDS_ATOMS = {
    *(ASTType.Rule, ASTType.Minimize, ASTType.ShowTerm, ASTType.Literal, ASTType.SymbolicAtom),
    *(ASTType.Aggregate, ASTType.BodyAggregate, ASTType.HeadAggregate, ASTType.Disjunction),
    ASTType.ConditionalLiteral,
}
TERMS = st.recursive(
    st.integers(-20, 20).map(str)
    | st.sampled_from(["a", "bc", "_d", "e'", "#inf", "#sup", "-f", "()"])
    | st.text('a,()"\\ é%\n', max_size=4).map(
        lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    ),
    lambda inner: st.builds(
        lambda name, parts: (
            f"{name}({','.join(parts)}{',' if not name and len(parts) == 1 else ''})"
        ),
        st.sampled_from(["", "f", "-g", "_h"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=12,
)
FACTS = st.builds(
    lambda name, terms: f"{name}({','.join(terms)})",
    st.sampled_from(["p", "-p", "q"]),
    st.lists(TERMS, min_size=1, max_size=3),
)


def check(text, symbol):
    assert text == str(symbol)
    assert text.type is symbol.type
    if symbol.type is SymbolType.Number:
        assert text.number == symbol.number
    elif symbol.type is SymbolType.String:
        assert plain(text) == symbol.string
    elif symbol.type is SymbolType.Function:
        assert (text.name, text.positive) == (symbol.name, symbol.positive)
        for part, other in zip(text.arguments, symbol.arguments, strict=True):
            check(part, other)


@given(st.lists(TERMS, max_size=4))
def test_text_has_the_parts_of_a_symbol(terms):
    parsed = [parse_term(term) for term in terms]
    written = texts(parsed)
    for text, symbol in zip(written, parsed, strict=True):
        check(text, symbol)
    assert symbols(written) == parsed


@pytest.mark.parametrize("depth", [3, 6, 30])
def test_brackets_may_be_deep(depth):
    text = "f(" * depth + '"a,(",b' + ")" * depth
    check(Ground(text), parse_term(text))


@cases(r"""
text
p(a;b,c;"x;y,(\"",d).
p(;1).
p(1;;2).
p("").
p(1..2,X) :- X=f(1,2), not q(X,|X|), not not r(_,X;X,2), #true, X < Y, s(X):t(X,Y).
{a(X):b(X,1)} = 1 :- c.
p((1,2)).
p(X,(a,);b) :- q(X).
_p'x(X) :- __a(X), not -b(X,"a"), X="p(a,b)".
a(X) ; b(X,Y) :- c(X,Y).
p(|X;Y|) :- q(X,Y).
:- not p(X;Y,Z).
#show X : p(X).
:~ p(X,Y). [X@1,Y]
a :- 1 = {p(X,Y) : q(X;Y)}, not not z.
""")
def test_predicates_are_those_of_the_tree(text):
    for part in (part for part in walk(parse(text)[0]) if part.ast_type in HOLDS_ATOMS):
        of_tree = {Signature(atom.name, len(atom.arguments)) for atom in atoms(part)}
        assert predicates.__wrapped__(part) == of_tree


@cases(
    "text | calls",
    *(('p("@f(X)") :- q(X).', False), (":~ p(X). [1@2,X]", False)),
    *(("p(X) :- q(X), X = @f(X).", True), ("p(@f).", True)),
)
def test_calls_are_told_from_texts_and_priorities(text, calls):
    (node,) = parse(text)
    assert Shape.of(node).calls is calls


def true_atoms(facts):
    """What holds where nothing but the facts is given."""
    control = ground([], (), [], lambda *_: None, loader=FactLoader(facts))
    assert all(atom.is_fact for atom in control.symbolic_atoms)
    return {str(atom.symbol) for atom in control.symbolic_atoms}


@given(st.lists(FACTS, max_size=60, unique=True))
def test_facts_that_clingo_fetches_are_those_that_were_given(lines):
    facts = {Signature("r", 0): [parse_term("r")]}
    for atom in map(parse_term, lines):
        # Of classical negation only one side can hold.
        if parse_term(str(atom).removeprefix("-")) not in facts.get(signature(atom), []):
            facts.setdefault(signature(atom), []).append(atom)
    assert true_atoms(facts) == {str(atom) for group in facts.values() for atom in group}


def test_one_negated_fact_is_enough_for_all_to_be_added():
    both = [parse_term(f"p({number})") for number in range(50)] + [parse_term("-p(77)")]
    facts = {Signature("p", 1): both}
    assert not FactLoader(facts).statements
    assert true_atoms(facts) == {str(atom) for atom in both}


def test_rules_join_fetched_facts_with_added_ones():
    pairs = [parse_term(f"p({number},{number % 3})") for number in range(30)]
    facts = FactLoader({Signature("p", 2): pairs, Signature("q", 1): [parse_term("q(2)")]})
    rules = []
    parse_string("s(N) :- N = #count{I : p(I,J), q(J)}.", rules.append)
    control = ground(rules, (), [], lambda *_: None, loader=facts)
    (atom,) = control.symbolic_atoms.by_signature("s", 1)
    assert str(atom.symbol) == "s(10)"
