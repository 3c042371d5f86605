"""Pairs of sentences: two files, tab-separated columns, JSON Lines."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from ists_asp.errors import DataError, FormatError, shortened
from ists_asp.io.chunks import chunk_parser
from ists_asp.io.text import (
    Faults,
    Line,
    Repairs,
    Source,
    Warn,
    check_no_header,
    clean,
    ignore,
    make_sentence,
    parse_each,
    parse_lines,
    parse_sentence,
    source_name,
    split_words,
)
from ists_asp.model import Chunk, Pair, Sentence
from ists_asp.resources import Closing

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUOTED = re.compile(r'"(?! )(?:[^"]|"")+(?<! )"')
"""A cell as programs for tables quote it; quotes that are tokens have blanks beside them."""

_SIGNS = {";": "semicolons", ",": "commas"}
"""What may stand between columns in place of tabs; sentences have commas, too."""

_PAIR = "sentence 1, tab, sentence 2, with or without an id and a tab before"
_SCORED = "a score, sentence 1 and sentence 2, separated by tabs"

_KEYS = "'sent1' and 'sent2', with or without 'id', 'chunks1' and 'chunks2'"


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
            :func:`~ists_asp.io.text.read_sentences` or
            :func:`~ists_asp.io.chunks.read_chunks` raises; after the pairs of sound lines.
    """
    name1, name2 = source_name(first, name1), source_name(second, name2)
    faults = Faults()
    parse = chunk_parser(Repairs(warn, strict)) if chunked else parse_sentence
    sides = (
        parse_each(source, parse, faults, name=name, warn=warn, strict=strict)
        for source, name in ((first, name1), (second, name2))
    )
    count1 = count2 = 0
    for number, (sent1, sent2) in enumerate(zip_longest(*sides), 1):
        count1 += sent1 is not None
        count2 += sent2 is not None
        if isinstance(sent1, Sentence) and isinstance(sent2, Sentence):
            yield Pair(str(number), sent1, sent2)
    if count1 != count2:
        count = "1 sentence" if count1 == 1 else f"{count1} sentences"
        faults.add(
            DataError(
                f"{count} against {count2} in {name2}",
                where=name1,
                expected="as many sentences in both files",
            )
        )
    faults.check()


class Ids(Closing):
    """Ids with the numbers of their lines; a context manager.

    SQLite keeps them in a file without a name, in the system's folder for such files, as soon
    as there are more than a few thousand.
    """

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("CREATE TABLE ids (id TEXT PRIMARY KEY, line INTEGER) WITHOUT ROWID")
        self._database.execute("BEGIN")

    def close(self) -> None:
        """Forget the ids."""
        self._database.close()

    def add(self, identifier: str, line: int, file: str) -> None:
        """Take the id of a line; one that was taken is refused."""
        try:
            self._database.execute("INSERT INTO ids VALUES (?,?)", (identifier, line))
        except sqlite3.IntegrityError:
            found = self._database.execute("SELECT line FROM ids WHERE id = ?", (identifier,))
            ((first,),) = found
            raise DataError(
                f"the id '{shortened(identifier)}' again, first at {file}:{first}",
                where=f"{file}:{line}",
                expected="one line an id",
            ) from None
        except sqlite3.OperationalError as error:
            raise DataError(
                f"the ids of its pairs cannot be kept: {error}",
                where=file,
                hint="Make room in the folder for temporary files (TMPDIR)",
            ) from None


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
        cells = _cells(line, _PAIR, (2, 3))
        self.columns = self.columns or len(cells)
        if len(cells) != self.columns:
            raise _miscounted(cells, line, f"{self.columns}, as before")
        identifier = " ".join(cells[0].split()) if len(cells) == 3 else str(line.number)
        if not identifier:
            raise DataError("an empty id", where=line.where)
        self.ids.add(identifier, line.number, self.name)
        pair = Pair(identifier, *_sentences(cells[-2:], line))
        # A sentence may be a quotation; two, or doubled quotes inside, are the work of a program.
        found = [cell for cell in cells[-2:] if cell.startswith('"') and _QUOTED.fullmatch(cell)]
        if len(found) == 2 or any('""' in cell for cell in found):
            self.example = self.example or f"{line.where}: {shortened(found[0])}"
            self.quoted += 1
        return pair

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
    cells = _cells(line, _SCORED, (3,))
    try:
        score = float(cells[0])
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        found = shortened(cells[0].strip())
        raise DataError(f"the score '{found}'", where=line.where, expected="a number")
    return ScoredPair(Pair(str(line.number), *_sentences(cells[1:], line)), score)


def _cells(line: Line, expected: str, counts: tuple[int, ...]) -> list[str]:
    """The cells of a line; there is one of these numbers of them."""
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
    if len(cells) not in counts:
        raise _miscounted(cells, line, expected)
    return cells


def _miscounted(cells: list[str], line: Line, expected: str) -> DataError:
    count = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
    return DataError(count, where=line.where, expected=expected)


