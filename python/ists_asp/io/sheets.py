"""Files that libraries read and write: workbooks, pages of HTML, quizzes, Parquet.

The extra ``[tables]`` has the libraries. Foreign files are read in a process with limits.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from functools import partial
from html import escape
from io import BytesIO
from itertools import islice, repeat
from math import isfinite
from multiprocessing.connection import Connection
from shutil import copyfileobj
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryFile
from typing import Any, BinaryIO, TypeAlias
from xml.etree import ElementTree
from zipfile import ZIP_DEFLATED, ZipFile

from ists_asp.errors import DataError, FormatError, IstsError, UsageError, shortened
from ists_asp.io import workbooks as w
from ists_asp.io.columns import Cells, find_header
from ists_asp.io.delimited import Put, plain_value
from ists_asp.io.text import plain
from ists_asp.limits import SMALL, TableLimits
from ists_asp.processes import OUT_OF_TIME, deaf, end_after, ending, heard, limit_memory

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # in XML
_LARGEST = 10**15  # of larger numbers sheets forget the last digits
_ROW = re.compile(rb"<(\w+:|)row\b([^>]*?)(?:/>|>(.*?)</\1row>)", re.DOTALL)
_CELL = re.compile(rb"<(\w+:|)c\b([^>]*?)(?:/>|>.*?</\1c>)", re.DOTALL)
_PLACE = re.compile(rb"\sr=[\"']([A-Z]*)(\d+)")
_STYLE = re.compile(rb"\ss=[\"']\d+[\"']")
_SIZE = re.compile(rb"<(?:\w+:|)dimension\b[^>]*/>")
_SPANS = re.compile(rb"\sspans=[\"'][\d: ]*[\"']")
_AREA = re.compile(rb"<(?:\w+:|)mergeCell [^>]*?ref=[\"']\w+:([A-Z]+)(\d+)")
_LIST = re.compile(r"\[Content_Types\]\.xml|.*\bworkbook\d*\.xml(?:\.rels)?", re.IGNORECASE)
_ENDS = re.compile(rb"</(\w+:|)(Types|Relationships|sheets)>")
_MACROS = re.compile(rb"<(?:Override|Relationship)\s[^>]*vbaProject[^>]*/>")
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_EXCEL = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_ENABLED = b"application/vnd.ms-excel.sheet.macroEnabled"
_ID = re.compile(rb"\ssheetId=[\"'](\d+)")
_BATCH = 5000  # rows of Parquet that are read or written at a time
_SENT = 500  # rows that are sent together


def read_rows(
    kind: str,
    stream: BinaryIO,
    where: str,
    limits: TableLimits,
    how: Mapping[str, Any],
    take: Callable[[list[w.Note]], object] = lambda _notes: None,
) -> Generator[Any, None, None]:
    """Yield a sheet's name, the other sheets' names and the file's schema; then the rows.

    A separate process reads them. ``how`` chooses a ``sheet`` by name or number, or the first
    visible one with these ``titles`` or usual ones. Cells are as the sheet displays them, formulas
    have their saved values. At the end ``take`` gets notes about odd cells.
    """
    w.library(kind)
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
                    found = "reading stopped early for an unknown reason"
                    raise FormatError(found, where=where, hint="Save it as CSV") from None
                if status == OUT_OF_TIME:
                    found = f"reading takes more than {seconds} s of processor time"
                    raise limits.error("seconds", found, where) from None
                found = f"reading takes more than {memory} MB, or {ending(status)}"
                raise limits.error("memory", found, where) from None
            if kind == "error":
                raise value
            if kind == "end":
                take(value)
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

    A ``change`` has the ``titles`` and numbered ``rows``, and for columns the ``sheet``, the number
    of its row of titles (``head``), and the ``column`` before them.
    """
    with TemporaryFile() as orders, TemporaryFile() as result:
        orders.write(json.dumps(change, default=str).encode())
        orders.flush()
        # An edited file is in memory as a whole.
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
    # Output that libraries print is no row.
    out = Connection(os.dup(1), readable=False)
    os.dup2(2, 1)
    bounds, notes = TableLimits(**limits), w.Notes()

    try:
        with os.fdopen(0, "rb") as stream, w.readable(kind, where):
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
                    rows = _chosen((w.READERS | QUIZZES)[kind](stream, where, bounds, notes), **how)
                out.send(("rows", [next(rows)]))
                rows = _to_last(rows, os.fstat(stream.fileno()).st_size, where, bounds)
                while batch := list(islice(rows, _SENT)):
                    out.send(("rows", batch))
        out.send(("end", notes.all()))
    except (MemoryError, SystemError):
        # Too little memory may be left for a message; Python may fail, too.
        os._exit(1)
    except IstsError as error:
        error.where = error.where or where
        out.send(("error", error))


