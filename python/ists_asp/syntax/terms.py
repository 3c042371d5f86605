"""Terms of parsed rules, and whether they can have a value.

A term is read once (:func:`read_term`), as syntax trees are slow to look into. Arithmetic is
not solved: it can have any number as its value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from clingo import Symbol, SymbolType
from clingo.ast import AST, ASTSequence, ASTType

from ists_asp.syntax.signatures import functions

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

Bindings: TypeAlias = dict[str, Symbol]
"""Values of variables."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable; ``_`` is another one wherever it stands."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function or an atom with its arguments; a tuple is a function without a name."""

    name: str
    arguments: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A term whose value is not known here: a number, or, for a constant, anything."""

    number: bool


Term: TypeAlias = Variable | Call | Unknown | Symbol


def read_term(node: AST, constants: Collection[str] = ()) -> Term:
    """Read a term without pools.

    Args:
        node: its syntax tree.
        constants: the names that ``#const`` gives values to.
    """
    if node.ast_type is ASTType.Variable:
        return Variable(node.name)
    if node.ast_type is ASTType.SymbolicTerm:
        symbol: Symbol = node.symbol
        constant = symbol.type is SymbolType.Function and symbol.name in constants
        return Unknown(number=False) if constant and not symbol.arguments else symbol
    if node.ast_type is ASTType.Function:
        return Call(node.name, tuple(read_term(part, constants) for part in node.arguments))
    return Unknown(number=True)


def atoms(node: AST) -> Iterator[AST]:
    """The terms of all atoms in a syntax tree, without the sign of classical negation."""
    if node.ast_type is ASTType.SymbolicAtom:
        yield from functions(node.symbol)
        return
    for key in node.child_keys:
        child = getattr(node, key)
        for part in child if isinstance(child, ASTSequence) else (child,):
            if isinstance(part, AST):
                yield from atoms(part)


def variables_in(term: Term) -> Iterator[str]:
    """The variables in a term; one that occurs twice comes twice."""
    if isinstance(term, Variable):
        yield term.name
    elif isinstance(term, Call):
        for part in term.arguments:
            yield from variables_in(part)


def match(term: Term, symbol: Symbol, bound: Bindings) -> bool:
    """Whether a term can have a value; gives its variables values in ``bound``.

    Args:
        term: the term.
        symbol: the value.
        bound: values that variables have already; on failure it may have more than before.
    """
    if isinstance(term, Variable):
        return term.name == "_" or bound.setdefault(term.name, symbol) == symbol
    if isinstance(term, Call):
        return (
            symbol.type is SymbolType.Function
            and symbol.positive
            and symbol.name == term.name
            and len(symbol.arguments) == len(term.arguments)
            and all(
                match(part, value, bound)
                for part, value in zip(term.arguments, symbol.arguments, strict=True)
            )
        )
    if isinstance(term, Unknown):
        return not term.number or symbol.type is SymbolType.Number
    return term == symbol


def meets(term: Term, bound: Bindings, other: Term) -> bool:
    """Whether a term, with values for some of its variables, and one of another rule can agree.

    The other term's variables, and those without a value, agree with anything, even where
    one occurs twice.
    """
    if isinstance(term, Variable):
        return term.name not in bound or match(other, bound[term.name], {})
    if isinstance(other, Variable):
        return True
    if isinstance(other, Symbol):
        return match(term, other, dict(bound))
    if isinstance(term, Symbol):
        return match(other, term, {})
    if isinstance(term, Unknown):
        return not (term.number and isinstance(other, Call))
    if isinstance(other, Unknown):
        return not other.number
    return (
        term.name == other.name
        and len(term.arguments) == len(other.arguments)
        and all(
            meets(part, bound, its)
            for part, its in zip(term.arguments, other.arguments, strict=True)
        )
    )
