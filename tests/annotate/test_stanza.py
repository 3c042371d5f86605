"""Stanza's models: missing, damaged, how accurate; and what is cached of their annotations."""

import json
import pickle
import re
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ists_asp.annotate import Annotator
from ists_asp.annotate.stanza import PROCESSORS, SHIPPED_PACKAGE, Reading, StanzaAdapter, find
from ists_asp.errors import ResourceError
from ists_asp.io.store import FILE, Store
from ists_asp.io.text import make_sentence
from ists_asp.lang import language
from ists_asp.model import Token
from ists_asp.resources import data_dir

SENTENCE = [(Token(1, "Dogs"), Token(2, "bark"))]
SENTENCES = [
    make_sentence(text.split()).tokens
    for text in ("Dogs bark .", "the bulb is connected.", "Él dijo «no»")
]
READINGS = [
    *([["a\0", "NOUN", "NN"]], [["\x1b[31m", "NOUN", "NN"]], [["\u202e", "NOUN", "NN"]]),
    *([["", "NOUN", "NN"]], [["a", "", "NN"]], [["a", "NOUN", ""]], [["a", "noun)", "NN"]]),
    *([["a", "NOUN", "N N"]], [["a", "NOUN", "NN", "x"]], [["a", "NOUN", 1]], [{"lemma": "a"}]),
    *([["a", "NOUN", "NN"], ["a", "NOUN", "NN"]], [], None, [["a" * 1000, "NOUN", "NN"]]),
]


@pytest.fixture
def copy(tmp_path):
    target = tmp_path / "models"
    shutil.copytree(data_dir() / "stanza" / "en", target / "en")
    shutil.copy(data_dir() / "stanza" / "resources.json", target)
    return target


def error(*arguments):
    with pytest.raises(ResourceError) as caught:
        find(*arguments)  # type: ignore[arg-type]
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_a_folder_or_an_index_that_is_missing_or_damaged_or_lacks_the_language(tmp_path):
    text = error("en", tmp_path / "nowhere")
    for words in (str(tmp_path / "nowhere"), "no such directory", "--stanza-dir", "download('en'"):
        assert words in text
    index = tmp_path / "resources.json"
    assert "no resources.json in it" in error("en", tmp_path)
    for content in ("", "{", "\x00"):
        index.write_text(content)
        assert "not readable as JSON" in error("en", tmp_path)
    for content in ("[]", "{}", '{"en": 1}', '{"en": {"packages": 3}}'):
        index.write_text(content)
        assert "no Stanza models for language 'en'" in error("en", tmp_path)
    index.unlink()
    index.mkdir()
    assert "cannot be read (Is a directory)" in error("en", tmp_path)


def index_with(copy, **packages):
    """Give the copy these packages and no others, by the stem of their files."""
    index = copy / "resources.json"
    resources = json.loads(index.read_text())
    resources["en"]["packages"] = {
        name: dict.fromkeys(PROCESSORS, stem) for name, stem in packages.items()
    }
    index.write_text(json.dumps(resources))


def test_an_unknown_language_and_a_missing_model_file_are_named(copy):
    assert "no Stanza models for language 'xx'" in error("xx", copy)
    assert "one of the languages en" in error("xx", copy)
    index_with(copy, big="big")
    assert "package 'big' lacks the model file en/tokenize/big.pt" in error("en", copy)
    index_with(copy)
    assert "no Stanza package for language 'en'" in error("en", copy)


def test_one_of_several_packages_is_taken_and_named(copy):
    shipped = SHIPPED_PACKAGE
    index_with(copy, default=shipped, craft=shipped, broken="broken")
    models = find("en", copy)
    assert models.package == "default"
    assert models.choice == "the package 'default' is taken, not craft"
    index_with(copy, default=shipped, **{shipped: shipped})
    assert find("en", copy).package == shipped
    index_with(copy, default="broken", craft=shipped)
    assert (find("en", copy).package, find("en", copy).choice) == ("craft", None)


@pytest.mark.slow
@pytest.mark.parametrize("processor", ["pos", "lemma"])
@pytest.mark.parametrize(
    "content",
    [0, 1000, 20_000, b"no model", pickle.dumps(print, protocol=4), SENTENCE, {"other": 1}],
)
def test_a_damaged_model(copy, capfd, recwarn, processor, content):
    import torch

    model = copy / "en" / processor / f"{SHIPPED_PACKAGE}.pt"
    if isinstance(content, int):
        model.write_bytes(model.read_bytes()[:content])
    elif isinstance(content, bytes):
        model.write_bytes(content)
    else:
        torch.save(content, model)
    annotator = Annotator(stanza_dir=copy)
    with pytest.raises(ResourceError) as caught:
        annotator.annotate(SENTENCE)
    text = str(caught.value)
    for words in ("cannot be loaded", str(copy), "--stanza-dir DIR"):
        assert words in text
    damaged = f"en/{processor}/{SHIPPED_PACKAGE}.pt is damaged, or not a model"
    # What torch can read is seen to be no model only later, where the file is not known.
    assert (damaged in text) == (not isinstance(content, dict))
    assert not re.search(r"torch|\n", text)
    assert len(text) < len(str(copy)) + 300
    assert capfd.readouterr() == ("", "")
    assert not [one for one in recwarn if "pickle" in str(one.message)]


UD = Path(__file__).parents[3] / "shared" / "data" / "ud"
FILES = {"en": UD / "en_ewt-ud-dev.conllu", "es": UD / "es_gsd-ud-test.conllu"}

NEEDS_TREEBANKS = pytest.mark.skipif(
    not all(file.is_file() for file in FILES.values()),
    reason="needs en_ewt-ud-dev.conllu and es_gsd-ud-test.conllu in ../shared/data/ud",
)


def rows_of(code):
    blocks = FILES[code].read_text(encoding="utf-8").split("\n\n")
    rows = [[line.split("\t") for line in block.splitlines()] for block in blocks]
    return [[row[1:5] for row in block if row[0].isdecimal()] for block in rows if block]


def score(code, treebank, case=str):
    readings = StanzaAdapter(find(code), language(code)).tag(
        [[case(row[0]) for row in rows] for rows in treebank]
    )
    pairs = [
        pair
        for gold, tagged in zip(treebank, readings, strict=True)
        for pair in zip(gold, tagged, strict=True)
    ]
    upos = sum(gold[2] == word.upos for gold, word in pairs) / len(pairs)
    xpos = sum(gold[3] == word.xpos for gold, word in pairs) / len(pairs)
    lemmas = [gold[1].lower() == word.lemma.lower() for gold, word in pairs if gold[1] != "_"]
    return 100 * upos, 100 * xpos, 100 * sum(lemmas) / len(lemmas)


@pytest.mark.slow
@NEEDS_TREEBANKS
@pytest.mark.parametrize(("code", "least"), [("en", (92.5, 91.8, 97.5)), ("es", (90, 0, 96))])
def test_accuracy(code, least):
    reached = score(code, rows_of(code))
    assert all(share >= wanted for share, wanted in zip(reached, least, strict=True)), reached


@pytest.mark.slow
@NEEDS_TREEBANKS
def test_accuracy_hardly_depends_on_case():
    def title(form):
        clitic = form.startswith("'") or form == "n't"
        return form if clitic else form[:1].upper() + form[1:]

    some = rows_of("en")[::3]
    plain = score("en", some)
    for case in (str.lower, title):
        assert score("en", some, case) == pytest.approx(plain, abs=1.5)


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
