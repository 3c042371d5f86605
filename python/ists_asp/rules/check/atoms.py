"""The atoms of statements: read once for all checks, and once in a process for each text."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clingo.ast import AST, ASTType, Sign

from ists_asp.syntax.terms import read_atom
from ists_asp.syntax.trees import children, functions, head_elements

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from ists_asp.rules.directives import NamedRule
    from ists_asp.syntax.terms import Term
    from ists_asp.syntax.trees import Signature

_FILES = 512


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with its name and the path of its file."""

    path: Path
    node: AST
    rule: NamedRule


class Atom(NamedTuple):
    """An atom of a statement: its syntax tree, and its arguments."""

    node: AST
    key: Signature
    arguments: tuple[Term, ...]
    positive: bool = True


class Read(NamedTuple):
    """A statement, the atoms that it derives, and those that it asks for; pools are taken apart."""

    statement: Statement
    derived: tuple[Atom, ...]
    used: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A file, told from others by its path, its hash and the ``constants`` that it may name."""

    path: Path
    sha256: str
    constants: frozenset[str]
    statements: tuple[Statement, ...] = field(compare=False)


@lru_cache(_FILES)
def read_atoms(source: Source) -> tuple[Read, ...]:
    """The statements of a file with their atoms."""
    return tuple(_read(statement, source.constants) for statement in source.statements)


def _read(statement: Statement, constants: Collection[str]) -> Read:
    node = statement.node
    heads: list[AST] = []
    body: list[AST] = []
    if node.ast_type is ASTType.Rule:
        for literal, condition in head_elements(node.head):
            heads.append(literal)
            body += condition
        body += node.body
    elif node.ast_type is ASTType.External:
        heads.append(node.atom)
        body += node.body
    elif node.ast_type is not ASTType.ShowSignature:
        body.append(node)
    return Read(statement, tuple(_all(heads, constants)), tuple(_all(body, constants)))


def _all(nodes: Iterable[AST], constants: Collection[str]) -> Iterator[Atom]:
    # Each with whether it stands outside of what is negated.
    open_ = [(node, True) for node in nodes][::-1]
    while open_:
        node, positive = open_.pop()
        if node.ast_type is ASTType.SymbolicAtom:
            yield from _atoms(node, constants, positive=positive)
            continue
        if node.ast_type is ASTType.Literal and node.sign != Sign.NoSign:
            positive = False
        open_ += [(child, positive) for child in children(node)][::-1]


def _atoms(node: AST, constants: Collection[str], *, positive: bool) -> Iterator[Atom]:
    for single in node.unpool():
        for function in functions(single.symbol):
            if function.ast_type is ASTType.Function:
                atom = read_atom(function, constants)
                yield Atom(function, atom.signature, atom.arguments, positive)
