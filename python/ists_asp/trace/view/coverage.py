"""Which rules fire at all, and which predicates have atoms, in the answers of a run."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ists_asp.trace.core.trace import Trace

__all__ = ["Coverage", "coverage"]


@dataclass(frozen=True, slots=True)
class Coverage:
    """The names of the rules that fired, and those of the predicates that had atoms."""

    fired: frozenset[str]
    seen: frozenset[str]

    def __or__(self, other: Coverage) -> Coverage:
        return Coverage(self.fired | other.fired, self.seen | other.seen)


def coverage(traces: Iterable[Trace]) -> Coverage:
    """Look through traces, whether or not a decision rests on what fired."""
    fired: set[str] = set()
    seen: set[str] = set()
    tables: set[int] = set()
    for trace in traces:
        parts = [trace.firings]
        if id(trace.rewritten) not in tables:
            # The same for all pairs.
            tables.add(id(trace.rewritten))
            parts.append(trace.tables)
            seen.update(trace.rewritten.known_by_name)
        for part in parts:
            firings = chain(*part.by_head.values(), part.objective)
            fired.update(firing.probe.rule.name for firing in firings)
        seen.update(trace.best.atoms)
        seen.update(fact.name for fact in trace.facts)
    return Coverage(frozenset(fired), frozenset(seen))
