"""A quick stand-in for the solver while thresholds are tuned: the same objective, in Python.

Tuning tries many thresholds on the same weights; the answers that are reported always come
from the solver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.learn.examples import Candidate

__all__ = ["best_candidates"]


def best_candidates(
    candidates: Sequence[Candidate], weights: Sequence[float]
) -> tuple[Candidate, ...]:
    """Return the candidates of greatest total weight, no token being used twice.

    Args:
        candidates: proposed pairs.
        weights: what aligning each of them is worth; those of 0 or less are never chosen.
    """
    order = sorted(
        (number for number, weight in enumerate(weights) if weight > 0),
        key=lambda number: (-weights[number], number),
    )
    uses = [
        frozenset((*((1, t) for t in candidate.tokens1), *((2, t) for t in candidate.tokens2)))
        for candidate in candidates
    ]
    rest = [0.0] * (len(order) + 1)
    for place in range(len(order) - 1, -1, -1):
        rest[place] = rest[place + 1] + weights[order[place]]
    best: tuple[float, tuple[int, ...]] = (-1.0, ())

    def search(
        place: int, total: float, used: frozenset[tuple[int, int]], kept: tuple[int, ...]
    ) -> None:
        nonlocal best
        if total > best[0]:
            best = (total, kept)
        if place == len(order) or total + rest[place] <= best[0]:
            return
        number = order[place]
        if not uses[number] & used:
            search(place + 1, total + weights[number], used | uses[number], (*kept, number))
        search(place + 1, total, used, kept)

    search(0, 0.0, frozenset(), ())
    return tuple(candidates[number] for number in best[1])
