"""Text in another language than the profile's: what is said about it rests on nothing."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ists_asp.cli.console import warn
from ists_asp.errors import shortened
from ists_asp.resources import data_dir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ists_asp.model import Pair, Sentence
    from ists_asp.rules import Profile

__all__ = ["Foreign", "language_of"]

FEWEST = 2
"""So many small words of another language make a text one of that language."""

SHARE = 5
"""One word in so many is a small word of it, at least."""


@dataclass(slots=True)
class Foreign:
    """Pairs in another language than ``language``, by the small words that they have."""

    language: str
    pairs: Counter[str] = field(default_factory=Counter)
    example: dict[str, str] = field(default_factory=dict)

    def add(self, pair: Pair) -> None:
        """Look at a pair."""
        found = language_of((pair.sent1, pair.sent2), self.language)
        if found != self.language:
            self.pairs[found] += 1
            self.example.setdefault(found, pair.id)

    def tell(self, profile: Profile) -> None:
        """Warn of them, in one line a language."""
        names = {code: table.name for code, table in _small_words().items()}
        for code, number in self.pairs.most_common():
            example = shortened(self.example[code])
            what = f"pair {example} looks" if number == 1 else f"{number} pairs look"
            such = "" if number == 1 else f", such as pair {example}"
            warn(
                f"{what} like {names[code]}{such}; the profile {profile.name} knows "
                f"{names[self.language]} only: choose another with --profile"
            )


def language_of(sentences: tuple[Sentence, Sentence], expected: str) -> str:
    """The language of two sentences: the expected one, unless small words say otherwise.

    Another language is found where one of the sentences, or both together, have at least
    :data:`FEWEST` of its small words, one word in :data:`SHARE`, and more than of the expected
    language. A small word before a capital may be part of a name, as in El Salvador, and counts
    only in languages of which the table says so.
    """
    if expected not in _small_words():
        return expected
    counts = [_counts(sentence) for sentence in sentences]
    sizes = [len(sentence.tokens) for sentence in sentences]
    for found, size in (
        (counts[0] + counts[1], sum(sizes)),
        *zip(counts, sizes, strict=True),
    ):
        best, number = max(found.items(), key=lambda item: item[1], default=(expected, 0))
        if number >= FEWEST and number * SHARE >= size and number > found[expected]:
            return best
    return expected


def _counts(sentence: Sentence) -> Counter[str]:
    """How many small words of each language a sentence has."""
    forms = [token.form for token in sentence.tokens]
    found: Counter[str] = Counter()
    for form, following in zip(forms, [*forms[1:], ""], strict=True):
        for code, table in _small_words().items():
            in_name = following[:1].isupper() and not table.before_capitals
            if form.lower() in table.words and not in_name:
                found[code] += 1
    return found


class _Table(NamedTuple):
    """The small words of a language, and whether they count before a capital."""

    name: str
    words: frozenset[str]
    before_capitals: bool


@cache
def _small_words() -> Mapping[str, _Table]:
    with (data_dir() / "languages.toml").open("rb") as stream:
        table = tomllib.load(stream)
    return {
        code: _Table(
            each["name"], frozenset(each["words"].split()), each.get("before_capitals", False)
        )
        for code, each in table.items()
    }
