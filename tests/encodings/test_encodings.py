"""Golden tests: ``NAME.lp`` includes encodings and has facts, ``NAME.expected`` what is shown.

Plain clingo runs a case from any folder: ``clingo --opt-mode=optN 0 NAME.lp``. Below them stands
what holds for all rule files and for the vocabulary.
"""

import re
from collections import Counter
from itertools import pairwise, product
from pathlib import Path

import pytest
from clingo import Control, Function, Number, String
from clingo.ast import ASTType
from hypothesis import given, settings
from hypothesis import strategies as st

from ists_asp import vocabulary as v
from ists_asp.resources import data_dir, rules_dir
from ists_asp.rules.check import check_rules
from ists_asp.rules.directives import variables
from ists_asp.syntax.trees import predicates
from ists_asp.vocabulary import ALIGNED, KINDS, TOKEN_COUNT, Predicate, all_predicates, targets
from tests.sharing import cases, refused
from tests.tours import ROOT

FOLDER = Path(__file__).parent
CASES = sorted(FOLDER.glob("*.expected"))
LABELS = ("equi", "oppo", "spe1", "spe2", "simi", "rel")
# Few values, so that ties are common.
WEIGHTS = st.sampled_from((-10, 0, 10))
TAGS = st.sampled_from(("punct", *["noun"] * 5))
VALUES = {
    *(*"DKMNPTUVW", "Atom", "Change", "Chunks", "Decision", "Distance", "Form", "From"),
    *("Letters", "Name", "Number", "Percent", "Prefix", "Rating", "Reason", "Similarity", "Stem"),
    *("Target", "Text", "Unit", "Value", "Weight", "Worth", "Xpos", "Zeros"),
}
"""The names of arguments that are numbers, texts or terms."""


def optima(file, facts=(), *options):
    """The shown atoms of all optimal answer sets, and clingo's messages."""
    messages, found = [], []
    options = ["--opt-mode=optN", "0", *options]
    control = Control(options, logger=lambda _code, text: messages.append(text))
    with control.backend() as backend:
        for fact in facts:
            backend.add_rule([backend.add_atom(fact)])
    control.load(str(file))
    control.ground()
    with control.solve(yield_=True) as search:
        for model in search:
            if model.optimality_proven or not model.cost:
                found.append(model.symbols(shown=True))
    return found, messages


@pytest.mark.parametrize("expected", CASES, ids=lambda path: path.stem)
def test_the_case_has_the_expected_answer_and_no_other(expected):
    found, messages = optima(expected.with_suffix(".lp"))
    assert messages == []
    atoms = [sorted(map(str, answer)) for answer in found]
    assert atoms == [sorted(expected.read_text("utf-8").splitlines())]


def test_every_case_has_both_files():
    assert {file.stem for file in CASES} == {file.stem for file in FOLDER.glob("*.lp")} - {"pairs"}
    assert CASES


DECIDE = Path(__file__).parents[2] / "asp" / "decide.lp"


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
    facts, marks, tokens, spans = [atom("chunked")], set(), set(), {}
    for side in (1, 2):
        places = range(1, draw(st.integers(1, 4)) + 1)
        tags = {place: draw(TAGS) for place in places}
        for place, tag in tags.items():
            word = String(f"{side}{place}")
            facts.append(atom("token", side, place, word))
            facts.append(atom("part", side, place, 1, word, word, tag, tag))
            facts.append(atom("given_boundary", side, place))
        tokens |= {(side, place) for place in places}
        marks |= {(side, place) for place, tag in tags.items() if tag == "punct"}
        real = [place for place, tag in tags.items() if tag != "punct"]
        spans[side] = [run(place) for place in real]
        for one, two in pairwise(real):
            if draw(st.booleans()):
                merged = run(one, two) if two == one + 1 else atom("gap", one, two)
                facts.append(atom("merge", side, merged))
                spans[side].append(merged)
    for both in product(spans[1], spans[2]):
        name = atom("worth", *both)
        facts += [atom("proposed", *both), atom("token_count", *both, draw(st.integers(1, 3)))]
        facts += [atom("feature", atom(kind, *both), name) for kind in ("pair", "link")]
        for decision in ("align", *LABELS, *(atom("score", score) for score in range(1, 5))):
            facts.append(atom("weight", name, decision, draw(WEIGHTS)))
        if draw(st.booleans()):
            facts.append(atom("forbidden_label", *both, draw(st.sampled_from(LABELS))))
    return tokens, marks, facts


def table(answer, name):
    return [tuple(symbol.arguments) for symbol in answer if symbol.name == name]


