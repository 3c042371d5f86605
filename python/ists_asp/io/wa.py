"""The word alignment format of SemEval-2016 Task 2: what a ``.wa`` file holds.

Sentences keep their alignment lines as written (:class:`WaAlignment`), so that faults can
be reported with line and text; :meth:`WaSentence.to_alignments` converts them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ists_asp.errors import DataError
from ists_asp.io.faults import Faults
from ists_asp.io.sentences import make_sentence
from ists_asp.io.text import excerpt
from ists_asp.model import Alignment, Label, Pair, Tag

__all__ = ["NIL", "NOT_ALIGNED", "WaAlignment", "WaSentence", "WaToken"]

NIL = "NIL"
NOT_ALIGNED = "-not aligned-"
_HINT = "See what `ists-asp check` says about the file."


@dataclass(frozen=True, slots=True)
class WaToken:
    """A line of a ``<source>`` or ``<translation>`` section."""

    number: int
    form: str


@dataclass(frozen=True, slots=True)
class WaAlignment:
    """An alignment line as written.

    ``where`` is ``file:line``; ``raw`` the whole line. The fields are stripped of blanks
    but not checked; a field that the line lacks is empty. ``side1`` and ``side2`` are
    token numbers separated by blanks.
    """

    line: int
    where: str
    raw: str
    side1: str
    side2: str
    label: str
    score: str
    comment: str

    @property
    def types(self) -> tuple[str, ...]:
        """The parts of the label: ``SPE1_FACT`` has ``SPE1`` and ``FACT``."""
        return tuple(self.label.split("_"))

    def to_alignment(self) -> Alignment:
        """The domain's alignment; token numbers ascending, ``0`` dropped.

        Raises:
            DataError: a field is malformed.
        """
        label, tags = self._label()
        return Alignment(
            self._tokens(self.side1), self._tokens(self.side2), label, self._score(), tags
        )

    def _tokens(self, side: str) -> tuple[int, ...]:
        words = side.split()
        if not words or not all(word.isascii() and word.isdigit() for word in words):
            raise DataError(
                f"'{excerpt(side)}' is no list of tokens",
                where=self.where,
                expected="numbers separated by blanks, or 0",
                hint=_HINT,
            )
        return tuple(sorted({int(word) for word in words} - {0}))

    def _label(self) -> tuple[Label, frozenset[Tag]]:
        names = [str(label) for label in Label]
        main = [part for part in self.types if part in names]
        rest = [part for part in self.types if part not in names]
        if len(main) != 1 or not all(part in tuple(Tag) for part in rest):
            raise DataError(
                f"'{excerpt(self.label)}' is no alignment type",
                where=self.where,
                expected=f"one of {', '.join(names)}, with or without _FACT or _POL",
                hint=_HINT,
            )
        return Label(main[0]), frozenset(Tag(part) for part in rest)

    def _score(self) -> float | None:
        if self.score == NIL:
            return None
        try:
            score = float(self.score)
        except ValueError:
            score = math.nan
        if not math.isfinite(score):
            raise DataError(
                f"'{excerpt(self.score)}' is no score",
                where=self.where,
                expected="a number from 0 to 5, or NIL",
                hint=_HINT,
            )
        return score


@dataclass(frozen=True, slots=True)
class WaSentence:
    """A ``<sentence>`` of a ``.wa`` file.

    ``id`` is None where the file gives none. ``where`` is ``file:line`` of its start.
    ``text1`` and ``text2`` are the two ``//`` lines, ``tokens1`` and ``tokens2`` the
    ``<source>`` and ``<translation>`` sections.
    """

    id: str | None
    where: str
    text1: str
    text2: str
    tokens1: tuple[WaToken, ...]
    tokens2: tuple[WaToken, ...]
    alignments: tuple[WaAlignment, ...]

    def to_alignments(self) -> tuple[Alignment, ...]:
        """The alignment lines, converted, in the order of the file.

        Raises:
            DataError: a line is malformed; all such lines are told.
        """
        found, faults = [], Faults()
        for line in self.alignments:
            with faults:
                found.append(line.to_alignment())
        faults.check()
        return tuple(found)

    def to_pair(self) -> Pair:
        """The two sentences, without chunks; the token sections decide, not the texts.

        Raises:
            DataError: no id, or token sections that do not number their tokens from 1.
        """
        if self.id is None:
            raise DataError("a sentence without an id", where=self.where, hint=_HINT)
        for tokens in (self.tokens1, self.tokens2):
            numbers = [token.number for token in tokens]
            if not numbers or numbers != list(range(1, len(numbers) + 1)):
                raise DataError(
                    f"tokens numbered {excerpt(str(numbers))}",
                    where=self.where,
                    expected="the numbers 1, 2, 3 and so on",
                )
            if not all(token.form for token in tokens):
                raise DataError("a token without a form", where=self.where)
        sent1, sent2 = (
            make_sentence([token.form for token in tokens])
            for tokens in (self.tokens1, self.tokens2)
        )
        return Pair(self.id, sent1, sent2)
