"""Tables as other programs write them: read rightly, or refused in one clear line."""

import bz2
import csv
import datetime
import gzip
import io
import json
import lzma

import openpyxl
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from odfdo import Document, Row
from odfdo import Table as Sheet

from ists_asp.errors import DataError, FormatError, IstsError, UsageError
from ists_asp.io.pairs import find_places, table_pairs
from ists_asp.io.tables import ABSENT, Table, added, harmless, writing

ONE, TWO = 'The bulb is "on", I think; truly', "Señor O'Brien's bulb\tis off"
HEAD = ["id", "answer", "points", "reference"]
ROWS = [["a1", ONE, "3", "It is on."], ["a2", TWO.replace("\t", " "), "", "=1+1 is two, no?"]]


def text(rows, delimiter=",", encoding="utf-8", line_end="\r\n", quoting=csv.QUOTE_MINIMAL):
    stream = io.StringIO(newline="")
    csv.writer(stream, delimiter=delimiter, lineterminator=line_end, quoting=quoting).writerows(
        rows
    )
    return stream.getvalue().encode(encoding)


def excel(rows):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def libre(rows):
    document, sheet = Document("spreadsheet"), Sheet("one")
    document.body.clear()
    for values in rows:
        row = Row()
        row.set_values(values)
        sheet.append_row(row)
    document.body.append(sheet)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def pandas_file(write):
    stream = io.BytesIO()
    write(pandas.DataFrame(ROWS, columns=HEAD), stream)
    return stream.getvalue()


def polars_parquet():
    stream = io.BytesIO()
    polars.DataFrame(ROWS, schema=HEAD, orient="row").write_parquet(stream)
    return stream.getvalue()


def arrow_parquet(compression):
    stream = io.BytesIO()
    columns = [list(column) for column in zip(*ROWS, strict=True)]
    pyarrow.parquet.write_table(pyarrow.table(columns, HEAD), stream, compression=compression)
    return stream.getvalue()


ALL = [HEAD, *ROWS]
OBJECTS = [dict(zip(HEAD, row, strict=True)) for row in ROWS]

READ = {
    "comma.csv": text(ALL),
    "unix.csv": text(ALL, line_end="\n"),
    "mac.csv": text(ALL, line_end="\r"),
    "semicolon.csv": text(ALL, ";"),
    "tab.csv": text(ALL, "\t"),
    "all-quoted.csv": text(ALL, quoting=csv.QUOTE_ALL),
    "excel-mark.csv": text(ALL, ";", "utf-8-sig"),
    "sep.csv": b"sep=;\r\n" + text(ALL, ";"),
    "utf16.csv": text(ALL, "\t", "utf-16"),
    "utf16be.csv": b"\xfe\xff" + text(ALL, ",", "utf-16-be"),
    "no-last-end.csv": text(ALL).removesuffix(b"\r\n"),
    "blank-end.csv": text(ALL) + b"\r\n,,,\r\n\r\n",
    "tabs.tsv": text(ALL, "\t", line_end="\n"),
    "quoted.tsv": text(ALL, "\t", quoting=csv.QUOTE_ALL),
    "bare.tsv": "\n".join(map("\t".join, ALL)).encode(),
    "packed.csv.gz": gzip.compress(text(ALL)),
    "packed.tsv.bz2": bz2.compress(text(ALL, "\t")),
    "packed.csv.xz": lzma.compress(text(ALL)),
    "lines.jsonl": "".join(json.dumps(one) + "\n" for one in OBJECTS).encode(),
    "unicode.ndjson": "".join(json.dumps(o, ensure_ascii=False) + "\n" for o in OBJECTS).encode(),
    "packed.jsonl.gz": gzip.compress("".join(json.dumps(o) + "\n" for o in OBJECTS).encode()),
    "pandas.csv": pandas_file(lambda frame, stream: frame.to_csv(stream, index=False)),
    "pandas.tsv": pandas_file(lambda frame, stream: frame.to_csv(stream, index=False, sep="\t")),
    "pandas.jsonl": pandas_file(
        lambda frame, stream: frame.to_json(stream, orient="records", lines=True)
    ),
    "pandas.xlsx": pandas_file(lambda frame, stream: frame.to_excel(stream, index=False)),
    "pandas.parquet": pandas_file(lambda frame, stream: frame.to_parquet(stream, index=False)),
    "polars.parquet": polars_parquet(),
    "snappy.parquet": arrow_parquet("snappy"),
    "zstd.parquet": arrow_parquet("zstd"),
    "openpyxl.xlsx": excel([HEAD, *([cell or None for cell in row] for row in ROWS)]),
    "odfdo.ods": libre([HEAD, *([cell or None for cell in row] for row in ROWS)]),
}


