"""Pairs decided together, or kept from an earlier run, are answered as alone."""

from dataclasses import replace

import pytest
from clingo.ast import ASTType, Sign, Transformer, Variable

from benchmarks import ROOT
from benchmarks.sets import SAMPLES, read_set
from ists_asp.engine import load
from ists_asp.engine.program import Program, reading_for
from ists_asp.errors import IstsError, UnsatisfiableError
from ists_asp.io.store import Store
from ists_asp.rules import Purpose, find_rules, load_rules
from ists_asp.rules.parsing import RuleWarning
from ists_asp.solver import SolverOptions, batch, pairing
from ists_asp.solver.batch import BATCH, short_pairs
from ists_asp.syntax import trees
from ists_asp.syntax.trees import Signature, parse
from tests.sharing import Grammar, cases, refused
from tests.solver.conftest import item, items

BASE = """
#defined d/2.
#defined n/1.
#show first/3.
#show noali/2.
first(1,1,1). first(2,1,1).
{ noali(S,1) : first(S,1,_) }.
#show alic/2.
alic(S,1) :- first(S,1,_), not noali(S,1).
"""
FACTS = ("d(1,3),d(2,1)", "", "d(1,5),n(4)", "d(2,2),d(2,3),d(1,1),n(1)")
TRAIN = ROOT.parent / "shared" / "data" / "ists-2016-train"
NO_TRAIN = pytest.mark.skipif(not TRAIN.is_dir(), reason=f"the task's train data is not in {TRAIN}")
MOST = 125
"""Pairs of each set, besides the samples: of all those alone have labels as choices."""
INPUT = """
#defined d/2. #defined n/1. #defined w/2. #defined t/1. #defined u/2.
#defined a/1. #defined b/1. #defined c/2. #defined h/1.
#minimize{ S@-9,S : noali(S,1) }.
"""
PAIRS = (
    *('d(1,3),d(2,1),w(1,"red")', 'w(2,"blue"),n(1)', 'd(1,2),n(2),w(1,"blue"),w(2,"red")'),
    *("d(2,2),d(2,3),d(1,1),n(1)", 'w(1,"green"),d(3,3)', 'n(1),n(2),n(3),w(2,"red"),d(1,1)'),
)
LIKES = ":~ noali(1,1). [-1@4] :~ noali(2,1). [1@4]"
DEAR = ":~ n(m), noali(1,1). [1@5]"
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


def answers(solutions):
    return [solution.answers for solution in solutions]


def alone(solver, pairs):
    return answers(solver.solve(*item) for item in pairs)


