"""Golden tests: ``NAME.lp`` includes encodings and has facts, ``NAME.expected`` what is shown.

Plain clingo runs a case from any folder: ``clingo --opt-mode=optN 0 NAME.lp``."""

from collections import Counter
from itertools import pairwise, product
from pathlib import Path

import pytest
from clingo import Control, Function, Number, String
from clingo.ast import ASTType
from hypothesis import given, settings
from hypothesis import strategies as st

from ists_asp.resources import data_dir, rules_dir
from ists_asp.rules.check import check_rules
from ists_asp.rules.check.domains import CLASSES
from ists_asp.rules.directives import variables
from ists_asp.syntax.trees import predicates

FOLDER = Path(__file__).parent
CASES = sorted(FOLDER.glob("*.expected"))


def optima(case):
    """The shown atoms of all optimal answer sets, each as a sorted list, and clingo's messages."""
    messages = []
    control = Control(["--opt-mode=optN", "0"], logger=lambda _code, text: messages.append(text))
    control.load(str(case))
    control.ground()
    found = []
    with control.solve(yield_=True) as search:
        for model in search:
            if model.optimality_proven or not model.cost:
                found.append(sorted(map(str, model.symbols(shown=True))))
    return found, messages


@pytest.mark.parametrize("expected", CASES, ids=lambda path: path.stem)
def test_the_case_has_the_expected_answer_and_no_other(expected):
    found, messages = optima(expected.with_suffix(".lp"))
    assert messages == []
    assert found == [sorted(expected.read_text("utf-8").splitlines())]


def test_every_case_has_both_files():
    shared = {"pairs"}
    assert CASES
    assert {file.stem for file in FOLDER.glob("*.lp")} - shared == {file.stem for file in CASES}


DECIDE = Path(__file__).parents[2] / "asp" / "decide.lp"
LABELS = ("equi", "oppo", "spe1", "spe2", "simi", "rel")
# Few values, so that ties are common.
WEIGHTS = st.sampled_from((-10, 0, 10))


def atom(name, *arguments):
    values = {int: Number, str: lambda text: Function(text)}
    return Function(
        name, [values.get(type(value), lambda term: term)(value) for value in arguments]
    )


def run(chunk, last=None):
    return atom("run", chunk, last or chunk)


@st.composite
def problems(draw):
    """Facts of two sentences of single-token chunks, with weighed proposals of any kind."""
    sizes = (draw(st.integers(1, 4)), draw(st.integers(1, 4)))
    facts = [atom("chunked")]
    marks = set()
    for side, size in enumerate(sizes, 1):
        for place in range(1, size + 1):
            tag = "punct" if draw(st.integers(0, 5)) == 0 else "noun"
            if tag == "punct":
                marks.add((side, place))
            word = String(f"{side}{place}")
            facts.append(atom("token", side, place, word))
            facts.append(atom("part", side, place, 1, word, word, tag, tag))
            facts.append(atom("given_boundary", side, place))
    spans = {}
    for side, size in enumerate(sizes, 1):
        real = [place for place in range(1, size + 1) if (side, place) not in marks]
        spans[side] = [run(place) for place in real]
        for one, two in pairwise(real):
            if draw(st.booleans()):
                merged = run(one, two) if two == one + 1 else atom("gap", one, two)
                facts.append(atom("merge", side, merged))
                spans[side].append(merged)
    for one, two in product(spans[1], spans[2]):
        weight = draw(WEIGHTS)
        pair, link = atom("pair", one, two), atom("link", one, two)
        name = atom("worth", one, two)
        facts.append(atom("proposed", one, two))
        facts.append(atom("token_count", one, two, draw(st.integers(1, 3))))
        facts.append(atom("feature", pair, name))
        facts.append(atom("weight", name, "align", weight))
        facts.append(atom("feature", link, name))
        for label in LABELS:
            facts.append(atom("weight", name, label, draw(WEIGHTS)))
        for score in range(1, 5):
            facts.append(atom("weight", name, atom("score", score), draw(WEIGHTS)))
        if draw(st.booleans()):
            facts.append(atom("forbidden_label", one, two, draw(st.sampled_from(LABELS))))
    return sizes, marks, facts


def solve(facts):
    control = Control(["--opt-mode=optN", "--opt-strategy=usc", "0"])
    with control.backend() as backend:
        for fact in facts:
            backend.add_rule([backend.add_atom(fact)])
    control.load(str(DECIDE))
    control.ground()
    answers = []
    with control.solve(yield_=True) as search:
        for model in search:
            if model.optimality_proven or not model.cost:
                answers.append(model.symbols(shown=True))
    return answers


def table(answer, name):
    return [tuple(symbol.arguments) for symbol in answer if symbol.name == name]


