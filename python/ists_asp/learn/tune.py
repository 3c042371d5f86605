"""How readily to align: the threshold that is best for type+score F1 on held-out folds."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ists_asp.evaluate.scorer import Reference, evaluate
from ists_asp.learn.decode import best_candidates
from ists_asp.learn.fit import (
    BIAS,
    SCORES,
    Weight,
    fit_alignments,
    fit_boundaries,
    fit_labels,
    strongest,
)
from ists_asp.learn.folds import deal
from ists_asp.model import Alignment, Label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ists_asp.learn.examples import Candidate, Example
    from ists_asp.learn.fit import Settings
    from ists_asp.model import Scheme

__all__ = ["learn_weights"]

SHIFTS = (-40, -20, 0, 20, 40, 60, 80, 100, 120)
"""Changes of the weight of ``bias`` for ``align`` that are tried, in hundredths."""

_ALIGN = "align"
_LABELS = tuple(label.value.lower() for label in Label if label.aligned)


def learn_weights(examples: Sequence[Example], settings: Settings) -> list[Weight]:
    """Fit weights, with the bias of ``align`` that is best on held-out folds.

    Alignment F1 decides with a third of the weight of type+score F1: it is what the other
    decisions stand on, and it is less noisy.

    Args:
        examples: gold pairs, each with an id of its own.
        settings: how to learn.

    Raises:
        DataError: no boundary, or no alignment, can be learned from the examples.
    """
    gold = {
        example.gold.pair.id: Reference(example.gold.pair, example.gold.alignments)
        for example in examples
    }
    held_out: list[tuple[Example, list[_Judged]]] = []
    for train, test in deal(examples, settings.folds, settings.seed):
        fitted = [*fit_alignments(train, settings), *fit_labels(train, settings)]
        table = _Table(strongest(fitted, settings))
        held_out.extend((example, table.judge(example.candidates)) for example in test)
    shift = max(
        SHIFTS,
        key=lambda shift: (_quality(gold, held_out, shift, settings.scheme), -abs(shift)),
    )
    weights = [
        *fit_boundaries(examples, settings),
        *fit_alignments(examples, settings),
        *fit_labels(examples, settings),
    ]
    return _shifted(strongest(weights, settings), shift)


def _shifted(weights: Iterable[Weight], shift: int) -> list[Weight]:
    return [
        replace(weight, value=weight.value + shift)
        if (weight.decision, weight.name) == (_ALIGN, BIAS)
        else weight
        for weight in weights
    ]


def _quality(
    gold: Mapping[str, Reference],
    held_out: Iterable[tuple[Example, list[_Judged]]],
    shift: int,
    scheme: Scheme,
) -> float:
    system = {
        example.gold.pair.id: Reference(example.gold.pair, tuple(_decide(judged, shift)))
        for example, judged in held_out
    }
    overall = evaluate(gold, system, scheme).overall
    return overall.type_score.f1 + overall.alignment.f1 / 3


@dataclass(frozen=True, slots=True)
class _Judged:
    """A candidate, the sum of the weights for aligning it, and the alignment it would be."""

    candidate: Candidate
    worth: int
    alignment: Alignment


def _decide(judged: Sequence[_Judged], shift: int) -> Iterable[Alignment]:
    alignments = {id(one.candidate): one.alignment for one in judged}
    chosen = best_candidates(
        [one.candidate for one in judged],
        [(one.worth + shift) * one.candidate.mass for one in judged],
    )
    return [alignments[id(candidate)] for candidate in chosen]


class _Table:
    """Weights by decision and feature, and what they decide."""

    def __init__(self, weights: Iterable[Weight]) -> None:
        self._values: dict[str, dict[str, int]] = defaultdict(dict)
        for weight in weights:
            self._values[weight.decision][weight.name] = weight.value

    def judge(self, candidates: Iterable[Candidate]) -> list[_Judged]:
        return [
            _Judged(candidate, self._sum(_ALIGN, candidate.align), self._alignment(candidate))
            for candidate in candidates
        ]

    def _alignment(self, candidate: Candidate) -> Alignment:
        label = max(_LABELS, key=lambda name: self._sum(name, candidate.link))
        score = self._score(candidate, label)
        return Alignment(candidate.tokens1, candidate.tokens2, Label(label.upper()), score)

    def _score(self, candidate: Candidate, label: str) -> float:
        if label == Label.EQUI.value.lower():
            return 5.0
        features = (*candidate.link, f"label({label})")
        return float(max(SCORES, key=lambda n: self._sum(f"score({n})", features)))

    def _sum(self, decision: str, features: Iterable[str]) -> int:
        values: Mapping[str, int] = self._values[decision]
        return sum(values.get(name, 0) for name in features)