@cases("""
name | rules*
choice and constraint | #minimize{ W@S,S : d(S,W), noali(S,1) }. #minimize{1@0,S:noali(S,1)}.
    :- not noali(1,1), d(1,_).
aggregates | :~ W = #sum{V,S : d(S,V)}, noali(1,1). [W-4@2]
    :~ 1 { noali(2,1); noali(1,1) }. [1@1] #maximize{ S,S : noali(S,1) }.
conditional literals | free :- not noali(S,1) : d(S,_). #maximize{ 2,a : free }.
    #maximize{ S,S : noali(S,1) }.
weak constraints | :~ noali(S,1), d(S,W), not n(4). [W@3,S] :~ not noali(S,1), S=1..2. [2@1,S]
tables | t(1;2). u(X) :- t(X), X>1. #minimize{ X-3*Y,X,Y : u(X), noali(Y,1), t(Y) }.
costs of no pair | #minimize{ 7@9 }. #minimize{ S@1,S : noali(S,1) }. #minimize{ 3@4 : n(9) }.
classical negation | -q(S) :- d(S,_). q(1) :- noali(1,1), n(4). r :- -q(2). :- r, not noali(2,1).
    #maximize{ S,S : noali(S,1) }.
disjunction and pools | a(S) ; b(S) :- d((S;S),_). :- a(1). #minimize{ 1,S : a(S) }.
    #minimize{ 1@2,S : noali(S,1), not b(S); -2@2,S : noali(S,1), b(S) }.
negation only | c :- not n(4), not n(1). #minimize{ 1 : c, noali(1,1) }.
    #maximize{ S@-1,S : noali(S,1) }.
choice among tables | t(1..3). { s(X) : t(X) } = 1 :- d(1,_). #maximize{ X*W : s(X), d(1,W) }.
    #minimize{ S@-1,S : noali(S,1) }.
loops through negation | x :- not y. y :- not x. z :- x, not n(1). #minimize{ 1@2 : x; 2@2 : y }.
    #minimize{ S@1,S : noali(S,1), x }. #maximize{ S@0,S : noali(S,1) }.
constants | #const k = 2. #minimize{ k*S,S : noali(S,1) }. #maximize{ 3*k,S : noali(S,1), S=k }.
weights of zero | #minimize{ 0@5 : n(1); 0@4 : noali(1,1), n(4) }. #minimize{ S,S : noali(S,1) }.
head aggregates | t(1..2). 1 <= #count{ X : h(X) : t(X) } <= 1 :- n(_). #minimize{ X@1,X : h(X) }.
    #minimize{ S,S : noali(S,1) }.
""")
def test_answers_and_costs_are_those_of_pairs_alone(make, name, rules):
    solver, pairs = make(BASE + " ".join(rules)), items(*FACTS)
    assert answers(solver._batches.solve(pairs)) == alone(solver, pairs)
    assert answers(solver.solve_all(pairs)) == alone(solver, pairs)


# Rules by which pairs have several best answers.
@cases("""
rules
#minimize{ 1@1 : noali(1,1), noali(2,1) }.
#maximize{ 1@1,S : noali(S,1) }. { m(S) : first(S,1,_) }. :- noali(S,1), m(S), d(1,_).
:- d(S,_), noali(S,1). #minimize{ 1@2 : n(4), noali(1,1) }.
m :- not k. k :- not m. noali(2,1) :- m. #minimize{ 1@1 : noali(1,1) }.
#minimize{ S@1,S : noali(S,1) ; -S@1,x,S : noali(S,1) }.
""")
def test_pairs_with_several_best_answers_get_the_same_one_in_every_company(make, rules):
    solver, pairs = make(BASE + rules), items(*FACTS, *FACTS[::-1])
    expected = alone(solver, pairs)
    for begin in range(len(pairs)):
        assert answers(solver.solve_all(pairs[begin:])) == expected[begin:]


# Rules that cannot be rewritten, so that pairs are solved one by one.
@cases("""
rules
__p(1).
p(__X) :- n(__X).
#external p(1).
#show p(X) : n(X).
#program more.
#project n/1.
#heuristic noali(1,1). [1,true]
""")
def test_rules_that_cannot_be_rewritten_are_solved_pair_by_pair(make, rules):
    solver, pairs = make(f"{BASE}#minimize{{ 1 : noali(1,1) }}. {rules}"), items(*FACTS)
    assert solver._batches is None
    assert answers(solver.solve_all(pairs)) == alone(solver, pairs)


@cases(
    "rules | together",
    # Without an objective only where answers are unique; what is not shown does not count.
    ("", False),
    (":- not noali(S,1), first(S,1,_).", True),
    ("{ m(S) : first(S,1,_) }. #minimize{ S,S : noali(S,1) }.", True),
)
def test_pairs_are_solved_together_where_answers_are_unique(make, rules, together):
    solver, pairs = make(BASE + rules), items(*FACTS)
    assert (solver._batches.solve(pairs) is not None) == together
    assert answers(solver.solve_all(pairs)) == alone(solver, pairs)


