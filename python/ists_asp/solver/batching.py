"""Which pairs are decided together."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ists_asp.limits import is_long

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from clingo import Symbol

    from ists_asp.model import Pair

__all__ = ["BATCH", "Item", "in_batches", "short_pairs"]

Item: TypeAlias = "tuple[Pair, Sequence[Symbol]]"
"""A pair with its facts."""

S = TypeVar("S")
T = TypeVar("T")

BATCH = 100
"""Pairs solved together: 60 take a tenth more time, more gain little."""


def in_batches(
    items: Iterable[S], decide: Callable[[Sequence[S]], Iterator[T]], size: int = BATCH
) -> Iterator[T]:
    """Decide items, ``size`` at a time; what came before an error is decided first."""
    remaining = iter(items)
    failure: Exception | None = None
    while failure is None:
        batch: list[S] = []
        try:
            # One at a time: what came before an error is kept.
            for item in islice(remaining, size):
                batch.append(item)
        except Exception as error:
            failure = error
        if not batch:
            break
        yield from decide(batch)
    if failure is not None:
        raise failure


def short_pairs(items: Sequence[Item]) -> list[int]:
    """The places of the pairs that are solved together, if there are at least two."""
    short = [place for place, (pair, _) in enumerate(items) if not is_long(pair)]
    return short if len(short) > 1 else []
