"""What is wrong with a command line, rules, words or a table is one line, or changes nothing.

A row has its name, what the command says and its exit code, and the content that is at fault:
1 and 2 stand for one line of error and no output, 3 for pairs without an answer, and 0 for an
output that has the same bytes as without the fault. Faults that need a process of their own
are in tests/faults.
"""

import gzip
import json
import shlex

import pytest

from tests.faults.place import FEW, pairs

SOLVE = ("solve", "--profile", "baseline", "-q", "-o", "out.wa")

LINES = """
solve | 2 there is no input; expected two sentences, --table FILE, --sent1 F1
solve a | 2 one sentence; expected two sentences
solve a b c | 2 3 sentences; expected two sentences
solve - | 2 - alone does not say what standard input holds; expected --tsv -
solve - - | 2 standard input (-) cannot be both sentences
solve a b --sent1 f | 2 sentences on the command line do not go with --sent1
solve a b --tsv f | 2 sentences on the command line do not go with --tsv
solve --sent1 f | 2 --sent1 without --sent2. Add --sent2 FILE
solve --sent2 f | 2 --sent2 without --sent1. Add --sent1 FILE
solve --sent1 - --sent2 - | 2 standard input (-) cannot be both sentences
solve --sent1 f --tsv g | 2 --sent1 does not go with --tsv
solve --tsv f --jsonl g | 2 --jsonl does not go with --tsv
solve --tsv f --chunked | 2 --chunked does not go with --tsv
solve --jsonl f --chunked | 2 --chunked does not go with --jsonl
solve a b --chunked --raw | 2 --chunked does not go with --raw
solve a b --raw --tokens | 2 --tokens does not go with --raw
solve a b --header | 2 options about columns and rows need a table
solve a b --profile headline | 2 lp_rules/profiles: there is no profile "headline"
solve a b --profile ../x | 2 there is no profile "../x"
solve a b -o no/such/x.wa | 2 -o no/such/x.wa: there is no folder 'no/such'
solve a b -o . | 2 -o .: this is a folder; expected the name of a file
solve --tsv pairs.tsv -o pairs.tsv | 2 this is an input file
solve a b -o x --trace x | 2 writes the same file
solve a b -n 0 | 2 Invalid value for '-n'
solve a b -n 3 | 2 does not go with the format wa
solve a b -c a | 2 'a' is not a constant
solve a b -c eagerness=1.p(1) | 2 expected an integer
solve a b -c eagerness=1000000000 | 2 an integer from -1000000
sts a b -c highest=foo | 2 the constant highest: found 'foo'; expected an integer from -1000000 to
sts a b -c highest=-3 | 2 the constant highest: found -3; expected 1 point or more
sts a b -c eagerness=2147483647 | 2 the constant eagerness: found '2147483647'; expected an int
sts a b -c 'strict="x"' | 2 the constant strict: found '"x"'; expected an integer
solve a b --reader none-such | 1 none-such: there is no embeddings.onnx; expected a reader
solve a b --profile baseline --reader . | 2 no rules for the reader .
solve a b --profile sts-en --reader use | 2 for the reader use; expected a Spanish profile
solve a b --profile sts-es --reader shipped | 2 no rules for the reader shipped
solve a b --profile baseline --reader shipped | 2 no rules for the reader shipped
solve a b --timeout 0 | 2 0.0 is not in the range
solve a b --timeout=-1 | 2 -1.0 is not in the range
solve a b --memory 0 | 2 0 is not in the range
solve a b --memory 1MB | 2 '1MB' is not a valid integer
solve a b --jobs 0 | 2 0 is not in the range
solve a b --jobs many | 2 'many' is not a valid integer
solve a b --format docx | 2 'docx' is not one of
solve a b --engine spark | 2 'spark' is not one of
solve a b --scheduler tcp://127.0.0.1:1 | 2 --scheduler without --engine dask
solve a b --rules none.lp | 1 there is no such rule file
solve a b --rules pairs.tsv | 1 is not an entry of a word table
solve a b --stanza-dir none | 1 none: no such directory
solve a b --stanza-dir . | 1 no resources.json in it
solve a b --cache pairs.tsv | 1 the cache cannot be used
solve --table a.docx | 2 a.docx: no kind of table is known by this ending; expected .csv
solve --table - | 2 --table - does not say what kind it is; expected --tsv - or --jsonl -
solve --table pairs.csv --sent1-col Answer | 2 one column of sentences
solve --table pairs.csv --id-col Kode | 2 --id-col: there is no column 'Kode' in pairs.csv
solve --table pairs.csv -q --format xlsx | 2 xlsx cannot go to standard output
solve a b -o out.json | 2 this command writes no .json; expected .wa, .csv, .tsv, .xlsx, .ods, .par
sts a b -o out.wa | 2 this command writes no .wa; expected .txt, .csv, .tsv, .xlsx, .ods, .parquet
explain a b -o out.json | 2 this command writes no .json; expected .txt, .jsonl, .csv, .tsv, .xlsx
trace a b -o out.csv | 2 this command writes no .csv; expected .txt or .md
diff old.wa new.wa -o out.html | 2 this command writes no .html; expected .txt or .md
rules where may_align a b -o out.csv | 2 this command writes no .csv; expected .txt or .md
report a b -o out.pdf | 2 this command writes no .pdf; expected .html or .htm
chunk a b -o out.tsv | 2 this command writes no .tsv; expected .txt
facts a b -o out.wa | 2 this command writes no .wa; expected .lp
learn --gold g -o out.txt | 2 this command writes no .txt; expected .lp
solve --sent x | 2 See ists-asp solve --help
solv | 2 No such command 'solv'
--verbose profiles | 2 --verbose without --version
report --format html a b | 2 No such option '--format'. See ists-asp report --help
rules copy --json a | 2 No such option '--json'. See ists-asp rules copy --help
sts -n 3 a b | 2 No such option '-n', which is one of ists-asp solve. See
chunk --json a b | 2 No such option '--json'. See ists-asp chunk --help
solve --forma text a b | 2 No such option '--forma'. Did you mean --format? See ists-asp solve
solve --model x | 2 No such option '--model'. See ists-asp solve --help
solve "" b | 1 sentence 1:1: an empty sentence; expected at least one token
solve a " " | 1 sentence 2:1: an empty sentence
solve --chunked "[ ]" "[ a ]" | 1 sentence 1:1: an empty sentence
solve --sent1 pairs.tsv --sent2 no.txt | 1 no.txt: cannot be read: No such file or directory
facts --tsv no.txt | 1 no.txt: cannot be read: No such file or directory. Check the name of the file
chunk --tsv no.txt | 1 no.txt: cannot be read: No such file or directory
solve --engine dask --table pairs.tsv | 2 writes a folder
solve --engine dask --table pairs.tsv --format xlsx -o parts | 2 in parts
solve --tsv /dev/zero | 1 /dev/zero: this is a device
solve --tsv .. | 1 cannot be read: Is a directory
serve pairs.tsv --no-browser | 2 this is not a folder
serve . --no-browser | 2 neither empty nor a project
serve new --profile x --no-browser | 2 no profile "x"
serve new --port 70000 --no-browser | 2 70000 is not in
"""
"""Command lines, and below the exit code the words that the only line of error has."""

