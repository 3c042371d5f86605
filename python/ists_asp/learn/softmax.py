"""A multinomial model that is fitted to probabilities and to decisions at once.

Log loss alone spends effort on examples that are hopeless or safe; the expected number of errors
looks only at those that could still go either way, but is not convex. The sum of both, from the
optimum of the first, decides better on held-out pairs than either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

__all__ = ["fit_softmax"]

ERRORS = 1.2
"""What an error that is expected for sure adds to the loss; log loss counts 0.4 of itself."""

LOG = 0.4


def fit_softmax(
    matrix: csr_matrix, outcomes: Sequence[str], masses: Sequence[float], strength: float
) -> dict[str, list[float]]:
    """Fit the log-odds that each feature adds to each outcome, by outcome.

    Args:
        matrix: features, one row an example, one column a feature.
        outcomes: what was decided, an example each.
        masses: how often an example counts.
        strength: inverse strength of the L2 penalty (scikit-learn's ``C``).
    """
    classes = sorted(set(outcomes))
    shape = matrix.shape[1], len(classes)
    weigh = np.asarray(masses)[:, None]
    truth = np.array([[float(one == name) for name in classes] for one in outcomes])
    transposed = matrix.T.tocsr()

    def loss(
        flat: NDArray[np.float64], log: float, errors: float
    ) -> tuple[float, NDArray[np.float64]]:
        """``log`` times the log loss and ``errors`` times the expected errors, and the gradient."""
        weights = flat.reshape(shape)
        sums = matrix @ weights
        sums -= sums.max(axis=1, keepdims=True)
        odds = np.exp(sums)
        total = odds.sum(axis=1, keepdims=True)
        shares = odds / total
        logs = (truth * sums).sum(axis=1, keepdims=True) - np.log(total)
        right = (truth * shares).sum(axis=1, keepdims=True)
        slope = weigh * (log * (shares - truth) - errors * shares * (truth - right))
        value = float((weigh * (errors * (1 - right) - log * logs)).sum())
        value += float((weights**2).sum()) / (2 * strength)
        return value, (transposed @ slope + weights / strength).ravel()

    flat = np.zeros(shape[0] * shape[1])
    for parts in ((1.0, 0.0), (LOG, ERRORS)):
        found = minimize(loss, flat, parts, method="L-BFGS-B", jac=True, options={"maxiter": 500})
        flat = found.x
    columns = flat.reshape(shape).T.tolist()
    return dict(zip(classes, columns, strict=True))
