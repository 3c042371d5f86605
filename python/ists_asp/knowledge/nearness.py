"""From token vectors to the integers that rules reckon with.

Rules decide which tokens make a chunk, so no chunk's vector can be known here. They get
inner products and norms instead, from which the cosine of any two runs of tokens follows:
a chunk's vector is the sum of its tokens' vectors, and::

    cosine(A, B) = sum of product(i, j) over i in A, j in B / (norm(A) * norm(B))

The cosine of the whole sentences, which has no such choice in it, is given as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

UNIT = 100
"""A vector of length 1 has the norm UNIT, two equal ones the product UNIT * UNIT."""

MIN_PERCENT = 25
"""Pairs of tokens with a smaller cosine, in percent, are not near."""

PER_MILLE = 1000
"""The cosine of two whole sentences is given in thousandths."""

MAX_RUN = 12
"""Norms are given for runs of so many tokens at most."""

MAX_LENGTH = 2.0
"""Longer vectors are cut to this length: a bound for what rules add up and multiply.

A run of MAX_RUN tokens then has a norm of at most 2400, so that neither the product of two
norms nor a hundred times the inner product of two runs leaves 32 bits.
"""


@dataclass(frozen=True, slots=True, order=True)
class Near:
    """Token ``token1`` of sentence 1 and ``token2`` of sentence 2: cosine in percent."""

    token1: int
    token2: int
    percent: int


@dataclass(frozen=True, slots=True, order=True)
class Product:
    """Inner product of the vectors of two tokens, one of each sentence; never 0."""

    token1: int
    token2: int
    value: int


@dataclass(frozen=True, slots=True, order=True)
class Norm:
    """Length of the sum of the vectors of tokens ``first`` to ``last``; never 0."""

    sentence: int
    first: int
    last: int
    value: int


@dataclass(frozen=True, slots=True)
class Nearness:
    """What the token vectors of one pair tell; every tuple is sorted.

    ``whole`` is the cosine of both sentences in thousandths, 0 where it is negative; None where
    there are no vectors.
    """

    near: tuple[Near, ...] = ()
    products: tuple[Product, ...] = ()
    norms: tuple[Norm, ...] = ()
    whole: int | None = None

    @classmethod
    def of(
        cls,
        vectors1: NDArray[np.float32],
        vectors2: NDArray[np.float32],
    ) -> Nearness:
        """Compare the token vectors of two sentences.

        Args:
            vectors1: shape (tokens of sentence 1, dimensions); a token that is to take no
                part, such as a punctuation mark, has the zero vector.
            vectors2: the same of sentence 2.
        """
        cut1, cut2 = _cut(vectors1), _cut(vectors2)
        inner = cut1 @ cut2.T
        return cls(
            tuple(_near(inner, cut1, cut2)),
            tuple(_products(inner)),
            (*_norms(1, cut1), *_norms(2, cut2)),
            whole_nearness(cut1.sum(axis=0), cut2.sum(axis=0)),
        )


def _cut(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Shorten vectors that are longer than MAX_LENGTH; doubles, so that sums are exact."""
    doubles: NDArray[np.float64] = vectors.astype(np.float64)
    lengths = np.linalg.norm(doubles, axis=1, keepdims=True)
    doubles /= np.maximum(1, lengths / MAX_LENGTH)
    return doubles


def _near(
    inner: NDArray[np.float64], vectors1: NDArray[np.float64], vectors2: NDArray[np.float64]
) -> Iterator[Near]:
    lengths = np.outer(np.linalg.norm(vectors1, axis=1), np.linalg.norm(vectors2, axis=1))
    cosines = inner / np.where(lengths > 0, lengths, 1)
    percents = np.clip(np.rint(100 * cosines), 0, 100).astype(int)
    rows, columns = np.nonzero(percents >= MIN_PERCENT)
    values = percents[rows, columns]
    for row, column, value in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True):
        yield Near(row + 1, column + 1, value)


def whole_nearness(first: NDArray[np.floating], second: NDArray[np.floating]) -> int:
    """The cosine of two vectors in thousandths, 0 where it is negative."""
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    cosine = float(first @ second) / lengths if lengths else 0.0
    return round(PER_MILLE * min(1.0, max(0.0, cosine)))


def _products(inner: NDArray[np.float64]) -> Iterator[Product]:
    scaled = np.rint(UNIT * UNIT * inner).astype(int)
    rows, columns = np.nonzero(scaled)
    values = scaled[rows, columns]
    for row, column, value in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True):
        yield Product(row + 1, column + 1, value)


def _norms(sentence: int, vectors: NDArray[np.float64]) -> Iterator[Norm]:
    """The norms of all runs, from sums of the first tokens: a run is a difference of two."""
    count = len(vectors)
    sums = np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)])
    for first in range(count):
        runs = sums[first + 1 : first + 1 + MAX_RUN] - sums[first]
        values = np.rint(UNIT * np.linalg.norm(runs, axis=1)).astype(int).tolist()
        for last, value in enumerate(values, start=first + 1):
            if value:
                yield Norm(sentence, first + 1, last, value)
