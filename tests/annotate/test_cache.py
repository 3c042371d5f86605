"""The annotation cache: what it keeps, and what can happen to its file."""

import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import pytest
from click.testing import CliRunner

from ists_asp.annotate import Annotator
from ists_asp.annotate.stanza import Reading, StanzaAdapter, find
from ists_asp.cli.app import main
from ists_asp.errors import ResourceError
from ists_asp.io.cache import FILE, MARK, Cache
from ists_asp.io.text import make_sentence

SENTENCES = [
    make_sentence(text.split()).tokens
    for text in ("Dogs bark .", "the bulb is connected.", "Él dijo «no»")
]


def refuse(*_):
    raise AssertionError("Stanza was asked")


def test_only_what_is_new_is_asked(annotator, tmp_path, monkeypatch):
    asked = []
    tag = StanzaAdapter.tag

    def listen(self, sentences):
        asked.extend(sentences)
        return tag(self, sentences)

    monkeypatch.setattr(StanzaAdapter, "tag", listen)
    with Cache(tmp_path) as cache:
        cached = Annotator(cache=cache)
        cached.annotate(SENTENCES[:2])
        assert cached.annotate(SENTENCES) == annotator.annotate(SENTENCES)
    assert asked[2][:2] == ["Él", "dijo"]


def test_raw_texts_are_kept_as_well(tmp_path, monkeypatch):
    with Cache(tmp_path) as cache:
        first = Annotator(cache=cache).tokenize(["Dogs bark.", "", "Dogs bark."])
        monkeypatch.setattr(StanzaAdapter, "tokenize", refuse)
        again = Annotator(cache=cache).tokenize(["", "Dogs  bark."])
    assert again == [(), first[0]]
    assert [token.form for token in first[0]] == ["Dogs", "bark", "."]


def test_other_models_have_other_entries(tmp_path):
    models = find("en")
    copies = []
    for path in models.files:
        copies.append(tmp_path / f"{len(copies)}-{path.name}")
        copies[-1].write_bytes(path.read_bytes())
    same = replace(models, files=tuple(copies))
    assert same.key == models.key
    copies[1].write_bytes(copies[1].read_bytes() + b"\0")
    assert same.key != models.key
    with Cache(tmp_path) as cache:
        cache.put("one", [("text", ["a"])])
        assert cache.get("one", ["text", "texts"]) == [["a"], None]
        assert cache.get("other", ["text"]) == [None]


def test_a_damaged_file_is_made_anew(tmp_path):
    Cache(tmp_path).close()
    head = (tmp_path / FILE).read_bytes()[:72]
    for damaged in (b"", head, head + b"\xff" * 5000):
        (tmp_path / FILE).write_bytes(damaged)
        with Cache(tmp_path) as cache:
            assert cache.get("m", ["x"]) == [None]
            cache.put("m", [("x", 1)])
            assert cache.get("m", ["x"]) == [1]


@pytest.mark.parametrize(
    "content", [b"no database", b"SQLite format 3\0" + b"\xff" * 5000, b"SQLite format 3\0" * 20]
)
def test_a_file_of_somebody_stays_as_it_is(tmp_path, content):
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(ResourceError, match="file of another program"):
        Cache(tmp_path)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [(FILE, content)]


@pytest.mark.parametrize("suffix", ["-shm", "-wal", "-journal"])
@pytest.mark.parametrize("used", [False, True])
def test_a_file_of_somebody_beside_the_cache_stays_as_it_is(tmp_path, suffix, used):
    if used:
        Cache(tmp_path).close()
    beside = tmp_path / f"{FILE}{suffix}"
    beside.write_text("notes\n")
    with pytest.raises(ResourceError, match=f"{beside.name} is the file of another program"):
        Cache(tmp_path)
    assert beside.read_text() == "notes\n"
    beside.unlink()
    os.mkfifo(beside)
    with pytest.raises(ResourceError, match="of another program"):
        Cache(tmp_path)
    assert beside.is_fifo()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE entries (name TEXT)",
        "CREATE VIEW entries AS SELECT 1 AS key, 2 AS models, 3 AS value",
        "CREATE TABLE others (key, models, value)",
        """CREATE TABLE entries (key BLOB PRIMARY KEY, models TEXT, value TEXT);
        CREATE TRIGGER t AFTER INSERT ON entries BEGIN DELETE FROM entries; END""",
    ],
)
def test_a_database_of_another_shape_stays_as_it_is_unless_it_is_ours(tmp_path, statement):
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.executescript(statement)
    content = (tmp_path / FILE).read_bytes()
    with pytest.raises(ResourceError, match="the file of another program"):
        Cache(tmp_path)
    assert (tmp_path / FILE).read_bytes() == content
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute(f"PRAGMA application_id = {MARK}")
    with Cache(tmp_path) as cache:
        assert cache.info().entries == 0
        cache.put("m", [("x", 1)])
        assert cache.get("m", ["x"]) == [1]


def test_damage_while_in_use_costs_entries_only(tmp_path):
    with Cache(tmp_path) as cache:
        cache.put("m", [(number, "y" * 500) for number in range(200)])
    file = tmp_path / FILE
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xaa" * (len(content) - 4096)
    file.write_bytes(content)
    with Cache(tmp_path) as cache:
        assert cache.get("m", list(range(200))) == [None] * 200
        cache.put("m", [(1, "z")])
        assert cache.get("m", [1]) == ["z"]


