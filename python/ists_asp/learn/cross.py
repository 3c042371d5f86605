"""Cross-validation: learn on some folds, let the solver decide the others, score officially."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from ists_asp.errors import UsageError
from ists_asp.evaluate.scorer import Reference, compare_chunks, evaluate
from ists_asp.learn.confidence import judge
from ists_asp.learn.fit import (
    LABELS,
    SCORES,
    UNIT,
    Weight,
    fit_alignments,
    fit_boundaries,
    fit_labels,
    fit_scores,
    label_terms,
    score_terms,
)
from ists_asp.learn.rendering import render_weights
from ists_asp.model import Alignment, Label, Scheme
from ists_asp.vocabulary import BASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ists_asp.evaluate.scorer import Chunking, Scores
    from ists_asp.learn.confidence import Judged
    from ists_asp.learn.examples import Candidate, Example, ExampleBuilder, Key, Senses
    from ists_asp.learn.fit import Settings, Term
    from ists_asp.model import Answer

    Decided = tuple[Reference, Answer, tuple[Judged, ...]]

T = TypeVar("T")
Spans = TypeVar("Spans", "Candidate", Alignment)

SHIFTS = (-40, -20, 0, 20, 40, 60, 80, 100, 120)
"""Changes of the weight of any pair for ``align`` that are tried, in hundredths."""

_ALIGN = "align"


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


def best_candidates(candidates: Sequence[Spans], weights: Sequence[float]) -> tuple[Spans, ...]:
    """Return the candidates of greatest total weight, no token being used twice.

    ``weights`` says what aligning each of them is worth; those of 0 or less are never chosen.
    """
    worthy = [place for place, weight in enumerate(weights) if weight > 0]
    users: dict[tuple[int, int], list[int]] = defaultdict(list)
    for column, place in enumerate(worthy):
        for side, tokens in enumerate((candidates[place].tokens1, candidates[place].tokens2)):
            for token in tokens:
                users[side, token].append(column)
    clashes = sorted({tuple(columns) for columns in users.values() if len(columns) > 1})
    if clashes:
        # Weighted set packing: at most one from each clash.
        matrix = np.zeros((len(clashes), len(worthy)))
        for row, columns in enumerate(clashes):
            matrix[row, columns] = 1
        found = milp(
            [-float(weights[place]) for place in worthy],
            integrality=np.ones(len(worthy)),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(matrix, ub=np.ones(len(clashes))),
        )
        worthy = [place for place, taken in zip(worthy, found.x, strict=True) if taken > 0.5]
    return tuple(candidates[place] for place in worthy)


def learn_weights(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit corrections of the weights that there are, or weights where there are none.

    In these the weight of any pair for ``align`` is the one that is best on held-out folds:
    alignment F1 decides with a third of the weight of type+score F1: it is what the other
    decisions stand on, and it is less noisy.

    Args:
        examples: gold pairs, each with an id of its own.
        senses: what each name of evidence may argue for and against.
        settings: how to learn.

    Raises:
        DataError: no boundary, or no alignment, can be learned from the examples.
    """
    weights = [
        *fit_boundaries(examples, senses, settings),
        *_fit_pairs(examples, senses, settings),
    ]
    if settings.base:
        return weights
    held_out: list[tuple[Example, list[Scored]]] = []
    for train, test in deal(examples, settings.folds, settings.seed):
        table = {(one.name, one.decision): one.value for one in _fit_pairs(train, senses, settings)}
        held_out.extend((example, scored(table, example.candidates)) for example in test)
    shift = best_shift(held_out, settings.scheme)
    return [
        replace(weight, value=weight.value + shift)
        if (weight.name, weight.decision) == (BASES[_ALIGN], _ALIGN)
        else weight
        for weight in weights
    ]


def _fit_pairs(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    return [
        weight
        for fit in (fit_alignments, fit_labels, fit_scores)
        for weight in fit(examples, senses, settings)
    ]


def best_shift(
    held_out: Sequence[tuple[Example, Sequence[Scored]]], scheme: Scheme = Scheme.Y2016
) -> int:
    """How much readier to align is best, of :data:`SHIFTS`; the smallest change that is.

    ``held_out`` are gold pairs, each with an id of its own, and what weights that were not learned
    from it make of its candidates.
    """

    def quality(shift: int) -> tuple[float, int]:
        answers = []
        for example, some in held_out:
            worths = [(one.worth + shift) * one.candidate.token_count for one in some]
            lines = best_candidates([one.alignment for one in some], worths)
            answers.append((example.gold, Reference(example.gold.pair, lines)))
        scores = _score(answers, scheme)
        return scores.type_score.f1 + scores.alignment.f1 / 3, -abs(shift)

    return max(SHIFTS, key=quality)


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate, the sum of the weights for aligning it, and the alignment it would be."""

    candidate: Candidate
    worth: int
    alignment: Alignment


def scored(table: Mapping[Key, int], candidates: Iterable[Candidate]) -> list[Scored]:
    """What weights, by name and decision, make of candidates."""

    def total(terms: Iterable[Term]) -> int:
        # As clingo divides: towards zero.
        return int(sum(table.get(key, 0) * value for key, value in terms) / UNIT)

    def alignment(candidate: Candidate) -> Alignment:
        labels = [label for label in LABELS if label in (candidate.labels or LABELS)]
        best = max(labels, key=lambda label: total(label_terms(candidate, label)))
        label, score = Label(best.upper()), 5
        if label is not Label.EQUI:
            points = total(score_terms(candidate, best))
            score = min(SCORES, key=lambda score: (abs(UNIT * score - points), -score))
        return Alignment(candidate.tokens1, candidate.tokens2, label, float(score))

    return [
        Scored(
            one, total(((name, _ALIGN), value) for name, value in one.pair.items()), alignment(one)
        )
        for one in candidates
    ]


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
    parts: dict[bool, list[list[Decided]]] = {True: [], False: []}
    known = [Weight(*key, value, 0) for key, value in settings.base.items()]
    # Not the parts by which learning chooses its threshold.
    senses = teacher.senses()
    for train, test in deal(examples, folds, settings.seed + 1):
        learned = learn_weights(train, senses, settings)
        text = render_weights(learned, {}, "a fold", "learn", corrections=bool(known))
        text = render_weights(known, {}, "before", "learn") + text
        decided = teacher.decide(text, [(one, chunked) for chunked in parts for one in test])
        for some in parts.values():
            some.append([])
            for example in test:
                answer, leads = next(decided)
                judged = tuple(judge(example.gold, answer, leads))
                some[-1].append((example.gold, answer, judged))
                tick()
    given, found = (
        CrossValidation(
            _score([(gold, answer) for part in some for gold, answer, _ in part], settings.scheme),
            tuple(
                _score([(gold, answer) for gold, answer, _ in part], settings.scheme)
                for part in some
            ),
            None if chunked else _chunking(one for part in some for one in part),
            tuple(tuple(one for *_, judged in part for one in judged) for part in some),
        )
        for chunked, some in parts.items()
    )
    return given, found


def _score(answered: Sequence[tuple[Reference, Answer | Reference]], scheme: Scheme) -> Scores:
    gold = {right.pair.id: right for right, _ in answered}
    system = {one.pair.id: Reference(one.pair, one.alignments) for _, one in answered}
    return evaluate(gold, system, scheme).overall


def _chunking(decided: Iterable[Decided]) -> Chunking:
    return compare_chunks(
        sides
        for gold, answer, _ in decided
        for sides in (
            (gold.pair.sent1.chunks or (), answer.chunks1),
            (gold.pair.sent2.chunks or (), answer.chunks2),
        )
    )
