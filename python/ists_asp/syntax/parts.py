"""What a statement asks for and what it derives, as plain values that JSON can write.

A term is None where it may be anything, text where it is a constant, ``["?", name]`` for a
variable, and ``[name, argument, ...]`` for a function; a tuple is a function without a name. An
atom is a function, with or without arguments, and its sign for classical negation is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clingo import SymbolType
from clingo.ast import AST, ASTType, Sign

from ists_asp.syntax.signatures import functions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

VARIABLE = "?"
"""What a term begins with that is a variable."""

_SETS = (ASTType.Aggregate, ASTType.BodyAggregate)


@dataclass(slots=True)
class _Parts:
    """What is found in one variant of a statement.

    Args:
        heads: the atoms that it can derive, each with those that must hold beside the body.
        needed: the atoms that must hold wherever it has an instance.
        others: any other atoms in it, each with those that must hold for it to count.
    """

    heads: list[list[Any]] = field(default_factory=list)
    needed: list[Any] = field(default_factory=list)
    others: list[list[Any]] = field(default_factory=list)


def parts(node: AST) -> list[list[Any]]:
    """The heads, the needed and the other atoms of each variant of a rule or ``#minimize``.

    Where it has pools it has several variants.

    Raises:
        ValueError: it has something of a theory.
    """
    found = []
    for variant in node.unpool():
        one = _Parts()
        if variant.ast_type is ASTType.Rule:
            _head(one, variant.head)
        for part in variant.body:
            _body(one, part)
        found.append([one.heads, one.needed, one.others])
    return found


def _head(one: _Parts, head: AST) -> None:
    if head.ast_type is ASTType.Literal:
        for atom in _atoms(head):
            if head.sign == Sign.NoSign:
                one.heads.append([atom, []])
            else:
                one.others.append([atom, []])
    elif head.ast_type in (ASTType.Aggregate, ASTType.Disjunction):
        for element in head.elements:
            _derived(one, element)
    elif head.ast_type is ASTType.HeadAggregate:
        for element in head.elements:
            _derived(one, element.condition)
    else:
        raise ValueError(str(head))


def _derived(one: _Parts, element: AST) -> None:
    """An element of a head that derives its literal where its condition holds."""
    beside = list(_positive(element.condition))
    one.heads.extend([atom, beside] for atom in _atoms(element.literal))
    _element(one, [element.literal], element.condition)


def _body(one: _Parts, part: AST) -> None:
    if part.ast_type is ASTType.ConditionalLiteral:
        _element(one, [part.literal], part.condition)
    elif part.ast_type is not ASTType.Literal:
        raise ValueError(str(part))
    elif part.atom.ast_type is ASTType.SymbolicAtom:
        if part.sign == Sign.NoSign:
            one.needed.extend(_atoms(part))
        else:
            one.others.extend([atom, []] for atom in _atoms(part))
    elif part.atom.ast_type in _SETS:
        for element in part.atom.elements:
            literal = [element.literal] if part.atom.ast_type is ASTType.Aggregate else []
            _element(one, literal, element.condition)
    elif part.atom.ast_type not in (ASTType.Comparison, ASTType.BooleanConstant):
        raise ValueError(str(part))


def _element(one: _Parts, literals: Iterable[AST], condition: Iterable[AST]) -> None:
    """Literals that count where their condition holds."""
    condition = list(condition)
    for literal in literals:
        one.others.extend([atom, list(_positive(condition))] for atom in _atoms(literal))
    for place, literal in enumerate(condition):
        rest = list(_positive(condition[:place] + condition[place + 1 :]))
        one.others.extend([atom, rest] for atom in _atoms(literal))


def _positive(condition: Iterable[AST]) -> Iterator[Any]:
    for literal in condition:
        if literal.sign == Sign.NoSign:
            yield from _atoms(literal)


def _atoms(literal: AST) -> Iterator[Any]:
    """The atom of a literal, if it has one."""
    if literal.atom.ast_type is ASTType.SymbolicAtom:
        for function in functions(literal.atom.symbol):
            yield [function.name, *map(read, function.arguments)]


def read(node: AST) -> Any:  # noqa: ANN401 (JSON)
    """A term without pools."""
    if node.ast_type is ASTType.Variable:
        return None if node.name == "_" else [VARIABLE, node.name]
    if node.ast_type is ASTType.SymbolicTerm:
        plain = node.symbol.type is not SymbolType.Function or not node.symbol.arguments
        return str(node.symbol) if plain else None
    if node.ast_type is ASTType.Function and not node.external:
        if not node.arguments and node.name:
            return str(node.name)
        return [node.name, *map(read, node.arguments)]
    return None
