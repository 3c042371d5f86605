"""How much a pair may ask of the solver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.errors import DataError

if TYPE_CHECKING:
    from ists_asp.model import Sentence

__all__ = ["MAX_TOKENS", "check_size"]

MAX_TOKENS = 500
"""Tokens of a sentence at most.

Two sentences of 500 tokens take about 1 GB and half a minute, two of 1000 tokens four times
as much, and clingo cannot be interrupted while it grounds.
"""


def check_size(sentence: Sentence, where: str) -> None:
    """Refuse a sentence that is too long to be decided.

    Raises:
        DataError: it has more than :data:`MAX_TOKENS` tokens.
    """
    size = len(sentence.tokens)
    if size > MAX_TOKENS:
        raise DataError(
            f"a sentence of {size} tokens",
            where=where,
            expected=f"at most {MAX_TOKENS} tokens",
            hint="Split the text into sentences, one a line",
        )
