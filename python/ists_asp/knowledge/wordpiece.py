"""Words cut into word pieces, as BERT's uncased models do.

The algorithm is that of Devlin et al. 2019 (BERT, google-research/bert, ``tokenization.py``):
lower-case, strip accents, cut at punctuation and CJK characters, then take the longest piece
of the vocabulary from the left; a piece inside a word begins with ``##``.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAX_CHARACTERS = 100
"""A longer run of characters is unknown as a whole."""

_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Blocks whose characters are words of their own."""


def pieces(text: str, vocabulary: Mapping[str, int]) -> list[int]:
    """Return the numbers of a text's word pieces, without those that are unknown."""
    return [number for word in basic_words(text) for number in _cut(word, vocabulary)]


def basic_words(text: str) -> Iterator[str]:
    """Cut a text, in lower case and without accents, at blanks and punctuation."""
    word: list[str] = []
    for char in unicodedata.normalize("NFD", _clean(text)).lower():
        if char == " " or _stands_alone(char):
            if word:
                yield "".join(word)
                word.clear()
            if char != " ":
                yield char
        elif unicodedata.category(char) != "Mn":
            word.append(char)
    if word:
        yield "".join(word)


def _clean(text: str) -> str:
    """Drop control characters and write every blank as a space."""
    return "".join(
        " " if char.isspace() else char
        for char in text
        if char.isspace() or not (unicodedata.category(char)[0] == "C" or char == "\ufffd")
    )


def _stands_alone(char: str) -> bool:
    code = ord(char)
    if code < 128:
        return char.isprintable() and not char.isalnum()
    if unicodedata.category(char)[0] == "P":
        return True
    return any(first <= code <= last for first, last in _CJK)


def _cut(word: str, vocabulary: Mapping[str, int]) -> list[int]:
    """Cut one word greedily; nothing if some rest of it has no piece."""
    if len(word) > MAX_CHARACTERS:
        return []
    found: list[int] = []
    begin = 0
    while begin < len(word):
        prefix = "##" if begin else ""
        for end in range(len(word), begin, -1):
            number = vocabulary.get(prefix + word[begin:end])
            if number is not None:
                break
        else:
            return []
        found.append(number)
        begin = end
    return found