def test_a_denied_table_leaves_no_answer_in_any_company(make):
    """No statement mentions the table."""
    rules, pairs = BASE + "#minimize{ S,S : noali(S,1) }. t(1..3). ", items(*FACTS[:2])
    assert make(rules + "-t(4).")._batches.solve(pairs) is not None
    solver = make(rules + "-t(1).")
    assert solver._batches.solve(pairs) is None
    with pytest.raises(UnsatisfiableError):
        solver.solve(*pairs[0])


def test_facts_that_add_to_a_table_count_for_their_pair_only(make):
    solver = make(
        BASE + "t(1). u(X+1) :- t(X). big :- u(3). #minimize{ 1,S : noali(S,1), big }."
        "#maximize{ 1@-1,S : noali(S,1) }."
    )
    assert solver.program.derived
    pairs = items("t(2)", "", "t(5)")
    costs = [found.answers[0].cost for found in solver.solve_all(pairs)]
    assert costs == [(0, 0), (-2,), (-2,)]
    assert solver._batches.solve(pairs) is None


def _failing():
    yield from items("", "n(4)")
    raise ValueError("no more")


@cases(
    "source | error | message",
    (items("", "n(4)", "n(1)", ""), UnsatisfiableError, "pair 3: the rules admit no answer"),
    (_failing(), ValueError, "no more"),
)
def test_what_comes_before_a_pair_that_fails_is_left(make, source, error, message):
    solutions = make(BASE + "#minimize{ 1,S : noali(S,1) }. :- n(1).").solve_all(source)
    assert [next(solutions).answers[0].pair.id for _ in range(2)] == ["1", "2"]
    refused(error, message, next, solutions)


def test_several_answers_are_found_pair_by_pair(make):
    solver = make(BASE + "#minimize{ S,S : noali(S,1) }.", models=3)
    assert solver._batches is None
    assert [len(found.answers) for found in solver.solve_all(items("", ""))] == [3, 3]


def test_warnings_are_in_the_words_of_the_rules_and_cost_one_batch_only(make):
    solver = make(BASE + "#minimize{ S,S : noali(S,1), missing(S) ; S,S : noali(S,1) }.")
    pairs = items("", "")
    list(solver.solve_all(pairs))
    (warning,) = solver.warnings
    assert isinstance(warning, RuleWarning)
    text = "atom does not occur in any rule head: missing(S); see ists-asp rules check"
    assert warning.text == text
    assert solver._batches.solve(pairs) is not None


@cases(
    "sizes | batches | tokens",
    # Long pairs stay alone, and one pair is no batch.
    ((), [], None),
    ((5,), [], None),
    ((5, 5, 5), [[0, 1, 2]], None),
    ((5, 100, 5), [[0, 2]], None),
    ((100, 5), [], None),
    ((99, 1, 99, 99), [[0, 1, 2, 3]], None),
    # A batch has so many tokens at most.
    ((20, 20, 10, 30, 150, 10, 40, 40), [[0, 1, 2], [3, 5]], 100),
)
def test_pairs_are_decided_together_that_are_not_long(monkeypatch, sizes, batches, tokens):
    monkeypatch.setattr(batch, "TOKENS", tokens or batch.TOKENS)
    assert short_pairs([item(n, "", (size, size)) for n, size in enumerate(sizes)]) == batches


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder", [SAMPLES, pytest.param(TRAIN, marks=(NO_TRAIN, pytest.mark.long))]
)
@cases(
    "profile | name | chunked",
    *(("headlines", "headlines", True), ("headlines", "headlines", False)),
    *(("answers-students", "answers-students", True), ("baseline", "headlines", False)),
)
def test_a_batch_answers_real_pairs_as_one_at_a_time(folder, profile, name, chunked):
    data = read_set(folder / name, MOST) if folder == TRAIN else read_set(folder / name)
    pairs = list(data.chunked if chunked else data.plain)[:MOST]
    with load(profile, cache=None) as system:
        asked = list(system.facts(pairs))
        together = answers(system.solver.solve_all(asked))
        assert together == alone(system.solver, asked)
        assert system.solver._batches is not None
        # The engine keeps one time for each pair, and their order.
        found = [(one.pair, one.alignments) for one in system.solve_many(pairs[:10], rated=False)]
        assert found == [(best.pair, best.alignments) for best, *_ in together[:10]]
        assert system.stages.decided.total() == len(found)


