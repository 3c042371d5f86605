"""Gold pairs: sentences with their chunks, and the alignments that people gave them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.errors import DataError
from ists_asp.evaluate.files import read_references
from ists_asp.io.chunks import read_chunk_pairs
from ists_asp.io.text import ignore

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.io.text import Warn
    from ists_asp.model import Alignment, Pair

__all__ = ["GoldPair", "read_gold"]

CHUNKS = ("sent1.chunk.txt", "sent2.chunk.txt")
ALIGNMENTS = "gold.wa"


@dataclass(frozen=True, slots=True)
class GoldPair:
    """A pair with gold chunks, and its gold alignments (unaligned chunks included)."""

    pair: Pair
    alignments: tuple[Alignment, ...]


def read_gold(folder: Path, warn: Warn = ignore) -> list[GoldPair]:
    """Read a folder with ``sent1.chunk.txt``, ``sent2.chunk.txt`` and ``gold.wa``.

    Raises:
        DataError: a file is missing or faulty, or the pairs of the files do not match.
    """
    for name in (*CHUNKS, ALIGNMENTS):
        if not (folder / name).is_file():
            raise DataError(
                f"there is no {name}",
                where=str(folder),
                expected=f"a folder with {', '.join(CHUNKS)} and {ALIGNMENTS}",
                hint="Name such a folder with --gold",
            )
    references = read_references(folder / ALIGNMENTS, warn=warn)
    golds = []
    for pair in read_chunk_pairs(folder / CHUNKS[0], folder / CHUNKS[1], warn=warn):
        reference = references.get(pair.id)
        if reference is None:
            raise DataError(
                f"pair {pair.id} of the chunk files is not in it",
                where=str(folder / ALIGNMENTS),
                expected="the alignments of every pair",
            )
        if _sizes(reference.pair) != _sizes(pair):
            found, chunked = _sizes(reference.pair), _sizes(pair)
            raise DataError(
                f"pair {pair.id} has {found[0]} and {found[1]} tokens",
                where=str(folder / ALIGNMENTS),
                expected=f"{chunked[0]} and {chunked[1]}, as in the chunk files",
                hint="Check that line N of the chunk files is the pair with the id N",
            )
        golds.append(GoldPair(pair, tuple(reference.alignments)))
    if not golds:
        raise DataError("no pairs", where=str(folder), expected="at least one gold pair")
    return golds


def _sizes(pair: Pair) -> tuple[int, int]:
    return len(pair.sent1.tokens), len(pair.sent2.tokens)
