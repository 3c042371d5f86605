"""What differs between two answers to a pair, decision by decision."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ists_asp.model import Tag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ists_asp.compare.answered import Answered
    from ists_asp.model import Alignment

_Line = tuple[tuple[int, ...], tuple[int, ...]]


class ChangeKind(StrEnum):
    """Which decision differs."""

    BOUNDARY = "boundary"
    ALIGN = "align"
    LABEL = "label"
    SCORE = "score"
    TAG = "tag"
    UNALIGNED = "unaligned"


@dataclass(frozen=True, slots=True)
class Change:
    """A decision that differs.

    ``tokens1`` and ``tokens2`` are the tokens that it is about, empty on the side that it is
    not about; for a boundary the token that a chunk begins with. ``old`` and ``new`` are what
    was decided, such as ``SIMI``, ``3`` or, for an alignment, ``SIMI 3``; None where there was
    no such decision.
    """

    kind: ChangeKind
    tokens1: tuple[int, ...]
    tokens2: tuple[int, ...]
    old: str | None
    new: str | None


def find_changes(old: Answered, new: Answered) -> tuple[Change, ...]:
    """The decisions that differ between two answers, boundaries first, then line by line."""
    return (*_boundaries(old, new), *_lines(old, new))


def _boundaries(old: Answered, new: Answered) -> Iterator[Change]:
    if old.chunks is None or new.chunks is None:
        return
    for side, (before, after) in enumerate(zip(old.chunks, new.chunks, strict=True), start=1):
        starts1, starts2 = ({chunk.first for chunk in chunks} for chunks in (before, after))
        for token in sorted(starts1 ^ starts2):
            tokens1, tokens2 = ((token,), ()) if side == 1 else ((), (token,))
            was, now = ("begins" if token in starts else None for starts in (starts1, starts2))
            yield Change(ChangeKind.BOUNDARY, tokens1, tokens2, was, now)


def _lines(old: Answered, new: Answered) -> Iterator[Change]:
    before, after = (
        {(line.tokens1, line.tokens2): line for line in one.alignments} for one in (old, new)
    )
    for key in sorted({**before, **after}, key=lambda line: (not line[0], line)):
        line1, line2 = before.get(key), after.get(key)
        if line1 is None or line2 is None or line1.label.aligned != line2.label.aligned:
            kind = ChangeKind.ALIGN if key[0] and key[1] else ChangeKind.UNALIGNED
            yield Change(kind, *key, _told(line1), _told(line2))
            continue
        for kind, value1, value2 in (
            (ChangeKind.LABEL, str(line1.label), str(line2.label)),
            (ChangeKind.SCORE, _score(line1), _score(line2)),
            (ChangeKind.TAG, _tags(line1), _tags(line2)),
        ):
            if value1 != value2:
                yield Change(kind, *key, value1 or None, value2 or None)


def _told(line: Alignment | None) -> str | None:
    if line is None:
        return None
    return " ".join(part for part in (str(line.label), _tags(line), _score(line)) if part)


def _score(line: Alignment) -> str:
    """The score; empty for what is not aligned, where files have 0 as well as NIL."""
    return f"{line.score:g}" if line.score else ""


def _tags(line: Alignment) -> str:
    return " ".join(str(tag) for tag in Tag if tag in line.tags)