@cases("""
text
a(S) :- d(S,_), not n(S) : d(S,S).
a(S) :- d(S,N), n(M) : d(S,M), M != N; T = S+1; T > 1.
a(X) :- X = #min { N : d(_,N) }, not n(Y) : d(Y,X).
a(S) :- d(S,(1;3)), n((4;1)).
a("x") :- d(_,N), N > K : n(K), not d(K,(1;2)); not d(1,3).
a(S) :- d(S,_), not not n(N) : d(S,N). #false :- d(S,2), n(N) : d(N,S).
a(S) :- d(S,_), a(N) : d(N,S), N != S.
a(S) :- d(S,_), n((1;2;3;4)) : d(S,_).
a(S) :- d(S,_), not n((1;2;3;4)) : d(S,_).
a(S) :- d(S,_), n(1..4) : d(S,_).
a(S) :- d(S,N), 0 < #count { K : d(S,K), K != N; 1 : n(S), not n((3;4)) }.
a(S) :- d(S,_), 0 = #count { 1 : d(S,N), n(N); 2 : n((S;4)) }, 0 < #count { K : d(K,_) }.
a(S) :- d(S,_), 0 < #count { K : d(S,K) } < 2, 0 = #count { 1 : d(S,N), N < M, n(M) }.
a(S) :- d(S,N), M = #max { K : d(S,K) }, 0 = #count { 1 : n(M), M > N }.
a(S) :- d(S,_). a(S) :- a(N), d(N,S), not n(M) : d(S,M), M < 3; 0 < #count { 1 : d(S,M), n(M) }.
a(1). a(S) :- a(N), S = N+1, d(S,_), not d(S,N) : n(N); a(M) : n(M), d(S,M).
#const most = 3. a(S) :- d(S,N), B = #count { K : d(S,K) }, N <= most+B, not n(M) : d(M,S), M < N.
""")
def test_a_quick_rule_derives_what_its_rule_derives(make, text):
    derived = []
    for quick in (True, False):
        solver = make(f"#defined d/2. #defined n/1. #defined a/1. {text}")
        assert solver.program.written
        if not quick:
            object.__setattr__(solver.program, "written", {})
        solutions = (solver.ground_atoms(item("1", facts)[1]) for facts in FACTS)
        derived.append([sorted(str(a) for a in atoms if a.name == "a") for atoms in solutions])
    assert derived[0] == derived[1]
    assert any(derived[0])


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


ODD = """1 <= #sum { W,X: a(X,W): b(X), c } <= 4 :- d. {a(X):b(X),not c} = 1 :- e, 2{f;g:h}.
x :- 1 < #count { X,Y: p(X), not q(Y); "a: b": c; d: e } <= n, not not p: q, r; p(X): q(X); c.
p(1;2,X) :- q(X), not q(X;1), -q(X;Y;2). a :- #count { : p } > 1. a(X) : b(X); c : d; e :- f.
a :- not { p: q; not r } 3, p((1,),(),-X), X = Y. p :- q("x{ y } ; p: q :- r. ").
p. -p(X) :- -q(X,"; a :- b"). p((a;b)). p(a;b). a;b. p(X):q(X). :- p, not -q("x(y",1).
:- f(X)=X, p(X). {p}. #true :- p. not p :- q. not q(X) :- p(X).
p :- not not q(f(X,(Y,Z))), r(X,Y,Z).
p :- (X,Y)=(1,2), q. p :- q, 1{r}. p :- X=(1;2), q(X,g(X;Y)), r(Y). p(1..3). p(|X|) :- q(X), X<f(X).
p(f(((((1)+2)+3)+X)*2)) :- q(X). p :- q, X=#count{Y:r(Y)}, s(X). p :- q("a=b"), r:s."""


