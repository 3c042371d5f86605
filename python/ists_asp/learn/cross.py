"""Cross-validation: learn on some folds, let the solver decide the others, score officially."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import chain
from statistics import fmean, stdev
from typing import TYPE_CHECKING, TypeVar

from ists_asp.errors import UsageError
from ists_asp.evaluate.scorer import Chunking, Reference, Scores, compare_chunks, evaluate
from ists_asp.learn.confidence import Judged, judge
from ists_asp.learn.fit import Weight, fit_alignments, fit_boundaries, fit_labels, fit_scores
from ists_asp.learn.rendering import render_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ists_asp.learn.examples import Example, ExampleBuilder, Senses
    from ists_asp.learn.fit import Settings
    from ists_asp.model import Answer, Scheme

    Decided = tuple[Reference, Answer, tuple[Judged, ...]]

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


def learn_weights(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit corrections of the weights that there are, or weights where there are none.

    Each example has an id of its own. It is a DataError if they show no choice of boundaries, or
    of alignments.
    """
    fits = fit_boundaries, fit_alignments, fit_labels, fit_scores
    return [weight for fit in fits for weight in fit(examples, senses, settings)]


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
    """Learn from all but one of ``folds`` parts of examples, from 2, and :func:`validate`."""
    if not 2 <= folds <= len(examples):
        raise UsageError(
            f"{folds} parts of {len(examples)} gold pairs",
            expected="two parts or more, and a pair for each of them",
        )
    senses = teacher.senses()
    dealt = deal(examples, folds, settings.seed + 1)
    parts = ((learned_rules(train, senses, settings), test) for train, test in dealt)
    return validate(teacher, parts, settings.scheme, tick)


def learned_rules(examples: Sequence[Example], senses: Senses, settings: Settings) -> str:
    """Return weights that are learned, or those that there are and corrections, as rules."""
    known = [Weight(*key, value, 0) for key, value in settings.base.items()]
    learned = learn_weights(examples, senses, settings)
    text = render_weights(learned, {}, "a part", "learn", corrections=bool(known))
    return render_weights(known, {}, "before", "learn") + text


def validate(
    teacher: ExampleBuilder,
    weighed: Iterable[tuple[str, Sequence[Example]]],
    scheme: Scheme,
    tick: Callable[[], None] = lambda: None,
) -> tuple[CrossValidation, CrossValidation]:
    """Decide parts with gold chunks and with found chunks, in this order, and score the answers.

    A part comes behind rules of weights that have not seen it. ``tick`` is called after each pair
    that was solved, twice for each example.
    """
    parts: dict[bool, list[list[Decided]]] = {True: [], False: []}
    for text, test in weighed:
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
            _score(chain.from_iterable(some), scheme),
            tuple(_score(part, scheme) for part in some),
            None if chunked else _chunking(chain.from_iterable(some)),
            tuple(tuple(one for *_, judged in part for one in judged) for part in some),
        )
        for chunked, some in parts.items()
    )
    return given, found


def _score(decided: Iterable[Decided], scheme: Scheme) -> Scores:
    gold, system = {}, {}
    for right, answer, _ in decided:
        gold[right.pair.id] = right
        system[answer.pair.id] = Reference(answer.pair, answer.alignments)
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
