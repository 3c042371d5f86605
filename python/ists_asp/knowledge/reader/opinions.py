"""What the reader holds about a pair: opinions, in numbers coarse enough to be the same anywhere.

Numbers are rounded to :data:`STEP`, far more coarsely than processors differ in the last bits of
a sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ists_asp.model import Label

LABELS = tuple(label.value.lower() for label in Label if label.aligned)
"""The labels, in the order of the reader's outputs."""

STEP = 25
"""Opinions are rounded to so many hundredths of a log-odds unit."""
BOUND = 500
"""Opinions are kept within so many hundredths: more certain than 1 in 150 is certain."""

Span: TypeAlias = tuple[tuple[int, int], ...]
"""Runs of tokens, first and last: one run, or two with others between them."""


class Opinion(NamedTuple):
    """How likely something is: in percent, and in hundredths of a log-odds unit or log-probability.

    ``hundredths`` is rounded to :data:`STEP` and at most :data:`BOUND` from 0.
    """

    percent: int
    hundredths: int


class BoundaryOpinion(NamedTuple):
    """How likely a chunk begins at a token."""

    sentence: int
    token: int
    begins: Opinion


class LinkOpinion(NamedTuple):
    """What is held about a span of each sentence.

    Attributes:
        span1: the span of sentence 1.
        span2: the span of sentence 2.
        aligned: how likely they are counterparts.
        labels: for each label how likely it is if they are, by its log-probability; none where
            they hardly are.
        score: their expected score if they are and are not EQUI, in hundredths, 100 to 400; None
            where they hardly are.
    """

    span1: Span
    span2: Span
    aligned: Opinion
    labels: tuple[tuple[str, Opinion], ...]
    score: int | None


@dataclass(frozen=True, slots=True)
class Opinions:
    """What the reader holds about a pair.

    Attributes:
        boundaries: where chunks begin; none where chunks are given.
        spans: the spans that may be chunks, with their sentences: (sentence, (first, last)).
        links: what is held about those that may be counterparts; all others are not.
        rating: how alike the sentences are as wholes, in thousandths; None of pairs that are too
            long, and where the model does not say.
        nearness: how near the sentences are as wholes, in thousandths; None unless the reader is
            the Spanish encoder, which says nothing else.
    """

    boundaries: tuple[BoundaryOpinion, ...] = ()
    spans: tuple[tuple[int, tuple[int, int]], ...] = ()
    links: tuple[LinkOpinion, ...] = ()
    rating: int | None = None
    nearness: int | None = None


def log_odds(value: float) -> Opinion:
    """The opinion that log-odds are."""
    hundredths = _rounded(value)
    return Opinion(round(100 / (1 + math.exp(-hundredths / 100))), hundredths)


def log_probability(value: float) -> Opinion:
    """The opinion that a log-probability is."""
    hundredths = _rounded(value)
    return Opinion(round(100 * math.exp(hundredths / 100)), hundredths)


def _rounded(value: float) -> int:
    return min(max(STEP * round(100 * value / STEP), -BOUND), BOUND)