DAMAGE = {
    "the file format is unknown": lambda content: content.__setitem__(18, 9),
    "the file may only be read": lambda content: content.__setitem__(18, 3),
    "the schema is no text": lambda content: content.__setitem__(
        slice(content.index(b"entries"), content.index(b"WITHOUT")), b"\xa6" * 9
    ),
    "pages point to nowhere": lambda content: content.__setitem__(
        slice(5000, 9000), b"\xff" * 4000
    ),
    "the file is cut": lambda content: content.__delitem__(slice(5000, None)),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("use", ["info", "clear", "get"])
def test_whatever_is_damaged_it_can_be_used(tmp_path, damage, use):
    with Cache(tmp_path) as cache:
        cache.put("m", [(number, "y" * 500) for number in range(20)])
    content = bytearray((tmp_path / FILE).read_bytes())
    damage(content)
    (tmp_path / FILE).write_bytes(content)
    with Cache(tmp_path) as cache:
        if use == "get":
            assert set(cache.get("m", list(range(20)))) <= {"y" * 500, None}
        else:
            done = CliRunner().invoke(main, ["cache", use, "--cache", str(tmp_path)])
            assert (done.exit_code, done.stderr) == (0, "")
    with Cache(tmp_path) as cache:
        cache.put("m", [(1, "z")])
        assert cache.get("m", [1]) == ["z"]


def overwrite(folder, values):
    """Put other values where entries have these texts in them."""
    with closing(sqlite3.connect(folder / FILE)) as database, database:
        for text, value in values.items():
            found = database.execute(
                "UPDATE entries SET value = CAST(? AS TEXT) WHERE value LIKE ?",
                (value, f'%"{text}"%'),
            )
            assert found.rowcount == 1


READINGS = [
    *(b'[["\\ud800", "NOUN", "NN"]]', b'[["a\\u0000", "NOUN", "NN"]]'),
    *(b'[["\\u001b[31m", "NOUN", "NN"]]', b'[["\\u202e", "NOUN", "NN"]]', b'[["", "NOUN", "NN"]]'),
    *(b'[["a", "", "NN"]]', b'[["a", "NOUN", ""]]', b'[["a", "noun)", "NN"]]'),
    *(b'[["a", "NOUN", "N N"]]', b'[["a", "NOUN", "NN", "x"]]', b'[["a", "NOUN", 1]]'),
    *(b'[{"lemma": "a"}]', b'[["a", "NOUN", "NN"], ["a", "NOUN", "NN"]]', b"[]", b"null"),
    b'[["\xff", "NOUN", "NN"]]',
    b"[" * 10_000,
    b"\x00",
    b"",
    b'[["' + b"a" * 1000 + b'", "NOUN", "NN"]]',
    b'[["' + b"a" * (1 << 21) + b'", "NOUN", "NN"]]',
]


def test_entries_that_stanza_cannot_have_said_are_made_again(annotator, tmp_path, monkeypatch):
    words = [f"dog{number}" for number in range(len(READINGS))]
    sentences = [make_sentence([word]).tokens for word in (*words, "cats")]
    right = annotator.annotate(sentences)
    asked = []
    tag = StanzaAdapter.tag

    def listen(self, given):
        asked.extend(word for sentence in given for word in sentence)
        return tag(self, given)

    with Cache(tmp_path) as cache:
        assert Annotator(cache=cache).annotate(sentences) == right
    overwrite(tmp_path, dict(zip(words, READINGS, strict=True)))
    monkeypatch.setattr(StanzaAdapter, "tag", listen)
    with Cache(tmp_path) as cache:
        assert Annotator(cache=cache).annotate(sentences) == right
        assert sorted(asked) == sorted(words)
        assert Annotator(cache=cache).annotate(sentences) == right
        assert len(asked) == len(words)


def test_tokens_are_those_of_the_text(tmp_path, monkeypatch):
    values = [b'["Other"]', b'["D0gs\\ud800"]', b'["D1gs", ""]', b'"D3gs."', b'["D4", "gs", ".."]']
    texts = [f"D{number}gs." for number in range(len(values))]
    with Cache(tmp_path) as cache:
        right = Annotator(cache=cache).tokenize(texts)
    overwrite(tmp_path, {f"D{number}gs": value for number, value in enumerate(values)})
    with Cache(tmp_path) as cache:
        assert Annotator(cache=cache).tokenize(texts) == right
        monkeypatch.setattr(StanzaAdapter, "tokenize", refuse)
        assert Annotator(cache=cache).tokenize(texts) == right


def test_what_does_not_fit_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(
        StanzaAdapter, "tag", lambda _self, given: [[Reading("\ud800", "X", "_")] for _ in given]
    )
    with Cache(tmp_path) as cache:
        (tokens,) = Annotator(cache=cache).annotate([make_sentence(["dogs"]).tokens])
        assert tokens[0].words[0].lemma == "\ud800"
        assert cache.info().entries == 0


def test_a_directory_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ResourceError, match=r"--cache none") as caught:
        Cache(tmp_path / "file" / "cache")
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_the_commands(tmp_path):
    def call(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "ists_asp", *arguments, "--cache", str(tmp_path)],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    # Two sentences; what a reader holds of pairs would be counted, too.
    options = "--profile", "images", "--reader", "none"
    solved = call("solve", "--tokens", "A cat sits .", "A dog sits .", *options)
    assert solved.returncode == 0
    info = json.loads(call("cache", "info", "--json").stdout)
    assert info["entries"] == 2
    assert info["file"] == str(tmp_path / FILE)
    assert list(info["models"].values()) == [2]
    assert call("cache", "info").stdout.splitlines()[2].split() == ["entries", "2"]
    # What is kept of rules goes, too.
    removed = re.fullmatch(r"(\d+) entries removed\n", call("cache", "clear").stdout)
    assert removed is not None
    assert int(removed[1]) > 2
    assert json.loads(call("cache", "info", "--json").stdout)["entries"] == 0
    again = call("solve", "--tokens", "A cat sits .", "A dog sits .", *options)
    assert again.stdout == solved.stdout
