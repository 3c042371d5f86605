"""The word alignment format of SemEval-2016 Task 2: what a ``.wa`` file holds, read and written.

Sentences keep their alignment lines as written (:class:`WaAlignment`), so that faults can
be reported with line and text; :meth:`WaSentence.to_alignments` converts them. Files are read
however they were edited, and written exactly as the official gold files are laid out.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from html import escape, unescape
from typing import TYPE_CHECKING

from ists_asp.errors import DataError, of_pair, shortened
from ists_asp.io.text import Faults, Line, Repairs, Source, Warn, ignore, make_sentence, read_lines
from ists_asp.model import Alignment, Answer, Chunk, Label, Pair, Sentence, Tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

ARROW = "<==>"
HIGHEST = 5
NIL = "NIL"
NOT_ALIGNED = "-not aligned-"

FAILED = "failed"
"""The status of a pair for which no answer was found: its tokens stand there, unaligned."""

UNPROVEN = "unproven"
"""The status of an answer that was not proved the best within the time limit."""

_HINT = "See what `ists-asp check` says about the file."
_FIELD_BLANKS = " \t\n\r\f\v"
"""What surrounds fields and token numbers, as in the official scripts: no other Unicode blank."""

_GAP = re.compile(f"[{_FIELD_BLANKS}]+")
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

_OPEN = re.compile(r"<sentence\b(.*)")
_ID = re.compile(r"""\bid\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_TOKEN_LINE = re.compile(r"(\d+)[ \t]+(.*)", re.ASCII)
_NUMBERED_ARROW = re.compile(r"[\d\s]*<==>", re.ASCII)
_NO_TOKEN_ARROW = re.compile(r"[\d\s]*<==>(?!\S*\s*:?$)", re.ASCII)
"""The same, where it is not a token line: ``3 <==> :`` is one, of a word that has an arrow."""

_TOKEN_BLANKS = " \t"
"""What surrounds tokens; other Unicode blanks may be part of them."""

_SECTIONS = ("source", "translation", "alignment")


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
        return cls(line, where, raw, *(part.strip(_FIELD_BLANKS) for part in fields))

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


@dataclass(slots=True)
class _Draft:
    """The sentence being read; ``section`` is the tag that the reader is in."""

    id: str | None
    where: str
    section: str = ""
    texts: list[str] = field(default_factory=list)
    tokens: dict[str, list[WaToken]] = field(
        default_factory=lambda: {"source": [], "translation": []}
    )
    alignments: list[WaAlignment] = field(default_factory=list)

    def build(self, repairs: Repairs) -> WaSentence:
        if len(self.texts) != 2:
            repairs.report(
                self.where, f"{len(self.texts)} text lines (//) instead of 2", "left as they are"
            )
        text1, text2 = (*self.texts, "", "")[:2]
        return WaSentence(
            self.id,
            self.where,
            text1,
            text2,
            tuple(self.tokens["source"]),
            tuple(self.tokens["translation"]),
            tuple(self.alignments),
        )


def read_wa(
    source: Source,
    *,
    name: str | None = None,
    warn: Warn = ignore,
    strict: bool = False,
    watch: Callable[[Line], object] | None = None,
) -> Iterator[WaSentence]:
    """Yield the sentences of a ``.wa`` file.

    Odd lines are repaired with one warning each. Alignment lines are kept as written, and
    a sentence without an id gets None, so that a check can judge them. ``watch`` gets every
    line before it is read.

    Raises:
        DataError: an unreadable file, or (strict) something to repair.
    """
    repairs = Repairs(warn, strict)
    draft: _Draft | None = None
    for line in read_lines(source, name=name, warn=warn, strict=strict):
        if watch is not None:
            watch(line)
        text = line.text.strip(_TOKEN_BLANKS)
        if not text:
            continue
        opening = _OPEN.fullmatch(text)
        if opening:
            if not text.endswith(">"):
                repairs.report(
                    line.where, "no > at the end of <sentence", "read as if it were there"
                )
            if draft is not None:
                repairs.report(line.where, "<sentence> before </sentence>", "read as a new one")
                yield draft.build(repairs)
            draft = _Draft(_identifier(opening[1]), line.where)
            continue
        if text == "</sentence>":
            if draft is None:
                repairs.report(line.where, "</sentence> without <sentence>", "skipped")
            else:
                yield draft.build(repairs)
            draft = None
            continue
        current = draft or _Draft(None, line.where)
        if _take(current, line, text, repairs):
            draft = current
    if draft is not None:
        repairs.report(draft.where, "a sentence without </sentence>", "ends with the file")
        yield draft.build(repairs)


