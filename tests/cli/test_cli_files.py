"""No command writes over what it reads, whatever the names look like: a table over all of them."""

import os
from contextlib import nullcontext
from pathlib import Path

import click
import pytest

from ists_asp.cli import files
from ists_asp.cli.files import Command, FileType, check_written
from ists_asp.errors import UsageError
from ists_asp.io.files import Use
from ists_asp.io.store import cache_files
from ists_asp.resources import rules_dir
from tests.sharing import COMMANDS as ALL
from tests.sharing import cases, shell

COPY = ("rules", "copy")
# Both write nothing but new files.
PAIR = "a cat\ta dog\n"
PROFILE = """language = "en"\ndescription = "x"
[answer]\nrules = ["a"]\n[explanation]\nrules = ["a"]"""
RULE_FILES = ("a.lp", "b.txt", "more/c.lp", "profiles/default.toml")
COMMANDS = {path: one for path, one in ALL.items() if not isinstance(one, click.Group)}
LEARN = COMMANDS["learn",]


def kinds(command):
    return {one: one.type for one in command.params if isinstance(one.type, FileType)}


WRITING = {
    path: command
    for path, command in COMMANDS.items()
    if path not in (COPY, ("fix",)) and any(kind.written for kind in kinds(command).values())
}
READING = [
    pytest.param(path, parameter, id=f"{' '.join(path)} {parameter.opts[0]}")
    for path, command in WRITING.items()
    for parameter, kind in kinds(command).items()
    if not kind.written and kind is not files.SENTENCE
]


def written(command):
    """The options that name files to write."""
    return [one.opts[0] for one, kind in kinds(command).items() if kind.written]


def named(parameter, place):
    """What the parameter may be given, each with a file that is then read."""
    read = {
        files.MODEL: ["model/en/pos.pt"],
        files.CACHE: cache_files(place / "cache"),
        files.RULES: ["in.lp", *(f"rules/{name}" for name in RULE_FILES)],
        files.GOLD: ["in.lp", "gold/gold.wa"],
        files.READ: ["in.lp"],
        files.INPUT: ["in.lp"],
    }[parameter.type]
    paths = [place / file for file in read]
    return [(path.relative_to(place).parts[0], path) for path in paths]


def arguments(path, parameter, value):
    """A command line that gives the parameter this value; nothing is read before the check."""
    command = COMMANDS[path]
    given = {"diff": ["old", "new"], "where": ["name"], "feedback": ["table"]}.get(path[-1], [])
    if isinstance(parameter, click.Argument):
        given = [value if name == parameter.name else name for name in given]
    options = [one for one in command.params if isinstance(one, click.Option)]
    values = {one.opts[0]: "g" for one in options if one.required}
    values |= {one.opts[0]: value for one in options if one is parameter}
    if parameter.type is not files.INPUT and any(
        one.type is files.SENTENCE for one in command.params
    ):
        given = [*given, "a", "b"]
    return [*path, *(word for option in values.items() for word in option), *given]


