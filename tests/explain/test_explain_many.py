"""Many answers are explained together, and what is annotated is not annotated again."""

from dataclasses import replace

import pytest

import ists_asp
from ists_asp.rules import Purpose
from tests.explain.reviewed import make_answer

PAIRS = [
    ("12 killed in bus accident", "10 killed in road accident"),
    ("a cat sits", "two cats sit"),
]


@pytest.fixture
def annotated(system, monkeypatch):
    """The numbers of sentences that are to be annotated, each time."""
    headlines = system("headlines")
    original, calls = headlines._tagged, []

    def annotate(sentences):
        if sentences:
            calls.append(len(sentences))
        return original(sentences)

    monkeypatch.setattr(headlines, "_tagged", annotate)
    return calls


@pytest.mark.slow
def test_an_answer_is_explained_with_the_annotation_that_it_has(system, annotated):
    headlines = system("headlines")
    answers = [headlines.solve(*pair) for pair in PAIRS]
    assert annotated == [2, 2]
    found = list(headlines.explain_many(answers))
    assert annotated == [2, 2]
    assert [one.answer for one in found] == answers
    assert [one.text for one in found] == [headlines.explain(answer).text for answer in answers]


@pytest.mark.slow
def test_given_answers_are_annotated_together(system, annotated):
    answers = [
        make_answer("[ Police ] [ stop ]", "[ Army ] [ stops ]", "2-2 EQUI 5"),
        make_answer("[ a cat ]", "[ a dog ]", "1-1 SIMI 2"),
    ]
    texts = [one.text for one in system("headlines").explain_many(answers)]
    assert annotated == [4]
    assert texts == [system("headlines").explain(answer).text for answer in answers]


def test_only_the_sentence_that_lacks_words_is_annotated(system, annotated):
    headlines = system("headlines")
    (pair,) = headlines.annotate([headlines.solve("a cat", "a dog").pair])
    bare = tuple(replace(token, words=()) for token in pair.sent2.tokens)
    half = replace(pair, sent2=replace(pair.sent2, tokens=bare))
    assert list(headlines.annotate([half])) == [pair]
    assert annotated == [2, 1]


@pytest.mark.slow
def test_an_explanation_is_kept_and_says_the_same(tmp_path):
    told = []
    for _ in range(2):
        with ists_asp.load("headlines", cache=tmp_path) as headlines:
            told.append([headlines.explain(headlines.solve(*pair)).to_dict() for pair in PAIRS])
            solver = headlines.program(Purpose.EXPLANATION).__dict__.get("solver")
    assert told[0] == told[1]
    assert solver is None
