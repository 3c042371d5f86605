"""Cross-validation: learn on some folds, let the solver decide the others, score officially."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from ists_asp.errors import UsageError
from ists_asp.evaluate.scorer import Reference, compare_chunks, evaluate
from ists_asp.learn.confidence import judge
from ists_asp.learn.folds import deal
from ists_asp.learn.tune import learn_weights
from ists_asp.learn.weights_file import render_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ists_asp.evaluate.scorer import Chunking, Scores
    from ists_asp.learn.confidence import Judged
    from ists_asp.learn.examples import Example, ExampleBuilder
    from ists_asp.learn.fit import Settings
    from ists_asp.model import Answer, Scheme

    _Part = Sequence[tuple[Example, Answer]]


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
        """Mean and standard deviation over the folds of a measure's F1.

        Args:
            measure: a field of :class:`~ists_asp.evaluate.scorer.Scores`.
        """
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
