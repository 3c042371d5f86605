"""Which language a text is in, by its small words."""

from __future__ import annotations

import tomllib
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ists_asp.resources import data_dir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ists_asp.model import Sentence

FEWEST = 2
"""So many small words of another language make a text one of that language."""

SHARE = 5
"""One word in so many is a small word of it, at least."""


def language_of(sentences: tuple[Sentence, Sentence], expected: str) -> str:
    """The language of two sentences: the expected one, unless small words say otherwise.

    Another language is found where one of the sentences, or both together, have at least
    :data:`FEWEST` of its small words, one word in :data:`SHARE`, and more than of the expected
    language. A small word before a capital may be part of a name, as in El Salvador, and counts
    only in languages of which the table says so.
    """
    if expected not in small_words():
        return expected
    counts = [_counts(sentence) for sentence in sentences]
    sizes = [len(sentence.tokens) for sentence in sentences]
    for found, size in ((counts[0] + counts[1], sum(sizes)), *zip(counts, sizes, strict=True)):
        best, number = max(found.items(), key=lambda item: item[1], default=(expected, 0))
        if number >= FEWEST and number * SHARE >= size and number > found[expected]:
            return best
    return expected


def _counts(sentence: Sentence) -> Counter[str]:
    """How many small words of each language a sentence has."""
    forms = [token.form for token in sentence.tokens]
    found: Counter[str] = Counter()
    for form, following in zip(forms, [*forms[1:], ""], strict=True):
        for code, table in small_words().items():
            in_name = following[:1].isupper() and not table.before_capitals
            if form.lower() in table.words and not in_name:
                found[code] += 1
    return found


class SmallWords(NamedTuple):
    """The small words of a language, and whether they count before a capital."""

    name: str
    words: frozenset[str]
    before_capitals: bool


@cache
def small_words() -> Mapping[str, SmallWords]:
    """The small words of each language, by its code; they stand in ``data/languages.toml``."""
    with (data_dir() / "languages.toml").open("rb") as stream:
        table = tomllib.load(stream)
    return {
        code: SmallWords(
            each["name"], frozenset(each["words"].split()), each.get("before_capitals", False)
        )
        for code, each in table.items()
    }
