"""The word alignment format of SemEval-2016 Task 2, ``.wa``: read and written.

Sentences keep their alignment lines as written (:class:`WaAlignment`), so that faults can quote
them; :meth:`WaSentence.to_alignments` converts them. Reading is lenient; the layout of what is
written is exactly that of the official gold files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from html import unescape
from itertools import chain, pairwise, zip_longest
from typing import NamedTuple

from ists_asp.errors import DataError, FormatError, of_pair, shortened
from ists_asp.io import text as t
from ists_asp.model import HIGHEST, Alignment, Answer, Chunk, Label, Pair, Sentence, Tag

ARROW = "<==>"
NIL = "NIL"

# The status of a pair for which no answer was found: its tokens stand there, unaligned.
FAILED = "failed"
UNPROVEN = "unproven"  # the status of an answer that was not proved the best within the time limit
_HINT = "See what `ists-asp check` says about the file."
# Blanks round fields and token numbers, as in the official scripts.
_FIELD_BLANKS = " \t\n\r\f\v"
_GAP = re.compile(f"[{_FIELD_BLANKS}]+")
_NUMBER = re.compile(r"\d+(\.\d*)?|\.\d+", re.ASCII)
_PERL_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_PERL_NO_NUMBER = re.compile(  # numbers to Perl alone
    r"0 but true|[+-]?(1\.#(QNAN|IND)|[qs]?nan[qs]?(\((0x[0-9a-f]+|\d+)\))?)",
    re.ASCII | re.IGNORECASE,
)
_TOKEN = re.compile(r"\d+", re.ASCII)
LABELS, TAGS = tuple(map(str, Label)), tuple(map(str, Tag))
ODD_SCORE = "odd score"  # which is read all the same
# Stands for all greater token numbers: Python converts no more than 4300 digits.
_HUGE = 10**9
_LONGEST = 1 << 20  # characters of a sentence with its lines
_PARTS = 2  # chunks apart from each other that a side of an alignment may have
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}

_MISTAKEN = re.compile(r'<(?===>)|(?<=sentence id=)"')
_WRITTEN = re.compile(r"&lt;(?===>)|(?<=sentence id=)&quot;")
_SUCH = re.compile(r"&(?=(?:amp;)*lt;==>)|(?<=sentence id=)&(?=(?:amp;)*quot;)")
_SUCH_WRITTEN = re.compile(r"&amp;(?=(?:amp;)*lt;==>)|(?<=sentence id=)&amp;(?=(?:amp;)*quot;)")

_OPEN = re.compile(r"<sentence\b(.*)")
_ID = re.compile(r"""\bid\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_TOKEN_LINE = re.compile(r"(\d+)[ \t]+(.*)", re.ASCII)
_NUMBERED_ARROW = re.compile(r"[\d\s]*<==>", re.ASCII)
# The same, where it is not a token line: ``3 <==> :`` is one, of a word that has an arrow.
_NO_TOKEN_ARROW = re.compile(r"[\d\s]*<==>(?!\S*\s*:?$)", re.ASCII)
_TOKEN_BLANKS = " \t"  # what surrounds tokens; other Unicode blanks may be part of them
_SIDES = ("source", "translation")
_LINK = re.compile(r"(\d{1,6})[-?p](\d{1,6})", re.ASCII)  # possible ones with ? or p
_SECTION = re.compile("<(/?)(source|translation|alignment)>")


def protect(words: str) -> str:
    """Write words so that the official scripts read them as nothing but words.

    Those scripts take any line with ``<==>`` for an alignment and any line with ``sentence id="``
    for a new pair. They become ``&lt;==>`` and ``sentence id=&quot;``; text that already has that
    form gets another ``amp;``, so that :func:`restore` is exact.
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


class Origin(StrEnum):
    """Whose rule a fault breaks."""

    OFFICIAL = "official"
    OURS = "ours"
    PILOT = "pilot"


_RULES = {
    Origin.OURS: " (our own rule: the official check accepts it)",
    Origin.PILOT: " (a rule of the pilot's: the official check accepts it)",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: where (``file:line``), its kind, what was found and expected."""

    where: str
    kind: str
    found: str
    expected: str
    origin: Origin = Origin.OFFICIAL

    def __str__(self) -> str:
        rule = _RULES.get(self.origin, "")
        return f"{self.where}: {self.kind}: found {self.found}, expected {self.expected}{rule}"

    def error(self, hint: str | None = _HINT) -> DataError:
        """The same as an error."""
        found = f"{self.kind}: found {self.found}"
        return DataError(found, where=self.where, expected=self.expected, hint=hint)


