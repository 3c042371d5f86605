"""The pages in docs/ are complete and current, and their commands print what they say."""

import re

import click
import pytest

from benchmarks.readme import replace_between
from docs.pages import PAGES, write
from docs.pages.predicates import rule_files, uses
from ists_asp.cli import main
from tests.tours import ROOT, blocks, make_place, run

DOCS = ROOT / "docs"
FILES = sorted(DOCS.glob("*.md"))
TEXTS = {
    file.relative_to(ROOT).as_posix(): file.read_text("utf-8")
    for file in (*FILES, ROOT / "README.md")
}
MADE = {f"docs/{name}" for name in PAGES}
WRITTEN = [name for name in TEXTS if name.startswith("docs/") and name not in MADE]
TOUR = [
    pytest.param(block, id=f"{name} line {block.line}")
    for name in WRITTEN
    for block in blocks(TEXTS[name])
    if block.language == "sh"
]
RULES = rule_files(ROOT)
USES = uses(ROOT, RULES)
DOCUMENTED = {doc.name for file in RULES for doc in file.docs}
# What users make, or what only a system of the task's has.
THEIRS = re.compile(r"(my_|out\.|report\.|pair\.lp|beside\.lp|units\.lp|DATA|DIR|FILE|NAME)")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return make_place(tmp_path_factory.mktemp("docs"))


def commands(command, path=()):
    yield path, command
    if isinstance(command, click.Group):
        for name, one in command.commands.items():
            yield from commands(one, (*path, name))


def options(command):
    return {
        name
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for name in (*parameter.opts, *parameter.secondary_opts)
    } | {"--help", "-h"}


COMMANDS = dict(commands(main))


@pytest.mark.parametrize("block", TOUR)
def test_commands_print_what_the_page_says(place, block):
    printed = run(place, block.text)
    if block.output is not None:
        assert printed == block.output


def test_the_pages_made_from_code_are_current(tmp_path):
    write(tmp_path)
    stale = [
        name for name in PAGES if (tmp_path / name).read_text("utf-8") != TEXTS[f"docs/{name}"]
    ]
    assert stale == [], "python -m docs.pages writes them again"


def test_every_public_predicate_is_documented_once():
    names = [doc.name for file in RULES for doc in file.docs]
    assert sorted(names) == sorted(set(names))
    assert set(USES) - DOCUMENTED == set()


def test_every_documented_predicate_exists():
    """The input predicates are facts; all others occur in rules."""
    inputs = {doc.name for file in RULES if file.path == "asp/input.lp" for doc in file.docs}
    assert DOCUMENTED - inputs - set(USES) == set()


def test_the_vocabulary_has_every_predicate():
    anchors = re.findall(r'<a id="([\w-]+)">', TEXTS["docs/vocabulary.md"])
    assert sorted(anchors) == sorted(name.replace("/", "-") for name in DOCUMENTED)


def test_every_command_and_option_is_described():
    text = TEXTS["docs/commands.md"]
    for path, command in COMMANDS.items():
        part = text.partition(f"\n## {' '.join(('ists-asp', *path))}\n")[2].partition("\n## ")[0]
        assert part, path
        named = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", part))
        assert options(command) - named <= {"--help", "-h"}, path


@pytest.mark.parametrize("name", sorted(TEXTS.keys() - MADE))
def test_every_command_and_option_that_is_named_exists(name):
    known = set().union(*map(options, COMMANDS.values()))
    for call in re.findall(r"ists-asp ([a-z][^`\n|]*)", TEXTS[name]):
        words = call.split()
        path = tuple(words[:2]) if tuple(words[:2]) in COMMANDS else tuple(words[:1])
        if path not in COMMANDS:
            continue
        for option in re.findall(r"(?<!\S)--[a-z][\w-]*", call):
            assert option in options(COMMANDS[path]), (name, call)
    code = re.findall(r"`(--[a-z][\w-]*)[^`]*`", TEXTS[name])
    assert [option for option in code if option not in known | FOREIGN] == []


FOREIGN = {"--opt-mode", "--data", "--write-readme", "--json", "--quick"}
"""Options of clingo and of the benchmarks."""


@pytest.mark.parametrize("name", TEXTS)
def test_every_file_that_is_named_exists(name):
    folder = (ROOT / name).parent
    tops = "asp|lp_rules|data|docs|tests|benchmarks|python"
    named = re.findall(rf"`((?:{tops})/[^`\s]*)`", TEXTS[name])
    missing = [path for path in named if not THEIRS.search(path) and not (ROOT / path).exists()]
    assert missing == []
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)", TEXTS[name])
    assert [target for target in targets if not (folder / target).exists()] == []


@pytest.mark.parametrize("name", WRITTEN)
def test_every_predicate_that_is_named_exists(name):
    """In text as `name/2`, in tables as `name(X,Y)`."""
    named = set(re.findall(r"`([a-z]\w*/\d)`", TEXTS[name]))
    assert named - DOCUMENTED == set()
    bare = {predicate.partition("/")[0] for predicate in DOCUMENTED}
    called = set(re.findall(r"`([a-z]\w*)\([A-Z][^`]*\)`", TEXTS[name]))
    assert called - bare <= TERMS


TERMS = {"boundary", "pair", "link", "run", "gap", "cover", "p"}
"""Terms inside atoms, and an example."""


@pytest.mark.parametrize("name", ["pilot"])
def test_there_is_a_place_for_each_table(name):
    text = TEXTS["docs/accuracy.md"]
    table = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", text, re.DOTALL)[1]
    assert len(table.splitlines()) > 2
    assert replace_between(text, name, table) == text
