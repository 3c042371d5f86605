"""Weights: linear models of the four decisions, each weight in the sense of its name.

Boundaries and alignments are logistic regressions, labels a multinomial one that counts errors
as well, scores a regression in points. A name of evidence gets a weight only for the classes for
which a rule says ``argues(Name,Class,Sense)``, and only of that sign. The lasso chooses which
weights there are, as many as the budget allows, and only those that earn it: what they gain must be
large beside its standard error (Tibshirani 1996). Where there are weights already, corrections of
them are learned in the same way. An example counts as often as the alignment carries tokens, as in
the official measures.

A decision's sum is the dot product of values and weights. Some weights are shared by several
outcomes (what speaks for SPE1 on side 1 speaks for SPE2 on side 2), so that a model has one
matrix for each outcome over the same weights.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.special import expit

from ists_asp.errors import DataError
from ists_asp.model import Label, Scheme
from ists_asp.vocabulary import BASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from ists_asp.learn.examples import Candidate, Evidence, Example, Key, Sense, Senses

    Floats: TypeAlias = NDArray[np.float64]
    Loss: TypeAlias = Callable[[list[Floats]], tuple[float, list[Floats]]]
    """From the sums of each outcome to the loss and its slopes."""

UNIT = 100
"""Weights are in so many parts of a log-odds unit, or of a point; values in so many of a whole."""

LABELS = tuple(label.value.lower() for label in Label if label.aligned)
"""The labels of alignments."""

SCORES = (1, 2, 3, 4)
"""The scores of alignments that are not EQUI."""

Term: TypeAlias = "tuple[Key, int]"
"""A name and class, and the value of the evidence."""

_CLASS = {"spe1": "spe", "spe2": "spe"}
_OF_SIDE = {"spe1": ("this_spe", "other_spe"), "spe2": ("other_spe", "this_spe")}
_ROUNDS = 16
"""How often the lasso is drawn anew at most."""

_SHARES = {"boundary": 0.2, "align": 0.15, "label": 0.5, "score": 0.15}
"""How many of the corrections are for each decision."""

BUDGET = {"boundary": 360, "align": 20, "label": 220, "score": 20}
"""How many weights there may be for each decision if there are none yet."""

_PENALTIES = {"boundary": 0.25, "align": 1.0, "label": 0.3, "score": 3.0}
"""How strongly the weights of each decision are drawn to 0."""

NEARER = 3
"""How much more strongly a weight is drawn to one that there is already than to 0."""

_SUPPORT = 4
"""There must be so many examples with evidence for it to get a weight."""

MISSED = 2.0
"""The cost of an alignment that is missed, beside one that is too many.

