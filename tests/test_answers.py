"""Answers: what they must say, which rules are named if not, what is raised, how sure they are."""

import re
from dataclasses import replace
from pathlib import Path

import clingo
import pytest

import ists_asp
from ists_asp.answers import read_answer, read_rating
from ists_asp.confidence import Confident, confidence_tables, leads_of, percent
from ists_asp.errors import AnswerError, IstsError, RuleError, inside
from ists_asp.io.formats import answer_record, format_answer
from ists_asp.model import Alignment, Confidence, Label, Scheme, Tag
from ists_asp.rules import load_rules
from ists_asp.rules.source import find_rules
from ists_asp.solver import Solver
from ists_asp.syntax.ground import Ground
from tests.explain.reviewed import make_answer
from tests.sharing import cases, make_pair, refused, shared_system

PAIR = make_pair("a cat sits .", "a dog sits", "7")
CHUNKS = "first(1,1,1) first(1,2,3) first(1,3,4) first(2,1,1) first(2,2,3)"
SPANS = (
    "span_token(1,run(1,1),1) span_token(1,run(1,1),2) span_token(1,run(2,2),3) "
    "span_token(2,run(1,1),1) span_token(2,run(1,1),2) span_token(2,run(2,2),3) "
    "span_token(1,run(1,2),1) span_token(1,run(1,2),2) span_token(1,run(1,2),3)"
)
ONE = "aligned(run(1,1),run(1,1)) label(run(1,1),run(1,1),simi) score(run(1,1),run(1,1),3)"
TWO = "aligned(run(2,2),run(2,2)) label(run(2,2),run(2,2),equi) score(run(2,2),run(2,2),5)"
GOOD = f"{CHUNKS} {SPANS} {ONE} {TWO} tag(run(1,1),run(1,1),pol) noali(1,3)"
PAIRS = [
    ("12 killed in bus accident in Pakistan", "10 killed in road accident in NW Pakistan"),
    ("Storm hits coast", "Storm warning lifted"),
]
CHUNKED = ("[ 12 ] [ killed ] [ in Syria ]", "[ 10 ] [ dead ] [ in Iraq ]")


def read(text, **how):
    return read_answer(PAIR, map(Ground, text.split()), (), True, **how)


def test_an_answer_is_read():
    assert read(GOOD).alignments == (
        Alignment((1, 2), (1, 2), Label.SIMI, 3.0, frozenset({Tag.POL})),
        Alignment((3,), (3,), Label.EQUI, 5.0),
        Alignment((4,), (), Label.NOALI, None),
    )


def test_what_else_is_shown_makes_no_difference():
    for more in (
        "feature(1,2) rating(3) label(1) 3 (1,2) aligned label(a,b)",
        "-aligned(run(1,1),run(2,2)) -label(run(1,1),run(1,1),rel) -noali(1,1)",
        '"aligned(x" #inf f("label(1,2,3)",4)',
        f"{ONE} {CHUNKS}",
    ):
        assert read(f"{GOOD} {more}") == read(GOOD)


@cases(Path(__file__).with_suffix(".txt"))
def test_what_is_no_answer_is_refused(gone, come, message):
    with pytest.raises(AnswerError) as caught:
        read(GOOD.replace(gone, f"{come} ", 1))
    assert caught.value.found == message
    assert caught.value.atoms


def test_the_pilot_of_2015_has_one_chunk_on_each_side():
    merged = GOOD.replace(ONE, "").replace("noali(1,3)", "noali(1,3) noali(2,1)")
    merged = merged.replace("run(2,2),run(2,2)", "run(1,2),run(2,2)").replace("tag", "other")
    assert len(read(merged).alignments) == 3
    refused(AnswerError, "an aligned span has several chunks", read, merged, scheme=Scheme.Y2015)
    assert read(GOOD, scheme=Scheme.Y2015) == read(GOOD)


def rate(text, **how):
    return read_rating(PAIR, map(Ground, text.split()), (), True, **how).rating


def test_a_rating_is_read():
    found = rate("rating(4100) contribution(base,5000) contribution(f(1),-900) label(1)")
    assert found.thousandths == 4100
    assert [part.name for part in found.contributions] == ["base", "f(1)"]


