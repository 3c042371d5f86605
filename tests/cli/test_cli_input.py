"""What is read: repaired, warned of, too long, in another language; tables in and out."""

import csv
import gzip
import json
import os
import pty
import subprocess
import time
from dataclasses import replace

import openpyxl
import pytest

from ists_asp.engine.preparation import read_pair
from ists_asp.errors import DataError
from ists_asp.io.pairs import read_pairs
from ists_asp.io.text import make_sentence
from ists_asp.lang import guess
from ists_asp.model import Chunk, Pair
from ists_asp.pipeline.source import Attached
from ists_asp.resources import data_dir
from ists_asp.rules import list_profiles, load_profile
from tests.sharing import cases, python, refused, shared_system

FOREIGN = "id,sentence1,sentence2\n1,a dog,a cat\n2,el gato come en la casa,un gato duerme\n"
MARKED = "a guitar.|a guitar, and|Update: new|who?|go!|so; then|¿Qué hora?|日本語。 x, 日本:"
UNMARKED = "a guitar .|the U.S.|Mr. Smith Inc. said|at 9:30|J.|...|'' , ;|: x|5,000"
PAIR = ("A man plays a guitar.", "A man plays it .")
GOOD = ("12 killed in bus accident", "10 killed in road accident")
HOSTILE = {
    "letters": ("the " + "a" * 100_000, "the b" + "a" * 99_999 + "b"),
    "chinese": ("人" * 6_000, "人" * 5_998 + "们们"),
    "backslashes": ("\\" * 40_000, "\\" * 39_999),
    "words": (" ".join(["a" * 1_000] * 512), " ".join(["b" * 1_000] * 512)),
    "many": ("x " * 501, "y"),
    "long": ("the " + "a" * 9_000, "the b" + "a" * 8_999 + "b"),
    "marks": ("\"'" * 4_000 + "word", "\"'" * 3_999 + "word"),
}
FAILED = {
    name: f"sentence 1: a sentence of {size} {unit}; expected at most {most} {unit}"
    for sizes, unit, most in (
        ({"letters": 100004, "backslashes": 40000}, "characters", 10000),
        ({"words": 512, "many": 501}, "tokens", 500),
    )
    for name, size in sizes.items()
}
ROWS = [
    ["Code", "Question", "Answer", "Reference", "Note"],
    ["k1", "Why?", "The bulb isn't on, I think.", "The bulb is off.", '=HYPERLINK("x")'],
    ["k2", "Why?", '=HYPERLINK("http://x")', "The switch is open.", "-5"],
]
BAD = [*ROWS, ["k3", "Why?", "", "The bulb is off.", "c"], ["k4", "Why?", "It is."]]
CONFIG = 'profile = "headlines"\nrules = ["mine/words.tsv"]\ntimeout = 5\n'
POWER = ("solve", "--json", "power fails", "electricity fails")


@pytest.mark.slow
def test_pipes_and_devices_may_be_called_anything(good, tmp_path):
    os.mkfifo(tmp_path / "answers.csv")
    with subprocess.Popen(["cat", "answers.csv"], cwd=tmp_path, stdout=subprocess.PIPE) as reader:
        good("solve", "a cat", "a dog", "-o", "answers.csv")
        assert reader.stdout.read().startswith(b"<sentence")


def test_a_terminal_is_no_pipe():
    master, slave = pty.openpty()
    done = python("-m", "ists_asp", "solve", stdin=slave)
    os.close(master)
    os.close(slave)
    assert (done.returncode, "standard input" in done.stderr) == (2, False)


def test_a_place_that_may_not_be_written(bad, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    message = bad(2, "solve", "a", "b", "-o", "x.wa")
    assert message == "-o x.wa: may not be written. Choose another place"


def test_undecodable_argument_is_read_like_a_file(run):
    result = run("solve", "caf\udce9", "b", "--format", "text")
    assert "  1: café\n" in result.stdout
    assert result.stderr.startswith("warning: sentence 1:1: byte 0xE9 at column 4 is not UTF-8")


@pytest.mark.slow
@cases(
    "line | message",
    (b"caf\xe9 x\n", "a.txt:1: byte 0xE9 at column 4 is not UTF-8; the line"),
    (b"[ in [ a path ]\n", "a.txt:1: bracket [ inside an open chunk after 'in'"),
)
def test_repairs_are_warnings_or_with_strict_errors(run, bad, tmp_path, line, message):
    (tmp_path / "a.txt").write_bytes(line)
    (tmp_path / "b.txt").write_text("[ a ]\n" if b"[" in line else "a\n")
    options = ["solve", "--sent1", "a.txt", "--sent2", "b.txt", "-q", "-o", "out.wa"]
    options += ["--chunked"] * (b"[" in line)
    assert bad(1, *options, "--strict").startswith(message.partition(";")[0] + ". Correct it")
    assert not (tmp_path / "out.wa").exists()
    result = run(*options)
    assert (result.exit_code, result.stderr.count("\n")) == (0, 1)
    assert result.stderr.startswith(f"warning: {message}")
    assert (tmp_path / "out.wa").exists()


@pytest.mark.slow
def test_odd_words_come_through_unchanged(good):
    words = [
        '"',
        "\\",
        "%",
        "%*",
        "*%",
        '\\"',
        "\\n",
        "a.",
        "X",
        "#show",
        "café",
        "<b>",
        "//",
        "<==>",
    ]
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
    long = f"{name}2\t{'x ' * 501}\te\n"
    result = run("facts", "--tsv", "-", stdin=f"{name}\ta\tb\n{name}\tc\td\n{long}")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 3)
    assert len(result.stderr) < 550
    message = bad(1, "facts", "--tsv", "-", "--id", "y" * 100_000, stdin=f"{name}\ta\tb\n")
    assert message.startswith("there is no pair with the id 'yyy")
    assert len(message) < 300


