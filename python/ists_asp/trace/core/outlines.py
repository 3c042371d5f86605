"""Of a rule only what says what its variables stand for: its atoms, and what equals what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo import SymbolType
from clingo.ast import AST, AggregateFunction, ASTType, BinaryOperator, ComparisonOperator, Sign

from ists_asp.syntax.remembering import remembered_by_identity
from ists_asp.syntax.signatures import functions
from ists_asp.syntax.trees import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ists_asp.trace.core.reified_rule import ReifiedRule

_EXTREMES = (AggregateFunction.Min, AggregateFunction.Max)
_SHIFTS = (BinaryOperator.Plus, BinaryOperator.Minus)


@dataclass(frozen=True, slots=True)
class Atom:
    """An atom: each argument is a variable's name, a number, a function, or None."""

    name: str
    arguments: tuple[str | int | Atom | None, ...]

    @property
    def signature(self) -> tuple[str, int]:
        """Name and number of arguments."""
        return self.name, len(self.arguments)


@dataclass(frozen=True, slots=True)
class Outline:
    """Of a rule only what matters here.

    ``same`` has variables of which the first is a place of the same kind and sentence as the
    second.
    """

    heads: tuple[Atom, ...]
    body: tuple[Atom, ...]
    same: tuple[tuple[str, str], ...]


@remembered_by_identity
def outline_of(probe: ReifiedRule) -> Outline:
    """The outline of a probe."""
    heads = () if probe.head is None else tuple(map(_atom, functions(probe.head.atom.symbol)))
    body = (_atom(function) for part in probe.body for function in _functions(part))
    same = (pair for part in probe.body for pair in _assigned(part))
    return Outline(heads, tuple(body), tuple(same))


def _functions(part: AST) -> Iterator[AST]:
    """The positive symbolic atoms in a body literal, and in its elements and conditions."""
    for node in walk(part):
        if (
            node.ast_type is ASTType.Literal
            and node.sign == Sign.NoSign
            and node.atom.ast_type is ASTType.SymbolicAtom
        ):
            yield from functions(node.atom.symbol)


def _atom(function: AST) -> Atom:
    return Atom(function.name, tuple(map(_argument, function.arguments)))


def _argument(term: AST) -> str | int | Atom | None:
    if term.ast_type is ASTType.Variable:
        return str(term.name)
    if term.ast_type is ASTType.SymbolicTerm and term.symbol.type is SymbolType.Number:
        return int(term.symbol.number)
    if term.ast_type is ASTType.Function and term.arguments:
        return _atom(term)
    return None


def _assigned(part: AST) -> Iterator[tuple[str, str]]:
    """Follow ``J = I+1``, ``J = I..K`` and ``J = #min{I : ...}``."""
    if part.ast_type is not ASTType.Literal or part.sign != Sign.NoSign:
        return
    atom = part.atom
    if atom.ast_type is ASTType.Comparison:
        guard, term = atom.guards[0], atom.term
        if len(atom.guards) == 1 and guard.comparison == ComparisonOperator.Equal:
            other = _shifted(guard.term)
            if term.ast_type is ASTType.Variable and other is not None:
                yield term.name, other
    elif atom.ast_type is ASTType.BodyAggregate and atom.function in _EXTREMES:
        guard = atom.left_guard
        firsts = {str(element.terms[0]) for element in atom.elements if element.terms}
        if guard is None or guard.comparison != ComparisonOperator.Equal:
            return
        if guard.term.ast_type is ASTType.Variable and len(firsts) == 1:
            yield guard.term.name, firsts.pop()


def _shifted(term: AST) -> str | None:
    if term.ast_type is ASTType.Variable:
        return str(term.name)
    if term.ast_type is ASTType.Interval:
        return _shifted(term.left) or _shifted(term.right)
    if term.ast_type is not ASTType.BinaryOperation or term.operator_type not in _SHIFTS:
        return None
    return _shifted(term.left) if term.right.ast_type is ASTType.SymbolicTerm else None
