""""""

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
from ists_asp.io.formats import ANSWERS, Outcome, answer_record, format_answer
from ists_asp.io.pairs import find_places, read_sts, table_pairs
from ists_asp.io.tables import ABSENT, Table, added, harmless, writing, writing_behind
from ists_asp.io.text import make_sentence
from ists_asp.model import Alignment, Answer, Chunk, Label, Pair, Tag
from ists_asp.terminal import display_width
from tests.tables import read_table

ANSWER = Answer(
    Pair("7", make_sentence(["Ein", "日本", "“b”", "."]), make_sentence(["a", "b", "c"])),
    (Chunk(1, 2), Chunk(3, 3), Chunk(4, 4)),
    (Chunk(1, 1), Chunk(2, 3)),
    (
        Alignment((1, 2), (1, 3), Label.SPE1, 4.0, frozenset({Tag.POL, Tag.FACT})),
        Alignment((3,), (2,), Label.EQUI, 5.0),
        Alignment((4,), (), Label.NOALI, None),
    ),
    (12, 3),
    True,
)


def tsv(data):
    return list(read_table(io.BytesIO(data), "tsv", name="t"))


def jsonl(text):
    return list(read_table(io.BytesIO(text.encode()), "jsonl", name="j"))


def test_tsv_with_and_without_ids():
    for data, identifier in ((b"a b\tc  d\n", "1"), (b"x  7\ta b\tc d\n", "x 7")):
        (pair,) = tsv(data)
        assert (pair.id, pair.sent1.text, pair.sent2.text) == (identifier, "a b", "c d")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\n", "t:1: 1 column; expected two columns of sentences"),
        (b"a\tb\n \nc\td\n", "t:2: an empty row"),
        (b"a\tb\n1\t2\t3\t4\n", "t:2: 4 cells; expected 2, as before"),
        (b"1\ta\tb\n2\tc\n", "t:2: 2 cells; expected 3, as before"),
        (b"a\t \n", "t:1: sentence 2 is empty"),
        (b"i\ta\tb\ni\tc\td\n", "t:2: the id 'i' again, first at t:1"),
        (b" \ta\tb\n", "t:1: an empty id"),
    ],
)
def test_faulty_tsv(data, message):
    with pytest.raises(DataError) as caught:
        tsv(data)
    assert str(caught.value).startswith(message)


HEADERS = [
    *("sentence1\tsentence2", "id\tsentence1\tsentence2", "text_a\ttext_b"),
    *("Sent 1\tSent 2\tscore", "premise\thypothesis", "pairID\ta\tb"),
    *("score\tquestion1\tquestion2", "idx\ttext_a\ttext_b\tlabel", "Oración 1\tORACION_2"),
    *("Respuesta\tReferencia", "note\tanswer\treference", "answer\tModel answer\tid"),
]


@pytest.mark.parametrize("header", HEADERS)
def test_a_row_of_usual_names_is_no_pair(header):
    cells = ["x"] * header.count("\t") + ["y"]
    (pair,) = tsv(f"{header}\n{chr(9).join(cells)}\n".encode())
    assert (pair.sent1.text, pair.id in ("2", "x", "y")) == ("x", True)


@pytest.mark.parametrize(
    "line",
    ["a text\ta sentence", "1\ttext\ttext 2 b", "text\ta b", "id\tb", "s\ttext a b", "no\ta\tb"],
)
def test_sentences_that_name_no_columns_are_a_pair(line):
    assert len(tsv(f"{line}\n".encode())) == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a cat,a dog", "t:1: commas, but no tab; expected columns that tabs separate"),
        ('"a cat, black";"a dog"', "t:1: semicolons, but no tab"),
        ("sentence1,sentence2", "t:1: commas, but no tab"),
    ],
)
def test_other_separators_are_named_once(line, message):
    with pytest.raises(FormatError) as caught:
        tsv(f"{line}\n".encode() * 50)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (['"A cat, black"\t"a dog"', '"one"\t"two"'], "A cat, black"),
        (['"He said ""no"""\tplain'], 'He said "no"'),
        (['x\t"two\nlines"', "y\tz"], "x"),
    ],
)
def test_cells_in_quotes_are_read_without_them(lines, sentence):
    pairs = tsv("\n".join(lines).encode())
    assert (len(pairs), pairs[0].sent1.text) == (len(lines), sentence)


@pytest.mark.parametrize("line", ['"Go !"\the said', '"a" or "b"\t"c" or "d"', "''a''\t'b'"])
def test_sentences_may_have_quotes(line):
    (pair,) = tsv(line.encode())
    assert [pair.sent1.text, pair.sent2.text] == line.split("\t")


def test_sts():
    (found,) = read_sts(io.BytesIO(b"3.25\ta b\tc\n"))
    assert (found.score, found.pair.id, found.pair.sent1.text) == (3.25, "1", "a b")
    for line in (b"x\ta\tb\n", b"nan\ta\tb\n", b"a\tb\n"):
        with pytest.raises(DataError, match=r"^<stdin>:1: "):
            list(read_sts(io.BytesIO(line)))


