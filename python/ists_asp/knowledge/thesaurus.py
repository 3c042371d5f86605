"""Synonyms from a thesaurus, a small SQLite file: what Spanish has in place of WordNet.

``data/lexicon/README.md`` describes the file. A thesaurus knows no senses, no more general words
and no classes, so that this answers as :class:`ists_asp.knowledge.lexicon.Lexicon` does, but has
relations of one kind only.
"""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from typing import TYPE_CHECKING, NoReturn

from ists_asp.closing import Closing
from ists_asp.errors import ResourceError
from ists_asp.knowledge.lexicon import CACHED_WORDS
from ists_asp.knowledge.relation import Relation

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SCHEMA_VERSION = 1
"""The ``PRAGMA user_version`` of the files that this module reads."""

_HINT = (
    "Reinstall ists-asp, or build the file as data/lexicon/build_spanish.py tells "
    "(its first lines have the command)"
)

_SYNONYMS = """
SELECT other.lemma, synonym.distance
FROM word JOIN synonym ON synonym.word = word.id JOIN word AS other ON other.id = synonym.other
WHERE word.lemma = ?
"""


class Thesaurus(Closing):
    """Read-only access to a thesaurus; use it as a context manager, or call :meth:`close`.

    Args:
        path: the SQLite file.

    Raises:
        ResourceError: if the file is missing, is not a thesaurus, or is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        if not path.is_file():
            self._fail("there is no thesaurus here")
        try:
            # Nothing writes to the file while it is in use, so threads may share the connection.
            self._database = sqlite3.connect(
                f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
            )
            [(version,)] = self._database.execute("PRAGMA user_version")
        except sqlite3.Error as error:
            self._fail(f"the thesaurus cannot be opened ({error})")
        if version != SCHEMA_VERSION:
            self._database.close()
            self._fail(f"the thesaurus has version {version}", expected=str(SCHEMA_VERSION))
        self._synonyms = lru_cache(maxsize=CACHED_WORDS)(self._load)

    def close(self) -> None:
        """Close the file; the thesaurus cannot be used afterwards."""
        self._synonyms.cache_clear()
        self._database.close()

    def __contains__(self, lemma: object) -> bool:
        return isinstance(lemma, str) and bool(self._synonyms(lemma.lower()))

    def relations(
        self, lemmas1: Iterable[tuple[str, str]], lemmas2: Iterable[tuple[str, str]]
    ) -> list[Relation]:
        """Every two words of different sentences that are synonyms.

        Args:
            lemmas1: lemma and part of speech, which a thesaurus does not ask for.
            lemmas2: the same for sentence 2.

        Returns:
            Relations of the kind ``synonym`` between lower-cased lemmas, sorted. Their distance is
            0 to 9: the fewer neighbours two synonyms have in common, the farther they are.

        Raises:
            ResourceError: if the file turns out to be damaged.
        """
        words1 = sorted({lemma.lower() for lemma, _ in lemmas1})
        words2 = {lemma.lower() for lemma, _ in lemmas2}
        return sorted(
            Relation("synonym", word, other, distance)
            for word in words1
            for other, distance in self._synonyms(word).items()
            if other in words2
        )

    def classes(self, _lemma: str, _pos: str) -> frozenset[str]:
        """No classes: a thesaurus has none."""
        return frozenset()

    def usage(self, _lemma: str, _pos: str) -> int:
        """Always 0: a thesaurus does not say how words are used."""
        return 0

    def _load(self, lemma: str) -> dict[str, int]:
        try:
            return dict(self._database.execute(_SYNONYMS, (lemma,)).fetchall())
        except sqlite3.Error as error:
            self._fail(f"the thesaurus is damaged ({error})")

    def _fail(self, message: str, *, expected: str | None = None) -> NoReturn:
        raise ResourceError(message, where=str(self._path), expected=expected, hint=_HINT) from None
