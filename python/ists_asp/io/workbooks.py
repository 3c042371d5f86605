"""Kinds of files that hold tables, packed or not; what workbooks and pages show in their cells."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import date, time, timedelta
from decimal import Decimal
from fractions import Fraction
from html.parser import HTMLParser
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from zipfile import ZipFile

from ists_asp.errors import FormatError, IstsError, ResourceError, UsageError
from ists_asp.io.columns import Cells
from ists_asp.io.text import Source, unreadable
from ists_asp.limits import SMALL, TableLimits

_NO_MEMORY = re.compile("out of memory|allocate memory")  # as XML's reader and the system say it
_SHOWN = re.compile(r"[^\W\d_]+|(?:-?\d+ )?-?\d+/\d+")  # truth by a formula, a fraction
_ODD = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)  # of cells
KINDS = {
    **{".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl"},
    **{".xlsx": "xlsx", ".ods": "ods", ".parquet": "parquet"},
}
"""Kinds of tables by the ending of their names."""

READ = {**KINDS, ".xlsm": "xlsx", ".html": "html", ".htm": "html", ".xls": "csv", ".txt": "csv"}
READ |= {".gift": "gift", ".xml": "xml"}
SHEETS = ("xlsx", "ods", "html")
HEAD = 20  # rows among which titles are looked for
_ARCHIVED = (b"[Content_Types].xml", b"docProps/", b"_rels/", b"xl/")  # begins a workbook
_OTHER = {
    b"\xd0\xcf\x11\xe0": "an Excel workbook of the years before 2007, or one with a password",
    b"PK\x03\x04": "an archive without a sheet",
    b"%PDF": "a PDF",
    b"<?xml": "XML",
}
_PACKED = (".gz", ".bz2", ".xz")
_UNPACK: tuple[tuple[int, bytes, Callable[..., Any]], ...] = (  # what stands where, from 0
    *((0, b"\x1f\x8b", gzip.open), (4, b"1AY&SY", bz2.open), (0, b"\xfd7zXZ", lzma.open)),
)
ABOUT = {
    "xlsx": ("openpyxl", "an Excel workbook"),
    "ods": ("odfdo", "a LibreOffice sheet"),
    "parquet": ("pyarrow", "a Parquet file"),
    "html": ("html", "a page of HTML"),
    "csv": ("csv", "a delimited text"),
    "jsonl": ("json", "JSON"),
    "gift": ("re", "a quiz in GIFT"),
    "xml": ("xml", "a quiz in Moodle XML"),
}


def kind_of(path: Path, where: str | None = None) -> str:
    """The kind of a table by the ending of its name."""
    kind = KINDS.get(ending(path))
    if kind is None:
        found, expected = "no kind of table is known by this ending", ", ".join(KINDS)
        hint = "Save it as one of these, or say what it is with --tsv FILE or --jsonl FILE"
        raise UsageError(found, where=where or str(path), expected=expected, hint=hint)
    return kind


def ending(path: Path) -> str:
    """The ending of a name, in small letters, before that of a packed file."""
    endings = [ending.lower() for ending in path.suffixes]
    if endings and endings[-1] in _PACKED:
        endings.pop()
    return endings[-1] if endings else ""


def content_kind(head: bytes, kind: str, where: str) -> str:
    """The kind of a table by its first bytes, whatever it is called."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"PK\x03\x04"):
        if b"opendocument.spreadsheet" in head[:200]:
            return "ods"
        if any(name in head for name in _ARCHIVED):
            return "xlsx"
    elif b"\0" not in head:
        start = head.removeprefix(BOM_UTF8).lstrip()[:1000].lower()
        if start.startswith((b"<html", b"<!doctype html", b"<table", b"<meta")):
            return "html"
        if start.startswith((b'{"', b"[{")) and kind != "jsonl":
            return "jsonl"
        read = kind in (*SHEETS, "parquet") or (kind == "jsonl" and start[:1] not in b"{[")
        if read and re.search(rb"[,;\t].*\n", head):
            return "csv"
    if kind in KINDS.values() and not (kind in SHEETS and head.startswith(b"PK")):
        for magic, noun in _OTHER.items():
            if head.startswith(magic):
                hint = "Save it as .xlsx or .csv in the program that made it"
                raise FormatError(f"this is {noun}", where=where, expected="a table", hint=hint)
    return kind


