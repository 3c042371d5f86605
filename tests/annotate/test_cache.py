"""What is cached of Stanza's annotations, and what is no annotation."""

import json
import sqlite3
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


@pytest.fixture
def asked(monkeypatch):
    sentences, tag = [], StanzaAdapter.tag

    def listen(self, given):
        sentences.extend(given)
        return tag(self, given)

    monkeypatch.setattr(StanzaAdapter, "tag", listen)
    return sentences


@pytest.mark.slow
def test_only_what_is_new_is_asked(annotator, tmp_path, asked):
    with Store(tmp_path) as store:
        cached = Annotator(store=store)
        cached.annotate(SENTENCES[:2])
        found = cached.annotate(SENTENCES)
        assert asked[2][:2] == ["Él", "dijo"]
    assert found == annotator.annotate(SENTENCES)


def test_raw_texts_are_kept_as_well(tmp_path, monkeypatch):
    with Store(tmp_path) as store:
        first = Annotator(store=store).tokenize(["Dogs bark.", "", "Dogs bark."])
        monkeypatch.setattr(StanzaAdapter, "tokenize", refuse)
        again = Annotator(store=store).tokenize(["", "Dogs  bark."])
    assert again == [(), first[0]]
    assert [token.form for token in first[0]] == ["Dogs", "bark", "."]


def test_other_models_have_other_entries(tmp_path):
    models = find("en")
    copies = [tmp_path / f"{at}-{path.name}" for at, path in enumerate(models.files)]
    for path, copy in zip(models.files, copies, strict=True):
        copy.write_bytes(path.read_bytes())
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


def test_entries_that_stanza_cannot_have_said_are_made_again(annotator, tmp_path, asked):
    words = [f"dog{number}" for number in range(len(READINGS))]
    sentences = [make_sentence([word]).tokens for word in (*words, "cats")]
    right = annotator.annotate(sentences)
    with Store(tmp_path) as store:
        assert Annotator(store=store).annotate(sentences) == right
        overwrite(store, dict(zip(words, READINGS, strict=True)))
        asked.clear()
        for _ in range(2):
            assert Annotator(store=store).annotate(sentences) == right
            assert sorted(asked) == sorted([word] for word in words)


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
def test_the_commands(good, tmp_path):
    cache = ("--cache", tmp_path)
    # Of each of two sentences, what Stanza says and the words that follow from it.
    solve = ("solve", "--tokens", "A cat sits .", "A dog sits .", "--profile", "images", *cache)
    solved = good(*solve, "--reader", "none")
    info = json.loads(good("cache", "info", "--json", *cache))
    assert info["file"] == str(tmp_path / FILE)
    assert info["kinds"]["annotations"]["entries"] == 4
    assert ["annotations", "4"] in map(str.split, good("cache", "info", *cache).splitlines())
    assert info["entries"] == sum(kind["entries"] for kind in info["kinds"].values()) > 4
    assert good("cache", "clear", *cache) == f"{info['entries']} entries removed\n"
    assert json.loads(good("cache", "info", "--json", *cache))["entries"] == 0
    assert good(*solve, "--reader", "none") == solved
