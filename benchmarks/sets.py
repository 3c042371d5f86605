"""The sets of sentence pairs that are measured, and where their files are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from benchmarks import ROOT
from ists_asp.errors import UsageError
from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Reference
from ists_asp.io.pairs import read_pairs
from ists_asp.learn import read_gold
from ists_asp.model import Scheme

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ists_asp.model import Pair

SETS = ("headlines", "images", "answers-students")
"""The sets of SemEval-2016 Task 2; each has a profile of its own name."""

PILOT = ("pilot-2015-headlines", "pilot-2015-images")
"""The sets of the pilot of 2015, called as their profiles."""

SAMPLES = ROOT / "data" / "samples"
"""The pairs that come with the project, in the same layout as a set of the task."""

_FOLDER = "ists-2016-train"
_PILOT_FOLDER = "ists-2015-train"
_FILES = tuple(f"STSint.gs.{name.removeprefix('pilot-2015-')}.wa" for name in PILOT)
_DEFAULT = ROOT.parent / "shared" / "data"


@dataclass(frozen=True, slots=True)
class PairSet:
    """Pairs with gold chunks, the same pairs without chunks, and the gold alignments by id.

    ``scheme`` says which official scorer measures them.
    """

    name: str
    chunked: tuple[Pair, ...]
    plain: tuple[Pair, ...]
    gold: Mapping[str, Reference]
    scheme: Scheme = Scheme.Y2016


def find_data(given: Path | None, *, pilot: bool = False) -> Path:
    """The folder that holds the train sets of the task, or of the pilot.

    Args:
        given: a folder with ``ists-2016-train/`` in it (and ``ists-2015-train/``); by default
            ``shared/data`` beside the checkout.
        pilot: whether the pilot's are wanted.

    Raises:
        UsageError: there is no such folder.
    """
    name = _PILOT_FOLDER if pilot else _FOLDER
    folder = (given or _DEFAULT) / name
    if not folder.is_dir():
        raise UsageError(
            f"there is no folder {folder}",
            expected=f"a folder {name}/ with {', '.join(_FILES if pilot else SETS)} in it",
            hint="Get the train data of SemEval-2016 Task 2, or of its pilot in 2015, and give "
            "the folder above it with --data DIR",
        )
    return folder


def read_set(folder: Path, limit: int | None = None) -> PairSet:
    """Read a set, or its first ``limit`` pairs.

    Raises:
        DataError: a file is missing or faulty, or the files do not belong together.
    """
    chunks = (folder / "sent1.chunk.txt", folder / "sent2.chunk.txt")
    chunked = islice(read_pairs(*chunks, chunked=True), limit)
    plain = islice(read_pairs(folder / "sent1.txt", folder / "sent2.txt"), limit)
    gold = islice(read_references(folder / "gold.wa").items(), limit)
    return PairSet(folder.name, tuple(chunked), tuple(plain), dict(gold))


def read_pilot(folder: Path, name: str, limit: int | None = None) -> PairSet:
    """Read a set of :data:`PILOT`, whose chunks are the sides of its one-to-one alignments.

    Raises:
        DataError: the file is missing or faulty.
    """
    golds = read_gold(folder / _FILES[PILOT.index(name)])[:limit]
    return PairSet(
        name,
        tuple(gold.pair for gold in golds),
        tuple(_unchunked(gold.pair) for gold in golds),
        {gold.pair.id: Reference(gold.pair, gold.alignments) for gold in golds},
        Scheme.Y2015,
    )


def _unchunked(pair: Pair) -> Pair:
    sent1, sent2 = replace(pair.sent1, chunks=None), replace(pair.sent2, chunks=None)
    return replace(pair, sent1=sent1, sent2=sent2)
