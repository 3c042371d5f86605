"""A word of WordNet, with what its senses lead to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_INDIRECT = 1
"""Added to the distance of a link that holds between synonyms of the words only."""


@dataclass(slots=True)
class Links:
    """Synsets that links of one kind lead to, with the rank of the sense they start from.

    ``exact`` has the links of the word itself, by target synset and word;
    ``near`` has those of its synonyms too, and of whole synsets.
    """

    near: dict[int, int] = field(default_factory=dict)
    exact: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, own: int, word: int, target: int, target_word: int, rank: int) -> None:
        """Add a link of the word ``own``; ``word`` is whose it is, 0 for the whole synset."""
        cost = rank + _INDIRECT if word else rank
        self.near[target] = min(cost, self.near.get(target, cost))
        if word == own:
            key = (target, target_word)
            self.exact[key] = min(rank, self.exact.get(key, rank))

    def to_word(self, other: int, senses: dict[int, int]) -> Iterator[int]:
        """Distances to the word with these senses itself."""
        for target, rank in senses.items():
            start = self.exact.get((target, other))
            if start is not None:
                yield start + rank

    def to_senses(self, senses: dict[int, int]) -> Iterator[int]:
        """Distances to these senses, whatever the word."""
        for target in self.near.keys() & senses.keys():
            yield self.near[target] + senses[target]

    def to_base(self, other: Links) -> Iterator[int]:
        """Distances to another word by way of a third that both words are linked with."""
        for base in self.exact.keys() & other.exact.keys():
            yield self.exact[base] + other.exact[base] + _INDIRECT


@dataclass(slots=True)
class Reading:
    """A word as one part of speech.

    ``senses`` has each synset's rank; ``paths`` the edges to each synset at or above the
    first senses; ``heads`` the edges to the heads of adjective clusters.
    """

    senses: dict[int, int]
    paths: dict[int, int] = field(default_factory=dict)
    heads: dict[int, int] = field(default_factory=dict)
    links: dict[str, Links] = field(default_factory=dict)


@dataclass(slots=True)
class Entry:
    """A word with all its readings, by part of speech."""

    word: int
    readings: dict[str, Reading]
    classes: dict[str, frozenset[str]]
    usage: dict[str, int]

    def parts(self, pos: str) -> frozenset[str]:
        """The stated part of speech, or all if the word has no sense as that one."""
        return frozenset((pos,)) if pos in self.readings else frozenset(self.readings)