RULES = r"""
a string has no end | 1 this string has no end on its line | p("a :- q.
a comment has no end | 1 this block comment has no end | %* p.
a rule has no stop | 1 the file ends in the middle of a rule | p :- q
a directive is unknown | 1 syntax error at "#nothing" | #nothing p.
an included file is missing | 1 no file "other.lp" | #include "other.lp".
an include is absolute | 1 lies outside the rule folder | #include "/etc/passwd".
an include climbs | 1 lies outside the rule folder | #include "../other.lp".
an include is clingo's own | 1 names no rule file | #include <incmode>.
a rule file includes itself | 0 | #include "mine.lp".
a rule calls a function | 1 @f is refused | p(@f(1)).
a rule has an edge | 1 #edge is refused | #edge (1,2) : p.
a rule file has externals | 0 | #external p(1..3).
a rule file has a heuristic | 0 | #heuristic aligned(X,Y) : aligned(X,Y). [1@1,true]
a rule file has a theory | 0 | #theory t { }.
a rule file has a script in Lua | 1 #script is refused | #script (lua) #end.
a name has a letter beyond ASCII | 1 stands outside strings | pé(1).
a rule asks for what is not made | 2 derives q/1 | p(X) :- not q(X).
a constraint asks for what is not made | 2 derives impossible/0 | :- not impossible.
no pair has an answer set | 3 cannot all hold: mine.lp:1 | p :- not p.
a weight is given twice | 1 also given at mine.lp:1 | weight(p(x),align,5). weight(p(x),align,7).
a directive is malformed | 1 malformed directive | %@rule mine: One.
a constant is defined twice | 1 redefinition of constant | #const a=1. #const a=2.
constants call one another | 1 cyclic constant definition | #const a=b. #const b=a. p(a).
a rule file is empty | 0 |
a rule file has comments only | 0 | % nothing
a rule file shows nothing | 0 | #show.
a weight is too large for all pairs | 3 arithmetic overflow | correction(any_pair,align,2000000000).
a correction is a word | 0 | correction(any_pair,align,many).
"""

