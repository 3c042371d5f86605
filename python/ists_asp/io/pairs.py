r"""Pairs of sentences: two files, chunked or not, or a table of any kind.

Chunk files have a sentence per line, ``[ the bulb ] [ is ] [ on ]``. Brackets are markers between
blanks or at the edge of a word. A bracket that belongs to a word is escaped (``\[``), and
backslashes before such a bracket are doubled; other backslashes stand for themselves.
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, time, timedelta
from functools import partial
from itertools import zip_longest
from numbers import Number
from pathlib import Path

from ists_asp.errors import DataError, FormatError, UsageError, shortened
from ists_asp.io import text as t
from ists_asp.io.columns import ABSENT, USUAL, couple, usual
from ists_asp.io.delimited import GoldScale, Row, number, read_mark
from ists_asp.io.tables import Table
from ists_asp.io.workbooks import READ, SHEETS, ending
from ists_asp.limits import check_size
from ists_asp.model import Chunk, Pair, Sentence
from ists_asp.resources import Closing

# A match begins where a run of backslashes does: a long one is looked through once only.
_BRACKET = re.compile(r"(?<!\\)(\\*+)([\[\]])")
_OPENING = re.compile(r"(?<!\\)\[")
_TEXTS = (str, Number, date, time, timedelta)  # what a cell of sentences may hold
_GLUED_PAIR = re.compile(r"(?<!\\)\]\[")


def read_pairs(
    first: t.Source,
    second: t.Source,
    *,
    chunked: bool = False,
    name1: str | None = None,
    name2: str | None = None,
    warn: t.Warn = t.ignore,
    strict: bool = False,
    skip_bad: bool = False,
    before: int = 0,
) -> Iterator[Pair]:
    """Yield the pairs of two files, chunked or not, with the ids "1", "2" and so on.

    ``before`` is the number of lines before parts of files. Faults are raised at the end.
    """
    name1, name2 = t.source_name(first, name1), t.source_name(second, name2)
    faults = t.Faults(warn if skip_bad else None)
    repairs = t.Repairs(warn, strict)
    parse_words = chunk_parser(repairs) if chunked else t.parse_sentence

    def parse(line: t.Line) -> Sentence:
        if numbered := re.match(rf"(?:{line.number - 1}|{line.number})\t", line.text):
            repairs.report_once(line.where, "a running number and a tab", "left out")
            line = replace(line, text=line.text[numbered.end() :])
        return parse_words(line)

    sides = (
        t.parse_each(source, parse, faults, name=name, warn=warn, strict=strict, before=before)
        for source, name in ((first, name1), (second, name2))
    )
    count1 = count2 = 0
    for line, (sent1, sent2) in enumerate(zip_longest(*sides), 1 + before):
        count1 += sent1 is not None
        count2 += sent2 is not None
        if isinstance(sent1, Sentence) and isinstance(sent2, Sentence):
            yield Pair(str(line), sent1, sent2)
    if count1 != count2:
        count = "1 sentence" if count1 == 1 else f"{count1} sentences"
        found, expected = f"{count} against {count2} in {name2}", "as many sentences in both files"
        fault = DataError(found, where=name1, expected=expected)
        if skip_bad:
            # Which sentences belong together is not known.
            raise fault
        faults.add(fault)
    faults.check()


class Ids(Closing):
    """Ids with the numbers of their lines; a context manager."""

    # SQLite keeps them in a file without a name, as soon as there are more than a few thousand.

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        table = "CREATE TABLE ids (id TEXT PRIMARY KEY, line INTEGER) WITHOUT ROWID"
        self._database.executescript(f"PRAGMA journal_mode = OFF; {table}; BEGIN")

    def close(self) -> None:
        """Forget the ids."""
        self._database.close()

    def add(self, identifier: str, line: int, where: str) -> None:
        """Take the id of a line, whose place ends with its number; refuse one that was taken."""
        try:
            self._database.execute("INSERT INTO ids VALUES (?,?)", (identifier, line))
        except sqlite3.IntegrityError:
            query = "SELECT line FROM ids WHERE id = ?"
            ((first,),) = self._database.execute(query, (identifier,))
            place = f"{where.removesuffix(str(line))}{first}"
            found = f"the id '{shortened(identifier)}' again, first at {place}"
            raise DataError(found, where=where, expected="one line per id") from None
        except sqlite3.OperationalError as error:
            found = f"the ids of its pairs cannot be stored: {error}"
            hint = "Make room in the folder for temporary files (TMPDIR)"
            raise DataError(found, where=where, hint=hint) from None


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """A pair with its gold similarity, 0 to 5 in English STS files, 0 to 4 in Spanish."""

    pair: Pair
    score: float
    where: str = ""  # its place in the file


@dataclass(frozen=True, slots=True)
class Places:
    """The columns of a table that hold a pair, by number from 0; None for what it lacks."""

    sent1: int
    sent2: int
    id: int | None = None
    gold: int | None = None


def find_places(table: Table, wanted: Mapping[str, str] | None = None) -> Places:
    """Find the columns of a pair: ``wanted`` titles or numbers, or usual names or places."""
    wanted = wanted or {}
    chosen = {name: table.column(title, f"--{name}-col") for name, title in wanted.items()}
    if ("sent1" in chosen) != ("sent2" in chosen):
        absent = "sent2" if "sent1" in chosen else "sent1"
        raise UsageError("one column of sentences", expected=f"--{absent}-col as well")
    named = {role: usual(table.columns, USUAL[role]) for role in ("id", "gold")}
    if "sent1" not in chosen:
        sides = couple(table.columns)
        count = len(table.columns)
        if sides is None and count in (2, 3) and table.kind != "jsonl":
            # Columns are known by their places: sentences, or an id and sentences.
            sides = count - 2, count - 1
            named = {"id": 0 if count == 3 else None, "gold": None}
        if sides is None:
            raise _unknown(table)
        chosen["sent1"], chosen["sent2"] = sides
    sides = chosen["sent1"], chosen["sent2"]
    id_column, gold = (chosen.get(role, None if at in sides else at) for role, at in named.items())
    table.tell_of(*sides, id_column)
    return Places(*sides, id_column, gold)


def _unknown(table: Table) -> FormatError:
    count = len(table.columns)
    found = "1 column" if count == 1 else f"{count} columns"
    if table.header and count:
        names = shortened(", ".join(f"'{name}'" for name in table.columns), 200)
        found = f"none of the {found} {names} is known to hold sentences"
    where = table.name if table.header else f"{table.name}:1"
    expected = "two columns of sentences, with or without one of ids"
    hint = "Name them with --sent1-col and --sent2-col, by their titles or numbers"
    if count == 1:
        hint = "Separate them with tabs, commas, semicolons or |, or by a first line such as sep=^"
    return FormatError(found, where=where, expected=expected, hint=hint)


class EmptyCellError(DataError):
    """A row of a sheet lacks a sentence: it is left out, as people leave cells empty."""


def table_pairs(
    table: Table, places: Places, warn: t.Warn = t.ignore, *, strict: bool = False
) -> Iterator[tuple[Row, Pair | DataError]]:
    """Yield each row of a table with its pair or its fault.

    Sentences are split at blanks; pairs without an id get their line number. JSON Lines may have
    ``chunks1`` and ``chunks2``, both lists of ``[first, last]``, and ``tokens1`` and ``tokens2``.
    """
    repairs = t.Repairs(warn, strict)
    with Ids() as ids:
        for row in table.rows():
            try:
                if row.fault is not None:
                    raise row.fault
                pair = Pair(identifier(row, places.id), *_sentences(table, row, places, repairs))
                ids.add(pair.id, row.number, row.where)
            except DataError as fault:
                yield row, fault
            else:
                yield row, pair


_GAPS = frozenset(("", "-", "na", "n/a", "nan", "none", "null"))


def is_gap(text: str, scale: GoldScale | None = None) -> bool:
    """Whether a gold rating is none, as -1 is to Hugging Face, unless the scale begins below 0."""
    return text.lower() in _GAPS or (number(text) == -1 and (scale or (0,))[0] >= 0)


def check_scale(
    scores: Sequence[float], scale: GoldScale | None, highest: float, where: str
) -> None:
    """Refuse gold ratings that are not on a ``scale``, by default that from 0 to ``highest``."""
    low, high = scale or (0.0, highest)
    least, most = min(scores, default=low), max(scores, default=high)
    if not low <= least <= most <= high or (scale is None and most <= highest / 5):
        found = f"gold ratings from {least:g} to {most:g}"
        likely = f"{math.floor(least)}..{math.ceil(most)}"
        hint = f"If their scale is another, say so: --gold-scale {likely}"
        raise DataError(found, where=where, expected=f"{low:g} to {high:g}", hint=hint)


def read_sts(
    source: t.Source,
    warn: t.Warn = t.ignore,
    *,
    skip_bad: bool = False,
    column: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    scale: GoldScale | None = None,
) -> Iterator[ScoredPair]:
    """Yield the pairs of a table with gold ratings, such as ``score TAB sent1 TAB sent2``.

    Without titles the sentences follow the ``column`` of scores. Rows without a score are left
    out, with one warning at the end; one that is off the ``scale`` is a fault.
    """
    label = t.source_name(source)
    kind = {**READ, ".txt": "tsv"}.get(ending(Path(label)), "tsv")
    opened = partial(Table, source, kind, name=label, encoding=encoding, sheet=sheet, warn=warn)
    table = opened(titles=[column] if column else [])
    wanted, count = {"gold": column} if column else {}, len(table.columns)
    if not table.header:
        first = table.column(column or "1", "--gold-col") + 1
        if count < first + 2 or (count > 3 and column is None):
            expected = "three: a score, sentence 1 and sentence 2; or name that with --gold-col"
            raise FormatError(f"{count} columns", where=f"{label}:1", expected=expected)
        wanted = {"gold": str(first), "sent1": str(first + 1), "sent2": str(first + 2)}
    places, faults = find_places(table, wanted), t.Faults(warn if skip_bad else None, hint=t.SKIP)
    if places.gold is None:
        hint, expected = "Name it with --gold-col", "one that is called 'score'"
        raise FormatError("no column of scores", where=label, expected=expected, hint=hint)
    table.tell_of(places.gold)
    gaps = 0
    for row, pair in table_pairs(table, places, warn):
        with faults:
            if isinstance(pair, EmptyCellError):
                warn(f"{pair}; left out")
                continue
            if isinstance(pair, DataError):
                raise pair
            for sentence in pair.sentences:
                check_size(sentence, row.where)
            text = row.text(places.gold)
            if is_gap(text, scale):
                gaps += 1
                continue
            yield ScoredPair(pair, read_mark(text, table.place(row, places.gold), scale), row.where)
    faults.check()
    if gaps:
        warn(f"{label}: rows without a score, which are left out: {gaps}")


def identifier(row: Row, place: int | None) -> str:
    """The id in a column of a row; the number of the row where there is none."""
    value = ABSENT if place is None else row.cells[place]
    if value is ABSENT:
        return str(row.number)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = ""
    if isinstance(value, str | int) and not isinstance(value, bool):
        # As a .wa file has it, so that what is told apart here is told apart there.
        text = " ".join(t.clean(str(value), row.where, t.Repairs()).split())
    if not text:
        found = f"the id {shortened(repr(value))}" if str(value or "").strip() else "an empty id"
        raise DataError(found, where=row.where, expected="a string or a whole number")
    return text


def _sentences(
    table: Table, row: Row, places: Places, repairs: t.Repairs
) -> tuple[Sentence, Sentence]:
    empty = EmptyCellError if table.kind in SHEETS else DataError
    record = dict(zip(table.columns, row.cells, strict=True)) if table.kind == "jsonl" else {}
    sides = []
    for side, at in enumerate((places.sent1, places.sent2), 1):
        name = table.columns[at] or f"sentence {side}"
        if (value := row.cells[at]) is ABSENT:
            raise DataError(f"no '{name}'", where=row.where, expected="a sentence")
        chunks = record.get(f"chunks{side}")
        chunks = None if chunks is ABSENT else chunks
        words = None if chunks is None else record.get(f"tokens{side}")
        sentence = cell_sentence(value, name, row.where, repairs, empty, words)
        bounds = given_chunks(chunks, len(sentence.tokens), str(side), row.where)
        sides.append(replace(sentence, chunks=bounds))
    sent1, sent2 = sides
    if (sent1.chunks is None) != (sent2.chunks is None):
        present, absent = (1, 2) if sent2.chunks is None else (2, 1)
        found = f"'chunks{present}' without 'chunks{absent}'"
        raise DataError(found, where=row.where, expected="both or none")
    return sent1, sent2


def cell_sentence(
    value: object,
    name: str,
    where: str,
    repairs: t.Repairs,
    empty: type[DataError] = DataError,
    words: object = None,
) -> Sentence:
    """The sentence in a cell of a column; its tokens are split at blanks, or those ``words``."""
    missing = value is None or (isinstance(value, float) and math.isnan(value))
    if isinstance(value, bool) or not (missing or isinstance(value, _TEXTS)):
        found, expected = f"'{name}' is not a string", "a sentence as a string"
        raise DataError(found, where=where, expected=expected)
    text = t.plain("" if missing else str(value), where, repairs)
    if t.HALF.search(text):
        raise DataError("half of a surrogate pair, such as \\ud800", where=where, expected="a text")
    # A cell may have lines.
    text = " ".join(text.splitlines())
    if not (isinstance(words, list) and all(isinstance(word, str) for word in words)):
        words, text = t.split_words(t.clean(text, where, repairs)), ""
    words = t.given_tokens(words, where)
    if not words:
        raise empty(f"{name} is empty", where=where, expected="at least one token")
    return t.make_sentence(words, text)


def given_chunks(value: object, size: int, number: str, where: str) -> tuple[Chunk, ...] | None:
    """The chunks that a sentence of so many tokens was given, as lists of first and last tokens."""
    if value is None:
        return None
    name, due = f"'chunks{number}'", 1
    chunks: list[Chunk] = []
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, list) or [type(bound) for bound in item] != [int, int]:
            found = f"{shortened(json.dumps(item))} in {name}"
            raise DataError(found, where=where, expected="[first token, last token]")
        first, last = item
        if first != due or not first <= last <= size:
            found = f"{shortened(json.dumps(item))} in {name} of a sentence of {size} tokens"
            expected = f"a chunk that begins at {due} and ends by {size}"
            raise DataError(found, where=where, expected=expected)
        chunks.append(Chunk(first, last))
        due = last + 1
    if due != size + 1:
        raise DataError(f"{name} does not reach the last token", where=where, expected=f"{size}")
    return tuple(chunks)


def chunk_parser(repairs: t.Repairs) -> Callable[[t.Line], Sentence]:
    """A function that reads a line of a chunk file."""
    return lambda line: parse_chunks(line.text, where=line.where, repairs=repairs)


@dataclass(slots=True)
class _Builder:
    """The chunks of one line, read from left to right; ``repaired`` counts each kind of repair."""

    words: list[str] = field(default_factory=list)
    chunks: list[Chunk] = field(default_factory=list)
    repaired: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    inside: bool = False
    first: int = 1

    def open(self) -> None:
        self._finish("bracket [ inside an open chunk after '{}'", "the open chunk ends before it")
        self.inside = True

    def close(self) -> None:
        if self.inside and self.first > len(self.words):
            self.count_repair("an empty chunk [ ]", "", "dropped")
        self._finish()
        if not self.inside:
            self.count_repair("bracket ] without its [", "", "dropped")
        self.inside = False

    def end(self, where: str, repairs: t.Repairs) -> None:
        """End the line, and report its repairs."""
        self._finish("the chunk '{}' has no ]", "it ends at the end of the line")
        for (found, done), (example, count) in self.repaired.items():
            others = f", and {count - 1} more such" if count > 1 else ""
            repairs.report(where, found.format(shortened(example)) + others, done)

    def count_repair(self, found: str, example: str, done: str) -> None:
        """Count a fault; of several of a kind the first is the example."""
        first, count = self.repaired.get((found, done), (example, 0))
        self.repaired[found, done] = first, count + 1

    def _finish(self, found: str = "", done: str = "") -> None:
        """Make the words since the last chunk one; the fault is that of an open chunk."""
        pending = self.words[self.first - 1 :]
        if not self.inside:
            found, done = "'{}' stands outside brackets" if pending else "", "read as a chunk"
        if found:
            self.count_repair(found, " ".join(pending), done)
        if pending:
            self.chunks.append(Chunk(self.first, len(self.words)))
            self.first = len(self.words) + 1


def parse_chunks(text: str, *, where: str = "line", repairs: t.Repairs | None = None) -> Sentence:
    """Read one line of a chunk file, in which every token ends up in exactly one chunk.

    An opening bracket ends an open chunk, as does the end of the line; tokens outside brackets are
    a chunk; empty or unpaired brackets are dropped, each kind with one warning.
    """
    builder = _Builder()
    for item in t.split_words(text):
        if item in ("[", "]"):
            builder.open() if item == "[" else builder.close()
            continue
        pieces = _GLUED_PAIR.sub("] [", item).split(" ")
        glued = len(pieces) > 1
        for piece in pieces:
            opens, word, closes = _edges(piece)
            glued = glued or bool(opens or closes)
            for _ in range(opens):
                builder.open()
            if word:
                # Half of the backslashes before a bracket.
                builder.words.append(_BRACKET.sub(lambda match: match[1][1::2] + match[2], word))
            for _ in range(closes):
                builder.close()
        if glued:
            builder.count_repair("no space at the bracket of '{}'", item, "read with spaces")
    builder.end(where, repairs or t.Repairs())
    if not builder.words:
        raise DataError("an empty sentence", where=where, expected="at least one token")
    return Sentence(t.make_sentence(builder.words).tokens, tuple(builder.chunks))


def format_chunks(sentence: Sentence) -> str:
    """One line of a chunk file (no line end); a sentence without chunks is one chunk."""
    size = len(sentence.tokens)
    chunks = sentence.chunks if sentence.chunks is not None else (Chunk(1, size),)
    covered = [number for chunk in chunks for number in chunk.tokens]
    if covered != list(range(1, size + 1)):
        found = f"the chunks of '{shortened(sentence.text)}' cover the tokens {covered}"
        raise DataError(found, expected=f"1 to {size}, each once and in order")
    words = [_BRACKET.sub(r"\1\1\\\2", token.form) for token in sentence.tokens]
    return " ".join(f"[ {' '.join(words[chunk.first - 1 : chunk.last])} ]" for chunk in chunks)


def _edges(piece: str) -> tuple[int, str, int]:
    """Bracket markers glued to the start of a word, the word, and those glued to its end."""
    word = piece.lstrip("[")
    opens = len(piece) - len(word)
    # "foo[1]" closes its own bracket, so its last character is no marker.
    if not word.endswith("]") or _OPENING.search(word):
        return opens, word, 0
    rest = word.rstrip("]")
    closes = len(word) - len(rest)
    slashes = len(rest) - len(rest.rstrip("\\"))
    if slashes % 2:
        # The first of the brackets belongs to the word.
        rest, closes = rest + "]", closes - 1
    return opens, rest, closes
