"""How long each stage of a run took."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Stages"]


@dataclass(slots=True)
class Stages:
    """Seconds spent in each stage, summed over all pairs, and in deciding each pair.

    ``grounding`` and ``solving`` have one entry for each pair, in their order. Pairs that
    were solved together share their time equally.
    """

    annotation: float = 0.0
    knowledge: float = 0.0
    facts: float = 0.0
    grounding: list[float] = field(default_factory=list)
    solving: list[float] = field(default_factory=list)

    @property
    def before(self) -> float:
        """Seconds spent before grounding."""
        return self.annotation + self.knowledge + self.facts

    def clear(self) -> None:
        """Begin again at nothing."""
        self.annotation = self.knowledge = self.facts = 0.0
        self.grounding.clear()
        self.solving.clear()

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Add the time that the block takes to ``annotation``, ``knowledge`` or ``facts``."""
        began = time.perf_counter()
        try:
            yield
        finally:
            setattr(self, stage, getattr(self, stage) + time.perf_counter() - began)
