"""Words and sentences that are spelt alike, and words that lost the blank between them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from rapidfuzz.distance import OSA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MIN_LETTERS = 4
"""Shorter words resemble each other by chance."""

MIN_SIMILARITY = 70
"""Pairs below this are left out; what a higher value is worth is for the rules to say."""

MIN_REST = 3
"""A word that a prefix stands before has so many letters at least."""

MAX_PREFIX = 4
"""A prefix has so many letters at most: `non-` has four."""

_PLAIN = str.maketrans("áéíóúüÁÉÍÓÚÜ", "aeiouuAEIOUU")


@dataclass(frozen=True, slots=True, order=True)
class Glued:
    """A word that equals two neighbouring words of the other sentence without the blank.

    ``sentence`` (1 or 2) has the long word at ``token``; the other sentence has its two
    parts at ``first`` and ``first + 1``. Tokens count from 1.
    """

    sentence: int
    token: int
    first: int


@dataclass(frozen=True, slots=True, order=True)
class Prefixed:
    """A word of one sentence that equals one of the other with a few letters before it.

    All in lower case; ``word`` is ``prefix`` and ``rest``.
    """

    word: str
    rest: str
    prefix: str


def prefixed(words1: Iterable[str], words2: Iterable[str]) -> Iterator[Prefixed]:
    """Yield the words of either sentence that are a word of the other with letters before it.

    The letters are 1 to :data:`MAX_PREFIX`, the word behind them has at least
    :data:`MIN_REST`; whether they change its meaning is for the rules to say.
    """
    sides = ({word.lower() for word in words1}, {word.lower() for word in words2})
    found = set()
    for longer, shorter in (sides, sides[::-1]):
        for word in longer:
            for cut in range(1, min(MAX_PREFIX, len(word) - MIN_REST) + 1):
                if word[cut:] in shorter:
                    found.add(Prefixed(word, word[cut:], word[:cut]))
    yield from sorted(found)


def similarity(word1: str, word2: str, least: int = 0) -> int:
    """How alike two words are spelt, from 0 to 100, whatever their case.

    ``100 * (1 - d / length of the longer)``, rounded down, where ``d`` is the
    Damerau-Levenshtein distance in its optimal string alignment form: the fewest
    insertions, deletions, substitutions and swaps of neighbouring letters. These are the
    slips of a typist, each counts once, and the measure is symmetric; the ratio of
    :mod:`difflib` counts a swapped or mistaken letter twice and depends on the order of
    its arguments.

    Args:
        word1: a word.
        word2: another.
        least: below this, how alike they are is not found out: what is returned is less, too.
    """
    first, second = word1.lower(), word2.lower()
    longest = max(len(first), len(second))
    if not longest:
        return 100
    allowed = longest * (100 - least) // 100
    edits = OSA.distance(first, second, score_cutoff=allowed)
    return 100 * (longest - edits) // longest


def shared_letters(words1: Iterable[str], words2: Iterable[str]) -> int:
    """How alike two sentences are written, from 0 to 1000.

    Dice's coefficient of the runs of three letters, blanks between words and at both ends
    included, whatever their case: of all runs, the share that has its like in the other
    sentence. It is kind to slips of the pen, endings and compounds, and asks no dictionary.
    """
    runs1, runs2 = _trigrams(words1), _trigrams(words2)
    total = runs1.total() + runs2.total()
    return 2000 * (runs1 & runs2).total() // total if total else 0


def _trigrams(words: Iterable[str]) -> Counter[str]:
    text = f" {' '.join(words).lower()} "
    return Counter(text[start : start + 3] for start in range(len(text) - 2))


def similar_spelling(
    words1: Iterable[str], words2: Iterable[str], *, folded: bool = False
) -> list[tuple[str, str, int]]:
    """Different words of the two sentences that are spelt alike.

    Only alphabetic words of at least four letters with a similarity of at least 70 count.

    Args:
        words1: words of sentence 1.
        words2: words of sentence 2.
        folded: whether accents are left out of account, so that two words may be 100 alike.

    Returns:
        Lower-cased word of sentence 1, of sentence 2, and :func:`similarity`; sorted.
    """
    fold = unaccented if folded else str
    candidates1 = [(word, fold(word)) for word in _candidates(words1)]
    candidates2 = [(word, fold(word)) for word in _candidates(words2)]
    return [
        (word1, word2, alike)
        for word1, plain1 in candidates1
        for word2, plain2 in candidates2
        if word1 != word2
        and (alike := similarity(plain1, plain2, MIN_SIMILARITY)) >= MIN_SIMILARITY
    ]


@lru_cache(maxsize=100_000)
def unaccented(word: str) -> str:
    """A word without acute accents and diaereses; ``ñ`` is a letter of its own."""
    return word.translate(_PLAIN)


def glued(tokens1: Sequence[str], tokens2: Sequence[str]) -> list[Glued]:
    """Words that are two neighbouring words of the other sentence, joined; sorted.

    Only alphabetic words count: ``thebulb`` is ``the`` and ``bulb``.
    """
    return sorted(
        Glued(sentence, token, first)
        for sentence, words, others in ((1, tokens1, tokens2), (2, tokens2, tokens1))
        for places in (_places(words),)
        for first, joined in _joined(others)
        for token in places.get(joined, ())
    )


def _candidates(words: Iterable[str]) -> list[str]:
    return sorted({word.lower() for word in words if len(word) >= MIN_LETTERS and word.isalpha()})


def _places(words: Sequence[str]) -> dict[str, list[int]]:
    """Where each word stands, whatever its case; tokens count from 1."""
    found: dict[str, list[int]] = {}
    for token, word in enumerate(words, start=1):
        found.setdefault(word.lower(), []).append(token)
    return found


def _joined(words: Sequence[str]) -> Iterator[tuple[int, str]]:
    for first, (left, right) in enumerate(pairwise(words), start=1):
        if left.isalpha() and right.isalpha():
            yield first, (left + right).lower()
