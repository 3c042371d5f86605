"""The cache: one SQLite file in which all processes keep their results between runs.

An entry belongs to a key, the hash of everything that it follows from. Its value is JSON with a
checksum: a damaged value is no entry. Each kind of entry has bounds of its own, and the entries
that were not used for longest go first. Losing all of it costs nothing but time.

The file is never opened beside SQLite, as closing it would drop the locks that SQLite holds
(https://sqlite.org/howtocorrupt.html). A process has one connection to a file, shared by all its
stores, and closes it before it forks. A damaged file is renamed, under a lock of our own, so that
others neither open it meanwhile nor rename its successor. A database of another program stays.

:class:`SharedStore` is the same at an address of fsspec. A :class:`Memo` looks results up, has
those computed that are missing, and stores them.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import time
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from ists_asp._version import __version__
from ists_asp.errors import ResourceError
from ists_asp.io.files import file_system, place
from ists_asp.resources import Closing
from ists_asp.terminal import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

T = TypeVar("T")

FILE = "cache.sqlite3"
"""The file of a store, in the cache's directory."""

APPLICATION_ID = 0x69737473
"""The mark by which SQLite has programs tell their files from others."""

_VERSION = 1
"""The version of the schema; a file of another version is emptied."""

_SCHEMA = (
    "DROP TABLE IF EXISTS entries",
    "CREATE TABLE entries (key BLOB PRIMARY KEY, kind TEXT NOT NULL, used INTEGER NOT NULL,"
    " size INTEGER NOT NULL, value BLOB NOT NULL)",
    "CREATE INDEX by_use ON entries (kind, used, size)",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {_VERSION}",
)

ANNOTATIONS, READINGS, RESULTS, TRACES = "annotations", "readings", "results", "traces"
"""Kinds of entries: of sentences by Stanza, of pairs by a reader, of rules and pairs, of pairs."""

LIMITS = {
    ANNOTATIONS: (1_000_000, 1 << 30),
    READINGS: (1_000_000, 1 << 30),
    RESULTS: (10_000, 512 << 20),
    TRACES: (100_000, 1 << 30),
}
"""Entries and bytes of each kind. Facts and answers of 100 000 pairs take most of a half GB."""

OFTEN = 200
"""Entries that a process writes until it compares with the limits again."""

LARGEST = 128 << 20
"""Bytes of an entry that are read at most; a quarter of it is written at most."""

_LARGE = 1 << 19
"""Bytes from which a value is packed, which takes longer to read; traces are packed always."""

_WAIT = 10.0
"""Seconds to wait for another process that writes, which takes thousandths."""

_PATIENCE = 60.0
"""Seconds without the file after one wait was in vain."""

_DAY = 86400

_HINDRANCES = (
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL),
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
)
"""The file may be right, and another process has it, or the disk is full or does not work."""

_FAULTS = (OSError, sqlite3.Error, UnicodeDecodeError)
"""What can go wrong; the last where a damaged file gives SQLite's message no letters."""

_PACKAGE = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """The file of a store, its size in bytes, and for each kind its entries and their bytes."""

    path: Path
    size: int
    kinds: Mapping[str, tuple[int, int]]

    @property
    def entries(self) -> int:
        """The number of entries of all kinds."""
        return sum(entries for entries, _ in self.kinds.values())


_lock = threading.RLock()
"""Whoever uses a connection holds it."""

_connections: dict[Path, tuple[int, sqlite3.Connection]] = {}
"""Each open file, by its path, with its inode."""

_busy: dict[Path, float] = {}
"""When files that another process would not let go of are tried again."""


def _before_fork() -> None:
    _lock.acquire()
    for path in tuple(_connections):
        _disconnect(path)


# SQLite forbids to use, and even to close, a connection on the other side of a fork.
os.register_at_fork(
    before=_before_fork, after_in_parent=_lock.release, after_in_child=_lock.release
)


def _disconnect(path: Path) -> None:
    with _lock:
        if path in _connections:
            _connections.pop(path)[1].close()


