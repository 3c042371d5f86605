"""Every construct of a rule is traced rightly, or refused by name."""

import pytest
from clingo import parse_term

from ists_asp.errors import RuleError, TraceError
from ists_asp.syntax.ground import Ground
from tests.trace.conftest import CHUNKS

HEADER = CHUNKS.count("\n")


def firings(trace, line):
    """What the rule in a line of the text derived, and from what."""
    return {
        (str(head), tuple(sorted(map(str, firing.positive))))
        for table in (trace.firings, trace.tables)
        for head, found in table.by_head.items()
        for firing in found
        if firing.probe.rule.line == line + HEADER
    }


def only(trace, atom):
    (firing,) = trace.reasons(Ground(atom))
    return firing


def elements(trace, firing, index=0):
    return {
        (tuple(map(str, element.terms)), tuple(map(str, element.positive)))
        for element in trace.groups(firing)[index].elements
    }


def test_pools_in_head_and_body(trace):
    found = trace("p(1..3).\nq((X;X+10)) :- p((X;2)), X = 1.\n")
    assert {head for head, _ in firings(found, 2)} == {"q(1)", "q(11)"}
    assert ("q(1)", ("p(1)",)) in firings(found, 2)
    assert ("q(1)", ("p(2)",)) in firings(found, 2)


def test_intervals_become_the_values_they_have(trace):
    found = trace("in(2).\np(1..X) :- in(X).\nq(X) :- in(X), p(X-1..X).\n")
    assert firings(found, 2) == {("p(1)", ("in(2)",)), ("p(2)", ("in(2)",))}
    assert firings(found, 3) == {("q(2)", ("in(2)", "p(1)")), ("q(2)", ("in(2)", "p(2)"))}


def test_anonymous_variables(trace):
    found = trace("{e(1,2;1,3)} = 2.\np(X) :- e(X,_).\nq(X) :- p(X), not e(_,X).\n")
    assert firings(found, 2) == {("p(1)", ("e(1,2)",)), ("p(1)", ("e(1,3)",))}
    assert [str(atom) for atom in only(found, "q(1)").negative] == ["e(__any,1)"]


def test_double_negation_is_no_support(trace):
    found = trace("p :- not not p.\n:- not p.\n")
    firing = only(found, "p")
    assert (list(firing.positive), list(firing.negative)) == ([], [])
    assert [str(atom) for atom in firing.double] == ["p"]


def test_classical_negation(trace):
    found = trace("in(1).\n-p(X) :- in(X), not p(X).\nq(X) :- -p(X).\n")
    assert firings(found, 2) == {("-p(1)", ("in(1)",))}
    assert firings(found, 3) == {("q(1)", ("-p(1)",))}


def test_choice_elements_fire_alone(trace):
    found = trace("in(1..2).\n1 { p(X) : in(X); q } 1 :- in(1).\n:- q.\n:- p(2).\n")
    assert firings(found, 2) == {("p(1)", ("in(1)", "in(1)"))}


def test_a_variable_of_a_choice_is_not_that_of_an_aggregate(trace):
    found = trace("in(1..3).\n{ p(X) : in(X) } = 3 :- 3 = #count{ X : in(X) }.\n")
    assert {head for head, _ in firings(found, 2)} == {"p(1)", "p(2)", "p(3)"}
    assert len(elements(found, only(found, "p(1)"))) == 3


def test_disjunction_needs_its_other_atoms_false(trace):
    found = trace("in(1..2).\na ; b(X) : in(X).\n:- a.\n:- b(1).\n")
    assert {head for head, _ in firings(found, 2)} == {"b(2)"}
    assert not found.firings.violated


def test_aggregates_with_bounds_and_assignment(trace):
    found = trace(
        "in(1..4).\n"
        "s(S) :- S = #sum{ X : in(X) }.\n"
        "t :- 2 <= #count{ X : in(X), X > 1 } <= 3.\n"
        "m(A,B) :- A = #min{ X : in(X) }, B = #max{ X : in(X); 9 }.\n"
        "u :- not #sum{ X : in(X) } > 100.\n"
    )
    assert elements(found, only(found, "s(10)")) == {
        ((str(n),), (f"in({n})",)) for n in range(1, 5)
    }
    assert len(elements(found, only(found, "t"))) == 3
    assert len(elements(found, only(found, "m(1,9)"), 1)) == 5
    assert only(found, "u").probe.companions[0].supports is False


