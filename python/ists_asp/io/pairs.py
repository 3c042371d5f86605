"""Pairs from two files that have a sentence a line, with or without chunks."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from ists_asp.errors import DataError
from ists_asp.io.chunks import chunk_parser
from ists_asp.io.faults import Faults
from ists_asp.io.sentences import parse_sentence
from ists_asp.io.text import Repairs, Source, Warn, ignore, parse_each, source_name
from ists_asp.model import Pair, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator


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
            :func:`~ists_asp.io.chunks.read_chunks` raises; after the pairs of sound lines.
    """
    name1, name2 = source_name(first, name1), source_name(second, name2)
    faults = Faults()
    parse = chunk_parser(Repairs(warn, strict)) if chunked else parse_sentence
    sides = (
        parse_each(source, parse, faults, name=name, warn=warn, strict=strict)
        for source, name in ((first, name1), (second, name2))
    )
    lines = [0, 0]
    for number, pair in enumerate(zip_longest(*sides), 1):
        for side, found in enumerate(pair):
            if found is not None:
                lines[side] = number
        sent1, sent2 = pair
        if isinstance(sent1, Sentence) and isinstance(sent2, Sentence):
            yield Pair(str(number), sent1, sent2)
    if lines[0] != lines[1]:
        count = "1 sentence" if lines[0] == 1 else f"{lines[0]} sentences"
        faults.add(
            DataError(
                f"{count} against {lines[1]} in {name2}",
                where=name1,
                expected="as many sentences in both files",
            )
        )
    faults.check()
