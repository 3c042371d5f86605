"""Keep Python's garbage collector away from what never becomes garbage."""

from __future__ import annotations

import gc

__all__ = ["settle"]


def settle() -> None:
    """Exempt all objects that exist from further collections.

    With models loaded there are hundreds of thousands of them, and each full collection
    looks at every one: a pause of more than 100 ms at an arbitrary pair. Objects that an
    earlier call exempted are looked at once more, so that models no longer used are freed.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()