@pytest.mark.slow
@settings(max_examples=100)
@given(problems())
def test_there_is_one_best_answer_and_it_is_well_formed(problem):
    tokens, marks, facts = problem
    (answer,), _ = optima(DECIDE, facts, "--opt-strategy=usc")
    aligned = table(answer, "aligned")
    used = Counter(
        (side.number, token.number)
        for pair in aligned
        for side, span, token in table(answer, "span_token")
        if pair[side.number - 1] == span
    )
    left = {(side.number, chunk.number) for side, chunk in table(answer, "noali")}
    assert set(used.values()) <= {1}, "a chunk is in at most one alignment"
    assert left | set(used) == tokens, "a chunk is aligned or left over"
    assert not left & set(used), "and not both"
    assert marks <= left, "punctuation is never aligned"
    labels, scores = table(answer, "label"), table(answer, "score")
    assert sorted(line[:2] for line in labels) == sorted(line[:2] for line in scores)
    assert sorted(line[:2] for line in labels) == sorted(aligned)
    numbers = {line[:2]: line[2].number for line in scores}
    for *pair, label in labels:
        assert (numbers[tuple(pair)] == 5) == (label.name == "equi")
        assert 1 <= numbers[tuple(pair)] <= 5
    assert not {*labels} & {*table(facts, "forbidden_label")}


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
    looked_at = {checked[0].name(path) for path in checked[0].paths}
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
    for file in checked[0].paths:
        nodes = [statement.node for statement in checked[0].by_file[file]]
        plain = (n.location for n in nodes if n.ast_type is ASTType.Rule and not variables(n))
        table = {line for at in plain for line in range(at.begin.line, at.end.line + 1)}
        if file.parent.name not in ("weights", "confidence"):
            for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
                assert len(line) <= 120 or number in table, f"{file}:{number}"
        for name, arity in set().union(*(predicates(node) for node in nodes)):
            if name.startswith("_"):
                assert private.setdefault(name, arity) == arity, (file, name)
    assert len(private) > 500


def _constants(checked, *key, at=0, **given):
    """The constants that shipped rules derive as an argument of a predicate, and its tables."""
    atoms = (
        list(map(str, atom.arguments))
        for _, read in checked[0].reads
        for atom in read.derived
        if atom.key == key
    )
    wanted = (terms[at] for terms in atoms if terms[2:3] == given.get("third", terms[2:3]))
    return {term for term in wanted if term.isidentifier() and term[0].islower()}


@pytest.mark.always
@pytest.mark.slow
def test_what_is_shipped_is_not_taken_for_ones_own(checked):
    """Kinds of likeness and reasons for EQUI that are not listed mean the same in explanations."""
    kinds = _constants(checked, "alike", 4, at=2)
    assert len(kinds) > 20
    assert kinds <= _constants(checked, "kind_of_likeness", 1)
    reasons = _constants(checked, "licensed", 4, at=3, third=["equi"])
    assert reasons
    assert reasons <= _constants(checked, "_presumed", 1)


def test_classes_are_those_of_the_lexicon():
    lines = (data_dir() / "lexicon" / "classes.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if line and not line.startswith("#"))
    assert {row[0] for row in rows} == set(v.listed_constants()["Class"])


def test_every_argument_has_a_kind():
    names = {name for one in (*all_predicates(), *targets().values()) for name in one.arguments}
    assert names == KINDS.keys() | VALUES


def test_every_predicate_that_python_names_is_documented():
    imported = r"^from ists_asp\.vocabulary import (?:\(([^)]*)\)|(.*))$"
    texts = [file.read_text("utf-8") for file in sorted((ROOT / "python").rglob("*.py"))]
    lists = ["".join(each) for text in texts for each in re.findall(imported, text, re.MULTILINE)]
    used = {name for text in texts for name in re.findall(r"\bv\.([A-Z][A-Z_]+)\b", text)}
    names = used.union(*(re.findall(r"\b[A-Z][A-Z_]+\b", listed) for listed in lists))
    named = [value for name in names if isinstance(value := getattr(v, name), Predicate)]
    assert len(named) > 50
    about = {*all_predicates(), *targets().values()}
    assert about.issuperset(named)
    assert len({one.name for one in about}) == len(about) > 100


@cases("""
predicate  | meanings=
token      | [("sentence", 0), ("token", ("is", 0)), None]
initials   | [("sentence", 0), ("token", ("is", 0)), ("token", ("is", 0)), None]
glued      | [("sentence", 0), ("token", ("is", 0)), ("token", ("other", 0))]
near       | [("token", 1), ("token", 2), None]
last       | [("sentence", 0), ("chunk", ("is", 0)), ("token", ("is", 0))]
line_token | [None, ("sentence", 0), ("token", ("is", 1))]
span       | [("sentence", 0), ("span", ("is", 0))]
label      | [("span", 1), ("span", 2), ("label", 0)]
side       | [("sentence", 0), ("span", 1), ("span", 2)]
retag      | [("sentence", 0), ("token", ("is", 0)), ("tag", 0), None]
""")
def test_names_of_arguments_say_what_they_are(predicate, meanings):
    assert Predicate(predicate).meanings == meanings


def test_a_predicate_makes_atoms():
    assert str(TOKEN_COUNT(Number(1), Number(2), Number(3))) == "token_count(1,2,3)"
    assert (str(ALIGNED), ALIGNED.arity, ALIGNED.signature) == ("aligned/2", 2, ("aligned", 2))
    assert v.fact("near", 1, 2, 30) == "near(1,2,30)"
    refused(ValueError, r"near has the arguments .*, got \(1,\)", v.fact, "near", 1)