@pytest.fixture
def table(tmp_path):
    def opened(name, data, **options):
        path = tmp_path / name
        path.write_bytes(data)
        return Table(path, **options)

    return opened


def write_back(table, path):
    with (
        path.open("w", encoding="utf-8", newline="") as stream,
        writing(table.kind, stream, table.titles, like=table) as put,
    ):
        for row in table.rows():
            put(row.cells)


def entries(table, wanted=None):
    return list(table_pairs(table, find_places(table, wanted)))


@pytest.mark.parametrize("name", READ)
def test_tables_of_all_programs_are_read_and_come_back(table, tmp_path, name):
    read = table(name, READ[name])
    found = entries(read)
    assert list(read.columns) == HEAD
    answers = [row[1] for row in ROWS]
    pair = found[0][1]
    assert (pair.id, pair.sent1.text) == ("a1", answers[0])
    back = tmp_path / f"back.{read.kind}"
    write_back(read, back)
    again = Table(back)
    assert again.columns == read.columns
    assert [list(row.cells) for row in again.rows()] == [list(row.cells) for row, _ in found]


def test_text_comes_back_byte_by_byte(table, tmp_path):
    for name in ("comma.csv", "unix.csv", "semicolon.csv", "excel-mark.csv", "tabs.tsv"):
        read = table(name, READ[name])
        back = tmp_path / "back"
        write_back(read, back)
        assert back.read_bytes() == READ[name]


def test_values_of_other_columns_keep_their_types(table, tmp_path):
    day = datetime.datetime(2026, 11, 25, 12, 0)
    read = table("a.xlsx", excel([["s1", "s2", "when", "n", "x"], ["a b", "c", day, 7, 2.5]]))
    (row,) = read.rows()
    back = tmp_path / "b.xlsx"
    with back.open("w", newline="") as stream, writing("xlsx", stream, read.titles) as put:
        put(row.cells)
    (again,) = Table(back).rows()
    assert list(again.cells) == list(row.cells) == ["a b", "c", day, 7, 2.5]


def test_objects_may_lack_keys_and_have_lists(table, tmp_path):
    lines = '{"sent1": "a", "sent2": "b", "x": [1, {"y": null}]}\n{"sent1": "a", "sent2": "c"}\n'
    read = table("a.jsonl", lines.encode())
    first, second = read.rows()
    assert (first.cells[2], second.cells[2]) == ([1, {"y": None}], ABSENT)
    back = tmp_path / "b.jsonl"
    with back.open("w") as stream, writing("jsonl", stream, read.titles) as put:
        for row in (first, second):
            put(row.cells)
    assert back.read_text() == lines