WORDS = r"""
a line of words has no sign | 1 is not an entry of a word table | power electricity
a line of words has two signs | 1 is not an entry of a word table | a = b = c
a side of words is empty | 1 is not an entry of a word table | = b
both sides are one word | 1 is not an entry of a word table | a = a
a table of words has rules | 1 is not an entry of a word table | p(1).
a word has a quotation mark | 0 | a" = b
a word has a backslash | 0 | a\ = b\n
a word has a mark of direction | 0 | a = b‮
a table of words is empty | 0 |
"""

LONG_RULES = [
    ("a word has a million letters", "0", f'p("{"a" * 1_000_000}").\n'),
    ("brackets are nested", "0", f"p({'(' * 3000}1{')' * 3000}).\n"),
    ("a rule file has a null character", "1 the file has a null character", "p(1).\0\n"),
    ("a rule file is UTF-16", "1 byte 0xff is not UTF-8", "p(1).\n".encode("utf-16")),
]
LONG_WORDS = [
    ("a phrase has a hundred words", "1 is not an entry of a word table", f"a = {'b ' * 100}\n"),
    ("an entry has a million letters", "1 is not an entry", f"a = {'b' * 1_000_000}\n"),
    ("a word has control characters", "0", "a\x1b[2J = b\n"),
    ("a table of words is UTF-16", "1 byte 0xff is not UTF-8", "a = b\n".encode("utf-16")),
    ("a table of words is Latin-1", "1 byte 0xe9 is not UTF-8", b"caf\xe9 = bar\n"),
    ("two words are the same and opposites", "0", "a = b\na <> b\n"),
]

_LINES = pairs(FEW).splitlines(keepends=True)
_ROWS = [line.rstrip("\n").split("\t") for line in _LINES]
_CSV = "id,sent1,sent2\n" + "".join(f"{','.join(row)}\n" for row in _ROWS)
_KEYS = ("id", "sent1", "sent2")
_JSONL = "".join(f"{json.dumps(dict(zip(_KEYS, row, strict=True)))}\n" for row in _ROWS)
_JSON = '{"sent1": "a cat", "sent2": "a dog"}\n'
_ONE, _TWO = _ROWS[1][1], _ROWS[2][2]
_PACKED = gzip.compress(_CSV.encode(), mtime=0)
_EMPTY = "1 the input is empty; expected at least one pair"
_BOOK, _PARQUET = "1 cannot be read as an Excel workbook", "1 cannot be read as a Parquet file"

