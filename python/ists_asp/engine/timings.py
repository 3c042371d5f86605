"""How long each stage of a run took, in the same memory however many pairs there were.

Seconds are those of the processor: how busy a machine is with other things does not count.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_WIDTH = math.log(1.01)
"""Of a class of durations, on a logarithmic scale: a hundredth of the duration."""

_SHORTEST = 1e-7
"""Seconds that no clock tells from none."""


@dataclass(slots=True)
class Durations:
    """How long each of many things took: seconds, counted in classes of one per cent width."""

    longest: float = 0.0
    _classes: Counter[int] = field(default_factory=Counter)

    def __len__(self) -> int:
        return self._classes.total()

    def add(self, seconds: float) -> None:
        """Count one more."""
        self.longest = max(self.longest, seconds)
        self._classes[round(math.log(max(seconds, _SHORTEST)) / _WIDTH)] += 1

    def merge(self, other: Durations) -> None:
        """Count those of another as well."""
        self.longest = max(self.longest, other.longest)
        self._classes.update(other._classes)

    def quantile(self, share: float) -> float:
        """What ``share`` (0 to 1) of the durations do not exceed, within half a per cent.

        That of 1 is exact. Of nothing it is 0.
        """
        left = max(1, math.ceil(share * len(self)))
        if left >= len(self):
            return self.longest
        for number in sorted(self._classes):
            left -= self._classes[number]
            if left <= 0:
                return min(math.exp(number * _WIDTH), self.longest)
        return self.longest


@dataclass(slots=True)
class Timings:
    """Seconds spent in each stage, summed over all pairs.

    ``elsewhere`` are all seconds of other processes, those in which they load included.
    ``decided`` has how long grounding and solving took together, for each pair. Pairs that
    were solved together share their time equally. ``kept`` counts the pairs whose answers were
    kept from a run before, ``edits`` those that were decided again because of an edit of rules,
    by its place.
    """

    annotation: float = 0.0
    knowledge: float = 0.0
    facts: float = 0.0
    grounding: float = 0.0
    solving: float = 0.0
    elsewhere: float = 0.0
    decided: Durations = field(default_factory=Durations)
    kept: int = 0
    edits: Counter[str] = field(default_factory=Counter)

    @property
    def before(self) -> float:
        """Seconds spent before grounding."""
        return self.annotation + self.knowledge + self.facts

    def decide(
        self, grounding: float, solving: float, *, kept: bool = False, edit: str = ""
    ) -> None:
        """Add the time that a pair took to ground and to solve.

        Args:
            grounding: seconds.
            solving: seconds.
            kept: whether its answer was kept from a run before.
            edit: the place of the edit that made it necessary to decide again.
        """
        if kept:
            self.kept += 1
        if edit:
            self.edits[edit] += 1
        self.grounding += grounding
        self.solving += solving
        self.decided.add(grounding + solving)

    def merge(self, other: Timings) -> None:
        """Add the times of other pairs."""
        self.annotation += other.annotation
        self.knowledge += other.knowledge
        self.facts += other.facts
        self.grounding += other.grounding
        self.solving += other.solving
        self.elsewhere += other.elsewhere
        self.decided.merge(other.decided)
        self.kept += other.kept
        self.edits.update(other.edits)

    def taken(self) -> Timings:
        """The times so far; begin again at nothing."""
        times = Timings()
        times.merge(self)
        self.clear()
        return times

    def clear(self) -> None:
        """Begin again at nothing."""
        self.annotation = self.knowledge = self.facts = self.grounding = self.solving = 0.0
        self.elsewhere = 0.0
        self.decided = Durations()
        self.kept = 0
        self.edits = Counter()

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Add the time that the block takes to ``annotation``, ``knowledge`` or ``facts``."""
        began = time.process_time()
        try:
            yield
        finally:
            setattr(self, stage, getattr(self, stage) + time.process_time() - began)
