"""Files that appear complete or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from ists_asp.errors import DataError
from ists_asp.io.temporary import beside
from ists_asp.terminal import door

if TYPE_CHECKING:
    from collections.abc import Iterator

_HINT = "Check that the directory exists, may be written to and has room."


@contextmanager
def atomic_writer(path: Path) -> Iterator[TextIO]:
    r"""Open a UTF-8 text file (``\n`` line ends) that replaces ``path`` when all went well.

    The text goes to a file beside the target, which is renamed at the end; after an error
    nothing is left behind and an old file stays as it was. The target of a symbolic link is
    replaced, not the link. Devices and pipes are written directly,
    terminals through :mod:`ists_asp.terminal`. An existing file keeps
    its mode, a new one gets the mode that the umask gives.

    Raises:
        DataError: the file cannot be written (directory missing, not allowed, disk full).
    """
    with _as_data_error(path):
        mode = _mode(path)
        special = mode is not None and not stat.S_ISREG(mode)
        target = path if special else Path(os.path.realpath(path))
        draft = path if special else _new_draft(target, mode)
        stream = draft.open("w", encoding="utf-8", newline="\n")
    try:
        yield door(stream) if stream.isatty() else stream
        with _as_data_error(path):
            stream.flush()
            if not special:
                os.fsync(stream.fileno())
            stream.close()
            if not special:
                draft.replace(target)
    except BaseException as error:
        with suppress(OSError):
            stream.close()
        if not special:
            draft.unlink(missing_ok=True)
        # Buffered text may reach a full disk while the caller still writes.
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise _failure(error, path) from error
        raise


def _mode(path: Path) -> int | None:
    """The mode of an existing file, links followed."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _new_draft(target: Path, mode: int | None) -> Path:
    handle, name = tempfile.mkstemp(".part", f"{beside(target)}.", target.parent)
    os.close(handle)
    draft = Path(name)
    draft.chmod(stat.S_IMODE(mode) if mode is not None else 0o666 & ~_umask())
    return draft


def _umask() -> int:
    # There is no way to read the umask but to set it.
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
