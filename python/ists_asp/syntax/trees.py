"""Walking clingo's syntax trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clingo.ast import AST, ASTSequence, ASTType

if TYPE_CHECKING:
    from collections.abc import Iterator


def walk(node: AST) -> Iterator[AST]:
    """A syntax tree and all trees in it, from the outside in, however deep."""
    open_ = [iter((node,))]
    while open_:
        for part in open_[-1]:
            yield part
            open_.append(children(part))
            break
        else:
            open_.pop()


def children(node: AST) -> Iterator[AST]:
    """The trees right below the root of a syntax tree."""
    kind = node.ast_type
    keys = _child_keys.get(kind)
    if keys is None:
        # The same for all trees of a kind, and slow to ask for.
        keys = _child_keys[kind] = tuple(node.child_keys)
    for key in keys:
        child = getattr(node, key)
        if isinstance(child, ASTSequence):
            yield from (part for part in child if isinstance(part, AST))
        elif isinstance(child, AST):
            yield child


_child_keys: dict[ASTType, tuple[str, ...]] = {}
