"""How often rules fired in a run, and which fired at all."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from ists_asp.errors import DataError
from ists_asp.trace.document import VERSION
from ists_asp.vocabulary import MUST_JOIN, MUST_SPLIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from ists_asp.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Counts:
    """How often rules fired, and how many answers they restrained, by rule name."""

    fired: Counter[str]
    changed: Counter[str]


def count_firings(path: Path) -> Counts:
    """Count by rule name what ``ists-asp solve --trace`` has written.

    Derivations count that decisions rest on, and terms of the objective; of hard rules,
    constraints and preferences the answers that would be others without them.

    Raises:
        DataError: the file is missing, or has lines that are no traces.
    """
    found = Counts(Counter(), Counter())
    try:
        with path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, start=1):
                fired, changed = _names(line, f"{path}:{number}")
                found.fired.update(fired)
                found.changed.update(changed)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise DataError(f"cannot be read: {reason}", where=str(path)) from None
    return found


def _names(line: str, where: str) -> tuple[list[str], list[str]]:
    try:
        record = json.loads(line)
        if record["version"] != VERSION:
            raise DataError(
                f"a trace of version {record['version']}", where=where, expected=str(VERSION)
            )
        rules = [rule["name"] for rule in record["rules"]]
        fired = [rules[one["rule"]] for key in ("firings", "objective") for one in record[key]]
        # Traces of earlier releases do not tell them.
        return fired, [one["rule"]["name"] for one in record.get("restraints", ())]
    except (ValueError, KeyError, TypeError, IndexError):
        raise DataError(
            "this is no trace",
            where=where,
            expected="a line of ists-asp solve --trace",
            hint="Write the file with ists-asp solve --trace FILE",
        ) from None


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