def _chosen(sheets: Sequence[w.Sheet], sheet: str | None, titles: Sequence[str]) -> Iterator[Any]:
    """The rows of the sheet of that name or number, or of the first one with the columns."""
    visible = [item for item in sheets if item.visible] or sheets
    names = [item.name for item in visible]
    if sheet is not None:
        named = [item for item in sheets if item.name == sheet]
        if not named and sheet.isdecimal() and 1 <= int(sheet) <= len(visible):
            named = [visible[int(sheet) - 1]]
        if not named:
            found = f"there is no sheet '{shortened(sheet)}'"
            raise UsageError(found, where="--sheet", expected=shortened(", ".join(names), 200))
        visible, names = named, [named[0].name]
    best: tuple[int, w.Sheet, list[Cells]] | None = None
    for item in visible:
        head = list(islice(item.rows, w.HEAD))
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
    file = w.library("parquet", ".parquet").ParquetFile(stream)
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
    w.library("parquet")
    with w.readable("parquet", where):
        yield from _parquet(stream, where, limits, groups)


def _value(value: object) -> object:
    """A value as a cell of a sheet holds it: a number that no sheet can hold is text."""
    value = plain_value(value)
    long = isinstance(value, int) and abs(value) >= _LARGEST
    return str(value) if long or (isinstance(value, float) and not isfinite(value)) else value


def _legal(value: object) -> object:
    """The same, with spaces for what no XML can have."""
    return _ILLEGAL.sub(" ", value) if isinstance(value, str) else value


@contextmanager
def writing_excel(stream: BinaryIO, columns: Sequence[str]) -> Iterator[Put]:
    """Write a workbook of one sheet; text stays text, whatever it begins with."""
    book = w.library("xlsx").Workbook(write_only=True)
    cell_of = w.library("xlsx", ".cell").WriteOnlyCell
    sheet = book.create_sheet("ists-asp")

    def text_cell(text: str) -> object:
        cell = cell_of(sheet, _ILLEGAL.sub(lambda sign: f"_x{ord(sign[0]):04X}_", text))
        cell.data_type = "s"
        return cell

    def put(cells: Cells) -> None:
        values = map(_value, cells)
        sheet.append([text_cell(value) if isinstance(value, str) else value for value in values])

    put(columns)
    yield put
    book.save(stream)


@contextmanager
def writing_libre(stream: BinaryIO, columns: Sequence[str]) -> Iterator[Put]:
    """Write a spreadsheet of one sheet, all at the end; its cells have no formulas."""
    odf = w.library("ods")
    document, sheet = odf.Document("spreadsheet"), odf.Table("ists-asp")
    document.body.clear()

    def put(cells: Cells) -> None:
        row = odf.Row()
        row.set_values([_legal(_value(cell)) for cell in cells])
        sheet.append_row(row)

    put(columns)
    yield put
    document.body.append(sheet)
    saved = BytesIO()
    document.save(saved)
    stream.write(saved.getvalue())


def _excel_cell(tag: str, place: str, style: str, value: object) -> bytes:
    kind, content = "n", f"<{tag}v>{value}</{tag}v>"
    if isinstance(value := _legal(_value(value)), str):
        text = f'<{tag}t xml:space="preserve">{escape(value, quote=False)}</{tag}t>'
        kind, content = "inlineStr", f"<{tag}is>{text}</{tag}is>"
    return f'<{tag}c r="{place}"{style} t="{kind}">{content}</{tag}c>'.encode()


