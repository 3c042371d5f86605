"""Tab-separated pairs: ``sent1 TAB sent2``, ``id TAB sent1 TAB sent2``, STS files."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.errors import DataError, FormatError, shortened
from ists_asp.io.header import check_no_header
from ists_asp.io.ids import Ids
from ists_asp.io.sentences import make_sentence
from ists_asp.io.text import (
    Line,
    Source,
    Warn,
    ignore,
    parse_lines,
    source_name,
    split_words,
)
from ists_asp.model import Pair, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUOTED = re.compile(r'"(?! )(?:[^"]|"")+(?<! )"')
"""A cell as programs for tables quote it; quotes that are tokens have blanks beside them."""

_SIGNS = {";": "semicolons", ",": "commas"}
"""What may stand between columns in place of tabs; sentences have commas, too."""

_PAIR = "sentence 1, tab, sentence 2, with or without an id and a tab before"
_SCORED = "a score, sentence 1 and sentence 2, separated by tabs"


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
    first. Sentences are split at blanks. Cells in quotes, which are no part of the format, are
    warned of.

    Raises:
        DataError: another number of columns, an empty sentence, an empty or repeated id.
        FormatError: the first line names columns, or commas separate them.
    """
    with Ids() as ids:
        table = _Table(source_name(source, name), ids)
        yield from parse_lines(source, table.pair, name=name, warn=warn, strict=strict)
        table.tell(warn)


@dataclass(slots=True)
class _Table:
    """What is known of a table while its lines are read."""

    name: str
    ids: Ids
    columns: int = 0
    quoted: int = 0
    example: str = ""

    def pair(self, line: Line) -> Pair:
        cells = _cells(line, _PAIR)
        if len(cells) not in (2, 3):
            raise _miscounted(cells, line, _PAIR)
        self.columns = self.columns or len(cells)
        if len(cells) != self.columns:
            raise _miscounted(cells, line, f"{self.columns}, as before")
        identifier = " ".join(cells[0].split()) if len(cells) == 3 else str(line.number)
        if not identifier:
            raise DataError("an empty id", where=line.where)
        self.ids.add(identifier, line.number, self.name)
        pair = Pair(identifier, *_sentences(cells[-2:], line))
        self._look_for_quotes(cells[-2:], line)
        return pair

    def _look_for_quotes(self, cells: list[str], line: Line) -> None:
        # A sentence may be a quotation; two, or doubled quotes inside, are the work of a program.
        found = [cell for cell in cells if cell.startswith('"') and _QUOTED.fullmatch(cell)]
        if len(found) == 2 or any('""' in cell for cell in found):
            self.example = self.example or f"{line.where}: {shortened(found[0])}"
            self.quoted += 1

    def tell(self, warn: Warn) -> None:
        """Warn of cells in quotes, once for all lines."""
        if self.quoted:
            more = self.quoted - 1
            others = f", and on {more} more line{'' if more == 1 else 's'}" if more else ""
            warn(
                f"{self.example} stands in double quotes{others}; they are read as part of the "
                "sentence: take them out if a program for tables put them there"
            )


def read_sts(
    source: Source, *, name: str | None = None, warn: Warn = ignore, strict: bool = False
) -> Iterator[ScoredPair]:
    """Yield the pairs of an STS file: ``score TAB sent1 TAB sent2``; ids are line numbers.

    Raises:
        DataError: another number of columns, a score that is no number, an empty sentence.
        FormatError: the first line names columns, or commas separate them.
    """
    return parse_lines(source, _scored, name=name, warn=warn, strict=strict)


def _scored(line: Line) -> ScoredPair:
    cells = _cells(line, _SCORED)
    if len(cells) != 3:
        raise _miscounted(cells, line, _SCORED)
    try:
        score = float(cells[0])
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        found = shortened(cells[0].strip())
        raise DataError(f"the score '{found}'", where=line.where, expected="a number")
    return ScoredPair(Pair(str(line.number), *_sentences(cells[1:], line)), score)


def _cells(line: Line, expected: str) -> list[str]:
    """The cells of a line.

    Raises:
        DataError: the line is empty.
        FormatError: the first line is not that of a table without a header, with tabs.
    """
    cells = line.text.split("\t")
    if line.number == 1:
        check_no_header(cells, line.where)
        sign = next((name for sign, name in _SIGNS.items() if sign in line.text), None)
        if len(cells) == 1 and sign:
            raise FormatError(
                f"{sign}, but no tab",
                where=line.where,
                expected=expected,
                hint="Put tabs between the columns",
            )
    if not line.text.strip():
        raise DataError("an empty line", where=line.where, expected=expected)
    return cells


def _miscounted(cells: list[str], line: Line, expected: str) -> DataError:
    count = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
    return DataError(count, where=line.where, expected=expected)


def _sentences(cells: list[str], line: Line) -> tuple[Sentence, Sentence]:
    found = []
    for number, cell in enumerate(cells, 1):
        words = split_words(cell)
        if not words:
            raise DataError(
                f"sentence {number} is empty", where=line.where, expected="at least one token"
            )
        found.append(make_sentence(words))
    return found[0], found[1]
