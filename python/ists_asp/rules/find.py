"""Where rule files lie, and what messages call them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.errors import RuleError, shortened

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class RuleSource:
    """A rule file to load.

    ``name`` is what messages and traces call it; ``root`` is the folder that its includes
    must not leave, and ``root_name`` what messages call that.
    """

    path: Path
    name: str
    root: Path
    root_name: str


def find_rules(path: Path, name: str | None = None) -> tuple[RuleSource, ...]:
    """Return the rule files that a path stands for: itself, or all ``.lp`` files below it.

    Args:
        path: a file or a folder.
        name: what to call it in messages; the path as given by default.

    Raises:
        RuleError: there is nothing at the path, or a folder without ``.lp`` files.
    """
    shown = str(path) if name is None else name
    place = resolved(path)
    if place is None:
        raise RuleError(
            "no file can be called so, or links lead in a circle",
            where=shortened(shown),
            hint="Check the path",
        )
    if place.is_dir():
        try:
            files = sorted(file for file in place.rglob("*.lp") if file.is_file())
        except RecursionError:
            raise RuleError("the folders are nested too deeply", where=shown) from None
        if not files:
            raise RuleError("the folder has no rule files", where=shown, expected="*.lp files")
        return tuple(
            RuleSource(file, join(shown, file.relative_to(place).as_posix()), place, shown)
            for file in files
        )
    if not place.is_file():
        raise RuleError(
            "there is no such rule file or folder", where=shown, hint="Check the path's spelling"
        )
    root_name = str(path.parent) if name is None else name.rpartition("/")[0]
    return (RuleSource(place, shown, place.parent, root_name),)


def resolved(path: Path) -> Path | None:
    """Where a path leads; None for what no file can be called, and for links in a circle."""
    try:
        path.exists()
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return None


def join(folder: str, relative: str) -> str:
    """What messages call a file in a folder that they call ``folder``."""
    return relative if folder in ("", ".") else f"{folder.rstrip('/')}/{relative}"
