"""How sure an answer is: leads are those of the weights, and tables make them shares."""

from dataclasses import replace

import pytest

import ists_asp
from ists_asp.confidence import Confident, leads_of, percent
from ists_asp.errors import RuleError
from ists_asp.io.formats import answer_record, format_answer
from ists_asp.model import Confidence, Label
from ists_asp.rules import load_rules
from ists_asp.rules.source import find_rules
from ists_asp.solver import Solver
from tests.explain.reviewed import make_answer
from tests.sharing import shared_system

PAIRS = [
    ("12 killed in bus accident in Pakistan", "10 killed in road accident in NW Pakistan"),
    ("Syrian rebels seize base", "Rebels seize air base in Syria"),
    ("Storm hits coast", "Storm warning lifted"),
]
CHUNKED = ("[ 12 ] [ killed ] [ in Syria ]", "[ 10 ] [ dead ] [ in Iraq ]")


@pytest.fixture(scope="module")
def system():
    return shared_system("headlines")


@pytest.fixture(scope="module")
def answers(system):
    return list(system.solve_many(PAIRS))


def test_every_decision_has_a_share(answers):
    for answer in answers:
        for line in answer.alignments:
            sure = line.confidence
            assert 0 < sure.alignment < 1
            assert (sure.label is None) == (sure.score is None) == (line.label is Label.NOALI)
        assert len(answer.boundaries1) == len(answer.pair.sent1.tokens) - 1
        assert len(answer.boundaries2) == len(answer.pair.sent2.tokens) - 1


@pytest.mark.slow
def test_pairs_alone_together_and_traced_are_as_sure(system, answers):
    for (one, two), together in zip(PAIRS, answers, strict=True):
        alone = system.solve(one, two)
        traced = system.trace(one, two).answer
        for other in (alone, traced):
            assert shares(other) == shares(together)
            assert other.boundaries1 == together.boundaries1


def shares(answer):
    return [line.confidence for line in answer.alignments]


@pytest.mark.slow
def test_more_answers_than_one_are_sure_too():
    with ists_asp.load("headlines", models=2) as system:
        (first, second), *_ = system.solve_all(PAIRS[:1])
    assert None not in shares(first) + shares(second)


def test_confidence_changes_no_answer_and_no_comparison(answers):
    (answer, *_) = answers
    bare = replace(
        answer,
        alignments=tuple(replace(line, confidence=None) for line in answer.alignments),
        boundaries1=(),
        boundaries2=(),
    )
    assert bare == answer


def test_a_lead_is_that_of_the_weights(system):
    (pair, facts), *_ = system.facts([system.solve(*PAIRS[0]).pair])
    best = system.solver.best(pair, facts)
    atoms = best.atoms
    weights = {
        name: [atom.partition("(")[2][:-1] for atom in atoms.get(name, ())]
        for name in ("align_weight", "label_weight", "closeness", "_possible", "_boundary_weight")
    }
    leads = leads_of(best.answer, weights)
    spans = "run(3,3),run(3,3)"
    possible = [text.rpartition(",")[2] for text in weights["_possible"] if spans in text]
    weighed = {
        text.split(",")[-2]: int(text.split(",")[-1])
        for text in weights["label_weight"]
        if text.startswith(spans)
    }
    first, second, *_ = sorted((weighed[label] for label in possible), reverse=True)
    assert leads.chunks == "found"
    assert leads.lines[2][1] == ("simi", first - second)


def test_steps_are_found_by_the_lead():
    steps = ((0, 40), (100, 70), (300, 95))
    leads = {-50: 40, 0: 40, 99: 40, 100: 70, 299: 70, 300: 95, 9999: 95}
    assert {lead: percent(steps, lead) for lead in leads} == leads


def test_profiles_without_a_table_say_nothing():
    answer = shared_system("baseline").solve("A cat sleeps", "A cat sleeps")
    assert {line.confidence for line in answer.alignments} == {None}
    assert "confidence" not in str(answer_record(answer))


def test_given_chunks_are_as_sure_as_their_table_says(system):
    (answer,) = system.solve_many([make_answer(*CHUNKED, "1-1 SIMI 3").pair])
    assert (answer.boundaries1, answer.boundaries2) == ((), ())
    assert None not in shares(answer)


def test_a_table_of_ones_own_counts(tmp_path, answers):
    file = tmp_path / "mine.lp"
    rows = "align,found,0,61; align,found,500,87; equi,given,0,50"
    file.write_text(f"confidence({rows}).\n")
    tables = Solver(load_rules(find_rules(file))).sure
    assert tables == {("align", "found"): ((0, 61), (500, 87)), ("equi", "given"): ((0, 50),)}
    (answer, *_) = answers
    found = Confident(tables)(answer, {"align_weight": ["run(1,1),run(1,1),499"]})
    assert found.alignments[0].confidence == Confidence(0.61)
    assert found.alignments[1].confidence is None
    assert (found.boundaries1, found == answer) == ((), True)


def test_text_marks_what_is_more_likely_wrong(answers):
    (answer, *_) = answers
    marked = {"12": Confidence(0.49, 0.9, 0.9), "killed": Confidence(0.9, 0.4, 0.4)}
    lines = tuple(
        replace(
            line,
            confidence=marked.get(answer.pair.sent1.words(line.tokens1), Confidence(0.5, 0.5, 0.1)),
        )
        for line in answer.alignments
    )
    text = format_answer(replace(answer, alignments=lines))
    assert [line.split() for line in text.splitlines()[3:5]] == [
        ["12", "?", "SIMI", "3", "10"],
        ["killed", "EQUI?", "5", "killed"],
    ]
    assert text.count("?") == 2


@pytest.mark.parametrize(
    "fact",
    [
        *('confidence(1,"bomb","bomb",#inf)', "confidence(equi,found,0,101)"),
        *("confidence(equi,found,0,-1)", 'confidence(equi,found,"a",50)'),
        "confidence(equi,always,0,50)",
    ],
)
def test_a_table_that_is_none_is_one_line_with_its_place(tmp_path, fact):
    (tmp_path / "mine.lp").write_text(f"extra.\n{fact}.\n")
    with pytest.raises(RuleError) as caught:
        ists_asp.load("baseline", rules=tmp_path / "mine.lp")
    assert str(caught.value).startswith(f"{tmp_path / 'mine.lp'}:2: {fact} is no row of a table")