def quoted(text: str | None) -> str:
    """A field of a line as faults show it."""
    return f"'{shortened((text or '').strip())}'"


class WaToken(NamedTuple):
    """A line of a ``<source>`` or ``<translation>`` section."""

    number: int
    form: str


@dataclass(frozen=True, slots=True)
class WaAlignment:
    """An alignment line as written, cut into fields as the official scripts do it.

    Fields are stripped of blanks but not checked; one that the line lacks is empty.
    """

    where: str  # file:line
    raw: str  # the whole line
    sides: tuple[tuple[str, ...], tuple[str, ...]]  # token numbers as written
    label: str
    score: str

    @classmethod
    def parse(cls, where: str, raw: str) -> WaAlignment:
        """Cut a line into its fields."""
        sides, label, score = (*raw.split("//", 3), "", "")[:3]
        side1, side2 = (*sides.split(ARROW), "")[:2]
        words1, words2 = (tuple(filter(None, _GAP.split(side))) for side in (side1, side2))
        fields = label.strip(_FIELD_BLANKS), score.strip(_FIELD_BLANKS)
        return cls(where, raw, (words1, words2), *fields)

    @property
    def types(self) -> tuple[str, ...]:
        """The parts of the label: ``SPE1_FACT`` has ``SPE1`` and ``FACT``, and so has ``SPE1_``."""
        label = self.label.rstrip("_")
        return tuple(label.split("_")) if label else ()

    def to_alignment(self) -> Alignment:
        """A faultless line; a side that begins with 0 is not aligned, other zeros go."""
        label = next(Label(part) for part in self.types if part in LABELS)
        tags = frozenset(Tag(part) for part in self.types if part in TAGS)
        score = None if self.score == NIL else float(self.score)
        sides = ([token_number(word) or 0 for word in side] for side in self.sides)
        side1, side2 = (tuple(sorted({*side} - {0} if side[0] else ())) for side in sides)
        return Alignment(side1, side2, label, score, tags)

    def fault(self) -> Fault | None:
        """The fault of the line, if it has one: the only judge of what an alignment line is."""

        def fault(kind: str, found: str, expected: str, origin: Origin = Origin.OFFICIAL) -> Fault:
            return Fault(self.where, kind, found, expected, origin)

        if not all(self.sides):
            expected = f"token numbers (or 0) on both sides of {ARROW}"
            return fault("wrong alignment", quoted(self.raw), expected)
        for word in chain(*self.sides):
            if token_number(word) is None:
                return fault("wrong token", quoted(word), "the number of a token")
        if not 1 <= len(self.types) <= 3:
            found = f"{len(self.types)} in {quoted(self.label)}"
            return fault("wrong number of types", found, "1 to 3")
        for part in self.types:
            if part not in (*LABELS, *TAGS):
                return fault("wrong type", quoted(part), f"one of {', '.join((*LABELS, *TAGS))}")
        if sum(part in LABELS for part in self.types) != 1:
            kind = "there needs to be exactly one main type"
            return fault(kind, quoted(self.label), f"one of {', '.join(LABELS)}")
        unaligned = Label.NOALI in self.types or Label.ALIC in self.types
        score, found = self.score, quoted(self.score)
        if (score == NIL and unaligned) or (_NUMBER.fullmatch(score) and float(score) <= HIGHEST):
            return None
        expected = f"a number from 0 to {HIGHEST}" + (" or NIL" if unaligned else "")
        if _PERL_NO_NUMBER.fullmatch(score):
            return fault("no number", found, expected, Origin.OURS)
        if _PERL_NUMBER.fullmatch(score) and 0 <= float(score) <= HIGHEST:
            return fault(ODD_SCORE, found, f"{expected} in digits", Origin.OURS)
        return fault("wrong score", found, expected)


