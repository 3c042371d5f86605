"""Two sets of rules run on the same pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from ists_asp.compare.answered import Answered
from ists_asp.compare.causes import find_causes
from ists_asp.compare.changes import find_changes
from ists_asp.engine.preparation import BATCH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ists_asp.compare.causes import Cause
    from ists_asp.engine import System
    from ists_asp.model import Pair


@dataclass(frozen=True, slots=True)
class Both:
    """The answers of a pair by both sets of rules, and the causes of each change."""

    old: Answered
    new: Answered
    causes: tuple[tuple[Cause, ...], ...] = ()


def run_both(old: System, new: System, pairs: Iterable[Pair]) -> Iterator[Both]:
    """Decide pairs by two sets of rules, lazily and in their order; trace where answers differ.

    Sentences are annotated once.

    Args:
        old: the old rules, loaded.
        new: the new rules, loaded.
        pairs: the pairs.

    Raises:
        SolveError: there is no answer for a pair.
    """
    annotated = old.annotate(pairs)
    while batch := list(islice(annotated, BATCH)):
        decided = [
            Both(Answered.of(before[0]), Answered.of(after[0]))
            for before, after in zip(old.decide(iter(batch)), new.decide(iter(batch)), strict=True)
        ]
        changed = [find_changes(one.old, one.new) for one in decided]
        differing = [pair for pair, changes in zip(batch, changed, strict=True) if changes]
        traces = zip(
            old.trace_annotated(iter(differing)),
            new.trace_annotated(iter(differing)),
            strict=True,
        )
        for one, changes in zip(decided, changed, strict=True):
            if changes:
                first, second = next(traces)
                causes = find_causes(first, second, changes, (old.rules, new.rules))
                yield replace(one, causes=causes)
            else:
                yield one
