"""Gold pairs: sentences with their chunks, and the alignments that people gave them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ists_asp.errors import DataError, shortened
from ists_asp.evaluate.files import read_references
from ists_asp.io.pairs import read_pairs
from ists_asp.io.text import Faults, ignore
from ists_asp.model import Chunk

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.evaluate.scorer import Reference
    from ists_asp.io.text import Warn
    from ists_asp.model import Alignment, Pair, Sentence

CHUNKS = ("sent1.chunk.txt", "sent2.chunk.txt")
ALIGNMENTS = "gold.wa"


@dataclass(frozen=True, slots=True)
class GoldPair:
    """A pair with gold chunks, and its gold alignments (unaligned chunks included)."""

    pair: Pair
    alignments: tuple[Alignment, ...]


def read_gold(path: Path, warn: Warn = ignore) -> list[GoldPair]:
    """Read gold pairs.

    Args:
        path: a folder with ``sent1.chunk.txt``, ``sent2.chunk.txt`` and ``gold.wa``; or a
            ``.wa`` file of one-to-one alignments, such as the 2015 pilot's, in which each
            side of a line is a chunk.
        warn: receives one line of text for each repair.

    Raises:
        DataError: a file is missing or faulty, or the pairs of the files do not match.
    """
    golds = _read_lines(path, warn) if path.is_file() else _read_folder(path, warn)
    if not golds:
        raise DataError("no pairs", where=str(path), expected="at least one gold pair")
    return golds


def _read_lines(file: Path, warn: Warn) -> list[GoldPair]:
    golds, faults = [], Faults()
    for reference in read_references(file, warn=warn).values():
        pair, lines = reference.pair, tuple(reference.alignments)
        where = f"{file}: pair {shortened(pair.id)}"
        with faults:
            chunks1 = _chunks(pair.sent1, [line.tokens1 for line in lines], f"{where}, sentence 1")
            chunks2 = _chunks(pair.sent2, [line.tokens2 for line in lines], f"{where}, sentence 2")
            sent1, sent2 = replace(pair.sent1, chunks=chunks1), replace(pair.sent2, chunks=chunks2)
            golds.append(GoldPair(replace(pair, sent1=sent1, sent2=sent2), lines))
    faults.check()
    return golds


def _chunks(sentence: Sentence, sides: list[tuple[int, ...]], where: str) -> tuple[Chunk, ...]:
    """The sides of the lines as chunks, which have to cut the sentence into runs of tokens."""
    found = sorted(side for side in sides if side)
    numbers = [number for side in found for number in side]
    if numbers != [token.index for token in sentence.tokens]:
        raise DataError(
            f"the sides of the lines are {shortened(', '.join(map(str, map(list, found))))}",
            where=where,
            expected="each token on one line, and neighbours on each side",
            hint="Lines that merge chunks do not tell them apart: give a folder with chunk "
            f"files, {CHUNKS[0]} and {CHUNKS[1]}",
        )
    return tuple(Chunk(side[0], side[-1]) for side in found)


def _read_folder(folder: Path, warn: Warn) -> list[GoldPair]:
    for name in (*CHUNKS, ALIGNMENTS):
        if not (folder / name).is_file():
            raise DataError(
                f"there is no {name}",
                where=str(folder),
                expected=f"a folder with {', '.join(CHUNKS)} and {ALIGNMENTS}",
                hint="Name such a folder with --gold, or a .wa file of one-to-one alignments",
            )
    references = read_references(folder / ALIGNMENTS, warn=warn)
    golds, faults = [], Faults()
    for pair in read_pairs(folder / CHUNKS[0], folder / CHUNKS[1], chunked=True, warn=warn):
        with faults:
            alignments = _alignments(pair, references.get(pair.id), folder)
            golds.append(GoldPair(pair, alignments))
    faults.check()
    return golds


def _alignments(pair: Pair, reference: Reference | None, folder: Path) -> tuple[Alignment, ...]:
    """The alignments of a pair of the chunk files.

    Raises:
        DataError: there are none, or they are about other tokens.
    """
    where = str(folder / ALIGNMENTS)
    if reference is None:
        raise DataError(
            f"pair {shortened(pair.id)} of the chunk files is not in it",
            where=where,
            expected="the alignments of every pair",
        )
    found, chunked = _sizes(reference.pair), _sizes(pair)
    if found != chunked:
        raise DataError(
            f"pair {shortened(pair.id)} has {found[0]} and {found[1]} tokens",
            where=where,
            expected=f"{chunked[0]} and {chunked[1]}, as in the chunk files",
            hint="Check that line N of the chunk files is the pair with the id N",
        )
    return reference.alignments


def _sizes(pair: Pair) -> tuple[int, int]:
    return len(pair.sent1.tokens), len(pair.sent2.tokens)
