"""Tables of all programs: what is read from them, what comes back, and what is refused."""

import bz2
import csv
import datetime
import gzip
import io
import json
import lzma
import math
from functools import partial
from pathlib import Path
from signal import SIGSTOP
from subprocess import Popen
from zipfile import ZipFile

import openpyxl
import pandas
import polars
import pytest
from odfdo import Document, Row
from odfdo import Table as Sheet

from ists_asp import limits
from ists_asp.errors import DataError, FormatError, IstsError, UsageError
from ists_asp.io import sheets
from ists_asp.io.columns import ABSENT, USUAL, usual
from ists_asp.io.formats import ANSWERS, Outcome, answer_record, format_answer
from ists_asp.io.pairs import find_places, read_pairs, read_sts, table_pairs
from ists_asp.io.tables import Table, added, harmless, writing, writing_behind
from ists_asp.limits import TableLimits
from ists_asp.model import Answer, Chunk
from ists_asp.terminal import display_width
from tests.fuzz import tables
from tests.sharing import alignments, cases, make_pair, read_table, refused

ANSWER = Answer(
    make_pair("Ein 日本 “b” .", "a b c", "7"),
    (Chunk(1, 2), Chunk(3, 3), Chunk(4, 4)),
    (Chunk(1, 1), Chunk(2, 3)),
    alignments("1,2~1,3 SPE1_POL_FACT 4; 3~2 EQUI 5; 4~ NOALI"),
    (12, 3),
    True,
)


SAMPLES = Path(__file__).with_name("samples")
HEADERS = [
    *("sentence1\tsentence2", "id\tsentence1\tsentence2", "text_a\ttext_b"),
    *("Sent 1\tSent 2\tscore", "premise\thypothesis", "pairID\ta\tb"),
    *("score\tquestion1\tquestion2", "idx\ttext_a\ttext_b\tlabel", "Oración 1\tORACION_2"),
    *("Respuesta\tReferencia", "note\tanswer\treference", "answer\tModel answer\tid"),
]
PLAIN = ["a text\ta sentence", "1\ttext\ttext 2 b", "text\ta b", "id\tb", "s\ttext a b", "no\ta\tb"]
ONE, TWO = 'The bulb is "on", I think; truly', "Señor O'Brien's bulb\tis off"
HEAD = ["id", "answer", "points", "reference"]
ROWS = [["a1", ONE, "3", "It is on."], ["a2", TWO.replace("\t", " "), "", "=1+1 is two, no?"]]
ALL = [HEAD, *ROWS]
SPARSE = [HEAD, *([cell or None for cell in row] for row in ROWS)]
OBJECTS = [dict(zip(HEAD, row, strict=True)) for row in ROWS]
LINES = "".join(json.dumps(record) + "\n" for record in OBJECTS).encode()
PANDAS = pandas.DataFrame(ROWS, columns=HEAD)
POLARS = polars.DataFrame(ROWS, schema=HEAD, orient="row")
ROW = b"1,a,b\n"
PAIR = ["sentence1", "sentence2"]
KEY = ["pregunta", "respuesta", "referencia"]
DAY, HALF = datetime.date(2026, 4, 3), datetime.time(14, 30)
PAGE = b"<html><body><table><tr><th>s1<th>s2</tr><tr><td>a &amp; b<br>c<td>d</table></body></html>"
DATES = "dates are read as the sheet shows them; a program may have made them of what was typed:"


def read(data, kind="tsv"):
    return list(read_table(io.BytesIO(data), kind, name="t"))


def test_a_row_of_usual_names_is_no_pair_and_other_rows_have_ids_or_none():
    for header in HEADERS:
        cells = ["x"] * header.count("\t") + ["y"]
        (pair,) = read(f"{header}\n{chr(9).join(cells)}\n".encode())
        assert (pair.sent1.text, pair.id in ("2", "x", "y")) == ("x", True), header
    for line in PLAIN:
        assert len(read(f"{line}\n".encode())) == 1, line
    for data, identifier in ((b"a b\tc  d\n", "1"), (b"x  7\ta b\tc d\n", "x 7")):
        (pair,) = read(data)
        assert (pair.id, pair.sent1.text, pair.sent2.text) == (identifier, "a b", "c d")


# Sentences may have quotes themselves.
@cases(r'''
text=                                   | count= | sentences=
'"A cat, black"\t"a dog"\n"one"\t"two"' | 2 | ["A cat, black", "a dog"]
'"He said ""no"""\tplain'               | 1 | ['He said "no"', "plain"]
'x\t"two\nlines"\ny\tz'                 | 2 | ["x", "two lines"]
'"Go !"\the said'                       | 1 | ['"Go !"', "he said"]
'"a" or "b"\t"c" or "d"'                | 1 | ['"a" or "b"', '"c" or "d"']
"''a''\t'b'"                            | 1 | ["''a''", "'b'"]
''')
def test_cells_in_quotes_are_read_without_them(text, count, sentences):
    pairs = read(text.encode())
    assert (len(pairs), [pairs[0].sent1.text, pairs[0].sent2.text]) == (count, sentences)


