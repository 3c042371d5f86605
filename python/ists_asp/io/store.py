"""What follows from files that rarely change, kept between runs: each thing in a file of its own.

An entry belongs to a key that names all it follows from. It is written beside its place and
renamed, so that processes may share a folder. The head of the file has the hash of its key and of
the rest: a file that is damaged, or has the name of another, is no entry, and is written anew.
What was not used for longest goes first where there is too much. Nothing in it is more than time.
A :class:`Memo` makes keys of a store of all that something follows from, the code included.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import orjson

from ists_asp._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

FOLDER = "programs"
"""The folder of a store, in the cache's directory."""

TRACES = "traces"
"""The folder of traces, which are large: a store of their own, so that they push nothing out."""

MOST = 10_000
"""Entries that are kept at most: a rule set has one for each file, a hundred pairs have three."""

LARGEST = 512 << 20
"""Bytes that they take at most: facts and answers of 100 000 pairs take three quarters of it."""

MOST_TRACES, LARGEST_TRACES = 100_000, 1 << 30
"""The same for traces, of which a pair has one: 40 kB, packed."""

LARGEST_ENTRY = 128 << 20
"""Bytes of an entry that are read at most, packed or not."""

_MARK = b"ists-asp "
_HEAD = _MARK + b"program "
_PACKED = _MARK + b"packed "
_SUFFIX = ".kept"
_DRAFT = ".part"
_NAME = re.compile(r"[0-9a-f]{40}\.kept")
_DRAFT_NAME = re.compile(r"[0-9a-f]{40}\..*\.part")

_LARGE = 1 << 19
"""Bytes from which an entry is packed, which takes longer to read."""

OFTEN = 200
"""Entries written by a process until it looks again whether there are too many."""

_FRESH = 3600.0
"""Seconds after which a use is noted again, and what an interrupted process left is removed."""


_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """``entries`` in ``path``, which take ``size`` bytes; of sentences, how many each model has."""

    path: Path
    entries: int
    size: int
    models: Mapping[str, int] = field(default_factory=dict)


class Store:
    """A folder of entries, made when there is something to keep.

    It lies in the cache's directory, and is called :data:`FOLDER` or :data:`TRACES`. Where it
    cannot be read or written, nothing is known and nothing is kept.
    """

    def __init__(self, directory: Path, folder: str = FOLDER) -> None:
        self.path = directory / folder
        self._most, self._largest = (
            (MOST_TRACES, LARGEST_TRACES) if folder == TRACES else (MOST, LARGEST)
        )
        self._packed = 0 if folder == TRACES else _LARGE
        self._written = 0

    def get(self, key: str) -> Any:  # noqa: ANN401 (whatever JSON can write)
        """What is kept under a key; None if there is nothing, or nothing readable."""
        place = self._place(key)
        try:
            with opened(place) as stream:
                seen = os.fstat(stream.fileno()).st_mtime
                head, _, body = stream.read(LARGEST_ENTRY).partition(b"\n")
            digest = _digest(key, body)
            if head == _PACKED + digest:
                unpacking = zlib.decompressobj()
                body = unpacking.decompress(body, LARGEST_ENTRY)
                if not unpacking.eof:
                    return None
            elif head != _HEAD + digest:
                return None
            if time.time() - seen > _FRESH:
                os.utime(place)
            return orjson.loads(body)
        except (OSError, ValueError, zlib.error):
            return None

    def put(self, key: str, value: object) -> None:
        """Keep whatever JSON can write under a key.

        A folder that is full or that cannot be written to forgets it.
        """
        body, head = orjson.dumps(value), _HEAD
        if len(body) > self._packed:
            body, head = zlib.compress(body, 1 if self._packed else 6), _PACKED
        if len(body) > LARGEST_ENTRY // 4:
            return
        with suppress(OSError):
            make_private(self.path.parent)
            make_private(self.path)
            place = self._place(key)
            handle, name = tempfile.mkstemp(_DRAFT, f"{place.stem}.", self.path)
            try:
                with open(handle, "wb") as stream:  # noqa: PTH123 (a file that is open already)
                    stream.write(head + _digest(key, body) + b"\n" + body)
                os.replace(name, place)  # noqa: PTH105
            except BaseException:
                with suppress(OSError):
                    os.unlink(name)  # noqa: PTH108
                raise
            if self._written % OFTEN == 0:
                self._bound()
            self._written += 1

    def info(self) -> StoreInfo:
        """How much there is."""
        sizes = [size for _, _, size in self._entries()]
        return StoreInfo(self.path, len(sizes), sum(sizes))

    def clear(self) -> int:
        """Remove all entries; return how many there were. Other files stay."""
        entries = list(self._entries())
        for _, place, _ in entries:
            with suppress(OSError):
                place.unlink()
        self._remove_drafts(0.0)
        with suppress(OSError):
            self.path.rmdir()
        return len(entries)

    def _place(self, key: str) -> Path:
        return self.path / f"{sha256(key.encode()).hexdigest()[:40]}{_SUFFIX}"

    def _entries(self) -> Iterator[tuple[float, Path, int]]:
        """When each entry was used, its file and its size; what lacks the mark is somebody's."""
        with suppress(OSError):
            for place in self.path.iterdir():
                if _NAME.fullmatch(place.name):
                    with suppress(OSError):
                        found = place.stat()
                        with opened(place) as stream:
                            ours = stream.read(len(_MARK)) == _MARK
                        if ours:
                            yield found.st_mtime, place, found.st_size

    def _bound(self) -> None:
        with suppress(OSError), os.scandir(self.path) as files:
            sizes = [file.stat().st_size for file in files]
            # To look whose files they are takes longer.
            if len(sizes) > self._most or sum(sizes) > self._largest:
                self._remove_oldest()
        self._remove_drafts(_FRESH)

    def _remove_oldest(self) -> None:
        total = 0
        for number, (_, place, size) in enumerate(sorted(self._entries(), reverse=True)):
            total += size
            if number >= self._most or total > self._largest:
                with suppress(OSError):
                    place.unlink()

    def _remove_drafts(self, age: float) -> None:
        """Remove what processes left that were interrupted while they wrote."""
        with suppress(OSError):
            for place in self.path.iterdir():
                if _DRAFT_NAME.fullmatch(place.name):
                    with suppress(OSError):
                        if time.time() - place.stat().st_mtime >= age:
                            place.unlink()


