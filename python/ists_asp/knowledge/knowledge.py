"""The sources of knowledge: opened when the first pair is looked up, which few reruns need."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ists_asp.closing import Closing
from ists_asp.resources import data_dir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ists_asp.knowledge.sources import Sources
    from ists_asp.model import Pair

_LEXICONS = {"en": "wordnet.sqlite", "es": "spanish.sqlite"}
_VECTORS = ("en", "es")


class Knowledge(Closing):
    """The sources of knowledge; use it as a context manager, or call :meth:`close`.

    Args:
        lexicon_path: the SQLite file of the lexicon; the shipped one of the language if None.
        language: code of the language. Spanish has a thesaurus for its lexicon, stems, points
            of thousands and words that differ in accents only; any other is read as English.
        vectors_path: the file of word vectors; words are not compared by vectors if None. See
            :func:`shipped_vectors`.
        phrases: more multiword entries, in lower case: those of word tables.

    Raises:
        ResourceError: if the lexicon or the vectors are missing.
    """

    def __init__(
        self,
        lexicon_path: Path | None = None,
        *,
        language: str = "en",
        vectors_path: Path | None = None,
        phrases: Iterable[str] = (),
    ) -> None:
        # Only the default needs the data folder: a caller's own file works without it.
        self._lexicon_path = lexicon_path or data_dir() / "lexicon" / _LEXICONS.get(
            language, _LEXICONS["en"]
        )
        self._vectors_path = vectors_path
        self._phrases = frozenset(phrases)
        self._spanish = language == "es"
        if not all(path.is_file() for path in self._paths):
            # It says what is missing.
            self._sources.close()

    @property
    def sources(self) -> tuple[str, ...]:
        """What words are compared by: ``lexicon``, ``vectors``."""
        return ("lexicon", *(() if self._vectors_path is None else ("vectors",)))

    @property
    def key(self) -> str:
        """What tells these sources from all others."""
        found = [(path.name, path.stat()) for path in self._paths]
        states = [(name, state.st_size, state.st_mtime_ns) for name, state in found]
        language = "es" if self._spanish else "en"
        return f"{language} {states} {sorted(self._phrases)}"

    def close(self) -> None:
        """Close the lexicon; the object cannot be used afterwards."""
        if "_sources" in self.__dict__:
            self._sources.close()

    def facts(self, pair: Pair) -> Iterator[str]:
        """What is known about the words of an annotated pair: atoms of ``asp/input.lp`` as text.

        Relations and classes are sought for nouns, verbs, adjectives and adverbs, and for
        multiword entries; that a lemma equals itself is not said. Nothing is sought for tokens of
        more than :data:`~ists_asp.limits.LONGEST_WORD` characters. The order does not vary.

        Raises:
            ResourceError: if the lexicon or the vectors turn out to be damaged.
        """
        return self._sources.facts(pair)

    @property
    def _paths(self) -> list[Path]:
        return [path for path in (self._lexicon_path, self._vectors_path) if path is not None]

    @cached_property
    def _sources(self) -> Sources:
        # It takes NumPy and all that knows words, a tenth of a second.
        from ists_asp.knowledge.sources import Sources

        return Sources(self._lexicon_path, self._vectors_path, self._phrases, spanish=self._spanish)


def shipped_vectors(language: str) -> Path | None:
    """Return the file of the word vectors that ists-asp carries for a language, or None."""
    return data_dir() / "vectors" / f"{language}.npz" if language in _VECTORS else None
