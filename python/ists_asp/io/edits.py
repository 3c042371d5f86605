"""Copies of workbooks with more columns, or with a new sheet; all else in them stays as it is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from math import isfinite
from typing import Any, BinaryIO
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

from ists_asp.errors import FormatError
from ists_asp.io.delimited import plain_value
from ists_asp.io.workbooks import letters, library
from ists_asp.limits import TableLimits

ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")  # in XML
_LARGEST = 10**15  # of larger numbers sheets forget the last digits

_ROW = re.compile(rb"<(\w+:|)row\b([^>]*?)(?:/>|>(.*?)</\1row>)", re.DOTALL)
_CELL = re.compile(rb"<(\w+:|)c\b([^>]*?)(?:/>|>.*?</\1c>)", re.DOTALL)
_PLACE = re.compile(rb"\sr=[\"']([A-Z]*)(\d+)[\"']")
_STYLE = re.compile(rb"\ss=[\"']\d+[\"']")
_SIZE = re.compile(rb"<(?:\w+:|)dimension\b[^>]*/>")
_SPANS = re.compile(rb"\sspans=[\"'][^\"']*[\"']")
_AREA = re.compile(rb"<(?:\w+:|)mergeCell [^>]*?ref=[\"']\w+:([A-Z]+)(\d+)[\"']")
_LIST = re.compile(r"^\[Content_Types\]\.xml$|workbook[^/]*\.xml(\.rels)?$", re.IGNORECASE)
_ENDS = re.compile(rb"</(\w+:|)(Types|Relationships|sheets)>")
_MACRO = "vbaProject"
_MACROS = re.compile(rb"<(?:Override|Relationship)\s[^>]*vbaProject[^>]*/>")
_ENABLED = b"ms-excel.sheet.macroEnabled"
_SHEET = "openxmlformats-officedocument.spreadsheetml.sheet"
_ID = re.compile(rb"\ssheetId=[\"'](\d+)")
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NEW = f"{_R}/worksheet"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"


def sheet_value(value: object) -> object:
    """A value as a cell of a sheet holds it: a number that no sheet can hold is text."""
    value = plain_value(value)
    long = isinstance(value, int) and abs(value) >= _LARGEST
    return str(value) if long or (isinstance(value, float) and not isfinite(value)) else value


def legal(value: object) -> object:
    """The same, with spaces for what no XML can have."""
    return ILLEGAL.sub(" ", value) if isinstance(value, str) else value


def _excel_cell(tag: str, place: str, style: str, value: object) -> bytes:
    value = legal(sheet_value(value))
    kind, shown = "b" if isinstance(value, bool) else "n", f"<{tag}v>{value}</{tag}v>"
    if isinstance(value, str):
        text = f'<{tag}t xml:space="preserve">{escape(value)}</{tag}t>'
        kind, shown = "inlineStr", f"<{tag}is>{text}</{tag}is>"
    elif isinstance(value, bool):
        shown = f"<{tag}v>{value:d}</{tag}v>"
    return f'<{tag}c r="{place}"{style} t="{kind}">{shown}</{tag}c>'.encode()


def _with_cells(xml: bytes, head: int, column: int, added: dict[int, Sequence[object]]) -> bytes:
    """The text of a sheet with cells behind a column, by the numbers of their rows."""
    index_of = library("xlsx", ".utils").column_index_from_string
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
                name = f"{letters(at - 1)}{number}"
                cells[at] = _excel_cell(tag.decode(), name, style.decode(), value)
        whole = b"".join(cells[at] for at in sorted(cells))
        return b"<%srow%s>%s</%srow>" % (tag, _SPANS.sub(b"", about), whole, tag)

    xml = _ROW.sub(put, _SIZE.sub(b"", xml))
    if added:
        raise FormatError("the rows of its sheet are not found", hint="Write .csv, with -o")
    return xml


def _plain(part: bytes) -> bytes:
    """A list of parts without macros, as a workbook that is called .xlsx may have none."""
    return _MACROS.sub(b"", part).replace(_ENABLED, _SHEET.encode())


def _edit_excel(stream: BinaryIO, change: Mapping[str, Any], output: BinaryIO) -> None:
    # As text, since the library drops what it does not know: saved values of formulas, pictures.
    book = library("xlsx").load_workbook(stream, read_only=True)
    head, number, entries = change.get("head", 1), 0, dict[bytes, str]()
    rows = {head: change["titles"], **dict(change["rows"])}
    with ZipFile(stream) as old, ZipFile(output, "w", ZIP_DEFLATED) as new:
        parts = {info: old.read(info) for info in old.infolist() if _MACRO not in info.filename}
        lists = {info: _plain(part) for info, part in parts.items() if _LIST.search(info.filename)}
        if "sheet" in change:
            path = book[change["sheet"]]._worksheet_path
            xml = old.read(path)
        else:
            while (name := f"ists-asp{number or ''}") in book.sheetnames:
                number += 1
            path = f"xl/worksheets/{name}.xml"
            blank = "".join(f'<row r="{row}"/>' for row in sorted(rows))
            xml = f'<worksheet xmlns="{_MAIN}"><sheetData>{blank}</sheetData></worksheet>'.encode()
            own = 1 + max(int(found) for part in lists.values() for found in _ID.findall(part))
            entries = {
                b"Types": f'Override PartName="/{path}" ContentType="{_TYPE}"',
                b"Relationships": f'Relationship Id="{name}" Type="{_NEW}" Target="/{path}"',
                b"sheets": f'sheet name="{name}" sheetId="{own}" xmlns:r="{_R}" r:id="{name}"',
            }

        def put(end: re.Match[bytes]) -> bytes:
            entry = entries.get(end[2])
            return end[0] if entry is None else b"<%s%s/>%s" % (end[1], entry.encode(), end[0])

        for info, part in parts.items():
            if info.filename != path:
                new.writestr(info, _ENDS.sub(put, lists[info]) if info in lists else part)
        new.writestr(path, _with_cells(xml, head, change.get("column", 0), rows))


def _edit_libre(stream: BinaryIO, change: Mapping[str, Any], output: BinaryIO) -> None:
    odf = library("ods")
    document, at = odf.Document(BytesIO(stream.read())), change.get("column", 0)
    if "sheet" in change:
        sheet = document.body.get_table(name=change["sheet"])
    else:
        sheet = odf.Table("ists-asp")
        document.body.append(sheet)
    for number, cells in [(change.get("head", 1), change["titles"]), *change["rows"]]:
        for column, value in enumerate(cells, at):
            if value is not None:
                sheet.set_value((column, number - 1), legal(value))
    saved = BytesIO()
    document.save(saved)
    output.write(saved.getvalue())


EDITORS = {"xlsx": _edit_excel, "ods": _edit_libre}
"""Editors by kind, of a stream, a change as for :func:`ists_asp.io.sheets.edit`, an output."""
