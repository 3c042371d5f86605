"""Files that appear complete or not at all, and are never written over what is read.

Names that exist are compared by device and inode, so that links and other spellings are seen
through. Of a name that does not exist yet, the folder is compared in this way, and the rest as
the file system compares it. Devices, pipes and terminals may be read and written at a time.

Beside an output ``out.wa`` grows its draft, ``.ists-asp-out.wa.LOT.part``: a new file, whose lot
is drawn and ends with a checksum, so that nobody else's file has such a name by chance. Whoever
writes a draft holds a lock on it: one that nobody holds was left by a process that was killed,
and goes when the same output is written again.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import unicodedata
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from ists_asp.errors import DataError, ResourceError, UsageError, brief
from ists_asp.terminal import door

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PREFIX = ".ists-asp-"
"""How the names of files begin that lie beside an output while it is written: they are hidden."""

_DRAFT = ".part"

_OPEN: set[Path] = set()
"""The drafts that this process may have begun and not yet ended."""

_LONGEST = 200
"""Bytes of a file name that leave room for what is put before and behind it."""

_Identity: TypeAlias = tuple[int, int, str]

_LOOKED_AT = 100
"""Entries of a folder that are looked at for one whose case can be turned."""

_HINT = "Check that the directory exists, may be written to and has room."


@contextmanager
def atomic_writer(path: Path) -> Iterator[TextIO]:
    r"""Open a UTF-8 text file (``\n`` line ends) that replaces ``path`` when all went well.

    The text goes to a file beside the target, which is renamed at the end; after an error
    nothing is left behind and an old file stays as it was. The target of a symbolic link is
    replaced, not the link. Devices and pipes are written directly,
    terminals through :mod:`ists_asp.terminal`. An existing file keeps
    its mode, a new one gets the mode that the umask gives.
    """
    with _as_data_error(path):
        mode = _mode(path)
        special = mode is not None and not stat.S_ISREG(mode)
        target = path if special else Path(os.path.realpath(path))
        if special:
            draft = path
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
        found = os.fstat(stream.fileno())
        if stat.S_ISREG(found.st_mode) and not found.st_nlink:
            raise FileNotFoundError(None, "its folder is gone")


def _mode(path: Path) -> int | None:
    """The mode of an existing file, links followed."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _new_draft(target: Path, mode: int | None) -> tuple[Path, TextIO]:
    """Make a draft and lock it."""
    while True:
        nonce = secrets.token_hex(4)
        draft = target.with_name(f"{_beside(target)}.{nonce}{_sum(nonce, target)}{_DRAFT}")
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
    begin = f"{_beside(target)}."
    for draft in target.parent.iterdir():
        name = draft.name
        lot = name.removeprefix(begin).removesuffix(_DRAFT)
        if f"{begin}{lot}{_DRAFT}" != name or lot[8:] != _sum(lot[:8], target):
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


def _sum(nonce: str, target: Path) -> str:
    return blake2b(nonce.encode() + os.fsencode(target.name), digest_size=4).hexdigest()


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
    """Refuse to write what is read, and to write one file twice; nothing is opened.

    What is read is asked for only where something is written.
    """
    written: dict[_Identity, Use] = {}
    for use in writes:
        identity = _identity(use.file)
        if identity is None:
            continue
        other = written.setdefault(identity, use)
        if other is not use:
            raise UsageError(
                f"{other.by} writes the same file", where=use.by, hint="Choose two names"
            )
    if not written:
        return
    for use in reads:
        identity = _identity(use.file)
        if identity in written:
            raise UsageError(
                f"this is an input file, which {use.by} reads",
                where=written[identity].by,
                hint="Choose another name for the output",
            )


def _identity(file: Path | int) -> _Identity | None:
    """What all names of a file have in common; None for what is no file on a disk."""
    try:
        status = os.fstat(file) if isinstance(file, int) else file.stat()
    except FileNotFoundError:
        return None if isinstance(file, int) else _of_a_new_file(Path(os.path.realpath(file)))
    except (OSError, ValueError):
        # It is closed, or this is a name that no file can have.
        return None
    return (status.st_dev, status.st_ino, "") if stat.S_ISREG(status.st_mode) else None


def _of_a_new_file(real: Path) -> _Identity | None:
    folder = next((parent for parent in real.parents if parent.is_dir()), None)
    if folder is None:
        return None
    status, rest = folder.stat(), str(real.relative_to(folder))
    return status.st_dev, status.st_ino, folded(rest) if ignores_case(folder) else rest


def folded(name: str) -> str:
    """The same for all names that a file system takes for one if it ignores case."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def ignores_case(folder: Path) -> bool:
    """Whether names in a folder mean the same in capitals and in small letters.

    That is tried with a name that is there: one in the folder, or else the folder's own.
    """
    try:
        with os.scandir(folder) as entries:
            tried = [folder / entry.name for entry in islice(entries, _LOOKED_AT)]
        for path in (*tried, folder):
            turned = path.name.swapcase()
            if path.name.isascii() and turned != path.name:
                return path.with_name(turned).samefile(path)
    except OSError:
        pass
    return False


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
