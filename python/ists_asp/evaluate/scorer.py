"""The official F1 of interpretable STS.

Source: the task descriptions of SemEval-2016 Task 2 and of the SemEval-2015 pilot, after
Melamed (1998), "Manual annotation of translational equivalence". Every token of a chunk is
linked to every token of the chunk that it is aligned to. A link between tokens with *m* and
*n* links weighs ``1 / max(m, n)``, so that a chunk pair of *a* and *b* tokens weighs
``min(a, b)``. Precision is the weight of the system's links that the gold file has too over
the weight of all its links; recall the same from the gold side; all pairs in one sum.

Where the descriptions are silent, the scorer does what the official results show: unaligned
chunks (NOALI, ALIC) count for nothing; neither do single punctuation marks; when two lines
link the same tokens, the link takes the better of the two.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.evaluate.measures import Confusion, Evaluation, Measure, PairScores, Scores
from ists_asp.model import Alignment, Label, Pair, Scheme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["IGNORED", "Reference", "evaluate"]

#: Tokens whose links are not counted. Signs that are read aloud (``$``, ``%``) and double
#: quotes of two characters (``''``) do count.
IGNORED = frozenset(".,:;!?'`\"")

_SPECIFIC = frozenset({Label.SPE1, Label.SPE2, Label.SIMI})
_LOOSE = _SPECIFIC | {Label.REL}
_BEST = 5.0


@dataclass(frozen=True, slots=True)
class Reference:
    """A pair and its alignments, gold or answered."""

    pair: Pair
    alignments: tuple[Alignment, ...]


@dataclass(frozen=True, slots=True)
class _Links:
    """Token links of a pair: the alignments that make each link, and its weight."""

    sources: Mapping[tuple[int, int], Sequence[Alignment]]
    weights: Mapping[tuple[int, int], float]

    @property
    def total(self) -> float:
        return sum(self.weights.values())


def evaluate(
    gold: Mapping[str, Reference],
    system: Mapping[str, Reference],
    scheme: Scheme = Scheme.Y2016,
) -> Evaluation:
    """Measure answers against a gold standard; both are keyed by pair id.

    The scheme says which official scorer: the final one of 2016, or that of 2015 with its
    relief for types that hardly differ.

    The order of the pairs is that of ``gold``, then what only ``system`` has.
    """
    pairs: list[PairScores] = []
    weights: dict[tuple[Label, Label], float] = defaultdict(float)
    overall = Scores()
    for identifier in dict.fromkeys([*gold, *system]):
        words = gold[identifier] if identifier in gold else system[identifier]
        expected = _links(gold.get(identifier), words.pair)
        found = _links(system.get(identifier), words.pair)
        scores = _score(expected, found, scheme)
        pairs.append(PairScores(identifier, scores))
        overall += scores
        _confuse(expected, found, weights)
    order = list(Label)
    cells = sorted(weights, key=lambda cell: (order.index(cell[0]), order.index(cell[1])))
    return Evaluation(
        scheme=str(scheme),
        overall=overall,
        pairs=tuple(pairs),
        confusion=tuple(Confusion(*cell, weights[cell]) for cell in cells),
        missing=tuple(identifier for identifier in gold if identifier not in system),
        extra=tuple(identifier for identifier in system if identifier not in gold),
    )


def _links(reference: Reference | None, words: Pair) -> _Links:
    sources: dict[tuple[int, int], list[Alignment]] = defaultdict(list)
    for alignment in reference.alignments if reference else ():
        if not alignment.label.aligned:
            continue
        for one in _counted(alignment.tokens1, words, 1):
            for two in _counted(alignment.tokens2, words, 2):
                sources[one, two].append(alignment)
    fan1 = Counter(one for one, _ in sources)
    fan2 = Counter(two for _, two in sources)
    weights = {(one, two): 1 / max(fan1[one], fan2[two]) for one, two in sources}
    return _Links(sources, weights)


def _counted(numbers: Iterable[int], words: Pair, side: int) -> list[int]:
    tokens = (words.sent1 if side == 1 else words.sent2).tokens
    return [
        number
        for number in numbers
        # A number beyond the sentence is wrong, but it is a link that was claimed.
        if number > len(tokens) or tokens[number - 1].form not in IGNORED
    ]


def _score(gold: _Links, system: _Links, scheme: Scheme) -> Scores:
    def measure(likeness: Callable[[Alignment, Alignment], float]) -> Measure:
        matched_system = matched_gold = 0.0
        for link in system.sources:
            if link not in gold.sources:
                continue
            best = max(
                likeness(right, answer)
                for right in gold.sources[link]
                for answer in system.sources[link]
            )
            matched_system += system.weights[link] * best
            matched_gold += gold.weights[link] * best
        return Measure(matched_system, system.total, matched_gold, gold.total)

    combined = _types_with_relief if scheme is Scheme.Y2015 else _types
    return Scores(
        measure(_always),
        measure(_types),
        measure(_closeness),
        measure(lambda right, answer: combined(right, answer) * _closeness(right, answer)),
    )


def _always(_right: Alignment, _answer: Alignment) -> float:
    """Any two alignments of the same tokens agree."""
    return 1.0


def _types(right: Alignment, answer: Alignment) -> float:
    """Jaccard of the types: labels and tags together."""
    return _jaccard({right.label, *right.tags}, {answer.label, *answer.tags})


def _types_with_relief(right: Alignment, answer: Alignment) -> float:
    """Jaccard of the types, with labels taken as equal where 2015 saw no real difference.

    That is among SPE1, SPE2, REL and SIMI when both scores are below 3, and between EQUI
    and SPE1, SPE2 or SIMI with a score of at least 4 (pilot read-me, F1AST).
    """
    if not (
        _both_distant(right, answer) or _near_equal(right, answer) or _near_equal(answer, right)
    ):
        return _types(right, answer)
    return _jaccard({right.label, *right.tags}, {right.label, *answer.tags})


def _both_distant(one: Alignment, two: Alignment) -> bool:
    labels = {one.label, two.label}
    return labels <= _LOOSE and max(one.score or 0.0, two.score or 0.0) < 3


def _near_equal(equal: Alignment, other: Alignment) -> bool:
    return equal.label is Label.EQUI and other.label in _SPECIFIC and (other.score or 0.0) >= 4


def _closeness(right: Alignment, answer: Alignment) -> float:
    """1 for equal scores, falling linearly to 0 for a difference of 5; NIL counts as 0."""
    return 1 - abs((right.score or 0.0) - (answer.score or 0.0)) / _BEST


def _jaccard(one: set[str], two: set[str]) -> float:
    return len(one & two) / len(one | two)


def _confuse(gold: _Links, system: _Links, weights: dict[tuple[Label, Label], float]) -> None:
    """Add the link weights of a pair to the cells of the label confusion table."""
    for link, right in gold.sources.items():
        answers = system.sources.get(link)
        best = Label.NOALI
        expected = right[0]
        if answers:
            expected, answer = max(
                ((one, two) for one in right for two in answers), key=lambda both: _types(*both)
            )
            best = answer.label
        weights[expected.label, best] += gold.weights[link]
    for link, answers in system.sources.items():
        if link not in gold.sources:
            weights[Label.NOALI, answers[0].label] += system.weights[link]
