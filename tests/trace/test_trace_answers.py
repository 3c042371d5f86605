"""Answers say themselves why they are so."""

import pickle

import pytest

from ists_asp.errors import UsageError
from tests.sharing import load_shared
from tests.trace.conftest import system

PAIR = ("12 killed in bus accident", "10 killed in road accident")


@pytest.fixture(scope="module")
def answer():
    return system("headlines").solve(*PAIR)


@pytest.mark.slow
def test_an_answer_says_why_as_its_trace_does(answer):
    trace = answer.trace()
    assert answer.trace() is trace
    assert trace.answer.alignments == answer.alignments
    (line, *_) = answer.alignments
    assert (line.tokens1, line.tokens2) == ((1,), (1,))
    assert answer.why("1 <==> 1").text() == trace.why("1 <==> 1").text()
    assert "label:1:1" in answer.why("1 <==> 1").text()


def test_an_answer_says_why_not(answer):
    found = answer.why_not("1 <==> 1 // EQUI")
    assert found.text() == answer.trace().why_not("1 <==> 1 // EQUI").text()
    with pytest.raises(UsageError, match="not so in the answer: "):
        answer.why("1 <==> 1 // EQUI")


def test_the_rating_of_an_answer_can_be_asked_for(answer):
    rating = answer.trace().answer.rating
    assert answer.rating == rating == system("headlines").rate(answer)
    assert "words_covered" in answer.why("rating").text()


@pytest.mark.slow
def test_an_answer_that_cannot_be_traced_says_so(answer):
    copy = pickle.loads(pickle.dumps(answer))
    assert copy == answer
    with pytest.raises(UsageError, match=r"^pair 1: this answer cannot be traced; expected "):
        copy.why("1 <==> 1")
    with load_shared("headlines", models=2) as several:
        ((best, second),) = several.solve_all([answer.pair])
        assert best.why("1 <==> 1").decisions
        with pytest.raises(UsageError, match="cannot be traced"):
            second.why_not("1 <==> 1")


@pytest.mark.slow
def test_a_closed_system_says_so():
    with load_shared("headlines") as closed:
        answer = closed.solve(*PAIR)
    for ask in (lambda: answer.why("1 <==> 1"), lambda: closed.solve(*PAIR)):
        with pytest.raises(UsageError, match=r"^the system is closed"):
            ask()
