"""Weights: linear models of the four decisions, each weight in the sense of its name.

Boundaries and alignments are logistic regressions, labels a multinomial one that counts errors
as well, scores a regression in points (:mod:`ists_asp.learn.linear`). A name of evidence gets a
weight only for the classes for which a rule says ``argues(Name,Class,Sense)``, and only of that
sign. The lasso chooses which names have weights, as many as the budget allows. An
example counts as often as the alignment carries tokens, as in the official measures.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.sparse import csr_matrix

from ists_asp.errors import DataError
from ists_asp.learn.linear import (
    Bounds,
    fit,
    fit_sparsely,
    label_losses,
    points_loss,
    yes_no_loss,
)
from ists_asp.model import Label, Scheme
from ists_asp.terminal import unbroken
from ists_asp.vocabulary import BASES, WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from ists_asp.learn.examples import Candidate, Example, Key, Sense, Senses
    from ists_asp.learn.linear import Loss

UNIT = 100
"""Weights are in so many parts of a log-odds unit, or of a point; values in so many of a whole."""

LABELS = tuple(label.value.lower() for label in Label if label.aligned)
"""What an alignment may be."""

SCORES = (1, 2, 3, 4)
"""What an alignment that is not EQUI may score."""

Term: TypeAlias = "tuple[Key, int]"
"""What is weighed, and the value of the evidence."""

_CLASS = {"spe1": "spe", "spe2": "spe"}
_OF_SIDE = {
    "spe1": ("this_spe", "other_spe"),
    "spe2": ("other_spe", "this_spe"),
}
_OWN = {"boundary": {"boundary"}, "align": {"align"}, "score": {"score"}}
"""The classes that decisions are weighed for; those of labels are all others."""

_PRICE, _ROUNDS = 1.0, 16
"""How tight the lasso is drawn at first, and how often it is changed at most."""

_YES_OR_NO = {"boundary": "chunk boundaries", "align": "alignments"}


@dataclass(frozen=True, slots=True)
class Settings:
    """How to learn.

    Args:
        names: how many names of evidence may have weights, for each decision.
        penalties: how strongly weights are drawn to their prior, for each decision.
        support: there must be so many examples with the evidence.
        smallest: weights smaller than this, in hundredths, are left out.
        folds: how many parts the tuning of the alignment threshold uses.
        seed: decides how pairs are dealt into folds.
        scheme: whose official measure decides what is best.
        prior: weights to start from, in hundredths; others start from 0.
        keep: weights that are not learned but kept as they are.
    """

    names: Mapping[str, int] = field(
        default_factory=lambda: {"boundary": 180, "align": 15, "label": 45, "score": 15}
    )
    penalties: Mapping[str, float] = field(
        default_factory=lambda: {"boundary": 0.25, "align": 1.0, "label": 0.3, "score": 3.0}
    )
    support: int = 4
    smallest: int = 4
    folds: int = 5
    seed: int = 0
    scheme: Scheme = Scheme.Y2016
    prior: Mapping[Key, int] = field(default_factory=dict)
    keep: Mapping[Key, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Weight:
    """``weight(name,decision,value)``; ``support`` counts the examples with the evidence."""

    name: str
    decision: str
    value: int
    support: int


def label_terms(candidate: Candidate, label: str) -> Iterator[Term]:
    """What is weighed for a label, as ``asp/label.lp`` weighs it."""
    shared = _CLASS.get(label, label)
    for found in (candidate.pair, candidate.link):
        for name, value in found.items():
            yield (name, shared), value
    for side, decision in zip(candidate.sides, _OF_SIDE.get(label, (label, label)), strict=True):
        for name, value in side.items():
            yield (name, decision), value


def score_terms(candidate: Candidate, label: str) -> Iterator[Term]:
    """What is weighed for the closeness of a pair with a label, as ``asp/score.lp`` weighs it."""
    yield (f"label({_CLASS.get(label, label)})", "score"), UNIT
    for found in (candidate.pair, candidate.link, *candidate.sides):
        for name, value in found.items():
            yield (name, "score"), value


@dataclass(frozen=True, slots=True)
class _Problem:
    """Examples of a decision: for each outcome what is weighed, an example each."""

    what: str
    rows: Sequence[Sequence[Sequence[Term]]]
    losses: Sequence[Loss]


def fit_boundaries(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit the weights of chunk boundaries."""
    rows = [
        [((name, "boundary"), value) for name, value in decision.evidence.items()]
        for example in examples
        for decision in example.boundaries
    ]
    taken = [decision.taken for example in examples for decision in example.boundaries]
    return _yes_or_no("boundary", rows, taken, [1.0] * len(rows), senses, settings)


