"""WordNet's relations between the words of two sentences, from a small SQLite file.

``data/lexicon/README.md`` describes the file. Nothing here decides what a relation is
worth: each comes with a distance, and the rules decide. The bounds below only keep the
search small.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn, Self

from ists_asp.errors import ResourceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["Lexicon", "Relation", "pos_class"]

SCHEMA_VERSION = 2
"""The ``PRAGMA user_version`` of the files that this module reads."""

MAX_EDGES = 4
"""Hypernym paths, and paths between cohyponyms, are followed so many edges at most."""

MAX_SENSES = 4
"""Paths start only from so many of a word's senses, the most frequent first."""

CACHED_WORDS = 20_000
"""So many words stay in memory: a few kB each, more than any test set has."""

_INDIRECT = 1
"""Added to the distance of a link that holds between synonyms of the words only."""

_CONCEPTUAL = ("part", "whole", "cause", "effect")

_POS_CLASSES = {"NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r"}

_REBUILD = (
    "Reinstall ists-asp, or build the file with: "
    "python data/lexicon/build.py -o data/lexicon/wordnet.sqlite"
)

_PATHS = f"""
WITH RECURSIVE up(synset, edges) AS (
    SELECT synset, 0 FROM sense WHERE word = ? AND pos = ? AND rank < {MAX_SENSES}
    UNION
    SELECT hypernym.parent, edges + 1 FROM up JOIN hypernym ON hypernym.synset = up.synset
    WHERE edges < {MAX_EDGES}
)
SELECT synset, min(edges) FROM up GROUP BY synset
"""

_HEADS = f"""
SELECT sense.synset, similar.head FROM sense LEFT JOIN similar ON similar.synset = sense.synset
WHERE sense.word = ? AND sense.pos = ? AND rank < {MAX_SENSES}
"""

_LINKS = """
SELECT kind.name, link.word, link.target, link.target_word, sense.rank
FROM sense JOIN link ON link.synset = sense.synset JOIN kind ON kind.id = link.kind
WHERE sense.word = ? AND sense.pos = ?
"""

_CLASSES = """
SELECT class.pos, class_name.name
FROM class JOIN class_name ON class_name.id = class.class WHERE class.word = ?
"""


def pos_class(upos: str) -> str | None:
    """WordNet's part of speech (``n``, ``v``, ``a``, ``r``) for a universal tag, if it has one."""
    return _POS_CLASSES.get(upos)


@dataclass(frozen=True, slots=True, order=True)
class Relation:
    """How a lemma of sentence 1 is related to a lemma of sentence 2.

    ============== ===================================================== ==================
    ``kind``       meaning                                               ``distance``
    ============== ===================================================== ==================
    ``synonym``    they share a synset                                   ranks
    ``antonym``    they, or synonyms of them, are opposites              ranks (+ 1)
    ``derivation`` one is derived from the other (``kill``, ``killer``), ranks (+ 1)
                   or they or synonyms of them share a base
    ``hypernym``   ``lemma1`` is more general than ``lemma2``            edges, 1 to 4
    ``hyponym``    ``lemma1`` is more specific than ``lemma2``           edges, 1 to 4
    ``cohyponym``  both are below one synset that is not very broad      edges, 2 to 4
    ``similar``    adjectives of one cluster: a head and its satellites  edges, 1 or 2
    ``part``       ``lemma1`` is a part of ``lemma2``                    ranks
    ``whole``      ``lemma2`` is a part of ``lemma1``                    ranks
    ``cause``      doing ``lemma1`` makes ``lemma2`` happen              ranks
    ``effect``     doing ``lemma2`` makes ``lemma1`` happen              ranks
    ============== ===================================================== ==================

    *Ranks* is the sum of the places, from 0, of the two senses among the senses of their
    words, by frequency: 0 relates the most frequent sense of each. *(+ 1)* is added where
    only synonyms of the words have the relation. Where several senses give the same kind,
    the distance is the smallest.
    """

    kind: str
    lemma1: str
    lemma2: str
    distance: int


@dataclass(slots=True)
class _Links:
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

    def to_base(self, other: _Links) -> Iterator[int]:
        """Distances to another word by way of a third that both words are linked with."""
        for base in self.exact.keys() & other.exact.keys():
            yield self.exact[base] + other.exact[base] + _INDIRECT


@dataclass(slots=True)
class _Reading:
    """A word as one part of speech.

    ``senses`` has each synset's rank; ``paths`` the edges to each synset at or above the
    first senses; ``heads`` the edges to the heads of adjective clusters.
    """

    senses: dict[int, int]
    paths: dict[int, int] = field(default_factory=dict)
    heads: dict[int, int] = field(default_factory=dict)
    links: dict[str, _Links] = field(default_factory=dict)


