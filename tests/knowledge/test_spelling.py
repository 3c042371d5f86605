from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.knowledge.spelling import (
    Glued,
    glued,
    similar_spelling,
    similarity,
)
from ists_asp.knowledge.written import written_otherwise

LETTERS = st.text(alphabet="abcdeé", max_size=9)


@pytest.mark.parametrize(
    ("word1", "word2", "expected"),
    [
        ("seperated", "separated", 88),
        ("battary", "battery", 85),
        ("recieve", "receive", 85),
        ("bulb", "bulbs", 80),
        ("Circuit", "circuit", 100),
        ("open", "closed", 33),
        ("", "", 100),
        ("", "abc", 0),
    ],
)
def test_similarity(word1: str, word2: str, expected: int) -> None:
    assert similarity(word1, word2) == expected


@given(LETTERS, LETTERS)
def test_similarity_is_symmetric_and_bounded(word1: str, word2: str) -> None:
    assert similarity(word1, word2) == similarity(word2, word1)
    assert 0 <= similarity(word1, word2) <= 100
    assert (similarity(word1, word2) == 100) == (word1 == word2)


@given(st.text(alphabet="abcde", min_size=4, max_size=9), st.data())
def test_one_swap_counts_as_one_edit(word: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(word) - 2))
    swapped = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    assert similarity(word, swapped) >= 100 * (len(word) - 1) // len(word)


@given(st.lists(LETTERS, max_size=5), st.lists(LETTERS, max_size=5))
def test_no_similar_pair_is_missed(words1: list[str], words2: list[str]) -> None:
    expected = sorted(
        (word1, word2, similarity(word1, word2))
        for word1 in {word for word in words1 if len(word) >= 4}
        for word2 in {word for word in words2 if len(word) >= 4}
        if 70 <= similarity(word1, word2) < 100
    )
    assert similar_spelling(words1, words2) == expected


def test_only_alphabetic_words_of_four_letters_are_compared() -> None:
    assert (
        similar_spelling(["cat", "1000", "co-op", "word"], ["cut", "1001", "co-op2", "Word"]) == []
    )
    assert similar_spelling(["word", "cat"], ["ward", "cut"]) == [("word", "ward", 75)]


@pytest.mark.parametrize(
    ("one", "two", "word"),
    [
        ("a flat-screen", "the flat screen", "flatscreen"),
        ("U.S.A.", "USA", None),
        ("maybe", "may be", "maybe"),
        ("the policeman", "police man", "policeman"),
        ("E-Mail", "email", "email"),
        ("flat screen", "flat screen", None),
    ],
)
def test_words_that_marks_and_blanks_tell_apart(one: str, two: str, word: str | None) -> None:
    found = list(written_otherwise(one.split(), two.split()))
    assert {letters for *_, letters, _ in found} == ({word} if word else set())
    assert {part for *_, part in found} <= {0 if "-" in one + two else 2 if word == "maybe" else 3}
    for number, first, last, letters, _ in found:
        tokens = (one, two)[number - 1].split()[first - 1 : last]
        assert "".join(tokens).replace("-", "").lower() == letters


def test_words_are_lower_cased() -> None:
    assert similar_spelling(["Battary", "battary"], ["BATTERY"]) == [("battary", "battery", 85)]


def test_glued_in_either_sentence() -> None:
    whole = ["Thebulb", "lights"]
    parts = ["then", "the", "bulb"]
    assert glued(whole, parts) == [Glued(sentence=1, token=1, first=2)]
    assert glued(parts, whole) == [Glued(sentence=2, token=1, first=2)]


def test_glued_needs_letters() -> None:
    assert glued(["10", "a."], ["1", "0", "a", "."]) == []


@given(st.lists(LETTERS.filter(bool), min_size=2, max_size=6), st.data())
def test_every_glued_word_is_found(words: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, len(words) - 1))
    joined = [*words[: first - 1], words[first - 1] + words[first], *words[first + 1 :]]
    assert Glued(sentence=2, token=first, first=first) in glued(words, joined)
