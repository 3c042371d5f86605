"""The cache: one SQLite file in which all processes store their results between runs.

A key is the hash of everything that its entry depends on; a value is JSON with a checksum. Each
kind of entry is bounded, least recently used first. Losing the file costs only time.

The file is never opened except by SQLite, as closing it would drop SQLite's locks
(https://sqlite.org/howtocorrupt.html). A process has one connection and closes it before a fork. A
damaged file is renamed under our own lock. Another program's database is left alone.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

import msgspec

from ists_asp._version import __version__
from ists_asp.errors import ResourceError
from ists_asp.io.files import file_system, place
from ists_asp.resources import Closing
from ists_asp.terminal import one_line

S = TypeVar("S")
T = TypeVar("T")

FILE = "cache.sqlite3"  # in the cache's directory
_DAMAGED = f"{FILE}.damaged-*"
APPLICATION_ID = 0x69737473  # the mark by which SQLite has programs tell their files from others
_VERSION = 1  # of the schema; a file of another version is emptied
_SCHEMA = (
    "DROP TABLE IF EXISTS entries",
    "CREATE TABLE entries (key BLOB PRIMARY KEY, kind TEXT NOT NULL, used INTEGER NOT NULL,"
    " size INTEGER NOT NULL, value BLOB NOT NULL)",
    "CREATE INDEX by_use ON entries (kind, used, size)",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {_VERSION}",
)

RULES, ANNOTATIONS, READINGS = "rules", "annotations", "readings"
FACTS, ANSWERS, EXPLANATIONS, TRACES = "facts", "answers", "explanations", "traces"

LIMITS = {
    **{RULES: 256 << 20, ANNOTATIONS: 512 << 20, READINGS: 512 << 20, FACTS: 512 << 20},
    **{ANSWERS: 256 << 20, EXPLANATIONS: 256 << 20, TRACES: 1 << 30},
}
"""Bytes of each kind: enough for 100 000 pairs, or 25 000 traces."""

MOST = 1_000_000  # entries of each kind
OFTEN = 2000  # entries that a store writes until it compares with the limits again
_LARGEST = 32 << 20  # bytes of a value
_LARGE = 1 << 15  # bytes from which a value is compressed
_DAY = 86400  # seconds after which a use is noted again
_WAIT = 10.0  # seconds to wait for another process that writes, which takes thousandths
_PAUSE = 60.0  # seconds without the file after a wait was in vain
# The last is for a damaged file that gives SQLite's message no letters.
_FAULTS = (OSError, sqlite3.Error, UnicodeDecodeError)
# The file may be right: another process has it, or the disk is full or does not work.
_HINDRANCES = (
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL),
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
)

_lock = threading.RLock()  # held while a connection is used
_connections: dict[Path, tuple[int, sqlite3.Connection]] = {}  # open files, with their inodes
_paused: dict[Path, float] = {}  # when files that another process holds are tried again


def _close_all() -> None:
    _lock.acquire()
    while _connections:
        _connections.popitem()[1][1].close()


# SQLite forbids to use, and even to close, a connection on the other side of a fork.
os.register_at_fork(before=_close_all, after_in_parent=_lock.release, after_in_child=_lock.release)


class Store(Closing):
    """The entries of one kind, in the file of a cache's directory, which is made if needed.

    Without access to the file or space, nothing is found or stored; if it is no cache, methods
    raise a ResourceError.
    """

    def __init__(self, directory: Path, kind: str = RULES) -> None:
        self.path = directory / FILE
        self.kind = kind
        self._written = self._size = 0

    def of(self, kind: str) -> Store:
        """The store of another kind, in the same file."""
        return Store(self.path.parent, kind)

    def close(self) -> None:
        """Close the file, which is opened again when a store of it is used."""
        with _lock:
            if self.path in _connections:
                _connections.pop(self.path)[1].close()

    def get_many(self, keys: Sequence[bytes]) -> list[Any]:
        """The values of keys; None for each that has none, or a damaged one."""
        now = int(time.time())
        query = "SELECT used, value FROM entries WHERE key = ?"
        update = "UPDATE entries SET used = ? WHERE key = ?"

        def read(database: sqlite3.Connection) -> list[Any]:
            with database:
                database.execute("BEGIN")
                rows = [database.execute(query, (key,)).fetchone() for key in keys]
            used = [(now, key) for key, row in zip(keys, rows, strict=True) if row]
            if any(row and now - row[0] > _DAY for row in rows):
                _write(database, update, used)
            return [row and row[1] for row in rows]

        try:
            values = self._do(read)
        except _FAULTS:
            return [None] * len(keys)
        return [_decoded(key, value) for key, value in zip(keys, values, strict=True)]

    def put_many(self, entries: Iterable[tuple[bytes, object]]) -> None:
        """Store values, whatever JSON can write, unless there is no room for them."""
        now = int(time.time())
        encoded = [(key, _encoded(key, value)) for key, value in entries]
        rows = [(key, self.kind, now, len(value), value) for key, value in encoded]
        rows = [row for row in rows if row[3] <= _LARGEST]
        # More would push out what has been written before.
        if not rows or self._size > LIMITS[self.kind]:
            return
        due = not self._written or self._written % OFTEN + len(rows) >= OFTEN
        self._written += len(rows)
        self._size += sum(row[3] for row in rows)

        def write(database: sqlite3.Connection) -> None:
            _write(database, "INSERT OR REPLACE INTO entries VALUES (?,?,?,?,?)", rows)
            if due:
                self._bound(database)

        with suppress(*_FAULTS):
            self._do(write)

    def _bound(self, database: sqlite3.Connection) -> None:
        """Remove what was not used for longest, where there is too much of this kind."""
        query = "SELECT count(*), total(size) FROM entries WHERE kind = ?"
        entries, size = database.execute(query, (self.kind,)).fetchone()
        if entries > MOST or size > LIMITS[self.kind]:
            old = (
                "DELETE FROM entries WHERE rowid IN (SELECT id FROM (SELECT rowid AS id,"
                " row_number() OVER latest AS number, sum(size) OVER latest AS total"
                " FROM entries WHERE kind = ? WINDOW latest AS (ORDER BY used DESC, rowid DESC))"
                " WHERE number > ? OR total > ?)"
            )
            _write(database, old, [(self.kind, MOST, LIMITS[self.kind])])

    def info(self) -> dict[str, tuple[int, int]]:
        """The number of entries of each kind, and their bytes."""
        query = "SELECT kind, count(*), sum(size) FROM entries GROUP BY kind"
        try:
            rows = self._do(lambda database: database.execute(query).fetchall())
        except _FAULTS as error:
            raise self._unusable(error) from None
        return {kind: (entries, size) for kind, entries, size in rows}

    @property
    def size(self) -> int:
        """The bytes of the file, and of those beside it."""
        return sum(path.stat().st_size for path in cache_files(self.path.parent) if path.exists())

    def clear(self) -> int:
        """Remove the file, of which processes may make another; return how many entries it had."""
        query = "SELECT count(*) FROM entries"
        entries = 0
        with _lock, suppress(*_FAULTS):
            entries = self._do(lambda database: int(database.execute(query).fetchone()[0]))
        with _lock, _alone(self.path):
            self.close()
            # A full disk has no room for SQLite to remove anything.
            for path in (*cache_files(self.path.parent), *self.path.parent.glob(_DAMAGED)):
                path.unlink(missing_ok=True)
        return entries

    def _do(self, operation: Callable[[sqlite3.Connection], T]) -> T:
        """Do some work, again if the file was replaced, or with a new file if it is damaged."""
        with _lock:
            try:
                return operation(self._connection())
            except _FAULTS as error:
                if _code(error) == sqlite3.SQLITE_BUSY:
                    _paused[self.path] = time.monotonic() + _PAUSE
                if not self._is_damage(error):
                    raise
            self.close()
            with _alone(self.path):
                try:
                    return operation(self._connect())
                except _FAULTS as error:
                    if not self._is_damage(error):
                        raise
                    self.close()
                    self._set_aside(error)
                    return operation(self._connect())

    def _connection(self) -> sqlite3.Connection:
        if time.monotonic() < _paused.get(self.path, 0.0):
            raise sqlite3.OperationalError("another process has locked the file")
        inode, database = _connections.get(self.path, (0, None))
        with suppress(FileNotFoundError):
            if database is not None and self.path.stat().st_ino == inode:
                return database
        # Somebody may have removed it, or another process has renamed it.
        self.close()
        try:
            # The sentences that people compare are private.
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
        database.text_factory = lambda text: text.decode(errors="replace")

        def ask(query: str) -> Any:  # noqa: ANN401 (a value of SQLite)
            return database.execute(query).fetchone()[0]

        try:
            owner, version = ask("PRAGMA application_id"), ask("PRAGMA user_version")
            if owner != APPLICATION_ID and (owner or ask("SELECT count(*) FROM sqlite_master")):
                do = "Remove the file if only the cache used it. "
                reason = f"{FILE} is the file of another program"
                raise self._unusable(reason, "what a cache wrote", do)
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
        # Few runs need it.
        import logging

        for path in list(self.path.parent.glob(_DAMAGED)):
            path.unlink(missing_ok=True)
        damaged = f"{FILE}.damaged-{time.strftime('%Y%m%d-%H%M%S')}"
        for path in cache_files(self.path.parent):
            with suppress(FileNotFoundError):
                path.rename(path.with_name(path.name.replace(FILE, damaged)))
        message = f"{self.path}: the cache was damaged ({reason}), and a new one is begun. "
        message += f"The damaged file is {self.path.with_name(damaged)}"
        logging.getLogger("ists_asp").warning("warning: %s", one_line(message))

    def _unusable(
        self, reason: object, expected: str = "a directory that can be written to", do: str = ""
    ) -> ResourceError:
        found = f"the cache cannot be used ({reason})"
        hint = f"{do}Choose another with --cache DIR, or go without: --cache none"
        return ResourceError(found, where=str(self.path), expected=expected, hint=hint)


def cache_files(directory: Path) -> list[Path]:
    """The files of a store, those included that it has while it is open."""
    return [directory / f"{FILE}{suffix}" for suffix in ("", "-wal", "-shm", "-journal")]


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the lock under which a file is opened, renamed and removed, where there are locks."""
    handle = None
    try:
        with suppress(OSError):
            handle = os.open(path.with_name(f"{FILE}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _write(database: sqlite3.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    with database:
        database.execute("BEGIN IMMEDIATE")
        database.executemany(statement, rows)


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


_json = msgspec.json.Encoder(enc_hook=str.__str__).encode
"""JSON; subclasses of str are texts as well."""


def _encoded(key: bytes, value: object) -> bytes:
    """The stored form of a value: checksum, whether it is compressed, JSON."""
    content = _json(value)
    content = b"z" + zlib.compress(content, 1) if len(content) > _LARGE else b"j" + content
    return _checksum(key, content) + content


def _decoded(key: bytes, stored: object) -> Any:  # noqa: ANN401 (JSON)
    """The value that was stored; None if it is damaged."""
    if not isinstance(stored, bytes) or stored[:4] != _checksum(key, stored[4:]):
        return None
    body = stored[5:]
    return msgspec.json.decode(zlib.decompress(body) if stored[4:5] == b"z" else body)


def _checksum(key: bytes, content: bytes) -> bytes:
    return zlib.crc32(content, zlib.crc32(key)).to_bytes(4)


class SharedStore(Closing):
    """A store at an fsspec URL, for several machines: a file per entry, written atomically."""

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
        paths = sorted({f"{self._path}/{key.hex()[:2]}/{key.hex()}" for key in keys})
        files = self._system.cat(paths, on_error="omit") if paths else {}
        stored = {path.rpartition("/")[2]: value for path, value in files.items()}
        return [_decoded(key, stored.get(key.hex())) for key in keys]

    def put_many(self, entries: Iterable[tuple[bytes, object]]) -> None:
        """As :meth:`Store.put_many`."""
        for key, value in entries:
            with suppress(OSError):
                place(f"{self._root}/{key.hex()[:2]}", key.hex(), _encoded(key, value))


def key_of(*parts: object) -> bytes:
    """The key of what follows from these texts, and values that JSON can write."""
    state = blake2b(digest_size=16)
    for part in parts:
        text = isinstance(part, str)
        content = cast("str", part).encode(errors="surrogatepass") if text else _json(part)
        state.update(b"%d %d " % (text, len(content)))
        state.update(content)
    return state.digest()


@cache
def made_by() -> str:
    """The version of the code that computes something."""
    # In a checkout the files of the package change without its version.
    import clingo

    state = blake2b(f"{__version__} {clingo.__version__}".encode(), digest_size=16)
    for folder, _, files in sorted(os.walk(Path(__file__).parents[1])):
        for name in sorted(files):
            if name.endswith(".py"):
                path = f"{folder}/{name}"
                status = os.stat(path)  # noqa: PTH116 (as fast as can be)
                state.update(os.fsencode(f"{path} {status.st_size} {status.st_mtime_ns}\n"))
    return state.hexdigest()


AnyStore: TypeAlias = Store | SharedStore


@dataclass(frozen=True, slots=True)
class Memo:
    """The cached results of stages."""

    store: AnyStore | None = None
    digest: str = ""  # of a rule set, or of what else the results follow from
    family: str = ""  # what a rule set has in common with an edit of it

    def of(self, kind: str) -> Memo:
        """The memo of another kind of entries."""
        return replace(self, store=self.store and self.store.of(kind))

    def key(self, kind: str, *parts: object) -> bytes:
        """The key of a result that follows from the digest, the code, and these parts."""
        return key_of(kind, made_by(), self.digest, *parts)

    def over(
        self,
        items: Sequence[S],
        key: Callable[[S], bytes],
        compute: Callable[[list[S]], Iterable[T]],
        encode: Callable[[S, T], object],
        decode: Callable[[S, Any], T | None],
    ) -> Iterator[T]:
        """The results of a stage for a batch, lazily and in their order.

        All are looked up at once. One call of ``compute`` gives the missing ones, in their order;
        they are stored within a second, also if an error ends the batch. ``encode`` gives a result
        as JSON, None if it is not to be stored; ``decode`` the reverse, None if it does not fit.
        """
        if self.store is None or not items:
            return iter(compute(list(items)) if items else ())
        keys = [key(item) for item in items]
        values = zip(items, self.store.get_many(keys), strict=True)
        cached = [None if value is None else decode(item, value) for item, value in values]
        missing = [item for item, result in zip(items, cached, strict=True) if result is None]
        if not missing:
            return cast("Iterator[T]", iter(cached))
        return self._computed(zip(keys, items, cached, strict=True), iter(compute(missing)), encode)

    def _computed(
        self,
        places: Iterable[tuple[bytes, S, T | None]],
        results: Iterator[T],
        encode: Callable[[S, T], object],
    ) -> Iterator[T]:
        assert self.store is not None
        fresh: list[tuple[bytes, object]] = []
        due = time.monotonic() + 1
        try:
            for key, item, result in places:
                if result is None:
                    result = next(results)
                    if (value := encode(item, result)) is not None:
                        fresh.append((key, value))
                    if fresh and time.monotonic() > due:
                        self.store.put_many(fresh)
                        fresh, due = [], time.monotonic() + 1
                yield result
        finally:
            self.store.put_many(fresh)

    def recall(
        self,
        kind: str,
        options: object,
        compute: Callable[[], Any],
        final: Callable[[], bool] = lambda: True,
    ) -> Any:  # noqa: ANN401 (JSON)
        """A single result that follows from ``options`` as well; None is not stored."""
        # Whether it is ``sure`` is asked afterwards: clingo's warnings would be given no more.
        key = self.key(kind, options) if self.store else b""
        value = self.get(key)
        if value is None:
            value = compute()
            if value is not None and final():
                self.put(key, value)
        return value

    def get(self, key: bytes) -> Any:  # noqa: ANN401 (JSON)
        """The value of a key; None if there is none."""
        return None if self.store is None else self.store.get_many([key])[0]

    def put(self, key: bytes, value: object) -> None:
        """Store a value."""
        if self.store is not None:
            self.store.put_many([(key, value)])
