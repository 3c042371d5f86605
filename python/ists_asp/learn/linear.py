"""Linear models whose every weight keeps to its sense.

A decision's sum is the dot product of values and weights. Some weights are shared by several
outcomes (what speaks for SPE1 on side 1 speaks for SPE2 on side 2), so that a model has one
matrix for each outcome over the same weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    Floats: TypeAlias = NDArray[np.float64]
    Loss: TypeAlias = Callable[[list[Floats]], tuple[float, list[Floats]]]

LOG, ERRORS = 0.4, 1.2
"""What log loss and the expected errors count in the second round of :func:`label_losses`."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """For each weight its lowest and highest value, and the value that it is drawn to."""

    lower: Floats
    upper: Floats
    centre: Floats


def fit(
    matrices: Sequence[csr_matrix], losses: Sequence[Loss], bounds: Bounds, penalty: Floats
) -> Floats:
    """Fit weights within their bounds.

    Args:
        matrices: for each outcome the values: one row an example, one column a weight.
        losses: from the sums of each outcome to the loss and its slopes; minimised one after
            the other, each from where the one before ended.
        bounds: where the weights may lie.
        penalty: half of this times the squared distance of a weight from its centre is added.

    Returns:
        The weights, an array as long as there are columns.
    """
    transposed = [matrix.T.tocsr() for matrix in matrices]
    weights = np.clip(bounds.centre, bounds.lower, bounds.upper)

    def total(values: Floats, loss: Loss) -> tuple[float, Floats]:
        lost, slopes = loss([matrix @ values for matrix in matrices])
        away = values - bounds.centre
        slope = penalty * away
        for matrix, part in zip(transposed, slopes, strict=True):
            slope = slope + matrix @ part
        return lost + float((penalty * away**2).sum()) / 2, slope

    for loss in losses:
        found = minimize(
            total,
            weights,
            (loss,),
            method="L-BFGS-B",
            jac=True,
            bounds=list(zip(bounds.lower, bounds.upper, strict=True)),
            options={"maxiter": 500},
        )
        weights = found.x
    return np.asarray(weights)


def fit_sparsely(
    matrices: Sequence[csr_matrix], loss: Loss, bounds: Bounds, penalty: Floats, start: Floats
) -> Floats:
    """Fit weights so that few of them are not 0: the lasso, within bounds.

    Args:
        matrices: as for :func:`fit`.
        loss: as for :func:`fit`.
        bounds: where the weights may lie; their centres play no part.
        penalty: this times the absolute value of a weight is added (Tibshirani 1996).
        start: weights to begin with, close to the optimum if that is known.

    Returns:
        The weights, an array as long as there are columns.
    """
    transposed = [matrix.T.tocsr() for matrix in matrices]
    # A weight is the difference of two parts, neither below 0, one of them if its sign is bound.
    pro, contra = np.flatnonzero(bounds.upper > 0), np.flatnonzero(bounds.lower < 0)
    place = np.concatenate([pro, contra])
    sign = np.concatenate([np.ones(len(pro)), -np.ones(len(contra))])
    price = penalty[place]

    def whole(parts: Floats) -> Floats:
        return np.bincount(place, sign * parts, len(bounds.lower)).astype(np.float64)

    def total(parts: Floats) -> tuple[float, Floats]:
        weights = whole(parts)
        lost, slopes = loss([matrix @ weights for matrix in matrices])
        slope = sum(matrix @ part for matrix, part in zip(transposed, slopes, strict=True))
        return lost + float(price @ parts), sign * slope[place] + price

    found = minimize(
        total,
        np.maximum(sign * start[place], 0.0),
        method="L-BFGS-B",
        jac=True,
        bounds=[(0.0, None)] * len(place),
        options={"maxiter": 200},
    )
    return whole(found.x)


def yes_no_loss(taken: Floats, counts: Floats) -> Loss:
    """Log loss of decisions that are taken (1) or not (0), each counting so often."""

    def loss(sums: list[Floats]) -> tuple[float, list[Floats]]:
        (total,) = sums
        lost = float((counts * (np.logaddexp(0, total) - taken * total)).sum())
        return lost, [counts * (expit(total) - taken)]

    return loss


def points_loss(points: Floats, counts: Floats) -> Loss:
    """Half of the squared error in points."""

    def loss(sums: list[Floats]) -> tuple[float, list[Floats]]:
        error = sums[0] - points
        return float((counts * error**2).sum()) / 2, [counts * error]

    return loss


def label_losses(truth: Floats, allowed: Floats, counts: Floats) -> tuple[Loss, Loss]:
    """Log loss, then log loss and the expected number of errors at once.

    Log loss alone spends effort on examples that are hopeless or safe; the expected number of
    errors looks only at those that could still go either way, but is not convex. The sum of
    both, from the optimum of the first, decides better on held-out pairs than either.

    Args:
        truth: 1 for the outcome of an example, 0 for others; one row an example.
        allowed: 1 for each outcome that was possible, 0 for others; one row an example.
        counts: how often an example counts.
    """

    def losing(log: float, errors: float) -> Loss:
        def loss(sums: list[Floats]) -> tuple[float, list[Floats]]:
            each = np.stack(sums, axis=1)
            each -= np.where(allowed, each, -np.inf).max(axis=1, keepdims=True)
            odds = np.exp(np.where(allowed, each, -np.inf))
            whole = odds.sum(axis=1, keepdims=True)
            shares = odds / whole
            logs = (truth * each).sum(axis=1) - np.log(whole[:, 0])
            right = (truth * shares).sum(axis=1)
            lost = float((counts * (errors * (1 - right) - log * logs)).sum())
            slope = log * (shares - truth) - errors * shares * (truth - right[:, None])
            return lost, list((counts[:, None] * slope).T)

        return loss

    return losing(1.0, 0.0), losing(LOG, ERRORS)
