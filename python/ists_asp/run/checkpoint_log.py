"""The journal of a run: what is safely on disk, and what has failed.

Its first line, which begins as no other file does, identifies the run and has the lot that its
drafts are called by; then comes a line whenever some pairs are on disk, with how many they are
and how long each draft is, with its checksum. A line that a kill or a power failure has cut is as
good as none. While a run goes on it holds a lock on its journal.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any

from ists_asp.errors import DataError, UsageError, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_BEGIN = b'{"journal": "ists-asp", '
"""How a journal begins: what does not is somebody's file, and stays as it is."""

_LOT = re.compile(r"[0-9a-f]{16}")

NAMED = 100
"""Pairs without an answer whose ids are kept: there may be a million."""


@dataclass(slots=True)
class Failed:
    """How many pairs have no answer, and the ids of the first of them."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, identifier: str) -> None:
        """Count one more pair."""
        self.count += 1
        if len(self.first) < NAMED:
            self.first.append(identifier)

    def __str__(self) -> str:
        more = self.count - len(self.first)
        return ", ".join(map(shortened, self.first)) + (f" and {more} more" if more else "")


@dataclass(frozen=True, slots=True)
class Mark:
    """``pairs`` are on disk; ``drafts`` has the size and the checksum of each draft."""

    pairs: int
    drafts: tuple[tuple[int, str], ...]


class CheckpointLog:
    """The journal of a run, begun anew or gone on with.

    Args:
        path: where it lies.
        run: identifies the run.
        resume: whether to go on where a run that was interrupted left off.

    ``lot`` is what the drafts are called by, the same as before where there was a journal.

    Raises:
        UsageError: the run to be resumed was another, or still goes on; or the file is no journal.
        DataError: the journal to go on with is damaged.
        OSError: it cannot be read or written.
    """

    def __init__(self, path: Path, run: str, resume: bool) -> None:
        self._path = path
        self._stream = self._opened()
        self.last: Mark | None = None
        begin = None
        try:
            begin = self._stream.readline()
            if not _BEGIN.startswith(begin[: len(_BEGIN)]):
                raise self._foreign()
            self.lot = _lot(begin) or secrets.token_hex(8)
            self._stream.seek(0)
            size = self._read(run) if resume else 0
            # What a kill has cut must not run into the next line.
            self._stream.truncate(size)
            if not size:
                self._write({"journal": "ists-asp", "run": run, "lot": self.lot})
        except BaseException:
            if begin == b"":
                # It is of no use to anybody: nothing had been written to it.
                with suppress(OSError):
                    self.remove()
            self._stream.close()
            raise

    def failed(self) -> Iterator[str]:
        """The ids of the pairs without an answer, in their order."""
        self._stream.seek(0)
        for line in self._stream:
            yield from (identifier for identifier, _ in json.loads(line).get("failed", ()))

    def note(self, mark: Mark, failed: Sequence[tuple[str, str]]) -> None:
        """Add a mark, and the pairs since the last one that failed, with the reasons.

        Raises:
            OSError: it cannot be written.
        """
        self._write({"pairs": mark.pairs, "drafts": mark.drafts, "failed": failed})

    def remove(self) -> None:
        """Remove the file: the run is over.

        Raises:
            OSError: it cannot be removed.
        """
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file and let others have it."""
        self._stream.close()

    def _opened(self) -> IO[bytes]:
        """Open the file, which is to be a plain one, and lock it."""
        # A link could lead to any file; opening a pipe would wait for somebody.
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK
        while True:
            try:
                handle = os.open(self._path, flags, 0o666)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
                    raise self._foreign() from None
                raise
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                os.close(handle)
                raise self._foreign()
            stream = os.fdopen(handle, "a+b")
            try:
                self._lock(stream)
                # The run that had it may have come to its end, and removed it.
                with suppress(FileNotFoundError):
                    if os.path.samestat(self._path.stat(), status):
                        stream.seek(0)
                        return stream
            except BaseException:
                stream.close()
                raise
            stream.close()

    def _foreign(self) -> UsageError:
        return UsageError(
            "this file is no journal of ists-asp",
            where=str(self._path),
            hint="Move it away, or choose another name for the output",
        )

    def _lock(self, stream: IO[bytes]) -> None:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                "another run is writing this output",
                where=str(self._path),
                hint="Wait for its end, or choose another name for the output",
            ) from None
        except OSError as error:
            # Some file systems have no locks.
            if error.errno not in (errno.ENOLCK, errno.EOPNOTSUPP):
                raise

    def _read(self, run: str) -> int:
        """Read what is there; return how many of its bytes are whole lines."""
        size = 0
        for number, line in enumerate(self._stream, 1):
            if not line.endswith(b"\n"):
                break
            try:
                record = json.loads(line)
                if number > 1:
                    self.last = _mark(record)
                elif record["run"] != run:
                    raise UsageError(
                        "the run to be resumed had other inputs, rules or options",
                        where=str(self._path),
                        hint="Repeat the command as it was, or leave out --resume to begin anew",
                    )
                elif _lot(line) is None:
                    raise ValueError("no lot")
            except (ValueError, TypeError, KeyError, RecursionError):
                raise DataError(
                    "this is no line of a journal",
                    where=f"{self._path}:{number}",
                    hint="Leave out --resume to begin anew",
                ) from None
            size += len(line)
        return size

    def _write(self, record: dict[str, object]) -> None:
        self._stream.write(json.dumps(record).encode() + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())


def _lot(line: bytes) -> str | None:
    """The lot in the first line of a journal, if it has one: a name of files is made of it."""
    try:
        lot = json.loads(line)["lot"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return lot if isinstance(lot, str) and _LOT.fullmatch(lot) else None


def _mark(record: Any) -> Mark:  # noqa: ANN401 (whatever JSON holds)
    """Read a mark; anything else than one is a ValueError, TypeError or KeyError."""
    pairs = int(record["pairs"])
    drafts = tuple((int(size), str(digest)) for size, digest in record["drafts"])
    if pairs < 0 or any(size < 0 for size, _ in drafts):
        raise ValueError("a negative number")
    if not all(isinstance(one, str) and isinstance(why, str) for one, why in record["failed"]):
        raise ValueError("no ids and reasons")
    return Mark(pairs, drafts)
