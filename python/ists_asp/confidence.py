"""How sure an answer is: how far its decisions lead, and how often such decisions are right.

The weights are those that the rules derived for the pair, and the tables are facts in rule files
(``asp/confidence.lp``). Nothing is decided here: what is added to an answer changes none of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from clingo import SymbolType

from ists_asp.errors import RuleError, shortened
from ists_asp.model import Confidence
from ists_asp.syntax.ground import split
from ists_asp.vocabulary import ALIGN_WEIGHT, CLOSENESS, LABEL_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clingo import Symbol

    from ists_asp.model import Alignment, Answer, Chunk

A = TypeVar("A")

BOUNDARY_WEIGHT = "_boundary_weight"
POSSIBLE = "_possible"
WEIGHTS = (
    (ALIGN_WEIGHT.name, 3),
    (LABEL_WEIGHT.name, 4),
    (CLOSENESS.name, 4),
    (POSSIBLE, 3),
    (BOUNDARY_WEIGHT, 3),
)
"""The predicates that say how much decisions weigh, each with its arguments."""

Weights: TypeAlias = "Mapping[str, Sequence[str]]"
"""The arguments of the atoms of a pair as text, by the names of :data:`WEIGHTS`."""

Lead: TypeAlias = "tuple[str, int]"
"""The kind of a decision, as ``sure/4`` calls it, and how far it leads."""

Kind: TypeAlias = "tuple[str, str]"
"""The kind of a decision, and how the chunks come: given or found."""

Steps: TypeAlias = "tuple[tuple[int, int], ...]"
"""Leads, ascending, each with the percentage of right decisions from there on."""

_ALONE = 9999
_SCORES = range(1, 5)
_EQUI = "equi"


class AddConfidence(Protocol[A]):
    """Adds to an answer how sure it is, by what the rules derived for its pair."""

    def __call__(self, answer: A, weights: Weights, /) -> A:
        """The answer with confidence; all else stays."""


@dataclass(frozen=True, slots=True)
class Leads:
    """How far the decisions of an answer lead.

    ``lines`` has for each line of the answer, in their order, the alignment, the label and the
    score; None for a decision that nothing weighs. ``boundaries`` has for both sentences a lead
    for each token but the first; it is empty where chunks were given.
    """

    chunks: str
    lines: tuple[tuple[Lead | None, Lead | None, Lead | None], ...]
    boundaries: tuple[tuple[Lead, ...], tuple[Lead, ...]]


def leads_of(answer: Answer, weights: Weights) -> Leads:
    """How far the decisions of an answer lead, by what the rules derived for its pair."""
    found = _Weighed(weights)
    numbers = _chunk_numbers(answer.chunks1), _chunk_numbers(answer.chunks2)
    return Leads(
        "found" if answer.pair.sent1.chunks is None else "given",
        tuple(found.line(line, numbers) for line in answer.alignments),
        (found.boundaries("1", answer.chunks1), found.boundaries("2", answer.chunks2)),
    )


def sure_tables(facts: Iterable[Symbol]) -> dict[Kind, Steps]:
    """The tables of ``sure/4``, by its facts.

    Raises:
        RuleError: a fact is no row of such a table.
    """
    rows: dict[Kind, dict[int, int]] = defaultdict(dict)
    for fact in facts:
        name, chunks, at, share = fact.arguments
        numbers = at.type is share.type is SymbolType.Number and 0 <= share.number <= 100
        if str(chunks) not in ("given", "found") or not numbers:
            raise RuleError(
                f"{shortened(str(fact))} is no row of a table of confidence",
                expected="sure(Kind,given,Lead,Percent) or found, Percent from 0 to 100",
                hint="Rename this predicate, or look at docs/vocabulary.md",
            )
        rows[str(name), str(chunks)][at.number] = share.number
    return {kind: tuple(sorted(steps.items())) for kind, steps in rows.items()}


def percent(steps: Steps, lead: int) -> int:
    """In how many of 100 cases a decision is right that leads so far."""
    return steps[max(0, bisect_right(steps, (lead, 101)) - 1)][1]


class Confident:
    """Adds to answers how sure they are.

    Args:
        tables: how often decisions are right, by their kind and their lead.
    """

    def __init__(self, tables: Mapping[Kind, Steps]) -> None:
        self._tables = tables

    def __call__(self, answer: Answer, weights: Weights) -> Answer:
        """The answer with what the tables say of it."""
        leads = leads_of(answer, weights)

        def share(lead: Lead | None) -> float | None:
            steps = lead and self._tables.get((lead[0], leads.chunks))
            return percent(steps, lead[1]) / 100 if lead and steps else None

        return replace(
            answer,
            alignments=tuple(
                replace(line, confidence=_confidence(*map(share, three)))
                for line, three in zip(answer.alignments, leads.lines, strict=True)
            ),
            boundaries1=_whole(map(share, leads.boundaries[0])),
            boundaries2=_whole(map(share, leads.boundaries[1])),
        )


def _confidence(*shares: float | None) -> Confidence | None:
    return None if shares.count(None) == len(shares) else Confidence(*shares)


def _whole(shares: Iterator[float | None]) -> tuple[float, ...]:
    """All of them; nothing if one is missing."""
    found = tuple(shares)
    return () if None in found else tuple(share for share in found if share is not None)


class _Weighed:
    """The weights of a pair, looked up by spans as terms."""

    def __init__(self, weights: Weights) -> None:
        self._aligned: dict[tuple[str, str], int] = {}
        self._best: dict[tuple[int, int], int] = {}
        for atom in weights.get(ALIGN_WEIGHT.name, ()):
            one, two, weight = split(atom)
            self._aligned[one, two] = value = int(weight)
            for side, span in ((0, one), (1, two)):
                for chunk in _chunks(span):
                    key = side, chunk
                    self._best[key] = max(value, self._best.get(key, value))
        possible = {tuple(split(atom)) for atom in weights.get(POSSIBLE, ())}
        self._labels: dict[tuple[str, str], dict[str, int]] = defaultdict(dict)
        for atom in weights.get(LABEL_WEIGHT.name, ()):
            one, two, label, weight = split(atom)
            if (one, two, label) in possible:
                self._labels[one, two][label] = int(weight)
        self._worth: dict[tuple[str, str, str], int] = {}
        for atom in weights.get(CLOSENESS.name, ()):
            one, two, label, worth = split(atom)
            self._worth[one, two, label] = int(worth)
        self._boundaries: dict[tuple[str, int], int] = {}
        for atom in weights.get(BOUNDARY_WEIGHT, ()):
            sentence, token, weight = split(atom)
            self._boundaries[sentence, int(token)] = abs(int(weight)) // 100

    def line(
        self, line: Alignment, numbers: tuple[Mapping[int, int], Mapping[int, int]]
    ) -> tuple[Lead | None, Lead | None, Lead | None]:
        sides = [
            sorted({of[token] for token in tokens})
            for of, tokens in zip(numbers, (line.tokens1, line.tokens2), strict=True)
        ]
        if not all(sides):
            side = 0 if sides[0] else 1
            best = self._best.get((side, sides[side][0]))
            return ("alone", _ALONE if best is None else -best), None, None
        for one in _spans(sides[0]):
            for two in _spans(sides[1]):
                if (one, two) in self._aligned:
                    return self._pair(line, one, two)
        return None, None, None

    def _pair(self, line: Alignment, one: str, two: str) -> tuple[Lead, Lead | None, Lead | None]:
        aligned = "align", self._aligned[one, two]
        label = line.label.lower()
        rivals = dict(self._labels.get((one, two), ()))
        own = rivals.pop(label, None)
        if own is None:
            return aligned, None, None
        kind = "spe" if label.startswith("spe") else label
        lead = kind, own - max(rivals.values()) if rivals else _ALONE
        worth = self._worth.get((one, two, label))
        if label == _EQUI:
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


def _spans(numbers: Sequence[int]) -> Iterator[str]:
    """The terms that a side of these chunks may have; marks between chunks may be left out."""
    yield f"run({numbers[0]},{numbers[-1]})"
    yield f"gap({numbers[0]},{numbers[-1]})"


def _chunk_numbers(chunks: Sequence[Chunk]) -> dict[int, int]:
    return {token: number for number, chunk in enumerate(chunks, 1) for token in chunk.tokens}
