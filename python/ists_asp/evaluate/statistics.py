"""Counts over a ``.wa`` file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ists_asp.io.wa import token_number
from ists_asp.model import Label, Tag

if TYPE_CHECKING:
    from ists_asp.io.wa import WaAlignment, WaSentence


@dataclass(frozen=True, slots=True)
class Count:
    """How often something occurs."""

    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over the sentences of a ``.wa`` file, whether well formed or not.

    ``labels`` counts main types, ``tags`` optional ones, ``scores`` the score column of the
    aligned lines. ``sharing_lines`` and ``non_contiguous`` need no chunks: the first counts
    aligned lines that share a token with another one, the second sides of lines whose
    tokens are not neighbours. ``chunks1`` and ``chunks2`` are the numbers of distinct sides.
    """

    pairs: int
    tokens1: int
    tokens2: int
    lines: int
    aligned_lines: int
    labels: tuple[Count, ...]
    tags: tuple[Count, ...]
    scores: tuple[Count, ...]
    sharing_lines: int
    non_contiguous: int
    chunks1: int
    chunks2: int

    @property
    def chunks_per_sentence(self) -> float:
        """Distinct sides a sentence, both sentences of a pair counted."""
        return (self.chunks1 + self.chunks2) / (2 * self.pairs) if self.pairs else 0.0

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            "pairs": self.pairs,
            "tokens1": self.tokens1,
            "tokens2": self.tokens2,
            "lines": self.lines,
            "aligned_lines": self.aligned_lines,
            "labels": {item.name: item.count for item in self.labels},
            "tags": {item.name: item.count for item in self.tags},
            "scores": {item.name: item.count for item in self.scores},
            "sharing_lines": self.sharing_lines,
            "non_contiguous": self.non_contiguous,
            "chunks1": self.chunks1,
            "chunks2": self.chunks2,
            "chunks_per_sentence": round(self.chunks_per_sentence, 4),
        }


@dataclass(slots=True)
class StatisticsBuilder:
    """Counts sentence by sentence, so that a long file need not fit into memory."""

    pairs: int = 0
    numbers: Counter[str] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    scores: Counter[str] = field(default_factory=Counter)

    def add(self, sentence: WaSentence) -> None:
        """Count one sentence."""
        self.pairs += 1
        self.numbers["tokens1"] += len(sentence.tokens1)
        self.numbers["tokens2"] += len(sentence.tokens2)
        self.numbers["lines"] += len(sentence.alignments)
        sides1: set[tuple[int, ...]] = set()
        sides2: set[tuple[int, ...]] = set()
        aligned = []
        for line in sentence.alignments:
            side1, side2 = _numbers(line.words1), _numbers(line.words2)
            sides1.add(side1)
            sides2.add(side2)
            self.numbers["non_contiguous"] += _broken(side1) + _broken(side2)
            self._count_types(line)
            if side1 and side2:
                self.numbers["aligned_lines"] += 1
                self.scores[line.score] += 1
                aligned.append((side1, side2))
        self.numbers["chunks1"] += len(sides1 - {()})
        self.numbers["chunks2"] += len(sides2 - {()})
        self.numbers["sharing_lines"] += _sharing(aligned)

    def build(self) -> Statistics:
        """What was counted so far."""
        labels = [*map(str, Label), *sorted(self.labels.keys() - set(map(str, Label)))]
        return Statistics(
            pairs=self.pairs,
            tokens1=self.numbers["tokens1"],
            tokens2=self.numbers["tokens2"],
            lines=self.numbers["lines"],
            aligned_lines=self.numbers["aligned_lines"],
            labels=tuple(Count(name, self.labels[name]) for name in labels if self.labels[name]),
            tags=tuple(Count(str(tag), self.tags[tag]) for tag in Tag if self.tags[tag]),
            scores=tuple(Count(name, self.scores[name]) for name in sorted(self.scores)),
            sharing_lines=self.numbers["sharing_lines"],
            non_contiguous=self.numbers["non_contiguous"],
            chunks1=self.numbers["chunks1"],
            chunks2=self.numbers["chunks2"],
        )

    def _count_types(self, line: WaAlignment) -> None:
        for part in line.types:
            if part in tuple(Tag):
                self.tags[part] += 1
            else:
                self.labels[part] += 1


def _numbers(words: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(sorted({number for word in words if (number := token_number(word))}))


def _broken(numbers: tuple[int, ...]) -> bool:
    return bool(numbers) and numbers[-1] - numbers[0] + 1 != len(numbers)


def _sharing(lines: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> int:
    """How many of the lines have a token that another line has on the same side."""
    uses1 = Counter(number for side1, _ in lines for number in side1)
    uses2 = Counter(number for _, side2 in lines for number in side2)
    return sum(
        any(uses1[number] > 1 for number in side1) or any(uses2[number] > 1 for number in side2)
        for side1, side2 in lines
    )
