"""What is cached of Stanza's annotations, and what is no annotation."""

import json
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import pytest

from ists_asp.annotate import Annotator
from ists_asp.annotate.stanza import Reading, StanzaAdapter, find
from ists_asp.io.store import FILE, Store
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
    with Store(tmp_path) as store:
        cached = Annotator(store=store)
        cached.annotate(SENTENCES[:2])
        assert cached.annotate(SENTENCES) == annotator.annotate(SENTENCES)
    assert asked[2][:2] == ["Él", "dijo"]


def test_raw_texts_are_kept_as_well(tmp_path, monkeypatch):
    with Store(tmp_path) as store:
        first = Annotator(store=store).tokenize(["Dogs bark.", "", "Dogs bark."])
        monkeypatch.setattr(StanzaAdapter, "tokenize", refuse)
        again = Annotator(store=store).tokenize(["", "Dogs  bark."])
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


def overwrite(store, values):
    """Put other values where entries have these texts in them."""
    with closing(sqlite3.connect(store.path)) as database:
        rows = database.execute("SELECT key, value FROM entries").fetchall()
    for text, value in values.items():
        (key,) = (key for key, old in rows if f'"{text}"'.encode() in old)
        store.put_many([(key, value)])


READINGS = [
    *([["a\0", "NOUN", "NN"]], [["\x1b[31m", "NOUN", "NN"]], [["\u202e", "NOUN", "NN"]]),
    *([["", "NOUN", "NN"]], [["a", "", "NN"]], [["a", "NOUN", ""]], [["a", "noun)", "NN"]]),
    *([["a", "NOUN", "N N"]], [["a", "NOUN", "NN", "x"]], [["a", "NOUN", 1]], [{"lemma": "a"}]),
    *([["a", "NOUN", "NN"], ["a", "NOUN", "NN"]], [], None, [["a" * 1000, "NOUN", "NN"]]),
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

    with Store(tmp_path) as store:
        assert Annotator(store=store).annotate(sentences) == right
        overwrite(store, dict(zip(words, READINGS, strict=True)))
        monkeypatch.setattr(StanzaAdapter, "tag", listen)
        assert Annotator(store=store).annotate(sentences) == right
        assert sorted(asked) == sorted(words)
        assert Annotator(store=store).annotate(sentences) == right
        assert len(asked) == len(words)


def test_tokens_are_those_of_the_text(tmp_path, monkeypatch):
    values = [["Other"], ["D1gs", ""], "D2gs.", ["D3", "gs", ".."]]
    texts = [f"D{number}gs." for number in range(len(values))]
    with Store(tmp_path) as store:
        right = Annotator(store=store).tokenize(texts)
        overwrite(store, {f"D{number}gs": value for number, value in enumerate(values)})
        assert Annotator(store=store).tokenize(texts) == right
        monkeypatch.setattr(StanzaAdapter, "tokenize", refuse)
        assert Annotator(store=store).tokenize(texts) == right


def test_what_does_not_fit_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(
        StanzaAdapter, "tag", lambda _self, given: [[Reading("\ud800", "X", "_")] for _ in given]
    )
    with Store(tmp_path) as store:
        (tokens,) = Annotator(store=store).annotate([make_sentence(["dogs"]).tokens])
        assert tokens[0].words[0].lemma == "\ud800"
        assert not store.info()


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

    # Two sentences.
    options = "--profile", "images", "--reader", "none"
    solved = call("solve", "--tokens", "A cat sits .", "A dog sits .", *options)
    assert solved.returncode == 0
    info = json.loads(call("cache", "info", "--json").stdout)
    assert info["file"] == str(tmp_path / FILE)
    assert info["kinds"]["annotations"]["entries"] == 2
    assert ["annotations", "2"] in map(str.split, call("cache", "info").stdout.splitlines())
    removed = re.fullmatch(r"(\d+) entries removed\n", call("cache", "clear").stdout)
    assert removed is not None
    assert int(removed[1]) > 2
    assert json.loads(call("cache", "info", "--json").stdout)["entries"] == 0
    again = call("solve", "--tokens", "A cat sits .", "A dog sits .", *options)
    assert again.stdout == solved.stdout
