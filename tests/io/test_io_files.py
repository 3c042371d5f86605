"""Files and their lines: whole or not at all, under safe names, with what is wrong in them."""

import io
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
import unicodedata
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ists_asp.errors import DataError, FaultyLinesError, FormatError, UsageError
from ists_asp.io.files import Use, atomic_writer, check_there, refuse_clashes
from ists_asp.io.pairs import chunk_parser, read_pairs, read_sts
from ists_asp.io.store import FILE, Store
from ists_asp.io.text import (
    Repairs,
    TomlError,
    key_lines,
    literal,
    parse_lines,
    parse_sentence,
    parse_toml,
    read_lines,
    split_words,
)
from ists_asp.io.wa import read_wa
from tests.sharing import cases, processor_seconds, read_table, refused

SIZE = 1 << 16


def write(path, text):
    with atomic_writer(path) as stream:
        stream.write(text)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_new_file_gets_the_mode_of_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        write(tmp_path / "x", "é\n")
    finally:
        os.umask(old)
    assert (tmp_path / "x").read_bytes() == "é\n".encode()
    assert mode(tmp_path / "x") == 0o640


def test_an_error_keeps_the_old_file_and_leaves_nothing_behind(tmp_path):
    path, link = tmp_path / "x", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    with pytest.raises(TypeError), atomic_writer(path) as stream:
        stream.writelines(["new", None])
    assert path.read_text() == "old"
    assert set(tmp_path.iterdir()) == {path, link}
    # A link keeps pointing at its target.
    write(link, "new")
    assert (link.is_symlink(), path.read_text(), mode(path)) == (True, "new", 0o600)


def test_devices_and_pipes_are_written_directly(tmp_path):
    write(Path("/dev/null"), "x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    for text in ("x" * 100_000, "x"):
        refused(DataError, "No space left", write, Path("/dev/full"), text)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    got = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_text()))
    reader.start()
    write(fifo, "through")
    reader.join(10)
    assert (got, fifo.is_fifo()) == (["through"], True)


@pytest.mark.parametrize("name", ["no/such/x", ".", "x" * 5000, "a/x"])
def test_a_place_that_cannot_be_written(tmp_path, name):
    (tmp_path / "a").write_text("a file, no directory")
    refused(DataError, "cannot be written", write, tmp_path / name, "x")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["out.wa", "x" * 255, "日" * 85, ".hidden"])
def test_drafts_are_hidden_and_those_of_the_dead_go(tmp_path, name):
    target, other = tmp_path / name, tmp_path / f"{name[:-1]}y"
    for path in (target, target, other):
        child = os.fork()
        if child == 0:
            with atomic_writer(path) as stream:
                stream.write("half")
                os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
    # That of the second killed the first's.
    dead = {path.name for path in tmp_path.iterdir()}
    assert [name[:10] + name[-5:] for name in dead] == [".ists-asp-.part"] * 2
    mine = tmp_path / f".ists-asp-{name[:20]}.mine.part"
    mine.write_text("")
    with atomic_writer(target):
        living = {path.name for path in tmp_path.iterdir()} - dead - {mine.name}
        write(target, "new")
        assert living < {path.name for path in tmp_path.iterdir()}
    assert len(list(tmp_path.iterdir())) == 3
    assert mine.exists()


def test_a_folder_that_vanishes_is_noticed(tmp_path):
    target = tmp_path / "gone" / "out"
    target.parent.mkdir()

    def go_on():
        with atomic_writer(target) as out:
            check_there(out, target)
            shutil.rmtree(target.parent)
            check_there(out, target)

    refused(DataError, "gone/out: cannot be written: its folder is gone", go_on)


def use(name):
    return Use(f"--x {name}", name if isinstance(name, int) else Path(name))


