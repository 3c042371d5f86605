"""Tables that people have: CSV, TSV, JSON Lines, sheets, Parquet; rows in and rows out.

A table is known by the ending of its name, also when it is compressed. What a row holds comes
back unchanged, in front of what is added to it.
"""

from __future__ import annotations

import bz2
import copy
import csv
import gzip
import io
import json
import lzma
import re
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, cast

import msgspec

from ists_asp import limits
from ists_asp.errors import DataError, FormatError, UsageError, shortened
from ists_asp.io import sheets
from ists_asp.io.sheets import Cells, Put
from ists_asp.io.text import (
    HELD,
    USUAL,
    Line,
    Source,
    Warn,
    find_header,
    folded,
    groups,
    ignore,
    is_total,
    source_name,
    unreadable,
)

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

Text: TypeAlias = "SupportsWrite[str]"

KINDS = {
    **{".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"},
    **{".xlsx": "xlsx", ".ods": "ods", ".parquet": "parquet"},
}
"""Kinds of tables by the ending of their names."""

_READ = {**KINDS, ".xlsm": "xlsx", ".html": "html", ".htm": "html", ".xls": "csv", ".txt": "csv"}
_SHEETS = ("xlsx", "ods", "html")
_ARCHIVED = (b"[Content_Types].xml", b"docProps/", b"_rels/", b"xl/")  # begins a workbook
_KNOWN = {
    **{"xlsx": "an Excel workbook", "ods": "a LibreOffice sheet", "parquet": "a Parquet file"},
    **{"html": "a page of HTML", "csv": "text"},
}
_OTHER = {
    b"\xd0\xcf\x11\xe0": "an Excel workbook of the years before 2007, or one with a password",
    b"PK\x03\x04": "an archive without a sheet",
    b"%PDF": "a PDF",
}
_PACKED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_BOMS = (BOM_UTF8, BOM_UTF16_LE, BOM_UTF16_BE)
_UNREAD = re.compile("[\udc80-\udcff]")
_SAMPLE = 1 << 16
_LISTED = re.compile(r"sep=(.)\r?\n?")
_UNIT = re.compile(
    r"\(.*\)|\[.*\]|%|/ ?\d+|\d+ ?[-–] ?\d+|(?:max|máx)\.? ?\d+|te?xto?|text[eo]?|str(?:ing)?|int"
    r"|float|number|número|pts\.?|points?|puntos?|Punkte|punti",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"[=+\-@\t\r]")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a file writes its rows; with ``quoted``, quotes surround cells that need them."""

    delimiter: str = ","
    quoted: bool = True
    line_end: str = "\n"
    mark: bool = False
    listed: bool = False  # in a first line of its own, such as sep=|

    def options(self) -> dict[str, Any]:
        """The same for :mod:`csv`."""
        quoting = csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE
        return {"delimiter": self.delimiter, "quoting": quoting, "lineterminator": self.line_end}


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its number in the file, from 1, its place for messages, its values.

    There are as many values as columns, unless ``fault`` says that it is no proper row; None is
    an empty cell, :data:`ABSENT` one that a JSON object does not have.
    """

    number: int
    where: str
    cells: Cells
    fault: DataError | None = None

    def text(self, place: int | None) -> str:
        """A value as text without blanks at its ends, lists as JSON; ``""`` where there is none."""
        cell = None if place is None else self.cells[place]
        return "" if cell is None or cell is ABSENT else str(sheets.plain_value(cell)).strip()


ABSENT = msgspec.UNSET


def kind_of(path: Path, where: str | None = None) -> str:
    """The kind of a table by the ending of its name."""
    kind = KINDS.get(_ending(path))
    if kind is None:
        found, expected = "no kind of table is known by this ending", ", ".join(KINDS)
        hint = "Say what it is with --tsv FILE or --jsonl FILE, or give it another name"
        raise UsageError(found, where=where or str(path), expected=expected, hint=hint)
    return kind


def _ending(path: Path) -> str:
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] in _PACKED:
        endings.pop()
    return endings[-1] if endings else ""


