"""Cutting words into pieces, against what the encoder's own tokeniser gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.knowledge.wordpiece import basic_words, pieces

VOCABULARY = {
    piece: number
    for number, piece in enumerate(["un", "##aff", "##able", "run", "runn", "##ing", "!", "é", "e"])
}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("  \t\n ", []),
        ("Obama's", ["obama", "'", "s"]),
        ("U.S.", ["u", ".", "s", "."]),
        ("$1,000", ["$", "1", ",", "000"]),
        ("Café NAÏVE", ["cafe", "naive"]),
        ("well-known—so", ["well", "-", "known", "—", "so"]),
        ("a\u00a0b\u200bc\x00d", ["a", "bcd"]),
        ("東京", ["東", "京"]),
        ("İstanbul", ["istanbul"]),
    ],
)
def test_basic_words(text: str, words: list[str]) -> None:
    assert list(basic_words(text)) == words


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("unaffable", [0, 1, 2]),
        ("running", [4, 5]),
        ("run!", [3, 6]),
        ("É", [8]),
        ("runs", []),
        ("runs running", [4, 5]),
        ("un" * 60, []),
    ],
)
def test_longest_piece_first(text: str, numbers: list[int]) -> None:
    assert pieces(text, VOCABULARY) == numbers


@given(st.text())
def test_any_text_has_pieces_of_the_vocabulary(text: str) -> None:
    assert set(pieces(text, VOCABULARY)) <= set(VOCABULARY.values())
    assert not any(word != word.strip() or not word for word in basic_words(text))
