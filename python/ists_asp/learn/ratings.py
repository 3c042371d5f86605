"""Weights of the evidence for ratings of pairs, learned from gold ratings.

The rules are grounded on each pair with its answer, and every ``speaks_for`` and ``speaks_against``
that they derive is weighed. Weights are never negative: common content cannot lower a rating, nor a
conflict raise it. The scale is fixed at both ends: all evidence gives the highest rating, and
:data:`LIKELY` of the pairs of unrelated sentences are rated below 1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from ists_asp.engine import Setup, System
from ists_asp.engine.program import Program, highest_rating, reading_for
from ists_asp.io.delimited import GoldScale
from ists_asp.io.pairs import ScoredPair, check_scale
from ists_asp.learn.cross import deal
from ists_asp.learn.fit import Weight
from ists_asp.model import Pair
from ists_asp.resources import Closing
from ists_asp.rules import NO_READER, Purpose, load_program
from ists_asp.solver import SolverOptions
from ists_asp.syntax.ground import Ground
from ists_asp.vocabulary import NOT_ABOVE, NOT_BELOW, SPEAKS_AGAINST, SPEAKS_FOR

DECISION = "rating"
BASE = "base"

SHRINK = 0.003  # how strongly weights are kept small: shares them among kindred evidence
UNRELATED = 300  # pairs that are put together from unrelated sentences
LIKELY = 0.95  # the share of unrelated pairs that are to be rated below 1
BAND = 500  # thousandths of a point that share a margin
_LEAST = 20  # pairs of a band with a margin

_SIGNS = {SPEAKS_FOR.name: 1, SPEAKS_AGAINST.name: -1}
_BOUNDS = {NOT_BELOW.name: 1, NOT_ABOVE.name: -1}


class Evidence(NamedTuple):
    """So many thousandths of what ``name`` says, negative where it speaks against."""

    name: str
    thousandths: int


def evidence_of(atoms: Mapping[str, Sequence[Ground]]) -> tuple[tuple[Evidence, ...], ...]:
    """Sorted evidence for a rating, weighed or not, and its bounds, negative from above."""
    return tuple(
        tuple(
            sorted(
                Evidence(str(atom.arguments[0]), sign * atom.arguments[1].number)
                for predicate, sign in signs.items()
                for atom in atoms.get(predicate, ())
            )
        )
        for signs in (_SIGNS, _BOUNDS)
    )


@dataclass(frozen=True, slots=True)
class RatedExample:
    """A gold pair: data set, rating, evidence and bounds, which are negative from above."""

    data_set: str
    gold: float
    evidence: tuple[Evidence, ...]
    bounds: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Rated:
    """Pairs of a data set: what people rated them, and what weights did that had not seen them."""

    data_set: str
    gold: Sequence[float]
    predicted: Sequence[float]


class RatingExampleBuilder(Closing):
    """A profile that rates pairs, ``highest`` at best, ready to turn gold pairs into examples."""

    def __init__(self, setup: Setup) -> None:
        profile, rules = load_program(setup.profile, setup.rules, Purpose.RATING, reader=NO_READER)
        self._system = System(setup).load()
        constants, wholes = profile.constants, self._system.wholes
        reading = reading_for(Purpose.RATING, rules, constants, wholes=wholes)
        self._program = Program(rules, SolverOptions(constants=constants), reading)
        self.highest = highest_rating(rules, constants)

    def close(self) -> None:
        """Close the lexicon; the teacher cannot be used afterwards."""
        self._system.close()

    def examples(self, data_set: str, golds: Iterable[ScoredPair]) -> Iterator[RatedExample]:
        """Decide gold pairs and collect the evidence for their ratings, lazily, in their order."""
        golds = list(golds)
        decided = self._system.decided(gold.pair for gold in golds)
        items = (self._program.facts(*answer) for answer in decided)
        for gold, best in zip(golds, self._program.solver.best_of_all(items), strict=True):
            yield RatedExample(data_set, gold.score, *evidence_of(best.atoms))


def scaled(
    pairs: Sequence[ScoredPair], scale: GoldScale | None, highest: int, where: str
) -> list[ScoredPair]:
    """Gold ratings from 0 to ``highest``, of those on a ``scale``, which is the same by default."""
    check_scale([pair.score for pair in pairs], scale, highest, where)
    low, high = scale or (0.0, float(highest))
    factor = highest / (high - low)
    return [replace(pair, score=(pair.score - low) * factor) for pair in pairs]


def mismatched(data_sets: Sequence[Sequence[ScoredPair]]) -> list[ScoredPair]:
    """Put unrelated sentences of a data set together, :data:`UNRELATED` pairs, rated 0."""
    # Sentences of a kind are harder to tell apart than others. The pairs are the same each time.
    share = max(1, UNRELATED // max(1, len(data_sets)))
    pairs = []
    for number, golds in enumerate(data_sets, 1):
        size = len(golds)
        for place in range(0, size, max(1, -(-size // share))):
            first, other = golds[place].pair, golds[(place + size // 2) % size].pair
            name = f"{number}.{first.id}.{other.id}"
            pairs.append(ScoredPair(Pair(name, first.sent1, other.sent2), 0.0))
    return pairs


def learn_ratings(
    examples: Sequence[RatedExample], unrelated: Sequence[RatedExample] = (), highest: int = 5
) -> tuple[Weight, ...]:
    """Learn weights by non-negative ridge regression, in thousandths of a point.

    Annotators of different data sets use the scale differently, so only differences within a data
    set count. ``base`` and the width of the scale follow from its ends, ``unrelated`` pairs made by
    :func:`mismatched` and full evidence; without such pairs the scale begins at 0.
    """
    names = sorted({item.name for example in examples for item in example.evidence})
    columns = {name: number for number, name in enumerate(names)}
    # The evidence in points: 1 where there is all of it.
    values = np.zeros((len(examples), len(names)))
    for row, example in enumerate(examples):
        for item in example.evidence:
            values[row, columns[item.name]] += item.thousandths / 1000
    golds = np.array([example.gold for example in examples])
    centred, levels = values.copy(), golds.copy()
    for name in {example.data_set for example in examples}:
        rows = np.array([example.data_set == name for example in examples])
        centred[rows] -= values[rows].mean(axis=0)
        levels[rows] -= golds[rows].mean()
    ridge = np.sqrt(SHRINK * len(examples)) * np.eye(len(names))
    solution, _ = nnls(np.vstack([centred, ridge]), np.concatenate([levels, np.zeros(len(names))]))
    worth = dict(zip(names, solution.tolist(), strict=True))
    against = {item.name for row in examples for item in row.evidence if item.thousandths < 0}
    full = sum(value for name, value in worth.items() if name not in against)
    base, width = _scale(full, [_sum(example, worth) for example in unrelated], highest)
    support = np.count_nonzero(values, axis=0).tolist()
    weights = (
        Weight(name, DECISION, round(1000 * width * worth[name]), count)
        for name, count in zip(names, support, strict=True)
    )
    # That of every pair is always there: it tells that these are all.
    start = Weight(BASE, DECISION, round(1000 * base), len(examples))
    return start, *(weight for weight in weights if weight.value or weight.name == BASE)


def _scale(full: float, unrelated: Sequence[float], highest: int) -> tuple[float, float]:
    """Where the scale begins, and the factor of weights, by sums of full and unrelated pairs."""
    place = min(len(unrelated) - 1, int(LIKELY * len(unrelated)))
    low = sorted(unrelated)[place] if unrelated else full
    if full <= low:
        return 0.0, 1.0
    width = (highest - 1) / (full - low)
    return highest - width * full, width


def _sum(example: RatedExample, worth: Mapping[str, float]) -> float:
    return sum(item.thousandths * worth.get(item.name, 0) for item in example.evidence) / 1000


def cross_validate_ratings(
    examples: Sequence[RatedExample],
    unrelated: Sequence[RatedExample] = (),
    *,
    highest: int = 5,
    folds: int | None,
    seed: int = 0,
) -> dict[str, tuple[Rated, ...]]:
    """Learn on some pairs and rate the others: each data set's ratings in each part it is in."""
    # Without ``folds`` each data set is left out, which tells what to expect of other texts.
    by_set: dict[str, list[RatedExample]] = defaultdict(list)
    for example in examples:
        by_set[example.data_set].append(example)
    parts = (([e for e in examples if e.data_set != name], by_set[name]) for name in by_set)
    ratings: dict[str, list[Rated]] = {name: [] for name in by_set}
    for train, test in parts if folds is None else deal(examples, folds, seed):
        weights = learn_ratings(train, unrelated, highest)
        for name in by_set:
            if rated := [example for example in test if example.data_set == name]:
                golds = [example.gold for example in rated]
                ratings[name].append(Rated(name, golds, predict(rated, weights, highest)))
    return {name: tuple(rated) for name, rated in ratings.items()}