def test_new_files_are_the_same_if_folder_and_name_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("link").symlink_to("folder")
    Path("dangling").symlink_to("folder/new")
    for one, other in [("new", "./new"), ("folder/new", "link/new"), ("dangling", "folder/new")]:
        refused(UsageError, "writes the same file", refuse_clashes, [], [use(one), use(other)])
    with pytest.raises(UsageError, match="--x folder/x/y writes the same file"):
        refuse_clashes([], [use("folder/x/y"), use("link/x/y")])
    refuse_clashes([], [use("new"), use("folder/new"), use("folder/newer")])


def test_devices_pipes_copies_and_names_that_no_file_can_have_clash_with_nothing(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    ends = os.pipe()
    for name in ("/dev/null", "/dev/full", tmp_path / "pipe", *ends):
        refuse_clashes([use(name)], [use(name)])
        refuse_clashes([], [use(name), use(name)])
    for end in ends:
        os.close(end)
    for name in (tmp_path / ("x" * 300), tmp_path / "a\0b", 12345):
        refuse_clashes([use(name)], [use(name)])
    for name in ("a", "b"):
        (tmp_path / name).write_text("same")
    refuse_clashes([use(tmp_path / "a")], [use(tmp_path / "b")])
    # Nothing is looked for where nothing is written.
    refuse_clashes((pytest.fail(name) for name in "a"), [use("/dev/null")])


def test_the_cache_is_private_and_becomes_so_again(tmp_path):
    folder = tmp_path / "cache"
    for _ in range(2):
        with Store(folder) as store:
            store.put_many([(b"key", [1])])
            assert mode(folder) == 0o700
            assert {mode(path) for path in folder.iterdir()} == {0o600}
            assert len(list(folder.iterdir())) == 4
        (folder / FILE).chmod(0o644)


@pytest.mark.slow
def test_no_library_keeps_or_sends_anything_of_its_own(tmp_path):
    code = "import ists_asp; ists_asp.load(cache=None).solve('a dog', 'a cat')"
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=env, check=True, timeout=300)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def lines(data, **options):
    return [line.text for line in read_lines(io.BytesIO(data), name="f", **options)]


def test_bom_and_crlf_are_dropped_and_every_stray_byte_between_blanks_stays_a_token():
    warnings = []
    assert lines(b"\xef\xbb\xbfa b\r\nc\r\n", warn=warnings.append) == ["a b", "c"]
    assert warnings == []
    for stray in range(0x80, 0x100):
        (line,) = lines(b"a %c b" % stray)
        assert len(split_words(line)) == 3
    assert lines(b"5\xa0000 \xa0 \x9d \xe9") == ["5\u00a0000 \ufffd \ufffd é"]


def test_undecodable_line_is_read_as_windows_1252_with_one_warning():
    warnings = []
    data = b"ok\ncaf\xe9 \x93x\x94\n\x81\n"
    assert lines(data, warn=warnings.append)[:2] == ["ok", "café “x”"]
    told = [warning for warning in warnings if "UTF-8" in warning]
    assert [warning.split(": ")[0] for warning in told] == ["f:2", "f:3"]
    # Columns count from 1.
    assert told[0].startswith("f:2: byte 0xE9 at column 4 is not UTF-8")


def test_files_that_are_missing_and_bytes_that_are_odd_are_errors(tmp_path):
    for path in (tmp_path / "no", tmp_path):
        refused(DataError, "cannot be read", list, read_lines(path))
    for data in (b"\xff\n", b"a\x0bb\n"):
        refused(DataError, r"^f:1: ", lines, data, strict=True)


def test_control_characters_become_blanks_and_only_blanks_and_tabs_separate_tokens():
    warnings = []
    data = "a\x0bb\x85c\u2028d\x00e\tf".encode()
    assert lines(data, warn=warnings.append) == ["a b c d e\tf"]
    assert warnings == ["f:1: control character U+0000, U+000B, U+0085, U+2028; read as a space"]
    tokens = split_words(" 5\u00a0000 \u00a0 x \t y\u3000 \u3000 z ")
    assert tokens == ["5\u00a0000", "\u00a0", "x", "y\u3000", "\u3000", "z"]