REFUSED = {
    "latin.csv": (text(ALL, encoding="latin-1"), "latin.csv:3: this is no UTF-8 (byte 0xF1);"),
    "open.csv": (b'a,b\n"c,d\n', "open.csv:2: a cell begins with a quotation mark, and no other"),
    "one.csv": (b"only\nwords\n", "one.csv:1: 1 column; expected two columns of sentences"),
    "many.csv": (b"a,b,c,d\n", "many.csv:1: 4 columns; expected two columns of sentences"),
    "named.csv": (b"id,score,x,y\n1,2,a,b\n", "named.csv: none of the 4 columns 'id', 'score'"),
    "empty.csv": (b"", "empty.csv: the input is empty"),
    "no.xlsx": (b"PK\x03\x04", "no.xlsx: cannot be read as an Excel workbook"),
    "no.ods": (b"x", "no.ods: cannot be read as a LibreOffice sheet"),
    "no.parquet": (b"PAR1", "no.parquet: cannot be read as a Parquet file"),
    "no.csv.gz": (b"\x1f\x8b\x00", "no.csv.gz: cannot be unpacked"),
    "list.jsonl": (b'[{"sent1": "a"}]', "list.jsonl:1: JSON that is no object"),
    "a.docx": (b"x", "a.docx: no kind of table is known by this ending; expected .csv"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_in_one_line(table, tmp_path, name):
    data, message = REFUSED[name]
    with pytest.raises(IstsError) as caught:
        entries(table(name, data))
    told = str(caught.value).replace(f"{tmp_path}/", "")
    assert told.startswith(message)
    assert "\n" not in told
    assert isinstance(caught.value, FormatError | DataError | UsageError)


def test_an_encoding_can_be_named(table):
    data = text(ALL, encoding="cp1252")
    assert len(entries(table("a.csv", data, encoding="cp1252"))) == 2
    with pytest.raises(UsageError, match="there is no encoding 'cp1252x'"):
        table("a.csv", data, encoding="cp1252x")


def test_faulty_rows_keep_their_cells_and_their_places(table):
    data = b"id,s1,s2,n\n1,a,b,x\n\n3,,b,y\n4,a\n5,a,b,c,d\n5,a,b,z\n,a,b,q\n5,a,b,w\n"
    found = entries(table("a.csv", data))
    faults = [(row.number, str(fault)) for row, fault in found if isinstance(fault, DataError)]
    assert [number for number, _ in faults] == [3, 4, 5, 6, 8, 9]
    starts = [
        "an empty row",
        "s1 is empty",
        "2 cells",
        "5 cells",
        "an empty id",
        "the id '5' again",
    ]
    assert [start in told for start, (_, told) in zip(starts, faults, strict=True)] == [True] * 6
    assert [list(row.cells) for row, _ in found][2] == ["3", "", "b", "y"]


def test_columns_by_name_by_number_and_with_a_header_of_any_names(table):
    data = b"code,first,second,note\nx,a cat,a dog,n\n"
    wanted = {"sent1": "first", "sent2": "3", "id": "code"}
    read = table("a.csv", data, header=True)
    ((_, pair),) = entries(read, wanted)
    assert (pair.id, pair.sent1.text, pair.sent2.text) == ("x", "a cat", "a dog")
    with pytest.raises(UsageError, match=r"there is no column 'third' in .*; expected code, first"):
        find_places(read, {"sent1": "third", "sent2": "second"})
    with pytest.raises(UsageError, match="expected --sent2-col as well"):
        find_places(read, {"sent1": "first"})
    bare = table("b.csv", b"7,9,a cat,a dog\n")
    assert [pair.sent1.text for _, pair in entries(bare, {"sent1": "3", "sent2": "4"})] == ["a cat"]


def test_columns_of_ours_have_names_of_their_own():
    assert added(["rating", "x"], ["rating", "error"]) == ["ists_rating", "error"]


@pytest.mark.parametrize("value", ["=1+1", "+1", "-x", "@a", "\tx", '=HYPERLINK("x")'])
def test_text_of_ours_is_no_formula(value, tmp_path):
    assert harmless(value) == f"'{value}"
    assert (harmless(-1.5), harmless("a=b"), harmless(None)) == (-1.5, "a=b", None)
    path = tmp_path / "a.xlsx"
    with path.open("w", newline="") as stream, writing("xlsx", stream, ["x"]) as put:
        put([value])
    cell = openpyxl.load_workbook(path).active["A2"]
    assert (cell.data_type, cell.value) == ("s", value)
