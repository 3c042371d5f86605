"""Faults in tables: what is wrong, with what content, and what has to be said of it."""

import gzip
import json

from .faults import Failed, Same, Told, fault
from .place import FEW, SOLVE, pairs

_ALL = tuple(map(str, range(FEW)))
_NO_END = Told("before any pair, those of mine.lp among them")
_NESTED = f"p({'(' * 3000}1{')' * 3000}).\n"

RULES = (
    ("a string has no end", 'p("a :- q.\n', Told("this string has no end on its line")),
    ("a comment has no end", "%* p.\n", Told("this block comment has no end")),
    ("a rule has no stop", "p :- q\n", Told("the file ends in the middle of a rule")),
    ("a directive is unknown", "#nothing p.\n", Told('syntax error at "#nothing"')),
    ("an included file is missing", '#include "other.lp".\n', Told('no file "other.lp"')),
    ("an include is absolute", '#include "/etc/passwd".\n', Told("lies outside the rule folder")),
    ("an include climbs", '#include "../other.lp".\n', Told("lies outside the rule folder")),
    ("an include is clingo's own", "#include <incmode>.\n", Told("names no rule file")),
    ("a rule file includes itself", '#include "mine.lp".\np(1).\n', Same(FEW)),
    ("a rule calls a function", "p(@f(1)).\n", Told("@f is refused")),
    ("a rule has an edge", "#edge (1,2) : p.\n", Told("#edge is refused")),
    ("a rule file has externals", "#external p(1..3).\n", Same(FEW)),
    (
        "a rule file has a heuristic",
        "#heuristic aligned(X,Y) : aligned(X,Y). [1@1,true]\n",
        Same(FEW),
    ),
    ("a rule file has a theory", "#theory t { }.\n", Same(FEW)),
    ("a rule file has a script in Lua", "#script (lua) #end.\n", Told("#script is refused")),
    ("a name has a letter beyond ASCII", "pé(1).\n", Told("stands outside strings")),
    ("a rule asks for what is not made", "p(X) :- not q(X).\n", Told("derives q/1", code=2)),
    ("a table has a billion rows", "p(1..1000000000).\n", _NO_END),
    ("a cross product", "p(X,Y,Z) :- X=1..2000, Y=1..2000, Z=1..2000.\n", _NO_END),
    ("a table counts up for ever", "n(0). n(N+1) :- n(N).\n", _NO_END),
    ("a rule has a million literals", f"p :- {','.join(['q'] * 300_000)}.\n", _NO_END),
    (
        "a constraint asks for what is not made",
        ":- not impossible.\n",
        Told("derives impossible/0", code=2),
    ),
    ("no pair has an answer set", "p :- not p.\n", Failed(_ALL, FEW, "cannot all hold: mine.lp:1")),
    (
        "a weight is given twice",
        "weight(pair(x),align,5). weight(pair(x),align,7).\n",
        Told("is also given at mine.lp:1"),
    ),
    ("a directive is malformed", "%@rule mine: One.\np(1).\n", Told("malformed directive")),
    ("a constant is defined twice", "#const a=1. #const a=2.\n", Told("redefinition of constant")),
    (
        "constants call one another",
        "#const a=b. #const b=a. p(a).\n",
        Told("cyclic constant definition"),
    ),
    ("a word has a million letters", f'p("{"a" * 1_000_000}").\n', Same(FEW)),
    ("brackets are nested", _NESTED, Same(FEW)),
    ("a rule file has a null character", "p(1).\0\n", Told("the file has a null character")),
    ("a rule file is UTF-16", "p(1).\n".encode("utf-16"), Told("byte 0xff is not UTF-8")),
    ("a rule file is empty", "", Same(FEW)),
    ("a rule file has comments only", "% nothing\n", Same(FEW)),
    ("a rule file shows nothing", "#show.\n", Same(FEW)),
    (
        "a weight is too large for all pairs",
        "correction(any_pair,align,2000000000).\n",
        Failed(_ALL, FEW, "arithmetic overflow"),
    ),
    ("a correction is a word", "correction(any_pair,align,many).\n", Same(FEW)),
)

_NO_ENTRY = Told("is not an entry of a word table")

