"""Pages are complete and current, in the usual words, and their commands print what they say."""

import ast
import re
from functools import cache

import click
import pytest

import ists_asp
from benchmarks.tables import replace_between
from docs.pages import write
from docs.pages.pictures import reliability
from docs.pages.predicates import rule_files, uses
from ists_asp.engine import System
from tests.links import broken
from tests.sharing import COMMANDS
from tests.tours import ROOT, blocks, do, make_place, run, session, shown

DOCS = ROOT / "docs"
FOLDERS = ("", "tutorials", "howto", "reference", "explanation")
MADE = {"commands", "evidence", "findings", "kinds", "schemas", "vocabulary"}
FILES = [
    file
    for folder in FOLDERS
    for file in sorted((DOCS / folder).glob("*.md"))
    if not (folder == "reference" and file.stem in MADE)
]
TEXTS = {
    file.relative_to(ROOT).as_posix(): file.read_text("utf-8")
    for file in (*FILES, ROOT / "README.md")
}
WRITTEN = [name for name in TEXTS if name.startswith("docs/")]
SESSION = "docs/howto/python.md"
COMMAND_BLOCKS = list(shown({name: TEXTS[name] for name in WRITTEN if name != SESSION}))
RULES_PAGE = "docs/tutorials/rules.md"
RULES = rule_files(ROOT)
DOCUMENTED = {doc.name for file in RULES for doc in file.docs}
# What users or `python -m docs.pages` make, or what only a system of the task's has.
THEIRS = re.compile(
    r"(my_|out\.|power\.lp|report\.|pair\.lp|alongside\.lp|units\.lp|DATA|DIR|FILE|NAME)"
    r"|^docs/reference/$"
)
README = (ROOT / "README.md").read_text("utf-8")
SET_UP = re.compile(r"python3 -m venv \.venv && \.venv/bin/pip install -q -c constraints\.txt -e ")
README_BLOCKS = list(blocks(README))
TOUR = [block for _, block in shown({"README.md": README})]
SOURCES = [file.read_text("utf-8") for file in (ROOT / "python").rglob("*.py")]
PATTERNS = {
    r"appears? whole or not at all": "written atomically",
    r"\banew\b": "again",
    r"\b(of|by) one's own\b": "your own",
    r"(?<!there )\bis no (pair|sentence|folder|number|string|frame)\b(?! \w)": "is not a …",
    r"\bMend\b": "Correct",
    r"of 100 like\b": "… % similar",
    r"\bin time of the processor\b": "CPU time",
    r"[Bb]lanks separate": "separated by spaces",
    r"\bwhose opinions\b": "which encoder",
    r"\btests of every day\b": "the fast tests",
}
FORBIDDEN = re.compile("|".join(f"(?:{pattern})" for pattern in PATTERNS))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """For each page a folder of its own: a page rests on no other."""
    return cache(lambda _name: make_place(tmp_path_factory.mktemp("docs")))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The pages that a source distribution has, by name."""
    files = write(tmp_path_factory.mktemp("made"))
    return {file.name: file.read_text("utf-8") for file in files}


def options(command):
    parameters = [one for one in command.params if isinstance(one, click.Option)]
    names = [name for one in parameters for name in (*one.opts, *one.secondary_opts)]
    return {*names, "--help", "-h"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "block"),
    [pytest.param(*one, id=f"{one[0]} line {one[1].line}") for one in COMMAND_BLOCKS],
)
def test_commands_print_what_the_page_says(place, name, block):
    assert do(place(name), block) == block.output or block.output is None


@pytest.mark.parametrize("name", TEXTS)
def test_no_example_is_left_out(name):
    """Blocks of other languages than these are of files, or of what a command printed."""
    languages = {block.language for block in blocks(TEXTS[name])}
    assert languages <= {"sh", "python", "text", "prolog"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "block",
    [one for one in blocks(TEXTS[RULES_PAGE]) if one.language == "prolog" and ":-" in one.text],
    ids=lambda block: f"line {block.line}",
)
def test_rules_that_are_shown_can_be_used(tmp_path, block):
    file = tmp_path / "shown.lp"
    file.write_text(block.text, encoding="utf-8")
    with ists_asp.load("headlines", rules=file) as system:
        assert system.solve("a cat sleeps on Monday", "one cat naps on Sunday").alignments


@pytest.mark.slow
def test_the_page_on_python_prints_what_it_says(place):
    some = [block for _, block in shown({SESSION: TEXTS[SESSION]})]
    assert session(place(SESSION), some) == [block.output or "" for block in some]
    text = TEXTS[SESSION]
    told = [name for name in ists_asp.__all__ if not name.startswith("_")]
    methods = [name for name, one in vars(System).items() if callable(one)]
    asked = ("solve", "rate", "explain")
    told += [name for name in methods if name.removesuffix("_many") in asked]
    assert [name for name in told if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.long
def test_learning_changes_the_answer():
    """The same command stands before and after learning, then with what was learned."""
    page = [block for name, block in COMMAND_BLOCKS if name == "docs/howto/learn.md"]
    (learn,) = (at for at, block in enumerate(page) if "ists-asp learn --gold" in block.text)
    before, after = page[learn - 1], page[learn + 1]
    learned = " --rules my_corrections.lp"
    assert before.text.splitlines()[-1] == after.text.strip().replace(learned, "")
    assert before.output != after.output
    assert "same_medicine" in page[learn].output


def test_an_edit_that_is_shown_changes_what_is_printed():
    """A command with --rules follows the same command without."""
    page = [block for name, block in COMMAND_BLOCKS if name == RULES_PAGE and block.output]
    chunks = [block.output for block in page if "ists-asp chunk " in block.text]
    assert len({*chunks}) == len(chunks) > 1


def test_the_pages_use_every_command_and_profile():
    texts = [block.text for _, block in COMMAND_BLOCKS]
    commands = {name for text in texts for name in re.findall(r"ists-asp ([a-z]+)", text)}
    assert commands >= {
        *("solve", "sts", "explain", "report", "trace", "why", "facts", "evaluate", "check"),
        *("diff", "rules", "profiles", "learn"),
    }
    page = TEXTS["docs/tutorials/first-hour.md"]
    profiles = [file.stem for file in (ROOT / "lp_rules" / "profiles").glob("*.toml")]
    assert [name for name in profiles if f"`{name}`" not in page] == []


def test_every_public_predicate_is_documented_once_and_exists():
    """The input predicates are facts; all others occur in rules."""
    names = [doc.name for file in RULES for doc in file.docs]
    assert sorted(names) == sorted(set(names))
    inputs = {doc.name for file in RULES if file.path == "asp/input.lp" for doc in file.docs}
    assert DOCUMENTED - inputs <= set(uses(ROOT, RULES)) <= DOCUMENTED


@pytest.mark.slow
def test_the_pages_that_are_made_have_every_predicate_key_command_and_option(made):
    """They are those that no repository has; what many commands share is said once."""
    assert {name.removesuffix(".md") for name in made} == MADE
    kept = {line for line in (ROOT / ".gitignore").read_text("utf-8").splitlines() if "!" in line}
    assert kept == {f"!/docs/reference/{name}.md" for name in ("api", "formats")}
    anchors = re.findall(r"^\(([\w-]+)\)=$", made["vocabulary.md"], re.MULTILINE)
    assert sorted(anchors) == sorted(name.replace("/", "-") for name in DOCUMENTED)
    # Evidence with its weights: of a rule that finds it about answers, and of one about ratings.
    answers, ratings = made["evidence.md"].split("## Evidence about ratings")
    row = r"^\| `number_conflict` \| the sides have .* `different_numbers` simi \+"
    assert re.search(row, answers, re.MULTILINE)
    assert re.search(r"`numbers_differ` rating \+\d+", ratings)
    assert "| `decisions.runner_up` | null or object | What came second." in made["schemas.md"]
    assert "| `rating` | trace |" in made["schemas.md"]
    assert made["commands.md"].count("| `--sent1 FILE` |") == 1
    for path, command in COMMANDS.items():
        whole = made["commands.md"].partition(f"\n## {' '.join(('ists-asp', *path))}\n")[2]
        named = re.findall(r"(?<![\w-])--?[a-z][\w-]*", whole.partition("\n## ")[0])
        assert options(command) <= {*named, "--help", "-h"}, path
        assert named, path


@pytest.mark.parametrize("name", TEXTS)
def test_every_command_and_option_that_is_named_exists(name):
    # Options of clingo and of the benchmarks besides.
    known = {"--opt-mode", "--data", "--write", "--sets", "--folds", "--pilot", "--old"}
    known = known.union(*map(options, COMMANDS.values()))
    for call in re.findall(r"ists-asp ([a-z][^`\n|]*)", TEXTS[name]):
        words = call.split()
        path = tuple(words[:2]) if tuple(words[:2]) in COMMANDS else tuple(words[:1])
        assert path in COMMANDS, (name, call)
        for option in re.findall(r"(?<!\S)--[a-z][\w-]*", call):
            assert option in options(COMMANDS[path]), (name, call)
    code = re.findall(r"`(--[a-z][\w-]*)[^`]*`", TEXTS[name])
    assert [option for option in code if option not in known] == []


@pytest.mark.parametrize("name", [*TEXTS, "SECURITY.md"])
def test_every_file_that_is_named_exists(name):
    tops = "asp|lp_rules|data|docs|tests|benchmarks|python"
    named = re.findall(rf"`((?:{tops})/[^`\s]*)`", (ROOT / name).read_text("utf-8"))
    missing = [path for path in named if not THEIRS.search(path) and not (ROOT / path).exists()]
    assert missing == []


def test_the_design_names_every_package():
    page = TEXTS["docs/explanation/design.md"]
    rows = page.partition("| Package | Owns |")[2].partition("\n\n")[0].splitlines()
    cells = [row[: row.find("|", 1)] for row in rows]
    named = {name for cell in cells for name in re.findall(r"`(\w+/?)`", cell)}
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
    # Terms inside atoms, and an example.
    assert called - bare <= {"boundary", "pair", "link", "run", "gap", "cover", "p"}


def test_there_is_a_place_for_each_table():
    text = TEXTS["docs/explanation/accuracy.md"]
    for name in ("accuracy", "confidence", "reliability", "pilot", "sts", "sts-reader", "speed"):
        table = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", text, re.DOTALL)[1]
        assert len(table.splitlines()) > 2
        assert replace_between(text, name, table) == text


def test_pictures_are_small_and_those_of_the_pages():
    pictures = sorted((DOCS / "pictures").iterdir())
    assert max(file.stat().st_size for file in pictures) < 150_000
    named = {name for text in TEXTS.values() for name in re.findall(r"pictures/([\w.-]+)\)", text)}
    assert named == {file.name for file in pictures}
    printed = TEXTS["README.md"].partition("### Ask why")[0]
    lines = re.findall(r"^  (.+?)  +([A-Z]+\d?)\?? +(\d)  +(.+)$", printed, re.MULTILINE)
    drawn = (DOCS / "pictures" / "alignment.svg").read_text("utf-8")
    for words1, label, score, words2 in lines:
        assert f"&#34;{words1}&#34; {label} {score} &#34;{words2}&#34;" in drawn
    assert len(lines) == 4
    drawn = (DOCS / "pictures" / "reliability.svg").read_text("utf-8")
    assert drawn == reliability(TEXTS["docs/explanation/accuracy.md"])


def test_broken_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text('<p id="here"><a href="b.html#there">b</a><a href="#here">')
    (tmp_path / "b.html").write_text('<img src="no.png"><a href="https://example.org/no">')
    assert list(broken(tmp_path)) == ["a.html: b.html#there", "b.html: no.png"]


def marked(name):
    (text,) = (one.text for one in README_BLOCKS if (one.mark, one.language) == (name, "sh"))
    return text.removesuffix("\n")


def test_the_readme_is_short_and_has_lines_that_set_up_and_run_or_test():
    assert len(README.encode()) <= 8_000
    outputs = [block for block in README_BLOCKS if block.language == "text"]
    assert len(outputs) == sum(block.output is not None for block in TOUR) >= 3
    assert SET_UP.match(marked("run"))
    assert " -e . && .venv/bin/ists-asp " in marked("run")
    assert SET_UP.match(marked("test"))
    assert marked("test").endswith(" -e '.[test]' && .venv/bin/python -m pytest")


@pytest.mark.slow
@pytest.mark.parametrize("block", TOUR, ids=lambda block: f"line {block.line}")
def test_the_tour_prints_what_it_says(place, block):
    assert do(place("README.md"), block) == block.output or block.output is None


@pytest.mark.slow
def test_the_line_that_runs_solves_the_samples(place):
    printed = run(place("README.md"), "ists-asp " + marked("run").partition("/ists-asp ")[2])
    sentences = (ROOT / "data" / "samples" / "headlines" / "sent1.txt").read_text("utf-8")
    assert printed.count("Pair ") == len(sentences.splitlines())


def test_a_checkout_has_no_dead_links():
    made = {DOCS / "reference" / f"{name}.md" for name in MADE}
    dead = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in (*FILES, *ROOT.glob("*.md"), *(ROOT / "data").glob("*/README.md"))
        for target in re.findall(r"\]\((?!\w+:)([^)\s#]+)", page.read_text("utf-8"))
        if (file := (page.parent / target).resolve()) in made or not file.exists()
    ]
    assert dead == []


def test_docstrings_begin_with_the_thing_or_a_verb():
    begin = re.compile(r'(?:\A|(?<=:\n)) *"""(?:What )?')
    beginnings = [one.lstrip() for source in SOURCES for one in begin.findall(source)]
    assert len(beginnings) > 1000
    assert set(beginnings) == {'"""'}


@pytest.mark.parametrize("name", TEXTS)
def test_pages_use_the_usual_word(name):
    assert [match[0] for match in FORBIDDEN.finditer(TEXTS[name])] == []


def test_help_and_messages_use_the_usual_word():
    items = [item for command in COMMANDS.values() for item in (command, *command.params)]
    texts = [getattr(item, "help", None) or "" for item in items]
    for tree in (ast.parse(source) for source in SOURCES if FORBIDDEN.search(source)):
        # Texts that stand alone are docstrings.
        alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant))
        texts += [str(node.value) for node in constants if id(node) not in alone]
    assert [text for text in texts if FORBIDDEN.search(text)] == []


def test_a_pattern_is_found():
    for text in ("it appears whole or not at all", "learn them anew", "None is no sentence"):
        assert FORBIDDEN.search(text)
