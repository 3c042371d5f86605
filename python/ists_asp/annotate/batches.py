"""Windows and batches: how much the tagger is given at a time.

Memory grows with the longest sentence and with the words of a batch; both are bounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WINDOW = 200
"""Words of a window at most; longer sentences are tagged piece by piece."""

BATCH = 10_000
"""Words of a batch at most."""


def windows(words: Sequence[str]) -> list[tuple[int, int]]:
    """Cut a sentence into windows ``[start, end)`` of at most :data:`WINDOW` words.

    A window ends after the last punctuation mark in its second half, if there is one.
    """
    found: list[tuple[int, int]] = []
    start = 0
    while len(words) - start > WINDOW:
        full = start + WINDOW
        marks = (end for end in range(full, start + WINDOW // 2, -1) if _mark(words[end - 1]))
        end = next(marks, full)
        found.append((start, end))
        start = end
    if start < len(words):
        found.append((start, len(words)))
    return found


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Group positions by length, longest first, into batches of at most :data:`BATCH` words."""
    batch: list[int] = []
    total = 0
    for position in sorted(range(len(lengths)), key=lambda position: -lengths[position]):
        if batch and total + lengths[position] > BATCH:
            yield batch
            batch, total = [], 0
        batch.append(position)
        total += lengths[position]
    if batch:
        yield batch


def _mark(word: str) -> bool:
    return not any(character.isalnum() for character in word)
