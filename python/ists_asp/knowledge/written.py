"""Words that both sentences have, written otherwise: with a hyphen, in two parts, in one."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_PARTS = 3
"""A word that is written otherwise has so many tokens at most."""

MIN_LETTERS = 4
"""And so many letters at least."""

_MARKS = re.compile(r"[-.‐‑]")


def written_otherwise(
    words1: Sequence[str], words2: Sequence[str]
) -> Iterator[tuple[int, int, int, str, int]]:
    """Words that hyphens, full stops and blanks tell apart: ``flat-screen``, ``flat screen``.

    Whether they are the same is for rules to say: ``may be`` is not ``maybe``.

    Args:
        words1: the tokens of sentence 1.
        words2: those of sentence 2.

    Returns:
        For each place of such a word its sentence, its first and its last token, counted from 1,
        its letters, in lower case, and how many letters its shortest part has, whichever sentence
        parts it; 0 where a mark stands in it somewhere.
    """
    sides = _by_letters(words1), _by_letters(words2)
    for word in sorted(sides[0].keys() & sides[1].keys()):
        ways = [{written for _, _, written in side[word]} for side in sides]
        if ways[0] != ways[1]:
            shortest = _shortest_part(ways[0] | ways[1])
            for number, side in enumerate(sides, start=1):
                yield from ((number, first, last, word, shortest) for first, last, _ in side[word])


def _shortest_part(ways: Iterable[str]) -> int:
    if any(map(_MARKS.search, ways)):
        return 0
    return min(len(part) for way in ways for part in way.split())


def _by_letters(words: Sequence[str]) -> dict[str, list[tuple[int, int, str]]]:
    """Up to three tokens by their letters: the first, the last, and how they are written."""
    found: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    plain = [_MARKS.sub("", word).lower() for word in words]
    for first in range(len(plain)):
        for end in range(first + 1, min(first + MAX_PARTS, len(plain)) + 1):
            if not plain[end - 1].isalpha():
                break
            joined = "".join(plain[first:end])
            if len(joined) >= MIN_LETTERS:
                found[joined].append((first + 1, end, " ".join(words[first:end]).lower()))
    return found