def test_sts():
    (rated,) = read_sts(io.BytesIO(b"3.25\ta b\tc\n"))
    assert (rated.score, rated.pair.id, rated.pair.sent1.text) == (3.25, "1", "a b")
    for line in (b"x\ta\tb\n", b"inf\ta\tb\n", b"a\tb\n"):
        refused(DataError, r"^<stdin>:1(, column 1)?: ", list, read_sts(io.BytesIO(line)))
    warnings = []
    (rated,) = read_sts(io.BytesIO(b"x\ta\tb\n3\ta\tb\n"), warnings.append, skip_bad=True)
    (warning,) = warnings
    assert (rated.score, "<stdin>:1, column 1" in warning) == (3.0, True)


def test_jsonl_reads_chunks_and_ids():
    first, second = read(
        b'{"sent1": "a b c", "sent2": "d", "id": 9, "chunks1": [[1, 2], [3, 3]], '
        b'"chunks2": [[1, 1]]}\n{"sent1": "a\\u0000b \\u0001", "sent2": "d"}\n',
        "jsonl",
    )
    assert (first.id, second.id, second.sent1.text) == ("9", "2", "a b")
    assert (first.sent1.chunks, first.sent2.chunks) == ((Chunk(1, 2), Chunk(3, 3)), (Chunk(1, 1),))


@cases(
    Path(__file__).with_name("faulty.txt"),
    # What is no TSV is refused once.
    ("tsv", "a cat,a dog\n" * 50, "t:1: commas, but no tab; expected columns that tabs separate"),
    ("tsv", '"a cat, black";"a dog"\n' * 50, "t:1: semicolons, but no tab"),
    ("jsonl", "[" * 100_000, "t:1: no valid JSON"),
)
def test_what_is_faulty_is_told_in_a_line(kind, data, message):
    with pytest.raises(DataError) as caught:
        read(data.encode(), kind)
    assert str(caught.value).startswith(message)
    if isinstance(caught.value, FormatError):
        assert "\n" not in str(caught.value)


def test_jsonl_answer():
    line = ANSWERS["jsonl"].write(Outcome(ANSWER.pair, [ANSWER]))
    assert line.index("\n") == len(line) - 1
    record = json.loads(line)
    assert record["chunks2"] == [[1, 1], [2, 3]]
    words = {"text1": "Ein 日本", "text2": "a c", "tokens1": [1, 2], "tokens2": [1, 3]}
    label = {"label": "SPE1", "tags": ["FACT", "POL"], "score": 4.0}
    assert record["alignments"][0] == words | label
    assert record["alignments"][2]["score"] is None
    assert (record["cost"], record["optimal"], record["knowledge"]) == ([12, 3], True, [])
    assert read(line.encode(), "jsonl")[0].sent1.chunks == ANSWER.chunks1
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


def text(lines, delimiter=",", encoding="utf-8", line_end="\r\n", quoting=csv.QUOTE_MINIMAL):
    stream = io.StringIO(newline="")
    how = {"delimiter": delimiter, "lineterminator": line_end, "quoting": quoting}
    csv.writer(stream, **how).writerows(lines)
    return stream.getvalue().encode(encoding)


def bytes_of(write):
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def book(*sheets, formats=(), merged=(), hidden=(), charts=()):
    """A workbook of sheets, each a name and rows, with formats of cells of the last one."""
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, *lines in sheets:
        sheet = workbook.create_sheet(name)
        for line in lines:
            sheet.append(line)
        sheet.sheet_state = "hidden" if name in hidden else "visible"
    for name in charts:
        workbook.create_chartsheet(name)
    for cell, code in formats:
        sheet[cell].number_format = code
    for cells in merged:
        sheet.merge_cells(cells)
    return bytes_of(workbook.save)


def excel(lines):
    return book(("S", *lines))


