"""What Stanza said before, kept in a file: a rerun needs neither Stanza nor torch.

An entry belongs to its input, to the bytes of the models and to the version of Stanza; whatever
changes one of them makes another entry. Several processes may share a file. A file that is
damaged is thrown away and made anew: nothing in it is more than time. A file without the mark of
a cache is somebody's, and stays as it is.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ists_asp.errors import ResourceError
from ists_asp.lifetime import Closing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


FILE = "annotations.sqlite3"
"""The file of a cache, in the cache's directory."""

MARK = 0x69737473
"""The application id of the file, by which SQLite has programs tell their files from others."""

_HEAD = b"SQLite format 3\0"
_MARKED_AT = 68
"""Where the head of a SQLite file has the application id, 4 bytes."""

_BESIDE = {
    "-wal": bytes.fromhex("377f06"),
    "-journal": bytes.fromhex("d9d505f920a163d7"),
}
"""What SQLite keeps beside its file, and how that begins; it removes whatever is called so."""

_WAIT = 10.0
"""Seconds to wait for another process that writes, which takes thousandths."""

_MANY = 500
"""Keys asked for at a time: SQLite takes only so many."""

_LARGEST = 1 << 20
"""Bytes of an entry at most; those of long texts have some ten thousand."""

_FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises; where a damaged file gives its message no letters, the second."""

_SCHEMA = [(b"table", b"entries")]
_COLUMNS = [b"key", b"models", b"value"]


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """``entries`` texts, ``size`` bytes; ``models`` counts the entries of each set of models."""

    path: Path
    entries: int
    size: int
    models: Mapping[str, int]


class Cache(Closing):
    """A file of annotations; use it as a context manager, or call :meth:`close`.

    Where another process does not let go of the file, or the disk is full, nothing is known and
    nothing is kept.

    Args:
        directory: where the file lies, made if it does not exist.

    Raises:
        ResourceError: no file can be made there.
    """

    def __init__(self, directory: Path) -> None:
        self.path = directory / FILE
        self._database: sqlite3.Connection | None = None
        self._hindrance = "another process holds the file"
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._database = self._open()
        except (OSError, *_FAULTS) as error:
            if _is_hindered(error):
                self._hindrance = str(error)
            elif not _is_held(error):
                raise self._unusable(error) from None

    def close(self) -> None:
        """Close the file; the cache cannot be used afterwards."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def get(self, models: str, inputs: Sequence[object]) -> list[Any]:
        """What is known of some inputs, None for each of which nothing is, or nothing readable.

        Args:
            models: what tells the models from all others.
            inputs: whatever JSON can write; equal inputs have equal entries.
        """
        if self._database is None:
            return [None] * len(inputs)
        keys = [_key(models, given) for given in inputs]
        found: dict[bytes, object] = {}
        wanted = list(set(keys))
        try:
            for start in range(0, len(wanted), _MANY):
                part = wanted[start : start + _MANY]
                marks = ",".join("?" * len(part))
                query = (
                    f"SELECT key, value FROM entries WHERE key IN ({marks})"
                    f" AND length(CAST(value AS BLOB)) <= {_LARGEST}"
                )
                found.update(self._database.execute(query, part))
        except _FAULTS as error:
            if self._is_damage(error):
                self._renew()
            return [None] * len(inputs)
        return [_parsed(found.get(key)) for key in keys]

    def put(self, models: str, entries: Iterable[tuple[object, object]]) -> None:
        """Keep what inputs gave; both are whatever JSON can write.

        A cache that is full, or that others hold for too long, forgets them.
        """
        rows = [
            (_key(models, given), models, json.dumps(value, ensure_ascii=False))
            for given, value in entries
        ]
        # Once more where the file turns out to be damaged.
        for _ in range(2):
            if self._database is None:
                return
            try:
                with self._database as database:
                    database.executemany("INSERT OR REPLACE INTO entries VALUES (?,?,?)", rows)
                return
            except _FAULTS as error:
                if not self._is_damage(error):
                    return
                self._renew()

    def info(self) -> CacheInfo:
        """How much there is; of a damaged file nothing, and it is made anew.

        Raises:
            ResourceError: another process holds the file, or the disk is full.
        """
        try:
            query = "SELECT CAST(models AS TEXT), count(*) FROM entries GROUP BY 1"
            rows = self._held().execute(query).fetchall()
            size = self.path.stat().st_size
        except (OSError, *_FAULTS) as error:
            if not self._is_damage(error):
                raise self._unusable(error) from None
            self._renew()
            return self.info()
        counts = {(name or b"").decode(errors="replace"): count for name, count in rows}
        return CacheInfo(self.path, sum(count for _, count in rows), size, counts)

    def clear(self) -> int:
        """Forget everything; return how many entries there were, 0 of a damaged file.

        Raises:
            ResourceError: another process holds the file, or the disk is full.
        """
        try:
            database = self._held()
            with database:
                gone = database.execute("DELETE FROM entries").rowcount
            database.execute("VACUUM")
        except _FAULTS as error:
            if not self._is_damage(error):
                raise self._unusable(error) from None
            self._renew()
            return 0
        return gone

    def _held(self) -> sqlite3.Connection:
        if self._database is None:
            raise sqlite3.OperationalError(self._hindrance)
        return self._database

    def _unusable(
        self, reason: object, expected: str = "a directory that can be written to", do: str = ""
    ) -> ResourceError:
        return ResourceError(
            f"the annotation cache cannot be used ({reason})",
            where=str(self.path),
            expected=expected,
            hint=f"{do}Choose another with --cache DIR, or go without: --cache none",
        )

    def _foreign(self, reason: str) -> ResourceError:
        return self._unusable(
            reason, "what a cache wrote", "Remove the file if only the cache used it. "
        )

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except _FAULTS as error:
            if not self._is_damage(error):
                raise
            self._discard()
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        mark = self._mark()
        self._check_beside()
        database = sqlite3.connect(self.path, timeout=_WAIT, check_same_thread=False)
        # What is no UTF-8 is a matter of one entry, and not of the file.
        database.text_factory = bytes
        try:
            if mark != MARK and _shape(database) not in (([], []), (_SCHEMA, _COLUMNS)):
                raise self._foreign("it is the database of another program")
            database.execute("PRAGMA journal_mode = WAL")
            # A power failure may cost entries, and never more than that.
            database.execute("PRAGMA synchronous = NORMAL")
            if mark != MARK:
                with database:
                    database.execute("BEGIN IMMEDIATE")
                    database.execute(
                        "CREATE TABLE IF NOT EXISTS entries"
                        " (key BLOB PRIMARY KEY, models TEXT NOT NULL, value TEXT NOT NULL)"
                        " WITHOUT ROWID"
                    )
                    database.execute(f"PRAGMA application_id = {MARK}")
                # The mark is to be in the head of the file, and not in the log beside it.
                database.execute("PRAGMA wal_checkpoint(PASSIVE)")
            if _shape(database) != (_SCHEMA, _COLUMNS):
                raise sqlite3.DatabaseError("not a cache of annotations")
        except (ResourceError, *_FAULTS):
            database.close()
            raise
        return database

    def _mark(self) -> int:
        """The mark in the head of the file: 0 in a new file, and in those of earlier versions."""
        if not self.path.is_file():
            return 0
        with self.path.open("rb") as stream:
            head = stream.read(_MARKED_AT + 4)
        mark = int.from_bytes(head[_MARKED_AT:])
        if head and not (head.startswith(_HEAD) and mark in (0, MARK)):
            raise self._foreign("it is the file of another program")
        return mark

    def _check_beside(self) -> None:
        """Refuse files that SQLite would take for its own, and remove."""
        for suffix, head in _BESIDE.items():
            path = self.path.with_name(FILE + suffix)
            try:
                with path.open("rb") as stream:
                    found = stream.read(len(head))
            except FileNotFoundError:
                continue
            # It begins with nothing where a process was interrupted.
            if found.strip(b"\0") and found[: len(head)] != head:
                raise self._foreign(f"{path.name} is the file of another program")

    def _renew(self) -> None:
        """Begin again with an empty file, or go on without one where that cannot be."""
        self.close()
        with suppress(OSError, ResourceError, *_FAULTS):
            self._discard()
            self._database = self._connect()

    def _is_damage(self, error: Exception) -> bool:
        """Whether the content of the file is to blame, rather than the system or a process."""
        if not isinstance(error, sqlite3.OperationalError):
            return isinstance(error, _FAULTS)
        # A byte in the file can say that it is not to be written to.
        readonly = _code(error) == sqlite3.SQLITE_READONLY and os.access(self.path, os.W_OK)
        return readonly or _code(error) == sqlite3.SQLITE_ERROR

    def _discard(self) -> None:
        if self._mark() != MARK and self.path.exists():
            raise self._foreign("it is damaged, or the file of another program")
        for path in cache_files(self.path.parent):
            path.unlink(missing_ok=True)


def cache_files(directory: Path) -> list[Path]:
    """The files of a cache, those included that it has while it is open."""
    return [directory / f"{FILE}{suffix}" for suffix in ("", "-shm", *_BESIDE)]


def _shape(database: sqlite3.Connection) -> tuple[list[tuple[bytes, bytes]], list[bytes]]:
    """What a database holds, and the columns of its entries, both at the same moment."""
    database.execute("BEGIN")
    try:
        schema = list(database.execute("SELECT type, name FROM sqlite_master"))
        return schema, [row[1] for row in database.execute("PRAGMA table_info(entries)")]
    finally:
        database.rollback()


def _is_held(error: Exception) -> bool:
    """Whether the file is right, and another process has it."""
    return _code(error) == sqlite3.SQLITE_BUSY


def _is_hindered(error: Exception) -> bool:
    """Whether the file may be right, and the disk is full or does not work."""
    return _code(error) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)


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
