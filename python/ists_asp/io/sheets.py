"""Sheets of Excel and LibreOffice, and Parquet: rows in and rows out, by the libraries for them.

They come with the extra ``[tables]``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from ists_asp.errors import DataError, FormatError, IstsError, ResourceError

if TYPE_CHECKING:
    from ists_asp.io.text import Warn

# The values of a row, in the order of the columns; None where a cell is empty.
Cells: TypeAlias = Sequence[object]
Put: TypeAlias = Callable[[Cells], None]  # writes a row
_BATCH = 5000  # rows of Parquet that are read or written at a time
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


def read_sheet(kind: str, stream: BinaryIO, where: str, warn: Warn) -> Iterator[Cells]:
    """Yield the rows of the first sheet; formulas have the values that were saved with them."""
    _library(kind)
    with _readable(kind, where):
        names, rows = (_excel if kind == "xlsx" else _libre)(stream)
        if len(names) > 1:
            others = ", ".join(names[1:])
            warn(f"{where}: the sheet '{names[0]}' is read, and not {others}")
        yield from rows


def _excel(stream: BinaryIO) -> tuple[list[str], Iterator[Cells]]:
    unescape = _library("xlsx", ".utils.escape").unescape
    book = _library("xlsx").load_workbook(stream, read_only=True, data_only=True)
    sheet = book.worksheets[0]
    # What a sheet says of its size may be wrong.
    sheet.reset_dimensions()
    rows = (
        [unescape(cell) if isinstance(cell, str) else cell for cell in row]
        for row in sheet.iter_rows(values_only=True)
    )
    return book.sheetnames, rows


def _libre(stream: BinaryIO) -> tuple[list[str], Iterator[Cells]]:
    tables = _library("ods").Document(BytesIO(stream.read())).body.tables
    tables[0].rstrip(aggressive=True)
    rows = ([_number(cell) for cell in row] for row in tables[0].iter_values())
    return [table.name for table in tables], rows


def _number(value: object) -> object:
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == value.to_integral_value() else float(value)


def read_parquet(
    stream: BinaryIO, where: str, groups: Sequence[int] | None = None
) -> tuple[Any, Iterator[Cells]]:
    """The schema of a Parquet file, and the rows of some or all groups, read in batches."""
    _library("parquet")

    def rows() -> Iterator[Cells]:
        with _readable("parquet", where):
            for batch in file.iter_batches(_BATCH, groups):
                yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    with _readable("parquet", where):
        file = _library("parquet", ".parquet").ParquetFile(stream)
        return file.schema_arrow, rows()


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
