"""Words as entries of a lexicon: their relations and classes.

English has WordNet and Spanish a thesaurus, each a small SQLite file, see
``data/lexicon/README.md``. A relation comes with a distance, and the rules decide what it is worth.
"""

from __future__ import annotations

import sqlite3
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NoReturn, TypeAlias

from ists_asp.errors import ResourceError
from ists_asp.resources import Closing
from ists_asp.syntax.ground import quoted
from ists_asp.vocabulary import fact

# A word in lower case, and its part of speech: ``n``, ``v``, ``a``, ``r``, or empty for any.
Lemma: TypeAlias = "tuple[str, str]"
Relations: TypeAlias = "Iterator[tuple[str, int]]"  # kinds and distances

MAX_SENSES = 4  # paths start only from so many of a word's senses, the most frequent first
MAX_EDGES = 4  # hypernym paths, and paths between cohyponyms, are followed so many edges at most
CACHED_WORDS = 20_000  # so many words stay in memory: a few kB each, more than any test set has
_INDIRECT = 1  # added to the distance of a link that holds between synonyms of the words only
_CONCEPTUAL = ("part", "whole", "cause", "effect")

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
_SYNONYMS = "SELECT other, distance FROM synonym WHERE word = (SELECT id FROM word WHERE lemma = ?)"


class _File(Closing):
    _noun: ClassVar[str]
    _version: ClassVar[int]
    _rebuild: ClassVar[str]

    def __init__(self, path: Path) -> None:
        self._path = path
        if not path.is_file():
            self._fail(f"there is no {self._noun} here")
        # Nothing writes to the file while it is in use, so threads may share the connection.
        address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        try:
            self._database = sqlite3.connect(address, uri=True, check_same_thread=False)
        except sqlite3.Error as error:
            self._fail(f"the {self._noun} cannot be opened ({error})", cause=error)
        try:
            [(version,)] = self._rows("PRAGMA user_version")
            if version != self._version:
                self._fail(f"the {self._noun} has version {version}", expected=str(self._version))
            self._begin()
        except ResourceError:
            self._database.close()
            raise

    def close(self) -> None:
        self._database.close()

    @abstractmethod
    def _begin(self) -> None:
        """Read what every look needs."""

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return self._database.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            self._fail(f"the {self._noun} cannot be read ({error})", cause=error)

    def _fail(
        self, found: str, *, expected: str | None = None, cause: Exception | None = None
    ) -> NoReturn:
        hint = f"Reinstall ists-asp, or {self._rebuild}"
        raise ResourceError(found, where=str(self._path), expected=expected, hint=hint) from cause


class Thesaurus(_File):
    """Synonyms, Spanish's replacement of WordNet, without senses, hypernyms and classes."""

    _noun = "thesaurus"
    _version = 1
    _rebuild = (
        "build the file as data/lexicon/build_spanish.py tells (its first lines have the command)"
    )

    def _begin(self) -> None:
        self._synonyms = lru_cache(maxsize=CACHED_WORDS)(self._load)
        # The file has no index of them: to look for one number takes milliseconds.
        self._lemmas = dict(self._rows("SELECT id, lemma FROM word"))

    def __contains__(self, lemma: str) -> bool:
        return bool(self._synonyms(lemma))

    def facts(self, lemmas1: Set[Lemma], lemmas2: Set[Lemma]) -> Iterator[str]:
        """Synonyms in different sentences, at a distance of 0 to 9 by their common neighbours."""
        words2 = {lemma for lemma, _ in lemmas2}
        for word in sorted({lemma for lemma, _ in lemmas1}):
            for other, distance in sorted(self._synonyms(word).items()):
                if other in words2:
                    yield fact("relation", "synonym", quoted(word), quoted(other), distance)

    def _load(self, lemma: str) -> dict[str, int]:
        return {self._lemmas[other]: n for other, n in self._rows(_SYNONYMS, lemma)}


