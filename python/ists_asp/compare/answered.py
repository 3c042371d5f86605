"""Answers to compare, from a run or from a file that a run has written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.errors import DataError, shortened
from ists_asp.evaluate.files import read_references
from ists_asp.evaluate.scorer import Reference
from ists_asp.io.pairs import read_object
from ists_asp.io.text import Line, Warn, ignore, make_sentence, parse_lines
from ists_asp.model import Alignment, Chunk, Label, Pair, Tag

if TYPE_CHECKING:
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