WORDS = (
    ("a line of words has no sign", "power electricity\n", _NO_ENTRY),
    ("a line of words has two signs", "a = b = c\n", _NO_ENTRY),
    ("a side of words is empty", " = b\n", _NO_ENTRY),
    ("both sides are one word", "a = a\n", _NO_ENTRY),
    ("a phrase has a hundred words", f"a = {'b ' * 100}\n", _NO_ENTRY),
    ("an entry has a million letters", f"a = {'b' * 1_000_000}\n", _NO_ENTRY),
    ("a table of words has rules", "p(1).\n", _NO_ENTRY),
    ("a word has a quotation mark", 'a" = b\n', Same(FEW)),
    ("a word has a backslash", "a\\ = b\\n\n", Same(FEW)),
    ("a word has control characters", "a\x1b[2J = b\n", Same(FEW)),
    ("a word has a mark of direction", "a = b\u202e\n", Same(FEW)),
    ("a table of words is UTF-16", "a = b\n".encode("utf-16"), Told("byte 0xff is not UTF-8")),
    ("a table of words is Latin-1", b"caf\xe9 = bar\n", Told("byte 0xe9 is not UTF-8")),
    ("a table of words is empty", "", Same(FEW)),
    ("two words are the same and opposites", "a = b\na <> b\n", Same(FEW)),
)


def _asked(words):
    return Told(words, code=2)


OPTIONS = (
    ("the profile is unknown", "--profile nobody", _asked('there is no profile "nobody"')),
    ("the profile climbs", "--profile ../x", _asked('there is no profile "../x"')),
    ("a constant is unknown", "-c nothing=1", Same(FEW)),
    ("a constant has no value", "-c a", _asked("'a' is no constant")),
    ("a constant is a rule", "-c eagerness=1.p(1)", _asked("expected an integer")),
    ("a constant is a billion", "-c eagerness=1000000000", _asked("an integer from -1000000")),
    ("the reader is not there", "--reader none-such", _asked("no rules for the reader none-such")),
    ("the reader is some folder", "--reader .", _asked("no rules for the reader .")),
    ("pairs have no time", "--timeout 0", _asked("0.0 is not in the range")),
    ("pairs have less than no time", "--timeout=-1", _asked("-1.0 is not in the range")),
    ("workers have no memory", "--memory 0", _asked("0 is not in the range")),
    ("memory has a unit", "--memory 1MB", _asked("'1MB' is not a valid integer")),
    ("there are no jobs", "--jobs 0", _asked("0 is not in the range")),
    ("jobs are a word", "--jobs many", _asked("'many' is not a valid integer")),
    ("the format is unknown", "--format docx", _asked("'docx' is not one of")),
    ("the rules are not there", "--rules none.lp", Told("there is no such rule file")),
    ("the rules are pairs", "--rules pairs.tsv", _NO_ENTRY),
    ("the models are not there", "--stanza-dir none", Told("none: no such directory")),
    ("the models are no models", "--stanza-dir .", Told("no resources.json in it")),
    ("the cache is a file", "--cache pairs.tsv", Told("the cache cannot be used")),
    ("the output is the input", "-o pairs.tsv", _asked("this is an input file")),
    ("the trace is the output", "--trace out.wa", _asked("writes the same file")),
    ("the engine is unknown", "--engine spark", _asked("'spark' is not one of")),
    (
        "a scheduler without its engine",
        "--scheduler tcp://127.0.0.1:1",
        _asked("--scheduler without --engine dask"),
    ),
    ("many answers in one of .wa", "-n 3", _asked("does not go with the format wa")),
    ("two inputs", "--jsonl pairs.tsv", _asked("--jsonl does not go with --tsv")),
    ("an option is unknown", "--nothing", _asked("No such option '--nothing'")),
)

_ROWS = [line.split("\t") for line in pairs(FEW).splitlines()]
_CSV = "id,sent1,sent2\n" + "".join(f"{','.join(row)}\n" for row in _ROWS)
_JSONL = "".join(
    f"{json.dumps(dict(zip(('id', 'sent1', 'sent2'), row, strict=True)))}\n" for row in _ROWS
)
_ONE = _ROWS[1][1]
_EMPTY = Told("the input is empty; expected at least one pair")

