"""An answer beside other alignments of its pair, gold or of another system, line by line."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from ists_asp.evaluate.scorer import Reference, Scores, evaluate
from ists_asp.io.wa import given_answer
from ists_asp.report.picture import about_marks, described

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ists_asp.model import Alignment, Answer, Scheme

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
        is_mark = partial(about_marks, self.answer.pair)
        for line, (right, verdict) in zip(self.answer.alignments, self.lines, strict=True):
            yield str(right.label) if right else NO_LINE, str(line.label), verdict, is_mark(line)
        for line in self.missed:
            yield str(line.label), NO_LINE, Verdict.ALIGNMENT, is_mark(line)

    def told(self, name: str) -> Iterator[str]:
        """Each difference in words; ``name`` is what the other is called."""
        say = partial(described, self.answer)
        for line, (right, verdict) in zip(self.answer.alignments, self.lines, strict=True):
            if verdict is not Verdict.SAME:
                there = f"other {verdict} in {name}, {say(right)}" if right else f"not in {name}"
                yield f"{say(line)}: {there}"
        yield from (f"only in {name}: {say(line)}" for line in self.missed)


def compare(answer: Answer, other: Sequence[Alignment]) -> Comparison:
    """Compare an answer with other alignments of its pair, line by line."""
    known = {(line.tokens1, line.tokens2): line for line in other}
    found = [(line, known.pop((line.tokens1, line.tokens2), None)) for line in answer.alignments]
    lines = tuple((right, _verdict(line, right)) for line, right in found)
    return Comparison(answer, given_answer(answer.pair, other), lines, tuple(known.values()))


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
