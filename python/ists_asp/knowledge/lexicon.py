"""WordNet's relations between the words of two sentences, from a small SQLite file.

``data/lexicon/README.md`` describes the file. Nothing here decides what a relation is
worth: each comes with a distance, and the rules decide. The bounds only keep the search
small.
"""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn

from ists_asp.closing import Closing
from ists_asp.errors import ResourceError
from ists_asp.knowledge.entry import Entry, Links, Reading
from ists_asp.knowledge.related import MAX_EDGES, relate
from ists_asp.knowledge.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SCHEMA_VERSION = 2
"""The ``PRAGMA user_version`` of the files that this module reads."""

MAX_SENSES = 4
"""Paths start only from so many of a word's senses, the most frequent first."""

CACHED_WORDS = 20_000
"""So many words stay in memory: a few kB each, more than any test set has."""

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


class Lexicon(Closing):
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
                for kind, distance in relate(entry1, pos1, entry2, pos2, self._broad):
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

    def _entries(self, lemmas: Iterable[tuple[str, str]]) -> list[tuple[str, str, Entry]]:
        words = {(lemma.lower(), pos) for lemma, pos in lemmas}
        found = ((lemma, pos, self._entry(lemma)) for lemma, pos in sorted(words))
        return [(lemma, pos, entry) for lemma, pos, entry in found if entry is not None]

    def _load_entry(self, lemma: str) -> Entry | None:
        """Read one lower-cased word; None if the lexicon does not have it."""
        found = self._rows("SELECT id FROM word WHERE lemma = ?", lemma)
        if not found:
            return None
        [(word,)] = found
        readings: dict[str, Reading] = {}
        for pos, rank, synset in self._rows(
            "SELECT pos, rank, synset FROM sense WHERE word = ?", word
        ):
            readings.setdefault(pos, Reading({})).senses[synset] = rank
        for pos, reading in readings.items():
            self._load_paths(word, pos, reading)
            for kind, source, target, target_word, rank in self._rows(_LINKS, word, pos):
                links = reading.links.setdefault(kind, Links())
                links.add(word, source, target, target_word, rank)
        classes: dict[str, set[str]] = {}
        for pos, name in self._rows(_CLASSES, word):
            classes.setdefault(pos, set()).add(name)
        named = {pos: frozenset(names) for pos, names in classes.items()}
        usage = dict(self._rows("SELECT pos, percent FROM usage WHERE word = ?", word))
        return Entry(word, readings, named, usage or dict.fromkeys(readings, 100))

    def _load_paths(self, word: int, pos: str, reading: Reading) -> None:
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
