"""What the rule files say about their predicates, and where these are derived and used."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clingo.ast import AST, ASTSequence, ASTType, parse_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Doc", "RuleFile", "Uses", "rule_files", "uses"]

_DOC = re.compile(r"^%\*! (\S.*?)\n(.*?)^\*%$", re.MULTILINE | re.DOTALL)
_PURPOSE = re.compile(r"^% Purpose:\s+(.*?)(?=^% [A-Z]\w+:|^%$|^[^%])", re.MULTILINE | re.DOTALL)
_DIRECTIVES = (ASTType.Defined, ASTType.ShowSignature)


@dataclass(frozen=True, slots=True)
class Doc:
    """The documentation of a predicate: ``signature`` as written, ``name`` as ``token/3``."""

    signature: str
    name: str
    text: str
    arguments: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A rule file: its path from the root, title, purpose, and the predicates it documents."""

    path: str
    title: str
    purpose: str
    docs: tuple[Doc, ...]


@dataclass(slots=True)
class Uses:
    """The files whose rules derive a predicate, and those whose rules look at it."""

    heads: set[str] = field(default_factory=set)
    bodies: set[str] = field(default_factory=set)


def rule_files(root: Path) -> list[RuleFile]:
    """All rule files but weights, the machine first."""
    return [
        _read(file, file.relative_to(root).as_posix())
        for folder in ("asp", "lp_rules")
        for file in sorted((root / folder).rglob("*.lp"))
        if file.parent.name != "weights"
    ]


def uses(root: Path, files: list[RuleFile]) -> dict[str, Uses]:
    """Where each predicate, private ones excepted, occurs in rules; by ``name/arity``."""
    found: dict[str, Uses] = defaultdict(Uses)
    for file in files:
        for statement in _statements(root / file.path):
            if statement.ast_type in _DIRECTIVES:
                continue
            for atom, in_head in _atoms(statement):
                if not atom.startswith("_"):
                    place = found[atom].heads if in_head else found[atom].bodies
                    place.add(file.path)
    return dict(found)


def _read(file: Path, path: str) -> RuleFile:
    text = file.read_text("utf-8")
    title = text.partition("\n")[0].removeprefix("% ")
    purpose = _PURPOSE.search(text)
    said = " ".join(purpose[1].replace("\n%", " ").split()) if purpose else ""
    docs = tuple(_doc(match[1], match[2]) for match in _DOC.finditer(text))
    return RuleFile(path, title, said, docs)


def _doc(signature: str, body: str) -> Doc:
    text, _, listed = body.partition("Args:\n")
    arguments: list[tuple[str, str]] = []
    for line in listed.splitlines():
        name, colon, what = line.strip().partition(": ")
        if colon and line.startswith("    ") and not line.startswith("     "):
            arguments.append((name, what))
        elif line.strip() and arguments:
            last, said = arguments.pop()
            arguments.append((last, f"{said} {line.strip()}"))
    return Doc(signature, _name(signature), " ".join(text.split()), tuple(arguments))


def _name(signature: str) -> str:
    name, opening, rest = signature.partition("(")
    depth, arity = 0, 1 if opening else 0
    for character in rest:
        depth += (character in "([") - (character in ")]")
        arity += character == "," and depth == 0
    return f"{name}/{arity}"


def _statements(file: Path) -> list[AST]:
    found: list[AST] = []
    parse_files([str(file)], found.append, logger=lambda _code, _text: None)
    own = [node for node in found if node.location.begin.filename == str(file)]
    return [node for node in own if node.ast_type is not ASTType.Comment]


def _atoms(statement: AST) -> Iterator[tuple[str, bool]]:
    """The predicates of a statement's atoms, and whether each stands in the head."""
    for key in statement.child_keys:
        for node in _nodes(getattr(statement, key)):
            # Conditions of a choice are looked at, not derived.
            if node.ast_type is ASTType.ConditionalLiteral and key == "head":
                yield from ((name, True) for name in _names(node.literal))
                for part in node.condition:
                    yield from ((name, False) for name in _names(part))
            elif node.ast_type is ASTType.Literal:
                yield from ((name, key == "head") for name in _names(node))


def _nodes(part: object) -> Iterator[AST]:
    """A node and what it consists of, down to literals and conditional literals of a head."""
    if isinstance(part, ASTSequence):
        for one in part:
            yield from _nodes(one)
    elif isinstance(part, AST):
        yield part
        if part.ast_type not in (ASTType.Literal, ASTType.ConditionalLiteral):
            for key in part.child_keys:
                yield from _nodes(getattr(part, key))
        elif part.ast_type is ASTType.Literal and part.atom.ast_type in (
            ASTType.BodyAggregate,
            ASTType.Aggregate,
        ):
            yield from _nodes(part.atom)


def _names(node: AST) -> Iterator[str]:
    for part in _below(node):
        if part.ast_type is ASTType.SymbolicAtom:
            term = part.symbol
            while term.ast_type is ASTType.Pool:
                term = term.arguments[0]
            if term.ast_type is ASTType.UnaryOperation:
                term = term.argument
            yield f"{term.name}/{len(term.arguments)}"


def _below(part: object) -> Iterator[AST]:
    if isinstance(part, ASTSequence):
        for one in part:
            yield from _below(one)
    elif isinstance(part, AST):
        yield part
        for key in part.child_keys:
            yield from _below(getattr(part, key))