@cases(
    "sent1 | sent2 | expected | found",
    ("Ein Hund läuft", "Der Hund schläft", "en", "de"),
    ("El gato duerme", "Un gato come", "en", "es"),
    ("Le chat dort sur le lit", "Un chien est dans la rue", "en", "fr"),
    ("A dog runs in the park", "Ein Hund ist im Park", "en", "de"),
    # Names are none of them.
    ("El Salvador quake kills 10", "Quake hits El Salvador", "en", "en"),
    ("A man plays", "The man sings", "en", "en"),
    ("Carnival in Rio de Janeiro", "Le Monde reports", "en", "en"),
    ("El gato duerme", "Un gato come en la casa", "es", "es"),
    ("The cat is on the mat", "A cat was in the house", "es", "en"),
    ("Vendrá a menos que llueva.", "Vendrá si llueve.", "es", "es"),
    ("UN team leaves Syria", "UN team in Syria", "en", "en"),
    ("EL PERRO CORRE POR EL PARQUE", "A dog", "en", "es"),
    ("Собака бежит", "A dog runs", "en", "ru"),
    ("狗在公园里跑", "the angle is ΔΩ", "es", "zh"),
    ("ΔΩ", "the angle is πr", "en", "en"),
)
def test_small_words_tell_the_language(sent1, sent2, expected, found):
    pair = read_pair(sent1, sent2)
    assert guess((pair.sent1, pair.sent2), expected) == found


@cases(
    "command",
    "solve",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("sts", "explain", "facts")),
)
def test_a_row_in_another_language_is_a_fault(run, tmp_path, command):
    (tmp_path / "a.csv").write_text(f"{FOREIGN}3,der Hund und die Katze,ein Hund\n", "utf-8")
    options = ["-q", "--table", "a.csv", *(["-o", "out"] if command == "facts" else [])]
    result = run(command, *options)
    assert (result.exit_code, result.stdout) == (1, "")
    expected = "expected English, the language of the profile"
    for line, name in ((3, "Spanish"), (4, "German")):
        assert f"a.csv:{line}: this looks like {name}; {expected}" in result.stderr
    # That a pair is too long costs the others nothing, either.
    long = f"3,{'x ' * 501},a cat\n" if command == "facts" else ""
    (tmp_path / "a.csv").write_text(FOREIGN + long, "utf-8")
    result = run(command, *options, "--skip-bad")
    assert result.exit_code == 0
    assert not long or "a.csv:4, sentence 1: a sentence of 501 tokens" in result.stderr
    assert "a.csv:3: this looks like Spanish" in result.stderr
    assert "left out" in result.stderr
    # Who types a pair is told, and gets an answer.
    if command == "solve":
        typed = run(command, "-q", "el gato come en la casa", "un gato")
        assert typed.exit_code == 0
        assert "this looks like Spanish" in typed.stderr
        for check, count in ("warn", 1), ("off", 0):
            result = run(command, *options, "--language-check", check)
            assert (result.exit_code, result.stderr.count("this looks like")) == (0, count)
        strict = run(command, "el gato come en la casa", "un gato", "--language-check", "error")
        assert (strict.exit_code, strict.stdout) == (1, "")
        (tmp_path / "g.tsv").write_text("3\tel gato come en la casa\tun gato\n", "utf-8")
        assert "this looks like Spanish" in run("learn", "--task=sts", "--gold=g.tsv").stderr


def warnings_of(sentences, profile="default"):
    attached, warnings = Attached(), []
    for number, sentence in enumerate(sentences, 1):
        attached.add(Pair(str(number), sentence, make_sentence(["x"])))
    attached.warn(load_profile(profile), warnings.append)
    return warnings


