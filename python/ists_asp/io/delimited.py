"""Rows of texts: CSV, TSV, JSON Lines; how they are written is found by the first rows."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias, cast

from ists_asp.errors import DataError, FormatError, UsageError, shortened
from ists_asp.io.columns import ABSENT, Cells, find_header
from ists_asp.io.text import END, Line
from ists_asp.io.workbooks import HEAD
from ists_asp.limits import TableLimits

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

Text: TypeAlias = "SupportsWrite[str]"
Put: TypeAlias = Callable[[Cells], None]  # writes a row

_SAMPLE = 1 << 16  # characters by which is found out how a text is written
_BOMS = (BOM_UTF8, BOM_UTF16_LE, BOM_UTF16_BE)
_UNREAD = re.compile("[\udc80-\udcff]")
_COMMA = re.compile(r"[-+]?\d+,\d+", re.ASCII)
_DECIMAL = re.compile(r'(?<![^;"])[-+]?\d+([.,])\d+(?![^;"\s])', re.ASCII)
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_LISTED = re.compile(r"sep=(.)\r?\n?")

GoldScale: TypeAlias = tuple[float, float]
"""The lowest and the highest gold rating that there can be."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table."""

    number: int  # in the file, from 1
    where: str  # its place for messages
    cells: Cells  # as many as columns; None is empty, ABSENT what a JSON object does not have
    fault: DataError | None = None  # why it is no proper row

    def text(self, place: int | None) -> str:
        """A value as text without blanks at its ends, lists as JSON; ``""`` where there is none."""
        cell = None if place is None else self.cells[place]
        return "" if cell is None or cell is ABSENT else str(plain_value(cell)).strip()


def plain_value(value: object) -> object:
    """A value as a cell of a table holds it: lists and objects as JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


def number(text: str) -> float:
    """The number in a cell, perhaps with a decimal comma or a percent sign; NaN if it is none."""
    text = text.strip().removesuffix("%").rstrip()
    try:
        return float(text.replace(",", ".") if _COMMA.fullmatch(text) else text)
    except ValueError:
        return math.nan


def read_mark(text: str, where: str, scale: GoldScale | None = None) -> float:
    """The mark or rating in a cell; a DataError if it is not on its ``scale``, or no number."""
    low, high = scale or (-1e6, 1e6)
    if low <= (value := number(text)) <= high:  # which not a number is not, either
        return value
    expected = f"a number from {low:.9g} to {high:.9g}"
    raise DataError(f"found '{shortened(text)}'", where=where, expected=expected)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a file writes its rows; with ``quoted``, quotes surround cells that need them."""

    delimiter: str = ","
    quoted: bool = True
    line_end: str = "\n"
    mark: bool = False
    listed: bool = False  # in a first line of its own, such as sep=|
    spaced: bool = False  # behind each delimiter
    comma: bool = False  # in decimal numbers

    def options(self) -> dict[str, Any]:
        """The same for :mod:`csv`."""
        quoting = csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE
        how = {"lineterminator": self.line_end, "skipinitialspace": self.spaced}
        return {"delimiter": self.delimiter, "quoting": quoting, **how}


