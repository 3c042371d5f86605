"""What a fault is, what may become of the command, and the list of all faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .place import Ending, Place

__all__ = ["FAULTS", "Failed", "Fault", "Same", "Silent", "Told", "fault"]


@dataclass(frozen=True)
class Told:
    """The command ends with one line that says what is wrong, and writes no output."""

    words: str
    code: int = 1


@dataclass(frozen=True)
class Silent:
    """The command ends with this code, says nothing, and writes no output."""

    code: int


@dataclass(frozen=True)
class Same:
    """The output has the same bytes as without the fault."""

    pairs: int


@dataclass(frozen=True)
class Failed:
    """These pairs have no answer and are named, with words that say why; all others are there."""

    ids: tuple[str, ...]
    pairs: int
    words: str = ""


@dataclass(frozen=True)
class Fault:
    """A fault; ``inject`` runs the command with it and returns how the last run ended."""

    name: str
    inject: Callable[[Place], Ending]
    ends: Told | Silent | Same | Failed

    def __str__(self):
        return self.name


FAULTS = []


def fault(name, ends):
    """Add a function to the list of faults."""

    def add(inject):
        FAULTS.append(Fault(name, inject, ends))
        return inject

    return add
