"""Pairs read by a reader: what it holds about them, as facts, kept between runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clingo import parse_term

from ists_asp.knowledge.words import knowable
from ists_asp.rules.remembered import made_by
from ists_asp.syntax.ground import Atoms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clingo import MessageCode

    from ists_asp.annotate import Cache
    from ists_asp.knowledge.reader import Reader, UniversalReader
    from ists_asp.model import Pair, Sentence


class PairReader:
    """A reader for pairs that remembers what it has said.

    Args:
        reader: reads what is not known yet; its model is loaded when the first such pair comes.
        cache: keeps what it says, by its hash and by the words and chunks of a pair.
    """

    def __init__(self, reader: Reader | UniversalReader, cache: Cache | None = None) -> None:
        self._reader = reader
        self._cache = cache

    def close(self) -> None:
        """Close the cache; nothing can be read afterwards."""
        if self._cache is not None:
            self._cache.close()

    @property
    def digest(self) -> str:
        """The hash of the reader."""
        return self._reader.digest

    def facts(self, pairs: Sequence[Pair]) -> Iterator[Atoms]:
        """What the reader holds about pairs, lazily and in their order, as facts.

        Raises:
            ResourceError: a file of the reader is damaged.
        """
        key = f"reader {self.digest}"
        shown = [knowable(pair) for pair in pairs]
        inputs = [[made_by(), _shown(pair.sent1), _shown(pair.sent2)] for pair in shown]
        kept = [None] * len(pairs) if self._cache is None else self._cache.get(key, inputs)
        for pair, given, text in zip(shown, inputs, kept, strict=True):
            facts = _parsed(text)
            if facts is None:
                facts = Atoms("()").with_text(",".join(self._reader.read(pair)))
                if self._cache is not None:
                    self._cache.put(key, [(given, facts.text)])
            yield facts


def _shown(sentence: Sentence) -> list[object]:
    """What the reader sees of a sentence."""
    chunks = sentence.chunks
    return [
        [token.form for token in sentence.tokens],
        None if chunks is None else [[chunk.first, chunk.last] for chunk in chunks],
    ]


def _parsed(text: object) -> Atoms | None:
    """The facts that an entry of the cache has; None if it is damaged."""
    if not isinstance(text, str):
        return None
    try:
        parse_term(text, logger=_quiet)
    except RuntimeError:
        return None
    return Atoms(text)


def _quiet(_code: MessageCode, _message: str) -> None:
    """Say nothing: what is damaged is read anew."""