def test_aggregates_of_sets_of_literals(trace):
    found = trace("{a; b} = 2.\np :- 1 { a; b; not c } 3.\n")
    assert {positive for _, positive in elements(found, only(found, "p"))} == {("a",), ("b",), ()}


def test_conditional_literals(trace):
    found = trace("in(1..2).\n{q(1..2)} = 2.\np :- q(X) : in(X).\nr :- not q(X) : in(X), X > 2.\n")
    assert {positive for _, positive in elements(found, only(found, "p"))} == {
        ("q(1)", "in(1)"),
        ("q(2)", "in(2)"),
    }
    assert elements(found, only(found, "r")) == set()


def test_priorities_and_equal_tuples(trace):
    found = trace(
        "{a; b}.\n#maximize{ 3@2,x : a; 3@2,x : b; 1@1,X : X = 1..2, a }.\n"
        ":~ b. [2@1,y]\n#minimize{ -1@-3 : a }.\n"
    )
    weights = {(term.priority, term.weight) for term in found.objective}
    order = [(-term.priority, term.weight) for term in found.objective]
    assert order == sorted(order)
    assert weights == {(2, -3), (1, -1), (-3, -1)}
    assert found.best.found.cost == (-3, -2, -1)


def test_constants_reach_the_trace(trace):
    text = "#const n = 1.\nin(n).\np(X) :- in(X), X = n.\n"
    assert firings(trace(text), 3) == {("p(1)", ("in(1)",))}
    assert firings(trace(text, constants={"n": "7"}), 3) == {("p(7)", ("in(7)",))}


def test_circles_are_left_out_of_the_primary_derivation(trace):
    found = trace(
        "{e(1,2)} = 1.\nr(1).\nr(Y) :- r(X), e(X,Y).\nr(X) :- r(Y), e(X,Y).\nr(X) :- s(X).\n"
        "s(X) :- r(X).\n"
    )
    first, *others = found.reasons(Ground("r(2)"))
    assert first.probe.rule.line == 3 + HEADER
    assert [other.probe.rule.line for other in others] == [5 + HEADER]


def test_head_that_is_no_atom_is_a_constraint(trace):
    found = trace("{a}.\nnot a :- b.\n{b} = 1.\nX < 3 :- in(X).\n")
    assert "a" not in {atom.name for atom in found.true}


def test_an_atom_of_the_input_needs_no_rule(trace):
    found = trace("p(X) :- in(X).\nin(X) :- p(X).\n", [parse_term("in(5)")])
    assert firings(found, 1) == {("p(5)", ("in(5)",))}
    assert found.rank(Ground("in(5)"))[0] == -1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("#external p.\n", r"x\.lp:\d+: .*#external.*cannot be traced"),
        ("#program later.\np.\n", r"x\.lp:\d+: .*#program.*cannot be traced"),
        (
            "#theory t { x { - : 1, unary }; &d/0 : x, any }.\n:- &d{}.\n",
            r"x\.lp:\d+: .*#theory.*cannot be traced",
        ),
        ("in(1).\n__p(X) :- in(X).\n", "begins with __"),
    ],
)
def test_what_cannot_be_traced_is_refused(tracer, text, what):
    with pytest.raises(RuleError, match=what):
        tracer(text)


def test_recursion_through_an_aggregate_is_refused_not_wrong(trace):
    with pytest.raises(TraceError, match="does not rest on itself"):
        trace("{b} = 1.\na :- 1 <= #count{ 1 : a; 2 : b }.\n")


def test_the_rule_that_lacks_least_comes_first(trace):
    facts = "in(1).\n{b(1,3); c(1)}.\n:- b(1,3).\n:- c(1).\n"
    text = facts + "p(X) :- in(X), b(X,Y), Y > 2.\np(X) :- in(X), c(X).\n"
    (first, *_) = trace(text).why_not("p(1)").tree.below
    assert first.where.endswith(f":{6 + HEADER}")
