"""Facts that clingo fetches are the facts that were given."""

from clingo import parse_term
from clingo.ast import parse_string
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.solver.search import ground
from ists_asp.solver.statements import FactLoader
from ists_asp.syntax.trees import Signature, signature

VALUES = st.one_of(
    st.integers(-9, 9).map(str),
    st.sampled_from(["a", '"p(1)"', '"-p("', '"a,b"', '"\\""', "f(x,-1)", "(1,2)", "#sup"]),
)


def atoms(name, arity):
    """Different atoms of a predicate."""
    arguments = st.lists(VALUES, min_size=arity, max_size=arity).map(",".join)
    return st.lists(arguments.map(lambda inside: f"{name}({inside})"), max_size=40, unique=True)


def true_atoms(facts):
    """What holds where nothing but the facts is given."""
    control = ground([], (), [], lambda *_: None, loader=facts)
    assert all(atom.is_fact for atom in control.symbolic_atoms)
    return {str(atom.symbol) for atom in control.symbolic_atoms}


@given(st.tuples(atoms("p", 2), atoms("p", 1), atoms("-p", 2), atoms("q", 3)))
def test_the_facts_hold_and_nothing_else(groups):
    facts = {Signature("r", 0): [parse_term("r")]}
    for text in (text for group in groups for text in group):
        atom = parse_term(text)
        # Of classical negation only one side can hold.
        if text.startswith("-") and parse_term(text[1:]) in facts.get(signature(atom), []):
            continue
        facts.setdefault(signature(atom), []).append(atom)
    expected = {str(atom) for group in facts.values() for atom in group}
    assert true_atoms(FactLoader(facts)) == expected


def test_one_negated_fact_is_enough_for_all_to_be_added():
    both = [parse_term(f"p({number})") for number in range(50)] + [parse_term("-p(77)")]
    facts = FactLoader({Signature("p", 1): both})
    assert not facts.statements
    assert true_atoms(facts) == {str(atom) for atom in both}


def test_rules_join_fetched_facts_with_added_ones():
    pairs = [parse_term(f"p({number},{number % 3})") for number in range(30)]
    facts = FactLoader({Signature("p", 2): pairs, Signature("q", 1): [parse_term("q(2)")]})
    rules = []
    parse_string("s(N) :- N = #count{I : p(I,J), q(J)}.", rules.append)
    control = ground(rules, (), [], lambda *_: None, loader=facts)
    found = [str(atom.symbol) for atom in control.symbolic_atoms.by_signature("s", 1)]
    assert found == ["s(10)"]
