"""Which predicates the statements of a program define and use."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clingo.ast import AST, ASTType, Sign

from ists_asp.syntax.trees import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clingo import Symbol

__all__ = [
    "Signature",
    "derived",
    "derives_atom",
    "functions",
    "is_fact",
    "predicates",
    "signature",
]


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


def predicates(node: AST) -> set[Signature]:
    """All predicates of the atoms in a syntax tree."""
    return {
        Signature(function.name, len(function.arguments))
        for part in walk(node)
        if part.ast_type is ASTType.SymbolicAtom
        for function in functions(part.symbol)
    }


def derived(head: AST) -> set[Signature]:
    """The predicates that a head derives, without those of its conditions."""
    if head.ast_type is ASTType.Literal:
        return predicates(head)
    if head.ast_type is ASTType.HeadAggregate:
        return {name for part in head.elements for name in predicates(part.condition.literal)}
    if head.ast_type in {ASTType.Aggregate, ASTType.Disjunction}:
        return {name for part in head.elements for name in predicates(part.literal)}
    return predicates(head)


def is_fact(node: AST) -> bool:
    """Whether a statement is a fact, pools and intervals included."""
    return derives_atom(node) and not node.body


def derives_atom(node: AST) -> bool:
    """Whether a statement is a rule for an atom, rather than for a choice or a constraint."""
    if node.ast_type is not ASTType.Rule or node.head.ast_type is not ASTType.Literal:
        return False
    head = node.head
    # The head of `not p :- q.` says no more than `:- q, p.`
    return head.sign == Sign.NoSign and head.atom.ast_type is ASTType.SymbolicAtom
