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
    tokens1 = [frozenset(candidate.tokens1) for candidate in candidates]
    tokens2 = [frozenset(candidate.tokens2) for candidate in candidates]
    best: tuple[float, tuple[int, ...]] = (-1.0, ())

    def search(left: list[int], total: float, kept: tuple[int, ...]) -> None:
        """Decide on the first of the candidates left, none of which clashes with those kept."""
        nonlocal best
        if total > best[0]:
            best = (total, kept)
        if not left or total + min(_bound(tokens1, left), _bound(tokens2, left)) <= best[0]:
            return
        first, *rest = left
        free = [n for n in rest if not (tokens1[n] & tokens1[first] or tokens2[n] & tokens2[first])]
        search(free, total + weights[first], (*kept, first))
        search(rest, total, kept)

    def _bound(tokens: list[frozenset[int]], left: list[int]) -> float:
        """No choice among those left weighs more: each token can be used only once."""
        shares: dict[int, float] = {}
        for number in left:
            share = weights[number] / len(tokens[number])
            for token in tokens[number]:
                shares[token] = max(share, shares.get(token, 0.0))
        return sum(shares.values())

    search(order, 0.0, ())
    return tuple(candidates[number] for number in best[1])