def _sentences(cells: list[str], line: Line) -> Iterator[Sentence]:
    for number, cell in enumerate(cells, 1):
        yield _words(cell, f"sentence {number}", line.where)


def _words(text: str, name: str, where: str) -> Sentence:
    words = split_words(text)
    if not words:
        raise DataError(f"{name} is empty", where=where, expected="at least one token")
    return make_sentence(words)


def read_jsonl(
    source: Source, *, name: str | None = None, warn: Warn = ignore, strict: bool = False
) -> Iterator[Pair]:
    """Yield pairs from objects with ``sent1`` and ``sent2`` (strings of tokens).

    Optional: ``id`` (string or integer, else the line number) and ``chunks1``, ``chunks2``
    (lists of ``[first, last]`` token numbers; both or none). Other keys are ignored.

    Raises:
        DataError: no JSON object, a missing or faulty value, an empty line, a repeated id.
        FormatError: the first line begins a list, or an object with other keys.
    """
    repairs = Repairs(warn, strict)
    label = source_name(source, name)
    with Ids() as ids:

        def pair(line: Line) -> Pair:
            where = line.where
            record = read_object(line)
            _check_keys(record, line)
            identifier = _identifier(record, line.number, where)
            ids.add(identifier, line.number, label)
            sent1, sent2 = (_sentence(record, number, where, repairs) for number in "12")
            if (sent1.chunks is None) != (sent2.chunks is None):
                given, absent = "12" if sent2.chunks is None else "21"
                raise DataError(
                    f"'chunks{given}' without 'chunks{absent}'",
                    where=where,
                    expected="both or none",
                )
            return Pair(identifier, sent1, sent2)

        yield from parse_lines(source, pair, name=name, warn=warn, strict=strict)


def read_object(line: Line) -> dict[str, object]:
    """The JSON object on a line."""
    fault, hint = DataError, None
    if line.number == 1 and line.text.lstrip().startswith("["):
        fault, hint = FormatError, "Write each object on a line of its own, with no list round them"
    record = None
    if not line.text.strip():
        found = "an empty line"
    else:
        try:
            record = json.loads(line.text)
            found = "JSON that is no object"
        except json.JSONDecodeError as error:
            found = f"no valid JSON at column {error.colno} ({error.msg})"
        except (ValueError, RecursionError):
            # Python refuses to read numbers of thousands of digits, and stacks of brackets.
            found = "no valid JSON (too much for a value)"
    if not isinstance(record, dict):
        raise fault(found, where=line.where, expected="one object a line", hint=hint)
    return record


def _check_keys(record: dict[str, object], line: Line) -> None:
    """Refuse an object without sentences; on the first line, those of other programs."""
    missing = [f"'{key}'" for key in ("sent1", "sent2") if key not in record]
    if not missing:
        return
    fault = FormatError if line.number == 1 and len(missing) == 2 else DataError
    keys = shortened(", ".join(f"'{key}'" for key in record))
    raise fault(
        f"no {' and no '.join(missing)}" + (f" among the keys {keys}" if keys else ""),
        where=line.where,
        expected=_KEYS,
    )


def _identifier(record: dict[str, object], number: int, where: str) -> str:
    value = record.get("id", number)
    text = ""
    if isinstance(value, str | int) and not isinstance(value, bool):
        # As a .wa file has it, so that what is told apart here is told apart there.
        text = " ".join(clean(str(value), where, Repairs()).split())
    if not text:
        raise DataError(
            f"the id {shortened(json.dumps(value))}",
            where=where,
            expected="a string or a whole number",
        )
    return text


def _sentence(record: dict[str, object], number: str, where: str, repairs: Repairs) -> Sentence:
    key = f"sent{number}"
    text = record.get(key)
    if not isinstance(text, str):
        raise DataError(f"'{key}' is no string", where=where, expected="a sentence as a string")
    tokens = _words(clean(text, where, repairs), f"'{key}'", where).tokens
    return Sentence(tokens, _chunks(record.get(f"chunks{number}"), len(tokens), number, where))


def _chunks(value: object, size: int, number: str, where: str) -> tuple[Chunk, ...] | None:
    if value is None:
        return None
    name = f"'chunks{number}'"
    chunks: list[Chunk] = []
    due = 1
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, list) or [type(bound) for bound in item] != [int, int]:
            raise DataError(
                f"{shortened(json.dumps(item))} in {name}",
                where=where,
                expected="[first token, last token]",
            )
        first, last = item
        if first != due or not first <= last <= size:
            raise DataError(
                f"{shortened(json.dumps(item))} in {name} of a sentence of {size} tokens",
                where=where,
                expected=f"a chunk that begins at {due} and ends by {size}",
            )
        chunks.append(Chunk(first, last))
        due = last + 1
    if due != size + 1:
        raise DataError(f"{name} does not reach the last token", where=where, expected=f"{size}")
    return tuple(chunks)
