"""Keep Python's garbage collector away from what never becomes garbage."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


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