def sentences(*texts):
    return [make_sentence(text.split()) for text in texts]


def test_punctuation_attached_to_a_word_is_noticed_and_tokens_that_have_marks_are_tokens():
    for text in MARKED.split("|"):
        (warning,) = warnings_of(sentences("a cat", text, text))
        assert warning.startswith("2 sentences have punctuation that is part of a word, such")
        assert " in pair 2; the profile default expects it to be a token of its own" in warning
    assert warnings_of(sentences(*UNMARKED.split("|"))) == []


def test_the_advice_is_what_can_be_done():
    (sentence,) = sentences("a guitar.")
    chunked = replace(sentence, chunks=(Chunk(1, 2),))
    (loose,), (given,) = warnings_of([sentence]), warnings_of([chunked])
    assert loose == f"{given}, or add --raw"
    assert given.endswith(": put a space before it")
    (warning,) = warnings_of(sentences("a" * 1000 + ","))
    assert len(warning) < 300


def test_profiles_say_where_it_is_meant():
    meant = {name for name in list_profiles() if load_profile(name).attached_punctuation}
    assert meant == {"answers-students", "sts-en", "sts-es"}
    for name in list_profiles():
        assert bool(warnings_of(sentences("a guitar."), name)) is (name not in meant)


def test_the_samples_suit_their_profiles():
    for name in ("headlines", "images", "answers-students"):
        folder = data_dir() / "samples" / name
        pairs = read_pairs(folder / "sent1.txt", folder / "sent2.txt")
        assert warnings_of([side for one in pairs for side in (one.sent1, one.sent2)], name) == []


@pytest.mark.parametrize(
    "command", ["solve", "chunk", "facts", pytest.param("why", marks=pytest.mark.slow)]
)
def test_commands_warn_once(run, command):
    question = ["1: 1 2"] if command == "why" else []
    result = run(command, "--tokens", "--profile", "baseline", *PAIR, *question)
    (told,) = (line for line in result.stderr.splitlines() if "'guitar.'" in line)
    assert result.exit_code == 0
    assert told.startswith("warning: 1 sentence has punctuation")
    for more in (("--tokens", "--profile", "answers-students"), ()):
        assert run("chunk", *more, *PAIR).stderr == ""


def _table(pairs):
    return "".join(f"{name}\t{first}\t{second}\n" for name, (first, second) in pairs.items())


@pytest.mark.slow
def test_hostile_words_take_no_time_and_cost_no_neighbour_anything(run):
    table = _table({"first": GOOD, **HOSTILE, "last": GOOD})
    found = {}
    options = ("--tsv", "-", "--format", "jsonl", "--timeout", "2", "--language-check", "off")
    for jobs in ("1", "2"):
        began = time.process_time()
        result = run("solve", *options, "--jobs", jobs, stdin=table)
        # Nearly all of it is for loading; the square of 100 000 takes an hour.
        assert time.process_time() - began < 20.0
        assert result.exit_code == 3, result.stderr
        found[jobs] = result.stdout
        assert f"no answer for 4 of 9 pairs: {', '.join(FAILED)}\n" in result.stderr
    assert found["1"] == found["2"]
    records = {record["id"]: record for record in map(json.loads, found["1"].splitlines())}
    assert list(records) == ["first", *HOSTILE, "last"]
    assert {name: one["error"] for name, one in records.items() if "error" in one} == FAILED
    assert records["first"]["alignments"] == records["last"]["alignments"] != []


@pytest.mark.parametrize("name", ["letters", "many"])
def test_alone_and_from_python_the_reason_is_the_same(bad, name):
    reason = FAILED[name]
    assert bad(1, "solve", *HOSTILE[name]).startswith(f"{reason}. Split the text")
    answers = shared_system().solve_many([GOOD, HOSTILE[name], GOOD])
    assert next(answers).alignments
    refused(DataError, f"pair 2, {reason}", next, answers)


@pytest.mark.slow
def test_text_that_has_too_many_tokens_fails_when_they_are_known(run):
    table = _table({"first": GOOD, "many": ("x, " * 300, "y"), "last": GOOD})
    result = run("sts", "--raw", "--tsv", "-", stdin=table)
    assert result.exit_code == 3
    assert "pair many: <stdin>:2: sentence 1: a sentence of 600 tokens; expected" in result.stderr
    first, failed, last = result.stdout.split()
    assert first == last != failed == "0.000"


def write(path, rows=ROWS, delimiter=","):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=delimiter, lineterminator="\n").writerows(rows)


def read(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))


