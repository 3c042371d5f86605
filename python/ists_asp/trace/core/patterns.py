"""Atoms some of whose arguments are not known."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clingo import SymbolType
from clingo.ast import AST, ASTType, BinaryOperator

from ists_asp.syntax.changes import ANY, PREFIX, as_term
from ists_asp.syntax.ground import Ground

if TYPE_CHECKING:
    from collections.abc import Mapping


class Pattern(NamedTuple):
    """An atom, or all atoms that agree in the arguments that are not None."""

    name: str
    arguments: tuple[Ground | None, ...]

    @classmethod
    def of(cls, atom: Ground) -> Pattern:
        """The pattern of one atom."""
        sign = "" if atom.positive else "-"
        return cls(sign + atom.name, atom.arguments)

    @property
    def signature(self) -> tuple[str, int, bool]:
        """Name, number of arguments and sign, as clingo wants them."""
        name = self.name.removeprefix("-")
        return name, len(self.arguments), name == self.name

    def matches(self, atom: Ground) -> bool:
        """Whether an atom is one of these."""
        other = Pattern.of(atom)
        return (
            self.name == other.name
            and len(self.arguments) == len(other.arguments)
            and all(
                mine is None or mine == theirs
                for mine, theirs in zip(self.arguments, other.arguments, strict=True)
            )
        )


def pattern_of(literal: AST, values: Mapping[str, Ground]) -> Pattern:
    """An atom of a body with values for its variables; None for what has no value."""
    term, sign = as_term(literal), ""
    while term.ast_type is ASTType.UnaryOperation:
        term, sign = term.argument, "-"
    return Pattern(sign + term.name, tuple(_value(part, values) for part in term.arguments))


def may_agree(term: Ground, written: AST) -> bool:
    """Whether a term with gaps may be what a term of a rule stands for, as far as one can see."""
    if str(term) == ANY:
        return True
    if written.ast_type is ASTType.SymbolicTerm and written.symbol.type is not SymbolType.Function:
        return term == Ground(written.symbol)
    if written.ast_type is not ASTType.Function or not written.arguments:
        return True
    return (
        term.type is SymbolType.Function
        and term.name == written.name
        and len(term.arguments) == len(written.arguments)
        and all(map(may_agree, term.arguments, written.arguments))
    )


def _value(term: AST, values: Mapping[str, Ground]) -> Ground | None:
    if term.ast_type is ASTType.SymbolicTerm:
        return Ground(term.symbol)
    if term.ast_type is ASTType.Variable:
        return values.get(term.name)
    if term.ast_type is ASTType.Function:
        parts = [_value(part, values) for part in term.arguments]
        if term.name.startswith(PREFIX) or any(part is None for part in parts):
            return None
        inside = ",".join(part for part in parts if part is not None)
        return Ground(f"{term.name}({inside}{',' if not term.name and len(parts) == 1 else ''})")
    if term.ast_type is ASTType.BinaryOperation:
        left, right = _value(term.left, values), _value(term.right, values)
        if left is None or right is None:
            return None
        if SymbolType.Number is left.type is right.type:
            if term.operator_type == BinaryOperator.Plus:
                return Ground(left.number + right.number)
            if term.operator_type == BinaryOperator.Minus:
                return Ground(left.number - right.number)
    return None
