"""Two answers to each of many pairs: what differs, decision by decision, and what gold says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from ists_asp.errors import DataError, of_pair, shortened
from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Evaluation, Measure, Reference, Scores, evaluate
from ists_asp.io.delimited import read_object
from ists_asp.io.formats import read_record
from ists_asp.io.text import Faults, Line, Warn, ignore, parse_each
from ists_asp.model import Alignment, Answer, Chunk, Pair, Tag

RESAMPLES, SEED = 2_000, 2004
RESAMPLED = f"bootstrap:{RESAMPLES}|seed:{SEED}"


@dataclass(frozen=True, slots=True)
class Answered(Reference):
    """A pair with its answer: lines, ``chunks`` of both sentences, rating, and text."""

    chunks: tuple[tuple[Chunk, ...], tuple[Chunk, ...]] | None = None
    rating: float | None = None
    explanation: str | None = None

    @classmethod
    def of(cls, answer: Answer, explanation: str | None = None) -> Answered:
        """The answer of a run."""
        rating = None if answer.rating is None else answer.rating.value
        return cls(answer.pair, answer.alignments, answer.chunks, rating, explanation)


def read_answered(
    path: Path, *, warn: Warn = ignore, skip_bad: bool = False
) -> dict[str, Answered]:
    """Read a ``.wa`` file or answers as JSON Lines, by id; the best of a pair, or no lines."""
    if path.suffix == ".wa":
        references = read_references(path, warn=warn, skip_bad=skip_bad).items()
        return {name: Answered(gold.pair, gold.alignments) for name, gold in references}
    run: dict[str, Answered] = {}

    def add(line: Line) -> None:
        record = read_object(line)
        if record.get("rank", 1) != 1:
            return
        try:
            answer = read_record(record)
        except DataError as error:
            error.where = line.where
            raise
        answered = Answered(answer.pair, ()) if "error" in record else Answered.of(answer)
        if answered.pair.id in run:
            raise DataError(f"the id '{shortened(answered.pair.id)}' again", where=line.where)
        run[answered.pair.id] = answered

    faults = Faults(warn if skip_bad else None)
    for _ in parse_each(path, add, faults, warn=warn):
        pass
    faults.check()
    return run


class ChangeKind(StrEnum):
    """Which decision differs."""

    BOUNDARY = "boundary"
    ALIGN = "align"
    LABEL = "label"
    SCORE = "score"
    TAG = "tag"
    UNALIGNED = "unaligned"
    RATING = "rating"
    EXPLANATION = "explanation"


@dataclass(frozen=True, slots=True)
class Change:
    """A decision that differs, about tokens of one side or of both."""

    kind: ChangeKind
    tokens1: tuple[int, ...]  # for a boundary the one that a chunk begins with
    tokens2: tuple[int, ...]
    old: str | None  # SIMI, 3 or, for an alignment, SIMI 3; None where nothing was
    new: str | None


def find_changes(old: Answered, new: Answered) -> tuple[Change, ...]:
    """The differences of two answers: boundaries, then line by line, then the pair as a whole."""
    return (*_boundaries(old, new), *_lines(old, new), *_wholes(old, new))


def _wholes(old: Answered, new: Answered) -> Iterator[Change]:
    if None not in (old.rating, new.rating) and old.rating != new.rating:
        yield Change(ChangeKind.RATING, (), (), f"{old.rating:.3f}", f"{new.rating:.3f}")
    if None not in (old.explanation, new.explanation) and old.explanation != new.explanation:
        yield Change(ChangeKind.EXPLANATION, (), (), old.explanation, new.explanation)


def _boundaries(old: Answered, new: Answered) -> Iterator[Change]:
    if old.chunks is None or new.chunks is None:
        return
    for side, (before, after) in enumerate(zip(old.chunks, new.chunks, strict=True), start=1):
        starts1, starts2 = ({chunk.first for chunk in chunks} for chunks in (before, after))
        for token in sorted(starts1 ^ starts2):
            tokens1, tokens2 = ((token,), ()) if side == 1 else ((), (token,))
            was, now = ("begins" if token in starts else None for starts in (starts1, starts2))
            yield Change(ChangeKind.BOUNDARY, tokens1, tokens2, was, now)


def _lines(old: Answered, new: Answered) -> Iterator[Change]:
    before, after = ({line.sides: line for line in answered.alignments} for answered in (old, new))
    for key in sorted({**before, **after}, key=lambda line: (not line[0], line)):
        line1, line2 = before.get(key), after.get(key)
        if line1 is None or line2 is None or line1.label.aligned != line2.label.aligned:
            kind = ChangeKind.ALIGN if key[0] and key[1] else ChangeKind.UNALIGNED
            yield Change(kind, *key, _line_text(line1), _line_text(line2))
            continue
        kinds = (ChangeKind.LABEL, ChangeKind.SCORE, ChangeKind.TAG)
        for kind, value1, value2 in zip(kinds, _values(line1), _values(line2), strict=True):
            if value1 != value2:
                yield Change(kind, *key, value1 or None, value2 or None)


def _line_text(line: Alignment | None) -> str | None:
    if line is None:
        return None
    label, score, tags = _values(line)
    return " ".join(filter(None, (label, tags, score)))


def _values(line: Alignment) -> tuple[str, str, str]:
    """Label, score and tags; for what is not aligned files have the score 0 as well as NIL."""
    tags = " ".join(str(tag) for tag in Tag if tag in line.tags)
    return str(line.label), f"{line.score:g}" if line.score else "", tags


@dataclass(frozen=True, slots=True)
class Gain:
    """The official measures of the old and of the new answers; how sure each gain is, if known."""

    old: Scores
    new: Scores
    # What 95 percent of the gains of resamples lie between, and the share that is none.
    intervals: tuple[tuple[float, ...], ...] = ((),) * 4

    def measures(self) -> tuple[tuple[str, float, float, float, *tuple[float, ...]], ...]:
        """Official names, with F1 before, after, the gain (below 0: a loss), and how sure it is."""
        pairs = zip(self.old.named(), self.new.named(), self.intervals, strict=False)
        return tuple(
            (name, old.f1, new.f1, new.f1 - old.f1, *sure) for (name, old), (_, new), sure in pairs
        )

    @property
    def total(self) -> float:
        """The order of pairs: by the gain in type and score, then in the other measures."""
        *rest, last = (by for _, _, _, by, *_ in self.measures())
        return last + sum(rest) / 100


@dataclass(frozen=True, slots=True)
class Moved:
    """A weight that only one side has; ``by`` is new less old, in hundredths of log-odds."""

    evidence: str
    decision: str
    by: int


@dataclass(frozen=True, slots=True)
class Cause:
    """A rule that is responsible for a change."""

    rule: str  # its name; file:line if it has none
    file: str
    line: int
    only: str  # old or new, whose rules have it; both for a weight that has changed
    text: str  # what it says where it fired, or a fact itself
    moved: tuple[Moved, ...]  # the weights that it moves, heaviest first


@dataclass(frozen=True, slots=True)
class PairComparison:
    """A pair whose answers differ, the causes of each change if looked for, the gain with gold."""

    pair: Pair
    changes: tuple[Change, ...]
    causes: tuple[tuple[Cause, ...], ...]
    gain: Gain | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs."""

    count: int  # pairs that both have
    changed: tuple[PairComparison, ...]  # with gold the greatest gain first
    only_old: tuple[str, ...] = ()  # ids that only one run has
    only_new: tuple[str, ...] = ()
    gain: Gain | None = None  # over all pairs that both runs and gold have
    scored: int = 0  # how many those are


