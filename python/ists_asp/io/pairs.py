"""Pairs from two files that have a sentence a line, with or without chunks."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from ists_asp.errors import DataError
from ists_asp.io.chunks import read_chunks
from ists_asp.io.sentences import read_sentences
from ists_asp.io.text import Source, Warn, ignore, source_name
from ists_asp.model import Pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ists_asp.model import Sentence

__all__ = ["read_pairs"]


def read_pairs(
    first: Source,
    second: Source,
    *,
    chunked: bool = False,
    name1: str | None = None,
    name2: str | None = None,
    warn: Warn = ignore,
    strict: bool = False,
) -> Iterator[Pair]:
    """Yield the pairs of two files, with the ids "1", "2" and so on.

    Args:
        first: the first sentences, one a line.
        second: the second sentences.
        chunked: whether these are chunk files; otherwise blanks separate the tokens.
        name1: the first file in messages.
        name2: the second file in messages.
        warn: gets a message for each fault that was repaired.
        strict: whether such a fault is an error.

    Raises:
        DataError: the files differ in length, or what
            :func:`~ists_asp.io.sentences.read_sentences` or
            :func:`~ists_asp.io.chunks.read_chunks` raises.
    """
    read = read_chunks if chunked else read_sentences
    name1, name2 = source_name(first, name1), source_name(second, name2)
    return _pair_up(
        read(first, name=name1, warn=warn, strict=strict),
        read(second, name=name2, warn=warn, strict=strict),
        name1,
        name2,
    )


def _pair_up(
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
