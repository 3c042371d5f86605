"""An answer beside other alignments of its pair, gold or of another system, line by line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ists_asp.evaluate.scorer import Reference, Scores, evaluate
from ists_asp.io.wa import given_answer
from ists_asp.report.picture import described, punctuation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ists_asp.model import Alignment, Answer, Pair, Scheme

NO_LINE = "none"
"""The other side has no line with these tokens."""


class Verdict(StrEnum):
    """How a line compares with that of the same tokens, the gravest difference first."""

    ALIGNMENT = "alignment"
    LABEL = "label"
    TAG = "tag"
    SCORE = "score"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Comparison:
    """An answer beside other alignments of the pair.

    ``other`` are these as an answer of its own; ``lines`` has, for each line of the answer, the
    other line of the same tokens, if there is one, and the verdict; ``missed`` are the other lines
    whose tokens are on no line of the answer.
    """

    answer: Answer
    other: Answer
    lines: tuple[tuple[Alignment | None, Verdict], ...]
    missed: tuple[Alignment, ...]

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.missed and all(verdict is Verdict.SAME for _, verdict in self.lines)

    def cells(self) -> Iterator[tuple[str, str, Verdict, bool]]:
        """For each line, then each that was missed, the other's label and the answer's.

        And how they compare, and whether it is about nothing but punctuation.
        """
        marks = punctuation(self.answer)
        for number, (line, (right, verdict)) in enumerate(
            zip(self.answer.alignments, self.lines, strict=True)
        ):
            theirs = NO_LINE if right is None else str(right.label)
            yield theirs, str(line.label), verdict, number in marks
        others = punctuation(self.other)
        for number, line in enumerate(self.other.alignments):
            if line in self.missed:
                yield str(line.label), NO_LINE, Verdict.ALIGNMENT, number in others

    def told(self, name: str) -> Iterator[str]:
        """Each difference in words; ``name`` is what the other is called."""
        for line, (right, verdict) in zip(self.answer.alignments, self.lines, strict=True):
            if verdict is not Verdict.SAME:
                there = right and f"other {verdict} in {name}, {described(self.answer, right)}"
                yield f"{described(self.answer, line)}: {there or f'not in {name}'}"
        for line in self.missed:
            yield f"only in {name}: {described(self.answer, line)}"


def compare(answer: Answer, other: Sequence[Alignment]) -> Comparison:
    """Compare an answer with other alignments of its pair, line by line."""
    known = {(line.tokens1, line.tokens2): line for line in other}
    lines = {(line.tokens1, line.tokens2): line for line in answer.alignments}
    missed = tuple(line for tokens, line in known.items() if tokens not in lines)
    found = [(line, known.get((line.tokens1, line.tokens2))) for line in answer.alignments]
    beside = tuple((right, _verdict(line, right)) for line, right in found)
    return Comparison(answer, given_answer(answer.pair, other), beside, missed)


def token_counts(pair: Pair) -> tuple[int, int]:
    """How many tokens both sentences have: alignments of others are about other sentences."""
    return len(pair.sent1.tokens), len(pair.sent2.tokens)


def _verdict(line: Alignment, right: Alignment | None) -> Verdict:
    if right is None:
        return Verdict.ALIGNMENT
    if line.label is not right.label:
        return Verdict.LABEL
    if line.tags != right.tags:
        return Verdict.TAG
    # Gold files give unaligned chunks 0 as well as NIL.
    return Verdict.SAME if (line.score or 0) == (right.score or 0) else Verdict.SCORE


def scores(gold: Answer, found: Sequence[Alignment], scheme: Scheme) -> Scores:
    """The official measures of alignments of one pair."""
    one, two = (Reference(gold.pair, tuple(lines)) for lines in (gold.alignments, found))
    return evaluate({"": one}, {"": two}, scheme).overall