@pytest.mark.slow
@settings(max_examples=100)
@given(problems())
def test_there_is_one_best_answer_and_it_is_well_formed(problem):
    sizes, marks, facts = problem
    (answer,) = solve(facts)
    aligned = table(answer, "aligned")
    tokens = {}
    for side, span, token in table(answer, "span_token"):
        tokens.setdefault((side.number, span), []).append(token.number)
    used = Counter(
        (side, token)
        for pair in aligned
        for side, span in enumerate(pair, 1)
        for token in tokens[side, span]
    )
    left = {(side.number, chunk.number) for side, chunk in table(answer, "noali")}
    everything = {(side, place) for side in (1, 2) for place in range(1, sizes[side - 1] + 1)}
    assert set(used.values()) <= {1}, "a chunk is in at most one alignment"
    assert left | set(used) == everything, "a chunk is aligned or left over"
    assert not left & set(used), "and not both"
    assert marks <= left, "punctuation is never aligned"
    labels = {(one, two): label.name for one, two, label in table(answer, "label")}
    scores = {(one, two): score.number for one, two, score in table(answer, "score")}
    assert set(labels) == set(scores) == set(aligned)
    assert len(table(answer, "label")) == len(table(answer, "score")) == len(aligned)
    assert all(
        scores[pair] == 5 if label == "equi" else 1 <= scores[pair] <= 4
        for pair, label in labels.items()
    )
    forbidden = {tuple(fact.arguments) for fact in facts if fact.name == "forbidden_label"}
    assert not {(*pair, Function(label)) for pair, label in labels.items()} & forbidden


@pytest.fixture(scope="module")
def checked():
    return check_rules([rules_dir()], machine=True)


@pytest.mark.always
@pytest.mark.slow
def test_the_shipped_rules_have_nothing_that_rules_check_finds(checked):
    """Names, private predicates, pooled negation and the rest; for users, too."""
    assert [str(one) for one in checked[1] if one.kind != "unweighed"] == []


@pytest.mark.always
@pytest.mark.slow
def test_all_files_of_the_machine_and_of_the_rules_were_looked_at(checked):
    looked_at = {checked[0].name(path) for path in checked[0].own}
    assert {"asp/align.lp", "lp_rules/labels/words.lp", "lp_rules/weights/english.lp"} <= looked_at
    # All but asp/settled.lp, which takes the place of rules of other files.
    assert len(looked_at) + 1 == sum(
        len(list(folder.rglob("*.lp"))) for folder in (rules_dir(), rules_dir().parent / "asp")
    )


@pytest.mark.always
@pytest.mark.slow
def test_all_evidence_is_weighed(checked):
    """By a profile, or what a rule derives from it is: often(maybe_verb)."""
    names = [one.subject for one in checked[1] if one.kind == "unweighed"]
    assert names == ["maybe_verb_here"]


@pytest.mark.always
@pytest.mark.slow
def test_rule_files_are_readable(checked):
    """Short lines but for tables and weights; a private name has one arity and one file."""
    private = {}
    for file in checked[0].own:
        nodes = [statement.node for statement in checked[0].by_file[file]]
        plain = [n for n in nodes if n.ast_type is ASTType.Rule and not variables(n)]
        table = {
            line
            for at in (node.location for node in plain)
            for line in range(at.begin.line, at.end.line + 1)
        }
        if file.parent.name not in ("weights", "confidence"):
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
                assert len(line) <= 120 or number in table, f"{file}:{number}"
        for name, arity in set().union(*(predicates(node) for node in nodes)):
            if name.startswith("_"):
                assert private.setdefault(name, arity) == arity, (file, name)
    assert len(private) > 500


def _constants(checked, of, arity, at):
    """The constants that shipped rules derive as an argument of a predicate, and its tables."""
    return {
        str(atom.arguments[at])
        for found in checked[0].atoms.values()
        for _, read in found
        for atom in read.derived
        if atom.key == (of, arity) and str(atom.arguments[at]).isidentifier()
        if str(atom.arguments[at])[0].islower()
    }


@pytest.mark.always
@pytest.mark.slow
def test_what_is_shipped_is_not_taken_for_ones_own(checked):
    """Kinds of likeness and reasons for EQUI that are not listed mean the same in explanations."""
    kinds = _constants(checked, "alike", 4, 2)
    assert len(kinds) > 20
    assert kinds <= _constants(checked, "kind_of_likeness", 1, 0)
    reasons = {
        str(atom.arguments[3])
        for found in checked[0].atoms.values()
        for _, read in found
        for atom in read.derived
        if atom.key == ("licensed", 4) and str(atom.arguments[2]) == "equi"
    }
    assert reasons
    assert reasons <= _constants(checked, "_presumed", 1, 0)


def test_classes_are_those_of_the_lexicon():
    lines = (data_dir() / "lexicon" / "classes.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    assert {row[0] for row in rows} == set(CLASSES)