def libre(lines, *others):
    """A document of sheets: that of these lines is the last one, others have their names."""
    document = Document("spreadsheet")
    document.body.clear()
    for name, *rows_of_sheet in (*others, ("Pairs", *lines)):
        sheet = Sheet(name)
        for values in rows_of_sheet:
            row = Row()
            row.set_values(values)
            sheet.append_row(row)
        document.body.append(sheet)
    return bytes_of(document.save)


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
    "utf16le-without-mark.csv": text(ALL, "\t", "utf-16-le"),
    "utf16be.csv": b"\xfe\xff" + text(ALL, ",", "utf-16-be"),
    "no-last-end.csv": text(ALL).removesuffix(b"\r\n"),
    "blank-end.csv": text(ALL) + b"\r\n,,,\r\n\r\n",
    "tabs.tsv": text(ALL, "\t", line_end="\n"),
    "quoted.tsv": text(ALL, "\t", quoting=csv.QUOTE_ALL),
    "bare.tsv": "\n".join(map("\t".join, ALL)).encode(),
    "packed.csv.gz": gzip.compress(text(ALL)),
    "packed.tsv.bz2": bz2.compress(text(ALL, "\t")),
    "packed.csv.xz": lzma.compress(text(ALL)),
    "lines.jsonl": LINES,
    "unicode.ndjson": "".join(json.dumps(o, ensure_ascii=False) + "\n" for o in OBJECTS).encode(),
    "packed.jsonl.gz": gzip.compress(LINES),
    "pandas.csv": bytes_of(lambda out: PANDAS.to_csv(out, index=False)),
    "pandas.tsv": bytes_of(lambda out: PANDAS.to_csv(out, index=False, sep="\t")),
    "pandas.jsonl": bytes_of(lambda out: PANDAS.to_json(out, orient="records", lines=True)),
    "pandas.parquet": bytes_of(lambda out: PANDAS.to_parquet(out, index=False)),
    "polars.parquet": bytes_of(POLARS.write_parquet),
    "openpyxl.xlsx": excel(SPARSE),
    "odfdo.ods": libre(SPARSE),
}


@pytest.fixture
def table(tmp_path):
    def opened(name, data, **options):
        path = tmp_path / name
        path.write_bytes(data)
        return Table(path, **options)

    return opened


def write(path, titles, lines, **how):
    with path.open("w", newline="") as out, writing(path.suffix[1:], out, titles, **how) as put:
        for cells in lines:
            put(cells)
    return path


def cells_of(table):
    return [list(row.cells) for row in table.rows()]


def entries(table, wanted=None):
    return list(table_pairs(table, find_places(table, wanted)))


@pytest.mark.parametrize("name", READ)
def test_tables_of_all_programs_are_read_and_come_back(table, tmp_path, name):
    source = table(name, READ[name])
    lines = entries(source)
    assert list(source.columns) == HEAD
    pair = lines[0][1]
    assert (pair.id, pair.sent1.text) == ("a1", ROWS[0][1])
    cells = [list(row.cells) for row, _ in lines]
    back = write(tmp_path / f"back.{source.kind}", source.titles, cells, like=source)
    again = Table(back)
    assert (again.columns, cells_of(again)) == (source.columns, cells)
    if name in ("comma.csv", "unix.csv", "semicolon.csv", "excel-mark.csv", "tabs.tsv"):
        assert back.read_bytes() == READ[name]


@pytest.mark.parametrize(
    ("there", "ours"), [("a;2,5", "1,5"), ("a;2.5", "1.5"), ("2.1;3,4", "1,5")]
)
def test_decimals_have_the_sign_of_the_file(table, tmp_path, there, ours):
    source = table("a.csv", f"s1;s2;n;m\na;b;{there}\n".encode())
    path = tmp_path / "b.csv"
    with path.open("w", newline="") as out, writing_behind("csv", out, ["rating"], source) as put:
        for row in source.rows():
            put(row, [1.5])
    assert path.read_text().endswith(f"{there};{ours}\n")
    source = table("a.csv", b"answer\nx\ny, z\n", header=True)
    with path.open("w", newline="") as out, writing_behind("csv", out, ["rating"], source) as put:
        for row in source.rows():
            put(row, [1.5])
    assert path.read_text() == 'answer,rating\nx,1.5\n"y, z",1.5\n'


def test_values_of_other_columns_keep_their_types(table, tmp_path):
    values = ["a b", "c", datetime.datetime(2026, 11, 25, 12, 0), 7, 2.5]
    source = table("a.xlsx", excel([["s1", "s2", "when", "n", "x"], values]))
    values[2] = "2026-11-25 12:00:00"
    assert cells_of(source) == [values]
    assert cells_of(Table(write(tmp_path / "b.xlsx", source.titles, [values]))) == [values]


def test_objects_may_lack_keys_and_have_lists(table, tmp_path):
    lines = '{"sent1": "a", "sent2": "b", "x": [1, {"y": null}]}\n{"sent1": "a", "sent2": "c"}\n'
    source = table("a.jsonl", lines.encode())
    cells = cells_of(source)
    assert [line[2] for line in cells] == [[1, {"y": None}], ABSENT]
    assert write(tmp_path / "b.jsonl", source.titles, cells).read_text() == lines


@pytest.mark.parametrize("kind", ["csv", "tsv", "xlsx", "ods", "parquet"])
def test_keys_that_objects_lack_are_empty_cells(kind, table, tmp_path):
    lines = b'{"sent1": "a", "sent2": "b", "chunks1": [[1, 1]]}\n{"sent1": "a", "sent2": "c"}\n'
    source, back = table("a.jsonl", lines), tmp_path / f"b.{kind}"
    with back.open("w", newline="") as out, writing_behind(kind, out, ["rating"], source) as put:
        for row in source.rows():
            put(row.cells, [1.5])
    assert [bool(cells[2]) for cells in cells_of(Table(back))] == [True, False]


