"""A project folder, which a stranger may have sent: the only door to the files in it.

No part of a name may be a link, and nothing is opened but plain files of a bounded size. Names of
listings, logs and requests are checked. Writing is all or nothing, and on disk when it returns.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, TypeVar

import msgspec

from ists_asp.errors import DataError, IstsError, UsageError, shortened
from ists_asp.io.files import PREFIX
from ists_asp.io.text import Warn, ignore
from ists_asp.resources import gc_paused

LARGEST = 64 << 20  # bytes of a file
LONGEST = 300  # characters of a name
MOST = 10_000  # files below a folder

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_KINDS = {stat.S_IFLNK: "a link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe"}
_FAULTS = {errno.ENOENT: "there is no such file", errno.ENOTDIR: "this is not a folder"}
_FAULTS[errno.ELOOP] = "this is a link"

T = TypeVar("T")

Stamp: TypeAlias = tuple[str, int, int]  # a file, when it was changed, its size


class MissingError(DataError):
    """There is no such file, or no folder that it could be in."""


class ReadOnlyError(UsageError):
    """Something was to be changed where nothing may be."""


def check_name(name: str) -> str:
    """The name of a file below a folder, which no part of it leaves or hides; or a UsageError."""
    parts = name.split("/")
    if (
        not name.isprintable()
        or any(not part or part.startswith(".") or len(part.encode()) > 255 for part in parts)
        or len(name) > LONGEST
    ):
        expected = f"at most {LONGEST} printable characters; no part is empty or begins with ."
        raise UsageError(f"{shortened(name)!r} is not a name for a file", expected=expected)
    return name


class Folder:
    """The files of a folder, by their names from there; ``warn`` gets what is told once."""

    def __init__(self, root: Path, warn: Warn = ignore, *, writable: bool = True) -> None:
        self.root, self.writable = root, writable
        self._warn, self._warned = warn, set[str]()
        self._lock, self._reading = threading.RLock(), threading.Lock()
        self._records: tuple[list[Stamp], list[Any]] = [], []
        self._lock_handle: int | None = None

    def check_writable(self) -> None:
        """Refuse changes, by a ReadOnlyError, where the server was begun with ``--read-only``."""
        if not self.writable:
            hint = "The server was started with --read-only"
            raise ReadOnlyError("nothing can be changed here", hint=hint)

    @contextmanager
    def _inside(self, name: str, make: bool = False) -> Iterator[tuple[int, str]]:
        """The folder that a file is in, open, and the last part of its name."""
        *folders, last = name.split("/")
        if any(part in ("", ".", "..") for part in (*folders, last)):
            raise DataError("this name leads out of the folder", where=shortened(name))
        with ExitStack() as handles, _faults(name, write=make):
            try:
                at = os.open(self.root, _FOLDER)
            except OSError as fault:
                found = f"the project folder cannot be opened: {fault.strerror}"
                raise DataError(found, where=str(self.root)) from None
            handles.callback(os.close, at)
            for number, part in enumerate(folders, 1):
                with _faults("/".join(folders[:number]), write=make):
                    if make:
                        with suppress(FileExistsError):
                            os.mkdir(part, dir_fd=at)
                            os.fsync(at)
                    at = os.open(part, _FOLDER, dir_fd=at)
                handles.callback(os.close, at)
            yield at, last

    @contextmanager
    def open(self, name: str, *, log: bool = False) -> Iterator[BinaryIO]:
        """A file to read; or a log, which is made if it is not there, to be added to."""
        with self._inside(name, log) as (folder, last):
            with suppress(FileNotFoundError):
                # Nothing else is opened: to open a device may do something.
                _check_plain(os.stat(last, dir_fd=folder, follow_symlinks=False), name)
            flags = _FILE | (os.O_RDWR | os.O_CREAT if log else os.O_RDONLY)
            handle = os.open(last, flags, 0o666, dir_fd=folder)
            with open(name, "r+b" if log else "rb", -1 + log, opener=lambda *_: handle) as stream:
                status = os.fstat(handle)
                _check_plain(status, name)
                if log and status.st_nlink > 1:
                    raise DataError("this file has another name, too: remove it", where=name)
                yield stream

    def read(self, name: str) -> str:
        """The text of a file."""
        with self.open(name) as stream:
            try:
                return stream.read(LARGEST).decode()
            except UnicodeDecodeError:
                raise DataError("this is not UTF-8", where=name) from None

    def records(self, name: str, parse: Callable[[bytes], T]) -> list[T]:
        """The records of a log; a line that ``parse`` refuses is told once, and left.

        Those of the last log are held until it changes. A DataError if hardly a line is a record.
        """
        if not (stamps := self.stamps(name)):
            return []
        with self._reading:
            if self._records[0] == stamps:
                return self._records[1]
            self._records, records = ([], []), list[T]()
            with self.open(name) as stream, gc_paused():
                for number, line in enumerate(stream, 1):
                    if number - len(records) > MOST:
                        found = f"more than {MOST} lines that are no records"
                        raise DataError(found, where=name, hint="Move the file away")
                    try:
                        records.append(parse(line))
                    except (IstsError, msgspec.MsgspecError, ValueError, RecursionError) as fault:
                        found = shortened(str(fault))
                        self.tell(f"{name}:{number}: this line is left out: {found}")
            self._records = stamps, records
            return records

    def tell(self, message: str) -> None:
        """Warn of something once, and of at most a hundred things."""
        if message not in self._warned and len(self._warned) < 100:
            self._warned.add(message)
            self._warn(message)

    def entries(self, folder: str = "") -> list[tuple[str, bool]]:
        """Plain files and folders in a folder that have names, sorted; whether each is a folder."""
        entries = list[tuple[str, bool]]()
        try:
            with self._inside(f"{folder}/-".lstrip("/")) as (at, _), os.scandir(at) as listed:
                for entry in listed:
                    with suppress(UsageError):
                        is_folder = entry.is_dir(follow_symlinks=False)
                        if is_folder or entry.is_file(follow_symlinks=False):
                            entries.append((check_name(entry.name), is_folder))
                    _check_count(len(entries), folder)
        except MissingError:
            return []
        return sorted(entries)

    def files(self, folder: str) -> list[str]:
        """The names of the plain files below a folder, sorted."""
        names, folders = list[str](), [folder]
        for count, at in enumerate(folders):
            for entry, is_folder in self.entries(at):
                with suppress(UsageError):
                    (folders if is_folder else names).append(check_name(f"{at}/{entry}"))
            _check_count(count + len(names), folder)
        return sorted(names)

    def stamps(self, *names: str) -> list[Stamp]:
        """When files and folders were changed, and their sizes; of those that are there."""
        stamps = list[Stamp]()
        for name in names:
            with suppress(MissingError), self._inside(name) as (folder, last):
                status = os.stat(last, dir_fd=folder, follow_symlinks=False)
                stamps.append((name, status.st_ctime_ns, status.st_size))
        return stamps

    def lock(self, name: str) -> bool:
        """Hold a lock as long as the process lives, unless another one does."""
        with self.open(name, log=True) as stream, suppress(BlockingIOError):
            self._lock_handle = os.dup(stream.fileno())
            fcntl.flock(self._lock_handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        return False

    def commit(
        self, texts: Mapping[str, str | bytes | None], log: str = "", record: object = None
    ) -> None:
        """Write files, remove those without a text, and add a record to a log: all, or nothing."""
        self.check_writable()
        _check_count(len(texts), str(self.root))
        with self._lock, ExitStack() as undo:
            for name, text in texts.items():
                if text is not None:
                    undo.callback(self._drop, name)
                    self._write(name, text)
            if log:
                undo.callback(self._cut, log, self._append(log, msgspec.json.encode(record)))
            for name, text in texts.items():
                self._put(name, text is not None, undo)
            undo.pop_all()
            for name in texts:
                self._drop(f"{name}~")

    def _put(self, name: str, written: bool, undo: ExitStack) -> None:
        """Replace a file by its draft, or remove it; what it was has another name until the end."""
        old = f"{name}~"
        self._drop(old)
        # To rename one of two names of a file to the other does nothing.
        undo.callback(self._drop, old)
        with self._inside(name, make=True) as (folder, last):
            both = {"src_dir_fd": folder, "dst_dir_fd": folder}
            try:
                os.link(last, _draft(f"{last}~"), follow_symlinks=False, **both)
                undo.callback(self._rename, old, name)
            except FileNotFoundError:
                undo.callback(self._remove, name)
            except OSError:
                pass  # a file system without second names: this one cannot be undone
        if written:
            self._rename(name, name)
        else:
            self._remove(name)

    def _rename(self, draft: str, name: str) -> None:
        with self._inside(name, make=True) as (folder, last):
            both = {"src_dir_fd": folder, "dst_dir_fd": folder}
            os.replace(_draft(draft.rpartition("/")[2]), last, **both)  # noqa: PTH105
            os.fsync(folder)

    def _write(self, name: str, text: str | bytes) -> None:
        data = text.encode() if isinstance(text, str) else text
        check_size(len(data), name)
        with self._inside(name, make=True) as (folder, last):
            mode = None
            with suppress(FileNotFoundError):
                status = os.stat(last, dir_fd=folder, follow_symlinks=False)
                mode = status.st_mode & 0o777
                _check_plain(status, name)
            with suppress(FileNotFoundError):
                os.unlink(_draft(last), dir_fd=folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FILE
            handle = os.open(_draft(last), flags, 0o666, dir_fd=folder)
            with open(handle, "wb") as stream:  # noqa: PTH123
                if mode is not None:
                    os.fchmod(handle, mode)
                stream.write(data)
                stream.flush()
                os.fsync(handle)

    def _append(self, name: str, record: bytes) -> int:
        """Add a line to a log; how long it was before."""
        with self.open(name, log=True) as stream:
            size = stream.seek(0, os.SEEK_END)
            if size + len(record) > LARGEST:
                raise DataError("the log is full", where=name, hint="Move the file away")
            # Behind a line that was cut off it has a line of its own.
            cut = size > 0 and os.pread(stream.fileno(), 1, size - 1) != b"\n"
            line = memoryview(b"\n" * cut + record + b"\n")
            try:
                while line:
                    line = line[stream.write(line) :]
                os.fsync(stream.fileno())
            except OSError:
                os.ftruncate(stream.fileno(), size)
                raise
            return size

    def _cut(self, name: str, size: int) -> None:
        with suppress(DataError), self.open(name, log=True) as stream:
            os.ftruncate(stream.fileno(), size)

    def _drop(self, name: str) -> None:
        with suppress(DataError):
            self._remove(_draft(name))

    def _remove(self, name: str) -> None:
        with suppress(MissingError), self._inside(name) as (folder, last):
            os.unlink(last, dir_fd=folder)
            os.fsync(folder)


def _draft(name: str) -> str:
    """The draft of a file, beside it: one, so that what a dead server left is written over."""
    folder, slash, last = name.rpartition("/")
    return f"{folder}{slash}{PREFIX}{blake2b(last.encode(), digest_size=8).hexdigest()}.part"


def _check_plain(status: os.stat_result, name: str) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        found = f"this is {_KINDS.get(kind, 'a device or a socket')}: remove it"
        raise DataError(found, where=shortened(name), expected="a plain file")
    check_size(status.st_size, name)


def check_size(size: int, name: str) -> None:
    """Refuse to read or write a file that is too large."""
    if size > LARGEST:
        found, expected = f"{size >> 20} MB", f"at most {LARGEST >> 20} MB"
        raise DataError(found, where=shortened(name), expected=expected)


def _check_count(count: int, folder: str) -> None:
    if count > MOST:
        raise DataError(f"more than {MOST} files", where=folder, hint="Move some of them away")


@contextmanager
def _faults(name: str, write: bool) -> Iterator[None]:
    """Tell what the system refuses as a DataError."""
    try:
        yield
    except IstsError:
        raise
    except OSError as fault:
        kind = MissingError if isinstance(fault, FileNotFoundError) and not write else DataError
        found = _FAULTS.get(fault.errno or 0, fault.strerror)
        hint = "Check that the folder is there, may be written to and has room" if write else None
        found = f"cannot be {'written' if write else 'read'}: {found}"
        raise kind(found, where=shortened(name), hint=hint) from None
