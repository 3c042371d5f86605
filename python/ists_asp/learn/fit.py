"""Weights: regularised linear models of the four decisions, rounded to integers.

Boundaries and alignments are logistic regressions, labels and scores multinomial ones (those of
labels also count errors, see :mod:`ists_asp.learn.softmax`), all without an intercept (the
feature ``bias`` takes its place), so that the sum of the weights of the features that fired is
the log-odds of the decision, in hundredths. An example counts as often as the alignment carries
tokens, as in the official measures.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Any

from ists_asp.errors import DataError
from ists_asp.learn.softmax import fit_softmax
from ists_asp.model import Label, Scheme

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ists_asp.learn.examples import Candidate, Example

__all__ = [
    "BIAS",
    "LABELS",
    "SCORES",
    "Settings",
    "Weight",
    "fit_alignments",
    "fit_boundaries",
    "fit_labels",
    "strongest",
]

UNIT = 100
"""Weights are in so many parts of a log-odds unit."""

LABELS = frozenset(label.value.lower() for label in Label if label.aligned)
"""What an alignment may be."""

SCORES = (1, 2, 3, 4)
"""What an alignment that is not EQUI may score."""

BIAS = "bias"
"""The feature that fires for every decision of a kind."""

_YES_OR_NO = {"boundary": "chunk boundaries", "align": "alignments"}


@dataclass(frozen=True, slots=True)
class Settings:
    """How to learn.

    Args:
        boundary: inverse strength of the L2 penalty for boundaries (scikit-learn's ``C``);
            ``align``, ``label`` and ``score`` are the same for these decisions.
        support: a feature needs to fire in so many training examples to get a weight.
        features: how many features a boundary, an alignment, a label and a score may weigh:
            the most telling ones, whose weights are then fitted once more.
        smallest: weights smaller than this, in hundredths, are left out.
        most: so many weights at most; the smallest are dropped first.
        folds: how many parts the tuning of the alignment threshold uses.
        seed: decides how pairs are dealt into folds.
        scheme: whose official measure decides what is best.
    """

    boundary: float = 1.0
    align: float = 0.1
    label: float = 0.15
    score: float = 0.1
    support: int = 4
    features: tuple[int, int, int, int] = (220, 150, 230, 40)
    smallest: int = 4
    most: int = 1500
    folds: int = 5
    seed: int = 0
    scheme: Scheme = Scheme.Y2016


@dataclass(frozen=True, slots=True)
class Weight:
    """``weight(name,decision,value)``; ``support`` counts the examples in which it fired."""

    name: str
    decision: str
    value: int
    support: int


@dataclass(frozen=True, slots=True)
class _Row:
    features: tuple[str, ...]
    outcome: str
    mass: float


def fit_boundaries(examples: Sequence[Example], settings: Settings) -> list[Weight]:
    """Fit the weights of chunk boundaries.

    Raises:
        DataError: the examples do not have both tokens that begin a chunk and others.
    """
    rows = _boundary_rows(examples)
    return list(_fit("boundary", rows, settings.boundary, settings.features[0], settings))


def fit_alignments(examples: Sequence[Example], settings: Settings) -> list[Weight]:
    """Fit the weights of alignments, and of the scores that aligned pairs get.

    Args:
        examples: gold pairs.
        settings: how to learn.

    Raises:
        DataError: the examples do not have both proposed pairs that are aligned and others.
    """
    _, aligning, _, scoring = settings.features
    candidates = _candidates(examples)
    return [
        *_fit("align", _align_rows(candidates), settings.align, aligning, settings),
        *_fit("score", _score_rows(candidates), settings.score, scoring, settings),
    ]


def fit_labels(examples: Sequence[Example], settings: Settings) -> list[Weight]:
    """Fit the weights of labels.

    A label that no example has gets the odds of one in all of them and one more: without a
    weight it would be chosen where everything speaks against the others.
    """
    rows = _label_rows(_candidates(examples))
    weights = list(_fit("label", rows, settings.label, settings.features[2], settings))
    if weights:
        unseen = sorted(LABELS - {row.outcome for row in rows})
        odds = -round(UNIT * log(len(rows) + 1))
        weights += [Weight(BIAS, label, odds, 0) for label in unseen]
    return weights


def strongest(weights: Iterable[Weight], settings: Settings) -> list[Weight]:
    """Sort weights by strength and leave out those that the settings call too small."""
    kept = [w for w in weights if abs(w.value) >= settings.smallest or w.name == BIAS]
    kept.sort(key=lambda weight: (-abs(weight.value), weight.decision, weight.name))
    return kept[: settings.most]


def _boundary_rows(examples: Iterable[Example]) -> list[_Row]:
    return [
        _Row(decision.features, "boundary" if decision.taken else "", 1.0)
        for example in examples
        for decision in example.boundaries
    ]


def _candidates(examples: Iterable[Example]) -> list[Candidate]:
    return [
        candidate for example in examples for candidate in (*example.candidates, *example.mirrored)
    ]


def _align_rows(candidates: Iterable[Candidate]) -> list[_Row]:
    return [
        _Row(candidate.align, "align" if candidate.gold else "", float(candidate.mass))
        for candidate in candidates
    ]


def _label_rows(candidates: Iterable[Candidate]) -> list[_Row]:
    return [
        _Row(candidate.link, candidate.gold.label.value.lower(), float(candidate.mass))
        for candidate in candidates
        if candidate.gold
    ]


def _score_rows(candidates: Iterable[Candidate]) -> list[_Row]:
    rows = []
    for candidate in candidates:
        gold = candidate.gold
        if gold and gold.label is not Label.EQUI and gold.score is not None:
            score = min(max(round(gold.score), SCORES[0]), SCORES[-1])
            features = (*candidate.link, f"label({gold.label.value.lower()})")
            rows.append(_Row(features, f"score({score})", float(candidate.mass)))
    return rows


def _fit(
    what: str, rows: list[_Row], strength: float, most: int, settings: Settings
) -> Iterator[Weight]:
    """Fit one decision; with two outcomes, one being "", only the other gets weights."""
    outcomes = sorted({row.outcome for row in rows})
    support = Counter(name for row in rows for name in row.features)
    names = sorted(
        name for name, count in support.items() if count >= settings.support or name == BIAS
    )
    if what in _YES_OR_NO and (len(outcomes) < 2 or not names):
        raise DataError(
            f"the gold pairs show no choice to learn from: {_YES_OR_NO[what]}",
            expected="pairs with chunks of several words, some of them aligned",
            hint="Give more gold pairs",
        )
    if len(outcomes) < 2 or not names:
        # Without an example to the contrary, what was always decided is decided always.
        for outcome in outcomes:
            yield Weight(BIAS, outcome, UNIT, len(rows))
        return
    learned = _coefficients(what, rows, names, strength, settings.seed)
    if len(names) > most:
        names = _most_telling(learned, names, support, len(rows), most)
        learned = _coefficients(what, rows, names, strength, settings.seed)
    for decision, values in learned.items():
        for name, value in zip(names, values, strict=True):
            yield Weight(name, decision, round(value * UNIT), support[name])


def _most_telling(
    learned: dict[str, list[float]],
    names: list[str],
    support: Counter[str],
    total: int,
    most: int,
) -> list[str]:
    """The features that move the sums most: by the variance that their weights cause in them."""
    telling = {}
    for column, name in enumerate(names):
        values = [weights[column] for weights in learned.values()]
        share = support[name] / total
        telling[name] = sum(value * value for value in values) * share * (1 - share)
    ranked = sorted(names, key=lambda name: (-telling[name], name))
    return sorted({*ranked[:most], *(name for name in names if name == BIAS)})


def _coefficients(
    what: str, rows: list[_Row], names: list[str], strength: float, seed: int
) -> dict[str, list[float]]:
    """The log-odds that each feature adds, in the order of ``names``, by outcome."""
    import numpy as np
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    columns = {name: number for number, name in enumerate(names)}
    indices = [[columns[name] for name in row.features if name in columns] for row in rows]
    pointers = np.cumsum([0, *map(len, indices)])
    flat = np.fromiter((column for row in indices for column in row), dtype=np.int32)
    matrix = csr_matrix((np.ones(len(flat)), flat, pointers), shape=(len(rows), len(names)))
    outcomes = [row.outcome for row in rows]
    masses = [row.mass for row in rows]
    if what == "label":
        return fit_softmax(matrix, outcomes, masses, strength)
    model: Any = LogisticRegression(
        C=strength, fit_intercept=False, max_iter=2000, tol=1e-4, random_state=seed
    )
    model.fit(matrix, outcomes, sample_weight=masses)
    classes = [str(name) for name in model.classes_]
    if len(classes) > 2:
        return dict(zip(classes, model.coef_.tolist(), strict=True))
    (values,) = model.coef_.tolist()
    if not classes[0]:
        return {classes[1]: values}
    # Both are weighed: half of the log-odds speaks for one, half against the other.
    return {
        classes[0]: [-value / 2 for value in values],
        classes[1]: [value / 2 for value in values],
    }