TABLES = (
    ("CSV has semicolons", "t.csv", _CSV.replace(",", ";"), Same(FEW)),
    ("CSV has the line ends of Windows", "t.csv", _CSV.replace("\n", "\r\n"), Same(FEW)),
    ("CSV has the line ends of old Macs", "t.csv", _CSV.replace("\n", "\r"), Same(FEW)),
    ("CSV has a mark of its encoding", "t.csv", "\ufeff" + _CSV, Same(FEW)),
    ("CSV is UTF-16", "t.csv", _CSV.encode("utf-16"), Same(FEW)),
    (
        "CSV is Latin-1",
        "t.csv",
        _CSV.replace("cat", "cät").encode("latin-1"),
        Told("no UTF-8 (byte 0xE4)"),
    ),
    ("CSV has no header", "t.csv", _CSV.split("\n", 1)[1], Same(FEW)),
    ("CSV has nothing but a header", "t.csv", "id,sent1,sent2\n", _EMPTY),
    ("CSV is empty", "t.csv", "", _EMPTY),
    ("a quote has no end", "t.csv", _CSV.replace("a cat", '"a cat', 1), Told("no other ends it")),
    ("a row is too short", "t.csv", _CSV.replace(f",{_ROWS[2][2]}", ""), Told("t.csv:4: 2 cells")),
    (
        "a row is too long",
        "t.csv",
        _CSV.replace(_ROWS[2][2], f"{_ROWS[2][2]},more"),
        Told("t.csv:4: 4 cells"),
    ),
    (
        "an id of CSV is there twice",
        "t.csv",
        _CSV.replace("\n1,", "\n0,"),
        Told("the id '0' again"),
    ),
    ("a sentence is empty", "t.csv", _CSV.replace(_ONE, ""), Told("t.csv:3: sent1 is empty")),
    (
        "a cell has a million letters",
        "t.csv",
        _CSV.replace(_ONE, "a" * 1_000_000),
        Failed(("1",), FEW, "1000000 characters"),
    ),
    ("JSON is no object", "t.jsonl", f"{_JSONL}[1]\n", Told("t.jsonl:7: JSON that is no object")),
    (
        "JSON lacks a sentence",
        "t.jsonl",
        _JSONL.replace('"sent2"', '"other"', 1),
        Told("t.jsonl:1: no 'sent2'"),
    ),
    ("an id is no number", "t.jsonl", _JSONL.replace('"0"', "NaN"), Told("the id nan")),
    (
        "JSON is one array",
        "t.jsonl",
        f"[{_JSONL.replace(chr(10), ',').rstrip(',')}]",
        Told("Write each object on a line of its own"),
    ),
    ("JSON has a key twice", "t.jsonl", _JSONL.replace('{"id"', '{"id": "x", "id"'), Same(FEW)),
    ("a sheet is text", "t.xlsx", _CSV, Told("cannot be read as an Excel workbook")),
    (
        "a sheet is cut",
        "t.xlsx",
        b"PK\x03\x04" + bytes(50),
        Told("cannot be read as an Excel workbook"),
    ),
    (
        "a sheet of LibreOffice is text",
        "t.ods",
        _CSV,
        Told("cannot be read as a LibreOffice sheet"),
    ),
    ("Parquet is text", "t.parquet", _CSV, Told("cannot be read as a Parquet file")),
    ("Parquet is cut", "t.parquet", b"PAR1" + bytes(50) + b"PAR1", Told("as a Parquet file")),
    ("what should be packed is not", "t.csv.gz", _CSV, Told("Not a gzipped file")),
    (
        "what is packed is cut",
        "t.csv.gz",
        gzip.compress(_CSV.encode(), mtime=0)[:60],
        Told("ended before the end-of-stream marker"),
    ),
    ("the ending is unknown", "t.doc", _CSV, _asked("no kind of table is known")),
    ("a table is a program", "t.csv", b"\x7fELF" + bytes(100), Told("expected two columns")),
    ("a table has one column", "t.csv", "sent1\na cat\n", Told("expected two columns")),
)


def _ruled(place, name, content):
    return place.pairs().holding(content, name).solve("-q", "--rules", name, "--timeout", "10")


def _tabled(place, name, content):
    options = ["--table", name, "-o", "out.wa", "--cache", str(place.cache), "-q"]
    return place.holding(content, name).run([*SOLVE, *options])


for _name, _content, _ends in RULES:
    fault(_name, _ends)(lambda place, content=_content: _ruled(place, "mine.lp", content))
for _name, _content, _ends in WORDS:
    fault(_name, _ends)(lambda place, content=_content: _ruled(place, "mine.tsv", content))
for _name, _given, _ends in OPTIONS:
    fault(_name, _ends)(lambda place, given=_given: place.pairs().solve("-q", *given.split()))
for _name, _file, _content, _ends in TABLES:
    fault(_name, _ends)(lambda place, name=_file, content=_content: _tabled(place, name, content))
