"""The sets of sentence pairs that are measured, and where their files are: folders, archives."""

from __future__ import annotations

import gzip
import re
import sys
import tarfile
import zipfile
import zlib
from collections import defaultdict
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import islice
from pathlib import PurePosixPath
from stat import S_ISLNK
from typing import TYPE_CHECKING, Any

from benchmarks import ROOT
from ists_asp.errors import DataError, UsageError
from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Reference
from ists_asp.io.pairs import read_pairs
from ists_asp.learn.examples import read_gold
from ists_asp.model import Pair, Scheme, Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from ists_asp.io.text import Source

SETS = ("headlines", "images", "answers-students")
"""The sets of SemEval-2016 Task 2; each has a profile of its own name."""

PILOT = ("pilot-2015-headlines", "pilot-2015-images")
"""The sets of the pilot of 2015, called as their profiles."""

SAMPLES = ROOT / "data" / "samples"
"""The pairs that come with the project, in the same layout as a set of the task."""

_FOLDER = "ists-2016-train"
_PILOT_FOLDER = "ists-2015-train"
_FILES = tuple(f"STSint.gs.{name.removeprefix('pilot-2015-')}.wa" for name in PILOT)
_MEMBER = re.compile(r"STSint\.(?:test|train)?(?:input|gs)\.(.+?)\.(wa|sent[12](?:\.chunk)?\.txt)")
_TEXTS, _CHUNKS = ("sent1.txt", "sent2.txt"), ("sent1.chunk.txt", "sent2.chunk.txt")
_MOST, _TOO_MUCH = 1 << 26, "more than 64 MB"
"""What an archive and what is read of it may have together; the organisers' have a hundredth."""

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
    parts = {part: folder / part for part in (*_TEXTS, *_CHUNKS)}
    return _read(folder.name, {**parts, "wa": folder / "gold.wa"}, limit)


def _read(name: str, parts: Mapping[str, Source], limit: int | None) -> PairSet:
    plain, chunked = (
        tuple(islice(read_pairs(*(parts[n] for n in names), chunked=names is _CHUNKS), limit))
        if parts.keys() >= {*names}
        else ()
        for names in (_TEXTS, _CHUNKS)
    )
    return PairSet(name, chunked, plain, dict(islice(read_references(parts["wa"]).items(), limit)))


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
    return Pair(pair.id, Sentence(pair.sent1.tokens), Sentence(pair.sent2.tokens))


class _Member(BytesIO):
    """A file of an archive, with its name for messages."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(content)
        self.name = name


def read_archives(paths: Sequence[Path], limit: int | None = None) -> Iterator[PairSet]:
    """Read the sets in the organisers' archives; say which there are, and what is incomplete.

    Files in a folder belong together, and so do folders with different files of a set.

    Raises:
        DataError: something is faulty or does not belong together.
    """
    sets: list[tuple[str, dict[str, _Member]]] = []
    for (name, _), parts in (item for path in paths for item in _folders(path).items()):
        others = (had for other, had in sets if other == name and not had.keys() & parts.keys())
        had = next(others, None)
        sets.append((name, parts)) if had is None else had.update(parts)
    for name, parts in sets:
        missing = ", ".join(part for part in ("wa", *_TEXTS) if part not in parts)
        where = parts.get("wa", next(iter(parts.values()))).name
        if missing:
            print(f"{where}: {name} is left out, as it has no {missing}", file=sys.stderr)
            continue
        data = _read(name, parts, limit)
        gold, count = data.gold, len(data.plain)
        same = sum(one.id in gold and one.sent1 == gold[one.id].pair.sent1 for one in data.plain)
        if len(gold) != count or 2 * same < count:
            found = f"{len(gold)} pairs, {same} of which are among the {count} of the sentences"
            raise DataError(found, where=where, expected="gold of the same pairs")
        print(f"{where}: {name}, {count} pairs, {'' if data.chunked else 'no '}gold chunks")
        if b"// ALIC //" in parts["wa"].getvalue():
            data = replace(data, name=f"pilot-2015-{name}", scheme=Scheme.Y2015)
        yield data


def _folders(path: Path) -> dict[tuple[str, PurePosixPath], dict[str, _Member]]:
    """The files of sets in an archive, by set and folder; nothing goes to the disk."""
    found: dict[tuple[str, PurePosixPath], dict[str, _Member]] = defaultdict(dict)
    try:
        with path.open("rb") as stream:
            packed = stream.peek(2)[:2] == b"\x1f\x8b"
            with gzip.open(stream) if packed else stream as plain:
                data = BytesIO(plain.read(_MOST + 1))
        room = _MOST - data.getbuffer().nbytes
        if room < 0:
            raise OSError(_TOO_MUCH)
        archive: Any
        if zipfile.is_zipfile(data):
            archive = zipfile.ZipFile(data)
            every = archive.infolist()
            files = [(one.filename, one) for one in every if not S_ISLNK(one.external_attr >> 16)]
        else:
            archive = tarfile.TarFile(fileobj=BytesIO(data.getvalue()))
            files = [(one.name, one) for one in archive if one.isreg()]
            archive.open = archive.extractfile
        for name, one in files:
            place = PurePosixPath(name.replace("\\", "/"))
            match = _MEMBER.fullmatch(place.name)
            if match and not any(part.startswith((".", "/", "__MACOSX")) for part in place.parts):
                content = archive.open(one).read(room + 1)
                room -= len(content)
                found[match[1], place.parent][match[2]] = _Member(f"{path}: {place}", content)
            if room < 0:
                raise OSError(_TOO_MUCH)
    except (OSError, EOFError, RuntimeError, tarfile.TarError, zipfile.BadZipFile, zlib.error) as e:
        raise DataError(f"no zip, tar or tar.gz that can be read: {e}", where=str(path)) from None
    if not found:
        raise DataError("no set", where=str(path), expected="files such as STSint.gs.headlines.wa")
    return found
