"""Whether a ``.wa`` file is well formed, with the verdict of the official check.

*Faults* are what the official check rejects, under the names it gives them, what we reject beyond
that, and what the scheme of 2015 does not allow; each says whose rule it breaks. *Notes* are
oddities that are accepted; they never change the verdict. ``python -m tests.official`` compares
this check with the official one.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.errors import shortened
from ists_asp.evaluate.faults import Fault, Origin
from ists_asp.evaluate.one_to_one import one_to_one
from ists_asp.evaluate.script_view import ScriptView
from ists_asp.evaluate.statistics import Statistics, StatisticsBuilder
from ists_asp.io.wa import ARROW, HIGHEST, NIL, WaAlignment, WaSentence, WaToken, token_number
from ists_asp.io.wa_reader import read_wa
from ists_asp.model import Label, Scheme, Tag

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ists_asp.evaluate.script_view import ScriptLine
    from ists_asp.io.text import Warn

NO_ID = "Can't find id"
WRONG_ALIGNMENT = "wrong alignment"
WRONG_SCORE = "wrong score"
WRONG_TOKEN = "wrong token"
WRONG_TYPE = "wrong type"
WRONG_NUMBER = "wrong number of types"
ONE_MAIN = "there needs to be exactly one main type"

NO_SENTENCE = "no sentence"
UNSEEN_ID = "no readable id"
NO_ARROW = "no alignment"
ODD_SCORE = "odd score"
NO_NUMBER = "no number"

_NUMBER = re.compile(r"\d+(\.\d*)?|\.\d+", re.ASCII)
_PERL_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_PERL_NAN = re.compile(
    r"[+-]?(1\.#(QNAN|IND)|[qs]?nan[qs]?(\((0x[0-9a-f]+|\d+)\))?)", re.ASCII | re.IGNORECASE
)
_PERL_ZERO = "0 but true"

_PLAIN_NUMBER = re.compile(r"[0-5]|[0-4]\.\d*[1-9]", re.ASCII)
_MAIN = tuple(str(label) for label in Label)
_OPTIONAL = tuple(str(tag) for tag in Tag)
_UNALIGNED = (str(Label.NOALI), str(Label.ALIC))
_MOST_TYPES = 3
_OPENING = '<sentence id="1" status="">'


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The verdict on a file, its faults, what else is odd, and its statistics."""

    name: str
    faults: tuple[Fault, ...]
    notes: tuple[str, ...]
    statistics: Statistics

    @property
    def correct(self) -> bool:
        """Whether there is no fault."""
        return not self.faults

    @property
    def official(self) -> bool:
        """Whether the official check accepts the file."""
        return not any(fault.origin is Origin.OFFICIAL for fault in self.faults)

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        verdicts = {True: "correct", False: "incorrect"}
        return {
            "file": self.name,
            "verdict": verdicts[self.correct],
            "official_verdict": verdicts[self.official],
            "faults": [fault.as_dict() for fault in self.faults],
            "notes": list(self.notes),
            "statistics": self.statistics.as_dict(),
        }


def check_file(path: Path, scheme: Scheme = Scheme.Y2016) -> CheckReport:
    """Check a ``.wa`` file.

    The pilot of 2015 also wants alignments to be one-to-one
    (:func:`~ists_asp.evaluate.one_to_one.one_to_one`).

    Raises:
        DataError: the file cannot be read.
    """
    faults: list[Fault] = []
    notes: list[str] = []
    statistics = StatisticsBuilder()
    seen: dict[str, str] = {}
    view = ScriptView()
    for sentence in read_wa(path, warn=notes.append, watch=view.take):
        wrong = check_sentence(sentence, view.lines)
        view.lines.clear()
        faults += wrong
        if scheme is Scheme.Y2015:
            faults += one_to_one(sentence)
        places = {fault.where for fault in wrong}
        for line in sentence.alignments:
            if line.where not in places:
                _note_line(line, notes.append)
        for side, tokens in ((1, sentence.tokens1), (2, sentence.tokens2)):
            _note_coverage(sentence, side, tokens, notes.append)
        statistics.add(sentence)
        if sentence.id is not None and sentence.id in seen:
            notes.append(
                f"{sentence.where}: the sentence id {shortened(sentence.id)} again, "
                f"first at {seen[sentence.id]}"
            )
        elif sentence.id is not None:
            seen[sentence.id] = sentence.where
    if not statistics.pairs:
        faults.append(Fault(str(path), NO_SENTENCE, "none at all", _OPENING, Origin.OURS))
    return CheckReport(str(path), tuple(faults), tuple(notes), statistics.build())


def check_sentence(sentence: WaSentence, lines: Iterable[ScriptLine]) -> list[Fault]:
    """The faults of a sentence, but for those of the pilot's rules.

    Args:
        sentence: the sentence.
        lines: the lines of its part of the file, as the official scripts see them.
    """
    faults = _id(sentence, lines)
    faults += [fault for line in lines for fault in check_line(line.alignment)]
    for line in sentence.alignments:
        if ARROW not in line.raw:
            expected = f"token numbers, {ARROW}, token numbers"
            faults.append(Fault(line.where, NO_ARROW, _quote(line.raw), expected, Origin.OURS))
    return faults