def _content_kind(head: bytes, kind: str, where: str) -> str:
    """The kind of a table by its first bytes, whatever it is called."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"PK\x03\x04"):
        if b"opendocument.spreadsheet" in head[:200]:
            return "ods"
        if any(name in head for name in _ARCHIVED):
            return "xlsx"
    elif b"\0" not in head and kind not in ("jsonl", "parquet"):
        start = head.removeprefix(BOM_UTF8).lstrip()[:1000].lower()
        if start.startswith((b"<html", b"<!doctype html", b"<table", b"<meta")):
            return "html"
        if kind in _SHEETS and re.search(rb"[,;\t].*\n", head):
            return "csv"
    if kind in ("csv", "tsv", "jsonl"):
        for magic, what in _OTHER.items():
            if head.startswith(magic):
                hint = "Save it as .xlsx or .csv in the program that made it"
                raise FormatError(f"this is {what}", where=where, expected="a table", hint=hint)
    return kind


class Table:
    """A table that can be read more than once; a small one is held, and read once.

    A stream as its source must be able to go back to its beginning. By default its kind is that of
    the name's ending, and the first row names the columns if the names are known. ``columns`` has
    ``""`` for those without a name, ``schema`` is that of Parquet.
    """

    columns: tuple[str, ...]

    def __init__(
        self,
        source: Source,
        kind: str | None = None,
        *,
        name: str | None = None,
        encoding: str | None = None,
        header: bool | None = None,
        sheet: str | None = None,
        titles: Iterable[str] = (),
        long: bool = False,
        warn: Warn = ignore,
    ) -> None:
        self.name = source_name(source, name)
        self.kind = kind or _READ.get(_ending(Path(self.name))) or kind_of(Path(self.name))
        self.sheet, self._wanted = sheet, [name for name in titles if not name.isdecimal()]
        self._told, self._bars = set[str](), False
        self.dialect = Dialect("\t" if self.kind == "tsv" else ",")
        self.schema: Any = None
        self.header = self.kind in ("jsonl", "parquet") or bool(header)
        self._titles = self._head = 0
        self._source, self._encoding, self._sink = source, encoding, warn
        # Of a part of a file: the lines before it, the rows of files before that, its rows.
        self._before = self._files_before = 0
        self._within: tuple[int, slice] | None = None
        self._held: list[Row] | None = None
        self._limits = limits.table_limits
        # Of a text: the bytes and lines that have been read.
        self._read = self._lines = 0
        with self._bytes() as stream:
            content = _content_kind(stream.read(4096), self.kind, self.name)
        if content != self.kind:
            self._warn(f"this is {_KNOWN[content]}, whatever its name, and is read as one")
            self.kind, self.dialect = content, Dialect()
        if sheet is not None and self.kind not in _SHEETS:
            raise UsageError(f"{self.name} has no sheets", where="--sheet", expected="a workbook")
        if self.kind in ("csv", "tsv"):
            # Our own limit is met before that of the library.
            csv.field_size_limit(self._limits.cell + 2 * _SAMPLE)
            self._sniff()
        rows = self._rows()
        ahead = list(islice(rows, HELD + 1))
        if not ahead:
            raise DataError("the input is empty", where=self.name, expected="at least one pair")
        first = ahead[0]
        if self.kind == "jsonl":
            # Not a set: the order of columns is that of their first use.
            keys = dict[str, None]()
            for row in chain(ahead, rows):
                keys.update(dict.fromkeys(cast("Iterable[str]", row.cells)))
                self._limits.check("columns", len(keys), f"{len(keys)} keys", row.where)
            self.columns = tuple(keys)
        elif self.kind == "parquet":
            self.columns = tuple(cast("Any", self.schema).names)
        else:
            head = [row.cells for row in ahead[: sheets.HEAD]]
            at = find_header(head, self._wanted)
            if header is None:
                self.header = at is not None and ahead[at].fault is None
            if self.header:
                # By default it is the first row that is more than a title.
                if at is None:
                    at = next((n for n, cells in enumerate(head) if _filled(cells) > 1), 0)
                self._take_titles(ahead, at)
                first = ahead[at]
            names = ("" if cell is None else str(cell).strip() for cell in first.cells)
            self.columns = tuple(names) if self.header else ("",) * len(first.cells)
        self._width = len(self.columns)
        self._groups = groups(self.columns) if long and self.header else []
        if self._groups:
            self._lengthen()
        if first.fault is not None and not self.columns:
            raise first.fault
        rows.close()
        self._held = ahead if len(ahead) <= HELD else None

    def _lengthen(self) -> None:
        """Take each answer of a wide report for a row of its own."""
        grouped = [
            at
            for group in self._groups
            for at in (group.question, group.answer, group.reference, group.points)
        ]
        self._others = [at for at in range(self._width) if at not in grouped]
        others = (self.columns[at] for at in self._others)
        taken = (*USUAL["id"], "question", "answer", "points", "reference")
        names = [f"student {name}" if folded(name) in taken else name for name in others]
        self.columns = ("id", *names, "question", "answer", "points", "reference")
        count = len(self._groups)
        self._warn(f"{count} answers a row are read, each as a row of its own")

    def rows(self) -> Iterator[Row]:
        """Read the rows, lazily; of a wide report one for each answer.

        Rows of averages are left out.
        """
        for row in self._rows_below():
            if self.header and row.fault is None and self.kind != "jsonl" and is_total(row.cells):
                self._warn(f"row {row.number} has averages ({row.cells[0]}); left out")
            elif not self._groups or row.fault is not None:
                yield row
            else:
                for number, group in enumerate(self._groups, 1):
                    asked, ask = group.question, (group.reference, group.points)
                    reference, points = (None if at is None else row.cells[at] for at in ask)
                    question = row.cells[asked] if isinstance(asked, int) else asked
                    front = [f"{row.number}.{number}", *(row.cells[at] for at in self._others)]
                    cells = [*front, question, row.cells[group.answer], points, reference]
                    yield replace(row, cells=cells)

    def _rows_below(self) -> Iterator[Row]:
        """Read the rows, lazily, without those above the titles and the row of units below.

        Empty rows at the end are none, and are not kept. Those between rows are faults, unless the
        columns have titles.
        """
        blank, blanks, limits, left_out = list[Row](), 0, self._limits, list[int]()
        for count, row in enumerate(self._rows() if self._held is None else self._held, 1):
            if count > limits.rows:
                raise limits.error("rows", "more rows than that, blank ones included", row.where)
            if row.number <= self._titles:
                continue
            if row.fault is None and _is_blank(row.cells):
                blanks += 1
                if blanks <= limits.blank:
                    blank.append(row)
                continue
            limits.check("blank", blanks, f"{blanks} blank rows before it", row.where)
            if blank and self.header and self.kind != "jsonl":
                left_out += [empty.number for empty in blank]
                blank = []
            for empty in blank:
                fault = DataError("an empty row", where=empty.where)
                yield replace(self._aligned(empty), fault=fault)
            blank, blanks = [], 0
            yield self._aligned(row)
        if count := len(left_out):
            found = "a blank row is" if count == 1 else f"{count} blank rows are"
            self._warn(f"{found} left out, first row {left_out[0]}")

    def cuts(self, size: int) -> Iterator[tuple[int, int]]:
        """The bytes and lines of a text up to each place where so many rows end, and its end.

        Empty lines at the end are no rows, and those before rows are faults.
        """
        count = 0
        for row in self._rows():
            count += row.number > self._titles
            if count >= size and not _is_blank(row.cells):
                yield self._read, self._lines
                count = 0
        yield self._read, self._lines

    def part(
        self,
        source: Source,
        name: str,
        before: int = 0,
        files_before: int = 0,
        within: tuple[int, slice] | None = None,
    ) -> Table:
        """Some of its rows, from a source of their own: lines, or rows ``within`` a group.

        So many lines of the file are ``before`` them, so many rows in ``files_before`` that one.
        """
        part = copy.copy(self)
        part.name, part._source, part._held = name, source, None
        part._before, part._files_before, part._within = before, files_before, within
        return part

    @property
    def titles(self) -> list[str]:
        """A name for each column, also for those without one."""
        if not self.header and len(self.columns) in (2, 3):
            return ["id", "sentence1", "sentence2"][-len(self.columns) :]
        return [name or f"column {number}" for number, name in enumerate(self.columns, 1)]

    def place(self, row: Row, column: int) -> str:
        """The place of a cell for messages."""
        of_sheet = self.kind in _SHEETS and not self._groups
        name = sheets.letters(column) if of_sheet else self.columns[column] or str(column + 1)
        return f"{row.where}, column {shortened(name)}"

    def column(self, wanted: str, flag: str) -> int:
        """The column that an option names, by its title or its number from 1."""
        if wanted in self.columns:
            return self.columns.index(wanted)
        if wanted.isdecimal() and 1 <= int(wanted) <= len(self.columns):
            return int(wanted) - 1
        found = f"there is no column '{shortened(wanted)}' in {self.name}"
        expected = f"a number from 1 to {len(self.columns)}, as the first row names no columns"
        if self.header:
            expected = shortened(", ".join(filter(None, self.columns)), 200)
        raise UsageError(found, where=flag, expected=expected, hint=self.likely([wanted], flag))

    def likely(self, names: Iterable[str], flag: str) -> str | None:
        """A hint at the column whose title is most like one of some names, if one is."""
        titles = {folded(title): title for title in self.columns}
        near = (get_close_matches(folded(name), titles, 1, 0.7) for name in names)
        title = next((titles[match] for (match,) in filter(None, near)), None)
        return None if title is None else f"Did you mean {flag} '{shortened(title)}'?"

    def _aligned(self, row: Row) -> Row:
        if self._files_before:
            row = replace(row, number=row.number + self._files_before)
        if self.kind == "jsonl":
            record = cast("dict[str, object]", row.cells)
            return replace(row, cells=[record.get(name, ABSENT) for name in self.columns])
        count, due = len(row.cells), self._width
        if row.fault is not None or count == due:
            return row
        if self.kind in _SHEETS or _is_blank(row.cells):
            # Rows of sheets end with their last value.
            padded = [*row.cells, *[None] * (due - count)]
            if _is_blank(padded[due:]):
                return replace(row, cells=padded[:due])
        found = "1 cell" if count == 1 else f"{count} cells"
        names = f": {shortened(', '.join(self.columns))}" if self.header else ", as before"
        return replace(row, fault=DataError(found, where=row.where, expected=f"{due}{names}"))

    def edit(
        self,
        output: BinaryIO,
        names: Sequence[str],
        added: int,
        rows: Sequence[tuple[int, Cells, Cells]],
    ) -> None:
        """Write a copy of its workbook, with columns that are ``added``, or with a new sheet.

        Rows have their number, the cells of these columns, and all cells.
        """
        numbers = {number for number, _, _ in rows}
        change: dict[str, object]
        if self.header and len(numbers) == len(rows):
            change = {"sheet": self.sheet, "head": self._head, "column": len(self.columns)}
            change |= {"titles": names[-added:], "rows": [(n, own) for n, own, _ in rows]}
        else:
            change = {"titles": names, "rows": [(n, row) for n, (_, _, row) in enumerate(rows, 2)]}
        with self._bytes() as stream:
            sheets.edit(self.kind, stream, self.name, self._limits, change, output)

    def _warn(self, text: str) -> None:
        self._warn_once(f"{self.name}: {text}")

    def _warn_once(self, text: str) -> None:
        """Warn of what each reading of the table finds."""
        if text not in self._told:
            self._told.add(text)
            self._sink(text)

    def _take_titles(self, rows: Sequence[Row], at: int) -> None:
        """Take the titles of columns from a row; tell what is above it, and units below."""
        self._titles = self._head = rows[at].number
        above = [row for row in rows[:at] if _filled(row.cells)]
        if above:
            self._warn(f"row {self._titles} has the titles; what is above it is left out")
        below = rows[at + 1].cells if len(rows) > at + 2 and self.kind != "jsonl" else ()
        units = [str(cell).strip() for cell in below if cell is not None and str(cell).strip()]
        if units and all(map(_UNIT.fullmatch, units)):
            self._titles = rows[at + 1].number
            self._warn(f"row {self._titles} has units ({shortened(', '.join(units))}); left out")

    def _rows(self) -> Generator[Row, None, None]:
        """All rows as they are, the first one included; objects of JSON as mappings."""
        with self._bytes() as stream:
            if self.kind in ("csv", "tsv"):
                yield from self._written(stream)
            elif self.kind == "jsonl":
                for number, line in enumerate(self._decoded(stream), 1 + self._before):
                    yield self._object(number, line)
            else:
                yield from self._sheet(stream)

    def _sheet(self, stream: BinaryIO) -> Iterator[Row]:
        within, place = slice(None), ""
        if self._within is None:
            read = partial(sheets.read_rows, sheet=self.sheet, titles=self._wanted)
            rows = read(self.kind, stream, self.name, self._limits, warn=self._warn_once)
        else:
            group, within = self._within
            rows = sheets.read_groups(stream, self.name, self._limits, [group])
        with closing(rows):
            sheet, others, self.schema = next(rows)
            if sheet:
                place, self.sheet = f"sheet '{shortened(sheet)}', ", sheet
            if others:
                names = shortened(", ".join(others))
                self._warn(f"the sheet '{sheet}' is read, and not {names}")
            for number, cells in enumerate(islice(rows, within.start, within.stop), 1):
                where = f"{self.name}: {place}row {number + self._before}"
                yield self._row(number + self._before, where, cells)

    def _row(self, number: int, where: str, cells: Cells) -> Row:
        fault = None
        if len(cells) > self._limits.columns:
            fault = self._limits.error("columns", "a longer row", where, DataError)
            cells = ()
        elif self.kind in _SHEETS and sheets.Unread in (kinds := [*map(type, cells)]):
            column = sheets.letters(kinds.index(sheets.Unread))
            fault = DataError(f"column {column} cannot be read", where=where)
        return Row(number, where, cells, fault)

    def _written(self, stream: BinaryIO) -> Iterator[Row]:
        lines, start, most = self._decoded(stream), 0, self._limits.cell
        first = next(lines, "")
        skipped = bool(_LISTED.fullmatch(first))
        head = [first] if first and not skipped else []

        def bounded() -> Iterator[str]:
            for line in chain(head, lines):
                if self._read - start - len(line) > most:
                    raise self._limits.error("cell", "a longer cell", where)
                yield line.replace("|||", "\t") if self._bars else line

        reader = csv.reader(bounded(), **self.dialect.options(), strict=True)
        while True:
            number = reader.line_num + 1 + skipped + self._before
            where, start = f"{self.name}:{number}", self._read
            try:
                yield self._row(number, where, next(reader))
            except StopIteration:
                return
            except csv.Error as error:
                if "unexpected end" in str(error):
                    found = "a cell begins with a quotation mark, and no other ends it"
                    hint = 'Write a mark inside a cell twice: ""'
                    raise FormatError(found, where=where, hint=hint) from None
                found = "a quotation mark inside a cell"
                expected = 'the cell in quotation marks, and this one twice: ""'
                yield Row(number, where, (), DataError(found, where=where, expected=expected))

    def _object(self, number: int, line: str) -> Row:
        where = f"{self.name}:{number}"
        record: dict[str, object] = {}
        fault = None
        try:
            if line.strip() or number == 1:
                record = read_object(Line(number, line.rstrip("\r\n"), where, b""))
        except FormatError:
            raise
        except DataError as error:
            fault = error
        return Row(number, where, cast("Cells", record), fault)

    @contextmanager
    def _bytes(self) -> Iterator[BinaryIO]:
        try:
            if isinstance(self._source, Path):
                pack = _PACKED.get(self._source.suffix.lower())
                with (pack or Path.open)(self._source, "rb") as stream:
                    if pack is not None:
                        size = self._source.stat().st_size
                        bounded = sheets.Unpacked(stream, size, self.name, self._limits)
                        stream = io.BufferedReader(bounded, _SAMPLE)
                    yield stream
            else:
                self._source.seek(0)
                yield self._source
        except (gzip.BadGzipFile, lzma.LZMAError, zlib.error, EOFError) as error:
            raise FormatError(f"cannot be unpacked: {error}", where=self.name) from None
        except (OSError, ValueError) as error:
            raise unreadable(error, self.name) from error

    def _decoded(self, stream: BinaryIO) -> Iterator[str]:
        encoding, most = self._encoding or "utf-8-sig", self._limits.cell
        start = stream.read(4)
        if start.startswith(_BOMS[1:]):
            encoding = "utf-16"
        self._lines, self._read = 0, len(BOM_UTF8) if start.startswith(BOM_UTF8) else 0
        stream.seek(0)
        try:
            text = io.TextIOWrapper(stream, encoding, "surrogateescape", newline="")
        except LookupError:
            found = f"there is no encoding '{shortened(encoding)}'"
            expected = "a name such as cp1252, latin-1 or utf-16-le"
            raise UsageError(found, where="--encoding", expected=expected) from None
        try:
            while line := text.readline(most + 1):
                self._lines += 1
                if len(line) > most:
                    raise self._limits.error("cell", "a longer line", f"{self.name}:{self._lines}")
                if line.isascii():
                    self._read += len(line)
                elif odd := _UNREAD.search(line):
                    raise self._undecoded(f"byte 0x{ord(odd[0]) - 0xDC00:02X}", encoding)
                else:
                    self._read += len(line.encode(encoding.removesuffix("-sig")))
                yield line
        except UnicodeDecodeError as error:
            self._lines += 1
            raise self._undecoded(error.reason, encoding) from None
        finally:
            # The stream is closed by whoever opened it, and may have been.
            with suppress(ValueError):
                text.detach()

    def _undecoded(self, found: str, encoding: str) -> FormatError:
        found = f"this is no {encoding.removesuffix('-sig').upper()} ({found})"
        where, expected = f"{self.name}:{self._lines}", "UTF-8, or UTF-16 with its mark"
        hint = "Name the encoding, such as --encoding cp1252, or save the file as UTF-8"
        return FormatError(found, where=where, expected=expected, hint=hint)

    def _sniff(self) -> None:
        """Find out how rows are written, by the first of them."""
        with self._bytes() as stream:
            mark = stream.read(4).startswith(_BOMS)
            stream.seek(0)
            lines, size = [], 0
            for line in self._decoded(stream):
                lines.append(line)
                size += len(line)
                if size > _SAMPLE:
                    break
        if not lines:
            return
        line_end = "\r\n" if lines[0].endswith("\r\n") else "\n"
        signs = "\t;," if self.kind == "csv" else "\t"
        if listed := _LISTED.fullmatch(lines[0]):
            signs, lines = listed[1], lines[1:]
        self._bars = all("|||" in line for line in lines) and "\t" not in "".join(lines[:1])
        if self._bars:
            lines, signs = [line.replace("|||", "\t") for line in lines], "\t"
        delimiter = max(signs, key=lambda sign: (*_fit(lines, sign), -signs.index(sign)))
        if self.kind == "tsv" and _fit(lines, "\t")[1] < 2:
            for sign, names in ((";", "semicolons"), (",", "commas")):
                if sign in lines[0]:
                    found, expected = f"{names}, but no tab", "columns that tabs separate"
                    hint = "If this is CSV, read it with --table FILE.csv"
                    raise FormatError(found, where=f"{self.name}:1", expected=expected, hint=hint)
        quoted = delimiter != "\t" or _in_quotes(lines)
        self.dialect = Dialect(delimiter, quoted, line_end, mark, listed is not None)


def _fit(lines: Sequence[str], sign: str) -> tuple[float, int]:
    """How many of the rows have as many cells as most, and how many these are; 0 for one."""
    counts = Counter(len(row) for row in csv.reader(lines, delimiter=sign) if row)
    ((cells, often),) = counts.most_common(1) or [(0, 0)]
    return (often / max(1, counts.total()) if cells > 1 else 0.0), cells


def _in_quotes(lines: Sequence[str]) -> bool:
    """Whether quotes in a file with tabs are a program's: rows fit only so, or all have them."""
    try:
        rows = list(csv.reader(lines, delimiter="\t", strict=True))
    except csv.Error:
        return False
    plain = {line.count("\t") for line in lines if line.strip()}
    if len(plain) > 1 and len({len(row) for row in rows if row}) == 1:
        return True
    cells = [cell for line in lines for cell in line.rstrip("\r\n").split("\t")]
    words = [cell for cell in cells if cell and not cell.replace(".", "").isdigit()]
    inside = [cell for cell in words if re.fullmatch('"([^"]|"")*"', cell)]
    return bool(words) and (len(inside) == len(words) or any('""' in cell for cell in inside))


