"""Which predicates the statements of a program define and use."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clingo.ast import AST, ASTType, Sign

from ists_asp.syntax.trees import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clingo import Symbol

_MEMORY = 1 << 14
"""Syntax trees that are remembered: looking into one takes thousands of calls into clingo."""


class Signature(NamedTuple):
    """A predicate: its name and how many arguments it has. ``-p`` counts as ``p``."""

    name: str
    arity: int


def signature(symbol: Symbol) -> Signature:
    """The predicate of an atom."""
    return Signature(symbol.name, len(symbol.arguments))


def functions(symbol: AST) -> Iterator[AST]:
    """The functions ``p(...)`` that a symbolic atom's term stands for: several in a pool."""
    if symbol.ast_type is ASTType.UnaryOperation:
        yield from functions(symbol.argument)
    elif symbol.ast_type is ASTType.Pool:
        for argument in symbol.arguments:
            yield from functions(argument)
    else:
        yield symbol


@lru_cache(_MEMORY)
def predicates(node: AST) -> frozenset[Signature]:
    """All predicates of the atoms in a syntax tree."""
    return frozenset(
        Signature(function.name, len(function.arguments))
        for part in walk(node)
        if part.ast_type is ASTType.SymbolicAtom
        for function in functions(part.symbol)
    )


@lru_cache(_MEMORY)
def derived(head: AST) -> frozenset[Signature]:
    """The predicates that a head derives, without those of its conditions."""
    if head.ast_type is ASTType.Literal:
        return predicates(head)
    if head.ast_type is ASTType.HeadAggregate:
        return _all(part.condition.literal for part in head.elements)
    if head.ast_type in {ASTType.Aggregate, ASTType.Disjunction}:
        return _all(part.literal for part in head.elements)
    return predicates(head)


def _all(nodes: Iterable[AST]) -> frozenset[Signature]:
    return frozenset(name for node in nodes for name in predicates(node))


def is_fact(node: AST) -> bool:
    """Whether a statement is a fact, pools and intervals included."""
    return derives_atom(node) and not node.body


@lru_cache(_MEMORY)
def derives_atom(node: AST) -> bool:
    """Whether a statement is a rule for an atom, rather than for a choice or a constraint."""
    if node.ast_type is not ASTType.Rule or node.head.ast_type is not ASTType.Literal:
        return False
    head = node.head
    # The head of `not p :- q.` says no more than `:- q, p.`
    return head.sign == Sign.NoSign and head.atom.ast_type is ASTType.SymbolicAtom


def calls_script(node: AST) -> bool:
    """Whether a statement calls a function of a script, such as ``@f(X)``."""
    return any(part.ast_type is ASTType.Function and part.external for part in walk(node))