class Lexicon(_File):
    """WordNet, a context manager; a ResourceError where its file is missing or damaged."""

    _noun = "lexicon"
    _version = 2
    _rebuild = "build the file with: python data/lexicon/build.py -o data/lexicon/wordnet.sqlite"

    def _begin(self) -> None:
        self._broad = frozenset(synset for (synset,) in self._rows("SELECT synset FROM broad"))
        self._entry = lru_cache(maxsize=CACHED_WORDS)(self._load)

    def __contains__(self, lemma: str) -> bool:
        return self._entry(lemma) is not None

    def facts(self, lemmas1: Set[Lemma], lemmas2: Set[Lemma]) -> Iterator[str]:
        """Relations between the sentences, then broad classes and uses as verbs of all words.

        A part of speech that the lexicon lacks for a word stands for all of them. As taggers often
        err where parts of speech differ, synonyms and antonyms are then looked up for both;
        derivations always are.
        """
        words1, words2 = self._entries(lemmas1), self._entries(lemmas2)
        nearest: dict[tuple[str, str, str], int] = {}
        for lemma1, pos1, entry1 in words1:
            for lemma2, pos2, entry2 in words2:
                if lemma1 != lemma2 and entry1.may_relate(entry2):
                    for kind, distance in _relate(entry1, pos1, entry2, pos2, self._broad):
                        key = (kind, lemma1, lemma2)
                        nearest[key] = min(distance, nearest.get(key, distance))
        for (kind, lemma1, lemma2), distance in sorted(nearest.items()):
            yield fact("relation", kind, quoted(lemma1), quoted(lemma2), distance)
        both = [*words1, *words2]
        for lemma, name in sorted({(lemma, n) for lemma, pos, e in both for n in e.classes(pos)}):
            yield fact("class", quoted(lemma), name)
        for lemma, percent in sorted({(lemma, entry.verb) for lemma, _, entry in both}):
            if percent:
                yield fact("verb_usage", quoted(lemma), percent)

    def _entries(self, lemmas: Iterable[Lemma]) -> list[tuple[str, str, _Entry]]:
        entries = ((lemma, pos, self._entry(lemma)) for lemma, pos in sorted(lemmas))
        return [(lemma, pos, entry) for lemma, pos, entry in entries if entry is not None]

    def _load(self, lemma: str) -> _Entry | None:
        ids = self._rows("SELECT id FROM word WHERE lemma = ?", lemma)
        if not ids:
            return None
        [(word,)] = ids
        readings: dict[str, _Reading] = defaultdict(_Reading)
        senses = "SELECT pos, rank, synset FROM sense WHERE word = ?"
        for pos, rank, synset in self._rows(senses, word):
            readings[pos].senses[synset] = rank
        for pos, reading in readings.items():
            if pos in ("n", "v"):
                reading.paths.update(self._rows(_PATHS, word, pos))
            elif pos == "a":
                for synset, head in self._rows(_HEADS, word, pos):
                    key, edges = (synset, 0) if head is None else (head, 1)
                    reading.heads[key] = min(edges, reading.heads.get(key, edges))
            for kind, *link in self._rows(_LINKS, word, pos):
                reading.links.setdefault(kind, _Links()).add(word, *link)
        classes: dict[str, set[str]] = defaultdict(set)
        for pos, name in self._rows(_CLASSES, word):
            classes[pos].add(name)
        usage = dict(self._rows("SELECT pos, percent FROM usage WHERE word = ?", word))
        # Of a word that texts were not counted for, each reading may be all there is.
        verb = usage.get("v", 0) if usage else 100 * ("v" in readings)
        synsets = {synset for reading in readings.values() for synset in reading.senses}
        narrow = synsets.union(*(reading.narrow(self._broad) for reading in readings.values()))
        return _Entry(word, readings, classes, verb, narrow, not synsets.isdisjoint(self._broad))


@dataclass(slots=True)
class _Links:
    """Synsets that links of one kind lead to, with the rank of the sense they start from."""

    synsets: dict[int, int] = field(default_factory=dict)  # also of synonyms, and of whole synsets
    # Of the word itself, by target synset and word.
    exact: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, entry: int, word: int, target: int, target_word: int, rank: int) -> None:
        """Add a link of the word ``own``; ``word`` is whose it is, 0 for the whole synset."""
        cost = rank + _INDIRECT if word else rank
        self.synsets[target] = min(cost, self.synsets.get(target, cost))
        if word == entry:
            key = (target, target_word)
            self.exact[key] = min(rank, self.exact.get(key, rank))

    def to_word(self, other: int, senses: dict[int, int]) -> Iterator[int]:
        """Distances to the word with these senses itself."""
        for target, rank in senses.items():
            if (start := self.exact.get((target, other))) is not None:
                yield start + rank

    def to_senses(self, senses: dict[int, int]) -> Iterator[int]:
        """Distances to these senses, whatever the word."""
        for target in self.synsets.keys() & senses.keys():
            yield self.synsets[target] + senses[target]

    def to_base(self, other: _Links) -> Iterator[int]:
        """Distances to another word by way of a third that both words are linked with."""
        for base in self.exact.keys() & other.exact.keys():
            yield self.exact[base] + other.exact[base] + _INDIRECT