def fit_margins(rated: Iterable[Rated]) -> tuple[tuple[int, int, int], ...]:
    """How far people were from ratings, by bands of :data:`BAND` thousandths.

    A band has its begin, the distance of two of three pairs, and their number, from :data:`_LEAST`.
    """
    bands: dict[int, list[float]] = defaultdict(list)
    for part in rated:
        for gold, rating in zip(part.gold, part.predicted, strict=True):
            bands[int(1000 * rating) // BAND].append(1000 * abs(gold - rating))
    return tuple(
        (BAND * band, round(sorted(errors)[-(-2 * len(errors) // 3) - 1]), len(errors))
        for band, errors in sorted(bands.items())
        if len(errors) >= _LEAST
    )


def predict(
    examples: Sequence[RatedExample], weights: Iterable[Weight], highest: int = 5
) -> list[float]:
    """The ratings that weights give, as ``asp/rate.lp`` has them but for rounding."""
    worth = {weight.name: weight.value / 1000 for weight in weights}
    base = worth.get(BASE, 0.0)
    ratings = []
    for example in examples:
        bounds = [bound.thousandths / 1000 for bound in example.bounds]
        low = max(base + _sum(example, worth), *bounds, 0.0)
        ratings.append(min(low, *(-bound for bound in bounds if bound <= 0), highest))
    return ratings