@cases("""
text                              | highest= | message
label(1)                          | 5 | there are 0 ratings
rating(1,2)                       | 5 | there are 0 ratings
rating(0) rating(1)               | 5 | there are 2 ratings
rating(5001) contribution(a,5001) | 5 | the rating is not on the scale
rating(4001) contribution(a,4001) | 4 | the rating is not on the scale
rating(-1) contribution(a,-1)     | 5 | the rating is not on the scale
rating(x)                         | 5 | a term stands where a number belongs
rating(1) contribution(a,"1")     | 5 | a term stands where a number belongs
rating(1) contribution(a,2)       | 5 | the rating is not the sum of its contributions
""")
def test_what_is_no_rating_is_refused(text, highest, message):
    with pytest.raises(AnswerError) as caught:
        rate(text, highest=highest)
    assert caught.value.found == message


def test_whatever_is_raised_names_the_pair():
    for raised, message in {
        RecursionError(): "a rule or a term is nested too deeply",
        MemoryError(): "no memory is left",
        RuntimeError("unexpected"): "clingo cannot decide by the rules: unexpected",
        RuntimeError("x: Value too large for defined data type"): "arithmetic overflow",
        AssertionError(): "what the rules derive cannot be read: AssertionError.",
        IndexError("out"): "what the rules derive cannot be read: IndexError: out.",
    }.items():
        with pytest.raises(IstsError, match=f"^pair 7: {message}"), inside(PAIR):
            raise raised


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


def shares(answer):
    return [line.confidence for line in answer.alignments]


@pytest.mark.slow
def test_pairs_alone_together_traced_and_with_more_answers_are_as_sure(system, answers):
    for pair, together in zip(PAIRS, answers, strict=True):
        for other in (system.solve(*pair), system.trace(*pair).answer):
            assert shares(other) == shares(together)
            assert other.boundaries1 == together.boundaries1
    with ists_asp.load("headlines", models=2) as several:
        (first, second), *_ = several.solve_all(PAIRS[:1])
    assert None not in shares(first) + shares(second)


def test_confidence_changes_no_answer_and_no_comparison(answers):
    (answer, *_) = answers
    lines = tuple(replace(line, confidence=None) for line in answer.alignments)
    assert replace(answer, alignments=lines, boundaries1=(), boundaries2=()) == answer


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
    rows = (text.split(",")[-2:] for text in weights["label_weight"] if text.startswith(spans))
    weighed = {label: int(weight) for label, weight in rows}
    first, second, *_ = sorted((weighed[label] for label in possible), reverse=True)
    assert (leads.chunks, leads.lines[2][1]) == ("found", ("simi", first - second))
    steps = ((0, 40), (100, 70), (300, 95))
    leads = {-50: 40, 0: 40, 99: 40, 100: 70, 299: 70, 300: 95, 9999: 95}
    assert {lead: percent(steps, lead) for lead in leads} == leads


def test_profiles_without_a_table_say_nothing_and_given_chunks_have_one(system):
    answer = shared_system("baseline").solve("A cat sleeps", "A cat sleeps")
    assert {line.confidence for line in answer.alignments} == {None}
    assert "confidence" not in str(answer_record(answer))
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
    words = [answer.pair.sent1.words(line.tokens1) for line in answer.alignments]
    shares = [marked.get(text, Confidence(0.5, 0.5, 0.1)) for text in words]
    lines = map(lambda line, share: replace(line, confidence=share), answer.alignments, shares)
    text = format_answer(replace(answer, alignments=tuple(lines)))
    lines = [" ".join(line.split()) for line in text.splitlines()[3:5]]
    assert lines == ["12 ? SIMI 3 10", "killed EQUI? 5 killed"]
    assert text.count("?") == 2


def test_a_table_that_is_none_is_one_line_with_its_place(tmp_path):
    for fact in (
        *("confidence(equi,found,0,101)", "confidence(equi,found,0,-1)"),
        *('confidence(equi,found,"a",50)', "confidence(equi,always,0,50)"),
    ):
        with pytest.raises(RuleError, match=re.escape(f"{fact} is not a row of a table")):
            confidence_tables([clingo.parse_term(fact)])
    fact = 'confidence(1,"bomb","bomb",#inf)'
    (tmp_path / "mine.lp").write_text(f"extra.\n{fact}.\n")
    with pytest.raises(RuleError) as caught:
        ists_asp.load("baseline", rules=tmp_path / "mine.lp")
    assert str(caught.value).startswith(f"{tmp_path}/mine.lp:2: {fact} is not a row of a table")