# What is read, within a limit if there is one, and what is told behind the name.
@cases(
    "limit | name | data | message",
    ("", "a.csv", text(ALL, encoding="latin-1"), ":3: this is no UTF-8 (byte 0xF1);"),
    ("", "a.csv", b'a,b\n"c,d\n', ":2: a cell begins with a quotation mark, and no other"),
    ("", "a.csv", b"only\nwords\n", ":1: 1 column; expected two columns of sentences"),
    ("", "a.csv", b"a,b,c,d\n", ":1: 4 columns; expected two columns of sentences"),
    ("", "a.csv", b"id,score,x,y\n1,2,a,b\n", ": none of the 4 columns 'id', 'score'"),
    ("", "a.csv", b"", ": the input is empty"),
    ("", "a.xlsx", b"PK\x03\x04", ": cannot be read as an Excel workbook"),
    ("", "a.ods", b"x", ": cannot be read as a LibreOffice sheet"),
    ("", "a.parquet", b"PAR1", ": cannot be read as a Parquet file"),
    ("", "a.csv.gz", b"\x1f\x8b\x00", ": cannot be unpacked"),
    ("", "a.jsonl", b'[{"sent1": "a"}]', ":1: JSON that is not an object"),
    ("", "a.docx", b"x", ": no kind of table is known by this ending; expected .csv"),
    ("rows=2", "a.csv", ROW * 3, ":3: more rows than that, blank ones included; expected at"),
    ("columns=4", "a.csv", b"1,2,3,4,5\n", ":1: a longer row; expected at most 4 columns"),
    ("columns=4", "a.jsonl", b'{"a":1,"b":1}\n{"c":1,"d":1,"e":1}\n', ":2: 5 keys; expected at"),
    ("cell=40", "a.csv", b'1,"%b",b\n' % (b"x\n" * 30), ":1: a longer cell; expected at most 40"),
    ("cell=40", "a.csv", ROW + b"2," + b"x" * 50 + b"\n", ":2: a longer line; expected at most 40"),
    ("blank=2", "a.csv", ROW + b"\n\n\n" + ROW, ":5: 3 blank rows before it; expected at most 2"),
    ("unpacked=0", "a.csv.gz", gzip.compress(ROW, mtime=0), ": 0 kB when it is unpacked"),
    (
        "ratio=9",
        "a.csv.xz",
        lzma.compress(b"1,aaaaaa,b\n" * 30_000),
        ": 264 kB when it is unpacked",
    ),
    ("rows=2", "a.xlsx", excel([["a", "b"]] * 3), ": a row with the number 3; expected at most 2"),
    ("columns=1", "a.ods", libre([["a", "b"]]), ": 2 cells in a row; expected at most 1 columns"),
    ("memory=1", "a.xlsx", excel([["a", "b"]]), ": reading takes more than 1 MB, or ended unexp"),
    ("", "a.gift", b"\n " * 90_000, ": no model answer; expected questions"),
    ("unpacked=0", "a.html", b"<table>", ": a larger file; expected at most 0 MB"),
)
def test_what_cannot_be_read_is_refused_in_one_line(
    table, tmp_path, monkeypatch, limit, name, data, message
):
    if limit:
        monkeypatch.setattr(limits, "table_limits", TableLimits.parse(limit))
    with pytest.raises(IstsError) as caught:
        entries(table(name, data))
    told = str(caught.value)
    assert told.startswith(f"{tmp_path / name}{message}")
    assert "\n" not in told
    hint = f"put --table-limits {limit.partition('=')[0]}=N before the command"
    assert told.endswith(hint) == bool(limit)


def test_a_reader_that_does_nothing_is_told_as_that(table, monkeypatch):
    def stopped(*args, **options):
        process = Popen(*args, **options)
        process.send_signal(SIGSTOP)
        return process

    monkeypatch.setattr(sheets, "Popen", stopped)
    monkeypatch.setattr(sheets, "heard", partial(sheets.heard, look=0.05, still=5))
    with pytest.raises(FormatError, match=r"a\.xlsx: reading stopped early"):
        entries(table("a.xlsx", excel([["a", "b"]])))


def test_blank_rows_at_the_end_are_not_kept(table):
    source = table("a.csv", b"1,a,b\n" + b"\n" * 50_000)
    assert [row.number for row in source.rows()] == [1]
    refused(UsageError, "'rows=x'; expected NAME=N", TableLimits.parse, "rows=x")