def fit_alignments(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit the weights of alignments."""
    candidates = [one for example in examples for one in example.candidates]
    rows = [
        [((name, "align"), value) for name, value in candidate.pair.items()]
        for candidate in candidates
    ]
    taken = [one.gold is not None for one in candidates]
    counts = [float(one.token_count) for one in candidates]
    return _yes_or_no("align", rows, taken, counts, senses, settings)


def fit_labels(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit the weights of labels, each example a choice among those that have a licence.

    SPE1 and SPE2 share theirs. What has a label that no licence allows teaches nothing.
    """
    found = [
        (one, one.gold.label.value.lower())
        for example in examples
        for one in example.candidates
        if one.gold and one.gold.label.value.lower() in (one.labels or LABELS)
    ]
    if not found:
        return []
    truth = np.array([[float(label == true) for label in LABELS] for _, true in found])
    allowed = np.array([[label in (one.labels or LABELS) for label in LABELS] for one, _ in found])
    counts = np.array([float(one.token_count) for one, _ in found])
    rows = [[list(label_terms(one, label)) for one, _ in found] for label in LABELS]
    return _reduce(_Problem("label", rows, label_losses(truth, allowed, counts)), senses, settings)


def fit_scores(examples: Sequence[Example], senses: Senses, settings: Settings) -> list[Weight]:
    """Fit where each label begins, in points, and what evidence adds to it or takes from it."""
    rows, points, counts = [], [], []
    for candidate in (one for example in examples for one in example.candidates):
        gold = candidate.gold
        if gold and gold.label is not Label.EQUI and gold.score is not None:
            rows.append(list(score_terms(candidate, gold.label.value.lower())))
            points.append(float(min(max(round(gold.score), SCORES[0]), SCORES[-1])))
            counts.append(float(candidate.token_count))
    if not rows:
        return []
    loss = points_loss(np.array(points), np.array(counts))
    return _reduce(_Problem("score", [rows], [loss]), senses, settings)


def _yes_or_no(
    what: str,
    rows: Sequence[Sequence[Term]],
    taken: Sequence[bool],
    counts: Sequence[float],
    senses: Senses,
    settings: Settings,
) -> list[Weight]:
    if len(set(taken)) < 2 or not any(rows):
        raise DataError(
            f"the gold pairs show no choice to learn from: {_YES_OR_NO[what]}",
            expected="pairs with chunks of several words, some of them aligned",
            hint="Give more gold pairs",
        )
    loss = yes_no_loss(np.array(taken, dtype=float), np.array(counts))
    return _reduce(_Problem(what, [rows], [loss]), senses, settings)


def _reduce(problem: _Problem, senses: Senses, settings: Settings) -> list[Weight]:
    """Choose as many names as the budget allows, and fit their weights."""
    support = _support(problem)
    known = {key[0] for key in (*settings.keep, *settings.prior) if _belongs(problem.what, key)}
    always = {BASES.get(problem.what, ""), *known, *(f"label({_CLASS.get(x, x)})" for x in LABELS)}
    every = sorted(
        key
        for key, count in support.items()
        if _sense(key, senses) and (count >= settings.support or key[0] in always)
    )
    if not every:
        return []
    matrices = _matrices(problem, every)
    keys = _chosen(problem, matrices, every, always, senses, settings)
    columns = [every.index(key) for key in keys]
    found = fit(
        [matrix[:, columns] for matrix in matrices],
        problem.losses,
        _bounds(keys, senses, settings),
        np.array([0.0 if _free(key) else settings.penalties[problem.what] for key in keys]),
    )
    fitted = {
        key: round(value * UNIT)
        for key, value in zip(keys, found.tolist(), strict=True)
        if round(abs(value) * UNIT) >= settings.smallest or key in settings.keep
    }
    # What the examples do not speak of is as it was.
    unseen = {
        key: value
        for key, value in {**settings.prior, **settings.keep}.items()
        if _belongs(problem.what, key) and key not in keys
    }
    return [Weight(*key, value, support[key]) for key, value in {**unseen, **fitted}.items()]


def _free(key: Key) -> bool:
    """Whether a weight is a place where sums begin, which nothing is drawn to."""
    return key[0].startswith("label(")


def _belongs(what: str, key: Key) -> bool:
    """Whether a weight is one of those for a kind of decision."""
    return key[1] in _OWN.get(what, {key[1]} - set().union(*_OWN.values()))


def _sense(key: Key, senses: Senses) -> Sense | None:
    """What a name may argue for, or the family that it is of; None if it argues for nothing."""
    name, decision = key
    if name.startswith("label("):
        return True, True
    return senses.get(key) or senses.get((name.partition("(")[0], decision))


def _support(problem: _Problem) -> Counter[Key]:
    """In how many examples there is the evidence, whatever the outcome."""
    return Counter(
        key
        for outcomes in zip(*problem.rows, strict=True)
        for key in {key for row in outcomes for key, value in row if value}
    )


def _matrices(problem: _Problem, keys: Sequence[Key]) -> list[csr_matrix]:
    """For each outcome the values of the evidence: a row an example, a column a key."""
    columns = {key: number for number, key in enumerate(keys)}
    found = []
    for terms in problem.rows:
        places = [[(columns[key], value) for key, value in row if key in columns] for row in terms]
        pointers = np.cumsum([0, *map(len, places)])
        indices = np.array([column for row in places for column, _ in row], dtype=np.int32)
        values = np.array([value / UNIT for row in places for _, value in row])
        found.append(csr_matrix((values, indices, pointers), shape=(len(terms), len(keys))))
    return found


def _chosen(
    problem: _Problem,
    matrices: Sequence[csr_matrix],
    every: Sequence[Key],
    always: Set[str],
    senses: Senses,
    settings: Settings,
) -> list[Key]:
    """What gets weights: the names that the lasso leaves when it is drawn tight enough.

    Names are dropped together, not one by one: what is weak beside its like may be strong
    without it.
    """
    budget = settings.names[problem.what]
    bounds = _bounds(every, senses, settings)
    paid = np.array([key[0] not in always for key in every], dtype=float)
    found = np.zeros(len(every))
    least, most, price = 0.0, np.inf, _PRICE
    kept: set[str] = set()
    for _ in range(_ROUNDS):
        found = fit_sparsely(matrices, problem.losses[0], bounds, price * paid, found)
        names = {
            key[0] for key, value in zip(every, found, strict=True) if abs(value) * UNIT >= 1
        } - always
        if len(names) > budget:
            least = price
        else:
            most = price
            kept = max(kept, names, key=len)
            if len(names) > budget * 0.97:
                break
        price = price * 2 if most == np.inf else (least + most) / 2
    return [key for key in every if key[0] in kept | always]


def _bounds(keys: Iterable[Key], senses: Senses, settings: Settings) -> Bounds:
    limits: list[tuple[float, float, float]] = []
    for key in keys:
        centre = settings.prior.get(key, 0) / UNIT
        if key in settings.keep:
            kept = settings.keep[key] / UNIT
            limits.append((kept, kept, kept))
        else:
            pro, contra = _sense(key, senses) or (False, False)
            limits.append((-np.inf if contra else 0.0, np.inf if pro else 0.0, centre))
    lower, upper, centres = zip(*limits, strict=True)
    return Bounds(np.array(lower), np.array(upper), np.array(centres))


_SECTIONS = {
    "boundary": "Chunk boundaries",
    "align": "Alignments",
    "label": "Labels",
    "score": "Scores, in hundredths of a point: where labels begin, and what is added or taken",
}
_ORDER = ("equi", "oppo", "spe", "this_spe", "other_spe", "simi", "rel")
_WIDTH = 60


def render_weights(
    weights: Sequence[Weight], sentences: Mapping[str, str], title: str, command: str
) -> str:
    """Return the text of a rule file, one name of evidence a line, the heaviest first.

    Args:
        weights: the weights, in any order.
        sentences: what the rules say that find the evidence, by name or by what the names of
            a family begin with.
        title: what they are for.
        command: the command that learns them again.
    """
    purpose = (
        "what evidence of the value 100 is worth for (+) or against (-) a decision, in",
        "hundredths of a log-odds unit; behind it in how many examples there was any, and",
        "what the evidence is. A line may be changed by hand: learn --keep keeps it.",
    )
    lines = file_head(f"Weights: {title}", purpose, command)
    for section, heading in _SECTIONS.items():
        names: dict[str, list[Weight]] = {}
        for weight in weights:
            if _section(weight) == section:
                names.setdefault(weight.name, []).append(weight)
        if not names:
            continue
        lines += ["", f"% {heading}"]
        for name, own in sorted(names.items(), key=_heaviest):
            own.sort(key=lambda one: _ORDER.index(one.decision) if one.decision in _ORDER else -1)
            inside = "; ".join(f"{name},{one.decision},{one.value}" for one in own)
            said = sentences.get(name) or sentences.get(name.partition("(")[0], "")
            support = max(one.support for one in own)
            fact = f"{WEIGHT.name}({inside})."
            lines.append(f"{fact:<{_WIDTH}}  % {support}: {unbroken(said)}".rstrip(": "))
    return "\n".join(lines) + "\n"


def _section(weight: Weight) -> str:
    return weight.decision if weight.decision in _SECTIONS else "label"


def _heaviest(found: tuple[str, list[Weight]]) -> tuple[int, str]:
    name, weights = found
    return -max(abs(one.value) for one in weights), name


def render_rating_weights(weights: Sequence[Weight], title: str, command: str) -> str:
    """Return the text of a rule file of what evidence is worth for a rating."""
    purpose = (
        "how many thousandths of a point evidence adds to a rating, or takes from it,",
        "where there is all of it; behind each, in how many pairs there was some.",
    )
    lines = [*file_head(f"Weights of ratings: {title}", purpose, command), "", *_facts(weights)]
    return "\n".join(lines) + "\n"


def file_head(title: str, purpose: Sequence[str], command: str) -> list[str]:
    """The lines that say what a file of facts is, and how it is made again."""
    first, *more = (*purpose, "This writes the file again:", command)
    return [
        f"% {unbroken(title)}, learned from gold.",
        "%",
        f"% Purpose: {first}",
        *(f"%          {unbroken(line)}" for line in more),
    ]


def _facts(weights: Iterable[Weight]) -> list[str]:
    """A line for each weight, the strongest first."""
    ordered = sorted(weights, key=lambda weight: (-abs(weight.value), weight.name))
    facts = [f"{WEIGHT.name}({w.name},{w.decision},{w.value})." for w in ordered]
    width = max(map(len, facts), default=0)
    return [
        f"{fact:<{width}}  % {weight.support}" for fact, weight in zip(facts, ordered, strict=True)
    ]
