"""What somebody gives to a system: sentences and pairs, as text or as objects of the domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.errors import DataError, UsageError, of_pair
from ists_asp.io.sentences import make_sentence
from ists_asp.io.text import Repairs, clean
from ists_asp.model import Pair, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

GivenSentence = str | Sentence
"""Text whose tokens are separated by blanks, or a sentence, with chunks if they are known."""

GivenPair = Pair | tuple[GivenSentence, GivenSentence]
"""A pair, or its two sentences."""


def read_pair(sent1: GivenSentence, sent2: GivenSentence, identifier: str = "1") -> Pair:
    """A pair of two sentences.

    Raises:
        DataError: a sentence is empty.
        UsageError: what was given is no sentence.
    """
    return Pair(identifier, _sentence(sent1, 1), _sentence(sent2, 2))


def read_pairs(given: Iterable[GivenPair]) -> Iterator[Pair]:
    """Pairs, lazily and in their order; two sentences get their number as id, from 1.

    Raises:
        DataError: a sentence is empty.
        UsageError: what was given is no pair.
    """
    for number, item in enumerate(given, start=1):
        if isinstance(item, Pair):
            yield item
            continue
        if not isinstance(item, (tuple, list)) or len(item) != 2:
            raise UsageError(
                f"{item!r} is no pair",
                where=of_pair(number),
                expected="an ists_asp.model.Pair or two sentences",
            )
        sent1, sent2 = item
        yield read_pair(sent1, sent2, str(number))


def _sentence(given: GivenSentence, number: int) -> Sentence:
    where = f"sentence {number}"
    if isinstance(given, str):
        given = make_sentence(clean(given, where, Repairs()).split())
    if not isinstance(given, Sentence):
        raise UsageError(
            f"{given!r} is no sentence",
            where=where,
            expected="text, or an ists_asp.model.Sentence",
        )
    if not given.tokens:
        raise DataError("the sentence is empty", where=where, expected="at least one token")
    return given
