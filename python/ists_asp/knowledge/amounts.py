"""The numbers and measures in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.knowledge.numbers import decimal, measure, numeral
from ists_asp.knowledge.pair_knowledge import Decimal, Measure, Numeral

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ists_asp.model import Sentence, Token


def find_numerals(
    number: int, sentence: Sentence, written: Callable[[str], str]
) -> Iterator[Numeral]:
    """The tokens that are numbers, in their order.

    Args:
        number: which sentence it is, 1 or 2.
        sentence: the sentence.
        written: writes a token's digits as English does.
    """
    for token in sentence.tokens:
        value = _value(token, written)
        if value is not None:
            yield Numeral(number, token.index, value)


def find_measures(
    number: int, sentence: Sentence, written: Callable[[str], str]
) -> Iterator[Measure]:
    """The tokens that are numbers with letters; see :func:`find_numerals`."""
    for token in sentence.tokens:
        parts = [written(word.form) for word in token.words if any(map(str.isalnum, word.form))]
        found = measure(written(token.form)) or (measure(parts[0]) if len(parts) == 1 else None)
        if found is not None:
            yield Measure(number, token.index, *found)


def as_decimals(values: set[str]) -> tuple[Decimal, ...]:
    """The values that are large enough to be written as smaller ones, sorted."""
    found = (Decimal(value, *decimal(value)) for value in sorted(values))
    return tuple(entry for entry in found if entry.zeros)


def _value(token: Token, written: Callable[[str], str]) -> str | None:
    """The token's value, as a whole or without the punctuation that was split from it."""
    whole = numeral(written(token.form))
    if whole is not None:
        return whole
    parts = [word.form for word in token.words if any(map(str.isalnum, word.form))]
    return numeral(written(parts[0])) if len(parts) == 1 else None