@dataclass(slots=True)
class _Entry:
    """A word with all its readings, by part of speech."""

    word: int
    readings: dict[str, _Reading]
    classes: dict[str, frozenset[str]]
    usage: dict[str, int]

    def parts(self, pos: str) -> frozenset[str]:
        """The stated part of speech, or all if the word has no sense as that one."""
        return frozenset((pos,)) if pos in self.readings else frozenset(self.readings)


class Lexicon:
    """Read-only access to the lexicon; use it as a context manager, or call :meth:`close`.

    Args:
        path: the SQLite file.

    Raises:
        ResourceError: if the file is missing, is not a lexicon, or is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        if not path.is_file():
            self._fail("there is no lexicon here")
        # Nothing writes to the file while it is in use, so threads may share the connection.
        address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        try:
            self._database = sqlite3.connect(address, uri=True, check_same_thread=False)
        except sqlite3.Error as error:
            self._fail(f"the lexicon cannot be opened ({error})", cause=error)
        try:
            [(version,)] = self._rows("PRAGMA user_version")
            if version != SCHEMA_VERSION:
                self._fail(f"the lexicon has version {version}", expected=str(SCHEMA_VERSION))
            self._broad = frozenset(synset for (synset,) in self._rows("SELECT synset FROM broad"))
        except ResourceError:
            self._database.close()
            raise
        self._entry = lru_cache(maxsize=CACHED_WORDS)(self._load_entry)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the lexicon cannot be used afterwards."""
        self._entry.cache_clear()
        self._database.close()

    def __contains__(self, lemma: object) -> bool:
        return isinstance(lemma, str) and self._entry(lemma.lower()) is not None

    def relations(
        self, lemmas1: Iterable[tuple[str, str]], lemmas2: Iterable[tuple[str, str]]
    ) -> list[Relation]:
        """Every relation between a word of sentence 1 and a different word of sentence 2.

        A word whose part of speech is unknown to the lexicon is tried as every part of
        speech. Where the parts of speech differ, taggers are often wrong about one, so
        that synonyms and antonyms are also sought as either. That one word is derived
        from the other is sought whatever their parts of speech.

        Args:
            lemmas1: lemma and part of speech (``n``, ``v``, ``a``, ``r``, or ``""`` for
                any); lemmas of several words have blanks.
            lemmas2: the same for sentence 2.

        Returns:
            Relations between lower-cased lemmas, sorted, one for each kind and two lemmas.

        Raises:
            ResourceError: if the file turns out to be damaged.
        """
        words1 = self._entries(lemmas1)
        words2 = self._entries(lemmas2)
        nearest: dict[tuple[str, str, str], int] = {}
        for lemma1, pos1, entry1 in words1:
            for lemma2, pos2, entry2 in words2:
                if lemma1 == lemma2:
                    continue
                for kind, distance in self._related(entry1, pos1, entry2, pos2):
                    key = (kind, lemma1, lemma2)
                    nearest[key] = min(distance, nearest.get(key, distance))
        return sorted(Relation(*key, distance) for key, distance in nearest.items())

    def classes(self, lemma: str, pos: str) -> frozenset[str]:
        """The broad classes (``person``, ``vehicle``, ...) of a word's commonest senses.

        Args:
            lemma: one word, or several with blanks.
            pos: ``n``, ``v``, ``a``, ``r``, or ``""``; if the word has no such sense, every
                part of speech counts.

        Raises:
            ResourceError: if the file turns out to be damaged.
        """
        entry = self._entry(lemma.lower())
        if entry is None:
            return frozenset()
        return frozenset(name for part in entry.parts(pos) for name in entry.classes.get(part, ()))

    def usage(self, lemma: str, pos: str) -> int:
        """How often, in percent, a word is used as a part of speech; 0 if unknown.

        Args:
            lemma: one word, or several with blanks.
            pos: ``n``, ``v``, ``a`` or ``r``.

        Raises:
            ResourceError: if the file turns out to be damaged.
        """
        entry = self._entry(lemma.lower())
        return 0 if entry is None else entry.usage.get(pos, 0)

    def _entries(self, lemmas: Iterable[tuple[str, str]]) -> list[tuple[str, str, _Entry]]:
        words = {(lemma.lower(), pos) for lemma, pos in lemmas}
        found = ((lemma, pos, self._entry(lemma)) for lemma, pos in sorted(words))
        return [(lemma, pos, entry) for lemma, pos, entry in found if entry is not None]

    def _related(
        self, entry1: _Entry, pos1: str, entry2: _Entry, pos2: str
    ) -> Iterator[tuple[str, int]]:
        """Kinds and distances; a kind may come more than once."""
        parts1 = entry1.parts(pos1)
        parts2 = entry2.parts(pos2)
        for part in parts1 | parts2:
            reading1 = entry1.readings.get(part)
            reading2 = entry2.readings.get(part)
            if reading1 is None or reading2 is None:
                continue
            yield from _shared_senses(reading1, reading2)
            yield from _linked(("antonym",), reading1, entry2.word, reading2)
            if part in parts1 and part in parts2:
                yield from self._near(reading1, reading2)
                yield from _linked(_CONCEPTUAL, reading1, entry2.word, reading2)
        for reading1 in entry1.readings.values():
            for reading2 in entry2.readings.values():
                yield from _derived(reading1, entry2.word, reading2)
        for part1 in parts1:
            for part2 in parts2:
                yield from _same_base(entry1.readings[part1], entry2.readings[part2])

    def _near(self, reading1: _Reading, reading2: _Reading) -> Iterator[tuple[str, int]]:
        """Hypernyms, hyponyms, cohyponyms and adjectives of one cluster."""
        alike = False
        together: list[int] = []
        for synset in reading1.paths.keys() & reading2.paths.keys():
            edges1 = reading1.paths[synset]
            edges2 = reading2.paths[synset]
            if edges1 and edges2:
                if edges1 + edges2 <= MAX_EDGES and synset not in self._broad:
                    together.append(edges1 + edges2)
                continue
            # Words of which one has or covers a sense of the other also share its ancestors.
            alike = True
            if edges2:
                yield "hypernym", edges2
            elif edges1:
                yield "hyponym", edges1
        if together and not alike:
            yield "cohyponym", min(together)
        for head in reading1.heads.keys() & reading2.heads.keys():
            edges = reading1.heads[head] + reading2.heads[head]
            if edges:
                yield "similar", edges

    def _load_entry(self, lemma: str) -> _Entry | None:
        """Read one lower-cased word; None if the lexicon does not have it."""
        found = self._rows("SELECT id FROM word WHERE lemma = ?", lemma)
        if not found:
            return None
        [(word,)] = found
        readings: dict[str, _Reading] = {}
        for pos, rank, synset in self._rows(
            "SELECT pos, rank, synset FROM sense WHERE word = ?", word
        ):
            readings.setdefault(pos, _Reading({})).senses[synset] = rank
        for pos, reading in readings.items():
            self._load_paths(word, pos, reading)
            for kind, source, target, target_word, rank in self._rows(_LINKS, word, pos):
                links = reading.links.setdefault(kind, _Links())
                links.add(word, source, target, target_word, rank)
        classes: dict[str, set[str]] = {}
        for pos, name in self._rows(_CLASSES, word):
            classes.setdefault(pos, set()).add(name)
        named = {pos: frozenset(names) for pos, names in classes.items()}
        usage = dict(self._rows("SELECT pos, percent FROM usage WHERE word = ?", word))
        return _Entry(word, readings, named, usage or dict.fromkeys(readings, 100))

    def _load_paths(self, word: int, pos: str, reading: _Reading) -> None:
        if pos in ("n", "v"):
            reading.paths.update(self._rows(_PATHS, word, pos))
        elif pos == "a":
            for synset, head in self._rows(_HEADS, word, pos):
                edges = 0 if head is None else 1
                key = synset if head is None else head
                reading.heads[key] = min(edges, reading.heads.get(key, edges))

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            self._fail(f"the lexicon cannot be read ({error})", cause=error)

    def _fail(
        self, found: str, *, expected: str | None = None, cause: Exception | None = None
    ) -> NoReturn:
        raise ResourceError(
            found, where=str(self._path), expected=expected, hint=_REBUILD
        ) from cause