def compare(
    old: Mapping[str, Answered],
    new: Mapping[str, Answered],
    gold: Mapping[str, Reference] | None = None,
    causes: Mapping[str, tuple[tuple[Cause, ...], ...]] | None = None,
) -> Comparison:
    """Compare two runs, by ids; ``causes`` are those of the changes of a pair, in their order."""
    both = [identifier for identifier in old if identifier in new]
    hint = "Compare answers to the same pairs"
    if not both:
        raise DataError("the two have no pair in common", hint=hint)
    for identifier in both:
        pair1, pair2 = old[identifier].pair, new[identifier].pair
        if (pair1.sent1.spaced, pair1.sent2.spaced) != (pair2.sent1.spaced, pair2.sent2.spaced):
            found = "the old and the new answer are about other sentences"
            raise DataError(found, where=of_pair(identifier), hint=hint)
    references = gold or {}
    right = {identifier: references[identifier] for identifier in both if identifier in references}
    if gold is not None and not right:
        raise DataError("gold has none of the pairs", expected=f"ids such as '{both[0]}'")
    before, after = (evaluate(right, {name: run[name] for name in right}) for run in (old, new))
    gains = {key: Gain(scores, after.pairs[key]) for key, scores in before.pairs.items()}
    changed = []
    for identifier in both:
        if changes := find_changes(old[identifier], new[identifier]):
            due = (*(causes or {}).get(identifier, ()), *((),) * len(changes))[: len(changes)]
            pair = new[identifier].pair
            changed.append(PairComparison(pair, changes, due, gains.get(identifier)))
    # With gold those first that gain most.
    changed.sort(key=lambda pair1: -pair1.gain.total if pair1.gain else 0.0)
    only_old = tuple(identifier for identifier in old if identifier not in new)
    only_new = tuple(identifier for identifier in new if identifier not in old)
    gain = Gain(before.overall, after.overall) if right else None
    return Comparison(len(both), tuple(changed), only_old, only_new, gain, len(right))


def compare_runs(old: Evaluation, new: Evaluation, gold: Mapping[str, Reference]) -> Comparison:
    """Compare the figures of two runs, measured by the same gold standard and scheme.

    How sure a gain is says paired bootstrap resampling (Koehn 2004, "Statistical significance
    tests for machine translation evaluation").
    """
    none, names = Scores(), {**old.pairs, **new.pairs}
    gains = {name: Gain(old.pairs.get(name, none), new.pairs.get(name, none)) for name in names}
    sums = np.array([(astuple(gain.old), astuple(gain.new)) for gain in gains.values()])
    generator, count, drawn = np.random.default_rng(SEED), len(sums), []
    for _ in range(RESAMPLES):
        times = np.bincount(generator.integers(count, size=count), minlength=count)
        totals = np.tensordot(times, sums, 1).tolist()
        f1s = [[Measure(*counts).f1 for counts in run] for run in totals]
        drawn.append(np.subtract(f1s[1], f1s[0]))
    shares = (1 + np.less_equal(drawn, 0).sum(axis=0)) / (1 + RESAMPLES)
    bounds = np.quantile(drawn, (0.025, 0.975), axis=0)
    sure = tuple(zip(*bounds.tolist(), shares.tolist(), strict=True))
    ranked = sorted(gains.items(), key=lambda item: -item[1].total)
    named = ((gold[name].pair, by) for name, by in ranked if name in gold and by.total)
    changed = (PairComparison(pair, (), (), by) for pair, by in named)
    return Comparison(count, tuple(changed), (), (), Gain(old.overall, new.overall, sure), count)
