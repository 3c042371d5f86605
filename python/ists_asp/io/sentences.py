"""Sentence files: one tokenised sentence a line, tokens separated by blanks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.errors import DataError
from ists_asp.io.header import check_no_header
from ists_asp.io.text import Line, Source, Warn, ignore, parse_lines, split_words
from ists_asp.model import Sentence, Token

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


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
    return parse_lines(source, parse_sentence, name=name, warn=warn, strict=strict)


def parse_sentence(line: Line) -> Sentence:
    """The sentence on a line.

    Raises:
        DataError: the line is empty.
        FormatError: the first line names a column.
    """
    words = split_words(line.text)
    if not words:
        raise DataError("an empty sentence", where=line.where, expected="at least one token")
    if line.number == 1 and len(words) == 1:
        check_no_header(words, line.where)
    return make_sentence(words)