@dataclass(slots=True)
class TextRows:
    """A text of a ``kind``, csv, tsv or jsonl, read by streams; so many lines are ``before`` it."""

    name: str
    kind: str
    encoding: str | None
    limits: TableLimits
    before: int = 0
    size: int = 0  # bytes of UTF-8 that have been read
    lines: int = 0  # lines that have been read
    dialect: Dialect = Dialect()
    _bars: bool = False

    def rows(self, stream: BinaryIO) -> Iterator[Row]:
        """All rows, the first one included; objects of JSON as mappings."""
        if self.kind == "jsonl":
            return map(self._object, self._decoded(stream))
        return self._delimited(stream)

    def _delimited(self, stream: BinaryIO) -> Iterator[Row]:
        lines, start, most = self._decoded(stream), 0, self.limits.cell
        first = next(lines, "")
        skipped = bool(_LISTED.fullmatch(first))
        head = [first] if first and not skipped else []

        def bounded() -> Iterator[str]:
            for line in chain(head, lines):
                if self.size - start - len(line) > most:
                    raise self.limits.error("cell", "a longer cell", where)
                yield line.replace("|||", "\t") if self._bars else line

        reader = csv.reader(bounded(), **self.dialect.options(), strict=True)
        while True:
            number = reader.line_num + 1 + skipped + self.before
            where, start = f"{self.name}:{number}", self.size
            try:
                cells, fault = next(reader), None
            except StopIteration:
                return
            except csv.Error as error:
                if "unexpected end" in str(error):
                    found = "a cell begins with a quotation mark, and no other ends it"
                    hint = 'Write a mark inside a cell twice: ""'
                    raise FormatError(found, where=where, hint=hint) from None
                expected = 'the cell in quotation marks, and this one twice: ""'
                found, cells = "a quotation mark inside a cell", []
                fault = DataError(found, where=where, expected=expected)
            yield Row(number, where, cells, fault)

    def _object(self, line: str) -> Row:
        number = self.lines + self.before
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

    def _decoded(self, stream: BinaryIO) -> Iterator[str]:
        encoding, most = self.encoding or "utf-8-sig", self.limits.cell
        start = stream.read(4)
        if start.startswith(_BOMS[1:]):
            encoding = "utf-16"
        elif self.encoding is None and b"\0\0" in (start[::2], start[1::2]):
            encoding = "utf-16-be" if start[0] == 0 else "utf-16-le"
        self.lines, self.size = 0, len(BOM_UTF8) if start.startswith(BOM_UTF8) else 0
        stream.seek(0)
        try:
            text = io.TextIOWrapper(stream, encoding, "surrogateescape", newline="")
        except LookupError:
            found = f"there is no encoding '{shortened(encoding)}'"
            expected = "a name such as cp1252, latin-1 or utf-16-le"
            raise UsageError(found, where="--encoding", expected=expected) from None
        try:
            while line := text.readline(most + 1):
                self.lines += 1
                if len(line) > most:
                    raise self.limits.error("cell", "a longer line", f"{self.name}:{self.lines}")
                if line.isascii():
                    self.size += len(line)
                elif odd := _UNREAD.search(line):
                    raise self._undecoded(f"byte 0x{ord(odd[0]) - 0xDC00:02X}", encoding)
                else:
                    self.size += len(line.encode(encoding.removesuffix("-sig")))
                yield line.rstrip(END) if line[-1] in END else line
        except UnicodeError as error:
            self.lines += 1
            raise self._undecoded(getattr(error, "reason", str(error)), encoding) from None
        finally:
            # The stream's owner closes it, and may have done so.
            with suppress(ValueError):
                text.detach()

    def _undecoded(self, found: str, encoding: str) -> FormatError:
        found = f"this is no {encoding.removesuffix('-sig').upper()} ({found})"
        where, expected = f"{self.name}:{self.lines}", "UTF-8, or UTF-16 with its mark"
        hint = "Name the encoding, such as --encoding cp1252, or save the file as UTF-8"
        return FormatError(found, where=where, expected=expected, hint=hint)

    def sniff(self, stream: BinaryIO) -> None:
        """Find out how rows are written, by the first of them."""
        # Our own limit is met before that of the library.
        csv.field_size_limit(self.limits.cell + 2 * _SAMPLE)
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

        def names_columns(sign: str) -> bool:
            return find_header([*csv.reader(lines[:HEAD], delimiter=sign)], ()) is not None

        if self.kind == "tsv" and not names_columns("\t") and any(map(names_columns, ";,|")):
            self.kind = "csv"
        signs = "\t;,|" if self.kind == "csv" else "\t"
        if listed := _LISTED.fullmatch(lines[0]):
            signs, lines = listed[1], lines[1:]
        bars = sum("|||" in line for line in lines)
        self._bars = 2 * bars >= len(lines) and not re.match(r"(\d+\t)?+.*\t", "".join(lines[:1]))
        if self._bars:
            lines, signs = [line.replace("|||", "\t") for line in lines], "\t"
        ranks = {sign: (names_columns(sign), *_fit(lines, sign)) for sign in signs}
        delimiter = max(ranks, key=lambda sign: ranks[sign])
        if "," in signs and not any(ranks[delimiter][:2]) and max(map(len, csv.reader(lines))) < 2:
            delimiter = ","  # of a single column, whose quotes it reads
        if self.kind == "tsv" and _fit(lines, "\t")[1] < 2:
            for sign, names in ((";", "semicolons"), (",", "commas")):
                if sign in lines[0]:
                    found, expected = f"{names}, but no tab", "columns that tabs separate"
                    hint = "If this is CSV, read it with --table FILE.csv"
                    raise FormatError(found, where=f"{self.name}:1", expected=expected, hint=hint)
        quoted = delimiter != "\t" or _in_quotes(lines)
        first = lines[0].split(delimiter)[1:] if lines else []
        spaced = (
            self.kind == "csv" and bool(first) and all(cell[0] == " " for cell in first if cell)
        )
        # Excel separates by semicolons where numbers have decimal commas.
        decimals = Counter(chain.from_iterable(map(_DECIMAL.findall, lines)))
        comma = delimiter == ";" and decimals["."] <= decimals[","]
        self.dialect = Dialect(delimiter, quoted, line_end, mark, listed is not None, spaced, comma)


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
            if _HALF.search(line.text):
                json.dumps(record, ensure_ascii=False).encode()
            return record
        found = "JSON that is not an object"
    except UnicodeEncodeError:
        found = "half of a surrogate pair, such as \\ud800"
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
    raise fault(found, where=line.where, expected="one object per line", hint=hint)


@contextmanager
def writing_text(stream: Text, columns: Sequence[str], dialect: Dialect) -> Iterator[Put]:
    """Write rows of these columns as a dialect has them."""
    options = dialect.options() | ({} if dialect.quoted else {"quotechar": None})
    writer = csv.writer(stream, **options)

    def text(value: object) -> str:
        if value is None:
            return ""
        if dialect.comma and isinstance(value, float):
            return str(value).replace(".", ",")
        written = str(value).lower() if isinstance(value, bool) else str(plain_value(value))
        return written if dialect.quoted else re.sub(r"[\t\r\n]+", " ", written)

    if dialect.mark:
        stream.write("\ufeff")
    if dialect.listed:
        stream.write(f"sep={dialect.delimiter}{dialect.line_end}")
    writer.writerow(map(text, columns))
    yield lambda cells: writer.writerow(map(text, cells))


@contextmanager
def writing_objects(stream: Text, columns: Sequence[str]) -> Iterator[Put]:
    """Write rows of these columns as objects of JSON."""

    def put(cells: Cells) -> None:
        pairs = zip(columns, cells, strict=True)
        record = {name: cell for name, cell in pairs if cell is not ABSENT}
        stream.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")

    yield put
