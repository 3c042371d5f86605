"""Folds: examples dealt into parts, the same way for the same seed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")


def deal(items: Sequence[T], folds: int, seed: int) -> Iterator[tuple[list[T], list[T]]]:
    """Yield (train, test) for each fold; every item is in one test part."""
    order = list(range(len(items)))
    random.Random(seed).shuffle(order)
    for fold in range(folds):
        test = set(order[fold::folds])
        yield (
            [item for number, item in enumerate(items) if number not in test],
            [item for number, item in enumerate(items) if number in test],
        )
