"""Spanish words without their endings, by the Snowball stemmer (Porter 2001).

Lemmas join the forms of one word; stems join the words of one family as well: ``fallecieron``,
``fallecidos`` and ``fallecimiento``.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from ists_asp.knowledge.spelling import unaccented

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MIN_LETTERS = 4
"""Shorter stems are shared by chance."""


def stems(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number, from 1, and stem of each word that is written in letters and has a long stem."""
    for number, word in enumerate(words, 1):
        if word.isalpha():
            stem = _stem(word.lower())
            if len(stem) >= MIN_LETTERS:
                yield number, stem


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return unaccented(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:  # noqa: ANN401 (the library has no types)
    # Only Spanish asks for it.
    import snowballstemmer

    return snowballstemmer.stemmer("spanish")
