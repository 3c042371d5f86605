"""What the pilot of 2015 asks of answers beyond the official check: one chunk to one chunk."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ists_asp.errors import shortened
from ists_asp.evaluate.faults import Fault, Origin
from ists_asp.io.wa import token_number

if TYPE_CHECKING:
    from ists_asp.io.wa import WaAlignment, WaSentence

SPLIT = "not consecutive"
SHARED = "not one-to-one"


def one_to_one(sentence: WaSentence) -> list[Fault]:
    """The sides that are no chunk (their tokens are not neighbours) or stand on several lines."""
    faults = []
    for side in (1, 2):
        lines = [(line, _numbers(line, side)) for line in sentence.alignments]
        uses = Counter(number for _, numbers in lines for number in numbers)
        for line, numbers in lines:
            if numbers and numbers[-1] - numbers[0] + 1 != len(numbers):
                words = shortened(", ".join(map(str, numbers)))
                found = f"the tokens {words} of sentence {side}"
                expected = "tokens that are neighbours"
                faults.append(Fault(line.where, SPLIT, found, expected, Origin.PILOT))
            again = [number for number in numbers if uses[number] > 1]
            if again:
                words = shortened(", ".join(map(str, again)))
                found = f"token {words} of sentence {side}, on another line too"
                expected = "each token on one line; ALIC where its counterpart is on another"
                faults.append(Fault(line.where, SHARED, found, expected, Origin.PILOT))
    return faults


def _numbers(line: WaAlignment, side: int) -> list[int]:
    words = line.words1 if side == 1 else line.words2
    return sorted({number for word in words if (number := token_number(word))})
