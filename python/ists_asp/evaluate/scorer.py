"""The official F1 of interpretable STS.

Source: the task descriptions of SemEval-2016 Task 2 and of the SemEval-2015 pilot, after
Melamed (1998), "Manual annotation of translational equivalence"; and what the official scorers
of both years print: ``python -m tests.fuzz official`` compares them with this. Every token of a
chunk is linked to every token of the chunk that it is aligned to. A link between tokens with *m*
and *n* links weighs ``1 / max(m, n)``, so that a chunk pair of *a* and *b* tokens weighs
``min(a, b)``. Precision is the weight of the system's links that the gold file has too over
the weight of all its links; recall the same from the gold side; all pairs in one sum.

A line counts unless a side begins with 0, whatever its label. Links of some punctuation marks do
not count. A link that several lines make has the label, the tags and the score of the last.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Self, TypeAlias

from ists_asp.model import HIGHEST, Alignment, Chunk, Label, Pair, Scheme, Tag

DECIMALS = 4  # digits behind the point of what is printed
IGNORED = frozenset(".,:;?'`\"-")  # tokens whose links do not count; no other punctuation
_BITS = 1 << 64
_SPECIFIC = frozenset({Label.SPE1, Label.SPE2, Label.SIMI})
_LOOSE = _SPECIFIC | {Label.REL}


class Summed:
    """The sum of two such dataclasses, which have slots, has the sums of their fields."""

    __slots__: tuple[str, ...] = ()

    def __add__(self, other: Self) -> Self:
        names = type(self).__slots__
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in names))


@dataclass(frozen=True, slots=True)
class Measure(Summed):
    """Matched weight over total weight, seen from the system and from the gold standard."""

    matched_system: float = 0.0
    total_system: float = 0.0
    matched_gold: float = 0.0
    total_gold: float = 0.0

    @property
    def precision(self) -> float:
        """The share of the system's weight that is right, 0 to 1; 1 where both have none."""
        return self._ratio(self.matched_system, self.total_system)

    @property
    def recall(self) -> float:
        """The share of the gold weight that was found, 0 to 1; 1 where both have none."""
        return self._ratio(self.matched_gold, self.total_gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, 0 to 1."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def as_dict(self) -> dict[str, float]:
        """Precision, recall and F1, rounded to four decimals."""
        names = "precision", "recall", "f1"
        return {name: round(getattr(self, name), DECIMALS) for name in names}

    def _ratio(self, matched: float, total: float) -> float:
        if total:
            return matched / total
        return 0.0 if self.total_system or self.total_gold else 1.0


UNKNOWN = Measure()  # of links that have no labels


@dataclass(frozen=True, slots=True)
class Scores(Summed):
    """The four official measures: alignment, type, score, type and score."""

    alignment: Measure = Measure()
    type: Measure = Measure()
    score: Measure = Measure()
    type_score: Measure = Measure()

    def named(self) -> tuple[tuple[str, Measure], ...]:
        """The measures that there are, with the names that the official scorer prints."""
        measures = self.alignment, self.type, self.score, self.type_score
        named = zip(("Ali", "Type", "Score", "Typ+Sco"), measures, strict=True)
        return tuple((name, measure) for name, measure in named if measure is not UNKNOWN)

    @property
    def of_links(self) -> Scores:
        """That of alignment alone, for links without labels and scores."""
        return Scores(self.alignment, UNKNOWN, UNKNOWN, UNKNOWN)

    def as_dict(self) -> dict[str, object]:
        """Precision, recall and F1 of each measure, by its official name."""
        return {name: measure.as_dict() for name, measure in self.named()}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An answer file measured against a gold file.

    NOALI stands for a link that one side does not have; its weight is then that of the other side,
    and the gold weight otherwise.
    """

    scheme: str
    overall: Scores
    pairs: Mapping[str, Scores]
    confusion: Mapping[tuple[Label, Label], float]  # link weight by gold and system label
    missing: tuple[str, ...]  # ids that only the gold file has; they count against the system
    extra: tuple[str, ...]  # ids that only the system file has; they count as well
    signature: str = ""  # what the figures of files depend on

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {name: getattr(self, name) for name in self.__slots__} | {
            "overall": self.overall.as_dict(),
            "pairs": [{"id": key, **scores.as_dict()} for key, scores in self.pairs.items()],
            "confusion": [
                {"gold": str(gold), "system": str(system), "weight": round(weight, DECIMALS)}
                for (gold, system), weight in self.confusion.items()
            ],
        }


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
    def of(cls, alignment: Alignment, written: Sequence[Iterable[str]] | None = None) -> ScoredLine:
        """An alignment; its tokens are those that are ``written``, if they are given."""
        sides = written or (map(str, alignment.tokens1), map(str, alignment.tokens2))
        tokens1, tokens2 = (tuple(dict.fromkeys(side)) for side in sides)
        return cls(tokens1, tokens2, alignment.label, alignment.tags, alignment.score or 0.0)

    @property
    def types(self) -> set[str]:
        """Label and tags together."""
        return {self.label, *self.tags}


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """The words of a pair, in which the scorer looks up tokens, and its lines."""

    # The words that count are those of the gold standard; the answer's are not looked at.

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
        """The pair as the scorer sees it."""
        words1, words2 = ([token.form for token in side.tokens] for side in self.pair.sentences)
        return ScoredPair(words1, words2, tuple(map(ScoredLine.of, self.alignments)))


_Links: TypeAlias = "dict[tuple[str, str], tuple[ScoredLine, float]]"
"""Token links of a pair: the line that decides on each, and its weight."""


def evaluate(
    gold: Mapping[str, Reference | ScoredPair],
    system: Mapping[str, Reference | ScoredPair],
    scheme: Scheme = Scheme.Y2016,
) -> Evaluation:
    """Measure answers against a gold standard; both are keyed by pair id.

    The scheme says which official scorer: the final one of 2016, or that of 2015 with its
    relief for types that hardly differ. Pairs that only ``system`` has come last.
    """
    pairs: dict[str, Scores] = {}
    weights: dict[tuple[Label, Label], float] = defaultdict(float)
    overall = Scores()
    for identifier in dict.fromkeys([*gold, *system]):
        right, answer = (_scored(side.get(identifier)) for side in (gold, system))
        links, system_links = _links(right.lines, right), _links(answer.lines, right)
        pairs[identifier] = _score(links, system_links, scheme)
        overall += pairs[identifier]
        _confuse(links, system_links, weights)
    return Evaluation(
        scheme=str(scheme),
        overall=overall,
        pairs=pairs,
        confusion={cell: weights[cell] for cell in product(Label, Label) if cell in weights},
        missing=tuple(identifier for identifier in gold if identifier not in system),
        extra=tuple(identifier for identifier in system if identifier not in gold),
    )


def _scored(pair: Reference | ScoredPair | None) -> ScoredPair:
    if pair is None:
        return ScoredPair((), (), ())
    return pair.scored if isinstance(pair, Reference) else pair


def _links(lines: Sequence[ScoredLine], words: ScoredPair) -> _Links:
    links: dict[tuple[str, str], ScoredLine] = {}
    for line in lines:
        if _aligned(line.tokens1) and _aligned(line.tokens2):
            tokens1 = _scored_tokens(line.tokens1, words.words1)
            tokens2 = _scored_tokens(line.tokens2, words.words2)
            links |= dict.fromkeys(product(tokens1, tokens2), line)
    fan1, fan2 = (Counter(link[side] for link in links) for side in (0, 1))
    return {link: (line, 1 / max(fan1[link[0]], fan2[link[1]])) for link, line in links.items()}


def _aligned(tokens: tuple[str, ...]) -> bool:
    return bool(tokens) and tokens[0].strip("0") != ""


def _scored_tokens(tokens: tuple[str, ...], words: Sequence[str]) -> Iterator[str]:
    for token in tokens:
        place = _index(token)
        # A number beyond the sentence is wrong, but it is a link that was claimed.
        if not -len(words) <= place < len(words) or words[place] not in IGNORED:
            yield token


def _index(token: str) -> int:
    """The index of a token's word; officially 0 and numbers beyond 64 bits mean the last."""
    digits = token.lstrip("0")
    number = int(digits or "0") if len(digits) <= len(str(_BITS)) else _BITS
    return number - 1 if number < _BITS else -1


def _score(gold: _Links, system: _Links, scheme: Scheme) -> Scores:
    common = [(*gold[link], *system[link]) for link in gold if link in system]
    total_system = sum(weight for _, weight in system.values())
    total_gold = sum(weight for _, weight in gold.values())

    def measure(likeness: Callable[[ScoredLine, ScoredLine], float]) -> Measure:
        matched_system = matched_gold = 0.0
        for right, weight_gold, answer, weight_system in common:
            share = likeness(right, answer)
            matched_system += weight_system * share
            matched_gold += weight_gold * share
        return Measure(matched_system, total_system, matched_gold, total_gold)

    combined = _types_with_relief if scheme is Scheme.Y2015 else _types
    return Scores(
        measure(lambda _right, _answer: 1.0),
        measure(_types),
        measure(_closeness),
        measure(lambda right, answer: combined(right, answer) * _closeness(right, answer)),
    )


def _types(right: ScoredLine, answer: ScoredLine) -> float:
    types1, types2 = right.types, answer.types
    return len(types1 & types2) / len(types1 | types2)


def _types_with_relief(right: ScoredLine, answer: ScoredLine) -> float:
    """Jaccard of the types, with labels taken as equal where 2015 saw no real difference.

    Those are SPE1, SPE2, REL and SIMI with both scores below 3, and EQUI with SPE1, SPE2 or SIMI
    of at least 4 (pilot read-me, F1AST). The two labels then count as one common type.
    """
    distant = {right.label, answer.label} <= _LOOSE and max(right.score, answer.score) < 3
    close = any(
        equal.label is Label.EQUI and other.label in _SPECIFIC and other.score >= 4
        for equal, other in ((right, answer), (answer, right))
    )
    if right.label is answer.label or not (distant or close):
        return _types(right, answer)
    types1, types2 = right.types, answer.types
    return (len(types1 & types2) + 1) / (len(types1 | types2) - 1)


def _closeness(right: ScoredLine, answer: ScoredLine) -> float:
    # NIL counts as 0.
    return 1 - abs(right.score - answer.score) / HIGHEST


def _confuse(gold: _Links, system: _Links, weights: dict[tuple[Label, Label], float]) -> None:
    """Add the link weights of a pair to the cells of the label confusion table."""
    for link, (right, weight) in gold.items():
        label = system[link][0].label if link in system else Label.NOALI
        weights[right.label, label] += weight
    for link, (answer, weight) in system.items():
        if link not in gold:
            weights[Label.NOALI, answer.label] += weight


@dataclass(frozen=True, slots=True)
class Chunking:
    """Agreement of chunks over some sentences."""

    boundaries: Measure  # places between two tokens where a chunk ends and the next begins
    chunks: Measure  # with the same first and last token
    exact: int  # sentences with the same chunks
    sentences: int

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        measures = {"boundaries": self.boundaries.as_dict(), "chunks": self.chunks.as_dict()}
        return {**measures, "exact": self.exact, "sentences": self.sentences}


def compare_chunks(pairs: Iterable[tuple[Sequence[Chunk], Sequence[Chunk]]]) -> Chunking:
    """Compare the chunks of sentences, given as (gold, found), all in one sum."""
    boundaries = chunks = Measure()
    exact = sentences = 0
    for gold, system in pairs:
        # The first chunk of a sentence begins where there is nothing to decide.
        starts, begun = ({chunk.first for chunk in side} - {1} for side in (gold, system))
        boundaries += _overlap(starts, begun)
        chunks += _overlap(set(gold), set(system))
        exact += set(gold) == set(system)
        sentences += 1
    return Chunking(boundaries, chunks, exact, sentences)


def _overlap(gold: set[int] | set[Chunk], system: set[int] | set[Chunk]) -> Measure:
    common = len(gold & system)
    return Measure(common, len(system), common, len(gold))
