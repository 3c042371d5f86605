"""What a run calls the files that it keeps beside an output until that is complete.

Their names are hidden and begin with :data:`PREFIX`. Those of drafts hold letters drawn by lot,
so that each is a new file. A journal has to be found again, and so has a name that anybody could
give to a file: see :mod:`ists_asp.run.checkpoint_log` for how it is told from others.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path

PREFIX = ".ists-asp-"

_LONGEST = 200
"""Bytes of a file name that leave room for what is put before and behind it."""


def journal_of(target: Path) -> Path:
    """Return where the journal of an output lies, links followed."""
    real = Path(os.path.realpath(target))
    return real.with_name(f"{beside(real)}.journal")


def draft_of(target: Path, lot: str) -> Path:
    """Return where an output grows, links followed; ``lot`` are the letters of this run."""
    real = Path(os.path.realpath(target))
    return real.with_name(f"{beside(real)}.{lot}.part")


def beside(target: Path) -> str:
    """Return how names of files beside an output begin; each output has its own."""
    name = os.fsencode(target.name)
    if len(name) > _LONGEST:
        return f"{PREFIX}{blake2b(name, digest_size=16).hexdigest()}"
    return f"{PREFIX}{target.name}"
