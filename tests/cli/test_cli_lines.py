"""Command lines and files that are wrong, and words of what is said of them."""

import gzip
import json
import re
import shlex
from pathlib import Path
from string import Template

import pytest

from ists_asp.resources import data_dir
from tests.cli.test_cli_evaluate import pair
from tests.faults.scenarios import FEW, pairs

WA = (pair("1") + pair("2")).replace("\n", r"\n")
SAME = '"a black cat sleeps" "a black cat sleeps"'
NAMES = {
    "gold": data_dir() / "samples" / "headlines" / "gold.wa",
    "bus": '"12 killed in bus accident" "10 killed in road accident" --profile headlines',
    "long": '"12 killed in bus accident in Pakistan" "10 killed in road accident in NW Pakistan" '
    "--profile headlines --reader none",
    "chunked": '{"sent1": "a", "sent2": "b", "chunks1": [[1, 1]], "chunks2": [[1, 1]]}',
    "alic": '--profile pilot-2015-images --chunked "[ A black dog ] [ and ] [ a white dog ] '
    '[ run ] [ . ]" "[ Two dogs ] [ run ] [ . ]"',
    "wa": WA,
    "samples": data_dir() / "samples",
    "slowly_wa": WA.replace("3 quickly", "3 slowly", 1),
    "same_wa": WA.replace("// EQUI //", "// SAME //", 1),
    "three_wa": WA.replace("// SIMI // 3", "// SIMI // three", 1),
    "seven_wa": WA.replace("// EQUI // 5 //", "// EQUI // 7 //", 1),
    "plus_wa": WA.replace("// EQUI // 5 //", "// EQUI // +5 //", 1),
    "many_wa": WA * 8,
    "same": SAME,
    "own": f"{SAME} --profile headlines --rules mine.lp",
    "cats": '--chunked "[ a cat ] [ sleeps ]" "[ a cat ] [ sleeps ]" --json',
    "link": r'%@rule buses: "side 1 has a bus"\n'
    r'evidence(link(X,Y),buses,100) :- link(X,Y), span_token(1,X,I), word(1,I,"bus").\n'
    r"weight(buses,equi,100).\n",
    "undefined": "no rule and no fact derives link/2. Did you mean viable/2?",
    "feature": r'%@rule mine: "mine"\nevidence(pair(X,Y),mine,100) :- proposed(X,Y).\n'
    r"weight(mine,align,7). weight(mine,equi,9).\n",
    "sample": r'mine.lp<<< %@rule power: "p"\n'
    r'alike(I,J,synonym,95) :- word(1,I,"power"), word(2,J,"light").\n'
    r'%@rule dogs: "d"\nalike(I,J,synonym,95) :- word(1,I,"cat"), word(2,J,"dog").\n'
    r'%@rule split: "s"\nmust_split(S,I) :- word(S,I,"cat").\n'
    r'%@rule join: "j"\nmust_join(S,I) :- lemma(S,I,"cat").\n'
    r" sent1.txt<<< a cat sleeps\n sent2.txt<<< a dog sleeps\n",
}
SOLVE = ("solve", "--profile", "baseline", "-q", "-o", "out.wa")
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
CALLS = {
    "lp": ("mine.lp", "--tsv pairs.tsv --rules mine.lp --timeout 10"),
    "words": ("mine.tsv", "--tsv pairs.tsv --rules mine.tsv --timeout 10"),
    "toml": ("ists-asp.toml", "--tsv pairs.tsv"),
    "txt": ("t.txt", "--sent1 t.txt --sent2 b.txt"),
}
"""The file and the options for a content of a kind; all others are kinds of tables."""


def line_rows():
    text = Path(__file__).with_name("lines.txt").read_text("utf-8").replace("\n ", " ")
    fast, slow = Template(text).substitute(NAMES).split("\n\n")
    for table, marks in ((fast, ()), (slow, pytest.mark.slow)):
        for row in table.splitlines():
            line, told = row.replace("\\n", "\n").replace("\\t", "\t").split(" | ", 1)
            command, *given = re.split(r" (\S*)<<< ", line)
            files = dict(zip(given[::2], given[1::2], strict=True))
            yield pytest.param(command, files, int(told[0]), told[2:], marks=marks, id=command)


