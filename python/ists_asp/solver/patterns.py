"""Patterns of terms: text, or the name and the arguments of a function; None is anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ists_asp.syntax.ground import split
from ists_asp.syntax.signatures import Signature

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Pattern: TypeAlias = "str | tuple[Pattern, ...] | None"
"""A term: None for anything, text, or a function with its name in front."""

Arguments: TypeAlias = "tuple[Pattern, ...]"

Atom: TypeAlias = "tuple[Any, ...]"
"""The name of a predicate and its arguments, with variables or as a pattern."""

Bindings: TypeAlias = "dict[str, Pattern]"


class Variable(str):
    """The name of a variable in a term that is no pattern yet."""

    __slots__ = ()


def signature(atom: Atom) -> Signature:
    """The predicate of an atom."""
    return Signature(atom[0], len(atom) - 1)


def variables(term: Any) -> Iterator[str]:  # noqa: ANN401 (a term)
    """The variables in a term or an atom."""
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, tuple):
        for part in term[1:]:
            yield from variables(part)


def filled(term: Any, bound: Bindings) -> Any:  # noqa: ANN401 (a term)
    """A term or an atom with the values of its variables; those without one may be anything."""
    if isinstance(term, Variable):
        return bound.get(term)
    if isinstance(term, tuple):
        return (term[0], *(filled(part, bound) for part in term[1:]))
    return term


def bind(terms: Sequence[Any], values: Arguments, bound: Bindings) -> bool:
    """Whether terms can have values; gives their variables values in ``bound``."""
    for term, value in zip(terms, values, strict=True):
        if isinstance(term, Variable):
            known = bound.get(term)
            if known is None:
                if value is not None:
                    bound[term] = value
            elif not agree(known, value):
                return False
        elif isinstance(term, tuple) and isinstance(value, tuple):
            if term[0] != value[0] or len(term) != len(value):
                return False
            if not bind(term[1:], value[1:], bound):
                return False
        elif term is not None and value is not None and term != value:
            return False
    return True


def agree(one: Pattern, other: Pattern) -> bool:
    """Whether two patterns can stand for the same term."""
    if one is None or other is None or one == other:
        return True
    if isinstance(one, str) or isinstance(other, str):
        return False
    return one[0] == other[0] and len(one) == len(other) and all(map(agree, one[1:], other[1:]))


def ground(text: str) -> Pattern:
    """The pattern of a ground term."""
    if text[:1] == '"' or not text.endswith(")"):
        return text
    name, _, rest = text.partition("(")
    return (name, *map(ground, split(rest[:-1].removesuffix(","))))
