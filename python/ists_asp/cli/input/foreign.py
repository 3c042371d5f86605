"""Text in another language than the profile's: what is said about it rests on nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ists_asp.cli.console import warn
from ists_asp.errors import shortened

if TYPE_CHECKING:
    from ists_asp.model import Pair
    from ists_asp.rules import Profile


@dataclass(slots=True)
class Foreign:
    """Pairs in another language than ``language``, by the small words that they have."""

    language: str
    pairs: Counter[str] = field(default_factory=Counter)
    example: dict[str, str] = field(default_factory=dict)

    def add(self, pair: Pair) -> None:
        """Look at a pair."""
        from ists_asp.knowledge.languages import language_of

        found = language_of((pair.sent1, pair.sent2), self.language)
        if found != self.language:
            self.pairs[found] += 1
            self.example.setdefault(found, pair.id)

    def tell(self, profile: Profile) -> None:
        """Warn of them, in one line a language."""
        from ists_asp.knowledge.languages import small_words

        names = {code: table.name for code, table in small_words().items()}
        for code, number in self.pairs.most_common():
            example = shortened(self.example[code])
            what = f"pair {example} looks" if number == 1 else f"{number} pairs look"
            such = "" if number == 1 else f", such as pair {example}"
            warn(
                f"{what} like {names[code]}{such}; the profile {profile.name} knows "
                f"{names[self.language]} only: choose another with --profile"
            )
