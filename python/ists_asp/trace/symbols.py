"""Symbols read once.

Each look into a symbol of clingo is a call into its library, and a trace, or those of a run,
looks at the same symbols again and again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clingo import SymbolType

if TYPE_CHECKING:
    from clingo import Symbol

__all__ = ["MEMORY", "Shape", "arguments", "plain", "shape", "text"]

MEMORY = 1 << 16
"""Symbols that are remembered at a time: some megabytes, more than 20 pairs have."""


class Shape(NamedTuple):
    """What a function symbol is made of; ``sign`` is ``-`` for ``-p``, empty otherwise."""

    sign: str
    name: str
    arguments: tuple[Symbol, ...]


@lru_cache(MEMORY)
def text(symbol: Symbol) -> str:
    """A symbol as rules have it."""
    return str(symbol)


@lru_cache(MEMORY)
def arguments(symbol: Symbol) -> tuple[Symbol, ...]:
    """The arguments of a function symbol."""
    return tuple(symbol.arguments)


@lru_cache(MEMORY)
def shape(symbol: Symbol) -> Shape | None:
    """A function symbol taken apart; None for numbers, texts and names without arguments."""
    if symbol.type is not SymbolType.Function:
        return None
    parts = tuple(symbol.arguments)
    return Shape("" if symbol.positive else "-", symbol.name, parts) if parts else None


@lru_cache(MEMORY)
def plain(symbol: Symbol) -> str:
    """A value as people write it: text without quotes, ``_`` for what may be anything."""
    if symbol.type is SymbolType.String:
        return symbol.string
    return str(symbol).replace("__any", "_")