@pytest.mark.parametrize("line", ["sentence1", "text_a", " Sent2 "])
def test_a_file_of_sentences_has_no_header(line):
    with pytest.raises(FormatError, match=r"^a:1: the line names columns"):
        list(read_sentences(io.BytesIO(f"{line}\nx\n".encode()), name="a"))
    assert len(list(read_sentences(io.BytesIO(f"x\n{line}\ntext\n".encode())))) == 3


@given(st.binary(max_size=200))
def test_any_bytes_give_printable_lines(data):
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        refused(FormatError, "UTF-16", lines, data)
        return
    for text in lines(data):
        assert not any(unicodedata.category(char) == "Cc" and char != "\t" for char in text)


read_sentences = partial(parse_lines, parse=parse_sentence)
read_chunks = partial(parse_lines, parse=chunk_parser(Repairs(strict=True)))


def sts_of(source, name):
    source.name = name
    return read_sts(source)


def faults_of(read, text, **options):
    """How many items are read, and the messages of the error at the end."""
    found = []
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(DataError) as caught:
        found.extend(read(io.BytesIO(data), name="f", **options))
    return len(found), caught.value.messages


READERS = {
    "sentences": read_sentences,
    "chunks": partial(parse_lines, parse=chunk_parser(Repairs())),
    "tsv": partial(read_table, kind="tsv"),
    "sts": sts_of,
    "jsonl": partial(read_table, kind="jsonl"),
}


def begin_with(messages, starts):
    return len(messages) == len(starts) and all(map(str.startswith, messages, starts))


@cases(r"""
kind      | text=                   | starts
sentences | "a\n\nb\n \n"           | f:2: an empty; f:4: an empty
chunks    | "[ a ]\n[ ]\n\n"        | f:2: an empty; f:3: an empty
tsv       | "a\tb\nc\n\nd\te\tf\n\tg\nh\ti\n"
    f:2: 1 cell; f:3: an empty row; f:4: 3 cells; f:5: sentence 1 is empty
sts       | "1\ta\tb\nx\tc\td\n\n2\te\n"
    f:2, column 1: found 'x'; f:3: an empty row; f:4: 2 cells
jsonl     | '{"sent1": "a", "sent2": "b"}\n{\n\n{"sent1": "a"}\n{"sent1": "a", "sent2": ""}\n'
    f:2: no valid JSON; f:3: an empty row; f:4: no 'sent2'; f:5: sent2 is empty
""")
def test_every_faulty_line_is_told(kind, text, starts):
    assert begin_with(faults_of(READERS[kind], text)[1], starts.split("; "))


def test_strict_reading_tells_every_line_that_needs_a_repair():
    count, told = faults_of(read_sentences, b"a\n\xe9\nb\nc\x07\n", strict=True)
    assert (count, [message.split(":")[1] for message in told]) == (2, ["2", "4"])
    count, told = faults_of(read_chunks, "[ a ]\na\n[ b\n")
    assert (count, len(told)) == (1, 2)
    # Of many faults the first are told and the rest counted.
    count, told = faults_of(read_sentences, "\n" * 25 + "a\n" + "\n" * 1000)
    empty = "an empty sentence; expected at least one token"
    assert (count, told[20:]) == (1, ("and 1005 more faulty lines",))
    assert told[:20] == tuple(f"f:{number}: {empty}" for number in range(1, 21))


def test_both_files_of_pairs_tell_their_faults_and_lines_stay_together():
    pairs = []
    files = io.BytesIO(b'a "b"\\ %\n\na3\na4\na5\n'), io.BytesIO(b"b1\nb2\nb  3\n\n")
    with pytest.raises(FaultyLinesError) as caught:
        pairs.extend(read_pairs(*files, name1="a", name2="b"))
    texts = [(pair.id, pair.sent1.text, pair.sent2.text) for pair in pairs]
    assert texts == [("1", 'a "b"\\ %', "b1"), ("3", "a3", "b 3")]
    starts = ["a:2: an empty sentence", "b:4: an empty sentence", "a: 5 sentences against 4 in b"]
    assert begin_with(caught.value.messages, starts)


