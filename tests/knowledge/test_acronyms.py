from __future__ import annotations

import pytest

from ists_asp.knowledge.acronyms import acronym, acronyms, initials


@pytest.mark.parametrize(
    ("form", "letters"),
    [("UN", "un"), ("U.N.", "un"), ("U.S", "us"), ("BoE", "boe"), ("p.m.", "pm"), ("MPs", "mps")],
)
def test_letters(form: str, letters: str) -> None:
    assert acronym(form) == letters


@pytest.mark.parametrize("form", ["", "A", "W.", "Bank", "us", "iPad", "BREAKING", "G20", ".."])
def test_no_acronym(form: str) -> None:
    assert acronym(form) is None


def test_acronyms_of_a_sentence() -> None:
    assert acronyms(["US", "and", "U.K."]) == [(1, "us"), (3, "uk")]


def test_nothing_stands_out_in_a_sentence_in_capitals() -> None:
    assert acronyms(["US", "AND", "UK"]) == []


def test_initials_of_all_words_or_of_those_with_a_capital() -> None:
    forms = ["The", "Bank", "of", "England", "says"]
    assert list(initials(forms, {"boe"})) == [(2, 4, "boe")]
    assert list(initials(forms, {"be"})) == [(2, 4, "be")]
    assert list(initials(["prime", "minister"], {"pm"})) == [(1, 2, "pm")]


def test_initials_do_not_run_over_marks_and_numbers() -> None:
    assert list(initials(["United", ",", "Nations"], {"un"})) == []
    assert list(initials(["Group", "20"], {"g2"})) == []
    assert list(initials(["United", "Nations"], set())) == []
