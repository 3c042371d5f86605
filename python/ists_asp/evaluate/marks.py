"""Marks suggested for answers, by the scale of somebody who has marked some of them by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ists_asp.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST = 10
"""Marks from which a scale can be learned."""

_RIDGE = 1.0


class Scale(NamedTuple):
    """Suggested marks; of answers that have one, what the others alone would suggest.

    ``kappa`` is the agreement of the latter with the marks given, weighted by squares (Cohen
    1968), ``error`` their mean distance, ``marked`` how many there are.
    """

    suggested: tuple[float | None, ...]
    kappa: float
    error: float
    marked: int


def suggest_marks(
    features: Sequence[Sequence[float] | None],
    marks: Sequence[float | None],
    where: str | None = None,
) -> Scale:
    """Learn a scale by ridge regression; suggestions are marks that were given."""
    pairs = list(zip(features, marks, strict=True))
    known = [at for at, (row, mark) in enumerate(pairs) if None not in (row, mark)]
    if len(known) < LEAST:
        found = f"{len(known)} answers have a mark"
        raise DataError(found, where=where, expected=f"{LEAST} or more, to learn your scale from")
    values = {at: np.array([1.0, *row]) for at, row in enumerate(features) if row is not None}
    gold = {at: mark for at in known if (mark := marks[at]) is not None}
    steps = np.unique(list(gold.values()))

    def suggested(at: int) -> float | None:
        if at not in values:
            return None
        rows = [one for one in known if one != at]
        own, targets = np.array([values[one] for one in rows]), [gold[one] for one in rows]
        penalty = np.diag([1e-9, *[_RIDGE] * (own.shape[1] - 1)])
        weights = np.linalg.solve(own.T @ own + penalty, own.T @ np.array(targets))
        return float(steps[np.abs(steps - values[at] @ weights).argmin()])

    told = [suggested(at) for at in range(len(pairs))]
    one, two = np.array(list(gold.values())), np.array([told[at] for at in known], dtype=float)
    chance = float(np.mean((one[:, None] - two) ** 2))
    kappa = 1 - float(np.mean((one - two) ** 2)) / chance if chance else 1.0
    return Scale(tuple(told), kappa, float(np.abs(one - two).mean()), len(known))
