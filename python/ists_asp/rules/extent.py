"""Which files a path may stand for where it is given as rules, found without parsing any."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ists_asp.rules.source import LARGEST

if TYPE_CHECKING:
    from collections.abc import Iterator

_SUFFIXES = (".lp", ".toml")
_INCLUDE = re.compile(rb'#include[^"]{0,200}"((?:[^"\\\n\0]|\\.)*)"')


def files_of_rules(path: Path) -> Iterator[Path]:
    """Find the files that may be read where a path is given as rules.

    These are the file itself, or all rule files and profiles below the folder, used or not, and
    what they include. No file is parsed: an ``#include`` in a comment counts, too.
    """
    place = Path(os.path.realpath(path))
    root, left = place.parent, [place]
    if place.is_dir():
        root, left = place, [file for file in place.rglob("*") if file.suffix in _SUFFIXES]
    seen: set[Path] = set()
    while left:
        file = left.pop()
        real = Path(os.path.realpath(file))
        if real in seen or not real.is_relative_to(root):
            continue
        seen.add(real)
        # A name may be one that no file can have.
        with suppress(OSError):
            if real.is_file():
                left += [file.parent / name for name in _included(real)]
                yield file


def _included(file: Path) -> list[str]:
    """What stands behind ``#include`` in a file, comments and all."""
    with file.open("rb") as stream:
        found = _INCLUDE.findall(stream.read(LARGEST))
    return [os.fsdecode(re.sub(rb"\\(.)", rb"\1", name)) for name in found]
