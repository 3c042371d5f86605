"""What can be read only once, standard input and pipes, and copies of it that can be read again."""

from __future__ import annotations

import shutil
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, BinaryIO

from ists_asp.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

STDIN = "-"
"""What names standard input on the command line."""


def shown(name: str) -> str:
    """A file as messages call it."""
    return "<stdin>" if name == STDIN else name


def standard_input() -> BinaryIO:
    """Standard input, as bytes.

    Raises:
        UsageError: it is closed.
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed", hint="Name files instead of -")
    return sys.stdin.buffer


def copied(names: Iterable[str], stack: ExitStack) -> dict[str, Path]:
    """Copy what can be read only once.

    Args:
        names: files, and :data:`STDIN`.
        stack: the copies are gone when it is closed.

    Returns:
        The copies by name; no others are needed.

    Raises:
        DataError: there is no room, or a file is a device that may have no end.
    """
    once = sorted(name for name in dict.fromkeys(names) if name == STDIN or _only_once(Path(name)))
    if not once:
        return {}
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="ists-asp-")))
    copies = {name: folder / str(number) for number, name in enumerate(once)}
    for name, copy in copies.items():
        try:
            with ExitStack() as streams:
                stream = standard_input()
                if name != STDIN:
                    stream = streams.enter_context(Path(name).open("rb"))
                shutil.copyfileobj(stream, streams.enter_context(copy.open("wb")))
        except OSError as error:
            raise DataError(
                f"cannot be kept: {error.strerror or error}",
                where=shown(name),
                hint="Make room in the folder for temporary files (TMPDIR)",
            ) from None
    return copies


def _only_once(path: Path) -> bool:
    """Whether what is read from a path is gone afterwards: from a pipe, or what somebody types.

    Raises:
        DataError: it is a device that may have no end.
    """
    if not path.is_char_device():
        return path.is_fifo()
    with path.open("rb") as stream:
        if not stream.isatty():
            raise DataError("this is a device", where=str(path), expected="a file or a pipe")
    return True
