"""Files that libraries read and write: workbooks, pages of HTML, quizzes, Parquet.

The libraries come with the extra ``[tables]``. A process of its own reads and edits files of
strangers; it is killed at its limits.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from io import BytesIO
from itertools import islice, repeat
from multiprocessing.connection import Connection
from shutil import copyfileobj
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from ists_asp.errors import DataError, FormatError, IstsError, UsageError, shortened
from ists_asp.io.columns import Cells, find_header
from ists_asp.io.delimited import Put
from ists_asp.io.edits import EDITORS, ILLEGAL, legal, sheet_value
from ists_asp.io.quizzes import QUIZZES
from ists_asp.io.text import Warn, ignore
from ists_asp.io.workbooks import READERS, Notes, Sheet, library, readable
from ists_asp.limits import SMALL, TableLimits
from ists_asp.processes import OUT_OF_TIME, deaf, end_after, ending, heard, limit_memory

_BATCH = 5000  # rows of Parquet that are read or written at a time
_SENT = 500  # rows that are sent together
HEAD = 20  # rows among which titles are looked for


def read_rows(
    kind: str,
    stream: BinaryIO,
    where: str,
    limits: TableLimits,
    how: Mapping[str, Any],
    warn: Warn = ignore,
) -> Generator[Any, None, None]:
    """Yield the name of a sheet, those of others, and the schema that a file has; then its rows.

    A process of its own sends them. By ``how`` the ``sheet`` has that name or number; None is the
    first visible one with columns of these ``titles``, or of usual ones. Cells are as the sheet
    shows them; formulas have the values that were saved with them. What is odd is warned of at the
    end.
    """
    library(kind)
    with ExitStack() as stack:
        try:
            number = stream.fileno()
        except OSError:
            copied = stack.enter_context(TemporaryFile())
            copyfileobj(stream, copied)
            copied.flush()
            number = copied.fileno()
        size = os.fstat(number).st_size >> 20
        seconds, memory = limits.seconds + 2 * size, limits.memory + 16 * size
        about = json.dumps([kind, where, asdict(limits), seconds, memory, how])
        with deaf(copied=True):
            process = Popen(
                # The working folder may have modules of strangers.
                [sys.executable, "-P", "-c", f"from {__name__} import serve; serve()", about],
                stdin=number,
                stdout=PIPE,
                stderr=DEVNULL,
                pass_fds=how.get("edit", ()),
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
                    found = f"reading takes more than {seconds} s of processor time"
                    raise limits.error("seconds", found, where) from None
                found = f"reading takes more than {memory} MB, or {ending(status)}"
                raise limits.error("memory", found, where) from None
            if kind == "error":
                raise value
            if kind == "end":
                for note in value:
                    warn(f"{where}: {note}")
                return
            yield from value


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
        how = {"edit": (orders.fileno(), result.fileno())}
        list(read_rows(kind, stream, where, allowed, how))
        result.seek(0)
        copyfileobj(result, output)


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
        with os.fdopen(0, "rb") as stream, readable(kind, where):
            stream.seek(0)
            if "edit" in how:
                orders, result = (os.fdopen(number, "r+b") for number in how["edit"])
                orders.seek(0)
                EDITORS[kind](stream, json.load(orders), result)
                result.flush()
            else:
                rows: Iterator[Any]
                if kind == "parquet":
                    rows = _parquet(stream, where, bounds)
                else:
                    rows = _chosen((READERS | QUIZZES)[kind](stream, where, bounds, notes), **how)
                out.send(("rows", [next(rows)]))
                rows = _to_last(rows, os.fstat(stream.fileno()).st_size, where, bounds)
                while batch := list(islice(rows, _SENT)):
                    out.send(("rows", batch))
        out.send(("end", notes.texts()))
    except (MemoryError, SystemError):
        # What is left in memory may not suffice to say so; Python errs then, too.
        os._exit(1)
    except IstsError as error:
        error.where = error.where or where
        out.send(("error", error))


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
            if size > SMALL:
                limits.check_unpacked(size, packed, where)
            limits.check("blank", blanks, f"{blanks} blank rows before row {number}", where)
            yield from repeat((), blanks)
            yield row
            blanks = 0
        else:
            blanks += 1


def _parquet(
    stream: BinaryIO, where: str, limits: TableLimits, groups: Sequence[int] | None = None
) -> Iterator[Any]:
    """The schema of a Parquet file, and the rows of some or all groups, read in batches."""
    file = library("parquet", ".parquet").ParquetFile(stream)
    metadata = file.metadata
    if groups is None:
        limits.check("rows", metadata.num_rows, f"{metadata.num_rows} rows", where)
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
    library("parquet")
    with readable("parquet", where):
        yield from _parquet(stream, where, limits, groups)


@contextmanager
def writing_excel(stream: BinaryIO, columns: Sequence[str]) -> Iterator[Put]:
    """Write a workbook of one sheet; text stays text, whatever it begins with."""
    book = library("xlsx").Workbook(write_only=True)
    cell_of = library("xlsx", ".cell").WriteOnlyCell
    sheet = book.create_sheet("ists-asp")

    def text_cell(text: str) -> object:
        cell = cell_of(sheet, ILLEGAL.sub(lambda sign: f"_x{ord(sign[0]):04X}_", text))
        cell.data_type = "s"
        return cell

    def put(cells: Cells) -> None:
        values = map(sheet_value, cells)
        sheet.append([text_cell(value) if isinstance(value, str) else value for value in values])

    put(columns)
    yield put
    book.save(stream)


@contextmanager
def writing_libre(stream: BinaryIO, columns: Sequence[str]) -> Iterator[Put]:
    """Write a spreadsheet of one sheet, all at the end; its cells have no formulas."""
    odf = library("ods")
    document, sheet = odf.Document("spreadsheet"), odf.Table("ists-asp")
    document.body.clear()

    def put(cells: Cells) -> None:
        row = odf.Row()
        row.set_values([legal(sheet_value(cell)) for cell in cells])
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
    arrow, parquet = library("parquet"), library("parquet", ".parquet")
    rows: list[Cells] = []
    writer: Any = None

    def flush() -> None:
        nonlocal schema, writer
        values = list(zip(*rows, strict=True)) or [()] * len(columns)
        try:
            if writer is None:
                fields = {field.name: field for field in schema or ()}
                named = zip(columns, values, strict=True)
                kinds = [fields.get(name) or _field(arrow, name, of) for name, of in named]
                schema = arrow.schema(kinds, None if schema is None else schema.metadata)
                writer = parquet.ParquetWriter(stream, schema)
            writer.write(arrow.table([*map(arrow.array, values, schema.types)], schema=schema))
        except (arrow.ArrowInvalid, arrow.ArrowTypeError, OverflowError) as error:
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