def _shared_senses(reading1: _Reading, reading2: _Reading) -> Iterator[tuple[str, int]]:
    for synset in reading1.senses.keys() & reading2.senses.keys():
        yield "synonym", reading1.senses[synset] + reading2.senses[synset]


def _linked(
    kinds: Iterable[str], reading1: _Reading, word2: int, reading2: _Reading
) -> Iterator[tuple[str, int]]:
    """Links from the first word, or its synonyms, to the second, or its synonyms."""
    for kind in kinds:
        links = reading1.links.get(kind)
        if links is not None:
            for distance in links.to_word(word2, reading2.senses):
                yield kind, distance
            for distance in links.to_senses(reading2.senses):
                yield kind, distance


def _derived(reading1: _Reading, word2: int, reading2: _Reading) -> Iterator[tuple[str, int]]:
    """Derivation between the words themselves."""
    links = reading1.links.get("derivation")
    if links is not None:
        for distance in links.to_word(word2, reading2.senses):
            yield "derivation", distance


def _same_base(reading1: _Reading, reading2: _Reading) -> Iterator[tuple[str, int]]:
    """Derivation between synonyms of the words, or from one base."""
    links1 = reading1.links.get("derivation")
    links2 = reading2.links.get("derivation")
    if links1 is not None and links2 is not None:
        for distance in (*links1.to_senses(reading2.senses), *links1.to_base(links2)):
            yield "derivation", distance
