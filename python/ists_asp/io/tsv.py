"""Tab-separated pairs: ``sent1 TAB sent2``, ``id TAB sent1 TAB sent2``, STS files."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.errors import DataError
from ists_asp.io.ids import Ids
from ists_asp.io.sentences import make_sentence
from ists_asp.io.text import Line, Source, Warn, ignore, read_lines, source_name, split_words
from ists_asp.model import Pair, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ScoredPair", "read_sts", "read_tsv"]


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """A pair with its gold similarity, 0 to 5 in English STS files, 0 to 4 in Spanish."""

    pair: Pair
    score: float


def read_tsv(
    source: Source, *, name: str | None = None, warn: Warn = ignore, strict: bool = False
) -> Iterator[Pair]:
    """Yield pairs of two columns (sentences) or three (an id, then sentences).

    Pairs of two columns have their line number as id; all lines have as many columns as the
    first. Sentences are split at blanks.

    Raises:
        DataError: another number of columns, an empty sentence, an empty or repeated id.
    """
    label = source_name(source, name)
    first = 0
    with Ids() as ids:
        for line in read_lines(source, name=name, warn=warn, strict=strict):
            columns = line.text.split("\t")
            first = first or len(columns)
            if len(columns) in (2, 3) and len(columns) != first:
                raise DataError(
                    f"{len(columns)} columns", where=line.where, expected=f"{first}, as before"
                )
            if len(columns) not in (2, 3):
                raise DataError(
                    f"{len(columns)} columns",
                    where=line.where,
                    expected="sentence 1, tab, sentence 2, with or without an id and a tab before",
                )
            identifier = " ".join(columns[0].split()) if len(columns) == 3 else str(line.number)
            if not identifier:
                raise DataError("an empty id", where=line.where)
            ids.add(identifier, line.number, label)
            yield Pair(identifier, *_sentences(columns[-2:], line))


def read_sts(
    source: Source, *, name: str | None = None, warn: Warn = ignore, strict: bool = False
) -> Iterator[ScoredPair]:
    """Yield the pairs of an STS file: ``score TAB sent1 TAB sent2``; ids are line numbers.

    Raises:
        DataError: another number of columns, a score that is no number, an empty sentence.
    """
    for line in read_lines(source, name=name, warn=warn, strict=strict):
        columns = line.text.split("\t")
        if len(columns) != 3:
            raise DataError(
                f"{len(columns)} columns",
                where=line.where,
                expected="a score, sentence 1 and sentence 2, separated by tabs",
            )
        try:
            score = float(columns[0])
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise DataError(
                f"the score '{columns[0].strip()}'", where=line.where, expected="a number"
            )
        yield ScoredPair(Pair(str(line.number), *_sentences(columns[1:], line)), score)


def _sentences(columns: list[str], line: Line) -> tuple[Sentence, Sentence]:
    found = []
    for number, column in enumerate(columns, 1):
        words = split_words(column)
        if not words:
            raise DataError(
                f"sentence {number} is empty", where=line.where, expected="at least one token"
            )
        found.append(make_sentence(words))
    return found[0], found[1]
