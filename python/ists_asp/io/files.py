"""Files that are written atomically, and never over a file that is read.

Existing files are compared by device and inode, new names by their folders. Devices, pipes and
terminals may be read and written at the same time.

The draft of ``out.wa`` is a new file beside it, ``.ists-asp-out.wa.HEX.part``, locked by its
writer. A draft without a lock belongs to a killed process; the next writer removes it.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from ists_asp.errors import DataError, ResourceError, UsageError, brief
from ists_asp.terminal import door

PREFIX = ".ists-asp-"  # the beginning of the names of drafts, which are hidden files
_DRAFT = ".part"
_OPEN: set[Path] = set()  # the drafts that this process may have begun and not yet ended
_LONGEST = 200  # bytes of a file name that leave room for what is put before and behind it
_Identity: TypeAlias = tuple[int, int, str]

_HINT = "Check that the directory exists, may be written to and has room."


@contextmanager
def atomic_writer(path: Path) -> Iterator[TextIO]:
    r"""Open a UTF-8 text file (``\n`` line ends) that replaces ``path`` on success.

    The text goes to a draft beside the target, which is renamed at the end; an error leaves
    nothing behind. A symbolic link's target is replaced, not the link. Devices and pipes are
    written directly, terminals through :mod:`ists_asp.terminal`. An existing file keeps its mode.
    """
    with _as_data_error(path):
        try:
            mode = path.stat().st_mode
        except FileNotFoundError:
            mode = None
        special = mode is not None and not stat.S_ISREG(mode)
        target = draft = path if special else Path(os.path.realpath(path))
        if special:
            stream: TextIO = path.open("w", encoding="utf-8", newline="\n")
        else:
            _remove_dead(target)
            draft, stream = _new_draft(target, mode)
    try:
        yield door(stream) if stream.isatty() else stream
        with _as_data_error(path):
            stream.flush()
            if not special:
                os.fsync(stream.fileno())
                draft.replace(target)
                _OPEN.discard(draft)
            stream.close()
    except BaseException as error:
        with suppress(OSError):
            stream.close()
        if not special:
            _drop(draft)
        # Buffered text may reach a full disk while the caller still writes.
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise _failure(error, path) from error
        raise


def check_there(stream: TextIO, path: Path) -> None:
    """Refuse to go on with an output whose folder was removed meanwhile."""
    with _as_data_error(path):
        status = os.fstat(stream.fileno())
        if stat.S_ISREG(status.st_mode) and not status.st_nlink:
            raise FileNotFoundError(None, "its folder is gone")


def _new_draft(target: Path, mode: int | None) -> tuple[Path, TextIO]:
    while True:
        draft = target.with_name(f"{_beside(target)}.{secrets.token_hex(4)}{_DRAFT}")
        _OPEN.add(draft)
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            if mode is not None:
                os.fchmod(handle, stat.S_IMODE(mode))
            # Some file systems have no locks: there drafts stay.
            with suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Another run may have taken it for dead before it was locked.
            if _is(draft, handle):
                return draft, open(handle, "w", encoding="utf-8", newline="\n")  # noqa: PTH123
        except BaseException:
            _drop(draft)
            os.close(handle)
            raise
        _OPEN.discard(draft)
        os.close(handle)


def _drop(draft: Path) -> None:
    draft.unlink(missing_ok=True)
    _OPEN.discard(draft)


def drop_drafts() -> None:
    """Remove the drafts of a process that ends before it could close what is open."""
    for draft in tuple(_OPEN):
        with suppress(OSError):
            _drop(draft)


def _remove_dead(target: Path) -> None:
    """Remove the drafts of processes that were killed while they wrote this output."""
    drafts = re.compile(rf"{re.escape(_beside(target))}\.[0-9a-f]{{8}}{re.escape(_DRAFT)}")
    for draft in target.parent.iterdir():
        if not drafts.fullmatch(draft.name):
            continue
        with suppress(OSError):
            handle = os.open(draft, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is(draft, handle):
                    draft.unlink()
            finally:
                os.close(handle)


def _is(path: Path, handle: int) -> bool:
    """Whether a path still leads to a file that is open."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def _beside(target: Path) -> str:
    """Return how names of files beside an output begin; each output has its own."""
    name = os.fsencode(target.name)
    if len(name) > _LONGEST:
        return f"{PREFIX}{blake2b(name, digest_size=16).hexdigest()}"
    return f"{PREFIX}{target.name}"


@contextmanager
def _as_data_error(path: Path) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        raise _failure(error, path) from error


def _failure(error: OSError | ValueError, path: Path) -> DataError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return DataError(f"cannot be written: {reason}", where=str(path), hint=_HINT)


@dataclass(frozen=True, slots=True)
class Use:
    """A file, or the number of an open one, and who reads or writes it: an option, a stream."""

    by: str
    file: Path | int


def refuse_clashes(reads: Iterable[Use], writes: Iterable[Use]) -> None:
    """Refuse to write what is read, and to write one file twice; nothing is opened."""
    # Inputs matter only where something is written.
    written: dict[_Identity, Use] = {}
    for use in writes:
        identity = _identity(use.file)
        if identity is not None and (other := written.setdefault(identity, use)) is not use:
            found = f"{other.by} writes the same file"
            raise UsageError(found, where=use.by, hint="Choose two names")
    for use in reads if written else ():
        identity = _identity(use.file)
        if identity in written:
            found, where = f"this is an input file, which {use.by} reads", written[identity].by
            raise UsageError(found, where=where, hint="Choose another name for the output")


def _identity(file: Path | int) -> _Identity | None:
    """The identity of a file under all its names; None if it is no regular file."""
    try:
        status = os.fstat(file) if isinstance(file, int) else file.stat()
    except FileNotFoundError:
        # Of a new file, the folder that it will be in.
        real = Path(os.path.realpath(str(file)))
        folder = next((parent for parent in real.parents if parent.is_dir()), None)
        if folder is None:
            return None
        status = folder.stat()
        return status.st_dev, status.st_ino, str(real.relative_to(folder))
    except (OSError, ValueError):
        # It is closed, or this is a name that no file can have.
        return None
    return (status.st_dev, status.st_ino, "") if stat.S_ISREG(status.st_mode) else None


def file_system(address: str) -> tuple[Any, str]:
    """The file system of fsspec that has an address, or a path, and what it calls that."""
    try:
        from fsspec.core import url_to_fs

        system, path = url_to_fs(address)
    except ImportError as error:
        hint = "Install the extra: pip install 'ists-asp[cluster]', and what the address needs"
        raise ResourceError(f"a package is missing ({error})", where=address, hint=hint) from None
    except ValueError as error:
        raise UsageError(f"no such address ({brief(error)})", where=address) from None
    return system, path


def place(folder: str, name: str, content: bytes | Path) -> None:
    """Write a file in a folder of fsspec: beside its place, and then it is renamed."""
    system, root = file_system(folder)
    draft = f"{root}/{PREFIX}{name}.{secrets.token_hex(8)}{_DRAFT}"
    try:
        system.makedirs(root, exist_ok=True)
        if system.isdir(f"{root}/{name}"):
            raise UsageError("this is a folder", where=f"{root}/{name}", hint="Move it away")
        if isinstance(content, bytes):
            system.pipe_file(draft, content)
        else:
            system.put_file(str(content), draft)
        system.mv(draft, f"{root}/{name}")
    except BaseException:
        with suppress(OSError):
            system.rm_file(draft)
        raise
