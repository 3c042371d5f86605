"""Every construct of a rule is traced rightly, alone and in random texts, or refused by name."""

import random
from collections import defaultdict

import pytest
from clingo import Control, parse_term

from ists_asp.errors import RuleError, TraceError
from ists_asp.io.store import Store
from ists_asp.rules import find_rules, load_rules
from ists_asp.solver import Solver, SolverOptions
from ists_asp.syntax.ground import Ground
from ists_asp.trace import Tracer, reified
from tests.sharing import cases, refused
from tests.trace.conftest import CHUNKS

HEADER = CHUNKS.count("\n")
AGGREGATES = """\
in(1..4).
s(S) :- S = #sum{ X : in(X) }.
t :- 2 <= #count{ X : in(X), X > 1 } <= 3.
m(A,B) :- A = #min{ X : in(X) }, B = #max{ X : in(X); 9 }.
u :- not #sum{ X : in(X) } > 100.
{a; b} = 2.
v :- 1 { a; b; not c } 3.
{q(1..2)} = 2.
w :- q(X) : in(X), X < 3.
x :- not q(X) : in(X), X > 4.
{ y(X) : in(X) } = 4 :- 4 = #count{ X : in(X) }.
"""
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


def elements(trace, atom, index=0):
    """Terms and atoms of each element of an aggregate of the only rule that derives an atom."""
    return {
        (tuple(map(str, element.terms)), tuple(map(str, element.positive)))
        for element in trace.groups(only(trace, atom))[index].elements
    }


# Rule texts, the number of a line, and what its rule derives from which atoms.
@cases(r"""
name | text | line | expected*
pools in head and body | p(1..3).\nq((X;X+10)) :- p((X;2)), X = 1. | 2
    q(1) < p(1) | q(1) < p(2) | q(11) < p(1) | q(11) < p(2)
a pool at the head of a condition | in(1..2).\nt(1,a;2,b).\nok :- in(1), t(X,(a;b)) : in(X). | 3
    ok < in(1)
an interval becomes the values it has | in(2).\np(1..X) :- in(X). | 2 | p(1) < in(2) | p(2) < in(2)
an interval in a body | in(2).\np(1..X) :- in(X).\nq(X) :- in(X), p(X-1..X). | 3
    q(2) < in(2) p(1) | q(2) < in(2) p(2)
anonymous variables | {e(1,2;1,3)} = 2.\np(X) :- e(X,_). | 2 | p(1) < e(1,2) | p(1) < e(1,3)
classical negation | in(1).\n-p(X) :- in(X), not p(X). | 2 | -p(1) < in(1)
a denied atom supports | in(1).\n-p(X) :- in(X), not p(X).\nq(X) :- -p(X). | 3 | q(1) < -p(1)
choice elements fire alone | in(1..2).\n1 { p(X) : in(X); q } 1 :- in(1).\n:- q.\n:- p(2). | 2
    p(1) < in(1) in(1)
a choice with an aggregate | in(1..3).\n{ p(X) : in(X) } = 3 :- 3 = #count{ X : in(X) }. | 2
    p(1) < in(1) | p(2) < in(2) | p(3) < in(3)
a disjunction needs its other atoms false | in(1..2).\na ; b(X) : in(X).\n:- a.\n:- b(1). | 2
    b(2) < in(2)
a constant | #const n = 1.\nin(n).\np(X) :- in(X), X = n. | 3 | p(1) < in(1)
""")
def test_what_fires(trace, name, text, line, expected):
    found = trace(text.replace(r"\n", "\n") + "\n")
    pairs = [derivation.split(" < ") for derivation in expected]
    assert firings(found, int(line)) == {(head, tuple(body.split())) for head, body in pairs}
    assert not found.firings.violated


def test_negative_literals_are_no_support(trace):
    found = trace("{e(1,2;1,3)} = 2.\np(X) :- e(X,_).\nq(X) :- p(X), not e(_,X).\n")
    assert [str(atom) for atom in only(found, "q(1)").negative] == ["e(__any,1)"]
    firing = only(trace("p :- not not p.\n:- not p.\n"), "p")
    found = [list(map(str, part)) for part in (firing.positive, firing.negative, firing.double)]
    assert found == [[], [], ["p"]]


def test_aggregates_and_conditional_literals(trace):
    found = trace(AGGREGATES)
    sums = {((str(n),), (f"in({n})",)) for n in range(1, 5)}
    assert elements(found, "s(10)") == sums
    assert only(found, "u").probe.companions[0].supports is False
    for atom, positive in (
        ("v", {("a",), ("b",), ()}),
        ("w", {("q(1)", "in(1)"), ("q(2)", "in(2)")}),
        ("x", set()),
    ):
        assert {atoms for _, atoms in elements(found, atom)} == positive, atom
    # A variable of a choice is not that of an aggregate.
    sizes = [len(elements(found, *of)) for of in (("t",), ("m(1,9)", 1), ("y(1)",))]
    assert sizes == [3, 5, 4]


