"""Which pairs are decided together."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from clingo import Symbol

    from ists_asp.model import Pair

Item: TypeAlias = "tuple[Pair, Sequence[Symbol]]"
"""A pair with its facts."""

S = TypeVar("S")
T = TypeVar("T")

BATCH = 100
"""Pairs solved together: 60 take a tenth more time, more gain little."""

TOKENS = 4000
"""Tokens of the pairs solved together, both sides: what they need of memory grows with them."""

_LONG = 200
"""Tokens of a pair, both sides, from which it is solved alone: it has many alignments to choose
from, which a search for several pairs at a time may not get through."""


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


def short_pairs(items: Sequence[Item], least: int = 2) -> list[list[int]]:
    """The places of the pairs that are solved together, batch by batch, ``least`` each or more."""
    batches: list[list[int]] = [[]]
    tokens = 0
    for place, (pair, _) in enumerate(items):
        size = len(pair.sent1.tokens) + len(pair.sent2.tokens)
        if size >= _LONG:
            continue
        if tokens + size > TOKENS:
            batches.append([])
            tokens = 0
        batches[-1].append(place)
        tokens += size
    return [batch for batch in batches if len(batch) >= max(least, 1)]
