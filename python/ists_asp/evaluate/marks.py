"""Marks suggested for answers, by the scale of somebody who has marked some of them by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ists_asp.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

LEAST = 10
"""Marks from which a scale can be learned."""

_RIDGE = 1.0
_STEPS = 21
"""Different marks at most for the scale to have steps, which suggestions are rounded to."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Suggested marks; of answers that have one, what the others alone would suggest.

    ``kappa`` is the agreement of the latter with the marks given, weighted by squares (Cohen
    1968), ``error`` their mean distance, ``marked`` how many there are.
    """

    suggested: tuple[float, ...]
    kappa: float
    error: float
    marked: int


def suggest_marks(
    features: Sequence[Sequence[float]], marks: Sequence[float | None], where: str | None = None
) -> Scale:
    """Learn a scale from the marks that there are, by ridge regression.

    Raises:
        DataError: there are too few marks.
    """
    known = [at for at, mark in enumerate(marks) if mark is not None]
    if len(known) < LEAST:
        found = f"{len(known)} answers have a mark"
        raise DataError(found, where=where, expected=f"{LEAST} or more, to learn your scale from")
    values = np.array([[1.0, *row] for row in features])
    gold = np.array([mark for mark in marks if mark is not None])
    steps = np.unique(gold)

    def told(rows: Sequence[int], targets: NDArray[np.float64], at: int) -> float:
        own = values[rows]
        penalty = _RIDGE * np.eye(own.shape[1])
        penalty[0, 0] = 1e-9
        weights = np.linalg.solve(own.T @ own + penalty, own.T @ targets)
        value = float(np.clip(values[at] @ weights, steps[0], steps[-1]))
        if len(steps) > _STEPS:
            return round(value, 2)
        return float(steps[np.abs(steps - value).argmin()])

    place = {at: number for number, at in enumerate(known)}
    suggested = []
    for at in range(len(marks)):
        rows = [one for one in known if one != at]
        targets = np.delete(gold, place[at]) if at in place else gold
        suggested.append(told(rows, targets, at))
    left_out = np.array([suggested[at] for at in known])
    chance = np.mean((gold[:, None] - left_out[None, :]) ** 2)
    kappa = 1.0 if chance == 0 else 1 - float(np.mean((gold - left_out) ** 2) / chance)
    return Scale(tuple(suggested), kappa, float(np.abs(gold - left_out).mean()), len(known))