@dataclass(slots=True)
class WaSentence:
    """A ``<sentence>`` of a ``.wa`` file."""

    id: str | None  # None where the file gives none
    where: str  # file:line of its start
    texts: list[str] = field(default_factory=list)  # the // lines, two if all is well
    tokens: tuple[list[WaToken], list[WaToken]] = field(default_factory=lambda: ([], []))
    alignments: list[WaAlignment] = field(default_factory=list)

    def pair(self, identifier: str) -> Pair:
        """The sentences by their tokens, or, without those, by their texts."""
        sides = []
        for number, (tokens, text) in enumerate(zip_longest(self.tokens, self.texts[:2]), 1):
            words = [token.form for token in tokens] or t.split_words(text or "")
            if not words:
                found = f"sentence {number} is empty"
                raise DataError(found, where=self.where, expected="at least one token")
            sides.append(t.make_sentence(words))
        return Pair(self.id or identifier, *sides)

    def to_alignments(
        self, faults: Iterable[Fault] | None = None, warn: t.Warn = t.ignore
    ) -> tuple[Alignment, ...]:
        """The alignments, in the order of the file; a DataError of its faults, or of its lines'.

        A score in odd digits is read all the same, with a warning.
        """
        wrong = t.Faults()
        for fault in map(WaAlignment.fault, self.alignments) if faults is None else faults:
            if fault is not None and fault.kind == ODD_SCORE:
                warn(f"{fault}; read as a number")
            elif fault is not None:
                wrong.add(fault.error())
        wrong.check()
        return tuple(line.to_alignment() for line in self.alignments)


def linked_pair(bare: Pair, alignments: Iterable[Alignment], where: str, warn: t.Warn) -> Pair:
    """The pair with the sides of alignments as chunks, each with the number of its alignment.

    ``warn`` is told of those that are left out, as their tokens are on an earlier one, too.
    """
    lines, aligned = list[Alignment](), set[tuple[int, int]]()
    where = f"{where}: {of_pair(bare.id)}"
    for number, line in enumerate(alignments, 1):
        tokens = {(1, token) for token in line.tokens1} | {(2, token) for token in line.tokens2}
        if tokens & aligned:
            warn(f"{where}: alignment {number} shares tokens with one before it; left out")
        else:
            aligned |= tokens
            lines.append(line)
    pair = given_answer(bare, lines).pair
    linked = []
    for side, sentence in enumerate(pair.sentences):
        owner = {
            token: number * bool(line.tokens1 and line.tokens2)
            for number, line in enumerate(lines, 1)
            for token in line.sides[side]
        }
        chunks = [replace(chunk, line=owner.get(chunk.first, 0)) for chunk in sentence.chunks or ()]
        for number, parts in Counter(chunk.line for chunk in chunks if chunk.line).items():
            if parts > _PARTS:
                words = sentence.words(tuple(token for token in owner if owner[token] == number))
                found = f"'{shortened(words)}' is in {parts} parts of sentence {side + 1}"
                raise DataError(found, where=where, expected="one or two on a line")
        linked.append(tuple(chunks))
    return pair.with_chunks(*linked)


def links_of(line: t.Line) -> Iterator[tuple[int, int]]:
    """The links ``i-j`` between tokens, counted from 0, of a line that a word aligner writes."""
    for text in line.text.split():
        if (match := _LINK.fullmatch(text)) is None:
            found, expected = f"'{shortened(text)}' is no link", "links such as 0-0 1-2"
            raise DataError(found, where=line.where, expected=expected)
        yield int(match[1]), int(match[2])