def _with_cells(xml: bytes, head: int, column: int, added: dict[int, Sequence[object]]) -> bytes:
    """The text of a sheet with cells behind a column, by the numbers of their rows."""
    index_of = w.library("xlsx", ".utils").column_index_from_string
    areas = ((index_of(area[1].decode()), int(area[2])) for area in _AREA.finditer(xml))
    ends = (end for end, last in areas if last >= head and end <= TableLimits().columns)
    column, number = max(column, *ends, 0), 0

    def put(row: re.Match[bytes]) -> bytes:
        nonlocal number
        tag, about, content = row.groups()
        place, cells, at, style = _PLACE.search(about), dict[int, bytes](), 0, b""
        number = int(place[2]) if place else number + 1
        if (values := added.pop(number, None)) is None:
            return row[0]
        for cell in _CELL.finditer(content or b""):
            place = _PLACE.search(cell[2])
            at = index_of(place[1].decode()) if place else at + 1
            cells[at] = cell[0]
            if number == head and at <= column:
                style = b"".join(_STYLE.findall(cell[2]))
        for at, value in enumerate(values, 1 + column):
            if value is not None:
                name = f"{w.letters(at - 1)}{number}"
                cells[at] = _excel_cell(tag.decode(), name, style.decode(), value)
        joined = b"".join(cells[at] for at in sorted(cells))
        return b"<%srow%s>%s</%srow>" % (tag, _SPANS.sub(b"", about), joined, tag)

    xml = _ROW.sub(put, _SIZE.sub(b"", xml))
    if added:
        raise FormatError("the rows of its sheet are not found", hint="Write .csv, with -o")
    return xml


def _edit_excel(stream: BinaryIO, change: Mapping[str, Any], output: BinaryIO) -> None:
    # As text, since the library drops what it does not know: saved values of formulas, pictures.
    book, number = w.excel_book(stream), 0
    head, column, added = change.get("head", 1), change.get("column", 0), dict[bytes, str]()
    rows = {head: change["titles"], **dict(change["rows"])}
    with ZipFile(stream) as old, ZipFile(output, "w", ZIP_DEFLATED) as new:
        if "sheet" in change:
            path = book[change["sheet"]]._worksheet_path
            xml = old.read(path)
        else:
            while (name := f"ists-asp{number or ''}") in book.sheetnames:
                number += 1
            path, is_one = f"xl/worksheets/{name}.xml", f'Type="{_OFFICE}/worksheet"'
            blank = "".join(f'<row r="{row}"/>' for row in sorted(rows))
            xml = f'<worksheet xmlns="{_EXCEL}"><sheetData>{blank}</sheetData></worksheet>'.encode()
            added[b"Types"] = f'Override PartName="/{path}" ContentType="{_KIND}.worksheet+xml"'
            added[b"Relationships"] = f'Relationship Id="{name}" Target="/{path}" {is_one}'
            added[b"sheets"] = f'sheet name="{name}" sheetId="#" xmlns:r="{_OFFICE}" r:id="{name}"'

        def put(end: re.Match[bytes]) -> bytes:
            sheet_id = 1 + max(map(int, _ID.findall(end.string)), default=0)
            entry = added.get(end[2], "").replace("#", str(sheet_id)).encode()
            return b"<%s%s/>%s" % (end[1], entry, end[0]) if entry else end[0]

        for info in old.infolist():
            part = old.read(info)
            if _LIST.fullmatch(info.filename):
                # A workbook that is called .xlsx has no macros.
                part = _MACROS.sub(b"", _ENDS.sub(put, part))
                part = part.replace(_ENABLED, _KIND.encode() + b".sheet")
            if info.filename != path and "vbaProject" not in info.filename:
                new.writestr(info, part)
        new.writestr(path, _with_cells(xml, head, column, rows))


def _edit_libre(stream: BinaryIO, change: Mapping[str, Any], output: BinaryIO) -> None:
    odf = w.library("ods")
    document, at = odf.Document(BytesIO(stream.read())), change.get("column", 0)
    if "sheet" in change:
        sheet = document.body.get_table(name=change["sheet"])
    else:
        sheet = odf.Table("ists-asp")
        document.body.append(sheet)
    for number, cells in [(change.get("head", 1), change["titles"]), *change["rows"]]:
        for column, value in enumerate(cells, at):
            if value is not None:
                sheet.set_value((column, number - 1), _legal(value))
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
    """Write a Parquet file, a group of rows at a time; types are of a schema or first values."""
    arrow, parquet = w.library("parquet"), w.library("parquet", ".parquet")
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


