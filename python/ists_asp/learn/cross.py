"""Cross-validation: learn on some folds, let the solver decide the others, score officially."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix

from ists_asp.errors import UsageError
from ists_asp.evaluate.scorer import Reference, compare_chunks, evaluate
from ists_asp.learn.confidence import judge
from ists_asp.learn.fit import (
    LABELS,
    SCORES,
    UNIT,
    fit_alignments,
    fit_boundaries,
    fit_labels,
    fit_scores,
    label_terms,
    render_weights,
    score_terms,
)
from ists_asp.model import Alignment, Label, Scheme
from ists_asp.vocabulary import BASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ists_asp.evaluate.scorer import Chunking, Scores
    from ists_asp.learn.confidence import Judged
    from ists_asp.learn.examples import Candidate, Example, ExampleBuilder, Senses
    from ists_asp.learn.fit import Settings, Term, Weight
    from ists_asp.model import Answer

    _Part = Sequence[tuple[Example, Answer]]

T = TypeVar("T")


def deal(items: Sequence[T], folds: int, seed: int) -> Iterator[tuple[list[T], list[T]]]:
    """Yield (train, test) for each fold; every item is in one test part."""
    order = list(range(len(items)))
    random.Random(seed).shuffle(order)
    for fold in range(folds):
        test = set(order[fold::folds])
        yield (
            [item for number, item in enumerate(items) if number not in test],
            [item for number, item in enumerate(items) if number in test],
        )


def best_candidates(
    candidates: Sequence[Candidate], weights: Sequence[float]
) -> tuple[Candidate, ...]:
    """Return the candidates of greatest total weight, no token being used twice.

    ``weights`` says what aligning each of them is worth; those of 0 or less are never chosen.
    """
    worthy = [number for number, weight in enumerate(weights) if weight > 0]
    users: dict[tuple[int, int], list[int]] = {}
    for place, number in enumerate(worthy):
        for side, tokens in enumerate((candidates[number].tokens1, candidates[number].tokens2)):
            for token in tokens:
                users.setdefault((side, token), []).append(place)
    clashes = sorted({tuple(places) for places in users.values() if len(places) > 1})
    if not clashes:
        return tuple(candidates[number] for number in worthy)
    chosen = _packed([weights[number] for number in worthy], clashes)
    return tuple(candidates[worthy[place]] for place in chosen)


def _packed(weights: Sequence[float], clashes: Sequence[tuple[int, ...]]) -> list[int]:
    """The places of greatest total weight, at most one from each clash: weighted set packing."""
    rows = [row for row, places in enumerate(clashes) for _ in places]
    columns = [place for places in clashes for place in places]
    shape = len(clashes), len(weights)
    matrix = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
    found = milp(
        -np.asarray(weights, dtype=float),
        integrality=np.ones(len(weights)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, ub=np.ones(len(clashes))),
    )
    return [place for place, taken in enumerate(found.x) if taken > 0.5]


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
    held_out: list[tuple[Example, list[Scored]]] = []
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
    held_out: Sequence[tuple[Example, Sequence[Scored]]], scheme: Scheme = Scheme.Y2016
) -> int:
    """How much readier to align is best, of :data:`SHIFTS`; the smallest change that is.

    ``held_out`` are gold pairs, each with an id of its own, and what weights that were not learned
    from it make of its candidates.
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
    held_out: Iterable[tuple[Example, Sequence[Scored]]],
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
class Scored:
    """A candidate, the sum of the weights for aligning it, and the alignment it would be."""

    candidate: Candidate
    worth: int
    alignment: Alignment


def _decide(judged: Sequence[Scored], shift: int) -> Iterable[Alignment]:
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

    def judge(self, candidates: Iterable[Candidate]) -> list[Scored]:
        """What the weights make of candidates."""
        return [
            Scored(
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


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """Held-out answers of all folds scored in one go, and each fold by itself.

    ``chunking`` compares the chunks found with gold chunks; it is None where gold chunks
    were given. ``judged`` has the decisions of each fold, with how far they led.
    """

    overall: Scores
    folds: tuple[Scores, ...]
    chunking: Chunking | None
    judged: tuple[tuple[Judged, ...], ...] = ()

    def spread(self, measure: str) -> tuple[float, float]:
        """Mean and standard deviation over the folds of the F1 of a field of ``Scores``."""
        values = [getattr(fold, measure).f1 for fold in self.folds]
        return fmean(values), stdev(values)


def cross_validate(
    teacher: ExampleBuilder,
    examples: Sequence[Example],
    settings: Settings,
    *,
    folds: int,
    tick: Callable[[], None] = lambda: None,
) -> tuple[CrossValidation, CrossValidation]:
    """Cross-validate with gold chunks and with found chunks, in this order.

    Args:
        teacher: the profile without weights.
        examples: what the teacher made of the gold pairs, each with an id of its own.
        settings: how to learn.
        folds: how many parts, from 2.
        tick: called after each pair that was solved, twice for each example.

    Raises:
        UsageError: there are fewer examples than parts.
        DataError: no boundary, or no alignment, can be learned from some of the parts.
        SolveError: there is no answer for a pair.
    """
    if not 2 <= folds <= len(examples):
        raise UsageError(
            f"{folds} parts of {len(examples)} gold pairs",
            where="cross-validation",
            expected="two parts or more, and a pair for each of them",
        )
    answers: dict[bool, list[_Part]] = {True: [], False: []}
    judged: dict[bool, list[tuple[Judged, ...]]] = {True: [], False: []}
    # Not the parts by which learning chooses its threshold.
    senses = teacher.senses()
    for train, test in deal(examples, folds, settings.seed + 1):
        weights = learn_weights(train, senses, settings)
        decider = teacher.decider(render_weights(weights, {}, "a fold", "learn"))
        for chunked, parts in answers.items():
            part: list[tuple[Example, Answer]] = []
            sure: list[Judged] = []
            decided = decider.solve(test, chunked=chunked)
            for example, (answer, leads) in zip(test, decided, strict=True):
                part.append((example, answer))
                sure.extend(judge(example.gold, answer, leads))
                tick()
            parts.append(part)
            judged[chunked].append(tuple(sure))
    return (
        CrossValidation(*_scores(answers[True], settings.scheme), None, tuple(judged[True])),
        CrossValidation(
            *_scores(answers[False], settings.scheme),
            _chunking(answers[False]),
            tuple(judged[False]),
        ),
    )


def _scores(parts: Sequence[_Part], scheme: Scheme) -> tuple[Scores, tuple[Scores, ...]]:
    whole = [decided for part in parts for decided in part]
    return _score(whole, scheme), tuple(_score(part, scheme) for part in parts)


def _score(part: _Part, scheme: Scheme) -> Scores:
    gold = {
        example.gold.pair.id: Reference(example.gold.pair, example.gold.alignments)
        for example, _ in part
    }
    system = {answer.pair.id: Reference(answer.pair, answer.alignments) for _, answer in part}
    return evaluate(gold, system, scheme).overall


def _chunking(parts: Iterable[_Part]) -> Chunking:
    return compare_chunks(
        sides
        for part in parts
        for example, answer in part
        for sides in (
            (example.gold.pair.sent1.chunks or (), answer.chunks1),
            (example.gold.pair.sent2.chunks or (), answer.chunks2),
        )
    )