The measures are F1s of the alignments and of what rests on them; some gold ones have nothing in
common, and all weights pay for these.
"""

LOG, ERRORS = 0.4, 1.2
"""The shares of log loss and expected errors in the second round of :func:`_label_losses`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to learn.

    Args:
        base: weights that there are, in hundredths, of which corrections are learned.
        corrected: corrections that there are: what is learned is added to them.
        keep: weights, or with a base corrections, that are not learned but kept as they are.
        corrections: how many corrections there may be.
        earned: a weight's gain must be so many times its standard error.
        smallest: weights smaller than this, in hundredths, are left out.
        seed: decides how pairs are dealt into folds.
        scheme: whose official measure scores what is left out.
        reasons: whether what gets no weight comes as well, with the value 0 and the reason.
    """

    base: Mapping[Key, int] = field(default_factory=dict)
    corrected: Mapping[Key, int] = field(default_factory=dict)
    keep: Mapping[Key, int] = field(default_factory=dict)
    corrections: int = 40
    earned: float = 1.0
    smallest: int = 4
    seed: int = 0
    scheme: Scheme = Scheme.Y2016
    reasons: bool = False

    @property
    def known(self) -> dict[Key, int]:
        """Corrections, or weights, that there are already."""
        return {**self.corrected, **self.keep}

    def most(self, what: str) -> int:
        """How many weights or corrections a decision may have."""
        return round(self.corrections * _SHARES[what]) if self.base else BUDGET[what]

    def penalty(self, what: str) -> float:
        """How strongly the weights of a decision are drawn to those that there are, or to 0."""
        return _PENALTIES[what] * (NEARER if self.base else 1)


@dataclass(frozen=True, slots=True)
class Weight:
    """``weight(name,decision,value)``; ``support`` counts the examples with the evidence."""

    name: str
    decision: str
    value: int
    support: int
    reason: str = ""


def label_terms(candidate: Candidate, label: str) -> Iterator[Term]:
    """The terms of a label, as ``asp/label.lp`` weighs them."""
    shared = _CLASS.get(label, label)
    for found in (candidate.pair, candidate.link):
        for name, value in found.items():
            yield (name, shared), value
    for side, decision in zip(candidate.sides, _OF_SIDE.get(label, (label, label)), strict=True):
        for name, value in side.items():
            yield (name, decision), value


def score_terms(candidate: Candidate, label: str) -> Iterator[Term]:
    """The terms of the closeness of a pair with a label, as ``asp/score.lp`` weighs them."""
    yield (f"label({_CLASS.get(label, label)})", "score"), UNIT
    for found in (candidate.pair, candidate.link, *candidate.sides):
        for name, value in found.items():
            yield (name, "score"), value


def decision_of(kind: str) -> str:
    """The decision that weights of a class are for; all classes but three are those of labels."""
    return kind if kind in ("boundary", "align", "score") else "label"


def fit_boundaries(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit the weights of chunk boundaries."""
    found = [
        (boundary.evidence, boundary.taken, 1.0, number)
        for number, example in enumerate(examples)
        for boundary in example.boundaries
    ]
    return _fit_choices("boundary", "chunk boundaries", found, senses, settings)