def unpacker(head: bytes) -> Callable[..., Any] | None:
    """The function that opens a packed file, by its first bytes; None if it is not packed."""
    return next((pack for at, sign, pack in _UNPACK if head[at:].startswith(sign)), None)


@contextmanager
def opened(source: Source, where: str, limits: TableLimits) -> Iterator[BinaryIO]:
    """A source as a stream of bytes, which are unpacked if they are packed."""
    try:
        if isinstance(source, Path) and source.is_fifo():
            hint = "Save what it gives as a file, as a table is read more than once"
            raise FormatError("this is a pipe", where=where, expected="a file", hint=hint)
        with source.open("rb") if isinstance(source, Path) else nullcontext(source) as stream:
            stream.seek(0)
            pack = unpacker(stream.read(16))
            size = stream.seek(0, os.SEEK_END)
            stream.seek(0)
            if pack is None:
                yield stream
            else:
                with pack(stream, "rb") as unpacked:
                    yield io.BufferedReader(_Unpacked(unpacked, size, where, limits), 1 << 16)
    except (gzip.BadGzipFile, lzma.LZMAError, zlib.error, EOFError) as error:
        raise FormatError(f"cannot be unpacked: {error}", where=where) from None
    except (OSError, ValueError) as error:
        raise unreadable(error, where) from error


class _Unpacked(io.RawIOBase):
    """The unpacked bytes of a packed file, counted while they are read."""

    def __init__(self, stream: BinaryIO, packed: int, where: str, limits: TableLimits) -> None:
        self._stream, self._about, self._limits = stream, (packed, where), limits
        self.readable, self.seekable = stream.readable, stream.seekable  # type: ignore[method-assign]
        self.seek, self.tell = stream.seek, stream.tell  # type: ignore[method-assign]

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 (as in the standard library)
        data = self._stream.read1(len(buffer))  # type: ignore[attr-defined]
        buffer[: len(data)] = data
        self._limits.check_unpacked(self._stream.tell(), *self._about)
        return len(data)


def library(kind: str, module: str = "") -> Any:  # noqa: ANN401 (it may be absent)
    """A module of the library for a kind of file; a ResourceError if that is not installed."""
    name, noun = ABOUT[kind]
    try:
        return import_module(name + module)
    except ModuleNotFoundError:
        found = f"{name} is not installed, without which {noun} cannot be read or written"
        hint = "Install the extra: pip install 'ists-asp[tables]'; or save it as CSV"
        raise ResourceError(found, hint=hint) from None


@contextmanager
def readable(kind: str, where: str) -> Iterator[None]:
    """Say of whatever a library raises that this is no such file."""
    try:
        yield
    except (IstsError, MemoryError, SystemError, GeneratorExit):
        raise
    except Exception as error:
        if isinstance(error, ImportError) or _NO_MEMORY.search(str(error)):
            # A library that is there, and for which there is no room, ends so too.
            raise MemoryError from error
        reason = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
        found = f"cannot be read as {ABOUT[kind][1]}{reason}"
        hint = "Open it in the program that made it and save it again, or as CSV"
        raise FormatError(found, where=where, hint=hint) from error


class Unread(str):
    """A cell that cannot be read, which has no text."""

    __slots__ = ()