def test_priorities_and_equal_tuples(trace):
    found = trace(
        "{a; b}.\n#maximize{ 3@2,x : a; 3@2,x : b; 1@1,X : X = 1..2, a }.\n"
        ":~ b. [2@1,y]\n#minimize{ -1@-3 : a }.\n"
    )
    order = [(-term.priority, term.weight) for term in found.objective]
    assert sorted(set(order)) == list(dict.fromkeys(order)) == [(-2, -3), (-1, -1), (3, -1)]
    assert found.best.found.cost == (-3, -2, -1)


def test_constants_of_the_solver_reach_the_trace(trace):
    text = "#const n = 1.\nin(n).\np(X) :- in(X), X = n.\n"
    assert firings(trace(text, constants={"n": "7"}), 3) == {("p(7)", ("in(7)",))}


def test_circles_are_left_out_of_the_primary_derivation(trace):
    found = trace(
        "{e(1,2)} = 1.\nr(1).\nr(Y) :- r(X), e(X,Y).\nr(X) :- r(Y), e(X,Y).\nr(X) :- s(X).\n"
        "s(X) :- r(X).\n"
    )
    lines = [reason.probe.rule.line - HEADER for reason in found.reasons(Ground("r(2)"))]
    assert lines == [3, 5]


def test_a_head_that_is_no_atom_is_a_constraint_and_an_atom_of_the_input_needs_no_rule(trace):
    found = trace("{a}.\nnot a :- b.\n{b} = 1.\nX < 3 :- in(X).\n")
    assert "a" not in {atom.name for atom in found.true}
    found = trace("p(X) :- in(X).\nin(X) :- p(X).\n", [parse_term("in(5)")])
    assert firings(found, 1) == {("p(5)", ("in(5)",))}
    assert found.rank(Ground("in(5)"))[0] == -1


@cases(r"""
text | message
#external p. | x\.lp:\d+: .*#external.*cannot be traced
#program later.\np. | x\.lp:\d+: .*#program.*cannot be traced
#theory t { x { - : 1, unary }; &d/0 : x, any }.\n:- &d{}. | x\.lp:\d+: .*#theory.*cannot be traced
in(1).\n__p(X) :- in(X). | begins with __
{b} = 1.\na :- 1 <= #count{ 1 : a; 2 : b }. | does not rest on itself
""")
def test_what_cannot_be_traced_is_refused(trace, text, message):
    refused((RuleError, TraceError), message, trace, text.replace(r"\n", "\n") + "\n")


def test_the_rule_that_lacks_least_comes_first(trace):
    facts = "in(1).\n{b(1,3); c(1)}.\n:- b(1,3).\n:- c(1).\n"
    text = facts + "p(X) :- in(X), b(X,Y), Y > 2.\np(X) :- in(X), c(X).\n"
    (first, *_) = trace(text).why_not("p(1)").tree.below
    assert first.where.endswith(f":{6 + HEADER}")


def test_of_instances_that_lack_as_much_the_first_is_told(trace):
    text = "in(1).\n{q(1..40)} = 40.\n{r(0)}.\n:- r(0).\np(X) :- in(X), q(Y), r(Y).\n"
    assert "missing: r(1)" in trace(text).why_not("p(1)").text()


def test_an_edit_rewrites_only_the_rules_of_its_file(tmp_path, monkeypatch):
    rewritten, work = [], reified.probes_of

    def seen(statement, rule, *more):
        rewritten.append(rule.file)
        return work(statement, rule, *more)

    def probes(edit, store):
        (tmp_path / "own.lp").write_text(edit, "utf-8")
        names = ("shipped.lp", "own.lp")
        files = (file for name in names for file in find_rules(tmp_path / name, name))
        rules = load_rules(files, store=store)
        return Tracer(rules, Solver(rules, SolverOptions())).reified

    (tmp_path / "shipped.lp").write_text(CHUNKS + "p(X) :- in(X), X > 0.\nin(1).\n", "utf-8")
    store = Store(tmp_path / "cache")
    monkeypatch.setattr(reified, "probes_of", seen)
    probes("q(X) :- p(X).\n", store)
    assert "shipped.lp" in rewritten
    rewritten.clear()
    edited, alone = (probes("q(X) :- p(X), in(X).\n", each) for each in (store, None))
    kept = rewritten[: -len(alone.rules.rules)]
    assert {*kept} == {"own.lp"}
    assert edited.probes == alone.probes
    assert edited.places == alone.places


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
