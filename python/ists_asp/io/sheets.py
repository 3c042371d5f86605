"""Sheets of Excel and LibreOffice, pages of HTML, and Parquet: rows in and rows out.

The libraries for them come with the extra ``[tables]``. A process of its own reads and edits
files of strangers; it is killed at its limits.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import asdict, replace
from datetime import date, time, timedelta
from decimal import Decimal
from fractions import Fraction
from html.parser import HTMLParser
from importlib import import_module
from io import BytesIO, RawIOBase
from itertools import islice, repeat
from multiprocessing.connection import Connection
from shutil import copyfileobj
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryFile
from typing import Any, BinaryIO, NamedTuple, TypeAlias
from zipfile import ZipFile

from ists_asp.errors import (
    DataError,
    FormatError,
    IstsError,
    ResourceError,
    UsageError,
    shortened,
)
from ists_asp.io.text import Warn, find_header, ignore
from ists_asp.limits import TableLimits
from ists_asp.processes import OUT_OF_TIME, deaf, end_after, ending, heard, limit_memory

# The values of a row, in the order of the columns; None where a cell is empty.
Cells: TypeAlias = Sequence[object]
Put: TypeAlias = Callable[[Cells], None]  # writes a row
_BATCH = 5000  # rows of Parquet that are read or written at a time
_SENT = 500  # rows that are sent together
HEAD = 20  # rows among which titles are looked for
_SMALL = 256 << 10  # bytes that a file of any size may unpack to
_ODD = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)  # of cells
_ABOUT = {
    "xlsx": ("openpyxl", "an Excel workbook"),
    "ods": ("odfdo", "a LibreOffice sheet"),
    "parquet": ("pyarrow", "a Parquet file"),
    "html": ("html", "a page of HTML"),
}


def _library(kind: str, module: str = "") -> Any:  # noqa: ANN401 (a module that may be absent)
    name, what = _ABOUT[kind]
    try:
        return import_module(name + module)
    except ImportError:
        found = f"{name} is not installed, without which {what} cannot be read or written"
        hint = "Install the extra: pip install 'ists-asp[tables]'; or save it as CSV"
        raise ResourceError(found, hint=hint) from None


@contextmanager
def _readable(kind: str, where: str) -> Iterator[None]:
    """Say of whatever a library raises that this is no such file."""
    try:
        yield
    except (IstsError, MemoryError, SystemError, GeneratorExit):
        raise
    except Exception as error:
        reason = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
        found = f"cannot be read as {_ABOUT[kind][1]}{reason}"
        hint = "Open it in the program that made it and save it again, or as CSV"
        raise FormatError(found, where=where, hint=hint) from error


def read_rows(
    kind: str,
    stream: BinaryIO,
    where: str,
    limits: TableLimits,
    *,
    sheet: str | None = None,
    titles: Sequence[str] = (),
    warn: Warn = ignore,
) -> Generator[Any, None, None]:
    """Yield the name of a sheet, those of others, and the schema that a file has; then its rows.

    The ``sheet`` has that name or number; by default it is the first visible one with columns of
    these ``titles``, or of usual ones. Cells are as the sheet shows them; formulas have the values
    that were saved with them. What is odd is warned of at the end.
    """
    _library(kind)
    yield from _served(kind, stream, where, limits, {"sheet": sheet, "titles": titles}, warn)


def edit(
    kind: str,
    stream: BinaryIO,
    where: str,
    limits: TableLimits,
    change: Mapping[str, object],
    output: BinaryIO,
) -> None:
    """Write a copy of a workbook with more columns, or with a new sheet.

    A ``change`` has the ``titles`` and the ``rows``, each a number and cells; and of columns the
    ``sheet``, its ``head`` (the number of the row of titles), and the ``column`` before them.
    """
    with TemporaryFile() as orders, TemporaryFile() as result:
        orders.write(json.dumps(change, default=str).encode())
        orders.flush()
        # What is edited is held as a whole.
        allowed = replace(limits, seconds=6 * limits.seconds, memory=4 * limits.memory)
        numbers = orders.fileno(), result.fileno()
        for _ in _served(kind, stream, where, allowed, {"edit": numbers}, ignore, numbers):
            pass
        result.seek(0)
        copyfileobj(result, output)


def _served(
    kind: str,
    stream: BinaryIO,
    where: str,
    limits: TableLimits,
    how: Mapping[str, object],
    warn: Warn,
    passed: Sequence[int] = (),
) -> Generator[Any, None, None]:
    """Yield the rows that a process of its own sends of a file."""
    with ExitStack() as stack:
        try:
            number = stream.fileno()
        except OSError:
            copied = stack.enter_context(TemporaryFile())
            copyfileobj(stream, copied)
            copied.flush()
            number = copied.fileno()
        size = os.fstat(number).st_size >> 20
        about = [kind, where, asdict(limits), limits.seconds + 2 * size, limits.memory + 16 * size]
        code = "from ists_asp.io.sheets import serve; serve()"
        with deaf(copied=True):
            process = Popen(
                # The working folder may have modules of strangers.
                [sys.executable, "-P", "-c", code, json.dumps([*about, how])],
                stdin=number,
                stdout=PIPE,
                stderr=DEVNULL,
                pass_fds=passed,
            )
        stack.enter_context(process)
        stack.callback(process.kill)
        assert process.stdout is not None
        rows = stack.enter_context(Connection(os.dup(process.stdout.fileno()), writable=False))
        while True:
            try:
                kind, value = heard(process.pid, rows)
            except (EOFError, OSError) as error:
                # It has ended, or does nothing.
                process.kill()
                status = process.wait()
                if isinstance(error, TimeoutError):
                    found = "reading has stopped before its end, for no known reason"
                    raise FormatError(found, where=where, hint="Save it as CSV") from None
                if status == OUT_OF_TIME:
                    found = f"reading takes more than {about[3]} s of processor time"
                    raise limits.error("seconds", found, where) from None
                found = f"reading takes more than {about[4]} MB, or {ending(status)}"
                raise limits.error("memory", found, where) from None
            if kind == "error":
                raise value
            if kind == "end":
                for note in value:
                    warn(f"{where}: {note}")
                return
            yield from value


def serve() -> None:
    """The process that reads or edits a file, its standard input, and sends rows in batches."""
    kind, where, limits, seconds, memory, how = json.loads(sys.argv[1])
    end_after(seconds)
    limit_memory(memory << 20)
    # What libraries print is no row.
    out = Connection(os.dup(1), readable=False)
    os.dup2(2, 1)
    bounds, notes = TableLimits(**limits), Notes()

    try:
        with os.fdopen(0, "rb") as stream, _readable(kind, where):
            stream.seek(0)
            if "edit" in how:
                orders, result = (os.fdopen(number, "r+b") for number in how["edit"])
                orders.seek(0)
                _EDITORS[kind](stream, json.load(orders), result)
                result.flush()
            else:
                rows: Iterator[Any]
                if kind == "parquet":
                    rows = _parquet(stream, where, bounds)
                else:
                    rows = _chosen(_READERS[kind](stream, where, bounds, notes), **how)
                out.send(("rows", [next(rows)]))
                rows = _to_last(rows, os.fstat(stream.fileno()).st_size, where, bounds)
                while batch := list(islice(rows, _SENT)):
                    out.send(("rows", batch))
        out.send(("end", notes.texts()))
    except (MemoryError, SystemError):
        # What is left in memory may not suffice to say so; Python errs then, too.
        os._exit(1)
    except IstsError as error:
        out.send(("error", error))


class Notes:
    """Odd cells of a sheet: for each kind a count, and the first place."""

    def __init__(self) -> None:
        self._counts, self._first = Counter[str](), dict[str, str]()

    def add(self, text: str, row: int, column: int, value: str = "") -> None:
        """Take the cell of a row and a column, by numbers from 1, which a ``text`` is about."""
        self._counts[text] += 1
        place = f"{letters(column - 1)}{row}"
        self._first.setdefault(text, f"{value} in {place}" if value else place)

    def texts(self) -> list[str]:
        """A sentence for each kind."""
        return [
            f"{text}: {self._first[text]}" + (f" and {count - 1} more" if count > 1 else "")
            for text, count in self._counts.items()
        ]


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


def _chosen(sheets: Sequence[Sheet], sheet: str | None, titles: Sequence[str]) -> Iterator[Any]:
    """The rows of the sheet of that name or number, or of the first one with the columns."""
    shown = [item for item in sheets if item.visible] or sheets
    names = [item.name for item in shown]
    if sheet is not None:
        named = [item for item in sheets if item.name == sheet]
        if not named and sheet.isdecimal() and 1 <= int(sheet) <= len(shown):
            named = [shown[int(sheet) - 1]]
        if not named:
            found = f"there is no sheet '{shortened(sheet)}'"
            raise UsageError(found, where="--sheet", expected=shortened(", ".join(names), 200))
        shown, names = named, [named[0].name]
    best: tuple[int, Sheet, list[Cells]] | None = None
    for item in shown:
        head = list(islice(item.rows, HEAD))
        rank = 2 * (find_header(head, titles) is not None) + any(map(any, head))
        if best is None or rank > best[0]:
            best = rank, item, head
    if best is None:
        raise DataError("there is no sheet", expected="one with a row of titles")
    _, item, head = best
    names.remove(item.name)
    yield item.name, names, None
    yield from head
    yield from item.rows


def _to_last(
    rows: Iterable[Cells], packed: int, where: str, limits: TableLimits
) -> Iterator[Cells]:
    """The rows up to the last that has a value; their texts count, however often they are there."""
    blanks = size = 0
    for number, row in enumerate(rows, 1):
        if any(cell is not None for cell in row):
            size += sum(len(cell) for cell in row if isinstance(cell, str))
            if size > _SMALL:
                _check_unpacked(size, packed, where, limits)
            limits.check("blank", blanks, f"{blanks} blank rows before row {number}", where)
            yield from repeat((), blanks)
            yield row
            blanks = 0
        else:
            blanks += 1


def _check_archive(stream: BinaryIO, where: str, limits: TableLimits) -> None:
    """Refuse an archive that unpacks to too much; no file in it gives more than it says."""
    with ZipFile(stream) as archive:
        size = sum(info.file_size for info in archive.infolist())
    _check_unpacked(size, os.fstat(stream.fileno()).st_size, where, limits)


def _check_unpacked(size: int, packed: int, where: str, limits: TableLimits) -> None:
    found = f"{size >> 20} MB when it is unpacked"
    limits.check("unpacked", size / (1 << 20), found, where)
    if size > _SMALL:
        limits.check("ratio", size / max(1, packed), f"{found}, of a file of {packed} bytes", where)


class Unpacked(RawIOBase):
    """A packed file as it is read: its bytes unpacked, which are counted."""

    def __init__(self, stream: BinaryIO, packed: int, where: str, limits: TableLimits) -> None:
        self._stream, self._about = stream, (packed, where, limits)

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """To its beginning, at least."""
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 (as in the standard library)
        """Read some bytes."""
        data = self._stream.read1(len(buffer))  # type: ignore[attr-defined]
        buffer[: len(data)] = data
        _check_unpacked(self._stream.tell(), *self._about)
        return len(data)

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to another place."""
        return self._stream.seek(place, whence)

    def tell(self) -> int:
        """The place of what is read next."""
        return self._stream.tell()