def parse_links(line: t.Line) -> list[Alignment]:
    """The alignments of such a line: tokens that links connect are on one."""
    groups = list[tuple[set[int], set[int]]]()
    for first, second in links_of(line):
        tokens1, tokens2 = {first + 1}, {second + 1}
        for group in [group for group in groups if group[0] & tokens1 or group[1] & tokens2]:
            groups.remove(group)
            tokens1, tokens2 = tokens1 | group[0], tokens2 | group[1]
        groups.append((tokens1, tokens2))
    ordered = sorted((sorted(a), sorted(b)) for a, b in groups)
    return [Alignment(tuple(a), tuple(b), Label.SIMI, 0.0) for a, b in ordered]


def read_wa(
    source: t.Source,
    *,
    name: str | None = None,
    warn: t.Warn = t.ignore,
    strict: bool = False,
    watch: Callable[[t.Line], object] | None = None,
) -> Iterator[WaSentence]:
    """Yield the sentences of a ``.wa`` file; ``watch`` gets every line before it is read.

    Odd lines are repaired, with one warning each. Alignment lines, and sentences without an id, are
    left as they are, so that a check can judge them.
    """
    repairs = t.Repairs(warn, strict)
    sentence: WaSentence | None = None
    section, size = "", 0
    for line in t.read_lines(source, name=name, warn=warn, strict=strict):
        if watch is not None:
            watch(line)
        text = line.text.strip(_TOKEN_BLANKS)
        opening, tag = _OPEN.fullmatch(text), _SECTION.fullmatch(text)
        size = len(text) + (0 if opening or sentence is None else size)
        if size > _LONGEST:
            found, expected = f"more than {_LONGEST} characters", "</sentence> before"
            raise FormatError(found, where=line.where, expected=expected)
        if opening:
            if not text.endswith(">"):
                found = "no > at the end of <sentence"
                repairs.report(line.where, found, "read as if it were there")
            if sentence is not None:
                repairs.report(line.where, "<sentence> before </sentence>", "read as a new one")
                yield _ended(sentence, repairs)
            match = _ID.search(opening[1])
            identifier = match and (match[1] or match[2])
            if identifier and "&" in identifier:
                identifier = unescape(identifier)
            sentence, section = WaSentence(identifier or None, line.where), ""
        elif text == "</sentence>":
            if sentence is None:
                repairs.report(line.where, "</sentence> without <sentence>", "skipped")
            else:
                yield _ended(sentence, repairs)
            sentence, section = None, ""
        elif tag:
            sentence = sentence or WaSentence(None, line.where)
            section = "" if tag[1] else tag[2]
        elif text:
            current = sentence or WaSentence(None, line.where)
            if _take(current, section, line, text, repairs):
                sentence = current
    if sentence is not None:
        repairs.report(sentence.where, "a sentence without </sentence>", "ends with the file")
        yield _ended(sentence, repairs)


def _ended(sentence: WaSentence, repairs: t.Repairs) -> WaSentence:
    if len(sentence.texts) != 2:
        found = f"{len(sentence.texts)} text lines (//) instead of 2"
        repairs.report(sentence.where, found, "left as they are")
    return sentence


def _take(sentence: WaSentence, section: str, line: t.Line, text: str, repairs: t.Repairs) -> bool:
    """Add a line to a sentence; whether it belongs to one."""
    where = line.where
    if section in _SIDES and not _NO_TOKEN_ARROW.match(text):
        if (token := _token(text, where, repairs)) is not None:
            tokens = sentence.tokens[_SIDES.index(section)]
            if token.number != (due := len(tokens) + 1):
                repairs.report(where, f"token number {token.number} where {due} is due", "kept")
            tokens.append(token)
    elif section == "alignment":
        sentence.alignments.append(WaAlignment.parse(where, line.text))
    elif text.startswith("//"):
        sentence.texts.append(restore(text[2:].strip()))
    elif _NUMBERED_ARROW.match(text):
        repairs.report(where, "an alignment outside <alignment>", "read as one")
        sentence.alignments.append(WaAlignment.parse(where, line.text))
    else:
        repairs.report(where, f"'{shortened(text)}' belongs to no section", "skipped")
        return False
    return True


