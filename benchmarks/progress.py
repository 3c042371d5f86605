"""Progress on a terminal; nothing anywhere else."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["show_progress"]

_Item = TypeVar("_Item")
_EVERY = 20


def show_progress(items: Iterable[_Item], total: int, title: str) -> Iterator[_Item]:
    """Pass items on, and count them on standard error if that is a terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    for number, item in enumerate(items, 1):
        if number % _EVERY == 0 or number == total:
            sys.stderr.write(f"\r\x1b[K{title}: {number} of {total}")
            sys.stderr.flush()
        yield item
    sys.stderr.write("\r\x1b[K")