@pytest.mark.parametrize(("command", "files", "code", "told"), list(line_rows()))
def test_what_is_said(run, tmp_path, command, files, code, told):
    call, stdin = shlex.split(command), files.get("")
    files = {"pairs.tsv": pairs(FEW), "mine.lp": "mine.\n", **files}
    files["pairs.csv"] = "Answer,Reference\na cat,a dog\n"
    for name in filter(None, files):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(files[name])
    before = set(tmp_path.iterdir())
    result = run(*call, stdin=stdin)
    assert result.exit_code == code, result.output
    texts = {"1>": result.stdout, "2>": result.stderr, "": result.stdout}
    if code and "1>" not in told:
        errors = re.findall(r"^error: (.*)", result.stderr, re.MULTILINE)
        # Of rule files all faults are told, of all else the first.
        assert len(errors) == 1 or re.match(r"(mine\.lp|pairs\.tsv):", errors[1])
        assert (result.stdout, set(tmp_path.iterdir())) == ("", before)
        texts[""] = errors[0]
    elif "-o" in call:
        assert result.stdout == ""
        texts[""] = Path(call[call.index("-o") + 1]).read_text("utf-8")
    for words in told.split(" | "):
        stream, sign, words = re.fullmatch(r"([12]>)?([\^/!])?(.*)", words, re.DOTALL).groups("")
        text = texts[stream]
        found = re.search(words, text, re.MULTILINE) if sign == "/" else words in text
        assert text.startswith(words) if sign == "^" else bool(found) == (sign != "!"), text


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
    ("a sheet is text", "0 ", "xlsx", _CSV),
    ("a sheet is cut", _BOOK, "xlsx", b"PK\x03\x04" + bytes(50)),
    ("a sheet of LibreOffice is text", "0 ", "ods", _CSV),
    ("Parquet is text", "0", "parquet", _CSV),
    ("Parquet is cut", _PARQUET, "parquet", b"PAR1" + bytes(50) + b"PAR1"),
    ("what should be packed is not", "0", "csv.gz", _CSV),
    ("what is packed is cut", "1 ended before the end-of-stream", "csv.gz", _PACKED[:60]),
    ("a table is a program", "1 expected two columns", "csv", b"\x7fELF" + bytes(100)),
    ("a table has one column", "1 expected two columns", "csv", "sent1\na cat\n"),
    ("a TSV file is cut in a line", "1 t.tsv:3: 2 cells", "tsv", pairs(3).rpartition("\t")[0]),
    ("a line is there twice", "1 first at t.tsv:2", "tsv", "".join([*_LINES[:3], _LINES[1]])),
    ("a line of a file of sentences is empty", "1 t.txt:2: an empty sentence", "txt", "a\n\n"),
    ("a file of sentences is UTF-16", "1 t.txt: the file is UTF-16; expected", "txt",
     "a\nb\n".encode("utf-16")),
    ("TSV is UTF-16", "0", "tsv", pairs(FEW).encode("utf-16")),
    ("TSV is a program", "1 t.tsv:1: this is no UTF-8", "tsv", b"\x7fELF\x02\xff\xfe\xfd"),
    ("bytes are not UTF-8", "1 t.tsv:3: this is no UTF-8 (byte 0xFF)", "tsv",
     pairs(2).encode() + b"bad\t\xff\xfe a\ta \x81\n"),
    ("TSV has no line ends", "1 a longer line; expected at most 1048576", "tsv", b"a " * (9 << 20)),
    ("a sentence has a hundred thousand words", "3 100000 tokens", "tsv",
     "".join([_LINES[0], f"1\t{'a ' * 100_000}\ta dog\n", *_LINES[2:]])),
]  # fmt: skip


def rows():
    """The rows of the text, with what they hold as the content of a file, and those above."""
    for block in Path(__file__).with_name("faults.txt").read_text("utf-8").split("\n\n"):
        kind, *lines = block.splitlines()
        for line in lines:
            name, ends, *content = line.split(" | ", 2)
            yield name, ends, kind, f"{content[0]}\n" if content else ""
    yield from TABLES
    for kind, table in (("lp", LONG_RULES), ("words", LONG_WORDS)):
        yield from ((name, ends, kind, content) for name, ends, content in table)


@pytest.fixture(scope="module")
def undisturbed():
    """The output without a fault, when a row has asked for it."""
    return {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ends", "kind", "content"), [pytest.param(*row[1:], id=row[0]) for row in rows()]
)
def test_a_file_that_is_wrong(run, bad, tmp_path, undisturbed, ends, kind, content):
    name, options = CALLS.get(kind, (f"t.{kind}", f"--table t.{kind}"))
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "pairs.tsv").write_text(pairs(FEW))
    (tmp_path / "b.txt").write_text("a\nb\n")
    call, out = (*SOLVE, *options.split()), tmp_path / "out.wa"
    code, words = int(ends[0]), ends[2:]
    if code in (1, 2):
        assert (words in bad(code, *call), out.exists()) == (True, False)
        return
    result = run(*call)
    assert (result.exit_code, words in result.stderr) == (code, True), result.stderr
    if code == 3:
        assert out.read_text().count("</sentence>") == FEW
        return
    found = out.read_bytes()
    if not undisturbed:
        run(*SOLVE, "--tsv", "pairs.tsv")
        undisturbed["output"] = out.read_bytes()
    assert found == undisturbed["output"]