TABLES = [
    ("CSV has semicolons", "0", "csv", _CSV.replace(",", ";")),
    ("CSV has the line ends of Windows", "0", "csv", _CSV.replace("\n", "\r\n")),
    ("CSV has the line ends of old Macs", "0", "csv", _CSV.replace("\n", "\r")),
    ("CSV has a mark of its encoding", "0", "csv", "\ufeff" + _CSV),
    ("CSV is UTF-16", "0", "csv", _CSV.encode("utf-16")),
    ("CSV is Latin-1", "1 (byte 0xE4)", "csv", _CSV.replace("cat", "cät").encode("latin-1")),
    ("CSV has no header", "0", "csv", _CSV.split("\n", 1)[1]),
    ("CSV has nothing but a header", _EMPTY, "csv", "id,sent1,sent2\n"),
    ("CSV is empty", _EMPTY, "csv", ""),
    ("a quote has no end", "1 no other ends it", "csv", _CSV.replace("a cat", '"a cat', 1)),
    ("a row is too short", "1 t.csv:4: 2 cells", "csv", _CSV.replace(f",{_TWO}", "")),
    ("a row is too long", "1 t.csv:4: 4 cells", "csv", _CSV.replace(_TWO, f"{_TWO},more")),
    ("an id of CSV is there twice", "1 the id '0' again", "csv", _CSV.replace("\n1,", "\n0,")),
    ("a sentence is empty", "1 t.csv:3: sent1 is empty", "csv", _CSV.replace(_ONE, "")),
    ("a cell is long", "3 1000000 characters", "csv", _CSV.replace(_ONE, "a" * 1_000_000)),
    ("JSON is not an object", "1 t.jsonl:7: JSON that is not an object", "jsonl", f"{_JSONL}[1]\n"),
    ("JSON lacks a side", "1 t.jsonl:1: no 'sent2'", "jsonl", _JSONL.replace("sent2", "other", 1)),
    ("an id is no number", "1 the id nan", "jsonl", _JSONL.replace('"0"', "NaN")),
    ("JSON is one array", "1 each object on a line", "jsonl", f"[{_JSONL.replace(chr(10), ',')}0]"),
    ("JSON has a key twice", "0", "jsonl", _JSONL.replace('{"id"', '{"id": "x", "id"')),
    ("a JSON object is cut", "1 t.jsonl:2: no valid JSON", "jsonl", _JSON + _JSON[:20]),
    ("JSON is nested", "1 t.jsonl:1: no valid JSON", "jsonl", "[" * 100_000),
    ("a sheet is text", _BOOK, "xlsx", _CSV),
    ("a sheet is cut", _BOOK, "xlsx", b"PK\x03\x04" + bytes(50)),
    ("a sheet of LibreOffice is text", "1 cannot be read as a LibreOffice sheet", "ods", _CSV),
    ("Parquet is text", _PARQUET, "parquet", _CSV),
    ("Parquet is cut", _PARQUET, "parquet", b"PAR1" + bytes(50) + b"PAR1"),
    ("what should be packed is not", "1 Not a gzipped file", "csv.gz", _CSV),
    ("what is packed is cut", "1 ended before the end-of-stream", "csv.gz", _PACKED[:60]),
    ("a table is a program", "1 expected two columns", "csv", b"\x7fELF" + bytes(100)),
    ("a table has one column", "1 expected two columns", "csv", "sent1\na cat\n"),
    ("a TSV file is cut in a line", "1 t.tsv:3: 2 cells", "tsv", pairs(3).rpartition("\t")[0]),
    ("a line is there twice", "1 first at t.tsv:2", "tsv", "".join([*_LINES[:3], _LINES[1]])),
    ("TSV is UTF-16", "0", "tsv", pairs(FEW).encode("utf-16")),
    ("TSV is a program", "1 t.tsv:1: this is no UTF-8", "tsv", b"\x7fELF\x02\xff\xfe\xfd"),
    ("bytes are not UTF-8", "1 t.tsv:3: this is no UTF-8 (byte 0xFF)", "tsv",
     pairs(2).encode() + b"bad\t\xff\xfe a\ta \x81\n"),
    ("TSV has no line ends", "1 a line of more than 1 MB", "tsv", b"a " * (9 << 20)),
    ("a sentence has a hundred thousand words", "3 100000 tokens", "tsv",
     "".join([_LINES[0], f"1\t{'a ' * 100_000}\ta dog\n", *_LINES[2:]])),
]  # fmt: skip


def rows(table, ending, more=()):
    """The rows of a text, with what they hold as the content of a file, and some more."""
    split = (line.split(" | ", 2) for line in table.strip().splitlines())
    written = [(name, code, *(f"{text}\n" for text in rest)) for name, code, *rest in split]
    return [(*row[:2], ending, row[2] if len(row) > 2 else "") for row in (*written, *more)]


FILES = [*rows(RULES, "lp", LONG_RULES), *rows(WORDS, "words", LONG_WORDS), *TABLES]


@pytest.fixture(scope="module")
def undisturbed():
    """The output without a fault, when a row has asked for it."""
    return {}


@pytest.mark.parametrize("row", LINES.strip().splitlines(), ids=lambda row: row.partition(" |")[0])
def test_a_command_line_that_is_wrong(bad, tmp_path, row):
    (tmp_path / "pairs.tsv").write_text(pairs(FEW))
    (tmp_path / "pairs.csv").write_text("Answer,Reference\na cat,a dog\n")
    line, _, ends = row.partition(" | ")
    assert ends[2:] in bad(int(ends[0]), *shlex.split(line))
    assert {path.name for path in tmp_path.iterdir()} == {"pairs.tsv", "pairs.csv"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ends", "kind", "content"), [pytest.param(*row[1:], id=row[0]) for row in FILES]
)
def test_a_file_that_is_wrong(run, bad, tmp_path, undisturbed, ends, kind, content):
    name = {"lp": "mine.lp", "words": "mine.tsv"}.get(kind, f"t.{kind}")
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "pairs.tsv").write_text(pairs(FEW))
    rules = ("--tsv", "pairs.tsv", "--rules", name, "--timeout", "10")
    call = (*SOLVE, *(rules if kind in ("lp", "words") else ("--table", name)))
    code, words = int(ends[0]), ends[2:]
    out = tmp_path / "out.wa"
    if code in (1, 2):
        assert words in bad(code, *call)
        assert not out.exists()
        return
    result = run(*call)
    assert result.exit_code == code, result.stderr
    if code == 3:
        assert words in result.stderr
        assert out.read_text().count("</sentence>") == FEW
        return
    found = out.read_bytes()
    if not undisturbed:
        run(*SOLVE, "--tsv", "pairs.tsv")
        undisturbed["output"] = out.read_bytes()
    assert found == undisturbed["output"]
