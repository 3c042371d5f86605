"""The official F1 of interpretable STS.

Source: the task descriptions of SemEval-2016 Task 2 and of the SemEval-2015 pilot, after
Melamed (1998), "Manual annotation of translational equivalence"; and what the official scorers
of both years print, with which ``python -m tests.official`` compares this one. Every token of a
chunk is linked to every token of the chunk that it is aligned to. A link between tokens with *m*
and *n* links weighs ``1 / max(m, n)``, so that a chunk pair of *a* and *b* tokens weighs
``min(a, b)``. Precision is the weight of the system's links that the gold file has too over
the weight of all its links; recall the same from the gold side; all pairs in one sum.

A line counts unless a side begins with 0, whatever its label. Links of some punctuation marks do
not count. A link that several lines make has the label, the tags and the score of the last.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.evaluate.measures import Confusion, Evaluation, Measure, PairScores, Scores
from ists_asp.io.wa import HIGHEST
from ists_asp.model import Alignment, Label, Pair, Scheme, Tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ists_asp.io.wa import WaAlignment
    from ists_asp.model import Sentence

IGNORED = frozenset(".,:;?'`\"-")
"""Tokens whose links are not counted: these single characters, and no other punctuation."""

_BITS = 1 << 64
_SPECIFIC = frozenset({Label.SPE1, Label.SPE2, Label.SIMI})
_LOOSE = _SPECIFIC | {Label.REL}


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """A line as the scorer sees it; tokens as they are written: ``01`` is not ``1``.

    A side that is not aligned has no token, or begins with a zero; what is NIL scores 0.
    """

    tokens1: tuple[str, ...]
    tokens2: tuple[str, ...]
    label: Label
    tags: frozenset[Tag]
    score: float

    @classmethod
    def of(cls, alignment: Alignment, written: WaAlignment | None = None) -> ScoredLine:
        """An alignment; its tokens are those that are ``written``, if there is such a line."""
        return cls(
            tuple(dict.fromkeys(written.words1 if written else map(str, alignment.tokens1))),
            tuple(dict.fromkeys(written.words2 if written else map(str, alignment.tokens2))),
            alignment.label,
            alignment.tags,
            alignment.score or 0.0,
        )

    @property
    def types(self) -> set[str]:
        """Label and tags together."""
        return {self.label, *self.tags}


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """The words of a pair, in which the scorer looks up tokens, and its lines.

    The words that count are those of the gold standard; the answer's are not looked at.
    """

    words1: Sequence[str]
    words2: Sequence[str]
    lines: tuple[ScoredLine, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """A pair and its alignments, gold or answered."""

    pair: Pair
    alignments: tuple[Alignment, ...]

    @property
    def scored(self) -> ScoredPair:
        """What the scorer sees of it."""
        return ScoredPair(
            _forms(self.pair.sent1),
            _forms(self.pair.sent2),
            tuple(map(ScoredLine.of, self.alignments)),
        )


def _forms(sentence: Sentence) -> list[str]:
    return [token.form for token in sentence.tokens]


@dataclass(frozen=True, slots=True)
class _Links:
    """Token links of a pair: the line that decides on each, and its weight."""

    lines: Mapping[tuple[str, str], ScoredLine]
    weights: Mapping[tuple[str, str], float]

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
    return evaluate_pairs(
        {identifier: one.scored for identifier, one in gold.items()},
        {identifier: one.scored for identifier, one in system.items()},
        scheme,
    )


def evaluate_pairs(
    gold: Mapping[str, ScoredPair],
    system: Mapping[str, ScoredPair],
    scheme: Scheme = Scheme.Y2016,
) -> Evaluation:
    """Measure what the scorer sees of answers; see :func:`evaluate`."""
    pairs: list[PairScores] = []
    weights: dict[tuple[Label, Label], float] = defaultdict(float)
    overall = Scores()
    nothing = ScoredPair((), (), ())
    for identifier in dict.fromkeys([*gold, *system]):
        right = gold.get(identifier, nothing)
        expected = _links(right.lines, right)
        found = _links(system.get(identifier, nothing).lines, right)
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


def _links(lines: Sequence[ScoredLine], words: ScoredPair) -> _Links:
    found: dict[tuple[str, str], ScoredLine] = {}
    for line in lines:
        if _aligned(line.tokens1) and _aligned(line.tokens2):
            for one in _counted(line.tokens1, words.words1):
                for two in _counted(line.tokens2, words.words2):
                    found[one, two] = line
    fan1 = Counter(one for one, _ in found)
    fan2 = Counter(two for _, two in found)
    weights = {(one, two): 1 / max(fan1[one], fan2[two]) for one, two in found}
    return _Links(found, weights)


def _aligned(tokens: tuple[str, ...]) -> bool:
    return bool(tokens) and tokens[0].strip("0") != ""


def _counted(tokens: tuple[str, ...], words: Sequence[str]) -> Iterator[str]:
    for token in tokens:
        place = _place(token)
        # A number beyond the sentence is wrong, but it is a link that was claimed.
        if not -len(words) <= place < len(words) or words[place] not in IGNORED:
            yield token


def _place(token: str) -> int:
    """The index of a token's word: the last for 0 and for numbers of more than 64 bits.

    The official scorer has it so, since Perl counts backwards from the end and cuts numbers off.
    """
    digits = token.lstrip("0")
    number = int(digits or "0") if len(digits) <= len(str(_BITS)) else _BITS
    return number - 1 if number < _BITS else -1


def _score(gold: _Links, system: _Links, scheme: Scheme) -> Scores:
    common = [
        (line, system.lines[link], gold.weights[link], system.weights[link])
        for link, line in gold.lines.items()
        if link in system.lines
    ]

    def measure(likeness: Callable[[ScoredLine, ScoredLine], float]) -> Measure:
        matched_system = matched_gold = 0.0
        for right, answer, weight_gold, weight_system in common:
            same = likeness(right, answer)
            matched_system += weight_system * same
            matched_gold += weight_gold * same
        return Measure(matched_system, system.total, matched_gold, gold.total)

    combined = _types_with_relief if scheme is Scheme.Y2015 else _types
    return Scores(
        measure(_always),
        measure(_types),
        measure(_closeness),
        measure(lambda right, answer: combined(right, answer) * _closeness(right, answer)),
    )


def _always(_right: ScoredLine, _answer: ScoredLine) -> float:
    """Any two lines that link the same tokens agree."""
    return 1.0


def _types(right: ScoredLine, answer: ScoredLine) -> float:
    """Jaccard of the types: labels and tags together."""
    one, two = right.types, answer.types
    return len(one & two) / len(one | two)


def _types_with_relief(right: ScoredLine, answer: ScoredLine) -> float:
    """Jaccard of the types, with labels taken as equal where 2015 saw no real difference.

    That is among SPE1, SPE2, REL and SIMI when both scores are below 3, and between EQUI
    and SPE1, SPE2 or SIMI with a score of at least 4 (pilot read-me, F1AST). The two labels are
    then one type of the intersection, and one instead of two of the union.
    """
    if right.label is answer.label or not (
        _both_distant(right, answer) or _near_equal(right, answer) or _near_equal(answer, right)
    ):
        return _types(right, answer)
    one, two = right.types, answer.types
    return (len(one & two) + 1) / (len(one | two) - 1)


def _both_distant(one: ScoredLine, two: ScoredLine) -> bool:
    return {one.label, two.label} <= _LOOSE and max(one.score, two.score) < 3


def _near_equal(equal: ScoredLine, other: ScoredLine) -> bool:
    return equal.label is Label.EQUI and other.label in _SPECIFIC and other.score >= 4


def _closeness(right: ScoredLine, answer: ScoredLine) -> float:
    """1 for equal scores, falling linearly to 0 for a difference of 5; NIL counts as 0."""
    return 1 - abs(right.score - answer.score) / HIGHEST


def _confuse(gold: _Links, system: _Links, weights: dict[tuple[Label, Label], float]) -> None:
    """Add the link weights of a pair to the cells of the label confusion table."""
    for link, right in gold.lines.items():
        answer = system.lines.get(link)
        weights[right.label, answer.label if answer else Label.NOALI] += gold.weights[link]
    for link, answer in system.lines.items():
        if link not in gold.lines:
            weights[Label.NOALI, answer.label] += system.weights[link]
