"""Which names mean the same file, so that nothing is written over what is read.

Names that exist are compared by device and inode, so that links and other spellings are seen
through. Of a name that does not exist yet, the folder is compared in this way, and the rest as
the file system compares it. Devices, pipes and terminals may be read and written at a time.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

_Identity: TypeAlias = tuple[int, int, str]

_LOOKED_AT = 100
"""Entries of a folder that are looked at for one whose case can be turned."""


@dataclass(frozen=True, slots=True)
class Use:
    """A file, or the number of an open one, and who reads or writes it: an option, a stream."""

    by: str
    file: Path | int


def refuse_clashes(reads: Iterable[Use], writes: Iterable[Use]) -> None:
    """Refuse to write what is read, and to write one file twice; nothing is opened.

    Args:
        reads: what is read; asked for only where something is written.
        writes: what is written.

    Raises:
        UsageError: two of them are the same file.
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
