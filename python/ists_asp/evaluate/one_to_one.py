"""What the pilot of 2015 asks of answers beyond the official check: one chunk to one chunk."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ists_asp.evaluate.faults import Fault

if TYPE_CHECKING:
    from ists_asp.io.wa import WaAlignment, WaSentence

__all__ = ["one_to_one"]

SPLIT = "not consecutive"
SHARED = "not one-to-one"


def one_to_one(sentence: WaSentence) -> list[Fault]:
    """The sides that are no chunk (their tokens are not neighbours) or stand on several lines."""
    faults = []
    for side in (1, 2):
        lines = [(line, _numbers(line, side)) for line in sentence.alignments]
        uses = Counter(number for _, numbers in lines for number in numbers)
        for line, numbers in lines:
            if numbers and numbers != list(range(numbers[0], numbers[-1] + 1)):
                found = f"the tokens {', '.join(map(str, numbers))} of sentence {side}"
                faults.append(Fault(line.where, SPLIT, found, "tokens that are neighbours"))
            again = [number for number in numbers if uses[number] > 1]
            if again:
                words = ", ".join(map(str, again))
                found = f"token {words} of sentence {side}, on another line too"
                expected = "each token on one line; ALIC where its counterpart is on another"
                faults.append(Fault(line.where, SHARED, found, expected))
    return faults


def _numbers(line: WaAlignment, side: int) -> list[int]:
    words = (line.side1 if side == 1 else line.side2).split()
    return sorted({int(word) for word in words if word.isascii() and word.isdigit()} - {0})