_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]*?ref="([A-Z]+)(\d+):[A-Z]+(\d+)"')


def _excel(stream: BinaryIO, where: str, limits: TableLimits, notes: Notes) -> list[Sheet]:
    reading = _library("xlsx", ".worksheet._read_only")
    unescape = _library("xlsx", ".utils.escape").unescape
    index_of = _library("xlsx", ".utils").column_index_from_string
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
    book = _library("xlsx").load_workbook(stream, read_only=True, data_only=True)
    codes = _library("xlsx", ".styles.numbers").BUILTIN_FORMATS
    codes |= dict(enumerate(book._number_formats, 164))
    formats = [codes.get(style.numFmtId, "") for style in book._cell_styles] or [""]

    def rows(sheet: Any) -> Iterator[Cells]:  # noqa: ANN401
        # What a sheet says of its size may be wrong.
        sheet.reset_dimensions()
        merged: dict[int, list[int]] = {}
        with sheet._get_source() as source:
            # They stand behind the rows.
            rest = b""
            while block := source.read(_SMALL):
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

    return [Sheet(one.title, one.sheet_state == "visible", rows(one)) for one in book.worksheets]


_PARTS = re.compile(
    r"\[(?P<total>h+|m+|s+)\]|\[[^]]*\]|\"(?P<words>[^\"]*)\"|\\(?P<sign>.)|_.|\*."
    r"|(?P<half>AM/PM|A/P)|(?P<unit>y+|m+|d+|h+|s+)(?:\.0+)?|(?P<other>.)",
    re.IGNORECASE,
)


