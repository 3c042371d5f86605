"""The command in this process; models and shipped rules are loaded once for this folder."""

from functools import cache

import pytest
from click.testing import CliRunner

from ists_asp.annotate import Annotator
from ists_asp.cli.app import main
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


@cache
def _shipped_rules(name, *purpose, **options):
    return load_program(name, (), *purpose, store=shared_store(), **options)


@cache
def _shipped_files(name, **options):
    return read_profile_rules(name, (), **options)


def _annotator(lang, stanza_dir=None, _cache=None):
    return _annotators(lang, stanza_dir)


def _rules(name, given=(), *purpose, store=None, **options):
    if given:
        return load_program(name, given, *purpose, **options)
    return _shipped_rules(name, *purpose, **options)


def _files(name, given=(), **options):
    return read_profile_rules(name, given, **options) if given else _shipped_files(name, **options)


@pytest.fixture(autouse=True)
def _shared(monkeypatch):
    monkeypatch.setattr("ists_asp.engine.preparation.read_profile_rules", _files)
    monkeypatch.setattr("ists_asp.engine.preparation.Annotator", _annotator)
    monkeypatch.setattr("ists_asp.rules.load_program", _rules)
    monkeypatch.setattr("ists_asp.engine.preparation.load_program", _rules)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run ists-asp in an empty folder; unexpected exceptions fail the test."""
    monkeypatch.chdir(tmp_path)

    def invoke(*args, stdin=None):
        return CliRunner().invoke(main, [str(arg) for arg in args], stdin, catch_exceptions=False)

    return invoke


@pytest.fixture
def good(run):
    """Run ists-asp, which must succeed; return what it prints."""

    def invoke(*args, stdin=None):
        result = run(*args, stdin=stdin)
        assert result.exit_code == 0, result.stderr
        return result.stdout

    return invoke


@pytest.fixture
def bad(run):
    """Run ists-asp, which must fail with this exit code; return its error, one line."""

    def invoke(exit_code, *args, stdin=None):
        result = run(*args, stdin=stdin)
        errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
        assert (result.exit_code, len(errors), result.stdout) == (exit_code, 1, ""), result.stderr
        return errors[0].removeprefix("error: ")

    return invoke


@pytest.fixture
def files(tmp_path):
    """Two files with the first and the second sentences of pairs."""

    def write(pairs, names=("a.txt", "b.txt")):
        paths = [tmp_path / name for name in names]
        for path, column in zip(paths, zip(*pairs, strict=True), strict=True):
            path.write_text("".join(f"{line}\n" for line in column), encoding="utf-8")
        return paths

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
