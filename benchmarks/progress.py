"""Progress on a terminal; nothing anywhere else."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

_Item = TypeVar("_Item")
_EVERY = 20


class Counter:
    """Counts steps on standard error if that is a terminal, and wipes the line at the end."""

    def __init__(self, total: int, title: str) -> None:
        self._total = total
        self._title = title
        self._done = 0
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._write("")

    def count(self) -> None:
        """One more step is done."""
        self._done += 1
        if self._done % _EVERY == 0 or self._done == self._total:
            self._write(f"{self._title}: {self._done} of {self._total}")

    def _write(self, text: str) -> None:
        if self._shown:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()


def show_progress(items: Iterable[_Item], total: int, title: str) -> Iterator[_Item]:
    """Pass items on, and count them."""
    with Counter(total, title) as counter:
        for item in items:
            counter.count()
            yield item
