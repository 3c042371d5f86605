"""What Stanza said before, kept in a file: a rerun needs neither Stanza nor torch.

An entry belongs to its input, to the bytes of the models and to the version of Stanza; whatever
changes one of them makes another entry. Several processes may share a file. A file that is
damaged is thrown away and made anew: nothing in it is more than time. A file without the mark of
a cache is somebody's, and stays as it is. Sentences are many and small, a few hundred thousand of
some hundred bytes: in a file each, as :mod:`ists_asp.io.store` keeps things, they would take four
times as long to read, and twenty times as long to write.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ists_asp.errors import ResourceError
from ists_asp.io.files import file_system, place
from ists_asp.io.store import StoreInfo, make_private, opened
from ists_asp.resources import Closing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

T = TypeVar("T")

FILE = "annotations.sqlite3"
"""The file of a cache, in the cache's directory."""

MARK = 0x69737473
"""The application id of the file, by which SQLite has programs tell their files from others."""

_HEAD = b"SQLite format 3\0"
_MARKED_AT = 68
"""Where the head of a SQLite file has the application id, 4 bytes."""

_BESIDE = {
    "-shm": (3007000).to_bytes(4, sys.byteorder),
    "-wal": bytes.fromhex("377f06"),
    "-journal": bytes.fromhex("d9d505f920a163d7"),
}
"""What SQLite keeps beside its file, and how that begins; it removes whatever is called so."""

_WAIT = 10.0
"""Seconds to wait for another process that writes, which takes thousandths."""

_LARGEST = 1 << 20
"""Bytes of an entry at most; those of long texts have some ten thousand."""

_FAULTS = (OSError, sqlite3.Error, UnicodeDecodeError)
"""What can go wrong; the last where a damaged file gives SQLite's message no letters."""

_HINDRANCES = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
"""The file may be right, and another process has it, or the disk is full or does not work."""

_SCHEMA = (
    "CREATE TABLE entries"
    " (key BLOB PRIMARY KEY, models TEXT NOT NULL, value TEXT NOT NULL) WITHOUT ROWID"
)