def _id(sentence: WaSentence, lines: Iterable[ScriptLine]) -> list[Fault]:
    """What is wrong with the id: the official scripts see it in one form only."""
    for line in lines:
        if line.id is None:
            return [Fault(line.alignment.where, NO_ID, "none above this line", _OPENING)]
    if sentence.id is None:
        return [Fault(sentence.where, UNSEEN_ID, "a sentence without one", _OPENING, Origin.OURS)]
    numbers = {line.line for line in sentence.alignments}
    for line in lines:
        if line.alignment.line in numbers and line.id != sentence.id:
            found = f"{_quote(sentence.id)} where the official scripts see {_quote(line.id)}"
            return [Fault(sentence.where, UNSEEN_ID, found, _OPENING, Origin.OURS)]
    return []


def check_line(line: WaAlignment) -> list[Fault]:
    """The faults of a line with an arrow: of its tokens, its type and its score."""
    return [*_sides(line), *_types(line), *_score(line)]


def _sides(line: WaAlignment) -> list[Fault]:
    faults = []
    if not line.words1 or not line.words2:
        expected = f"token numbers (or 0) on both sides of {ARROW}"
        faults.append(Fault(line.where, WRONG_ALIGNMENT, _quote(line.raw), expected))
    faults += [
        Fault(line.where, WRONG_TOKEN, _quote(word), "the number of a token")
        for word in (*line.words1, *line.words2)
        if token_number(word) is None
    ]
    return faults


def _types(line: WaAlignment) -> list[Fault]:
    faults = []
    if not 1 <= len(line.types) <= _MOST_TYPES:
        found = f"{len(line.types)} in {_quote(line.label)}"
        faults.append(Fault(line.where, WRONG_NUMBER, found, f"1 to {_MOST_TYPES}"))
    expected = f"one of {', '.join((*_MAIN, *_OPTIONAL))}"
    faults += [
        Fault(line.where, WRONG_TYPE, _quote(part), expected)
        for part in line.types
        if part not in _MAIN and part not in _OPTIONAL
    ]
    if sum(part in _MAIN for part in line.types) != 1:
        expected = f"one of {', '.join(_MAIN)}"
        faults.append(Fault(line.where, ONE_MAIN, _quote(line.label), expected))
    return faults


def _score(line: WaAlignment) -> list[Fault]:
    unaligned = any(name in line.label for name in _UNALIGNED)
    if line.score == NIL and unaligned:
        return []
    if _NUMBER.fullmatch(line.score) and float(line.score) <= HIGHEST:
        return []
    expected = f"a number from 0 to {HIGHEST}" + (" or NIL" if unaligned else "")
    found = _quote(line.score)
    if line.score == _PERL_ZERO or _PERL_NAN.fullmatch(line.score):
        return [Fault(line.where, NO_NUMBER, found, expected, Origin.OURS)]
    if _PERL_NUMBER.fullmatch(line.score) and 0 <= float(line.score) <= HIGHEST:
        return [Fault(line.where, ODD_SCORE, found, f"{expected} in digits", Origin.OURS)]
    return [Fault(line.where, WRONG_SCORE, found, expected)]


def _quote(text: str | None) -> str:
    return f"'{shortened((text or '').strip())}'"


def _note_line(line: WaAlignment, note: Warn) -> None:
    """Note what a well-formed line has that no careful annotator would write."""
    alignment = line.to_alignment()
    label, score = alignment.label, alignment.score
    both = bool(alignment.tokens1 and alignment.tokens2)
    if not alignment.tokens1 and not alignment.tokens2:
        note(f"{line.where}: no token on either side")
    elif label.aligned and not both:
        note(f"{line.where}: {label} with a side that is not aligned")
    elif not label.aligned and both:
        note(f"{line.where}: {label} with tokens on both sides")
    if not label.aligned and score is not None:
        note(f"{line.where}: {label} with score {line.score} instead of NIL")
    if label is Label.EQUI and score != 5:
        note(f"{line.where}: EQUI with score {line.score} instead of 5")
    if label.aligned and label is not Label.EQUI and score in (0, 5):
        note(f"{line.where}: {label} with score {line.score}, which is not between 0 and 5")
    if line.score != NIL and not _PLAIN_NUMBER.fullmatch(line.score):
        note(f"{line.where}: the score is written {line.score}")
    if len(set(line.types)) < len(line.types):
        note(f"{line.where}: a type twice in {line.label}")
    if line.label.endswith("_"):
        note(f"{line.where}: the type is written {line.label}")
    for word in (*line.words1, *line.words2):
        if word.startswith("0") and word != "0":
            note(f"{line.where}: a token is written {shortened(word)}")
    for words in (line.words1, line.words2):
        if len(words) > 1 and not all(map(token_number, words)):
            note(f"{line.where}: 0 beside other tokens")


def _note_coverage(
    sentence: WaSentence, side: int, tokens: tuple[WaToken, ...], note: Warn
) -> None:
    forms = {token.number: token.form for token in tokens}
    covered: Counter[int] = Counter()
    for line in sentence.alignments:
        words = line.words1 if side == 1 else line.words2
        # Within a line a token counts once: "1 1" covers token 1 once.
        numbers = {number for word in words if (number := token_number(word))}
        covered.update(numbers)
        beyond = sorted(number for number in numbers if number not in forms)
        if beyond:
            listed = shortened(", ".join(map(str, beyond)))
            note(f"{line.where}: sentence {side} has no token {listed}")
    missing = [number for number in forms if not covered[number]]
    twice = [number for number in forms if covered[number] > 1]
    for found, how in ((missing, "on no line"), (twice, "on more than one line")):
        if found:
            listed = shortened(", ".join(f"{number} '{forms[number]}'" for number in found))
            note(f"{sentence.where}: tokens of sentence {side} {how}: {listed}")