@cache
def made_by() -> str:
    """What tells the code that works something out from all other versions of it.

    In a checkout the files of the package change without its version.
    """
    import clingo

    digest = sha256(f"{__version__} {clingo.__version__}".encode())
    folders = [_PACKAGE]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                if entry.name.endswith(".py"):
                    found = entry.stat()
                    digest.update(
                        f"{entry.path} {found.st_size} {found.st_mtime_ns}\n".encode(
                            errors="surrogateescape"
                        )
                    )
                elif "." not in entry.name and entry.is_dir():
                    folders.append(Path(entry.path))
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Memo:
    """The memory of a rule set, which the digest tells from all others, or of something else.

    ``family`` is what it has in common with the rule set that an edit makes of it.
    """

    store: Store | None = None
    digest: str = ""
    family: str = ""

    def recall(
        self,
        what: str,
        options: object,
        work: Callable[[], Any],
        sure: Callable[[], bool] = lambda: True,
    ) -> Any:  # noqa: ANN401 (whatever JSON can write)
        """What was worked out about the rule set, now or before; None is not kept.

        It depends on ``options`` beside the rules. Whether it is ``sure`` enough to be kept is
        asked afterwards: clingo's warnings, for one, would be told no more.
        """
        if self.store is None:
            return work()
        key = self.key(what, options)
        found = self.get(key)
        if found is None:
            found = work()
            if found is not None and sure():
                self.put(key, found)
        return found

    def key(self, what: str, options: object) -> str:
        """What the store calls something that depends on ``options``; empty without a store."""
        if self.store is None:
            return ""
        return f"{what} {made_by()} {self.digest} {sha256(orjson.dumps(options)).hexdigest()}"

    def key_of(self, what: str, parts: Sequence[str]) -> str:
        """What the store calls something that depends on nothing but some texts."""
        whole = sha256("\0".join(parts).encode(errors="surrogateescape"))
        return f"{what} {made_by()} {whole.hexdigest()}"

    def get(self, key: str) -> Any:  # noqa: ANN401 (whatever JSON can write)
        """What is kept under a key; None if there is nothing."""
        return None if self.store is None else self.store.get(key)

    def put(self, key: str, value: object) -> None:
        """Keep something under a key."""
        if self.store is not None:
            self.store.put(key, value)


def make_private(folder: Path) -> None:
    """Make a folder that its owner alone can read; one that is there stays as it is."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _digest(key: str, body: bytes) -> bytes:
    return sha256(key.encode() + b"\n" + body).hexdigest().encode()


def opened(place: Path) -> IO[bytes]:
    """Open a file to be read that may be none."""
    # To open a pipe would wait for somebody who writes to it.
    return open(place, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))