def read_object(line: Line) -> dict[str, object]:
    """The JSON object on a line."""
    try:
        record = json.loads(line.text)
        if isinstance(record, dict):
            return record
        found = "JSON that is not an object"
    except json.JSONDecodeError as error:
        found = f"no valid JSON at column {error.colno} ({error.msg})"
    except (ValueError, RecursionError):
        # Python refuses to read numbers of thousands of digits, and stacks of brackets.
        found = "no valid JSON (too much for a value)"
    fault, hint = DataError, None
    if not line.text.strip():
        found = "an empty line"
    elif line.number == 1 and line.text.lstrip().startswith("["):
        fault, hint = FormatError, "Write each object on a line of its own, with no list round them"
    raise fault(found, where=line.where, expected="one object a line", hint=hint)


def _is_blank(cells: Cells) -> bool:
    return not _filled(cells)


def _filled(cells: Cells) -> int:
    """How many cells hold something."""
    values = cells.values() if isinstance(cells, dict) else cells
    return sum(
        cell is not None and cell is not ABSENT and bool(str(cell).strip()) for cell in values
    )


def added(columns: Sequence[str], ours: Sequence[str]) -> list[str]:
    """The names of columns of ours; ``ists_`` before those that the table has already."""
    names: list[str] = []
    for name in ours:
        while name in columns or name in names:
            name = f"ists_{name}"
        names.append(name)
    return names


