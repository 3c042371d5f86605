"""Baseline-tokencos: the word overlap that SemEval-2015 Task 2 compares systems with.

"We tokenized the input sentences splitting on white spaces, and then each sentence was
represented as a vector in the multidimensional token space. Each dimension had 1 if the token
was present in the sentence, 0 otherwise. Vector similarity was computed using cosine
similarity." This is a measuring rod and no judgement, and rules would blur it: clingo has
neither roots nor fractions, and the rod is read to four decimals.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ists_asp.model import Pair

HIGHEST = 5
"""The best rating in English: what a cosine of 1 is worth."""


def tokencos(pair: Pair) -> float:
    """The cosine of two sentences as sets of tokens, from 0 to 1; case is kept."""
    first, second = ({token.form for token in sent.tokens} for sent in (pair.sent1, pair.sent2))
    return len(first & second) / math.sqrt(len(first) * len(second))
