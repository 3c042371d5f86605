import os
import pty
import subprocess
import sys

import pytest


@pytest.mark.slow
def test_pipes_and_devices_may_be_called_anything(good, tmp_path):
    os.mkfifo(tmp_path / "answers.csv")
    with subprocess.Popen(["cat", "answers.csv"], cwd=tmp_path, stdout=subprocess.PIPE) as reader:
        good("solve", "a cat", "a dog", "-o", "answers.csv")
        assert reader.stdout.read().startswith(b"<sentence")


def test_piped_pairs_need_an_option(bad):
    told = bad(2, "solve", stdin="a cat\ta dog\n")
    assert told.endswith(". Pairs are read from standard input with --tsv - or --jsonl -")


def test_a_terminal_is_no_pipe():
    master, slave = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "ists_asp", "solve"], stdin=slave, capture_output=True, text=True
    )
    os.close(master)
    os.close(slave)
    assert (done.returncode, "standard input" in done.stderr) == (2, False)


LONG = "x " * 501


def test_chunks_do_not_go_with_raw(bad):
    line = '{"sent1": "a", "sent2": "b", "chunks1": [[1, 1]], "chunks2": [[1, 1]]}\n'
    message = bad(1, "solve", "--raw", "--jsonl", "-", stdin=line)
    assert message.startswith("pair 1: the pair has chunks, which --raw cannot keep")


def test_places_that_cannot_be_used(bad, files, tmp_path, monkeypatch):
    assert bad(1, "solve", "a", "b", "--stanza-dir", tmp_path).startswith(str(tmp_path))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    message = bad(2, "solve", "a", "b", "-o", tmp_path / "x.wa")
    assert message == f"-o {tmp_path / 'x.wa'}: may not be written. Choose another place"


def test_undecodable_argument_is_read_like_a_file(run):
    result = run("solve", "caf\udce9", "b", "--format", "text")
    assert "  1: café\n" in result.stdout
    assert result.stderr.startswith("warning: sentence 1:1: byte 0xE9 at column 4 is not UTF-8")


FAULTS = {
    "files of different length": (b"a\nb\nc\n", b"a\nb\n", "a.txt: 3 sentences against 2 in b.txt"),
    "empty sentence": (b"a\n\nc\n", b"a\nb\nc\n", "a.txt:2: an empty sentence; expected at least"),
    "blank sentence": (b"a\n", b" \t\n", "b.txt:1: an empty sentence"),
    "empty files": (b"", b"", "a.txt: the input is empty; expected at least one pair"),
    "UTF-16": ("a b\n".encode("utf-16"), b"a\n", "a.txt: the file is UTF-16; expected UTF-8"),
}


@pytest.mark.parametrize(("one", "two", "message"), FAULTS.values(), ids=FAULTS)
def test_faulty_files_leave_no_output(bad, tmp_path, one, two, message):
    (tmp_path / "a.txt").write_bytes(one)
    (tmp_path / "b.txt").write_bytes(two)
    (tmp_path / "old.wa").write_text("old")
    for name in ("new.wa", "old.wa"):
        found = bad(1, "solve", "--sent1", "a.txt", "--sent2", "b.txt", "-o", name)
        assert found.startswith(message)
    assert (tmp_path / "old.wa").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "b.txt", "old.wa"]


@pytest.mark.parametrize(("stdin", "found"), [("", 0), ("a\nb\n", 2)])
def test_standard_input_is_one_sentence(bad, stdin, found):
    told = bad(1, "solve", "-", "b", stdin=stdin)
    assert told.startswith(f"<stdin>: {found} lines; expected one sentence")


REPAIRS = {
    "undecodable bytes": (b"caf\xe9 x\n", "a.txt:1: byte 0xE9 at column 4 is not UTF-8; the line"),
    "control characters": (b"a\x07b\x00\n", "a.txt:1: control character U+0000, U+0007; read as"),
    "nested brackets": (b"[ in [ a path ]\n", "a.txt:1: bracket [ inside an open chunk after 'in'"),
    "glued brackets": (b"[is not ]\n", "a.txt:1: no blank at the bracket of '[is'; read with"),
    "unclosed bracket": (b"[ a ] [ b c\n", "a.txt:1: the chunk 'b c' has no ]; it ends at"),
    "outside brackets": (b"[ a ] b c [ d ]\n", "a.txt:1: 'b c' stands outside brackets; read as"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("line", "message"), REPAIRS.values(), ids=REPAIRS)
def test_repairs_are_warnings_or_with_strict_errors(run, bad, tmp_path, line, message):
    (tmp_path / "a.txt").write_bytes(line)
    (tmp_path / "b.txt").write_text("[ a ]\n" if b"[" in line else "a\n")
    options = ["solve", "--sent1", "a.txt", "--sent2", "b.txt", "-q", "-o", "out.wa"]
    options += ["--chunked"] * (b"[" in line)
    assert bad(1, *options, "--strict").startswith(message.partition(";")[0] + ". Mend it")
    assert not (tmp_path / "out.wa").exists()
    result = run(*options)
    assert result.exit_code == 0
    assert result.stderr.startswith(f"warning: {message}")
    assert result.stderr.count("\n") == 1
    assert (tmp_path / "out.wa").exists()


@pytest.mark.slow
def test_odd_words_come_through_unchanged(good):
    words = ['"', "\\", "%", "%*", "*%", '\\"', "\\n", "a.", "X", "#show", "é", "<b>", "//", "<==>"]
    tsv = "".join(f"{word} sat\ta cat saw {word}\n" for word in words)
    text = good("solve", "--tokens", "--tsv", "-", "--format", "text", stdin=tsv)
    for word in words:
        assert f"  1: {word} sat\n  2: a cat saw {word}\n" in text


@pytest.mark.slow
def test_longest_sentence_allowed_is_solved(good):
    words = " ".join(f"w{number}" for number in range(500))
    assert "\n500 w499 : \n" in good("solve", "--chunked", f"[ {words} ]", "[ w1 ]")


def test_a_long_id_is_not_told_in_full(run, bad):
    name = "n" * 100_000
    result = run("facts", "--tsv", "-", stdin=f"{name}\ta\tb\n{name}\tc\td\n{name}2\t{LONG}\te\n")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 3)
    assert len(result.stderr) < 500
    message = bad(1, "facts", "--tsv", "-", "--id", "y" * 100_000, stdin=f"{name}\ta\tb\n")
    assert message.startswith("there is no pair with the id 'yyy")
    assert len(message) < 300
