"""The command in this process; models and shipped rules are loaded once for this folder."""

from functools import cache

import pytest

from ists_asp.annotate import Annotator
from ists_asp.rules import load_program, read_profile_rules
from ists_asp.solver import search
from tests.sharing import shared_store

PAIRS = [
    ("12 killed in bus accident in Pakistan", "10 killed in road accident in NW Pakistan"),
    ("A brown horse in a green field .", "A brown horse standing in a field ."),
    ("bulb A is in a closed path.", "the bulb is connected to the battery"),
    ("Syrian forces attack rebels", "Rebels attack Syrian forces"),
    ('He said "50 % of C:\\x"', 'she says "half of it" %*'),
    ("one", "two three"),
]
CHUNKED = [
    (
        "[ 12 killed ] [ in bus accident ] [ in Pakistan ]",
        "[ 10 killed ] [ in road accident ] [ in NW Pakistan ]",
    ),
    (
        "[ A brown horse ] [ in a green field ] [ . ]",
        "[ A horse ] [ standing ] [ in a field ] [ . ]",
    ),
]
_annotators = cache(Annotator)


_shipped_files = cache(read_profile_rules)


@cache
def _shipped_rules(name, *purpose, **options):
    return load_program(name, (), *purpose, store=shared_store(), **options)


def _annotator(lang, stanza_dir=None, _cache=None):
    return _annotators(lang, stanza_dir)


def _rules(name, given=(), *purpose, store=None, **options):
    if given:
        return load_program(name, given, *purpose, **options)
    return _shipped_rules(name, *purpose, **options)


def _files(name, given=(), **options):
    return (read_profile_rules if given else _shipped_files)(name, given or (), **options)


@pytest.fixture(autouse=True)
def _shared(monkeypatch):
    preparation = "ists_asp.engine.preparation"
    monkeypatch.setattr(f"{preparation}.read_profile_rules", _files)
    monkeypatch.setattr(f"{preparation}.Annotator", _annotator)
    for place in (preparation, "ists_asp.rules"):
        monkeypatch.setattr(f"{place}.load_program", _rules)


@pytest.fixture
def sides(tmp_path):
    """Write the two sides of pairs to a.txt and b.txt; the options that name them."""

    def write(pairs):
        for name, column in zip("ab", zip(*pairs, strict=True), strict=True):
            text = "".join(f"{line}\n" for line in column)
            (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
        return ("--sent1", tmp_path / "a.txt", "--sent2", tmp_path / "b.txt")

    return write


@pytest.fixture
def written(tmp_path):
    """Write a file in the working folder and return its name."""

    def write(text, name="mine.lp"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return write


@pytest.fixture
def pairs():
    return list(PAIRS)


@pytest.fixture
def chunked():
    return list(CHUNKED)


@pytest.fixture
def _stopped_early(monkeypatch):
    """Searches that find the best answer and no time to prove that it is."""
    original = search.last_model

    def last_model(*args, **options):
        found, _, _ = original(*args, **options)
        return found, False, False

    monkeypatch.setattr(search, "last_model", last_model)