def letters(column: int) -> str:
    """The letters of a column, by its number from 0."""
    return (letters(column // 26 - 1) if column > 25 else "") + chr(65 + column % 26)


class Note(NamedTuple):
    """Odd cells of a sheet: what is odd, their column from 0, their row, how many, the first."""

    text: str
    column: int
    row: int  # 0 below those that may have titles
    cells: int
    first: str

    @staticmethod
    def texts(notes: Iterable[Note]) -> Iterator[str]:
        """A sentence for each kind."""
        kinds: dict[str, list[Note]] = {}
        for note in notes:
            kinds.setdefault(note.text, []).append(note)
        for text, group in kinds.items():
            rest = sum(note.cells for note in group) - 1
            yield f"{text}: {group[0].first}" + (f" and {rest} more" if rest else "")


class Notes:
    """Odd cells of a sheet: for each kind and column a count, and the first place."""

    def __init__(self) -> None:
        self._cells: dict[tuple[str, int, int], tuple[int, str]] = {}

    def add(self, text: str, row: int, column: int, value: str = "") -> None:
        """Take the cell of a row and a column, by numbers from 1, which a ``text`` is about."""
        key, place = (text, column - 1, row if row <= HEAD else 0), f"{letters(column - 1)}{row}"
        cells, first = self._cells.get(key, (0, f"{value} in {place}" if value else place))
        self._cells[key] = cells + 1, first

    def all(self) -> list[Note]:
        """The notes, in the order of the first cells."""
        return [Note(*key, *cells) for key, cells in self._cells.items()]


_NO_VALUE = (
    "formulas without a stored value are read as empty; open the file in the program for sheets "
    "and save it"
)
_FILLED = "merged cells are filled down"
_ERROR = "errors of formulas are read as empty"
_DATE = "dates are read as the sheet shows them; a program may have made them of what was typed"


class Sheet(NamedTuple):
    """A sheet of a workbook, and its rows from the first one on, which are read lazily."""

    name: str
    visible: bool
    rows: Iterator[Cells]


def _check_archive(stream: BinaryIO, where: str, limits: TableLimits) -> None:
    """Refuse an archive that unpacks to too much; no file in it gives more than it says."""
    with ZipFile(stream) as archive:
        size = sum(info.file_size for info in archive.infolist())
    limits.check_unpacked(size, os.fstat(stream.fileno()).st_size, where)


_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]*?ref="([A-Z]+)(\d+):[A-Z]+(\d+)"')


def excel_book(stream: BinaryIO) -> Any:  # noqa: ANN401
    """An Excel workbook as its library reads it, without sheets of charts."""
    # Of those that are empty it can read none.
    library("xlsx", ".reader.excel").ExcelReader.read_chartsheet = lambda *_sheet: None
    return library("xlsx").load_workbook(stream, read_only=True, data_only=True)


def _excel(stream: BinaryIO, where: str, limits: TableLimits, notes: Notes) -> list[Sheet]:
    reading = library("xlsx", ".worksheet._read_only")
    unescape = library("xlsx", ".utils.escape").unescape
    index_of = library("xlsx", ".utils").column_index_from_string
    _check_archive(stream, where, limits)

    class Parser(reading.WorkSheetParser):  # type: ignore[misc, name-defined]
        """Parses sheets; a cell that cannot be read is no reason to read no other."""

        def parse_row(self, row: Any) -> Any:  # noqa: ANN401
            number, cells = super().parse_row(row)
            limits.check("rows", number, f"a row with the number {number}", where)
            return number, cells

        def parse_cell(self, element: Any) -> Any:  # noqa: ANN401
            try:
                cell = super().parse_cell(element)
                place = cell["row"], cell["column"]
                value, code = cell["value"], formats[cell["style_id"]]
                if value is None and any(child.tag.endswith("}f") for child in element):
                    notes.add(_NO_VALUE, *place)
                elif cell["data_type"] == "e":
                    notes.add(_ERROR, *place, value)
                    value = None
                else:
                    value = unescape(value) if type(value) is str else _displayed(value, code)
                    if isinstance(cell["value"], date):
                        notes.add(_DATE, *place, str(value))
            except _ODD:
                # It is told with its place, and costs its row.
                column = max(1, self.col_counter)
                return {"row": self.row_counter, "column": column, "value": Unread()}
            return cell | {"value": value}

    reading.WorkSheetParser = Parser
    book = excel_book(stream)
    codes = library("xlsx", ".styles.numbers").BUILTIN_FORMATS
    codes |= dict(enumerate(book._number_formats, 164))
    formats = [codes.get(style.numFmtId, "") for style in book._cell_styles] or [""]

    def rows(sheet: Any) -> Iterator[Cells]:  # noqa: ANN401
        # The size that a sheet states may be wrong.
        sheet.reset_dimensions()
        merged: dict[int, list[int]] = {}
        with sheet._get_source() as source:
            # They stand behind the rows.
            rest = b""
            while block := source.read(SMALL):
                rest, end = rest + block, 0
                for match in _MERGED.finditer(rest):
                    column, (first, last), end = match[1].decode(), match.group(2, 3), match.end()
                    for number in range(int(first) + 1, min(int(last), limits.rows) + 1):
                        merged.setdefault(number, []).append(index_of(column) - 1)
                rest = rest[max(end, len(rest) - 200) :]
        above: list[object] = []
        for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
            cells = list(row[: limits.columns + 1])
            if all(cell is None for cell in cells):
                above = above if number in merged else []
                yield ()
                continue
            for at in sorted(merged.get(number, ())):
                if at < len(above) and (at >= len(cells) or cells[at] is None):
                    cells += [None] * (at + 1 - len(cells))
                    cells[at] = above[at]
                    notes.add(_FILLED, number, at + 1)
            above = cells
            yield cells

    return [Sheet(s.title, s.sheet_state == "visible", rows(s)) for s in book.worksheets]


_LARGE = 1e15  # numbers below have all their figures
_NUMBER = re.compile(
    r"(?P<sign>[$€£¥]? ?)[#,]*(?P<whole>0+)(?:\.(?P<decimals>0+))?(?P<after> ?[$€£¥]?)"
)
_BLANKS = re.compile(r'"|\\|_.|\*.|\[\$([^]-]*)[^]]*\]|\[[^]]*\]')  # no figures of a format
_PARTS = re.compile(
    r"\[(?P<total>h+|m+|s+)\]|\[[^]]*\]|\"(?P<words>[^\"]*)\"|\\(?P<sign>.)|_.|\*."
    r"|(?P<half>AM/PM|A/P)|(?P<unit>y+|m+|d+|h+|s+)(?:\.0+)?|(?P<other>.)",
    re.IGNORECASE,
)


def _displayed(value: object, code: str) -> object:
    """A value as a sheet shows it by a format: dates, times, percentages and truth as text.

    Numbers of a currency, or with noughts in front, are text, too, without marks between thousands.
    No number is rounded.
    """
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, date | time | timedelta):
        return _time_text(value, code.split(";")[0])
    if isinstance(value, int | float) and "%" in code:
        decimals = re.search(r"\.([0#?]+)", code)
        return f"{100 * value:.{len(decimals[1]) if decimals else 0}f}%"
    if isinstance(value, float) and (fraction := re.search(r"/(\?+)", code)):
        approximation = Fraction(value).limit_denominator(10 ** len(fraction[1]) - 1)
        whole, remainder = divmod(approximation, 1) if "#" in code else (0, approximation)
        return " ".join(str(part) for part in (whole, remainder) if part) or "0"
    form = _NUMBER.fullmatch(_BLANKS.sub(r"\1", code.split(";")[0]).strip())
    if isinstance(value, int | float) and form and abs(value) < _LARGE:
        sign, noughts, figures, after = form.group("sign", "whole", "decimals", "after")
        places = len(figures or "")
        width = len(noughts) + (places and places + 1)
        if (sign or after or len(noughts) > 1) and round(value, places) == value:
            return f"{'-' * (value < 0)}{sign}{abs(value):0{width}.{places}f}{after}"
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGE:
        return int(value)
    return value


