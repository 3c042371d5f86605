"""Confidence: how often decisions that led so far were right, on pairs that were left out.

Decisions of a kind are sorted by their lead, and the share of right ones is fitted by steps that
never fall (pool adjacent violators). A step has at least :data:`_LEAST` decisions and rises by at
least :data:`_RISE` percent, so that the table can be read; few decisions lean towards the share
of all like them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from ists_asp.model import Answer, Label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.confidence import Kind, Lead, Leads
    from ists_asp.evaluate.scorer import Reference

_LEAST = 20
_RISE = 3
_LEANING = 4.0
_ROUND = 10
_SUREST = 99

Table: TypeAlias = "Mapping[Kind, Sequence[Step]]"
"""Steps by kind, the leads rising."""

_ORDER = ("boundary", "inside", "align", "alone", "equi", "oppo", "spe", "simi", "rel")


@dataclass(frozen=True, slots=True)
class Judged:
    """A decision: its kind, how far it led, and whether people had decided so."""

    kind: Kind
    lead: int
    right: bool


@dataclass(frozen=True, slots=True)
class Step:
    """Decisions that lead by ``lead`` or more: how many, and how many in 100 are right."""

    lead: int
    percent: int
    count: int


def judge(gold: Reference, answer: Answer, leads: Leads) -> Iterator[Judged]:
    """Compare the decisions of an answer with gold.

    Labels and scores are judged only where the alignment is right.
    """

    def judged(lead: Lead, *, right: bool) -> Judged:
        return Judged((lead[0], leads.chunks), lead[1], right)

    golden = {(line.tokens1, line.tokens2): line for line in gold.alignments}
    for line, (aligned, label, score) in zip(answer.alignments, leads.lines, strict=True):
        wanted = golden.get((line.tokens1, line.tokens2))
        if aligned is not None:
            yield judged(aligned, right=wanted is not None)
        if wanted is not None and label is not None:
            yield judged(label, right=line.label == wanted.label)
        if wanted is not None and score is not None and score != label:
            yield judged(score, right=line.score == wanted.score)
    sentences = (gold.pair.sent1, gold.pair.sent2)
    chunks = (answer.chunks1, answer.chunks2)
    for sentence, found, some in zip(sentences, chunks, leads.boundaries, strict=True):
        begins = {chunk.first for chunk in found}
        wanted_begins = {chunk.first for chunk in sentence.chunks or ()}
        for token, lead in enumerate(some, 2):
            yield judged(lead, right=(token in begins) == (token in wanted_begins))


def fit_table(judged: Iterable[Judged]) -> dict[Kind, tuple[Step, ...]]:
    """Fit steps that never fall to the share of right decisions, for each kind."""
    by_kind: dict[Kind, list[Judged]] = defaultdict(list)
    alike: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in judged:
        by_kind[one.kind].append(one)
        alike[_family(one.kind)].append(one.right)
    return {
        kind: _steps(by_kind[kind], fmean(alike[_family(kind)]))
        for kind in sorted(by_kind, key=_place)
    }


def _family(kind: Kind) -> tuple[str, str]:
    """The kinds that are alike: all labels, all scores."""
    name, chunks = kind
    family = "label" if name.upper() in Label.__members__ or name == "spe" else name
    return family.partition("(")[0], chunks


def _place(kind: Kind) -> tuple[str, int, str]:
    name, chunks = kind
    return chunks, _ORDER.index(name) if name in _ORDER else len(_ORDER), name


def _steps(judged: Sequence[Judged], base: float) -> tuple[Step, ...]:
    """Pool adjacent violators, then what is too small, or hardly rises, with its neighbour."""
    # Leads are rounded down, so that a table does not rest on single units.
    values: dict[int, list[bool]] = defaultdict(list)
    for one in judged:
        values[one.lead // _ROUND * _ROUND].append(one.right)
    blocks: list[tuple[int, int, int]] = []

    def pool(place: int) -> None:
        (lead, right, count), (_, more, others) = blocks[place - 1 : place + 1]
        blocks[place - 1 : place + 1] = [(lead, right + more, count + others)]

    for lead, verdicts in sorted(values.items()):
        blocks.append((lead, sum(verdicts), len(verdicts)))
        while len(blocks) > 1 and (
            blocks[-2][2] < _LEAST or blocks[-2][1] * blocks[-1][2] >= blocks[-1][1] * blocks[-2][2]
        ):
            pool(len(blocks) - 1)
    while len(blocks) > 1:
        shares = [_share(right, count, base) for _, right, count in blocks]
        rise, place = min((b - a, n) for n, (a, b) in enumerate(pairwise(shares), 1))
        if 100 * rise < _RISE:
            pool(place)
        elif blocks[-1][2] < _LEAST:
            pool(len(blocks) - 1)
        else:
            break
    return tuple(
        Step(lead, min(_SUREST, round(100 * _share(right, count, base))), count)
        for lead, right, count in blocks
    )


def _share(right: int, count: int, base: float) -> float:
    return (right + _LEANING * base) / (count + _LEANING)
