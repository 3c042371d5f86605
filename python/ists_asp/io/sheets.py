"""Sheets of Excel and LibreOffice, and Parquet: rows in and rows out, by the libraries for them.

They come with the extra ``[tables]``.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from decimal import Decimal
from importlib import import_module
from io import BytesIO, RawIOBase
from itertools import islice, repeat
from multiprocessing.connection import Connection
from shutil import copyfileobj
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryFile
from typing import Any, BinaryIO, TypeAlias
from zipfile import ZipFile

from ists_asp.errors import DataError, FormatError, IstsError, ResourceError
from ists_asp.limits import TableLimits
from ists_asp.processes import OUT_OF_TIME, deaf, end_after, ending, heard, limit_memory

# The values of a row, in the order of the columns; None where a cell is empty.
Cells: TypeAlias = Sequence[object]
Put: TypeAlias = Callable[[Cells], None]  # writes a row
_BATCH = 5000  # rows of Parquet that are read or written at a time
_SENT = 500  # rows that are sent together
_SMALL = 256 << 10  # bytes that a file of any size may unpack to
_ODD = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)  # of cells
_ABOUT = {
    "xlsx": ("openpyxl", "an Excel workbook"),
    "ods": ("odfdo", "a LibreOffice sheet"),
    "parquet": ("pyarrow", "a Parquet file"),
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
    except (IstsError, MemoryError, GeneratorExit):
        raise
    except Exception as error:
        reason = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
        found = f"cannot be read as {_ABOUT[kind][1]}{reason}"
        hint = "Open it in the program that made it and save it again, or as CSV"
        raise FormatError(found, where=where, hint=hint) from error


def read_rows(
    kind: str, stream: BinaryIO, where: str, limits: TableLimits
) -> Generator[Any, None, None]:
    """Yield the names of the sheets and the schema that a file has, and then its rows.

    A process of its own reads it, which is killed at its limits. Formulas have their saved values.
    """
    _library(kind)
    with ExitStack() as stack:
        try:
            number = stream.fileno()
        except OSError:
            copy = stack.enter_context(TemporaryFile())
            copyfileobj(stream, copy)
            copy.flush()
            number = copy.fileno()
        size = os.fstat(number).st_size >> 20
        about = [kind, where, asdict(limits), limits.seconds + 2 * size, limits.memory + 16 * size]
        code = "from ists_asp.io.sheets import serve; serve()"
        with deaf(copied=True):
            process = Popen(
                # The working folder may have modules of strangers.
                [sys.executable, "-P", "-c", code, json.dumps(about)],
                stdin=number,
                stdout=PIPE,
                stderr=DEVNULL,
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
                return
            yield from value


def serve() -> None:
    """The process that reads a file, which is its standard input, and sends its rows in batches."""
    kind, where, limits, seconds, memory = json.loads(sys.argv[1])
    end_after(seconds)
    limit_memory(memory << 20)
    # What libraries print is no row.
    out = Connection(os.dup(1), readable=False)
    os.dup2(2, 1)

    try:
        with os.fdopen(0, "rb") as stream, _readable(kind, where):
            stream.seek(0)
            rows = _READERS[kind](stream, where, TableLimits(**limits))
            out.send(("rows", [next(rows)]))
            rows = _to_last(rows, os.fstat(stream.fileno()).st_size, where, TableLimits(**limits))
            while batch := list(islice(rows, _SENT)):
                out.send(("rows", batch))
        out.send(("end", None))
    except MemoryError:
        # What is left in memory may not suffice to say so.
        os._exit(1)
    except IstsError as error:
        out.send(("error", error))


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


def _excel(stream: BinaryIO, where: str, limits: TableLimits) -> Iterator[Any]:
    reading = _library("xlsx", ".worksheet._read_only")
    unescape = _library("xlsx", ".utils.escape").unescape
    _check_archive(stream, where, limits)

    class Parser(reading.WorkSheetParser):  # type: ignore[misc, name-defined]
        """Parses sheets; a cell that cannot be read is no reason to read no other."""

        def parse_row(self, row: Any) -> Any:  # noqa: ANN401
            number, cells = super().parse_row(row)
            limits.check("rows", number, f"a row with the number {number}", where)
            return number, cells

        def parse_cell(self, element: Any) -> Any:  # noqa: ANN401
            try:
                return super().parse_cell(element)
            except _ODD:
                # It is told with its place, and costs its row.
                column = max(1, self.col_counter)
                return {"row": self.row_counter, "column": column, "value": Unread()}

    reading.WorkSheetParser = Parser
    book = _library("xlsx").load_workbook(stream, read_only=True, data_only=True)
    sheet = book.worksheets[0]
    yield book.sheetnames, None
    # What a sheet says of its size may be wrong.
    sheet.reset_dimensions()
    for row in sheet.iter_rows(values_only=True):
        cells = row[: limits.columns + 1]
        yield [unescape(cell) if type(cell) is str else cell for cell in cells]


def _libre(stream: BinaryIO, where: str, limits: TableLimits) -> Iterator[Any]:
    _check_archive(stream, where, limits)
    stream.seek(0)

    def value_of(cell: Any) -> object:  # noqa: ANN401
        try:
            value = cell.get_value()
            if isinstance(value, Decimal):
                return int(value) if value == value.to_integral_value() else float(value)
            return Unread() if value is None and cell.type else value
        except _ODD:
            return Unread()

    # Whether a row is empty is seen by the values of its cells, too.
    _library("ods").Cell.value = property(value_of)
    tables = _library("ods").Document(BytesIO(stream.read())).body.tables
    yield [table.name for table in tables], None
    sheet = tables[0]
    sheet.rstrip(aggressive=True)
    limits.check("rows", sheet.height, f"{sheet.height} rows, blank ones included", where)
    for row in sheet.iter_rows():
        limits.check("columns", row.width, f"{row.width} cells in a row", where)
        yield [cell.value for cell in row.get_cells()]


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
    yield [], file.schema_arrow
    for batch in file.iter_batches(_BATCH, groups):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def read_groups(
    stream: BinaryIO, where: str, limits: TableLimits, groups: Sequence[int]
) -> Generator[Any, None, None]:
    """As :func:`read_rows`, some groups of rows of a Parquet file, in this process."""
    _library("parquet")
    with _readable("parquet", where):
        yield from _parquet(stream, where, limits, groups)


_READERS = {"xlsx": _excel, "ods": _libre, "parquet": _parquet}


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
