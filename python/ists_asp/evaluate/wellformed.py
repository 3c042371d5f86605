"""Whether a ``.wa`` file is well formed, with the verdict of the official check.

*Faults* are what the official check rejects, under the names it gives them, and what the scheme
of 2015 does not allow. *Notes* are oddities that are accepted; they never change the verdict.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.evaluate.faults import Fault
from ists_asp.evaluate.one_to_one import one_to_one
from ists_asp.evaluate.statistics import Statistics, StatisticsBuilder
from ists_asp.io.wa import NIL, WaAlignment, WaSentence, WaToken
from ists_asp.io.wa_reader import read_wa
from ists_asp.model import Label, Scheme, Tag

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.io.text import Warn

__all__ = ["CheckReport", "check_file", "check_sentence"]

NO_ID = "Can't find id"
WRONG_ALIGNMENT = "wrong alignment"
WRONG_SCORE = "wrong score"
WRONG_TOKEN = "wrong token"
WRONG_TYPE = "wrong type"
WRONG_NUMBER = "wrong number of types"
ONE_MAIN = "there needs to be exactly one main type"

_NUMBER = re.compile(r"\d+(\.\d*)?|\.\d+", re.ASCII)
_PLAIN_NUMBER = re.compile(r"[0-5]|[0-4]\.\d*[1-9]", re.ASCII)
_TOKEN = re.compile(r"\d+", re.ASCII)
_MAIN = tuple(str(label) for label in Label)
_OPTIONAL = tuple(str(tag) for tag in Tag)
_UNALIGNED = (str(Label.NOALI), str(Label.ALIC))
_MOST_TYPES = 3


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

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            "file": self.name,
            "verdict": "correct" if self.correct else "incorrect",
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
    for sentence in read_wa(path, warn=notes.append):
        faults += check_sentence(sentence, notes.append)
        if scheme is Scheme.Y2015:
            faults += one_to_one(sentence)
        statistics.add(sentence)
        if sentence.id is not None and sentence.id in seen:
            notes.append(
                f"{sentence.where}: the sentence id {sentence.id} again, "
                f"first at {seen[sentence.id]}"
            )
        elif sentence.id is not None:
            seen[sentence.id] = sentence.where
    if not statistics.pairs:
        faults.append(Fault(str(path), NO_ID, "no sentence", '<sentence id="1" status="">'))
    return CheckReport(str(path), tuple(faults), tuple(notes), statistics.build())


def check_sentence(sentence: WaSentence, note: Warn) -> list[Fault]:
    """The faults of a sentence; what is only odd goes to ``note``, one line each."""
    faults: list[Fault] = []
    if sentence.id is None:
        faults.append(
            Fault(sentence.where, NO_ID, "a sentence without one", '<sentence id="1" status="">')
        )
    for line in sentence.alignments:
        wrong = [*_sides(line), *_types(line), *_score(line)]
        faults += wrong
        if not wrong:
            _note_line(line, note)
    for side, tokens in ((1, sentence.tokens1), (2, sentence.tokens2)):
        _note_coverage(sentence, side, tokens, note)
    return faults


def _sides(line: WaAlignment) -> list[Fault]:
    faults = []
    for side in (line.side1, line.side2):
        words = side.split()
        if not words:
            expected = "token numbers (or 0) on both sides of <==>"
            return [Fault(line.where, WRONG_ALIGNMENT, f"'{line.raw.strip()}'", expected)]
        faults += [
            Fault(line.where, WRONG_TOKEN, f"'{word}'", "the number of a token")
            for word in words
            if not _TOKEN.fullmatch(word)
        ]
    return faults


def _types(line: WaAlignment) -> list[Fault]:
    if len(line.types) > _MOST_TYPES:
        found = f"{len(line.types)} in '{line.label}'"
        return [Fault(line.where, WRONG_NUMBER, found, f"1 to {_MOST_TYPES}")]
    faults = [
        Fault(line.where, WRONG_TYPE, f"'{part}'", f"one of {', '.join((*_MAIN, *_OPTIONAL))}")
        for part in line.types
        if part not in _MAIN and part not in _OPTIONAL
    ]
    if sum(part in _MAIN for part in line.types) != 1:
        faults.append(Fault(line.where, ONE_MAIN, f"'{line.label}'", f"one of {', '.join(_MAIN)}"))
    return faults


def _score(line: WaAlignment) -> list[Fault]:
    unaligned = any(part in _UNALIGNED for part in line.types)
    if line.score == NIL and unaligned:
        return []
    if _NUMBER.fullmatch(line.score) and float(line.score) <= 5:
        return []
    expected = "a number from 0 to 5" + (" or NIL" if unaligned else "")
    return [Fault(line.where, WRONG_SCORE, f"'{line.score}'", expected)]


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


def _note_coverage(
    sentence: WaSentence, side: int, tokens: tuple[WaToken, ...], note: Warn
) -> None:
    forms = {token.number: token.form for token in tokens}
    covered: Counter[int] = Counter()
    for line in sentence.alignments:
        words = (line.side1 if side == 1 else line.side2).split()
        # Within a line a token counts once: "1 1" covers token 1 once.
        numbers = {int(word) for word in words if _TOKEN.fullmatch(word)} - {0}
        covered.update(numbers)
        beyond = sorted(numbers - forms.keys())
        if beyond:
            note(f"{line.where}: sentence {side} has no token {', '.join(map(str, beyond))}")
    missing = [number for number in forms if not covered[number]]
    twice = [number for number in forms if covered[number] > 1]
    for found, how in ((missing, "on no line"), (twice, "on more than one line")):
        if found:
            listed = ", ".join(f"{number} '{forms[number]}'" for number in found)
            note(f"{sentence.where}: tokens of sentence {side} {how}: {listed}")
