"""How well found chunks agree with gold chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.evaluate.measures import Measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ists_asp.model import Chunk


@dataclass(frozen=True, slots=True)
class Chunking:
    """Agreement of chunks over some sentences.

    ``boundaries`` counts places between two tokens where a chunk ends and the next begins
    (the ends of the sentence are no boundaries); ``chunks`` counts chunks with the same
    first and last token; ``exact`` is the number of sentences with the same chunks.
    """

    boundaries: Measure
    chunks: Measure
    exact: int
    sentences: int

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            "boundaries": self.boundaries.as_dict(),
            "chunks": self.chunks.as_dict(),
            "exact": self.exact,
            "sentences": self.sentences,
        }


def compare_chunks(pairs: Iterable[tuple[Sequence[Chunk], Sequence[Chunk]]]) -> Chunking:
    """Compare the chunks of sentences, given as (gold, found), all in one sum."""
    boundaries = chunks = Measure()
    exact = sentences = 0
    for gold, found in pairs:
        boundaries += _overlap(_boundaries(gold), _boundaries(found))
        chunks += _overlap(set(gold), set(found))
        exact += set(gold) == set(found)
        sentences += 1
    return Chunking(boundaries, chunks, exact, sentences)


def _boundaries(chunks: Sequence[Chunk]) -> set[int]:
    """The tokens that a chunk begins at, the first of the sentence excepted."""
    return {chunk.first for chunk in chunks} - {1}


def _overlap(gold: set[int] | set[Chunk], found: set[int] | set[Chunk]) -> Measure:
    common = len(gold & found)
    return Measure(common, len(found), common, len(gold))
