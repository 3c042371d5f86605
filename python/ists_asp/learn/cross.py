"""Cross-validation: learn on some folds, let the solver decide the others, score officially."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from clingo import Function, Number, parse_term

from ists_asp.evaluate.scorer import Reference, Scheme, evaluate
from ists_asp.learn.fit import learn_weights
from ists_asp.learn.folds import deal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clingo import Symbol

    from ists_asp.evaluate.measures import Evaluation
    from ists_asp.learn.examples import Example, Teacher
    from ists_asp.learn.fit import Settings, Weight

__all__ = ["CrossValidation", "cross_validate", "weight_facts"]


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """Held-out answers of all folds scored in one go, and each fold by itself.

    ``chunked`` says whether gold chunks were given.
    """

    chunked: bool
    overall: Evaluation
    folds: tuple[Evaluation, ...]

    def spread(self, measure: str) -> tuple[float, float]:
        """Mean and standard deviation over the folds of a measure's F1, by its name."""
        values = [getattr(fold.overall, measure).f1 for fold in self.folds]
        return fmean(values), stdev(values)


def cross_validate(
    teacher: Teacher,
    examples: Sequence[Example],
    settings: Settings,
    *,
    folds: int,
    tick: Callable[[], None] = lambda: None,
) -> tuple[CrossValidation, CrossValidation]:
    """Cross-validate with gold chunks and with found chunks, in this order.

    Args:
        teacher: the profile without weights.
        examples: what the teacher made of the gold pairs.
        settings: how to learn.
        folds: how many parts.
        tick: called after each pair that was solved, twice for each example.
    """
    gold = {e.gold.pair.id: Reference(e.gold.pair, e.gold.alignments) for e in examples}
    answers: dict[bool, dict[str, Reference]] = {True: {}, False: {}}
    parts: dict[bool, list[Evaluation]] = {True: [], False: []}
    for train, test in deal(examples, folds, settings.seed + 1):
        weights = weight_facts(learn_weights(train, settings))
        for chunked in (True, False):
            found: dict[str, Reference] = {}
            for example in test:
                answer = teacher.solve(example, weights, chunked=chunked)
                found[answer.pair.id] = Reference(answer.pair, answer.alignments)
                tick()
            held_out = {id_: gold[id_] for id_ in found}
            parts[chunked].append(evaluate(held_out, found, Scheme.Y2016))
            answers[chunked].update(found)
    with_gold, with_found = (
        CrossValidation(
            chunked, evaluate(gold, answers[chunked], Scheme.Y2016), tuple(parts[chunked])
        )
        for chunked in (True, False)
    )
    return with_gold, with_found


def weight_facts(weights: Iterable[Weight]) -> list[Symbol]:
    """The weights as facts ``weight(Name,Class,Integer)``."""
    return [
        Function(
            "weight", [parse_term(weight.name), parse_term(weight.decision), Number(weight.value)]
        )
        for weight in weights
    ]