class Store(Closing):
    """The entries of one kind, in the file of a cache's directory, which is made if needed.

    Where another process does not let go of the file, or the disk is full, nothing is known and
    nothing is kept.

    Raises:
        ResourceError: by any method, where the file cannot be used, or is another program's.
    """

    def __init__(self, directory: Path, kind: str = RESULTS) -> None:
        self.path = directory / FILE
        self.kind = kind
        self._written = 0

    def of(self, kind: str) -> Store:
        """The store of another kind, in the same file."""
        return Store(self.path.parent, kind)

    def close(self) -> None:
        """Close the file, which is opened again when a store of it is used."""
        _disconnect(self.path)

    def get(self, key: bytes) -> Any:  # noqa: ANN401 (JSON)
        """The value of a key, or None."""
        return self.get_many([key])[0]

    def put(self, key: bytes, value: object) -> None:
        """Keep a value, whatever JSON can write."""
        self.put_many([(key, value)])

    def get_many(self, keys: Sequence[bytes]) -> list[Any]:
        """The values of keys; None for each that has none, or none readable."""
        query = "SELECT used, value FROM entries WHERE key = ?"

        def read(database: sqlite3.Connection) -> list[tuple[int, bytes] | None]:
            with database:
                database.execute("BEGIN")
                return [database.execute(query, (key,)).fetchone() for key in keys]

        now = int(time.time())
        try:
            rows = self._do(read)
            if stale := [(now, key) for key, row in zip(keys, rows, strict=True) if _stale(row)]:
                update = "UPDATE entries SET used = ? WHERE key = ?"
                self._do(lambda database: _write(database, update, stale))
        except _FAULTS:
            return [None] * len(keys)
        return [
            None if row is None else _unpacked(key, row[1])
            for key, row in zip(keys, rows, strict=True)
        ]

    def put_many(self, entries: Iterable[tuple[bytes, object]]) -> None:
        """Keep values, whatever JSON can write; those that are too large are not kept."""
        large = 0 if self.kind == TRACES else _LARGE
        packed = [(key, _packed(key, value, large)) for key, value in entries]
        now = int(time.time())
        rows = [
            (key, self.kind, now, len(value), value)
            for key, value in packed
            if len(value) <= LARGEST // 4
        ]
        if not rows:
            return
        first = not self._written
        due = first or self._written % OFTEN + len(rows) >= OFTEN
        self._written += len(rows)
        with suppress(*_FAULTS):
            insert = "INSERT OR REPLACE INTO entries VALUES (?,?,?,?,?)"
            self._do(lambda database: _write(database, insert, rows))
            if due:
                self._do(self._bound)

    def _bound(self, database: sqlite3.Connection) -> None:
        """Remove what was not used for longest, where there is too much of this kind."""
        most, largest = LIMITS[self.kind]
        query = "SELECT count(*), total(size) FROM entries WHERE kind = ?"
        entries, size = database.execute(query, (self.kind,)).fetchone()
        if entries <= most and size <= largest:
            return
        old = (
            "SELECT id FROM (SELECT rowid AS id, row_number() OVER latest AS number,"
            " sum(size) OVER latest AS total FROM entries WHERE kind = ?"
            " WINDOW latest AS (ORDER BY used DESC, rowid DESC)) WHERE number > ? OR total > ?"
        )
        delete = f"DELETE FROM entries WHERE rowid IN ({old})"
        _write(database, delete, [(self.kind, most, largest)])

    def info(self) -> StoreInfo:
        """How much there is, of all kinds."""
        query = "SELECT kind, count(*), sum(size) FROM entries GROUP BY kind"
        try:
            rows = self._do(lambda database: database.execute(query).fetchall())
            paths = cache_files(self.path.parent)
            size = sum(path.stat().st_size for path in paths if path.exists())
        except _FAULTS as error:
            raise self._unusable(error) from None
        return StoreInfo(self.path, size, {kind: (number, size) for kind, number, size in rows})

    def clear(self) -> int:
        """Remove the file; return how many entries it had, 0 if it cannot be read.

        The next process makes another, and so do those that have it open.
        """
        entries = 0
        with _lock, suppress(sqlite3.Error):
            entries = self._do(
                lambda database: int(database.execute("SELECT count(*) FROM entries").fetchone()[0])
            )
        with _lock, _alone(self.path):
            self.close()
            # A full disk has no room for SQLite to remove anything.
            for path in (*cache_files(self.path.parent), *self._damaged_files()):
                path.unlink(missing_ok=True)
        return entries

    def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do some work, once more where another process has replaced a damaged file.

        If it still is damaged, it is renamed, and the work is done with a new one.
        """
        with _lock:
            try:
                return work(self._connection())
            except _FAULTS as error:
                if _code(error) == sqlite3.SQLITE_BUSY:
                    _busy[self.path] = time.monotonic() + _PATIENCE
                if not self._is_damage(error):
                    raise
            self.close()
            with _alone(self.path):
                try:
                    return work(self._connect())
                except _FAULTS as error:
                    if not self._is_damage(error):
                        raise
                    self.close()
                    self._set_aside(error)
                    return work(self._connect())

    def _connection(self) -> sqlite3.Connection:
        if time.monotonic() < _busy.get(self.path, 0.0):
            raise sqlite3.OperationalError("another process has locked the file")
        inode, database = _connections.get(self.path, (None, None))
        if database is not None:
            with suppress(FileNotFoundError):
                if self.path.stat().st_ino == inode:
                    return database
            # Another process has set it aside, or somebody has removed it.
            self.close()
        try:
            # What sentences people compare is for their eyes alone.
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with _alone(self.path):
                return self._connect()
        except _FAULTS as error:
            if _code(error) in _HINDRANCES or self._is_damage(error):
                raise
            raise self._unusable(error) from None

    def _connect(self) -> sqlite3.Connection:
        with suppress(OSError):
            # SQLite gives the files beside it the same mode.
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL, 0o600))
        database = sqlite3.connect(
            self.path, timeout=_WAIT, isolation_level=None, check_same_thread=False
        )
        try:
            database.text_factory = lambda text: text.decode(errors="replace")
            pragmas = ("application_id", "user_version")
            owner, version = (database.execute(f"PRAGMA {one}").fetchone()[0] for one in pragmas)
            if owner != APPLICATION_ID and (
                owner or database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            ):
                raise self._unusable(
                    f"{FILE} is the file of another program",
                    "what a cache wrote",
                    "Remove the file if only the cache used it. ",
                )
            for path in cache_files(self.path.parent):
                with suppress(FileNotFoundError):
                    path.chmod(0o600)
            if (owner, version) != (APPLICATION_ID, _VERSION):
                database.execute("PRAGMA journal_mode = WAL")
                with database:
                    database.execute("BEGIN IMMEDIATE")
                    for statement in _SCHEMA:
                        database.execute(statement)
            # A power failure may cost entries, and never more than that.
            database.execute("PRAGMA synchronous = NORMAL")
            _connections[self.path] = self.path.stat().st_ino, database
        except BaseException:
            database.close()
            raise
        return database

    def _is_damage(self, error: Exception) -> bool:
        """Whether the content of the file is to blame, rather than the system or a process."""
        if not isinstance(error, sqlite3.OperationalError):
            return not isinstance(error, OSError)
        # A byte in the file can say that it is not to be written to.
        readonly = _code(error) == sqlite3.SQLITE_READONLY and os.access(self.path, os.W_OK)
        return readonly or _code(error) == sqlite3.SQLITE_ERROR

    def _set_aside(self, reason: Exception) -> None:
        for path in self._damaged_files():
            path.unlink(missing_ok=True)
        name = f"{FILE}.damaged-{time.strftime('%Y%m%d-%H%M%S')}"
        for path in cache_files(self.path.parent):
            with suppress(FileNotFoundError):
                path.rename(path.with_name(path.name.replace(FILE, name)))
        # Few runs need it.
        import logging

        logging.getLogger("ists_asp").warning(
            "warning: %s",
            one_line(
                f"{self.path}: the cache was damaged ({reason}), and a new one is begun. "
                f"The damaged file is {self.path.with_name(name)}"
            ),
        )

    def _damaged_files(self) -> list[Path]:
        return [*self.path.parent.glob(f"{FILE}.damaged-*")]

    def _unusable(
        self, reason: object, expected: str = "a directory that can be written to", do: str = ""
    ) -> ResourceError:
        return ResourceError(
            f"the cache cannot be used ({reason})",
            where=str(self.path),
            expected=expected,
            hint=f"{do}Choose another with --cache DIR, or go without: --cache none",
        )


def cache_files(directory: Path) -> list[Path]:
    """The files of a store, those included that it has while it is open."""
    return [directory / f"{FILE}{suffix}" for suffix in ("", "-wal", "-shm", "-journal")]


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the lock under which a file is opened, renamed and removed."""
    try:
        handle = os.open(path.with_name(f"{FILE}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        # Nothing can be renamed there.
        yield
        return
    try:
        # Some file systems have no locks.
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


_json = msgspec.json.Encoder(enc_hook=str.__str__).encode
"""Subclasses of str are texts as well."""


def _write(database: sqlite3.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    with database:
        database.execute("BEGIN IMMEDIATE")
        database.executemany(statement, rows)


def _code(error: Exception) -> int:
    """The primary code of an error of SQLite; 0 for others."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _stale(row: tuple[int, bytes] | None) -> bool:
    return row is not None and time.time() - row[0] > _DAY


def _packed(key: bytes, value: object, large: int = _LARGE) -> bytes:
    """A value as it is stored: its checksum, and whether it is packed."""
    body, mark = _json(value), b"j"
    if len(body) > large:
        body, mark = zlib.compress(body, 1 if large else 6), b"z"
    return _checksum(key, mark + body) + mark + body


def _unpacked(key: bytes, value: object) -> Any:  # noqa: ANN401 (JSON)
    """What was stored; None if it is damaged."""
    if not isinstance(value, bytes) or value[:8] != _checksum(key, value[8:]):
        return None
    body = value[9:]
    try:
        if value[8:9] == b"z":
            unpacking = zlib.decompressobj()
            body = unpacking.decompress(body, LARGEST)
            if not unpacking.eof:
                return None
        return msgspec.json.decode(body)
    except (ValueError, RecursionError, zlib.error):
        return None


def _checksum(key: bytes, content: bytes) -> bytes:
    return blake2b(content, digest_size=8, key=key).digest()


class SharedStore(Closing):
    """The same at an address of fsspec, for workers of several machines: a file for each entry.

    It is called by its key, is written beside its place and renamed, and so may be written by
    several at once: they write the same. It has no bounds.
    """

    def __init__(self, address: str) -> None:
        self._root = address.rstrip("/")
        self._system, self._path = file_system(self._root)

    def of(self, _kind: str) -> SharedStore:
        """As :meth:`Store.of`."""
        return self

    def close(self) -> None:
        """Nothing is open."""

    def get_many(self, keys: Sequence[bytes]) -> list[Any]:
        """As :meth:`Store.get_many`."""
        paths = {key: f"{self._path}/{key.hex()[:2]}/{key.hex()}" for key in keys}
        files = self._system.cat(sorted(paths.values()), on_error="omit") if paths else {}
        values = {path[-32:]: value for path, value in files.items()}
        return [_unpacked(key, values.get(key.hex())) for key in keys]

    def put_many(self, entries: Iterable[tuple[bytes, object]]) -> None:
        """As :meth:`Store.put_many`."""
        for key, value in entries:
            with suppress(OSError):
                place(f"{self._root}/{key.hex()[:2]}", key.hex(), _packed(key, value))


def key_of(*parts: object) -> bytes:
    """The key of an entry that follows from these texts and values."""
    state = blake2b(digest_size=16)
    for part in parts:
        if isinstance(part, str):
            kind, content = b"text", part.encode(errors="surrogatepass")
        else:
            kind, content = b"JSON", _json(part)
        state.update(b"%s %d " % (kind, len(content)))
        state.update(content)
    return state.digest()


@cache
def made_by() -> str:
    """What tells the code that works something out from all other versions of it.

    In a checkout the files of the package change without its version.
    """
    import clingo

    digest = blake2b(f"{__version__} {clingo.__version__}".encode(), digest_size=16)
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
    ) -> Any:  # noqa: ANN401 (JSON)
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

    def key(self, what: str, options: object) -> bytes:
        """The key of something that depends on ``options``; empty without a store."""
        return b"" if self.store is None else key_of(what, made_by(), self.digest, options)

    def key_of(self, what: str, parts: Sequence[str]) -> bytes:
        """The key of something that depends on nothing but some texts; empty without a store."""
        return b"" if self.store is None else key_of(what, made_by(), *parts)

    def get(self, key: bytes) -> Any:  # noqa: ANN401 (JSON)
        """The value of a key; None if there is none."""
        return None if self.store is None else self.store.get(key)

    def put(self, key: bytes, value: object) -> None:
        """Keep a value."""
        if self.store is not None:
            self.store.put(key, value)