class Cache(Closing):
    """A file of annotations; use it as a context manager, or call :meth:`close`.

    Where another process does not let go of the file, or the disk is full, nothing is known and
    nothing is kept. Its directory is made if it does not exist.
    """

    def __init__(self, directory: Path) -> None:
        self.path = directory / FILE
        self._database: sqlite3.Connection | None = None
        self._hindrance: Exception | None = None
        try:
            make_private(directory)
            self._do(lambda _: None)
        except _FAULTS as error:
            if _code(error) not in _HINDRANCES:
                raise self._unusable(error) from None
            self._hindrance = error

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def get(self, models: str, inputs: Sequence[object]) -> list[Any]:
        """What is known of some inputs, None for each of which nothing is, or nothing readable.

        ``models`` tells them from all others. Equal inputs have equal entries.
        """
        query = (
            f"SELECT value FROM entries WHERE key = ? AND length(CAST(value AS BLOB)) <= {_LARGEST}"
        )
        keys = [_key(models, given) for given in inputs]
        try:
            found = self._do(
                lambda database: [database.execute(query, (key,)).fetchone() for key in keys]
            )
        except (ResourceError, *_FAULTS):
            return [None] * len(keys)
        return [None if row is None else _parsed(row[0]) for row in found]

    def put(self, models: str, entries: Iterable[tuple[object, object]]) -> None:
        """Keep what inputs gave; both are whatever JSON can write.

        A cache that is full, or that others hold for too long, forgets them.
        """
        rows = [
            (_key(models, given), models, json.dumps(value, ensure_ascii=False))
            for given, value in entries
        ]

        def work(database: sqlite3.Connection) -> None:
            with database:
                database.executemany("INSERT OR REPLACE INTO entries VALUES (?,?,?)", rows)

        with suppress(ResourceError, *_FAULTS):
            self._do(work)

    def info(self) -> StoreInfo:
        """How much there is; of a damaged file nothing, and it is made anew."""
        query = "SELECT CAST(models AS TEXT), count(*) FROM entries GROUP BY 1"
        try:
            rows = self._do(lambda database: database.execute(query).fetchall())
            size = self.path.stat().st_size
        except _FAULTS as error:
            raise self._unusable(error) from None
        counts = {(name or b"").decode(errors="replace"): count for name, count in rows}
        return StoreInfo(self.path, sum(counts.values()), size, counts)

    def clear(self) -> int:
        """Forget everything; return how many entries there were, 0 of a damaged file."""
        gone = self.info().entries
        self._remove()
        return gone

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What comes of some work, done once more with a new file where this one is damaged."""
        if self._hindrance is not None:
            raise self._hindrance
        try:
            return work(self._opened())
        except _FAULTS as error:
            if not self._is_damage(error):
                raise
        self._remove()
        return work(self._opened())

    def _remove(self) -> None:
        self.close()
        self._check_ours()
        for path in cache_files(self.path.parent):
            path.unlink(missing_ok=True)

    def _opened(self) -> sqlite3.Connection:
        if self._database is None:
            self._check_ours()
            self._database = self._connect()
        return self._database

    def _connect(self) -> sqlite3.Connection:
        with suppress(OSError):
            # Texts of others lie in it; SQLite gives the files beside it the same mode.
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL, 0o600))
        with suppress(OSError):
            self.path.chmod(0o600)
        database = sqlite3.connect(self.path, timeout=_WAIT, check_same_thread=False)
        # What is no UTF-8 is a matter of one entry, and not of the file.
        database.text_factory = bytes
        read_schema = "SELECT sql FROM sqlite_master"
        try:
            if not database.execute(read_schema).fetchall():
                # The mark goes to the head of the file, and not to the log beside it.
                with database:
                    database.execute("BEGIN IMMEDIATE")
                    if not database.execute(read_schema).fetchall():
                        database.execute(_SCHEMA)
                        database.execute(f"PRAGMA application_id = {MARK}")
            database.execute("PRAGMA journal_mode = WAL")
            # A power failure may cost entries, and never more than that.
            database.execute("PRAGMA synchronous = NORMAL")
            if database.execute(read_schema).fetchall() != [(_SCHEMA.encode(),)]:
                raise sqlite3.DatabaseError("not a cache of annotations")
        except _FAULTS:
            database.close()
            raise
        return database

    def _check_ours(self) -> None:
        """Refuse files that SQLite would take for its own, and write to or remove."""
        for path in cache_files(self.path.parent):
            # Another process may have removed what is beside the file.
            with suppress(FileNotFoundError), opened(path) as stream:
                plain = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
                head = stream.read(_MARKED_AT + 4) if plain else b"no file"
                if path == self.path:
                    ours = head.startswith(_HEAD) and head.endswith(MARK.to_bytes(4))
                else:
                    # It begins with nothing where a process was interrupted.
                    ours = head.startswith((_BESIDE[path.name.removeprefix(FILE)], bytes(8)))
                if head and not ours:
                    raise self._unusable(
                        f"{path.name} is the file of another program",
                        "what a cache wrote",
                        "Remove the file if only the cache used it. ",
                    )

    def _is_damage(self, error: Exception) -> bool:
        """Whether the content of the file is to blame, rather than the system or a process."""
        if not isinstance(error, sqlite3.OperationalError):
            return not isinstance(error, OSError)
        # A byte in the file can say that it is not to be written to.
        readonly = _code(error) == sqlite3.SQLITE_READONLY and os.access(self.path, os.W_OK)
        return readonly or _code(error) == sqlite3.SQLITE_ERROR

    def _unusable(
        self, reason: object, expected: str = "a directory that can be written to", do: str = ""
    ) -> ResourceError:
        return ResourceError(
            f"the annotation cache cannot be used ({reason})",
            where=str(self.path),
            expected=expected,
            hint=f"{do}Choose another with --cache DIR, or go without: --cache none",
        )


def cache_files(directory: Path) -> list[Path]:
    """The files of a cache, those included that it has while it is open."""
    return [directory / f"{FILE}{suffix}" for suffix in ("", *_BESIDE)]


def _code(error: Exception) -> int:
    """The primary code of an error of SQLite; 0 for others."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _parsed(text: object) -> Any:  # noqa: ANN401 (whatever JSON can write)
    """What an entry says; None if it is damaged."""
    if not isinstance(text, bytes):
        return None
    try:
        return json.loads(text.decode())
    except (ValueError, RecursionError):
        return None


def _key(models: str, given: object) -> bytes:
    text = json.dumps([models, given], ensure_ascii=True)
    return hashlib.sha256(text.encode()).digest()


class SharedCache(Closing):
    """The same at an address of fsspec, for workers of several machines: a file for each entry.

    It is called by the hash of what it was made of, is written beside its place and renamed, and
    so may be written by several at once: they write the same. It does not forget.
    """

    def __init__(self, address: str) -> None:
        self._root = address.rstrip("/")
        self._system, self._path = file_system(self._root)

    def close(self) -> None:
        """Nothing is open."""

    def get(self, models: str, inputs: Sequence[object]) -> list[Any]:
        """As :meth:`Cache.get`."""
        names = [_key(models, given).hex() for given in inputs]
        places = sorted({f"{self._path}/{name[:2]}/{name}" for name in names})
        found = self._system.cat(places, on_error="omit") if places else {}
        known = {place[-64:]: text for place, text in found.items() if len(text) <= _LARGEST}
        return [_parsed(known.get(name)) for name in names]

    def put(self, models: str, entries: Iterable[tuple[object, object]]) -> None:
        """As :meth:`Cache.put`."""
        for given, value in entries:
            name, text = _key(models, given).hex(), json.dumps(value, ensure_ascii=False)
            with suppress(OSError):
                place(f"{self._root}/{name[:2]}", name, text.encode())
