"""The pages in docs/ are complete and current, and their commands print what they say."""

import re

import click
import pytest

import ists_asp
from benchmarks.tables import replace_between
from docs.pages import write
from docs.pages.predicates import rule_files, uses
from ists_asp.cli.app import main
from ists_asp.engine import System
from tests.tours import ROOT, follow, make_place, session, shown

DOCS = ROOT / "docs"
FILES = sorted(DOCS.glob("*.md"))
TEXTS = {
    file.relative_to(ROOT).as_posix(): file.read_text("utf-8")
    for file in (*FILES, ROOT / "README.md")
}
WRITTEN = [name for name in TEXTS if name.startswith("docs/")]
SESSION = "docs/python.md"
"""The page whose blocks run in one session."""
COMMAND_BLOCKS = list(shown({name: TEXTS[name] for name in WRITTEN if name != SESSION}))
TOUR = [block for name, block in COMMAND_BLOCKS if name == "docs/tour.md"]
RULES = rule_files(ROOT)
USES = uses(ROOT, RULES)
DOCUMENTED = {doc.name for file in RULES for doc in file.docs}
# What users or `python -m docs.pages` make, or what only a system of the task's has.
THEIRS = re.compile(
    r"(my_|out\.|power\.lp|report\.|pair\.lp|alongside\.lp|units\.lp|DATA|DIR|FILE|NAME)"
    r"|^docs/reference/$"
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return make_place(tmp_path_factory.mktemp("docs"))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The pages that a source distribution has, by name."""
    files = write(tmp_path_factory.mktemp("made"))
    return {file.name: file.read_text("utf-8") for file in files}


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


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    "block", [pytest.param(block, id=f"{name} line {block.line}") for name, block in COMMAND_BLOCKS]
)
def test_commands_print_what_the_page_says(place, block):
    follow(place, block)


@pytest.mark.slow
def test_the_page_on_python_prints_what_it_says(place):
    blocks = [block for _, block in shown({SESSION: TEXTS[SESSION]})]
    printed = session(place, blocks)
    assert printed == [block.output or "" for block in blocks]
    text = TEXTS[SESSION]
    told = [name for name in ists_asp.__all__ if not name.startswith("_")]
    methods = [name for name, one in vars(System).items() if callable(one)]
    asked = ("solve", "rate", "explain")
    told += [name for name in methods if name.removesuffix("_many") in asked]
    assert [name for name in told if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.long
@pytest.mark.slow
def test_learning_changes_the_answer():
    """The same command stands before and after learning, then with what was learned."""
    learn = next(
        number for number, block in enumerate(TOUR) if "ists-asp learn --gold" in block.text
    )
    before, after = TOUR[learn - 1], TOUR[learn + 1]
    learned = " --rules my_corrections.lp"
    assert before.text.splitlines()[-1] == after.text.strip().replace(learned, "")
    assert before.output != after.output
    assert "same_medicine" in TOUR[learn].output


def test_an_edit_that_is_shown_changes_what_is_printed():
    """A command with --rules follows the same command without, in docs/rules.md."""
    printed = [block for name, block in COMMAND_BLOCKS if name == "docs/rules.md" and block.output]
    chunks = [block.output for block in printed if "ists-asp chunk " in block.text]
    assert len(chunks) > 1
    assert len(set(chunks)) == len(chunks)


@pytest.mark.parametrize("word", ["own.lp", "sent.lp", "atoms"])
def test_programs_for_plain_clingo_do_what_the_page_says(place, word):
    """Also in the tests of every day; what one block writes, the next one may read."""
    text = TEXTS["docs/rules.md"]
    rules = text.partition("cat > units.lp <<'END'\n")[2].partition("END\n")[0]
    (place / "units.lp").write_text(rules, encoding="utf-8")
    (block,) = (one for _, one in COMMAND_BLOCKS if re.search(rf"\b{word}\s", one.text))
    assert block.output
    follow(place, block)


def test_the_tour_mentions_every_command_and_profile():
    commands = {name for block in TOUR for name in re.findall(r"ists-asp ([a-z]+)", block.text)}
    assert commands >= {
        *("solve", "sts", "explain", "report", "trace", "why", "facts", "evaluate", "check"),
        *("diff", "rules", "profiles", "learn"),
    }
    profiles = {file.stem for file in (ROOT / "lp_rules" / "profiles").glob("*.toml")}
    assert {name for name in profiles if f"`{name}`" not in TEXTS["docs/tour.md"]} == set()


def test_every_public_predicate_is_documented_once_and_exists():
    """The input predicates are facts; all others occur in rules."""
    names = [doc.name for file in RULES for doc in file.docs]
    assert sorted(names) == sorted(set(names))
    inputs = {doc.name for file in RULES if file.path == "asp/input.lp" for doc in file.docs}
    assert DOCUMENTED - inputs <= set(USES) <= DOCUMENTED


TERMS = {"boundary", "pair", "link", "run", "gap", "cover", "p"}
"""Terms inside atoms, and an example."""


def test_short_pages_are_short_and_an_option_of_many_commands_is_said_once(made):
    assert all(
        len(TEXTS[f"docs/{name}.md"].splitlines()) <= 160 for name in ("commands", "vocabulary")
    )
    assert made["commands.md"].count("| `--sent1 FILE` |") == 1


def test_the_whole_vocabulary_has_every_predicate(made):
    anchors = re.findall(r'<a id="([\w-]+)">', made["vocabulary.md"])
    assert sorted(anchors) == sorted(name.replace("/", "-") for name in DOCUMENTED)


def test_the_short_vocabulary_has_every_predicate_of_the_machine():
    rows = re.findall(r"^\| `(\w[^`]*[^/`])` \|", TEXTS["docs/vocabulary.md"], re.MULTILINE)
    machine = [file for file in RULES if file.path.startswith("asp/")]
    assert sorted(rows) == sorted(doc.signature for file in machine for doc in file.docs)


def named_options(text):
    return set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", text)) | {"--help", "-h"}


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: " ".join(path) or "ists-asp")
def test_every_command_and_option_is_described(made, path):
    """Where all is said that --help says, and on the page that says it in short."""
    whole = made["commands.md"].partition(f"\n## {' '.join(('ists-asp', *path))}\n")[2]
    whole = whole.partition("\n## ")[0]
    assert whole
    assert options(COMMANDS[path]) <= named_options(whole)
    start, *sections = re.split(r"^## ", TEXTS["docs/commands.md"], flags=re.MULTILINE)
    common = start + sections[0]
    if path:
        assert f"`{path[0]}`" in start
        # A section has the names of its commands in its heading, or those within it in its text.
        (own,) = (one for one in sections if path[0] in re.findall(r"[a-z-]+", one.split("\n")[0]))
        assert f"{' '.join(path)}" in own
        common += own
    assert options(COMMANDS[path]) <= named_options(common)


@pytest.mark.parametrize("name", TEXTS)
def test_every_command_and_option_that_is_named_exists(name):
    known = set().union(*map(options, COMMANDS.values()))
    for call in re.findall(r"ists-asp ([a-z][^`\n|]*)", TEXTS[name]):
        words = call.split()
        path = tuple(words[:2]) if tuple(words[:2]) in COMMANDS else tuple(words[:1])
        assert path in COMMANDS, (name, call)
        for option in re.findall(r"(?<!\S)--[a-z][\w-]*", call):
            assert option in options(COMMANDS[path]), (name, call)
    code = re.findall(r"`(--[a-z][\w-]*)[^`]*`", TEXTS[name])
    assert [option for option in code if option not in known | FOREIGN] == []


FOREIGN = {"--opt-mode", "--data", "--write", "--json", "--quick"}
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


def test_the_design_names_every_package():
    table = TEXTS["docs/design.md"].partition("| Package | Owns |")[2].partition("\n\n")[0]
    named = {
        name
        for row in table.splitlines()
        for name in re.findall(r"`(\w+/?)`", row[: row.find("|", 1)])
    }
    source = ROOT / "python" / "ists_asp"
    packages = {f"{file.parent.name}/" for file in source.glob("*/__init__.py")}
    assert packages <= named
    assert [name for name in named - packages if not (source / f"{name}.py").exists()] == []


@pytest.mark.parametrize("name", WRITTEN)
def test_every_predicate_that_is_named_exists(name):
    """In text as `name/2`, in tables as `name(X,Y)`."""
    named = set(re.findall(r"`([a-z]\w*/\d)`", TEXTS[name]))
    assert named - DOCUMENTED == set()
    bare = {predicate.partition("/")[0] for predicate in DOCUMENTED}
    called = set(re.findall(r"`([a-z]\w*)\([A-Z][^`]*\)`", TEXTS[name]))
    assert called - bare <= TERMS


@pytest.mark.parametrize(
    "name", ["accuracy", "confidence", "reliability", "pilot", "sts", "sts-reader", "speed"]
)
def test_there_is_a_place_for_each_table(name):
    text = TEXTS["docs/accuracy.md"]
    table = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", text, re.DOTALL)[1]
    assert len(table.splitlines()) > 2
    assert replace_between(text, name, table) == text
