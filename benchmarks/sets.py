"""The sets of sentence pairs that are measured, and where their files are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from benchmarks import ROOT
from ists_asp.errors import UsageError
from ists_asp.evaluate.files import read_references
from ists_asp.io.chunks import read_chunk_pairs
from ists_asp.io.sentences import read_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ists_asp.evaluate.scorer import Reference
    from ists_asp.model import Pair

__all__ = ["SAMPLES", "SETS", "PairSet", "find_data", "read_set"]

SETS = ("headlines", "images", "answers-students")
"""The sets of SemEval-2016 Task 2; each has a profile of its own name."""

SAMPLES = ROOT / "data" / "samples"
"""The pairs that come with the project, in the same layout as a set of the task."""

_FOLDER = "ists-2016-train"
_DEFAULT = ROOT.parent / "shared" / "data"


@dataclass(frozen=True, slots=True)
class PairSet:
    """Pairs with gold chunks, the same pairs without chunks, and the gold alignments by id."""

    name: str
    chunked: tuple[Pair, ...]
    plain: tuple[Pair, ...]
    gold: Mapping[str, Reference]


def find_data(given: Path | None) -> Path:
    """The folder that holds a folder for each set.

    Args:
        given: a folder with ``ists-2016-train/`` in it; by default ``shared/data`` beside
            the checkout.

    Raises:
        UsageError: there is no such folder.
    """
    folder = (given or _DEFAULT) / _FOLDER
    if not folder.is_dir():
        raise UsageError(
            f"there is no folder {folder}",
            expected=f"a folder {_FOLDER}/ with {', '.join(SETS)} in it",
            hint="Get the train data of SemEval-2016 Task 2 and give the folder above it "
            "with --data DIR",
        )
    return folder


def read_set(folder: Path, limit: int | None = None) -> PairSet:
    """Read a set, or its first ``limit`` pairs.

    Raises:
        DataError: a file is missing or faulty, or the files do not belong together.
    """
    first, second = folder / "sent1", folder / "sent2"
    chunked = islice(
        read_chunk_pairs(first.with_suffix(".chunk.txt"), second.with_suffix(".chunk.txt")), limit
    )
    plain = islice(read_pairs(first.with_suffix(".txt"), second.with_suffix(".txt")), limit)
    gold = islice(read_references(folder / "gold.wa").items(), limit)
    return PairSet(folder.name, tuple(chunked), tuple(plain), dict(gold))