def _displayed(value: object, code: str) -> object:
    """A value as a sheet shows it by a format: dates, times, percentages and truth as text."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, date | time | timedelta):
        return _time_text(value, code.split(";")[0])
    if isinstance(value, int | float) and "%" in code:
        decimals = re.search(r"\.([0#?]+)", code)
        return f"{100 * value:.{len(decimals[1]) if decimals else 0}f}%"
    if isinstance(value, float) and (fraction := re.search(r"/(\?+)", code)):
        near = Fraction(value).limit_denominator(10 ** len(fraction[1]) - 1)
        whole, rest = divmod(near, 1) if "#" in code else (0, near)
        return " ".join(str(part) for part in (whole, rest) if part) or "0"
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _time_text(value: date | time | timedelta, code: str) -> str:
    if isinstance(value, timedelta):
        seconds = round(value.total_seconds())
        hour, minute, second = *divmod(seconds // 60, 60), seconds % 60
    else:
        hour, minute, second = (getattr(value, part, 0) for part in ("hour", "minute", "second"))
    text, parts, hours = "", list(_PARTS.finditer(code)), "AM/PM" in code.upper()
    units = [(part["unit"] or part["total"] or "").lower() for part in parts]
    last = ""
    for at, part in enumerate(parts):
        unit = units[at]
        if not unit:
            half = part["half"] and ("AM", "PM")[hour > 11]
            text += part["words"] or part["sign"] or half or part["other"] or ""
            continue
        following = next(filter(None, units[at + 1 :]), "")
        kind, size = unit[0], len(unit)
        if kind == "h":
            number = (hour % 12 or 12) if hours else hour
        elif kind == "s":
            number = second
        elif kind == "m" and size < 3 and (last == "h" or following[:1] == "s"):
            number = minute
        elif not isinstance(value, date):
            number = 0
        elif kind == "y":
            number, size = (value.year, 4) if size > 2 else (value.year % 100, 2)
        elif size > 2:
            text += value.strftime(("%b", "%B", "%a", "%A")[2 * (kind == "d") + (size > 3)])
            number = -1
        else:
            number = value.month if kind == "m" else value.day
        text += "" if number < 0 else f"{number:0{size}}"
        last = kind
    return text.strip() or str(value)


def _libre(stream: BinaryIO, where: str, limits: TableLimits, notes: Notes) -> list[Sheet]:
    _check_archive(stream, where, limits)
    stream.seek(0)

    def value_of(cell: Any) -> object:  # noqa: ANN401
        try:
            kind, known = cell.type, cell.get_value()
            if kind in ("boolean", "date", "percentage", "time"):
                text = cell.text_recursive.strip() or str(known)
                return text.upper() if kind == "boolean" else text
            if isinstance(known, Decimal):
                return int(known) if known == known.to_integral_value() else float(known)
            return Unread() if known is None and kind else known
        except _ODD:
            return Unread()

    # Whether a row is empty is seen by the values of its cells, too.
    _library("ods").Cell.value = property(value_of)
    document = _library("ods").Document(BytesIO(stream.read()))

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
                    merged[at] = number + int(span) - 1, value
                cells.append(value)
            yield cells

    def visible(sheet: Any) -> bool:  # noqa: ANN401
        style = document.get_style("table", sheet.style) if sheet.style else None
        shown = style and (style.get_properties(area="table") or {}).get("table:display")
        return bool(shown != "false")

    return [Sheet(one.name, visible(one), rows(one)) for one in document.body.tables]


class _Page(HTMLParser):
    """The tables of a page, as rows of texts."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[object]]] = []
        self._words: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        """Begin a table, a row or a cell."""
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
        """Take the text of a cell."""
        if self._words is not None:
            self._words.append(data)

    def handle_endtag(self, tag: str) -> None:
        """End a cell."""
        if tag in ("td", "th", "tr", "table"):
            self._end_cell()

    def _end_cell(self) -> None:
        if self._words is not None:
            lines = "".join(self._words).split("\n")
            text = "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
            self.tables[-1][-1].append(text or None)
        self._words = None