def test_a_cell_that_cannot_be_read_costs_its_row(table):
    cells = ['<c t="n"><v>1</v></c>', '<c t="d"><v>never</v></c>']
    rows = "".join(f"<row>{first}{cells[0] * 2}</row>" for first in (*cells, cells[0]))
    lines = list(table("a.xlsx", tables.excel(rows)).rows())
    faults = [str(row.fault).rpartition("/")[2] for row in lines if row.fault]
    assert faults == ["a.xlsx: sheet 'S', row 3: column A cannot be read"]
    assert [row.number for row in lines] == [2, 3, 4]
    cell = '<table:table-cell office:value-type="{}" office:{}="{}"/>'
    odd = [("date", "date-value", "never"), ("time", "time-value", "7"), ("float", "x", "1")]
    odd += [("float", "value", "1E999999999"), ("string", 'x="" table:number-rows-spanned', "x")]
    rows = "".join(
        f"<table:table-row>{cell.format('date', 'date-value', '2020-01-01') * 2}"
        f"{cell.format(*one)}</table:table-row>"
        for one in odd
    )
    lines = list(table("a.ods", tables.libre(rows)).rows())
    told = [str(row.fault).rpartition("/")[2] for row in lines]
    assert told == [f"a.ods: sheet 'S', row {n}: column C cannot be read" for n in range(2, 7)]


SHEETS = {
    "title.xlsx": book(("S", ["Klasse 7b"], [], PAIR, ["a", "b"])),
    "title.csv": b"Grupo 3;;\n;;\npregunta;respuesta;referencia\nx;y;z\n",
    "units.xlsx": book(("S", [*KEY, "n"], [None, "(texto)", None, "0-5"], ["x", "y", "z", 3])),
    "units2.xlsx": book(("S", [*KEY, "n"], [None, "Testo", None, "Punti"], ["x", "y", "z", 3])),
    "answer.csv": b"question,answer,reference\nx,%,z\n",
    "blank.csv": b"sentence1,sentence2\n\na,b\n,\nc,d\n\n",
    "merged.xlsx": book(
        ("S", KEY, ["x", "y", "z"], [None, "w"], ["u", "v", "t"]), merged=["A2:A3", "C2:C3"]
    ),
    "shown.xlsx": book(
        ("S", [*KEY, "n"], [True, DAY, HALF, 10.0], [0.5, 0.125, 0.75, 2.5]),
        formats=[
            *(("B2", "d/m"), ("C2", "h:mm AM/PM")),
            *(("A3", "0%"), ("B3", "0.0%"), ("C3", "# ?/?")),
        ],
    ),
    "figures.xlsx": book(
        ("S", [*KEY, "n"], [7, 12.5, -2.5, 1234.5], [28001, 3.456, 5, 6e23]),
        formats=[
            *(("A2", "000"), ("B2", '#,##0.00 "€"'), ("C2", "[$€-407] 0.00"), ("D2", "#,##0.00")),
            *(("A3", "00000"), ("B3", "0.0"), ("C3", "0.0_);[Red](0.0)"), ("D3", "0.00")),
        ],
    ),
    "unused.xlsx": book(("S", [DAY, DAY], [*PAIR, "c", "day"], ["a", "b", "c", DAY])),
    "formulas.xlsx": book(("S", PAIR, ["=A1", "b"], ["#N/A", "c"])),
    "several.xlsx": book(
        *(("Read me", ["How to mark"], ["see below"]), ("Old", PAIR, ["old", "old"])),
        *(("Marks", ["name", "total"], ["Ada", 3]), ("Pairs", PAIR, ["a", "b"])),
        hidden=["Old"],
        charts=["Chart"],
    ),
    "shown.ods": libre([KEY, ["x", DAY, True]]),
    "large.xlsx": book(("S", PAIR, ["a", 6e23])),
    "objects.csv": b'{"s1": "a", "s2": "b"}\n',
    "text.jsonl": b"s1,s2\na,b\n",
    "workbook.csv": book(("S", PAIR, ["a", "b"])),
    "page.xls": PAGE,
    "tabs.xls": b"s1\ts2\na\tb\n",
    "text.xlsx": b"s1,s2\na,b\n",
    "bars.csv": b"s1|s2\na|b, c\n",
    "again.csv": b"s1,s2\na,b\n s1,s2\nc,d\n",
    "twice.csv": b"s1,s2,s2\na,b,c\n",
    "sheet.xlsx": libre([PAIR, ["a", "b"]]),
    "beside.xlsx": book(("S", PAIR, ["a", "b", None, "n"], ["c", "d", None, None, "m"])),
    "spaced.csv": b's1, s2\na, "b, c"\n',
    "dos.csv": b"s1,s2\r\na,b\r\n\x1a",
    "commas.tsv": b's1,s2\na,"b, c"\n',
    "remarks.csv": b"# of 7b\n# by me\ns1;s2\na;b, c\n",
    "single.csv": b'answer\nx\n"y, z"\n',
    "unquoted.csv": b"answer\nx\ny, z\n",
    "packed.csv": gzip.compress(b"s1,s2\na,b\n"),
}


