"""Weights: linear models of the four decisions, each weight with the sign that rules argue for.

Boundaries and alignments are logistic regressions, labels a multinomial one that counts errors
as well, scores a regression in points. A name of evidence gets a weight only for the classes for
which a rule says ``argues(Name,Class,Sense)``, and only of that sign. The lasso chooses the
weights, within the budget and only where the gain is large beside its standard error (Tibshirani
1996). Existing weights get corrections in the same way. An example counts as often as the alignment
carries tokens, as it does officially.

A decision's sum is the dot product of values and weights. Outcomes may share weights (SPE1 on side
1 and SPE2 on side 2), so a model has one matrix for each outcome over the same weights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    from numpy.typing import NDArray

    from ists_asp.learn.examples import Candidate, Evidence, Example, Key, Sense, Senses

    Floats: TypeAlias = NDArray[np.float64]
    Loss: TypeAlias = Callable[[list[Floats]], tuple[float, list[Floats]]]
    """From the sums of each outcome to the loss and its slopes."""

# Parts of a log-odds unit, or of a point, that weights are in; values have so many of a whole.
UNIT = 100
LABELS = tuple(label.value.lower() for label in Label if label.aligned)
SCORES = (1, 2, 3, 4)  # of alignments that are not EQUI

Term: TypeAlias = "tuple[Key, int]"  # a name and class, and the value of the evidence
_CLASS = {"spe1": "spe", "spe2": "spe"}
_OF_SIDE = {"spe1": ("this_spe", "other_spe"), "spe2": ("other_spe", "this_spe")}
_ROUNDS = 16  # of the lasso at most

# For each decision, the share of the corrections; the number of weights if there are none yet; and
# how strongly they are drawn to 0, or so much more strongly to those that there are already.
_SHARES = {"boundary": 0.2, "align": 0.15, "label": 0.5, "score": 0.15}
BUDGET = {"boundary": 360, "align": 20, "label": 220, "score": 20}
_PENALTIES = {"boundary": 0.25, "align": 1.0, "label": 0.3, "score": 3.0}
_NEARER = 3

_SUPPORT = 4  # examples with evidence for it to get a weight

# The cost of an alignment that is missed, beside one that is too many: the measures are F1s of the
# alignments and of what rests on them. Where no reader keeps to likely ones, it is the same.
_MISSED = {Scheme.Y2016: 2.0, Scheme.Y2015: 1.0}

# The shares of log loss and expected errors in the second round of _label_losses.
_LOG, _ERRORS = 0.4, 1.2


@dataclass(frozen=True, slots=True)
class Settings:
    """How to learn."""

    base: Mapping[Key, int] = field(default_factory=dict)  # weights there are, in hundredths
    corrected: Mapping[Key, int] = field(default_factory=dict)  # corrections there are
    keep: Mapping[Key, int] = field(default_factory=dict)  # weights to leave unchanged
    corrections: int = 40  # how many corrections there may be
    earned: float = 1.0  # a weight's gain must be so many times its standard error
    smallest: int = 4  # weights smaller than this, in hundredths, are left out
    seed: int = 0  # decides how pairs are dealt into folds
    scheme: Scheme = Scheme.Y2016  # whose official measure scores what is left out
    reasons: bool = False  # whether what gets no weight comes as well, with the reason

    @property
    def existing(self) -> dict[Key, int]:
        """Corrections, or weights, that there are already."""
        return {**self.corrected, **self.keep}

    def most(self, decision: str) -> int:
        """How many weights or corrections a decision may have."""
        return round(self.corrections * _SHARES[decision]) if self.base else BUDGET[decision]

    def penalty(self, decision: str) -> float:
        """How strongly the weights of a decision are drawn to those that there are, or to 0."""
        return _PENALTIES[decision] * (_NEARER if self.base else 1)


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
    parts = candidate.pair, candidate.link, *candidate.sides
    classes = shared, shared, *_OF_SIDE.get(label, (label, label))
    for evidence, decision in zip(parts, classes, strict=True):
        for name, value in evidence.items():
            yield (name, decision), value


def score_terms(candidate: Candidate, label: str) -> Iterator[Term]:
    """The terms of the closeness of a pair with a label, as ``asp/score.lp`` weighs them."""
    yield (f"label({_CLASS.get(label, label)})", "score"), UNIT
    for evidence in (candidate.pair, candidate.link, *candidate.sides):
        for name, value in evidence.items():
            yield (name, "score"), value


def decision_of(kind: str) -> str:
    """The decision that weights of a class are for; all classes but three are those of labels."""
    return kind if kind in ("boundary", "align", "score") else "label"


def fit_boundaries(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit the weights of chunk boundaries."""
    choices = [
        (boundary.evidence, boundary.taken, 1.0, number)
        for number, example in enumerate(examples)
        for boundary in example.boundaries
    ]
    return _fit_choices("boundary", "chunk boundaries", choices, senses, settings)


