"""Sentence files: one tokenised sentence a line, tokens separated by blanks."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from ists_asp.errors import DataError
from ists_asp.io.text import Source, Warn, ignore, read_lines, source_name, split_words
from ists_asp.model import Pair, Sentence, Token

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["make_sentence", "pair_up", "read_pairs", "read_sentences"]


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


def read_pairs(
    first: Source,
    second: Source,
    *,
    name1: str | None = None,
    name2: str | None = None,
    warn: Warn = ignore,
    strict: bool = False,
) -> Iterator[Pair]:
    """Yield the pairs of two sentence files, with the ids "1", "2" and so on.

    Raises:
        DataError: the files differ in length, or what :func:`read_sentences` raises.
    """
    name1, name2 = source_name(first, name1), source_name(second, name2)
    return pair_up(
        read_sentences(first, name=name1, warn=warn, strict=strict),
        read_sentences(second, name=name2, warn=warn, strict=strict),
        name1,
        name2,
    )


def pair_up(
    first: Iterable[Sentence], second: Iterable[Sentence], name1: str, name2: str
) -> Iterator[Pair]:
    """Pair the sentences of two files line by line, with the ids "1", "2" and so on.

    Raises:
        DataError: one file is longer; raised after the pairs that both files have.
    """
    count1 = count2 = 0
    for number, (sent1, sent2) in enumerate(zip_longest(first, second), 1):
        if sent1 is not None:
            count1 = number
        if sent2 is not None:
            count2 = number
        if sent1 is not None and sent2 is not None:
            yield Pair(str(number), sent1, sent2)
    if count1 != count2:
        raise DataError(
            f"{count1} {'sentence' if count1 == 1 else 'sentences'} against {count2} in {name2}",
            where=name1,
            expected="as many sentences in both files",
        )