@cases(rf"""
name=          | expected=          | words=
"title.xlsx"   | [["a", "b"]]       | ["row 3 has the titles; what is above it is left out"]
"title.csv"    | [["x", "y", "z"]]  | ["row 3 has the titles; what is above it is left out"]
"units.xlsx"   | [["x", "y", "z", 3]] | ["row 2 has units ((texto), 0-5); left out"]
"units2.xlsx"  | [["x", "y", "z", 3]] | ["row 2 has units (Testo, Punti); left out"]
"answer.csv"   | [["x", "%", "z"]]  | []
"blank.csv"    | [["a", "b"], ["c", "d"]] | ["2 blank rows are left out, first row 2"]
"merged.xlsx"  | [["x", "y", "z"], ["x", "w", "z"], ["u", "v", "t"]]
    ["merged cells are filled down: A3 and 1 more"]
"shown.xlsx"   | [["TRUE", "3/4", "2:30 PM", 10], ["50%", "12.5%", "3/4", 2.5]] | ["{DATES}"]
"figures.xlsx" | [["007", "12.50 €", "-€ 2.50", 1234.5], ["28001", 3.456, 5, 6e23]] | []
"unused.xlsx"  | [["a", "b", "c", "2026-04-03"]]
    ["row 2 has the titles; what is above it is left out"]
"formulas.xlsx" | [[None, "b"], [None, "c"]]
    ["formulas without a stored value", "errors of formulas are read as empty: #N/A in A3"]
"several.xlsx" | [["a", "b"]]       | ["the sheet 'Pairs' is read, and not Read me, Marks"]
"shown.ods"    | [["x", "2026-04-03", "TRUE"]] | ["{DATES}"]
"large.xlsx"   | [["a", 6e23]]      | []
"objects.csv"  | [["a", "b"]]       | ["this is JSON, whatever its name, and is read as one"]
"text.jsonl"   | [["a", "b"]]       | ["this is a delimited text, whatever its name, and is read"]
"workbook.csv" | [["a", "b"]] | ["this is an Excel workbook, whatever its name, and is read as"]
"page.xls"     | [["a & b\nc", "d"]] | ["this is a page of HTML, whatever its name, and is read as"]
"tabs.xls"     | [["a", "b"]]       | []
"bars.csv"     | [["a", "b, c"]]    | []
"again.csv"    | [["a", "b"], ["c", "d"]] | ["row 3 has the titles again; left out"]
"twice.csv"    | [["a", "b", "c"]]  | ["several columns are called s2; where it is named"]
"text.xlsx"    | [["a", "b"]]       | ["this is a delimited text, whatever its name, and is read"]
"beside.xlsx"  | [["a", "b"], ["c", "d"]] | ["row 2 goes on behind the columns (n); left out"]
"spaced.csv"   | [["a", "b, c"]]    | []
"dos.csv"      | [["a", "b"]]       | []
"commas.tsv"   | [["a", "b, c"]]    | ["this is a delimited text, whatever its name, and is read"]
"remarks.csv"  | [["a", "b, c"]]    | ["row 3 has the titles; what is above it is left out"]
"single.csv"   | [["x"], ["y, z"]]  | []
"unquoted.csv" | [["x"], ["y, z"]]  | []
"packed.csv"   | [["a", "b"]]       | []
"sheet.xlsx"   | [["a", "b"]] | ["this is a LibreOffice sheet, whatever its name, and is read as"]
""")
def test_sheets_are_read_as_people_have_them(table, tmp_path, name, expected, words):
    warnings = []
    source = table(name, SHEETS[name], header=True, warn=warnings.append)
    source.tell_of(0, 1, 2)
    assert cells_of(source) == expected == cells_of(source)
    begins = [warning.removeprefix(f"{tmp_path / name}: ") for warning in warnings]
    assert [begin[: len(own)] for begin, own in zip(begins, words, strict=True)] == words


def test_what_people_do_not_see_is_left_out_and_told_once(table):
    lines = "s1\ts2\na ho\u00adtel\tun ho\u200btel\nit isnâ€™t\t<p>a &amp; b</p>\nx\u00a0y\tz\n"
    lines += "cafe\u0301\tdonʹt\n"
    source, warnings = table("a.tsv", lines.encode()), []
    read = list(table_pairs(source, find_places(source), warnings.append))
    texts = [(pair.sent1.text, pair.sent2.text) for _, pair in read]
    assert texts[:2] == [("a hotel", "un hotel"), ("it isn’t", "a & b")]
    assert texts[2:] == [("x y", "z"), ("café", "don't")]
    assert [warning.rpartition(".tsv:")[2][:20] for warning in warnings] == [
        *("2: invisible charact", "3: text in a wrong e"),
        *("3: tags or entities,", "4: no-break spaces; ", "5: letters in parts,"),
    ]