@pytest.fixture
def place(tmp_path):
    """A folder with a file for everything that can be read."""
    texts = {
        "in.lp": PAIR,
        "rules/a.lp": '#include "b.txt".\n',
        "rules/b.txt": "b.\n",
        "rules/more/c.lp": "c.\n",
        "rules/profiles/default.toml": PROFILE,
        **dict.fromkeys(("gold/gold.wa", "model/en/pos.pt"), "\n"),
        **{f"cache/{file.name}": "\n" for file in cache_files(tmp_path)},
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def spellings(file):
    """Other names for a file; the links are made."""
    links = Path("links")
    links.mkdir(exist_ok=True)
    for link, target in (("folder", file.parent), ("symbolic", file)):
        (links / link).unlink(missing_ok=True)
        (links / link).symlink_to(target)
    (links / "hard").unlink(missing_ok=True)
    (links / "hard").hardlink_to(file)
    relative = os.path.relpath(file)
    yield from (file, relative, f"./{relative}", file.parent / ".." / file.parent.name / file.name)
    yield from (links / "folder" / file.name, links / "symbolic", links / "hard")


def contents(place):
    found = (path for path in place.rglob("*") if path.is_file() and path.parent.name != "links")
    return {path: path.read_bytes() for path in found}


@pytest.mark.slow
@pytest.mark.parametrize(("path", "parameter"), READING)
def test_what_is_read_is_not_written(bad, place, path, parameter):
    for value, file in named(parameter, place):
        before = contents(place)
        for name in spellings(file):
            for option in written(COMMANDS[path]):
                message = bad(2, *arguments(path, parameter, value), option, name)
                assert message.startswith(f"{option} {Path(name)}: ")
                assert f" {value} " in message or f" {value}, " in message
                assert contents(place) == before


def test_the_table_has_every_command_that_writes():
    assert {path[-1] for path in WRITING} == {
        *("solve", "sts", "explain", "report", "trace", "facts", "chunk", "diff"),
        *("learn", "where", "why", "why-not", "feedback"),
    }
    assert len(READING) >= 80


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_every_name_of_a_file_says_what_is_done_with_it(path):
    command = COMMANDS[path]
    assert isinstance(command, Command)
    for one in command.params:
        words = set((one.metavar or "").replace(".wa", "").replace(".", " ").split())
        if words & {"FILE", "PATH", "DIR", "DIR|none", "GOLD", "SYS", "SYS2", "OLD", "NEW"}:
            assert isinstance(one.type, FileType), one.name
        assert isinstance(one.type, FileType) == isinstance(one.type, click.Path | click.File)


@pytest.mark.parametrize("command", ["solve", "sts"])
def test_two_outputs_are_two_files(bad, place, command):
    for name in ("out", "./out", place / "more" / ".." / "out", "rules/../out"):
        message = bad(2, command, "a", "b", "-o", "out", "--trace", name)
        assert "same file" in message or "there is no folder" in message
    assert not (place / "out").exists()


def test_facts_of_several_pairs_spare_what_is_in_their_folder(bad, place):
    (place / "pairs.tsv").write_text("a\ta cat\ta dog\nz\ta cat\ta dog\n")
    before = contents(place)
    message = bad(2, "facts", "--tsv", "pairs.tsv", "--rules", "rules", "-o", "rules")
    assert message.startswith("-o rules/a.lp: this is an input file, which --rules rules reads")
    assert contents(place) == before


def test_the_files_of_ists_asp_are_not_written_either(bad, place, monkeypatch):
    for name in ("asp", "rules", "data"):
        monkeypatch.setattr(f"ists_asp.resources.{name}_dir", lambda name=name: place / name)
    (place / "data" / "lexicon").mkdir(parents=True)
    (place / "asp").mkdir()
    for file in ("asp/decide.lp", "rules/a.lp", "data/lexicon/wordnet.sqlite"):
        (place / file).write_text("")
        message = bad(2, "explain", "a", "b", "-o", file)
        assert message.startswith(f"-o {file}: this is an input file, which ists-asp itself reads")


@cases(
    "task | profile | name | allowed",
    ("ists", "images", "weights/images.lp", True),
    ("ists", "images", "weights/new.lp", True),
    ("ists", "images", "labels/heads.lp", False),
    ("ists", "images", "profiles/images.toml", False),
    ("sts", "sts-en", "weights/sts-en.lp", True),
    ("sts", "sts-en", "weights/english.lp", False),
)
def test_learned_weights_may_replace_those_that_play_no_part(
    good, tmp_path, task, profile, name, allowed
):
    good("rules", "copy", "mine")
    (tmp_path / "mine" / "weights" / "new.lp").write_text("")
    for rules, folder in (((), rules_dir()), (("--rules", "mine"), tmp_path / "mine")):
        file = folder / name
        words = ["--task", task, "--profile", profile, "--gold", "g", *rules]
        with LEARN.make_context("learn", words) as context:
            refused = pytest.raises(UsageError, match="this is an input file")
            with nullcontext() if allowed or not file.exists() else refused:
                check_written(context, [Use(f"-o {file}", file)])


def test_rules_are_not_copied_into_themselves(bad, monkeypatch, place):
    monkeypatch.setattr("ists_asp.rules.catalogue.rules_dir", lambda: place / "rules")
    assert "inside the shipped rules" in bad(2, "rules", "copy", "rules/copy")
    assert not (place / "rules" / "copy").exists()


def test_standard_streams_are_files_like_others(tmp_path):
    pairs = tmp_path / "pairs.tsv"
    for command, words in {
        "--tsv - -o pairs.tsv < pairs.tsv": "-o pairs.tsv: this is an input file, which standard",
        "--tsv pairs.tsv >> pairs.tsv": "standard output: this is an input file, which --tsv",
        "a b --trace t >> t": "standard output: --trace t writes the same file",
    }.items():
        pairs.write_text(PAIR)
        done = shell(f"$asp solve {command}", tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert words in done.stderr
        assert pairs.read_text() == PAIR