def fit_alignments(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit the weights of alignments."""
    found = [
        (
            candidate.pair,
            bool(candidate.gold),
            candidate.token_count * (MISSED if candidate.gold else 1.0),
            number,
        )
        for number, example in enumerate(examples)
        for candidate in example.candidates
    ]
    return _fit_choices("align", "alignments", found, senses, settings)


def _fit_choices(
    what: str,
    name: str,
    found: Sequence[tuple[Evidence, bool, float, int]],
    senses: Senses,
    settings: Settings,
) -> list[Weight]:
    """Fit what is taken or not by its evidence, which counts so often, with log loss."""
    if len({taken for _, taken, *_ in found}) < 2 or not any(one for one, *_ in found):
        raise DataError(
            f"the gold pairs show no choice to learn from: {name}",
            expected="pairs with chunks of several words, some of them aligned",
            hint="Give more gold pairs",
        )
    rows = [[((key, what), value) for key, value in one.items()] for one, *_ in found]
    yes = np.array([float(taken) for _, taken, *_ in found])
    often = np.array([count for *_, count, _ in found])
    examples = [number for *_, number in found]

    def loss(sums: list[Floats]) -> tuple[float, list[Floats]]:
        (total,) = sums
        lost = float((often * (np.logaddexp(0, total) - yes * total)).sum())
        return lost, [often * (expit(total) - yes)]

    return _Problem(what, [rows], examples, (loss,), senses, settings).weights()


def fit_labels(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit the weights of labels, each example a choice among those that have a licence.

    SPE1 and SPE2 share theirs. What has a label that no licence allows teaches nothing.
    """
    found = [
        (candidate, candidate.gold.label.value.lower(), candidate.labels or LABELS, number)
        for number, example in enumerate(examples)
        for candidate in example.candidates
        if candidate.gold and candidate.gold.label.value.lower() in (candidate.labels or LABELS)
    ]
    truth = np.array([[float(label == true) for label in LABELS] for _, true, *_ in found])
    allowed = np.array([[label in choice for label in LABELS] for *_, choice, _ in found])
    counts = np.array([float(one.token_count) for one, *_ in found])
    rows = [[list(label_terms(one, label)) for one, *_ in found] for label in LABELS]
    losses = _label_losses(truth, allowed, counts)
    numbers = [number for *_, number in found]
    return _Problem("label", rows, numbers, losses, senses, settings).weights()


def fit_scores(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit where each label begins, in points, and what evidence adds to it or takes from it."""
    found = [
        (candidate, gold.label.value.lower(), round(gold.score), number)
        for number, example in enumerate(examples)
        for candidate in example.candidates
        if (gold := candidate.gold) and gold.label is not Label.EQUI and gold.score is not None
    ]
    rows = [list(score_terms(one, label)) for one, label, *_ in found]
    right = np.clip([float(score) for *_, score, _ in found], SCORES[0], SCORES[-1])
    often = np.array([float(one.token_count) for one, *_ in found])
    numbers = [number for *_, number in found]

    def loss(sums: list[Floats]) -> tuple[float, list[Floats]]:
        error = sums[0] - right
        return float((often * error**2).sum()) / 2, [often * error]

    return _Problem("score", [rows], numbers, (loss,), senses, settings).weights()


@dataclass(frozen=True, slots=True)
class _Problem:
    """The terms of each outcome, a row an example of a decision, and whose example it is.

    The losses are minimised one after the other, each from where the one before ended.
    """

    what: str
    rows: Sequence[Sequence[Sequence[Term]]]
    numbers: Sequence[int]
    losses: Sequence[Loss]
    senses: Senses
    settings: Settings

    def weights(self) -> list[Weight]:
        """Choose as many weights as earn it and the budget allows, and fit them."""
        settings = self.settings
        # In how many examples there is the evidence, whatever the outcome.
        support = Counter(
            key
            for outcomes in zip(*self.rows, strict=True)
            for key in {key for row in outcomes for key, value in row if value}
        )
        every = sorted(
            key
            for key, count in support.items()
            if key not in settings.keep
            and any(self._sense(key))
            and (count >= _SUPPORT or self._is_free(key))
        )
        fitted, reasons = self._fitted(every) if every else ({}, {})
        found = Counter(fitted)
        known = settings.known.items()
        found.update({key: value for key, value in known if decision_of(key[1]) == self.what})
        weights = [Weight(*key, value, support[key]) for key, value in found.items()]
        if not settings.reasons:
            return weights
        argued = {name.partition("(")[0] for name, _ in self.senses}
        seen = {(name.partition("(")[0], decision) for name, decision in support}
        for key in (*support, *self.senses.keys() - seen):
            if any(self._sense(key)) and decision_of(key[1]) == self.what:
                reasons.setdefault(key, f"{_SUPPORT} examples are needed")
            elif key[0].partition("(")[0] not in argued:
                reasons[key] = "no argues/3 names it"
        lost = reasons.keys() - found
        return weights + [Weight(*key, 0, support[key], reasons[key]) for key in sorted(lost)]

    def _sense(self, key: Key) -> Sense:
        """The senses of a name, or of the family that it is of."""
        if _is_start(key):
            return True, True
        family = key[0].partition("(")[0], key[1]
        return self.senses.get(key) or self.senses.get(family) or (False, False)

    def _is_free(self, key: Key) -> bool:
        """Whether there is a weight in any case: where sums begin, if nothing is known of it."""
        return not self.settings.base and (key[0] == BASES.get(self.what) or _is_start(key))

    def _fitted(self, every: Sequence[Key]) -> tuple[dict[Key, int], dict[Key, str]]:
        """The weights that there are always, and those that earn it; why others do not."""
        settings = self.settings
        known = Counter(settings.base)
        known.update(settings.known)
        values = np.array([*known.values()]) / UNIT
        sums = [matrix @ values for matrix in self._matrices(list(known))]
        losses = [partial(_offset, loss, sums) for loss in self.losses]
        # A sum of weight and correction has the sense of its name, or is nothing.
        there = np.array([known[key] / UNIT for key in every])
        pro, contra = np.array([self._sense(key) for key in every]).T
        lower = np.where(contra, -np.inf, np.minimum(-there, 0.0))
        upper = np.where(pro, np.inf, np.maximum(-there, 0.0))
        matrices = self._matrices(every)
        paid = np.array([not self._is_free(key) for key in every])
        slopes, errors = self._slopes(matrices, sums)
        errors *= paid

        def left(price: float, start: Floats) -> tuple[Floats, set[int]]:
            weights = _minimised(
                matrices, losses[:1], lower, upper, price * errors, 0 * errors, start
            )
            return weights, set(np.flatnonzero(paid & (abs(weights) * UNIT >= 1)).tolist())

        earned = _within_budget(left, len(every), settings.earned, settings.most(self.what))
        columns = sorted(earned.union(np.flatnonzero(~paid).tolist()))
        effects = -slopes / np.where(errors, errors, np.inf)
        ends = (
            (matrix.min(axis=0).toarray()[0], matrix.max(axis=0).toarray()[0])
            for matrix in matrices
        )
        alike = np.all([low == high for low, high in ends], axis=0)
        told = np.select(
            [
                alike & [key[0] not in BASES.values() for key in every],
                abs(effects) < settings.earned,
                np.where(effects > 0, upper <= 0, lower >= 0),
            ],
            ["the same in all examples", "may be chance", "examples contradict argues/3"],
            "too little beside other evidence",
        )
        reasons = {
            key: f"{text} (z {effect:.1f}, {settings.earned:g} needed)"
            for key, text, effect in zip(every, told, effects, strict=True)
        }
        if not columns:
            return {}, reasons
        keys = [every[column] for column in columns]
        drawn = np.array([not _is_start(key) or bool(settings.base) for key in keys])
        few = [matrix[:, columns] for matrix in matrices]
        ridge = drawn * settings.penalty(self.what)
        found = _minimised(few, losses, lower[columns], upper[columns], 0 * ridge, ridge, 0 * ridge)
        rounded = {key: round(value * UNIT) for key, value in zip(keys, found, strict=True)}
        large = {key: value for key, value in rounded.items() if abs(value) >= settings.smallest}
        return large, reasons

    def _slopes(self, matrices: Sequence[csr_matrix], sums: list[Floats]) -> tuple[Floats, Floats]:
        """The slope of each weight where none of them counts yet, and its standard error.

        Examples of one gold pair are alike, so that pairs are counted and not examples.
        """
        _, slopes = self.losses[0](sums)
        count = len(self.numbers)
        pairs = csr_matrix((np.ones(count), (self.numbers, np.arange(count))))
        each = sum(
            pairs @ matrix.multiply(slope[:, None]).tocsr()
            for matrix, slope in zip(matrices, slopes, strict=True)
        )
        squares: Floats = np.asarray(each.power(2).sum(axis=0))[0]
        return np.asarray(each.sum(axis=0))[0], np.sqrt(squares)

    def _matrices(self, keys: Sequence[Key]) -> list[csr_matrix]:
        """For each outcome the values of the evidence: a row an example, a column a key."""
        columns = {key: number for number, key in enumerate(keys)}
        found = []
        for terms in self.rows:
            places = [
                [(columns[key], value) for key, value in row if key in columns] for row in terms
            ]
            pointers = np.cumsum([0, *map(len, places)])
            indices = np.array([column for row in places for column, _ in row], dtype=np.int32)
            values = np.array([value / UNIT for row in places for _, value in row])
            found.append(csr_matrix((values, indices, pointers), shape=(len(terms), len(keys))))
        return found


def _is_start(key: Key) -> bool:
    """Whether a weight is a place where sums begin, which nothing is drawn to."""
    return key[0].startswith("label(")


def _offset(loss: Loss, known: Sequence[Floats], sums: list[Floats]) -> tuple[float, list[Floats]]:
    """The loss of sums beside those that are known."""
    return loss([one + other for one, other in zip(sums, known, strict=True)])


def _within_budget(
    left: Callable[[float, Floats], tuple[Floats, set[int]]], size: int, least: float, budget: int
) -> set[int]:
    """The columns that the lasso leaves within the budget, at least so tight.

    What goes is dropped together, not one by one: what is weak beside its like may be strong
    without it.
    """
    start, loosest = np.zeros(size), least
    price, most = least, np.inf
    kept: set[int] = set()
    for _ in range(_ROUNDS):
        start, found = left(price, start)
        if len(found) > budget:
            least = price
        else:
            most = price
            kept = max(kept, found, key=len)
            if price == loosest or len(found) > budget * 0.97:
                break
        price = price * 2 if most == np.inf else (least + most) / 2
    return kept


def _minimised(
    matrices: Sequence[csr_matrix],
    losses: Sequence[Loss],
    lower: Floats,
    upper: Floats,
    lasso: Floats,
    ridge: Floats,
    start: Floats,
) -> Floats:
    """Weights within bounds; the penalties of lasso and ridge are added to each of the losses.

    ``start`` is best close to the optimum.
    """
    # A weight is the difference of two parts, neither below 0, one of them if its sign is bound.
    pro, contra = np.flatnonzero(upper > 0), np.flatnonzero(lower < 0)
    place = np.concatenate([pro, contra])
    sign = np.concatenate([np.ones(len(pro)), -np.ones(len(contra))])
    ends = np.concatenate([upper[pro], -lower[contra]])
    transposed = [matrix.T.tocsr() for matrix in matrices]

    def whole(parts: Floats) -> Floats:
        return np.bincount(place, sign * parts, len(lower)).astype(np.float64)

    def total(parts: Floats, loss: Loss) -> tuple[float, Floats]:
        weights = whole(parts)
        lost, slopes = loss([matrix @ weights for matrix in matrices])
        slope = ridge * weights
        lost += float(lasso[place] @ parts) + float(slope @ weights) / 2
        for matrix, part in zip(transposed, slopes, strict=True):
            slope = slope + matrix @ part
        return lost, sign * slope[place] + lasso[place]

    parts = np.clip(sign * start[place], 0.0, ends)
    bounds, options = [(0.0, end) for end in ends], {"maxiter": 500}
    for loss in losses:
        found = minimize(
            total, parts, loss, method="L-BFGS-B", jac=True, bounds=bounds, options=options
        )
        parts = np.asarray(found.x)
    return whole(parts)


def _label_losses(truth: Floats, allowed: Floats, counts: Floats) -> tuple[Loss, Loss]:
    """Log loss, then log loss and the expected number of errors at once.

    Log loss alone spends effort on examples that are hopeless or safe; the expected number of
    errors looks only at those that could still go either way, but is not convex. The sum of
    both, from the optimum of the first, decides better on held-out pairs than either.

    A row is an example: ``truth`` has 1 for its outcome, ``allowed`` for each outcome that was
    possible, ``counts`` how often it counts.
    """

    def losing(log: float, errors: float) -> Loss:
        def loss(sums: list[Floats]) -> tuple[float, list[Floats]]:
            each = np.stack(sums, axis=1)
            each -= np.where(allowed, each, -np.inf).max(axis=1, keepdims=True)
            odds = np.exp(np.where(allowed, each, -np.inf))
            whole = odds.sum(axis=1, keepdims=True)
            shares = odds / whole
            logs = (truth * each).sum(axis=1) - np.log(whole[:, 0])
            right = (truth * shares).sum(axis=1)
            lost = float((counts * (errors * (1 - right) - log * logs)).sum())
            slope = log * (shares - truth) - errors * shares * (truth - right[:, None])
            return lost, list((counts[:, None] * slope).T)

        return loss

    return losing(1.0, 0.0), losing(LOG, ERRORS)