@cases("""
name          | expected=
moodle.csv    | [["Why?", "so", "because"], ["What?", "-", "that"]]
moodle-es.csv | [["1", "sí", "no"]]
canvas.csv    | [["Why?", "so", "0.5"], ["What?", "", "0"]]
moodle-de.tsv | [["Was?", "das", "dies"]]
""")
def test_wide_reports_have_a_row_an_answer(table, name, expected):
    data = (SAMPLES / name).read_bytes()
    source = table(name, data, header=True, long=True)
    assert source.columns[0] == "id"
    lines = list(source.rows())
    assert [[row.cells[at] for at in (-3, -2, -1)] for row in lines] == expected
    assert {len(row.cells) for row in lines} == {len(source.columns)}
    if name in ("moodle.csv", "canvas.csv"):
        assert [row.cells[0] for row in lines] == ["2.1", "2.2"]
        refused(FormatError, "is known to hold sentences", find_places, table(name, data))


def test_the_likeliest_column_is_suggested(table):
    long = "x" * 900_000
    source = table("a.csv", f"id,Antwrt,solution,{long}\n1,a,b,c\n".encode(), header=True)
    with pytest.raises(UsageError, match=r"Did you mean --answer-col 'Antwrt'\?"):
        source.column("antwort", "--answer-col")
    assert source.likely(["zzz"], "--x") is None
    assert source.likely([long], "--x").endswith("xxx…'?")
    named = "Schüler,Frage,Antwort,Musterlösung"
    assert usual(named.split(","), USUAL["reference"]) == 3


@cases(r"""
name      | expected=
quiz.gift | {"Why does a plant need light?": ["It makes sugar.", "{sugar}"], "2": ["water"]}
quiz.gift | {"What do roots drink?": ["water"], "Roots": ["water"], "In which year:": ["1945"]}
quiz.gift | {"The sky is": ["True"]}
quiz.xml  | {"Why?": ["So."], "What?": ["that"], "S": ["that"], "1": ["So."]}
""")
def test_quizzes_give_questions_and_model_answers(tmp_path, name, expected):
    found = {}
    for row in Table(SAMPLES / name, header=True).rows():
        found.setdefault(row.cells[0], []).append(row.cells[1])
    assert expected.items() <= found.items()
    (tmp_path / name).write_text("<quiz>" if name == "quiz.xml" else "::" * 90_000)
    refused(FormatError, rf"{name}: no (XML|model answer)", Table, tmp_path / name, header=True)


def test_pairs_of_aligners_are_read(tmp_path):
    bars = b"the cat ||| a cat\nold clock||| the clock\n ||| nobody\n"
    texts = [
        str(pair) if isinstance(pair, DataError) else pair.sent2.text
        for _, pair in entries(Table(io.BytesIO(bars), "tsv", name="t"))
    ]
    assert texts == ["a cat", "the clock", "t:3: sentence 1 is empty; expected at least one token"]
    assert Table(io.BytesIO(b"1\ta ||| b\n2\tc ||| d\n"), "tsv", name="t").columns == ("",) * 3
    files, warnings = [tmp_path / "one", tmp_path / "two"], []
    for file in files:
        file.write_text("0\tI have 1 book .\n1\t2 dogs\n")
    texts = [pair.sent1.text for pair in read_pairs(*files, warn=warnings.append)]
    assert texts == ["I have 1 book .", "2 dogs"]
    assert [warning.rpartition("/")[2] for warning in warnings] == [
        "one:1: a running number and a tab; left out, here and elsewhere"
    ]


def test_a_sheet_is_named_or_numbered(table):
    data = book(("Read me", ["x"]), ("Old", PAIR, ["c", "d"]), ("New", PAIR, ["a", "b"]))
    for wanted in ("Old", "2"):
        assert cells_of(table("a.xlsx", data, sheet=wanted)) == [["c", "d"]]
    with pytest.raises(UsageError, match=r"--sheet: .*'4'; expected Read me, Old, New"):
        table("a.xlsx", data, sheet="4")
    refused(UsageError, "has no sheets", table, "a.csv", b"a,b\n", sheet="4")


