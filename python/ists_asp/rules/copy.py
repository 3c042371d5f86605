"""Copies of the shipped rules, for editing."""

from __future__ import annotations

import shutil
from functools import cache
from typing import TYPE_CHECKING

from ists_asp.errors import UsageError
from ists_asp.resources import asp_dir, rules_dir

if TYPE_CHECKING:
    from pathlib import Path


def copy_rules(target: Path) -> list[Path]:
    """Copy the shipped rule folder to a new or empty folder; return the files' new paths, sorted.

    A copy that fails half-way is removed again.

    Raises:
        UsageError: the target is a file or a folder that is not empty, or cannot be written.
        ResourceError: the installation lacks the shipped rules.
    """
    source = rules_dir()
    files = sorted(path.relative_to(source) for path in source.rglob("*") if path.is_file())
    if target.resolve().is_relative_to(source):
        raise UsageError(
            "this is inside the shipped rules", where=str(target), hint="Choose another folder"
        )
    existed = target.is_dir()
    if target.exists() and (not existed or any(target.iterdir())):
        raise UsageError(
            "this folder is not empty" if existed else "this is a file",
            where=str(target),
            expected="a new or empty folder",
            hint="Choose another folder",
        )
    try:
        for file in files:
            copy = target / file
            copy.parent.mkdir(parents=True, exist_ok=True)
            # Without the original's mode: an installed file may be read-only.
            shutil.copyfile(source / file, copy)
    except BaseException as error:
        _clear(target, keep=existed)
        if isinstance(error, OSError):
            raise UsageError(
                f"the rules cannot be copied ({error.strerror})",
                where=str(target),
                hint="Choose a folder that you can write to",
            ) from None
        raise
    return [target / file for file in files]


def is_shipped(file: Path) -> bool:
    """Whether a file is a shipped rule file, or an unchanged copy of one under its name.

    Raises:
        ResourceError: the installation lacks the shipped rules.
    """
    return file.read_bytes() in _shipped().get(file.name, ())


def shipped_texts(file: Path) -> tuple[str, ...] | None:
    """The texts of the shipped rule files of a file's name; None for what came along itself.

    Raises:
        ResourceError: the installation lacks the shipped rules.
    """
    if file.is_relative_to(asp_dir().resolve()) or file.is_relative_to(rules_dir().resolve()):
        return None
    return tuple(text.decode() for text in _shipped().get(file.name, ()))


@cache
def _shipped() -> dict[str, list[bytes]]:
    """The shipped rule files by name."""
    found: dict[str, list[bytes]] = {}
    for path in rules_dir().rglob("*.lp"):
        found.setdefault(path.name, []).append(path.read_bytes())
    return found


def _clear(folder: Path, *, keep: bool) -> None:
    if keep:
        for child in folder.iterdir():
            shutil.rmtree(child) if child.is_dir() else child.unlink()
    elif folder.is_dir():
        shutil.rmtree(folder)