Question: TypeAlias = tuple[str, str, list[str]]  # its name, its text, the right answers

_GIFT = re.compile(
    r"(?:::(?P<name>(?:[^:]|:(?!:))*+)::)?(?P<before>[^{]*+)\{(?P<answers>[^}]*+)\}?(?P<after>.*)",
    re.DOTALL,
)
_ASIDE = re.compile(r"^[^\S\n]*+(?://|\$CATEGORY).*$", re.MULTILINE)
_MARKUP = re.compile(r"^\s*\[(?:html|moodle|plain|markdown)\]")
_RIGHT = re.compile(r"=\s*+(?!%)(?:\[\w+\])?([^~=#]*)")  # with a weight it is right in part
_WHOLE = re.compile(r"\s*100(\.0*)?\s*")
_HIDE, _SHOW = ({"\\" + c: chr(0xE000 + n) for n, c in enumerate("~=#{}:")}, "~=#{}:")


def _quiz(
    kind: str, stream: BinaryIO, where: str, limits: TableLimits, _: w.Notes
) -> list[w.Sheet]:
    """The model answers by question: each question by its text, its name and its number."""
    quiz, rows = limits.read_all(stream, where).decode("utf-8-sig"), list[Cells]()
    for number, (name, text, answers) in enumerate(_QUIZZES[kind](quiz), 1):
        for title in dict.fromkeys((plain(text).strip(), name.strip(), str(number))):
            rows += ([title, answer] for answer in answers if title and answer)
    if not rows:
        expected = "questions with right answers, as GIFT or Moodle XML"
        raise FormatError("no model answer", where=where, expected=expected)
    return [w.Sheet("", True, iter([["question", "reference"], *rows]))]


def _gift(text: str) -> Iterator[Question]:
    for escaped, sign in _HIDE.items():
        text = text.replace(escaped, sign)
    for block in re.split(r"\n\s*\n", _ASIDE.sub("", text)):
        if (match := _GIFT.match(block.strip())) is None:
            continue
        before, after, answers = match["before"], match["after"], match["answers"].strip()
        gap = " … " if after.strip() else ""
        question = " ".join(f"{_MARKUP.sub('', before)}{gap}{after}".split())
        if answers.startswith("#"):
            # A number, with its tolerance or range.
            answers = "=" + re.sub(r":[\d.]+|\.\.[\d.]+", "", answers[1:].lstrip("="))
        elif (truth := answers.split("#")[0].strip().upper()) in ("T", "TRUE", "F", "FALSE"):
            answers = f"={'True' if truth[0] == 'T' else 'False'}"
        right = [_unescaped(answer) for answer in _RIGHT.findall(answers) if "->" not in answer]
        yield _unescaped(match["name"] or ""), _unescaped(question), right


def _unescaped(text: str) -> str:
    for number, char in enumerate(_SHOW):
        text = text.replace(chr(0xE000 + number), char)
    return plain(text.replace("\\n", "\n")).strip()


def _moodle(text: str) -> Iterator[Question]:
    if "<!ENTITY" in text:
        raise FormatError("entities of its own", expected="Moodle XML")
    try:
        root = ElementTree.fromstring(text.encode())
    except ElementTree.ParseError as error:
        raise FormatError(f"no XML: {error}", expected="Moodle XML") from None
    for item in root.iter("question"):
        if item.get("type") == "category":
            continue
        # The share in a foreign file need not be a number.
        right = [a for a in item.findall("answer") if _WHOLE.fullmatch(a.get("fraction", ""))]
        answers = [answer.findtext("text", "") for answer in (*right, *item.findall("graderinfo"))]
        name, question = (item.findtext(f"{part}/text", "") for part in ("name", "questiontext"))
        yield name, question, [plain(answer).strip() for answer in answers]


_QUIZZES = {"gift": _gift, "xml": _moodle}
QUIZZES = {kind: partial(_quiz, kind) for kind in _QUIZZES}
