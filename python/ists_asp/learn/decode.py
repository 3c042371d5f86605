"""A quick stand-in for the solver while thresholds are tuned: the same objective, by scipy.

Tuning tries many thresholds on the same weights; the answers that are reported always come
from the solver.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.learn.examples import Candidate


def best_candidates(
    candidates: Sequence[Candidate], weights: Sequence[float]
) -> tuple[Candidate, ...]:
    """Return the candidates of greatest total weight, no token being used twice.

    Args:
        candidates: proposed pairs.
        weights: what aligning each of them is worth; those of 0 or less are never chosen.
    """
    worthy = [number for number, weight in enumerate(weights) if weight > 0]
    users: dict[tuple[int, int], list[int]] = {}
    for place, number in enumerate(worthy):
        for side, tokens in enumerate((candidates[number].tokens1, candidates[number].tokens2)):
            for token in tokens:
                users.setdefault((side, token), []).append(place)
    clashes = sorted({tuple(places) for places in users.values() if len(places) > 1})
    if not clashes:
        return tuple(candidates[number] for number in worthy)
    chosen = _packed([weights[number] for number in worthy], clashes)
    return tuple(candidates[worthy[place]] for place in chosen)


def _packed(weights: Sequence[float], clashes: Sequence[tuple[int, ...]]) -> list[int]:
    """The places of greatest total weight, at most one from each clash: weighted set packing."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_matrix

    rows = [row for row, places in enumerate(clashes) for _ in places]
    columns = [place for places in clashes for place in places]
    shape = len(clashes), len(weights)
    matrix = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
    found = milp(
        -np.asarray(weights, dtype=float),
        integrality=np.ones(len(weights)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, ub=np.ones(len(clashes))),
    )
    return [place for place, taken in enumerate(found.x) if taken > 0.5]
