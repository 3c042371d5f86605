"""All pairs of two runs: those that changed, and what gold says of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from ists_asp.compare.causes import find_causes
from ists_asp.compare.changes import Answered, find_changes
from ists_asp.engine.preparation import BATCH
from ists_asp.errors import DataError, of_pair
from ists_asp.evaluate.scorer import evaluate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.compare.causes import Cause
    from ists_asp.compare.changes import Change
    from ists_asp.engine import System
    from ists_asp.evaluate.scorer import Reference, Scores
    from ists_asp.model import Pair


@dataclass(frozen=True, slots=True)
class Gain:
    """The official measures of the old and of the new answers."""

    old: Scores
    new: Scores

    def by(self) -> tuple[tuple[str, float], ...]:
        """What F1 has gained, by the official name of the measure; negative for a loss."""
        pairs = zip(self.old.named(), self.new.named(), strict=True)
        return tuple((name, after.f1 - before.f1) for (name, before), (_, after) in pairs)

    @property
    def total(self) -> float:
        """What pairs are ordered by: the gain in type and score, then in the other measures."""
        *rest, last = (value for _, value in self.by())
        return last + sum(rest) / 100


@dataclass(frozen=True, slots=True)
class PairComparison:
    """A pair whose answers differ.

    ``causes`` has the causes of each change, none where they were not looked for; ``gain``
    is None without gold.
    """

    pair: Pair
    changes: tuple[Change, ...]
    causes: tuple[tuple[Cause, ...], ...]
    gain: Gain | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs.

    ``count`` is how many pairs both have, ``changed`` those that differ: with gold the greatest
    gain first, otherwise in their order. ``only_old`` and ``only_new`` are the ids that only
    one run has. ``gain`` is over all pairs that both runs and gold have, ``scored`` how many
    those are.
    """

    count: int
    changed: tuple[PairComparison, ...]
    only_old: tuple[str, ...] = ()
    only_new: tuple[str, ...] = ()
    gain: Gain | None = None
    scored: int = 0


def compare(
    old: Mapping[str, Answered],
    new: Mapping[str, Answered],
    gold: Mapping[str, Reference] | None = None,
    causes: Mapping[str, tuple[tuple[Cause, ...], ...]] | None = None,
) -> Comparison:
    """Compare two runs.

    Args:
        old: the old answers by id.
        new: the new answers by id.
        gold: the gold alignments by id.
        causes: those of the changes of each pair, in their order.

    Raises:
        DataError: the runs have no pair in common, a pair has other sentences, or gold has
            none of the pairs.
    """
    both = [identifier for identifier in old if identifier in new]
    if not both:
        raise DataError("the two have no pair in common", hint="Compare answers to the same pairs")
    for identifier in both:
        if _words(old[identifier].pair) != _words(new[identifier].pair):
            raise DataError(
                "the old and the new answer are about other sentences",
                where=of_pair(identifier),
                hint="Compare answers to the same pairs",
            )
    scored = [identifier for identifier in both if gold is not None and identifier in gold]
    if gold is not None and not scored:
        raise DataError("gold has none of the pairs", expected=f"ids such as '{both[0]}'")
    overall, gains = _gains(gold or {}, old, new, scored)
    changed = []
    for identifier in both:
        changes = find_changes(old[identifier], new[identifier])
        if changes:
            found = (causes or {}).get(identifier, ((),) * len(changes))
            pair = new[identifier].pair
            changed.append(PairComparison(pair, changes, found, gains.get(identifier)))
    if scored:
        changed.sort(key=lambda one: -one.gain.total if one.gain else 0.0)
    return Comparison(
        len(both),
        tuple(changed),
        tuple(identifier for identifier in old if identifier not in new),
        tuple(identifier for identifier in new if identifier not in old),
        overall,
        len(scored),
    )


def _gains(
    gold: Mapping[str, Reference],
    old: Mapping[str, Answered],
    new: Mapping[str, Answered],
    scored: Sequence[str],
) -> tuple[Gain | None, dict[str, Gain]]:
    if not scored:
        return None, {}
    right = {identifier: gold[identifier] for identifier in scored}
    before, after = (
        evaluate(right, {identifier: run[identifier].reference for identifier in scored})
        for run in (old, new)
    )
    gains = {
        one.id: Gain(one.scores, two.scores)
        for one, two in zip(before.pairs, after.pairs, strict=True)
    }
    return Gain(before.overall, after.overall), gains


def _words(pair: Pair) -> tuple[str, str]:
    return pair.sent1.text, pair.sent2.text


@dataclass(frozen=True, slots=True)
class Both:
    """The answers of a pair by both sets of rules, and the causes of each change."""

    old: Answered
    new: Answered
    causes: tuple[tuple[Cause, ...], ...] = ()


def run_both(old: System, new: System, pairs: Iterable[Pair]) -> Iterator[Both]:
    """Decide pairs by two sets of rules, lazily and in their order; trace where answers differ.

    Sentences are annotated once.
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
