"""Confidence in an answer: the margins of its decisions, and how often such decisions are right.

The weights are those that the rules derived for the pair; the tables are facts in rule files
(``asp/confidence.lp``). Nothing here changes a decision. Rules would be grounded for every possible
decision and take a third more time; this takes a twentieth.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import TypeAlias, TypeVar

from clingo import Symbol, SymbolType

from ists_asp.errors import AnswerError, RuleError, shortened
from ists_asp.model import Alignment, Answer, Chunk, Confidence
from ists_asp.syntax.ground import Ground, split
from ists_asp.vocabulary import ALIGN_WEIGHT, CLOSENESS, LABEL_WEIGHT

A = TypeVar("A")

BOUNDARY_WEIGHT = "_boundary_weight"
POSSIBLE = "_possible"
WEIGHTS = (
    *((ALIGN_WEIGHT.name, 3), (LABEL_WEIGHT.name, 4), (CLOSENESS.name, 4)),
    *((POSSIBLE, 3), (BOUNDARY_WEIGHT, 3)),
)
"""The predicates that say how much decisions weigh, each with its arguments."""

Weights: TypeAlias = "Mapping[str, Sequence[str]]"
"""The arguments of the atoms of a pair as text, by the names of :data:`WEIGHTS`."""

Kind: TypeAlias = "tuple[str, str]"  # of a decision, and how the chunks come: given or found
# The kind of a decision, as ``confidence/4`` calls it, and how far it leads.
Lead: TypeAlias = "tuple[str, int]"
# Leads of the alignment, the label and the score of a line; None where nothing weighs them.
LineLeads: TypeAlias = "tuple[Lead | None, Lead | None, Lead | None]"
# Leads, ascending, each with the percentage of right decisions from there on.
Steps: TypeAlias = "tuple[tuple[int, int], ...]"
# Adds to an answer how confident it is, by what the rules derived for its pair.
AddConfidence: TypeAlias = "Callable[[A, Weights], A]"
_UNRIVALLED = 9999
_SCORES = range(1, 5)


@dataclass(frozen=True, slots=True)
class Leads:
    """How far the decisions of an answer lead."""

    chunks: str
    lines: tuple[LineLeads, ...]  # of each line of the answer, in their order
    # Of both sentences, for each token but the first; empty where chunks were given.
    boundaries: tuple[tuple[Lead, ...], tuple[Lead, ...]]


@dataclass(frozen=True, slots=True)
class Confident:
    """Adds to answers their confidence, by how often decisions are right of a kind and a lead."""

    tables: Mapping[Kind, Steps]

    def __call__(self, answer: Answer, weights: Weights) -> Answer:
        """The answer with what the tables say of it."""
        leads = leads_of(answer, weights)

        def share(lead: Lead | None) -> float | None:
            steps = lead and self.tables.get((lead[0], leads.chunks))
            return percent(steps, lead[1]) / 100 if lead and steps else None

        def confidence(line: LineLeads) -> Confidence | None:
            shares = [*map(share, line)]
            return None if shares == [None, None, None] else Confidence(*shares)

        def all_shares(boundaries: Iterable[Lead]) -> tuple[float, ...]:
            # All of them, or nothing.
            shares = [*map(share, boundaries)]
            return () if None in shares else tuple(share for share in shares if share is not None)

        lines = zip(answer.alignments, map(confidence, leads.lines), strict=True)
        first, second = map(all_shares, leads.boundaries)
        alignments = tuple(replace(line, confidence=confidence) for line, confidence in lines)
        return replace(answer, alignments=alignments, boundaries1=first, boundaries2=second)


def confidence_tables(facts: Iterable[Symbol]) -> dict[Kind, Steps]:
    """The tables of ``confidence/4``, by its facts."""
    rows: dict[Kind, dict[int, int]] = defaultdict(dict)
    for fact in facts:
        name, chunks, at, share = fact.arguments
        numbers = at.type is share.type is SymbolType.Number and 0 <= share.number <= 100
        if str(chunks) not in ("given", "found") or not numbers:
            found = f"{shortened(str(fact))} is not a row of a table of confidence"
            expected = "confidence(Kind,given,Lead,Percent) or found, Percent from 0 to 100"
            hint = "Rename this predicate, or see ists-asp rules vocabulary"
            raise RuleError(found, expected=expected, hint=hint)
        rows[str(name), str(chunks)][at.number] = share.number
    return {kind: tuple(sorted(steps.items())) for kind, steps in rows.items()}


def percent(steps: Steps, lead: int) -> int:
    """In how many of 100 cases a decision is right that leads so far."""
    return steps[max(0, bisect_right(steps, (lead, 101)) - 1)][1]


def leads_of(answer: Answer, weights: Weights) -> Leads:
    """How far the decisions of an answer lead, by what the rules derived for its pair."""
    weighed, sides = _Weighed(weights), answer.chunks
    numbers = [
        {token: number for number, chunk in enumerate(side, 1) for token in chunk.tokens}
        for side in sides
    ]

    def chunks(side: int, tokens: Iterable[int]) -> list[int]:
        return sorted({numbers[side][token] for token in tokens})

    return Leads(
        "found" if answer.pair.sent1.chunks is None else "given",
        tuple(weighed.line(line, *map(chunks, (0, 1), line.sides)) for line in answer.alignments),
        (weighed.boundaries("1", sides[0]), weighed.boundaries("2", sides[1])),
    )


class _Weighed:
    """The weights of a pair, looked up by spans as terms."""

    def __init__(self, weights: Weights) -> None:
        def rows(name: str) -> Iterator[Sequence[str]]:
            return map(split, weights.get(name, ()))

        self._aligned: dict[tuple[str, str], int] = {}
        self._best: dict[tuple[int, int], int] = {}
        for text in weights.get(ALIGN_WEIGHT.name, ()):
            span1, span2, weight = split(text)
            try:
                value = self._aligned[span1, span2] = int(weight)
                keys = [(side, chunk) for side in (0, 1) for chunk in _chunks((span1, span2)[side])]
            except ValueError:
                atom = Ground(f"{ALIGN_WEIGHT.name}({text})")
                expected = "spans run(C,D) or gap(C,D)"
                raise AnswerError("what is no span is weighed", [atom], expected) from None
            for key in keys:
                self._best[key] = max(value, self._best.get(key, value))
        possible = set(map(tuple, rows(POSSIBLE)))
        self._labels: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        for span1, span2, label, worth in rows(LABEL_WEIGHT.name):
            if (span1, span2, label) in possible:
                self._labels[span1, span2][label] = int(worth)
        self._worth = {(*place,): int(worth) for *place, worth in rows(CLOSENESS.name)}
        self._boundaries = {
            (sentence, int(token)): abs(int(weight)) // 100
            for sentence, token, weight in rows(BOUNDARY_WEIGHT)
        }

    def line(self, line: Alignment, chunks1: list[int], chunks2: list[int]) -> LineLeads:
        if not chunks1 or not chunks2:
            best = self._best.get((0, chunks1[0]) if chunks1 else (1, chunks2[0]))
            return ("alone", _UNRIVALLED if best is None else -best), None, None
        # Marks between chunks may be left out of a span.
        candidates = (
            [f"{name}({side[0]},{side[-1]})" for name in ("run", "gap")]
            for side in (chunks1, chunks2)
        )
        spans = next((pair for pair in product(*candidates) if pair in self._aligned), None)
        if spans is None:
            return None, None, None
        aligned = "align", self._aligned[spans]
        label = line.label.lower()
        rivals = dict(self._labels.get(spans, ()))
        weight = rivals.pop(label, None)
        if weight is None:
            return aligned, None, None
        kind = "spe" if label.startswith("spe") else label
        lead = kind, weight - max(rivals.values()) if rivals else _UNRIVALLED
        worth = self._worth.get((*spans, label))
        if label == "equi":
            return aligned, lead, lead
        if worth is None or line.score is None:
            return aligned, lead, None
        score = round(line.score)
        off = {other: abs(100 * other - worth) for other in _SCORES}
        nearest = min(off[other] for other in _SCORES if other != score)
        return aligned, lead, (f"score({score})", nearest - off.get(score, 0))

    def boundaries(self, side: str, chunks: Sequence[Chunk]) -> tuple[Lead, ...]:
        begins = {chunk.first for chunk in chunks}
        size = chunks[-1].last if chunks and self._boundaries else 0
        return tuple(
            ("boundary" if token in begins else "inside", self._boundaries.get((side, token), 0))
            for token in range(2, size + 1)
        )


@lru_cache(1 << 12)
def _chunks(span: str) -> tuple[int, ...]:
    """The numbers of the chunks of run(C,D) or gap(C,D)."""
    name, _, rest = span.partition("(")
    first, last = map(int, rest[:-1].split(","))
    return (first, last) if name == "gap" else tuple(range(first, last + 1))