def test_what_ends_the_reading_comes_with_what_was_wrong_before(monkeypatch):
    monkeypatch.setattr("ists_asp.io.text.LONGEST", 10)
    _, told = faults_of(read_sentences, "\na\n" + "b" * 20)
    assert begin_with(told, ["f:1: an empty sentence", "f:3: a line of more than 0 MB"])


def test_a_sentence_tells_all_its_malformed_alignments():
    line = "{} <==> 1 // {} // 5 // a\n"
    lines = line.format(1, "SAME") + line.format("x", "EQUI") + line.format(1, "EQUI")
    text = f'<sentence id="1" status="">\n<alignment>\n{lines}</alignment>\n'
    (sentence,) = read_wa(io.BytesIO(text.encode()), name="f")
    with pytest.raises(FaultyLinesError) as caught:
        sentence.to_alignments()
    assert begin_with(caught.value.messages, ["f:3:", "f:4:"])
    assert str(caught.value) == "\n".join(caught.value.messages)


def repeated(text, before="", after="\n"):
    return (before + text * (SIZE // len(text)) + after).encode()


@cases(
    "data | words",
    (repeated("a.", after="a=1"), "1: a key of more than 4 parts"),
    (repeated('"a" . ', after='"a"=1'), "1: a key of more than 4 parts"),
    (repeated("a.", "b = 1\n[", "a]"), "2: a key of more than 4 parts"),
    (repeated("a.", "b = { c = 1, ", "a=1}"), "1: a key of more than 4 parts"),
    (repeated("[", "a = "), "1: too many brackets within brackets"),
    (repeated("{ a = ", "a = "), "1: too many brackets within brackets"),
    (repeated("a=1\n"), "2: no TOML: Cannot overwrite a value"),
    ("".join(f"a{number}=1\n" for number in range(9000)).encode(), None),
    (repeated("9", "\na = "), "2: a number has too many digits"),
    (repeated('\\"', 'a = "'), "1: no TOML"),
    (repeated('"'), "no TOML"),
    (repeated("'", "a = "), "no TOML"),
    (repeated("\\", 'a = """'), "no TOML"),
    (repeated(" "), None),
    (repeated("#"), None),
    (repeated("[[a]]\n"), None),
    (repeated("1.5, ", "a = [", "]"), None),
    (repeated("f", "a = 0x"), None),
    (b"a = 1\nb = ]", "2: no TOML: Invalid value"),
    (b"a = 1\nb = \xff", "2: byte 0xff is not UTF-8"),
    (b"a = 1\na = 2", "2: no TOML: Cannot overwrite a value"),
    (b'a = "', "1: no TOML"),
)
def test_what_people_do_not_write_takes_no_time(data, words):
    found = []

    def parse():
        try:
            parse_toml(data)
        except TomlError as error:
            found.append(f"{error.line}: {error.found}")

    assert processor_seconds(parse) < 1
    assert not found if words is None else words in found[0]


@cases(
    "text",
    *("a.b.c.d = 1", 'a = "b.c.d.e.f.g.h"', "a = 'x' # b.c.d.e.f.g.h"),
    *('a = """\n[[[[[[[[[[ a.b.c.d.e.f\n"""', "a = [[[[[[[1]]]]]]]"),
    *("a = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5]", "a = 1979-05-27T00:32:00.999999"),
)
def test_what_people_write_is_read(text):
    assert parse_toml(text.encode())[0] == text


def test_keys_have_lines_and_messages_quote_little_of_a_value():
    text = (
        'top = [\n1,\n2]\n[marks]\nquote = """\n[no]\nno = 1\n"""\n# no = 1\n"a el" = "al"\n[empty]'
    )
    expected = {("", "top"): 1, ("marks", ""): 4, ("marks", "quote"): 5, ("marks", "a el"): 10}
    assert key_lines(text) == {**expected, ("empty", ""): 11}
    for value in ("x" * 10**6, [1] * 10**5, 1 << 10**5):
        assert len(literal(value)) <= 80