def fit_alignments(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit the weights of alignments."""
    missed = _MISSED[settings.scheme]
    choices = [
        (candidate.pair, taken, candidate.token_count * (missed if taken else 1.0), number)
        for number, example in enumerate(examples)
        for candidate in example.candidates
        for taken in [bool(candidate.gold)]
    ]
    return _fit_choices("align", "alignments", choices, senses, settings)


def _fit_choices(
    decision: str,
    name: str,
    choices: Sequence[tuple[Evidence, bool, float, int]],
    senses: Senses,
    settings: Settings,
) -> list[Weight]:
    """Fit what is taken or not by its evidence, which counts so often, with log loss."""
    if len({taken for _, taken, *_ in choices}) < 2 or not any(values for values, *_ in choices):
        found = f"the gold pairs show no choice to learn from: {name}"
        expected = "pairs with chunks of several words, some of them aligned"
        raise DataError(found, expected=expected, hint="Give more gold pairs")
    rows = [[((key, decision), value) for key, value in values.items()] for values, *_ in choices]
    yes = np.array([float(taken) for _, taken, *_ in choices])
    often = np.array([count for *_, count, _ in choices])
    examples = [number for *_, number in choices]

    def loss(sums: list[Floats]) -> tuple[float, list[Floats]]:
        (total,) = sums
        lost = float((often * (np.logaddexp(0, total) - yes * total)).sum())
        return lost, [often * (expit(total) - yes)]

    return _Problem(decision, [rows], examples, (loss,), senses, settings).weights()


def fit_labels(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit the weights of labels, each example a choice among those that have a licence.

    SPE1 and SPE2 share theirs. Examples whose label has no licence are left out.
    """
    choices = [
        (candidate, true, candidate.labels or LABELS, number)
        for number, example in enumerate(examples)
        for candidate in example.candidates
        if candidate.gold
        and (true := candidate.gold.label.value.lower()) in (candidate.labels or LABELS)
    ]
    truth = np.array([[float(label == true) for label in LABELS] for _, true, *_ in choices])
    allowed = np.array([[label in labels for label in LABELS] for *_, labels, _ in choices])
    counts = np.array([float(candidate.token_count) for candidate, *_ in choices])
    rows = [[list(label_terms(candidate, label)) for candidate, *_ in choices] for label in LABELS]
    losses = _label_losses(truth, allowed, counts)
    numbers = [number for *_, number in choices]
    return _Problem("label", rows, numbers, losses, senses, settings).weights()


def fit_scores(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit where each label begins, in points, and what evidence adds to it or takes from it."""
    scored = [
        (candidate, gold.label.value.lower(), round(gold.score), number)
        for number, example in enumerate(examples)
        for candidate in example.candidates
        if (gold := candidate.gold) and gold.label is not Label.EQUI and gold.score is not None
    ]
    rows = [list(score_terms(candidate, label)) for candidate, label, *_ in scored]
    right = np.clip([float(score) for *_, score, _ in scored], SCORES[0], SCORES[-1])
    often = np.array([float(candidate.token_count) for candidate, *_ in scored])
    numbers = [number for *_, number in scored]

    def loss(sums: list[Floats]) -> tuple[float, list[Floats]]:
        error = sums[0] - right
        return float((often * error**2).sum()) / 2, [often * error]

    return _Problem("score", [rows], numbers, (loss,), senses, settings).weights()


@dataclass(frozen=True, slots=True)
class _Problem:
    """The terms of each outcome, a row an example of a decision, and whose example it is."""

    decision: str
    rows: Sequence[Sequence[Sequence[Term]]]
    numbers: Sequence[int]
    losses: Sequence[Loss]  # minimised one after the other, each from where the last ended
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
        keys = sorted(
            key
            for key, count in support.items()
            if key not in settings.keep
            and any(self._sense(key))
            and (count >= _SUPPORT or self._is_free(key))
        )
        fitted, reasons = self._fitted(keys) if keys else ({}, {})
        values = Counter(fitted)
        old = settings.existing.items()
        values.update({key: value for key, value in old if decision_of(key[1]) == self.decision})
        weights = [Weight(*key, value, support[key]) for key, value in values.items()]
        if not settings.reasons:
            return weights
        argued = {name.partition("(")[0] for name, _ in self.senses}
        supported = {(name.partition("(")[0], decision) for name, decision in support}
        for key in (*support, *self.senses.keys() - supported):
            if any(self._sense(key)) and decision_of(key[1]) == self.decision:
                reasons.setdefault(key, f"{_SUPPORT} examples are needed")
            elif key[0].partition("(")[0] not in argued:
                reasons[key] = "no argues/3 names it"
        lost = reasons.keys() - values
        return weights + [Weight(*key, 0, support[key], reasons[key]) for key in sorted(lost)]

    def _sense(self, key: Key) -> Sense:
        """The senses of a name, or of the family that it is of."""
        if _is_start(key):
            return True, True
        family = key[0].partition("(")[0], key[1]
        return self.senses.get(key) or self.senses.get(family) or (False, False)

    def _is_free(self, key: Key) -> bool:
        """Whether there is a weight in any case: where sums begin, if nothing is known of it."""
        return not self.settings.base and (key[0] == BASES.get(self.decision) or _is_start(key))

    def _fitted(self, names: Sequence[Key]) -> tuple[dict[Key, int], dict[Key, str]]:
        """The weights that there are always, and those that earn it; why others do not."""
        settings = self.settings
        existing = Counter(settings.base)
        existing.update(settings.existing)
        values = np.array([*existing.values()]) / UNIT
        sums = [matrix @ values for matrix in self._matrices(list(existing))]
        # A sum of weight and correction has the sense of its name, or is nothing.
        current = np.array([existing[key] / UNIT for key in names])
        pro, contra = np.array([self._sense(key) for key in names]).T
        lower = np.where(contra, -np.inf, np.minimum(-current, 0.0))
        upper = np.where(pro, np.inf, np.maximum(-current, 0.0))
        matrices = self._matrices(names)
        paid = np.array([not self._is_free(key) for key in names])
        slopes, errors = self._slopes(matrices, sums)
        errors *= paid

        def left(price: float, start: Floats) -> tuple[Floats, set[int]]:
            lasso, ridge = price * errors, 0 * errors
            problem = matrices, sums, self.losses[:1]
            weights = _minimised(*problem, lower, upper, lasso, ridge, start)
            return weights, set(np.flatnonzero(paid & (abs(weights) * UNIT >= 1)).tolist())

        earned = _within_budget(left, len(names), settings.earned, settings.most(self.decision))
        columns = sorted(earned.union(np.flatnonzero(~paid).tolist()))
        effects = -slopes / np.where(errors, errors, np.inf)
        ends = ((matrix.min(axis=0), matrix.max(axis=0)) for matrix in matrices)
        alike = np.all([low.toarray()[0] == high.toarray()[0] for low, high in ends], axis=0)
        causes = np.select(
            [
                alike & [key[0] not in BASES.values() for key in names],
                abs(effects) < settings.earned,
                np.where(effects > 0, upper <= 0, lower >= 0),
            ],
            ["the same in all examples", "may be chance", "examples contradict argues/3"],
            "too little beside other evidence",
        )
        reasons = {
            key: f"{text} (z {effect:.1f}, {settings.earned:g} needed)"
            for key, text, effect in zip(names, causes, effects, strict=True)
        }
        if not columns:
            return {}, reasons
        keys = [names[column] for column in columns]
        drawn = np.array([not _is_start(key) or bool(settings.base) for key in keys])
        few = [matrix[:, columns] for matrix in matrices]
        ridge = drawn * settings.penalty(self.decision)
        none = 0 * ridge
        bounds = lower[columns], upper[columns]
        fitted = _minimised(few, sums, self.losses, *bounds, none, ridge, none)
        rounded = {key: round(value * UNIT) for key, value in zip(keys, fitted, strict=True)}
        large = {key: value for key, value in rounded.items() if abs(value) >= settings.smallest}
        return large, reasons

    def _slopes(self, matrices: Sequence[csr_matrix], sums: list[Floats]) -> tuple[Floats, Floats]:
        """The slope of each weight where none counts yet, and its standard error over pairs."""
        _, slopes = self.losses[0](sums)
        count = len(self.numbers)
        pairs = csr_matrix((np.ones(count), (self.numbers, np.arange(count))))
        by_pair = sum(
            pairs @ matrix.multiply(slope[:, None]).tocsr()
            for matrix, slope in zip(matrices, slopes, strict=True)
        )
        squares: Floats = np.asarray(by_pair.power(2).sum(axis=0))[0]
        return np.asarray(by_pair.sum(axis=0))[0], np.sqrt(squares)

    def _matrices(self, keys: Sequence[Key]) -> list[csr_matrix]:
        """For each outcome the values of the evidence: a row an example, a column a key."""
        columns = {key: number for number, key in enumerate(keys)}

        def matrix(terms: Sequence[Sequence[Term]]) -> csr_matrix:
            rows = [
                [(columns[key], value) for key, value in row if key in columns] for row in terms
            ]
            pointers = np.cumsum([0, *map(len, rows)])
            indices = np.array([column for row in rows for column, _ in row], dtype=np.int32)
            values = np.array([value / UNIT for row in rows for _, value in row])
            return csr_matrix((values, indices, pointers), shape=(len(terms), len(keys)))

        return list(map(matrix, self.rows))


def _is_start(key: Key) -> bool:
    """Whether a weight is a place where sums begin, which nothing is drawn to."""
    return key[0].startswith("label(")


def _within_budget(
    left: Callable[[float, Floats], tuple[Floats, set[int]]], size: int, least: float, budget: int
) -> set[int]:
    """The columns that the lasso leaves within the budget, at least so tight."""
    # They go together: what is weak beside its like may be strong without it.
    start, loosest = np.zeros(size), least
    price, most = least, np.inf
    best: set[int] = set()
    for _ in range(_ROUNDS):
        start, columns = left(price, start)
        if len(columns) > budget:
            least = price
        else:
            most = price
            best = max(best, columns, key=len)
            if price == loosest or len(columns) > budget * 0.97:
                break
        price = price * 2 if most == np.inf else (least + most) / 2
    return best


def _minimised(
    matrices: Sequence[csr_matrix],
    sums: Sequence[Floats],
    losses: Sequence[Loss],
    lower: Floats,
    upper: Floats,
    lasso: Floats,
    ridge: Floats,
    start: Floats,
) -> Floats:
    """Weights within bounds, added to fixed sums; lasso and ridge count in each of the losses."""
    # A weight is the difference of two parts, neither below 0, one of them if its sign is bound.
    pro, contra = np.flatnonzero(upper > 0), np.flatnonzero(lower < 0)
    columns = np.concatenate([pro, contra])
    sign = np.concatenate([np.ones(len(pro)), -np.ones(len(contra))])
    ends = np.concatenate([upper[pro], -lower[contra]])
    transposed = [matrix.T.tocsr() for matrix in matrices]

    def weights_of(parts: Floats) -> Floats:
        return np.bincount(columns, sign * parts, len(lower)).astype(np.float64)

    def total(parts: Floats, loss: Loss) -> tuple[float, Floats]:
        weights = weights_of(parts)
        lost, slopes = loss([m @ weights + fixed for m, fixed in zip(matrices, sums, strict=True)])
        slope = ridge * weights
        lost += float(lasso[columns] @ parts) + float(slope @ weights) / 2
        for matrix, part in zip(transposed, slopes, strict=True):
            slope = slope + matrix @ part
        return lost, sign * slope[columns] + lasso[columns]

    parts = np.clip(sign * start[columns], 0.0, ends)
    bounds, options = [(0.0, end) for end in ends], {"maxiter": 500}
    for loss in losses:
        optimum = minimize(
            total, parts, loss, method="L-BFGS-B", jac=True, bounds=bounds, options=options
        )
        parts = np.asarray(optimum.x)
    return weights_of(parts)


def _label_losses(truth: Floats, allowed: Floats, counts: Floats) -> tuple[Loss, Loss]:
    """Log loss, then log loss and the expected number of errors at once.

    Log loss alone spends effort on hopeless and safe examples; the expected number of errors looks
    at the others, but is not convex. Their sum, from the optimum of the first, decides better on
    held-out pairs than either. Rows are examples: ``truth`` has 1 for the outcome, ``allowed`` for
    each possible one, ``counts`` are their weights.
    """

    def loss(log: float, errors: float, sums: list[Floats]) -> tuple[float, list[Floats]]:
        logits = np.stack(sums, axis=1)
        logits -= np.where(allowed, logits, -np.inf).max(axis=1, keepdims=True)
        odds = np.exp(np.where(allowed, logits, -np.inf))
        totals = odds.sum(axis=1, keepdims=True)
        shares = odds / totals
        logs = (truth * logits).sum(axis=1) - np.log(totals[:, 0])
        right = (truth * shares).sum(axis=1)
        lost = float((counts * (errors * (1 - right) - log * logs)).sum())
        slope = log * (shares - truth) - errors * shares * (truth - right[:, None])
        return lost, list((counts[:, None] * slope).T)

    return partial(loss, 1.0, 0.0), partial(loss, _LOG, _ERRORS)