def _token(text: str, where: str, repairs: t.Repairs) -> WaToken | None:
    match = _TOKEN_LINE.fullmatch(text)
    if match is None:
        repairs.report(where, f"'{shortened(text)}' is not a token line", "skipped")
        return None
    number, form = token_number(match[1]) or 0, restore(match[2])
    if form.endswith(" :"):
        return WaToken(number, form[:-2].strip(_TOKEN_BLANKS))
    found = "no word and colon in"
    if form.endswith(":") and len(form) > 1:
        found, form = "no space before the colon of", form[:-1]
    repairs.report(where, f"{found} '{shortened(text)}'", f"read as '{shortened(form)}'")
    return WaToken(number, form)


def write_answer(answer: Answer) -> str:
    r"""The ``<sentence>`` of an answer, ending with the blank lines that separate sentences."""
    return write_pair(answer.pair, answer.alignments, "" if answer.optimal else UNPROVEN)


def write_pair(pair: Pair, alignments: Iterable[Alignment], status: str = "") -> str:
    r"""The ``<sentence>`` of a pair and its alignments.

    Lines are ordered by the first token of side 1; lines without a side 1 come last, by the
    first token of side 2. ``status`` is empty, :data:`FAILED` or :data:`UNPROVEN`.
    """
    identifier = " ".join(t.clean(pair.id, "", t.Repairs()).split())
    if not identifier:
        raise DataError("a pair with an empty id", expected="an id of characters that are seen")
    for mark, entity in _ENTITIES.items():
        identifier = identifier.replace(mark, entity)
    lines = [
        f'<sentence id="{identifier}" status="{status}">',
        f"// {protect(pair.sent1.spaced)}",
        f"// {protect(pair.sent2.spaced)}",
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
    sides = sorted(alignment.tokens1), sorted(alignment.tokens2)
    side1, side2 = (" ".join(map(str, numbers)) or "0" for numbers in sides)
    words1, words2 = map(_comment, pair.sentences, sides)
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


def _comment(sentence: Sentence, numbers: Sequence[int]) -> str:
    """The words of a side; what separates the fields of a line is broken up inside them."""
    if not numbers:
        return "-not aligned-"
    words = protect(" ".join(sentence.tokens[number - 1].form for number in numbers))
    while "//" in words:
        words = words.replace("//", "/ /")
    return words


def given_answer(pair: Pair, alignments: Sequence[Alignment]) -> Answer:
    """An answer made of a pair and alignments, with runs of tokens on a line for missing chunks.

    Gold may have what ``check_answer`` refuses, such as a token on two lines; but no line has other
    tokens than its sentences, or a label and score that ``check`` refuses.
    """
    for line in alignments:
        fields = format_label(line), format_score(line.score)
        if fault := WaAlignment(of_pair(pair.id), "", (("0",), ("0",)), *fields).fault():
            raise fault.error(None)
    sides = []
    for number, sentence in enumerate(pair.sentences, 1):
        lines = [line.sides[number - 1] for line in alignments]
        size = len(sentence.tokens)
        for token in chain.from_iterable(lines):
            if not 1 <= token <= size:
                found = f"token {token} of sentence {number}, which has {size} tokens"
                hint = "Give the sentences that the alignments are about"
                raise DataError(found, where=of_pair(pair.id), hint=hint)
        line_of = {token: place for place, line in enumerate(lines) for token in line}
        # Tokens on no line are on lines of their own.
        runs = [line_of.get(token, -token) for token in range(1, size + 1)]
        starts = [place for place in range(size) if not place or runs[place] != runs[place - 1]]
        chunks = tuple(Chunk(a + 1, b) for a, b in pairwise([*starts, size]))
        sides.append(sentence.chunks or chunks)
    side1, side2 = sides
    return Answer(pair.with_chunks(side1, side2), side1, side2, tuple(alignments), (), optimal=True)
