"""Two sets of rules run on the same pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from ists_asp.compare.answered import Answered
from ists_asp.compare.causes import find_causes
from ists_asp.compare.changes import find_changes
from ists_asp.engine.annotation import BATCH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ists_asp.compare.causes import Cause
    from ists_asp.engine import System
    from ists_asp.model import Pair

__all__ = ["Runs", "run_both"]


@dataclass(slots=True)
class Runs:
    """The answers by both sets of rules, and the causes of the changes, by the pairs' ids."""

    old: dict[str, Answered] = field(default_factory=dict)
    new: dict[str, Answered] = field(default_factory=dict)
    causes: dict[str, tuple[tuple[Cause, ...], ...]] = field(default_factory=dict)


def run_both(
    old: System, new: System, pairs: Iterable[Pair], tick: Callable[[], None] = lambda: None
) -> Runs:
    """Decide pairs by two sets of rules; trace those whose answers differ.

    Sentences are annotated once.

    Args:
        old: the old rules, loaded.
        new: the new rules, loaded.
        pairs: the pairs.
        tick: called after each pair.

    Raises:
        SolveError: there is no answer for a pair.
    """
    runs = Runs()
    annotated = old.annotate(pairs)
    while batch := list(islice(annotated, BATCH)):
        changed = []
        for pair, before, after in zip(
            batch, old.decide(iter(batch)), new.decide(iter(batch)), strict=True
        ):
            one, two = Answered.of(before[0]), Answered.of(after[0])
            runs.old[pair.id], runs.new[pair.id] = one, two
            changes = find_changes(one, two)
            if changes:
                changed.append((pair, changes))
            tick()
        differing = [pair for pair, _ in changed]
        traces = zip(
            changed,
            old.trace_annotated(iter(differing)),
            new.trace_annotated(iter(differing)),
            strict=True,
        )
        for (pair, changes), first, second in traces:
            found = find_causes(first, second, changes, (old.rules, new.rules))
            runs.causes[pair.id] = found
    return runs
