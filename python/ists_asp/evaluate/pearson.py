"""Pearson's correlation of sentence ratings with gold ones, and how sure one may be of it.

As the organisers of SemEval-2015 Task 2 measure: a correlation for each data set, their mean
weighted by pairs, and a one-tailed test of two runs by Fisher's z transformation (Press et
al., Numerical Recipes, equation 14.5.10).
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy import stats

from ists_asp.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE = 0.95
"""How sure the intervals are."""

_MOST = 1 - 1e-12
"""Fisher's z of 1 is infinite; what is nearer to 1 than this counts as this."""


@dataclass(frozen=True, slots=True)
class Correlation:
    """Pearson's r over so many pairs, or a mean of several, with its interval of 95 percent."""

    pairs: int
    r: float
    low: float
    high: float


def correlation(gold: Sequence[float], system: Sequence[float], where: str = "") -> Correlation:
    """Correlate two lists of ratings.

    A list in which all ratings are equal has no correlation with anything: ``r`` is then 0,
    as is right for ratings that tell nothing. The interval is that of Fisher's z, whose
    standard error is ``1 / sqrt(pairs - 3)``.

    Args:
        gold: a rating for each pair.
        system: as many.
        where: what the ratings are of, for messages.

    Raises:
        DataError: there are fewer than four pairs.
    """
    if len(gold) < 4:
        raise DataError(
            f"{len(gold)} rated pairs", where=where, expected="at least 4, for an interval"
        )
    with warnings.catch_warnings():
        # All but equal ratings give a correlation, if an uncertain one.
        warnings.simplefilter("ignore")
        r = float(stats.pearsonr(gold, system).statistic)
    if math.isnan(r):
        r = 0.0
    z, margin = _fisher(r), _quantile() / math.sqrt(len(gold) - 3)
    return Correlation(len(gold), r, math.tanh(z - margin), math.tanh(z + margin))


def weighted_mean(parts: Sequence[Correlation]) -> Correlation:
    """The mean of the correlations of several data sets, each weighted by its pairs.

    The interval adds up the variances of the parts, ``(1 - r**2)**2 / (pairs - 3)`` each
    (that of Fisher's z, brought back to r by the delta method).
    """
    pairs = sum(part.pairs for part in parts)
    shares = [part.pairs / pairs for part in parts]
    mean = math.fsum(share * part.r for share, part in zip(shares, parts, strict=True))
    variance = math.fsum(
        (share * (1 - part.r**2)) ** 2 / (part.pairs - 3)
        for share, part in zip(shares, parts, strict=True)
    )
    margin = _quantile() * math.sqrt(variance)
    return Correlation(pairs, mean, max(-1.0, mean - margin), min(1.0, mean + margin))


def significance(better: float, worse: float, pairs: int) -> float:
    """The one-tailed p value of one run's correlation being higher than another's.

    ``p = Phi(-(z1 - z2) / sqrt(2 / (pairs - 3)))``: half of what equation 14.5.10 gives for two
    tails. The runs are taken for independent, as the organisers do, although they rate the same
    pairs; that is cautious. Means over data sets are compared as correlations over all pairs.

    Args:
        better: the correlation that is claimed to be higher.
        worse: the other one.
        pairs: how many pairs each is of, more than 3.
    """
    z = (_fisher(better) - _fisher(worse)) / math.sqrt(2 / (pairs - 3))
    return float(stats.norm.sf(z))


def _fisher(r: float) -> float:
    return math.atanh(max(-_MOST, min(_MOST, r)))


def _quantile() -> float:
    return float(stats.norm.ppf((1 + CONFIDENCE) / 2))