@pytest.mark.parametrize("data", [b"\xd0\xcf\x11\xe0" + bytes(9), b"PK\x03\x04x", b"%PDF-1.7\n"])
def test_files_that_are_no_tables_are_named(table, data):
    refused(FormatError, r"this is an? .*expected a table. Save it as", table, "a.csv", data)


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_workbooks_come_back_as_they_were(table, tmp_path, kind):
    first, lines = ("Read me", ["=1+1"]), (["Title"], [], [*PAIR, "n"], ["a", "b", 2.5], ["c", "d"])
    data, gap = libre(lines, first), ()
    if kind == "xlsx":
        odd = {"hidden": ["Read me"], "formats": [("C4", "0.00")], "merged": ["C3:D3"]}
        data, gap = book(first, ("Pairs", *lines), **odd), ("",)
    source = table(f"a.{kind}", data)
    one, two = source.rows()
    path = tmp_path / f"b.{kind}"
    with path.open("w") as out, writing_behind(kind, out, ["rating", "text"], source) as put:
        put(two, [1, "=x"])
    if kind == "xlsx":
        with ZipFile(io.BytesIO(data)) as before, ZipFile(path) as behind:
            changed = [part for part in before.namelist() if before.read(part) != behind.read(part)]
        assert changed == ["xl/worksheets/sheet2.xml"]
        read_me, sheet = openpyxl.load_workbook(path)
        assert (read_me.sheet_state, read_me["A1"].value) == ("hidden", "=1+1")
        assert (sheet["C4"].number_format, sheet["F5"].data_type) == ("0.00", "s")
        assert str(sheet.merged_cells) == "C3:D3"
    again = Table(path, header=True)
    assert (again.sheet, again.columns) == ("Pairs", (*PAIR, "n", *gap, "rating", "text"))
    assert cells_of(again) == [
        ["a", "b", 2.5, *[None] * len(gap), None, None],
        ["c", "d", None, *[None] * len(gap), 1, "=x"],
    ]
    with path.open("w") as out, writing_behind(kind, out, ["label"], source) as put:
        put(one, ["EQUI"])
        put(one, ["SIMI"])
    again = Table(path, sheet="ists-asp")
    assert cells_of(again) == [["a", "b", 2.5, label] for label in ("EQUI", "SIMI")]


def test_an_encoding_can_be_named(table):
    data = text(ALL, encoding="cp1252")
    assert len(entries(table("a.csv", data, encoding="cp1252"))) == 2
    refused(UsageError, "there is no encoding 'cp1252x'", table, "a.csv", data, encoding="cp1252x")
    refused(FormatError, "this is no IDNA", table, "a.csv", data, encoding="idna")


def test_faulty_rows_keep_their_cells_and_their_places(table):
    data = b"id,s1,s2,n\n1,a,b,x\n\n3,,b,y\n4,a\n5,a,b,c,d\n5,a,b,z\n,a,b,q\n5,a,b,w\n"
    lines = entries(table("a.csv", data))
    faults = {row.number: str(fault) for row, fault in lines if isinstance(fault, DataError)}
    words = "s1 is empty | 2 cells | 5 cells | an empty id | the id '5' again"
    expected = dict(zip((4, 5, 6, 8, 9), words.split(" | "), strict=True))
    assert faults.keys() == expected.keys()
    assert all(expected[number] in fault for number, fault in faults.items())
    assert list(lines[1][0].cells) == ["3", "", "b", "y"]


def test_columns_by_name_by_number_and_with_a_header_of_any_names(table):
    data = b"code,first,second,note\nx,a cat,a dog,n\n"
    wanted = {"sent1": "first", "sent2": "3", "id": "code"}
    source = table("a.csv", data, header=True)
    ((_, pair),) = entries(source, wanted)
    assert (pair.id, pair.sent1.text, pair.sent2.text) == ("x", "a cat", "a dog")
    with pytest.raises(UsageError, match=r"there is no column 'third' in .*; expected code, first"):
        find_places(source, {"sent1": "third", "sent2": "second"})
    refused(UsageError, "expected --sent2-col as well", find_places, source, {"sent1": "first"})
    bare = table("b.csv", b"7,9,a cat,a dog\n")
    assert [pair.sent1.text for _, pair in entries(bare, {"sent1": "3", "sent2": "4"})] == ["a cat"]
    assert added(["rating", "x"], ["rating", "error"]) == ["ists_rating", "error"]


@pytest.mark.parametrize("kind", ["xlsx", "ods", "parquet"])
def test_what_a_format_cannot_hold_is_written_as_text_or_refused(tmp_path, kind):
    odd = ["a\0b\ufffe", math.inf, 10**17 + 1, None]
    expected = {"ods": ["a b ", "inf", str(10**17 + 1)], "parquet": odd[:3]}.get(kind)
    path = write(tmp_path / f"a.{kind}", ["x", "y", "z", "end"], [odd])
    (cells,) = cells_of(Table(path, header=True))
    assert cells[:3] == (expected or ["a\0b\ufffe", "inf", str(10**17 + 1)])
    if kind == "parquet":
        for second in ("x", 10**30):
            with pytest.raises(DataError, match="a column has values of several types"):
                write(path, ["x"], [[1], [second]])


@pytest.mark.parametrize("value", ["=1+1", "+1", "-x", "@a", "\tx", '=HYPERLINK("x")'])
def test_text_of_ours_is_no_formula(value, tmp_path):
    assert harmless(value) == f"'{value}"
    assert (harmless(-1.5), harmless("a=b"), harmless(None)) == (-1.5, "a=b", None)
    path = write(tmp_path / "a.xlsx", ["x"], [[value]])
    cell = openpyxl.load_workbook(path).active["A2"]
    assert (cell.data_type, cell.value) == ("s", value)