def _identifier(attributes: str) -> str | None:
    match = _ID.search(attributes)
    if match is None:
        return None
    return unescape(match[1] if match[1] is not None else match[2]) or None


def _take(draft: _Draft, line: Line, text: str, repairs: Repairs) -> bool:
    """Add a line to a sentence; whether it belongs to one."""
    for section in _SECTIONS:
        if text == f"<{section}>":
            draft.section = section
            return True
        if text == f"</{section}>":
            draft.section = ""
            return True
    if draft.section in draft.tokens and not _NO_TOKEN_ARROW.match(text):
        token = _token(text, line.where, repairs)
        if token is not None:
            tokens = draft.tokens[draft.section]
            if token.number != len(tokens) + 1:
                repairs.report(
                    line.where,
                    f"token number {token.number} where {len(tokens) + 1} is due",
                    "kept",
                )
            tokens.append(token)
    elif draft.section == "alignment":
        draft.alignments.append(WaAlignment.parse(line.number, line.where, line.text))
    elif text.startswith("//"):
        draft.texts.append(restore(text[2:].strip()))
    elif _NUMBERED_ARROW.match(text):
        repairs.report(line.where, "an alignment outside <alignment>", "read as one")
        draft.alignments.append(WaAlignment.parse(line.number, line.where, line.text))
    else:
        repairs.report(line.where, f"'{shortened(text)}' belongs to no section", "skipped")
        return False
    return True


def _token(text: str, where: str, repairs: Repairs) -> WaToken | None:
    match = _TOKEN_LINE.fullmatch(text)
    if match is None:
        repairs.report(where, f"'{shortened(text)}' is no token line", "skipped")
        return None
    number, form = token_number(match[1]) or 0, restore(match[2])
    if form.endswith(" :"):
        return WaToken(number, form[:-2].strip(_TOKEN_BLANKS))
    if form.endswith(":") and len(form) > 1:
        repairs.report(
            where,
            f"no blank before the colon of '{shortened(text)}'",
            f"read as '{shortened(form[:-1])}'",
        )
        return WaToken(number, form[:-1])
    repairs.report(
        where, f"no word and colon in '{shortened(text)}'", f"read as '{shortened(form)}'"
    )
    return WaToken(number, form)


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


def given_answer(pair: Pair, alignments: Sequence[Alignment]) -> Answer:
    """An answer made of a pair and alignments.

    Where a sentence has no chunks, they are the runs of neighbouring tokens on a line.

    Raises:
        DataError: an alignment names a token that the sentence lacks.
    """
    sides = []
    for number, sentence in ((1, pair.sent1), (2, pair.sent2)):
        lines = [line.tokens1 if number == 1 else line.tokens2 for line in alignments]
        size = len(sentence.tokens)
        for line in lines:
            if line and not 1 <= line[0] <= line[-1] <= size:
                raise DataError(
                    f"token {line[-1]} of sentence {number}, which has {size} tokens",
                    where=of_pair(pair.id),
                    hint="Give the sentences that the alignments are about",
                )
        sides.append(sentence.chunks or _chunks(sentence, lines))
    sent1, sent2 = (
        replace(sentence, chunks=chunks)
        for sentence, chunks in zip((pair.sent1, pair.sent2), sides, strict=True)
    )
    known = replace(pair, sent1=sent1, sent2=sent2)
    return Answer(known, sides[0], sides[1], tuple(alignments), (), optimal=True)


def _chunks(sentence: Sentence, lines: Iterable[Sequence[int]]) -> tuple[Chunk, ...]:
    line_of = {token: number for number, line in enumerate(lines) for token in line}
    starts = [
        token.index
        for token in sentence.tokens
        if token.index == 1
        or token.index not in line_of
        or line_of[token.index] != line_of.get(token.index - 1)
    ]
    ends = [*(start - 1 for start in starts[1:]), len(sentence.tokens)]
    return tuple(Chunk(start, end) for start, end in zip(starts, ends, strict=True))
