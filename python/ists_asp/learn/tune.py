"""How readily to align: the threshold that is best for type+score F1 on held-out folds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ists_asp.evaluate.scorer import Reference, evaluate
from ists_asp.learn.decode import best_candidates
from ists_asp.learn.fit import (
    LABELS,
    SCORES,
    UNIT,
    fit_alignments,
    fit_boundaries,
    fit_labels,
    fit_scores,
    label_terms,
    score_terms,
)
from ists_asp.learn.folds import deal
from ists_asp.model import Alignment, Label, Scheme
from ists_asp.vocabulary import BASES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ists_asp.learn.examples import Candidate, Example
    from ists_asp.learn.fit import Settings, Term, Weight
    from ists_asp.learn.senses import Senses

SHIFTS = (-40, -20, 0, 20, 40, 60, 80, 100, 120)
"""Changes of the weight of any pair for ``align`` that are tried, in hundredths."""

_ALIGN = "align"


def learn_weights(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit weights, with the weight of any pair for ``align`` that is best on held-out folds.

    Alignment F1 decides with a third of the weight of type+score F1: it is what the other
    decisions stand on, and it is less noisy.

    Args:
        examples: gold pairs, each with an id of its own.
        senses: what each name of evidence may argue for and against.
        settings: how to learn.

    Raises:
        DataError: no boundary, or no alignment, can be learned from the examples.
    """
    held_out: list[tuple[Example, list[Judged]]] = []
    for train, test in deal(examples, settings.folds, settings.seed):
        table = Table(_fit_pairs(train, senses, settings))
        held_out.extend((example, table.judge(example.candidates)) for example in test)
    shift = best_shift(held_out, settings.scheme)
    weights = [
        *fit_boundaries(examples, senses, settings),
        *_fit_pairs(examples, senses, settings),
    ]
    return [
        replace(weight, value=weight.value + shift)
        if (weight.name, weight.decision) == (BASES[_ALIGN], _ALIGN)
        else weight
        for weight in weights
    ]


def best_shift(
    held_out: Sequence[tuple[Example, Sequence[Judged]]], scheme: Scheme = Scheme.Y2016
) -> int:
    """How much readier to align is best, of :data:`SHIFTS`; the smallest change that is.

    Args:
        held_out: gold pairs, each with an id of its own, and what weights that were not learned
            from it make of its candidates.
        scheme: whose official measure decides.
    """
    gold = {
        example.gold.pair.id: Reference(example.gold.pair, example.gold.alignments)
        for example, _ in held_out
    }
    return max(SHIFTS, key=lambda shift: (_quality(gold, held_out, shift, scheme), -abs(shift)))


def _fit_pairs(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    return [
        weight
        for fit in (fit_alignments, fit_labels, fit_scores)
        for weight in fit(examples, senses, settings)
    ]


def _quality(
    gold: Mapping[str, Reference],
    held_out: Iterable[tuple[Example, Sequence[Judged]]],
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
class Judged:
    """A candidate, the sum of the weights for aligning it, and the alignment it would be."""

    candidate: Candidate
    worth: int
    alignment: Alignment


def _decide(judged: Sequence[Judged], shift: int) -> Iterable[Alignment]:
    alignments = {id(one.candidate): one.alignment for one in judged}
    chosen = best_candidates(
        [one.candidate for one in judged],
        [(one.worth + shift) * one.candidate.token_count for one in judged],
    )
    return [alignments[id(candidate)] for candidate in chosen]


class Table:
    """Weights by name and decision, and what they decide."""

    def __init__(self, weights: Iterable[Weight]) -> None:
        self._values = {(weight.name, weight.decision): weight.value for weight in weights}

    def judge(self, candidates: Iterable[Candidate]) -> list[Judged]:
        """What the weights make of candidates."""
        return [
            Judged(
                candidate,
                self._sum(((name, _ALIGN), value) for name, value in candidate.pair.items()),
                self._alignment(candidate),
            )
            for candidate in candidates
        ]

    def _alignment(self, candidate: Candidate) -> Alignment:
        labels = [label for label in LABELS if label in (candidate.labels or LABELS)]
        label = max(labels, key=lambda name: self._sum(label_terms(candidate, name)))
        score = self._score(candidate, label)
        return Alignment(candidate.tokens1, candidate.tokens2, Label(label.upper()), score)

    def _score(self, candidate: Candidate, label: str) -> float:
        if label == Label.EQUI.value.lower():
            return 5.0
        points = self._sum(score_terms(candidate, label))
        return float(min(SCORES, key=lambda score: (abs(UNIT * score - points), -score)))

    def _sum(self, terms: Iterable[Term]) -> int:
        whole = sum(self._values.get(key, 0) * value for key, value in terms)
        # As clingo divides: towards zero.
        return int(whole / UNIT)
