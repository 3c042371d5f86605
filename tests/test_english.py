"""The patterns of English that can be held: names of things first, and the usual word.

Each pattern stands beside what to write instead. Texts are the pages, the help of all commands,
messages and docstrings; rules' sentences and templates are tested elsewhere.
"""

import ast
import re

import pytest

from tests.sharing import COMMANDS
from tests.test_docs import TEXTS
from tests.tours import ROOT

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
SOURCES = sorted((ROOT / "python").rglob("*.py"))


def docstrings(source):
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield getattr(node, "name", source.stem), ast.get_docstring(node) or ""


def messages(source):
    """The texts of a module that are not docstrings, nor texts that stand alone."""
    tree = ast.parse(source.read_text("utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and id(node) not in alone else None
        if isinstance(text, str):
            yield text


def test_docstrings_begin_with_the_thing_or_a_verb():
    vague = [
        f"{source.name}: {name}: {text.splitlines()[0]}"
        for source in SOURCES
        for name, text in docstrings(source)
        if text.startswith("What ")
    ]
    assert vague == []


@pytest.mark.parametrize("name", TEXTS)
def test_pages_use_the_usual_word(name):
    assert [match[0] for match in FORBIDDEN.finditer(TEXTS[name])] == []


def test_help_and_messages_use_the_usual_word():
    items = [item for command in COMMANDS.values() for item in (command, *command.params)]
    texts = [getattr(item, "help", None) or "" for item in items]
    texts += [text for source in SOURCES for text in messages(source)]
    assert [text for text in texts if FORBIDDEN.search(text)] == []


@pytest.mark.parametrize(
    "text",
    ["it appears whole or not at all", "learn them anew", "None is no sentence", "Mend the rule"],
)
def test_a_pattern_is_found(text):
    assert FORBIDDEN.search(text)
