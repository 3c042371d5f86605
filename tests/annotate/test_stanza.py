"""Stanza's models: what is said when they are missing or damaged, and how accurate they are."""

import json
import pickle
import re
import shutil
from pathlib import Path

import pytest

from ists_asp.annotate import Annotator
from ists_asp.annotate.stanza import PROCESSORS, SHIPPED_PACKAGE, StanzaAdapter, find
from ists_asp.errors import ResourceError
from ists_asp.lang import language
from ists_asp.model import Token
from ists_asp.resources import data_dir

SENTENCE = [(Token(1, "Dogs"), Token(2, "bark"))]


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
