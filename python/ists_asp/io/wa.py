"""The word alignment format of SemEval-2016 Task 2: what a ``.wa`` file holds.

Sentences keep their alignment lines as written (:class:`WaAlignment`), so that faults can
be reported with line and text; :meth:`WaSentence.to_alignments` converts them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ists_asp.errors import DataError, shortened
from ists_asp.io.faults import Faults
from ists_asp.io.sentences import make_sentence
from ists_asp.model import Alignment, Label, Pair, Tag

ARROW = "<==>"
HIGHEST = 5
NIL = "NIL"
NOT_ALIGNED = "-not aligned-"
_HINT = "See what `ists-asp check` says about the file."
_BLANKS = " \t\n\r\f\v"
"""What surrounds fields and token numbers, as in the official scripts: no other Unicode blank."""

_GAP = re.compile(f"[{_BLANKS}]+")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_TOKEN = re.compile(r"\d+", re.ASCII)
_LABELS = {str(label): label for label in Label}
_TAGS = {str(tag): tag for tag in Tag}
_HUGE = 10**9
"""Stands for all greater token numbers: Python converts no more than 4300 digits."""

_MISTAKEN = re.compile(r'<(?===>)|(?<=sentence id=)"')
_WRITTEN = re.compile(r"&lt;(?===>)|(?<=sentence id=)&quot;")
_SUCH = re.compile(r"&(?=(?:amp;)*lt;==>)|(?<=sentence id=)&(?=(?:amp;)*quot;)")
_SUCH_WRITTEN = re.compile(r"&amp;(?=(?:amp;)*lt;==>)|(?<=sentence id=)&amp;(?=(?:amp;)*quot;)")


def protect(words: str) -> str:
    """Write words so that the official scripts take them for nothing but words.

    To them every line with ``<==>`` is an alignment, and every line with ``sentence id="`` begins
    a pair, sentences and comments included. These become ``&lt;==>`` and ``sentence id=&quot;``;
    what has that form already gets another ``amp;``, so that :func:`restore` finds the words.
    """
    if "==>" not in words and "sentence id=" not in words:
        return words
    words = _SUCH.sub("&amp;", words)
    return _MISTAKEN.sub(lambda match: "&lt;" if match[0] == "<" else "&quot;", words)


def restore(words: str) -> str:
    """The words that :func:`protect` was given."""
    if "==>" not in words and "sentence id=" not in words:
        return words
    words = _WRITTEN.sub(lambda match: "<" if match[0] == "&lt;" else '"', words)
    return _SUCH_WRITTEN.sub("&", words)


def token_number(word: str) -> int | None:
    """The number that a word of a side is, a billion for all that are greater, or None."""
    if not _TOKEN.fullmatch(word):
        return None
    digits = word.lstrip("0")
    return int(digits or "0") if len(digits) < len(str(_HUGE)) else _HUGE


@dataclass(frozen=True, slots=True)
class WaToken:
    """A line of a ``<source>`` or ``<translation>`` section."""

    number: int
    form: str


@dataclass(frozen=True, slots=True)
class WaAlignment:
    """An alignment line as written, cut into fields as the official scripts do it.

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

    @classmethod
    def parse(cls, line: int, where: str, raw: str) -> WaAlignment:
        """Cut a line into its fields."""
        sides, label, score, comment = (*raw.split("//", 3), "", "", "")[:4]
        side1, side2 = (*sides.split(ARROW), "")[:2]
        fields = (side1, side2, label, score, comment)
        return cls(line, where, raw, *(part.strip(_BLANKS) for part in fields))

    @property
    def words1(self) -> tuple[str, ...]:
        """The token numbers of side 1, as written."""
        return _split(self.side1)

    @property
    def words2(self) -> tuple[str, ...]:
        """The token numbers of side 2, as written."""
        return _split(self.side2)

    @property
    def types(self) -> tuple[str, ...]:
        """The parts of the label: ``SPE1_FACT`` has ``SPE1`` and ``FACT``, and so has ``SPE1_``."""
        label = self.label.rstrip("_")
        return tuple(label.split("_")) if label else ()

    def to_alignment(self) -> Alignment:
        """The domain's alignment; token numbers ascending.

        A side that begins with ``0`` is not aligned, as the official scripts have it; ``0`` among
        other tokens is dropped.

        Raises:
            DataError: a field is malformed.
        """
        label, tags = self._label()
        return Alignment(
            self._tokens(self.words1), self._tokens(self.words2), label, self._score(), tags
        )

    def _tokens(self, words: tuple[str, ...]) -> tuple[int, ...]:
        numbers = [number for number in map(token_number, words) if number is not None]
        if not words or len(numbers) < len(words):
            raise DataError(
                f"'{shortened(' '.join(words))}' is no list of tokens",
                where=self.where,
                expected="numbers separated by blanks, or 0",
                hint=_HINT,
            )
        return tuple(sorted({*numbers} - {0})) if numbers[0] else ()

    def _label(self) -> tuple[Label, frozenset[Tag]]:
        types = [part.upper() if part.isascii() else part for part in self.types]
        main = [part for part in types if part in _LABELS]
        tags = [part for part in types if part in _TAGS]
        if len(main) != 1 or len(types) != 1 + len(tags):
            raise DataError(
                f"'{shortened(self.label)}' is no alignment type",
                where=self.where,
                expected=f"one of {', '.join(_LABELS)}, with or without _FACT or _POL",
                hint=_HINT,
            )
        return _LABELS[main[0]], frozenset(_TAGS[part] for part in tags)

    def _score(self) -> float | None:
        if self.score == NIL:
            return None
        score = float(self.score) if _NUMBER.fullmatch(self.score) else math.nan
        if not 0 <= score <= HIGHEST:
            raise DataError(
                f"'{shortened(self.score)}' is no score",
                where=self.where,
                expected="a number from 0 to 5, or NIL",
                hint=_HINT,
            )
        return score


def _split(side: str) -> tuple[str, ...]:
    return tuple(_GAP.split(side)) if side else ()


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
                    f"tokens numbered {shortened(str(numbers))}",
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