@pytest.mark.slow
def test_all_columns_come_back_and_ours_stand_behind(good, tmp_path):
    write(tmp_path / "a.csv")
    good("solve", "--table", "a.csv", "--id-col", "Code", "-o", "out.csv")
    header, *rows = read(tmp_path / "out.csv")
    assert [row[:5] for row in [header, *rows]] == ROWS
    ours = "rating margin EQUI OPPO SPE1 SPE2 SIMI REL NOALI explanation error"
    assert " ".join(header[5:]) == ours
    record = dict(zip(header, rows[0], strict=True))
    assert 0 <= float(record["rating"]) <= 5
    assert 0 <= float(record["margin"]) <= 2
    assert "bulb" in record["explanation"]
    alone = good("explain", "--table", "a.csv", "--id-col", "Code", "--id", "k1").strip()
    assert record["explanation"] == alone
    good("explain", "--table", "a.csv", "-o", "words.csv")
    assert [row[-2:] for row in read(tmp_path / "words.csv")][1] == [alone, ""]


def test_rows_may_be_alignments_and_no_cell_of_ours_is_a_formula(good, tmp_path):
    write(tmp_path / "a.csv")
    options = ("--table", "a.csv", "--rows", "alignments", "-q")
    good("solve", *options, "-o", "out.csv")
    header, *rows = read(tmp_path / "out.csv")
    at = header.index("chunk1")
    assert {row[0] for row in rows} == {"k1", "k2"}
    assert all(not cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row[at:])
    assert any(row[at].startswith("'=") for row in rows)
    good("solve", *options, "-o", "out.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    assert "f" not in {cell.data_type for row in sheet for cell in row}


def test_faulty_rows_are_told_at_once_or_left_out_and_come_back(run, tmp_path):
    write(tmp_path / "a.csv", BAD)
    result = run("sts", "--table", "a.csv", "-o", "out.csv")
    assert (result.exit_code, result.stdout) == (1, "")
    for told in ("4: Answer is empty", "5: 3 cells; expected 5: Code, Question, Answer, Reference"):
        assert f"a.csv:{told}" in result.stderr
    assert not (tmp_path / "out.csv").exists()
    result = run("sts", "--table", "a.csv", "--skip-bad", "-o", "out.csv")
    assert (result.exit_code, result.stderr.count("; left out")) == (0, 2)
    header, *rows = read(tmp_path / "out.csv")
    assert header[5:] == ["rating", "margin", "error"]
    assert [row[0] for row in rows if row[5]] == ["k1", "k2"]
    assert [row[0] for row in rows if not row[5]] == ["k3", "k4"]
    assert rows[2][7].startswith("a.csv:4: Answer is empty")


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "xlsx", "ods", "parquet"])
def test_an_output_is_an_input(good, tmp_path, kind):
    write(tmp_path / "a.csv")
    good("sts", "-q", "--table", "a.csv", "-o", f"one.{kind}")
    good("sts", "-q", "--table", f"one.{kind}", "-o", "two.csv")
    header, *rows = read(tmp_path / "two.csv")
    if kind == "jsonl":
        assert {"Code", "Question", "Note", "rating"} <= {*header}
    else:
        assert [row[:5] for row in [header, *rows]] == ROWS
        names = ["rating", "margin", "error"]
        assert header[5:] == [*names, *(f"ists_{name}" for name in names)]
        assert [list(map(float, row[5:7] + row[8:10])) for row in rows] == [
            list(map(float, row[8:10])) * 2 for row in rows
        ]


def test_packed_tables_and_streams(good, tmp_path):
    write(tmp_path / "a.csv")
    plain = good("sts", "-q", "--table", "a.csv")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress((tmp_path / "a.csv").read_bytes()))
    assert good("sts", "-q", "--table", "b.csv.gz") == plain
    tsv = "\n".join(f"{row[2]}\t{row[3]}" for row in ROWS[1:])
    assert good("sts", "-q", "--tsv", "-", stdin=tsv) == plain


@pytest.mark.slow
def test_options_come_from_the_nearest_file_and_what_is_typed_wins(
    run, good, written, tmp_path, monkeypatch
):
    for folder in ("mine", "below"):
        (tmp_path / folder).mkdir()
    written(CONFIG, "ists-asp.toml")
    written("power = electricity\n", "mine/words.tsv")
    monkeypatch.chdir(tmp_path / "below")
    shown = json.loads(good("config", "--json"))
    assert shown["file"] == str(tmp_path / "ists-asp.toml")
    assert shown["settings"]["rules"] == [str(tmp_path / "mine" / "words.tsv")]
    assert "profile  headlines" in good("config")
    result = run(*POWER)
    assert "ists-asp.toml is in use; --no-config leaves it out" in result.stderr
    assert json.loads(result.stdout)["alignments"][0]["label"] == "EQUI"
    typed, plain = good(*POWER, "--profile", "images"), good("--no-config", *POWER)
    profiles = [json.loads(text)["system"]["profile"] for text in (result.stdout, typed, plain)]
    assert profiles == ["headlines", "images", "default"]
