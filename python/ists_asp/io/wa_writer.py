"""Writing ``.wa`` files exactly as the official gold files are laid out."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from ists_asp.io.wa import NIL, NOT_ALIGNED, protect
from ists_asp.model import Alignment, Answer, Pair, Sentence, Tag

if TYPE_CHECKING:
    from collections.abc import Iterable

FAILED = "failed"
"""The status of a pair for which no answer was found: its tokens stand there, unaligned."""

UNPROVEN = "unproven"
"""The status of an answer that was not proved the best within the time limit."""


def write_answer(answer: Answer) -> str:
    r"""The ``<sentence>`` of an answer, ending with the blank lines that separate sentences."""
    return write_pair(answer.pair, answer.alignments, "" if answer.optimal else UNPROVEN)


def write_pair(pair: Pair, alignments: Iterable[Alignment], status: str = "") -> str:
    r"""The ``<sentence>`` of a pair and its alignments.

    Lines are ordered by the first token of side 1; lines without a side 1 come last, by the
    first token of side 2. ``status`` is empty, :data:`FAILED` or :data:`UNPROVEN`.
    """
    identifier = escape(" ".join(pair.id.split()), quote=False).replace('"', "&quot;")
    lines = [
        f'<sentence id="{identifier}" status="{status}">',
        f"// {protect(pair.sent1.text)}",
        f"// {protect(pair.sent2.text)}",
        "<source>",
        *_tokens(pair.sent1),
        "</source>",
        "<translation>",
        *_tokens(pair.sent2),
        "</translation>",
        "<alignment>",
        *(format_alignment(pair, alignment) for alignment in sorted(alignments, key=_order)),
        "</alignment>",
        "</sentence>",
    ]
    return "\n".join(lines) + "\n\n\n"


def format_alignment(pair: Pair, alignment: Alignment) -> str:
    """One alignment line, with the words of both sides as its comment and a blank at its end."""
    side1, side2 = (
        " ".join(map(str, sorted(numbers))) or "0"
        for numbers in (alignment.tokens1, alignment.tokens2)
    )
    words1 = _comment(pair.sent1, alignment.tokens1)
    words2 = _comment(pair.sent2, alignment.tokens2)
    label, score = format_label(alignment), format_score(alignment.score)
    return f"{side1} <==> {side2} // {label} // {score} // {words1} <==> {words2} "


def format_label(alignment: Alignment) -> str:
    """The label with its tags: ``SPE1``, ``SPE1_FACT``, ``SPE1_FACT_POL``."""
    return "_".join([alignment.label, *(tag for tag in Tag if tag in alignment.tags)])


def format_score(score: float | None) -> str:
    """A score as ``.wa`` files have it: ``5``, ``3.5``, ``NIL`` for None (at most 4 decimals)."""
    if score is None:
        return NIL
    # Adding 0.0 turns -0.0 into 0.
    return f"{round(score, 4) + 0.0:.4f}".rstrip("0").rstrip(".")


def _order(alignment: Alignment) -> tuple[bool, list[int], list[int], str]:
    side1, side2 = sorted(alignment.tokens1), sorted(alignment.tokens2)
    return not side1, side1, side2, format_label(alignment)


def _tokens(sentence: Sentence) -> list[str]:
    return [f"{token.index} {protect(token.form)} : " for token in sentence.tokens]


def _comment(sentence: Sentence, numbers: tuple[int, ...]) -> str:
    """The words of a side; what separates the fields of a line is broken up inside them."""
    if not numbers:
        return NOT_ALIGNED
    words = protect(sentence.words(tuple(sorted(numbers))))
    while "//" in words:
        words = words.replace("//", "/ /")
    return words