def _time_text(value: date | time | timedelta, code: str) -> str:
    if isinstance(value, timedelta):
        seconds = round(value.total_seconds())
        hour, minute, second = *divmod(seconds // 60, 60), seconds % 60
    else:
        hour, minute, second = (getattr(value, part, 0) for part in ("hour", "minute", "second"))
    half = ("AM", "PM")[hour > 11]
    if "AM/PM" in code.upper():
        hour = hour % 12 or 12
    text, last, parts = "", "", list(_PARTS.finditer(code))
    units = [(part["unit"] or part["total"] or "").lower() for part in parts]
    for at, (part, unit) in enumerate(zip(parts, units, strict=True)):
        following = next(filter(None, units[at + 1 :]), "")
        kind, size = unit[:1], len(unit)
        if not unit:
            text += part["words"] or part["sign"] or (part["half"] and half) or part["other"] or ""
        elif kind in "hs":
            text += f"{hour if kind == 'h' else second:0{size}}"
        elif kind == "m" and size < 3 and (last == "h" or following[:1] == "s"):
            text += f"{minute:0{size}}"
        elif not isinstance(value, date):
            text += "0" * size
        elif kind == "y":
            text += f"{value.year:04}" if size > 2 else f"{value.year % 100:02}"
        elif size > 2:
            text += value.strftime(("%b", "%B", "%a", "%A")[2 * (kind == "d") + (size > 3)])
        else:
            text += f"{value.month if kind == 'm' else value.day:0{size}}"
        last = kind or last
    return text.strip() or str(value)


def _libre(stream: BinaryIO, where: str, limits: TableLimits, notes: Notes) -> list[Sheet]:
    _check_archive(stream, where, limits)
    stream.seek(0)

    def value_of(cell: Any) -> object:  # noqa: ANN401
        try:
            kind = cell.type
            # The library makes an integer of 1E999999999.
            is_number = kind in ("float", "percentage", "currency")
            if is_number and not isfinite(float(cell.get_attribute("office:value"))):
                return Unread()
            value = cell.get_value()
            if kind in ("boolean", "date", "percentage", "time"):
                text = cell.text_recursive.strip() or str(value)
                return text.upper() if kind == "boolean" else text
            if isinstance(value, Decimal | int):
                text = cell.text_recursive.strip()
                return text if _SHOWN.fullmatch(text) else _displayed(float(value), "")
            return Unread() if value is None and kind else value
        except _ODD:
            return Unread()

    # Whether a row is empty is seen by the values of its cells, too.
    library("ods").Cell.value = property(value_of)
    document = library("ods").Document(io.BytesIO(stream.read()))

    def rows(sheet: Any) -> Iterator[Cells]:  # noqa: ANN401
        sheet.rstrip(aggressive=True)
        limits.check("rows", sheet.height, f"{sheet.height} rows, blank ones included", where)
        merged: dict[int, tuple[int, object]] = {}
        for number, row in enumerate(sheet.iter_rows(), 1):
            limits.check("columns", row.width, f"{row.width} cells in a row", where)
            cells = list[object]()
            for at, cell in enumerate(row.get_cells()):
                value = cell.value
                if value is None and cell.formula:
                    notes.add(_NO_VALUE, number, at + 1)
                elif cell.type == "date":
                    notes.add(_DATE, number, at + 1, str(value))
                last, above = merged.get(at, (0, None))
                if number <= last and value is None:
                    notes.add(_FILLED, number, at + 1)
                    value = above
                elif span := cell.get_attribute("table:number-rows-spanned"):
                    try:
                        merged[at] = number + int(span) - 1, value
                    except ValueError:
                        value = Unread()
                cells.append(value)
            yield cells

    def visible(sheet: Any) -> bool:  # noqa: ANN401
        style = document.get_style("table", sheet.style) if sheet.style else None
        display = style and (style.get_properties(area="table") or {}).get("table:display")
        return bool(display != "false")

    return [Sheet(table.name, visible(table), rows(table)) for table in document.body.tables]


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[object]]] = []
        self._words: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables and self.tables[-1]:
            self._end_cell()
            self._words = []
        elif tag in ("br", "p", "div", "li") and self._words:
            self._words.append("\n")

    def handle_data(self, data: str) -> None:
        if self._words is not None:
            self._words.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._end_cell()

    def _end_cell(self) -> None:
        if self._words is not None:
            lines = "".join(self._words).split("\n")
            text = "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
            self.tables[-1][-1].append(text or None)
        self._words = None


def _html(stream: BinaryIO, where: str, limits: TableLimits, _notes: Notes) -> list[Sheet]:
    data, page = limits.read_all(stream, where), _Page()
    try:
        page.feed(data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"))
    except UnicodeDecodeError:
        page.feed(data.decode("cp1252", "replace"))
    return [Sheet(f"table {n}", True, iter(rows)) for n, rows in enumerate(page.tables, 1)]


READERS = {"xlsx": _excel, "ods": _libre, "html": _html}