def harmless(value: object) -> object:
    """A value of ours that no program for sheets takes for a formula."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


@contextmanager
def writing_behind(
    kind: str, stream: Text, ours: Sequence[str], like: Table | None
) -> Iterator[Callable[[Row | Cells, Cells], None]]:
    """Write the rows of a table, or of pairs that come from none, with values of ours behind.

    A workbook is a copy of the one that the rows come from, to which these columns are added; or a
    sheet, if not each row is written once.
    """
    # Only an object of JSON lacks what its row does; elsewhere the cell is empty.
    titles = ["id", "sentence1", "sentence2"] if like is None else like.titles
    guard = harmless if kind in ("csv", "tsv") else lambda value: value
    names, rows = [*titles, *added(titles, ours)], list[tuple[int, Cells, list[object]]]()
    edited = like if like is not None and like.kind == kind and kind in ("xlsx", "ods") else None
    new = writing(kind, stream, names, like=like) if edited is None else nullcontext(None)
    with new as put:

        def put_behind(row: Row | Cells, own: Cells) -> None:
            front = row.cells if isinstance(row, Row) else row
            if kind != "jsonl":
                front = [None if cell is ABSENT else cell for cell in front]
            # A row may be faulty by its length.
            front = [*front, *[None] * (len(titles) - len(front))][: len(titles)]
            whole = [*front, *map(guard, own)]
            if put is not None:
                put(whole)
            else:
                rows.append((row.number if isinstance(row, Row) else 0, own, whole))

        yield put_behind
    if edited is not None:
        edited.edit(cast("Any", stream).buffer, names, len(ours), rows)


@contextmanager
def _writing_text(stream: Text, columns: Sequence[str], dialect: Dialect) -> Iterator[Put]:
    options = dialect.options() | ({} if dialect.quoted else {"quotechar": None})
    writer = csv.writer(stream, **options)

    def text(value: object) -> str:
        if value is None:
            return ""
        written = str(value).lower() if isinstance(value, bool) else str(sheets.plain_value(value))
        return written if dialect.quoted else re.sub(r"[\t\r\n]+", " ", written)

    if dialect.mark:
        stream.write("\ufeff")
    if dialect.listed:
        stream.write(f"sep={dialect.delimiter}{dialect.line_end}")
    writer.writerow(map(text, columns))
    yield lambda cells: writer.writerow(map(text, cells))


@contextmanager
def _writing_objects(stream: Text, columns: Sequence[str]) -> Iterator[Put]:
    def put(cells: Cells) -> None:
        pairs = zip(columns, cells, strict=True)
        record = {name: cell for name, cell in pairs if cell is not ABSENT}
        stream.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")

    yield put


def writing(
    kind: str, stream: Text, columns: Sequence[str], *, like: Table | None = None
) -> AbstractContextManager[Put]:
    """Write rows of these columns, the names first, as a table of some kind."""
    # How ``like``, the table that rows come from, writes them is kept where the kind is.
    if kind in ("csv", "tsv"):
        usual = Dialect("\t" if kind == "tsv" else ",")
        dialect = like.dialect if like is not None and like.kind == kind else usual
        return _writing_text(stream, columns, dialect)
    if kind == "jsonl":
        return _writing_objects(stream, columns)
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        raise UsageError(f"{kind} cannot go to standard output", hint="Name a file with -o")
    if kind == "xlsx":
        return sheets.writing_excel(buffer, columns)
    if kind == "ods":
        return sheets.writing_libre(buffer, columns)
    return sheets.writing_parquet(buffer, columns, None if like is None else like.schema)
