"""A decision to ask about, written as in a ``.wa`` file: what ``why`` and ``why-not`` take.

``3 4 5 <==> 3 4``, with a label ``3 4 5 <==> 3 4 // EQUI``, with a score ``… // EQUI // 5``;
``6 <==> 0``, ``6 <==> 0 // NOALI`` or ``6 <==> 0 // ALIC`` for a chunk without a counterpart;
``1: 3 4 5`` for a chunk of sentence 1. The rating of a pair, ``rating``, has a trace of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.errors import UsageError, shortened
from ists_asp.model import Label, Tag
from ists_asp.trace.view.decisions import DecisionKind, numbers

if TYPE_CHECKING:
    from ists_asp.model import Answer, Sentence

_FORM = (
    '"3 4 5 <==> 3 4", with "// LABEL" and "// SCORE" if you like, a chunk "1: 3 4 5", or "rating"'
)


@dataclass(frozen=True, slots=True)
class Question:
    """A decision that somebody asks about.

    An alignment has tokens on both sides, what is left over on one, a chunk has tokens of the
    sentence ``side`` in ``tokens1``.
    """

    tokens1: tuple[int, ...]
    tokens2: tuple[int, ...]
    side: int = 0
    label: Label | None = None
    tags: frozenset[Tag] = frozenset()
    score: int | None = None

    @property
    def is_chunk(self) -> bool:
        """Whether it is about a chunk rather than about an alignment."""
        return self.side != 0


def is_rating(text: str) -> bool:
    """Whether it is the rating of the pair that somebody asks about.

    Raises:
        UsageError: it is no text.
    """
    if not isinstance(text, str):
        raise UsageError(f"{text!r} is no decision", expected=_FORM)
    return text.strip() == DecisionKind.RATING


def read_question(text: str, answer: Answer) -> Question:
    """Read a decision that an answer takes, or might have taken.

    What is left over without a label is what the answer has: NOALI or ALIC.

    Raises:
        UsageError: it is malformed, or has tokens that the sentences do not have.
    """
    where = f"decision '{shortened(text)}'"
    if "<==>" in text:
        return _alignment(text, answer, where)
    pair = answer.pair
    side, colon, tokens = text.partition(":")
    if not colon:
        raise UsageError("it is neither an alignment nor a chunk", where=where, expected=_FORM)
    if side.strip() not in ("1", "2"):
        raise UsageError(f"there is no sentence {side.strip()}", where=where, expected="1 or 2")
    number = int(side)
    found = _tokens(tokens, pair.sent1 if number == 1 else pair.sent2, number, where)
    if not found or found != tuple(range(found[0], found[-1] + 1)):
        raise UsageError("a chunk is a run of neighbouring tokens", where=where, expected=_FORM)
    return Question(found, (), number)


def _alignment(text: str, answer: Answer, where: str) -> Question:
    pair = answer.pair
    sides, *more = (part.strip() for part in text.split("//"))
    first, _, second = sides.partition("<==>")
    if len(more) > 2:
        raise UsageError(f"'{more[2]}' is more than label and score", where=where, expected=_FORM)
    tokens1 = _tokens(first, pair.sent1, 1, where)
    tokens2 = _tokens(second, pair.sent2, 2, where)
    label, tags = _label(more[0], where) if more and more[0] else (None, frozenset[Tag]())
    score = _score(more[1], where) if len(more) > 1 and more[1] not in ("", "NIL") else None
    if not tokens1 and not tokens2:
        raise UsageError("both sides are empty", where=where, expected=_FORM)
    whole = bool(tokens1 and tokens2)
    if label is not None and label.aligned != whole:
        found = "both sides have tokens" if whole else "one side is empty"
        raise UsageError(
            f"{label} where {found}",
            where=where,
            expected="EQUI, OPPO, SPE1, SPE2, SIMI or REL" if whole else "NOALI, or ALIC",
        )
    if not whole and score is not None:
        raise UsageError("a score where one side is empty", where=where, expected="NIL, or none")
    if not whole and label is None:
        label = _left_over(answer, tokens1, tokens2)
    return Question(tokens1, tokens2, 0, label, tags, score)


def _left_over(answer: Answer, tokens1: tuple[int, ...], tokens2: tuple[int, ...]) -> Label:
    found = {(line.tokens1, line.tokens2): line.label for line in answer.alignments}
    return found.get((tokens1, tokens2), Label.NOALI)


def _tokens(text: str, sentence: Sentence, side: int, where: str) -> tuple[int, ...]:
    found = tuple(number for number in numbers(text, where) if number)
    if not text.strip():
        raise UsageError("a side has no tokens", where=where, expected=_FORM, hint="Write 0")
    size = len(sentence.tokens)
    for number in found:
        if number > size:
            raise UsageError(
                f"sentence {side} has no token {number}", where=where, expected=f"1 to {size}"
            )
    return found


def _label(text: str, where: str) -> tuple[Label, frozenset[Tag]]:
    parts = text.upper().split("_")
    labels = [part for part in parts if part in tuple(Label)]
    tags = [part for part in parts if part in tuple(Tag)]
    if len(labels) != 1 or len(labels) + len(tags) != len(parts):
        raise UsageError(
            f"'{text}' is no label", where=where, expected=", ".join(str(label) for label in Label)
        )
    return Label(labels[0]), frozenset(Tag(tag) for tag in tags)


def _score(text: str, where: str) -> int:
    try:
        value = float(text.split()[0])
    except ValueError:
        value = -1.0
    if not (0 <= value <= 5 and value == int(value)):
        raise UsageError(f"'{text}' is no score", where=where, expected="a whole number, 0 to 5")
    return int(value)