def _html(stream: BinaryIO, _where: str, _limits: TableLimits, _notes: Notes) -> list[Sheet]:
    data, page = stream.read(), _Page()
    try:
        page.feed(data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"))
    except UnicodeDecodeError:
        page.feed(data.decode("cp1252", "replace"))
    return [Sheet(f"table {n}", True, iter(rows)) for n, rows in enumerate(page.tables, 1)]


def _parquet(
    stream: BinaryIO, where: str, limits: TableLimits, groups: Sequence[int] | None = None
) -> Iterator[Any]:
    """The schema of a Parquet file, and the rows of some or all groups, read in batches."""
    file = _library("parquet", ".parquet").ParquetFile(stream)
    metadata = file.metadata
    for group in range(metadata.num_row_groups) if groups is None else groups:
        size = metadata.row_group(group).total_byte_size >> 20
        limits.check("unpacked", size, f"a row group of {size} MB", where)
    limits.check("columns", metadata.num_columns, f"{metadata.num_columns} columns", where)
    yield "", [], file.schema_arrow
    for batch in file.iter_batches(_BATCH, groups):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def read_groups(
    stream: BinaryIO, where: str, limits: TableLimits, groups: Sequence[int]
) -> Generator[Any, None, None]:
    """As :func:`read_rows`, some groups of rows of a Parquet file, in this process."""
    _library("parquet")
    with _readable("parquet", where):
        yield from _parquet(stream, where, limits, groups)


_READERS = {"xlsx": _excel, "ods": _libre, "html": _html}


class Unread(str):
    """A cell that cannot be read, which has no text."""

    __slots__ = ()


def letters(column: int) -> str:
    """The letters of a column, by its number from 0."""
    return (letters(column // 26 - 1) if column > 25 else "") + chr(65 + column % 26)


def plain_value(value: object) -> object:
    """A value as a cell of a sheet holds it: lists and objects as JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value


@contextmanager
def writing_excel(stream: BinaryIO, columns: Sequence[str]) -> Iterator[Put]:
    """Write a workbook of one sheet; text stays text, whatever it begins with."""
    book = _library("xlsx").Workbook(write_only=True)
    cell_of = _library("xlsx", ".cell").WriteOnlyCell
    illegal = _library("xlsx", ".cell.cell").ILLEGAL_CHARACTERS_RE
    sheet = book.create_sheet("ists-asp")

    def text_cell(text: str) -> object:
        cell = cell_of(sheet, illegal.sub(lambda sign: f"_x{ord(sign[0]):04X}_", text))
        cell.data_type = "s"
        return cell

    def put(cells: Cells) -> None:
        values = map(plain_value, cells)
        sheet.append([text_cell(value) if isinstance(value, str) else value for value in values])

    put(columns)
    yield put
    book.save(stream)


@contextmanager
def writing_libre(stream: BinaryIO, columns: Sequence[str]) -> Iterator[Put]:
    """Write a spreadsheet of one sheet, all at the end; its cells have no formulas."""
    library = _library("ods")
    document, sheet = library.Document("spreadsheet"), library.Table("ists-asp")
    document.body.clear()

    def put(cells: Cells) -> None:
        row = library.Row()
        row.set_values([plain_value(cell) for cell in cells])
        sheet.append_row(row)

    put(columns)
    yield put
    document.body.append(sheet)
    saved = BytesIO()
    document.save(saved)
    stream.write(saved.getvalue())


def _edit_excel(stream: BinaryIO, change: Mapping[str, Any], output: BinaryIO) -> None:
    book = _library("xlsx").load_workbook(stream, rich_text=True)
    illegal = _library("xlsx", ".cell.cell").ILLEGAL_CHARACTERS_RE

    def put(row: int, cells: Sequence[object], like: Any = None) -> None:  # noqa: ANN401
        for column, value in enumerate(cells, 1 + at):
            if value is not None:
                cell = sheet.cell(row, column)
                cell.value = illegal.sub("", value) if isinstance(value, str) else value
                if isinstance(value, str):
                    cell.data_type = "s"
                if like is not None:
                    cell._style = copy(like._style)

    if "sheet" in change:
        sheet, head, at = book[change["sheet"]], change["head"], change["column"]
        put(head, change["titles"], sheet.cell(head, at))
    else:
        sheet, head, at = book.create_sheet("ists-asp"), 1, 0
        put(head, change["titles"])
    for number, cells in change["rows"]:
        put(number, cells)
    book.save(output)


def _edit_libre(stream: BinaryIO, change: Mapping[str, Any], output: BinaryIO) -> None:
    library = _library("ods")
    document, at = library.Document(BytesIO(stream.read())), change.get("column", 0)
    if "sheet" in change:
        sheet = document.body.get_table(name=change["sheet"])
    else:
        sheet = library.Table("ists-asp")
        document.body.append(sheet)
    for number, cells in [(change.get("head", 1), change["titles"]), *change["rows"]]:
        for column, value in enumerate(cells, at):
            if value is not None:
                sheet.set_value((column, number - 1), value)
    saved = BytesIO()
    document.save(saved)
    output.write(saved.getvalue())


_EDITORS = {"xlsx": _edit_excel, "ods": _edit_libre}


@contextmanager
def writing_parquet(
    stream: BinaryIO,
    columns: Sequence[str],
    schema: Any = None,  # noqa: ANN401 (of a library that may be absent)
) -> Iterator[Put]:
    """Write a Parquet file, a group of rows at a time.

    Columns have the types that ``schema`` has for them, or those of their first values.
    """
    arrow, parquet = _library("parquet"), _library("parquet", ".parquet")
    rows: list[Cells] = []
    writer: Any = None

    def flush() -> None:
        nonlocal schema, writer
        values = list(zip(*rows, strict=True)) or [()] * len(columns)
        if writer is None:
            fields = {field.name: field for field in schema or ()}
            schema = arrow.schema(
                map(lambda name, of: fields.get(name) or _field(arrow, name, of), columns, values),
                None if schema is None else schema.metadata,
            )
            writer = parquet.ParquetWriter(stream, schema)
        try:
            writer.write(arrow.table([*map(arrow.array, values, schema.types)], schema=schema))
        except (arrow.ArrowInvalid, arrow.ArrowTypeError) as error:
            found = f"a column has values of several types: {error}"
            raise DataError(found, hint="Write CSV or JSON Lines instead") from None
        rows.clear()

    def put(cells: Cells) -> None:
        rows.append(cells)
        if len(rows) == _BATCH:
            flush()

    yield put
    if rows or writer is None:
        flush()
    writer.close()


def _field(arrow: Any, name: str, values: Cells) -> Any:  # noqa: ANN401
    kind = arrow.array(values).type
    return arrow.field(name, arrow.string() if arrow.types.is_null(kind) else kind)
