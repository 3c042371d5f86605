"""What differs between two answers to a pair, decision by decision."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ists_asp.errors import DataError, shortened
from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Reference
from ists_asp.io.pairs import read_object
from ists_asp.io.text import Line, Warn, ignore, make_sentence, parse_lines
from ists_asp.model import Alignment, Chunk, Label, Pair, Tag

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from ists_asp.model import Answer


@dataclass(frozen=True, slots=True)
class Answered:
    """A pair with the lines of its answer; ``chunks`` of both sentences, where they are known."""

    pair: Pair
    alignments: tuple[Alignment, ...]
    chunks: tuple[tuple[Chunk, ...], tuple[Chunk, ...]] | None = None

    @classmethod
    def of(cls, answer: Answer) -> Answered:
        """The answer of a run."""
        return cls(answer.pair, answer.alignments, (answer.chunks1, answer.chunks2))

    @property
    def reference(self) -> Reference:
        """What the scorer measures."""
        return Reference(self.pair, self.alignments)


def read_answered(path: Path, *, warn: Warn = ignore) -> dict[str, Answered]:
    """Read a ``.wa`` file, or the JSON Lines of ``ists-asp solve``, by the pairs' ids.

    Of several answers to a pair the best counts; a pair without an answer has no lines.

    Raises:
        DataError: the file cannot be read, repeats an id, or has a malformed line.
    """
    if path.suffix == ".wa":
        return {
            identifier: Answered(one.pair, one.alignments)
            for identifier, one in read_references(path, warn=warn).items()
        }
    found: dict[str, Answered] = {}

    def add(line: Line) -> None:
        record = read_object(line)
        try:
            answered = _answered(record) if record.get("rank", 1) == 1 else None
        except (ValueError, OverflowError, KeyError, TypeError, AttributeError):
            raise DataError(
                "this is no answer",
                where=line.where,
                expected="a line of ists-asp solve --format jsonl",
            ) from None
        if answered is None:
            return
        if answered.pair.id in found:
            raise DataError(f"the id '{shortened(answered.pair.id)}' again", where=line.where)
        found[answered.pair.id] = answered

    for _ in parse_lines(path, add, warn=warn):
        pass
    return found


def _answered(record: dict[str, Any]) -> Answered:
    sentences = [
        make_sentence(record.get(f"tokens{side}") or record[f"sent{side}"].split()) for side in "12"
    ]
    pair = Pair(str(record["id"]), *sentences)
    if "error" in record:
        return Answered(pair, ())
    first, second = (
        tuple(Chunk(first, last) for first, last in record[f"chunks{side}"]) for side in "12"
    )
    return Answered(pair, tuple(map(_alignment, record["alignments"])), (first, second))


def _alignment(record: dict[str, Any]) -> Alignment:
    score = record["score"]
    return Alignment(
        tuple(record["tokens1"]),
        tuple(record["tokens2"]),
        Label(record["label"]),
        None if score is None else float(score),
        frozenset(map(Tag, record["tags"])),
    )


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
