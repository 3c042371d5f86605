"""Sentence files: one tokenised sentence a line, tokens separated by blanks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.errors import DataError
from ists_asp.io.text import Source, Warn, ignore, read_lines, split_words
from ists_asp.model import Sentence, Token

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["make_sentence", "read_sentences"]


def make_sentence(words: Sequence[str]) -> Sentence:
    """A sentence of these tokens, numbered from 1, without chunks."""
    return Sentence(tuple(Token(index, word) for index, word in enumerate(words, 1)))


def read_sentences(
    source: Source, *, name: str | None = None, warn: Warn = ignore, strict: bool = False
) -> Iterator[Sentence]:
    """Yield the sentences of a file, one a line.

    Raises:
        DataError: an empty line, or what :func:`~ists_asp.io.text.read_lines` raises.
    """
    for line in read_lines(source, name=name, warn=warn, strict=strict):
        words = split_words(line.text)
        if not words:
            raise DataError("an empty sentence", where=line.where, expected="at least one token")
        yield make_sentence(words)
