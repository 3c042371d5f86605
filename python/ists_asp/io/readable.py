"""An answer as plain text for people at a terminal."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from ists_asp.io.wa_writer import format_label, format_score
from ists_asp.model import Confidence

if TYPE_CHECKING:
    from ists_asp.model import Alignment, Answer, Sentence

_WIDEST = 48
_DOUBTFUL = 0.5
"""What is less probable is more likely wrong than right."""


def format_answer(answer: Answer) -> str:
    r"""A few lines (ending with ``\n``): the sentences, a table of alignments, what is left.

    Columns are padded to the width on the terminal of their widest cell, at most 48. A question
    mark stands in front of an alignment, and behind a label or a lone chunk, that is more likely
    wrong than right.
    """
    pair = answer.pair
    aligned = [line for line in answer.alignments if line.tokens1 and line.tokens2]
    rows = [
        (
            _words(pair.sent1, line.tokens1),
            _decided(line),
            _words(pair.sent2, line.tokens2),
        )
        for line in sorted(aligned, key=lambda line: (line.tokens1, line.tokens2))
    ]
    left = min(_WIDEST, max((display_width(row[0]) for row in rows), default=0))
    middle = max((display_width(row[1]) for row in rows), default=0)
    lines = [f"Pair {pair.id}", f"  1: {pair.sent1.text}", f"  2: {pair.sent2.text}"]
    lines += [f"  {_pad(one, left)}  {_pad(label, middle)}  {two}" for one, label, two in rows]
    for number, sentence in ((1, pair.sent1), (2, pair.sent2)):
        rest = _unaligned(answer, number)
        if rest:
            texts = "; ".join(_rest(sentence, line, number) for line in rest)
            lines.append(f"  Not aligned in {number}: {texts}")
    if not answer.optimal:
        lines.append("  The solver stopped before it proved this answer the best.")
    return "\n".join(lines) + "\n"


def display_width(text: str) -> int:
    """Columns that a terminal uses: wide characters take two, combining ones none."""
    return sum(
        0
        if unicodedata.combining(char) or unicodedata.category(char) in ("Cf", "Me", "Mn")
        else 1 + (unicodedata.east_asian_width(char) in ("W", "F"))
        for char in text
    )


def _decided(line: Alignment) -> str:
    sure = line.confidence or Confidence(None)
    front = "? " if _doubtful(sure.alignment) else ""
    label = format_label(line) + "?" * _doubtful(sure.label)
    return f"{front}{label} {format_score(line.score)}"


def _doubtful(share: float | None) -> bool:
    return share is not None and share < _DOUBTFUL


def _unaligned(answer: Answer, number: int) -> list[Alignment]:
    found = [
        line
        for line in answer.alignments
        if (line.tokens1 and not line.tokens2 if number == 1 else line.tokens2 and not line.tokens1)
    ]
    return sorted(found, key=lambda line: (line.tokens1, line.tokens2))


def _rest(sentence: Sentence, line: Alignment, number: int) -> str:
    text = _words(sentence, line.tokens1 if number == 1 else line.tokens2)
    if line.confidence is not None:
        text += "?" * _doubtful(line.confidence.alignment)
    label = format_label(line)
    return text if label == "NOALI" else f"{text} ({label})"


def _words(sentence: Sentence, numbers: tuple[int, ...]) -> str:
    """The words, with ``…`` where the tokens are not neighbours."""
    parts = []
    for position, number in enumerate(numbers):
        if position and number != numbers[position - 1] + 1:
            parts.append("…")
        parts.append(sentence.tokens[number - 1].form)
    return " ".join(parts)


def _pad(text: str, width: int) -> str:
    return text + " " * (width - display_width(text))
