"""How an answer differs from the alignments that people gave."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ists_asp.io.given import given_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.model import Alignment, Answer


class Verdict(StrEnum):
    """How a line compares with gold, the gravest difference first."""

    ALIGNMENT = "alignment"
    LABEL = "label"
    TAG = "tag"
    SCORE = "score"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Comparison:
    """An answer beside gold.

    ``gold`` are the gold alignments as an answer of its own; ``lines`` has, for each line of
    the answer, the gold line of the same tokens, if there is one, and the verdict;
    ``missed`` are the gold lines whose tokens are on no line of the answer.
    """

    gold: Answer
    lines: tuple[tuple[Alignment | None, Verdict], ...]
    missed: tuple[Alignment, ...]

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.missed and all(verdict is Verdict.SAME for _, verdict in self.lines)


def compare(answer: Answer, gold: Sequence[Alignment]) -> Comparison:
    """Compare an answer with gold alignments, line by line.

    Raises:
        DataError: gold names a token that the pair lacks.
    """
    known = {(line.tokens1, line.tokens2): line for line in gold}
    ours = {(line.tokens1, line.tokens2) for line in answer.alignments}
    lines = []
    for line in answer.alignments:
        right = known.get((line.tokens1, line.tokens2))
        lines.append((right, _verdict(line, right)))
    missed = tuple(line for tokens, line in known.items() if tokens not in ours)
    return Comparison(given_answer(answer.pair, gold), tuple(lines), missed)


def _verdict(line: Alignment, right: Alignment | None) -> Verdict:
    if right is None:
        return Verdict.ALIGNMENT
    if line.label is not right.label:
        return Verdict.LABEL
    if line.tags != right.tags:
        return Verdict.TAG
    # Gold files give unaligned chunks 0 as well as NIL.
    return Verdict.SAME if (line.score or 0) == (right.score or 0) else Verdict.SCORE