@dataclass(slots=True)
class _Reading:
    """A word as one part of speech."""

    senses: dict[int, int] = field(default_factory=dict)  # each synset's rank
    paths: dict[int, int] = field(default_factory=dict)  # edges to synsets above the senses
    heads: dict[int, int] = field(default_factory=dict)  # edges to the heads of adjective clusters
    links: dict[str, _Links] = field(default_factory=dict)

    def narrow(self, broad: Set[int]) -> Set[int]:
        """The synsets that relations to other words rest on, if none of both words is broad."""
        above = self.paths.keys() - broad
        return above.union(self.heads, *(links.synsets for links in self.links.values()))


@dataclass(slots=True)
class _Entry:
    """A word with all its readings, by part of speech, and how often of 100 it is a verb."""

    word: int
    readings: dict[str, _Reading]
    named: dict[str, set[str]]
    verb: int
    narrow: Set[int]  # its senses and those of _Reading.narrow
    general: bool  # a sense is broad

    def may_relate(self, other: _Entry) -> bool:
        """Whether it is worth looking for relations: most words have none to each other."""
        return self.general or other.general or not self.narrow.isdisjoint(other.narrow)

    def parts(self, pos: str) -> Set[str]:
        """The stated part of speech, or all if the word has no sense as that one."""
        return {pos} if pos in self.readings else self.readings.keys()

    def classes(self, pos: str) -> Iterator[str]:
        """The broad classes (``person``, ``vehicle``, ...) of the commonest senses."""
        for part in self.parts(pos):
            yield from self.named.get(part, ())


def _relate(entry1: _Entry, pos1: str, entry2: _Entry, pos2: str, broad: Set[int]) -> Relations:
    """Relations of two words, one of each sentence; the smallest distance of a kind counts.

    ``relation/4`` in ``asp/input.lp`` explains the kinds. Those that count no edges have the sum of
    the ranks of two senses, by frequency from 0, plus 1 where only synonyms have the relation.
    """
    parts1, parts2 = entry1.parts(pos1), entry2.parts(pos2)
    for part in (parts1 | parts2) & entry1.readings.keys() & entry2.readings.keys():
        reading1, reading2 = entry1.readings[part], entry2.readings[part]
        for synset in reading1.senses.keys() & reading2.senses.keys():
            yield "synonym", reading1.senses[synset] + reading2.senses[synset]
        conceptual = part in parts1 and part in parts2
        if conceptual:
            yield from _near(reading1, reading2, broad)
        # Links from the first word, or its synonyms, to the second, or its synonyms.
        for kind in ("antonym", *(_CONCEPTUAL if conceptual else ())):
            if (links := reading1.links.get(kind)) is not None:
                senses = reading2.senses
                distances = (*links.to_word(entry2.word, senses), *links.to_senses(senses))
                yield from ((kind, distance) for distance in distances)
    yield from _derived(entry1, parts1, entry2, parts2)


def _near(reading1: _Reading, reading2: _Reading, broad: Set[int]) -> Relations:
    """Hypernyms, hyponyms, cohyponyms and adjectives of one cluster."""
    alike = False
    together: list[int] = []
    for synset in reading1.paths.keys() & reading2.paths.keys():
        edges1, edges2 = reading1.paths[synset], reading2.paths[synset]
        if edges1 and edges2:
            if edges1 + edges2 <= MAX_EDGES and synset not in broad:
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
        if edges := reading1.heads[head] + reading2.heads[head]:
            yield "similar", edges


def _derived(entry1: _Entry, parts1: Set[str], entry2: _Entry, parts2: Set[str]) -> Relations:
    """Derivation of the words themselves, of their synonyms, or from one base."""
    for part1, reading1 in entry1.readings.items():
        if (links1 := reading1.links.get("derivation")) is None:
            continue
        for part2, reading2 in entry2.readings.items():
            distances = [*links1.to_word(entry2.word, reading2.senses)]
            links2 = reading2.links.get("derivation")
            if links2 is not None and part1 in parts1 and part2 in parts2:
                distances += [*links1.to_senses(reading2.senses), *links1.to_base(links2)]
            yield from (("derivation", distance) for distance in distances)
