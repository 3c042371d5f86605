"""What every rule file keeps to, so that people and other programs can rely on it."""

import re
from collections import defaultdict
from pathlib import Path

import pytest
from clingo.ast import ASTSequence, ASTType, Sign, parse_files

ROOT = Path(__file__).parents[2]
FILES = sorted(
    file.relative_to(ROOT).as_posix()
    for folder in ("asp", "lp_rules")
    for file in (ROOT / folder).rglob("*.lp")
)
ENTRIES = {"asp/decide.lp", "asp/explain.lp", "asp/sts.lp"}
"""Files that hold includes only have no predicates to list."""


def parse(name):
    """The statements of a file, comments and what it includes left out."""
    nodes = []
    parse_files([str(ROOT / name)], nodes.append, logger=lambda _code, _text: None)
    own = str(ROOT / name)
    return [
        node
        for node in nodes
        if node.ast_type != ASTType.Comment and node.location.begin.filename == own
    ]


def walk(node):
    yield node
    for key in node.child_keys:
        child = getattr(node, key)
        for part in child if isinstance(child, ASTSequence) else (child,):
            if part is not None:
                yield from walk(part)


def nodes(name):
    for statement in parse(name):
        yield from walk(statement)


def predicates(node):
    """The predicates of the atoms below a node, as name/arity."""
    for part in walk(node):
        if part.ast_type == ASTType.SymbolicAtom:
            for term in walk(part.symbol):
                if term.ast_type == ASTType.Function:
                    yield f"{term.name}/{len(term.arguments)}"
                    break


@pytest.mark.parametrize("name", FILES)
def test_a_file_begins_with_its_purpose_and_predicates(name):
    text = (ROOT / name).read_text("utf-8")
    header = re.match(r"(%[^\n]*\n)*", text)[0]
    assert re.match(r"% [A-Z].*[.:]$", header.splitlines()[0]), "the first line is a sentence"
    wanted = () if name in ENTRIES else ("Purpose", "Input", "Output", "Private")
    found = tuple(re.findall(r"^% (Purpose|Input|Output|Private):\s+\S", header, re.MULTILINE))
    assert found == wanted


def test_private_predicates_are_used_in_one_file_only():
    files = defaultdict(set)
    for name in FILES:
        for statement in parse(name):
            for predicate in predicates(statement):
                if predicate.startswith("_"):
                    files[predicate].add(name)
    assert {key: names for key, names in files.items() if len(names) > 1} == {}


@pytest.mark.parametrize("name", FILES)
def test_no_pooled_negation(name):
    """``not p((a;b))`` means that p lacks a *or* b, which is never what was meant."""
    pooled = [
        str(node)
        for node in nodes(name)
        if node.ast_type == ASTType.Literal
        and node.sign != Sign.NoSign
        and any(part.ast_type == ASTType.Pool for part in walk(node))
    ]
    assert pooled == []


@pytest.mark.parametrize("name", FILES)
def test_no_scripts_and_no_functions_of_a_host_language(name):
    hosted = [
        str(node)
        for node in nodes(name)
        if node.ast_type == ASTType.Script or (node.ast_type == ASTType.Function and node.external)
    ]
    assert hosted == []


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith("lp_rules/weights/")])
def test_a_weights_file_has_weights_only(name):
    statements = [node for node in parse(name) if node.ast_type != ASTType.Program]
    assert statements
    for node in statements:
        assert re.fullmatch(r"weight\(.+,.+,-?\d+\)\.", str(node))


@pytest.mark.parametrize(
    "name", [name for name in FILES if not name.startswith("lp_rules/weights/")]
)
def test_every_rule_has_a_name_and_a_sentence(name):
    text = (ROOT / name).read_text("utf-8").splitlines()
    kinds = (ASTType.Rule, ASTType.Minimize)
    nameless = [
        f"{name}:{node.location.begin.line}: {node}"
        for node in parse(name)
        if node.ast_type in kinds and not text[node.location.begin.line - 2].startswith("%@rule ")
    ]
    assert nameless == []
