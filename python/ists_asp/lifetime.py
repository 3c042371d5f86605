"""What is held open and what lives long: closed at the end of a block, and no garbage meanwhile."""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator


class Closing(ABC):
    """A context manager that closes itself, after an error as well."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Give back what is held open; the object cannot be used afterwards."""


def freeze_gc() -> None:
    """Exempt all objects that exist from further collections.

    With models loaded there are hundreds of thousands of them, and each full collection
    looks at every one: a pause of more than 100 ms at an arbitrary pair. Objects that an
    earlier call exempted are looked at once more, so that models no longer used are freed.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


@contextmanager
def gc_paused() -> Iterator[None]:
    """Collect nothing while tens of thousands of objects are made that all are needed."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
