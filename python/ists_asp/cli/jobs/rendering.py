"""Answers as the formats of ``ists-asp solve``."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING

from ists_asp.cli.files import by_ending
from ists_asp.io.jsonl import write_failure, write_jsonl
from ists_asp.io.readable import format_answer
from ists_asp.io.wa_writer import FAILED, write_answer, write_pair
from ists_asp.model import Alignment, Label

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.engine.answer import Provenance
    from ists_asp.model import Pair
    from ists_asp.sandbox.outcome import Outcome


class Format(StrEnum):
    """A format of answers."""

    WA = "wa"
    JSONL = "jsonl"
    TEXT = "text"
    RATINGS = "ratings"
    TSV = "tsv"


RATED = (Format.RATINGS, Format.TSV)
"""Formats that hold nothing but ratings."""

_ANSWERS = {".wa": Format.WA, ".jsonl": Format.JSONL, ".txt": Format.TEXT}
_RATINGS = {".txt": Format.RATINGS, ".tsv": Format.TSV, ".jsonl": Format.JSONL}
_HINT = "Choose another ending, or name the format with --format"


def choose_format(name: str | None, output: Path | None, *, single: bool) -> Format:
    """The format of answers that was named, or that which goes with the output.

    Raises:
        UsageError: the ending of the output is unknown, and no format was named.
    """
    if name is not None:
        return Format(name)
    terminal = output is None and sys.stdout is not None and sys.stdout.isatty()
    default = Format.TEXT if single and terminal else Format.WA
    return by_ending(output, _ANSWERS, default, _HINT)


def choose_rating_format(name: str | None, output: Path | None) -> Format:
    """The same for ratings."""
    if name is not None:
        return Format(name)
    return by_ending(output, _RATINGS, Format.RATINGS, _HINT)


def render(outcome: Outcome, shape: Format, models: int, made_by: Provenance) -> str:
    """What becomes of a pair, in a format; a pair that failed says so.

    Args:
        outcome: the answers, or why there are none.
        shape: the format.
        models: how many answers were asked for.
        made_by: what made them, which JSON Lines tell.
    """
    if shape in RATED:
        return format_rating(_rating(outcome), outcome.pair, shape)
    if shape is Format.TEXT:
        return _text(outcome, models)
    if shape is Format.JSONL:
        if outcome.failure is not None:
            return write_failure(outcome.pair, outcome.failure.reason)
        return "".join(
            write_jsonl(answer, rank, outcome.knowledge, made_by.as_dict())
            for rank, answer in enumerate(outcome.answers, 1)
        )
    if outcome.failure is not None:
        return write_pair(outcome.pair, _unaligned(outcome.pair), FAILED)
    (answer,) = outcome.answers
    return write_answer(answer)


def format_rating(rating: str, pair: Pair, shape: Format) -> str:
    """A line with a rating; in TSV with the id of its pair behind it.

    The rating stands first, as in files of gold ratings, and so for :mod:`ists_asp.evaluate`.
    """
    return f"{rating}\t{pair.id}\n" if shape is Format.TSV else f"{rating}\n"


def _rating(outcome: Outcome) -> str:
    """The rating; 0 for a pair that failed, since a line is due for every pair."""
    rating = outcome.answers[0].rating if outcome.answers else None
    return f"{rating.value if rating else 0:.3f}"


def _text(outcome: Outcome, models: int) -> str:
    if outcome.failure is not None:
        return f"Pair {outcome.pair.id}\n  no answer: {outcome.failure.reason}\n"
    parts = []
    for rank, answer in enumerate(outcome.answers, 1):
        text = format_answer(answer)
        parts.append(text if models == 1 else f"Answer {rank}\n{text}")
    return "\n".join(parts)


def _unaligned(pair: Pair) -> list[Alignment]:
    """Each token by itself: nothing is claimed about a pair that failed, and nothing lost."""
    one = [Alignment((token.index,), (), Label.NOALI, None) for token in pair.sent1.tokens]
    two = [Alignment((), (token.index,), Label.NOALI, None) for token in pair.sent2.tokens]
    return [*one, *two]