def test_jsonl_reads_chunks_and_ids():
    pairs = jsonl(
        '{"sent1": "a b c", "sent2": "d", "id": 9, "chunks1": [[1, 2], [3, 3]], '
        '"chunks2": [[1, 1]]}\n'
        '{"sent1": "a\\u0000b \\ud800", "sent2": "d"}\n'
    )
    assert pairs[0].id == "9"
    assert pairs[0].sent1.chunks == (Chunk(1, 2), Chunk(3, 3))
    assert pairs[0].sent2.chunks == (Chunk(1, 1),)
    assert (pairs[1].id, pairs[1].sent1.text) == ("2", "a b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "j:1: no valid JSON at column 2"),
        ("", "j:1: an empty line; expected one object a line"),
        ("[1]", "j:1: JSON that is not an object"),
        ('{"sent1": "a", "sent2": [3]}', "j:1: 'sent2' is not a string"),
        ('{"sent1": "a", "sent2": " "}', "j:1: sent2 is empty"),
        ('{"sent1": "a", "sent2": "b", "id": true}', "j:1: the id True"),
        ('{"sent1": "a", "sent2": "b", "chunks2": [[1]]}', "j:1: [1] in 'chunks2'"),
        ('{"sent1": "a", "sent2": "b", "chunks2": [[1, 1]]}', "j:1: 'chunks2' without 'chunks1'"),
        ('{"sent1": "a b", "sent2": "b", "chunks1": [[2, 2]]}', "j:1: [2, 2] in 'chunks1'"),
        ('{"sent1": "a b", "sent2": "b", "chunks1": [[1, 1]]}', "j:1: 'chunks1' does not reach"),
        ('{"sent1": "a b", "sent2": "b", "chunks1": []}', "j:1: 'chunks1' does not reach"),
        ('{"sent1": "a", "sent2": "b", "chunks1": [[1, 999999999]]}', "j:1: [1, 999999999]"),
        ("[" * 100_000, "j:1: no valid JSON"),
        (
            '{"sent1": "a", "sent2": "b"}\n{"sent1": "a", "sent2": "b", "id": "1"}',
            "j:2: the id '1' again",
        ),
    ],
)
def test_faulty_jsonl(text, message):
    with pytest.raises(DataError) as caught:
        jsonl(text + "\n")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"sentence1": "a", "text_b": "b"}',
            "j: none of the 2 columns 'sentence1', 'text_b' is known to hold sentences; expected "
            "two columns of sentences, with or without one of ids",
        ),
        ('{"sent1": "a"}', "j: none of the 1 column 'sent1' is known"),
        ("{}", "j: 0 columns"),
        ("[1]", "j:1: JSON that is not an object; expected one object a line. Write each object"),
        (
            "[",
            "j:1: no valid JSON at column 2 (Expecting value); expected one object a line. Write",
        ),
    ],
)
def test_json_of_other_programs_is_refused_once(text, message):
    with pytest.raises(FormatError) as caught:
        jsonl(f"{text}\n" * 50)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_jsonl_answer():
    line = ANSWERS["jsonl"].write(Outcome(ANSWER.pair, [ANSWER]))
    assert line.endswith("\n")
    assert line.count("\n") == 1
    record = json.loads(line)
    assert record["chunks2"] == [[1, 1], [2, 3]]
    assert record["alignments"][0] == {
        "tokens1": [1, 2],
        "tokens2": [1, 3],
        "text1": "Ein 日本",
        "text2": "a c",
        "label": "SPE1",
        "tags": ["FACT", "POL"],
        "score": 4.0,
    }
    assert record["alignments"][2]["score"] is None
    assert (record["cost"], record["optimal"]) == ([12, 3], True)
    assert jsonl(line)[0].sent1.chunks == ANSWER.chunks1
    assert record["knowledge"] == []
    assert answer_record(ANSWER, 2, ["lexicon"])["knowledge"] == ["lexicon"]


def test_readable_answer_lines_up():
    assert format_answer(ANSWER) == (
        "Pair 7\n"
        "  1: Ein 日本 “b” .\n"
        "  2: a b c\n"
        "  Ein 日本  SPE1_FACT_POL 4  a … c\n"
        "  “b”       EQUI 5           b\n"
        "  Not aligned in 1: .\n"
    )
    assert display_width("e\u0301日") == 3


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


@pytest.mark.parametrize("kind", ["csv", "tsv", "xlsx", "ods", "parquet"])
def test_keys_that_objects_lack_are_empty_cells(kind, table, tmp_path):
    lines = b'{"sent1": "a", "sent2": "b", "chunks1": [[1, 1]]}\n{"sent1": "a", "sent2": "c"}\n'
    read, back = table("a.jsonl", lines), tmp_path / f"b.{kind}"
    with (
        back.open("w", newline="") as stream,
        writing_behind(kind, stream, ["rating"], read) as put,
    ):
        for row in read.rows():
            put(row.cells, [1.5])
    assert [bool(row.cells[2]) for row in Table(back).rows()] == [True, False]


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
    "list.jsonl": (b'[{"sent1": "a"}]', "list.jsonl:1: JSON that is not an object"),
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
