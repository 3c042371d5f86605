"""Which rules fired in a run, and which of them disagreed."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from ists_asp.vocabulary import MUST_JOIN, MUST_SPLIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ists_asp.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Coverage:
    """The names of the rules that fired, and those of the predicates that had atoms.

    ``clashes`` has the names of rules of which one began a chunk and the other joined it to the
    one before, at the same token; with an example, such as ``"of" in pair 12``.
    """

    fired: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()
    clashes: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def __or__(self, other: Coverage) -> Coverage:
        return Coverage(
            self.fired | other.fired, self.seen | other.seen, {**other.clashes, **self.clashes}
        )


def coverage(traces: Iterable[Trace]) -> Coverage:
    """Look through traces, whether or not a decision rests on what fired."""
    fired: set[str] = set()
    seen: set[str] = set()
    tables: set[int] = set()
    clashes: dict[tuple[str, str], str] = {}
    for trace in traces:
        parts = [trace.firings]
        if id(trace.rewritten) not in tables:
            # The same for all pairs.
            tables.add(id(trace.rewritten))
            parts.append(trace.tables)
            seen.update(trace.rewritten.known_by_name)
        for part in parts:
            firings = chain(part.deriving, part.objective)
            fired.update(firing.probe.rule.name for firing in firings)
        for pair, example in _clashes(trace):
            clashes.setdefault(pair, example)
        seen.update(trace.best.atoms)
        seen.update(fact.name for fact in trace.facts)
    return Coverage(frozenset(fired), frozenset(seen), clashes)


def _clashes(trace: Trace) -> Iterator[tuple[tuple[str, str], str]]:
    """Rules that disagree about a boundary, where each has fired."""
    joined = {atom.arguments: atom for atom in trace.atoms(MUST_JOIN.name)}
    for split in trace.atoms(MUST_SPLIT.name):
        join = joined.get(split.arguments)
        if join is None:
            continue
        words = trace.words.quoted("token", split.arguments[0].number, split.arguments[1])
        for one in trace.reasons(split):
            for two in trace.reasons(join):
                names = one.probe.rule.name, two.probe.rule.name
                yield names, f"{words} in pair {trace.answer.pair.id}"