def _predicates(node):
    return {Signature(atom.name, len(atom.arguments)) for atom in trees.atoms(node)}


class Pairing(Transformer):
    """Adds the number of the pair to the atoms in a syntax tree but those of tables."""

    def __init__(self, tables):
        self._tables = tables

    def rule(self, node):
        if _predicates(node) <= self._tables:
            return node
        body = [self.visit(part) for part in node.body]
        if not any(
            trees.is_atom(part, Sign.NoSign) and self._tables.isdisjoint(_predicates(part))
            for part in node.body
        ):
            variable = Variable(node.location, pairing._VARIABLE)
            body.append(trees.atom(node.location, pairing.PAIR, [variable]))
        return node.update(head=self.visit(node.head), body=body)

    def visit_SymbolicAtom(self, node):  # noqa: N802 (the name that clingo calls)
        return node.update(symbol=self._symbol(node.symbol))

    def _symbol(self, symbol):
        if symbol.ast_type is ASTType.UnaryOperation:
            return symbol.update(argument=self._symbol(symbol.argument))
        if symbol.ast_type is ASTType.Pool:
            return symbol.update(arguments=[self._symbol(part) for part in symbol.arguments])
        if Signature(symbol.name, len(symbol.arguments)) in self._tables:
            return symbol
        arguments = [Variable(symbol.location, pairing._VARIABLE), *symbol.arguments]
        return symbol.update(name=trees.PREFIX + symbol.name, arguments=arguments)


@pytest.mark.parametrize("tables", [(), ("q/1", "r/1", "upos/3", "word/3", "fact/0")])
def test_rules_rewritten_as_text_are_those_rewritten_as_trees(tables):
    tables = {Signature(name, int(arity)) for name, arity in (key.split("/") for key in tables)}
    shipped = load_rules(find_rules(ROOT / "lp_rules"), report=lambda *_: None).statements
    rules = [node for node in (*shipped, *parse(ODD)) if node.ast_type is ASTType.Rule]
    assert [trees.predicates(node) for node in rules] == [*map(_predicates, rules)]
    texts = [pairing.for_pairs(str(node), tables) for node in rules]
    assert texts == [str(Pairing(tables).rule(node)) for node in rules]


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        (":~ p(X), not q. [X@1]", "____cost(__Pair,1,X,()) :- __p(__Pair,X); not __q(__Pair)."),
        (":~ p(X). [1,X]", "____cost(__Pair,0,1,(X,)) :- __p(__Pair,X)."),
        (":~ . [1,2,3]", "____cost(__Pair,0,1,(2,3)) :- ____pair(__Pair)."),
        ("#show -p/1.", "#show -__p/2.\n#project -__p/2."),
        ("#show q/2.", "#show q/2."),
        ("#defined p/1.", "#defined __p/2."),
        ("#const p = 1.", "#const p = 1."),
        ("p(;1).", "__p(__Pair;__Pair,1) :- ____pair(__Pair)."),
        ("q(X,1;2) :- p(X).", ""),  # of a table and of another predicate
        ("__p :- q(1).", ""),
        ("p(__X) :- q(__X).", ""),
        ('p("__X") :- r.', '__p(__Pair,"__X") :- __r(__Pair).'),
        ("p :- &sum { x } <= 1.", ""),
        ("p(1&X) :- r(X).", "__p(__Pair,(1&X)) :- __r(__Pair,X)."),
    ],
)
def test_statements_are_rewritten_for_several_pairs(statement, text):
    theory = "#theory t { x { + : 0, unary }; &sum/0 : x, {<=}, x, any }."
    node = parse(theory * ("&sum" in statement) + statement)[-1]
    assert pairing._text(node, frozenset({Signature("q", 2)}), False) == text
