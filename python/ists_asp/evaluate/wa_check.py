"""Whether a ``.wa`` file is well formed, with the verdict of the official check; its statistics.

*Faults* are rejected by the official check (under its names for them), by us, or by the scheme of
2015; each says whose rule it breaks, and a line has at most one. *Notes* are accepted oddities.
``python -m tests.fuzz official`` compares this check with the official one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from html import unescape
from itertools import chain
from pathlib import Path
from typing import Any

from ists_asp.errors import shortened
from ists_asp.io.text import Line, Source, Warn, ignore
from ists_asp.io.wa import (
    ARROW,
    LABELS,
    NIL,
    TAGS,
    Fault,
    Origin,
    WaAlignment,
    WaSentence,
    quoted,
    read_wa,
    token_number,
)
from ists_asp.model import HIGHEST, Label, Scheme
from ists_asp.terminal import table, unbroken

SeenLines = Sequence[tuple[str | None, WaAlignment]]

NO_ARROW = "no alignment"
_UNSEEN_ID = "no readable id"

_PLAIN_NUMBER = re.compile(r"[0-5]|[0-4]\.\d*[1-9]", re.ASCII)
OPENING = '<sentence id="1" status="">'
_ARROW_BYTES, _OPENING_BYTES = ARROW.encode(), b'sentence id="'
_ID = re.compile(r'sentence id="([^"]*)" ')


@dataclass(slots=True)
class ScriptView:
    """A ``.wa`` file as the official scripts read it, from lines given to :meth:`take` in order.

    Every line with ``<==>`` is an alignment of the pair whose id stands above it: ``lines`` has
    each with that id, or None. An id stands between ``sentence id="`` and a quotation mark followed
    by a blank. In a ``gold`` file, the next two lines are the sentences: ``words`` has them by id,
    split at single blanks, and ``misplaced`` the places of those that do not look like sentences.
    ``digest`` is the hash of all lines.
    """

    gold: bool = False
    lines: list[tuple[str | None, WaAlignment]] = field(default_factory=list)
    words: dict[str, list[list[str]]] = field(default_factory=dict)
    misplaced: list[str] = field(default_factory=list)
    digest: Any = field(default_factory=sha256)
    _id: str | None = None
    _due: int = 0

    def take(self, line: Line) -> None:
        """Read one more line, as it was before any repair."""
        self.digest.update(line.raw.removesuffix(b"\r") + b"\n")
        if not self._due and _ARROW_BYTES not in line.raw and _OPENING_BYTES not in line.raw:
            return
        text = line.raw.decode("utf-8", "backslashreplace")
        if self._due and self._id is not None:
            self._due -= 1
            self.words[self._id].append(text.removeprefix("// ").rstrip(" ").split(" "))
            if not text.startswith("//"):
                self.misplaced.append(line.where)
            return
        opening = _ID.search(text)
        if opening:
            self._id = unescape(opening[1])
            if self.gold:
                self._due, self.words[self._id] = 2, []
        if ARROW in text:
            self.lines.append((self._id, WaAlignment.parse(line.where, text)))


@dataclass(slots=True)
class Statistics:
    """Counts over the sentences of a ``.wa`` file, whether well formed or not."""

    pairs: int = 0
    tokens1: int = 0
    tokens2: int = 0
    lines: int = 0
    aligned_lines: int = 0
    labels: Counter[str] = field(default_factory=Counter)  # main types
    tags: Counter[str] = field(default_factory=Counter)  # optional types
    scores: Counter[str] = field(default_factory=Counter)  # of aligned lines
    sharing_lines: int = 0  # aligned lines that share a token with another one
    non_contiguous: int = 0  # sides of lines whose tokens are not neighbours
    chunks1: int = 0  # distinct sides
    chunks2: int = 0  # the same of sentence 2

    @property
    def chunks_per_sentence(self) -> float:
        """Distinct sides a sentence, both sentences of a pair counted."""
        return (self.chunks1 + self.chunks2) / (2 * max(self.pairs, 1))

    def add(self, sentence: WaSentence) -> None:
        """Count one sentence, so that a long file need not fit into memory."""
        self.pairs += 1
        self.tokens1 += len(sentence.tokens[0])
        self.tokens2 += len(sentence.tokens[1])
        self.lines += len(sentence.alignments)
        sides = [tuple(map(_numbers, line.sides)) for line in sentence.alignments]
        self.non_contiguous += sum(_is_broken(side) for both in sides for side in both)
        self.chunks1 += len({side for side, _ in sides} - {()})
        self.chunks2 += len({side for _, side in sides} - {()})
        for line, both in zip(sentence.alignments, sides, strict=True):
            for part in line.types:
                (self.tags if part in TAGS else self.labels)[part] += 1
            self.scores.update([line.score] * all(both))
        aligned = [
            [(side, number) for side, numbers in enumerate(both) for number in numbers]
            for both in sides
            if all(both)
        ]
        self.aligned_lines += len(aligned)
        uses = Counter(chain.from_iterable(aligned))
        self.sharing_lines += sum(any(uses[token] > 1 for token in line) for line in aligned)

    def as_dict(self) -> dict[str, Any]:
        """Everything, in a form that ``json.dumps`` takes."""
        labels = (*LABELS, *sorted(self.labels.keys() - set(LABELS)))
        return {
            **{name: getattr(self, name) for name in self.__slots__},
            "labels": {name: self.labels[name] for name in labels if self.labels[name]},
            "tags": {name: self.tags[name] for name in TAGS if self.tags[name]},
            "scores": dict(sorted(self.scores.items())),
            "chunks_per_sentence": round(self.chunks_per_sentence, 4),
        }


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
        return {
            "file": self.name,
            "verdict": "correct" if self.correct else "incorrect",
            "official_verdict": "correct" if self.official else "incorrect",
            "faults": list(map(asdict, self.faults)),
            "notes": list(self.notes),
            "statistics": self.statistics.as_dict(),
        }


def check_file(path: Path, scheme: Scheme = Scheme.Y2016) -> CheckReport:
    """Check a ``.wa`` file; that of 2015 has one chunk, of neighbouring tokens, aligned to one."""
    faults: list[Fault] = []
    notes: list[str] = []
    statistics = Statistics()
    first_places: dict[str, str] = {}
    for sentence, _, wrong in read_checked(path, warn=notes.append):
        where, name = sentence.where, sentence.id
        faults += wrong
        if scheme is Scheme.Y2015:
            faults += _one_to_one(sentence)
        places = {fault.where for fault in wrong}
        for line in sentence.alignments:
            if line.where not in places:
                notes += (f"{line.where}: {note}" for note in _line_notes(line))
        notes += _coverage_notes(sentence)
        statistics.add(sentence)
        if name is not None and (first := first_places.setdefault(name, where)) != where:
            notes.append(f"{where}: the sentence id {shortened(name)} again, first at {first}")
    if not statistics.pairs:
        faults.append(Fault(str(path), "no sentence", "none at all", OPENING, Origin.OURS))
    return CheckReport(str(path), tuple(faults), tuple(notes), statistics)


def read_checked(
    source: Source, *, name: str | None = None, warn: Warn = ignore, view: ScriptView | None = None
) -> Iterator[tuple[WaSentence, SeenLines, list[Fault]]]:
    """The sentences of a ``.wa`` file, each with the lines of its view and its faults.

    These are all but the pilot's. Whoever reads alignments reads them so.
    """
    view = view or ScriptView()
    for sentence in read_wa(source, name=name, warn=warn, watch=view.take):
        lines, view.lines = view.lines, []
        wrong = (_id_fault(sentence, lines), *(line.fault() for _, line in lines))
        faults = [fault for fault in wrong if fault is not None]
        expected = f"token numbers, {ARROW}, token numbers"
        faults += (
            Fault(line.where, NO_ARROW, quoted(line.raw), expected, Origin.OURS)
            for line in sentence.alignments
            if ARROW not in line.raw
        )
        yield sentence, lines, faults


def _id_fault(sentence: WaSentence, lines: SeenLines) -> Fault | None:
    """The fault of the id: the official scripts see it in one form only."""
    for script_id, line in lines:
        if script_id is None:
            return Fault(line.where, "Can't find id", "none above this line", OPENING)
    if sentence.id is None:
        return Fault(sentence.where, _UNSEEN_ID, "a sentence without one", OPENING, Origin.OURS)
    places = {line.where for line in sentence.alignments}
    for script_id, line in lines:
        if line.where in places and script_id != sentence.id:
            found = f"{quoted(sentence.id)} where the official scripts see {quoted(script_id)}"
            return Fault(sentence.where, _UNSEEN_ID, found, OPENING, Origin.OURS)
    return None


def _one_to_one(sentence: WaSentence) -> Iterator[Fault]:
    """The sides that are no chunk (their tokens are not neighbours) or stand on several lines."""
    for side in (0, 1):
        lines = [(line.where, _numbers(line.sides[side])) for line in sentence.alignments]
        uses = Counter(number for _, numbers in lines for number in numbers)
        of_side = f"of sentence {side + 1}"
        for where, numbers in lines:
            if _is_broken(numbers):
                found = f"the tokens {shortened(', '.join(map(str, numbers)))} {of_side}"
                expected = "tokens that are neighbours"
                yield Fault(where, "not consecutive", found, expected, Origin.PILOT)
            again = shortened(", ".join(str(number) for number in numbers if uses[number] > 1))
            if again:
                found = f"token {again} {of_side}, on another line too"
                expected = "each token on one line; ALIC where its counterpart is on another"
                yield Fault(where, "not one-to-one", found, expected, Origin.PILOT)


def _line_notes(line: WaAlignment) -> list[str]:
    """The oddities of a well-formed line, which no careful annotator would write."""
    alignment = line.to_alignment()
    label, score = alignment.label, alignment.score
    has_side1, has_side2 = bool(alignment.tokens1), bool(alignment.tokens2)
    judged = label.aligned and label is not Label.EQUI
    plain = line.score == NIL or _PLAIN_NUMBER.fullmatch(line.score)
    scored = f"{label} with score {line.score}"
    notes = [
        (not has_side1 and not has_side2, "no token on either side"),
        (label.aligned and has_side1 != has_side2, f"{label} with a side that is not aligned"),
        (not label.aligned and has_side1 and has_side2, f"{label} with tokens on both sides"),
        (not label.aligned and score is not None, f"{scored} instead of NIL"),
        (label is Label.EQUI and score != HIGHEST, f"{scored} instead of 5"),
        (judged and score in (0, HIGHEST), f"{scored}, which is not between 0 and 5"),
        (not plain, f"the score is written {line.score}"),
        (len(set(line.types)) < len(line.types), f"a type twice in {line.label}"),
        (line.label.endswith("_"), f"the type is written {line.label}"),
    ]
    padded = (word for word in chain(*line.sides) if word.startswith("0") and word != "0")
    mixed = (side for side in line.sides if len(side) > 1 and not all(map(token_number, side)))
    notes += ((True, f"a token is written {shortened(word)}") for word in padded)
    notes += ((True, "0 beside other tokens") for _ in mixed)
    return [note for is_odd, note in notes if is_odd]


def _coverage_notes(sentence: WaSentence) -> Iterator[str]:
    """The tokens that no line has, or several, and those that are on lines and nowhere else."""
    for side, tokens in enumerate(sentence.tokens):
        forms = {token.number: token.form for token in tokens}
        covered: Counter[int] = Counter()
        for line in sentence.alignments:
            numbers = _numbers(line.sides[side])
            covered.update(numbers)
            beyond = shortened(", ".join(str(token) for token in numbers if token not in forms))
            if beyond:
                yield f"{line.where}: sentence {side + 1} has no token {beyond}"
        missing = [number for number in forms if not covered[number]]
        twice = [number for number in forms if covered[number] > 1]
        for odd, how in ((missing, "on no line"), (twice, "on more than one line")):
            if odd:
                listed = shortened(", ".join(f"{number} '{forms[number]}'" for number in odd))
                yield f"{sentence.where}: tokens of sentence {side + 1} {how}: {listed}"


def _numbers(words: Iterable[str]) -> tuple[int, ...]:
    # Each once: "1 1" covers token 1 once.
    return tuple(sorted({number for word in words if (number := token_number(word))}))


def _is_broken(numbers: tuple[int, ...]) -> bool:
    return bool(numbers) and numbers[-1] - numbers[0] + 1 != len(numbers)


def render_check(report: CheckReport, stats: bool = False, most_notes: int | None = None) -> str:
    r"""Each fault once, so many notes, the verdict and, if asked for, statistics, as text."""
    alike: dict[str, list[str]] = {}
    for text in map(str, report.faults):
        alike.setdefault(text.partition(": ")[2], []).append(text)
    lines = [first + (f"; {len(rest)} more" if rest else "") for first, *rest in alike.values()]
    lines += [f"note: {note}" for note in report.notes[:most_notes]]
    if most_notes is not None and (hidden := len(report.notes[most_notes:])):
        lines.append(f"note: and {hidden} more, see --all-notes")
    verdict = "correct" if report.correct else "incorrect"
    if report.official and not report.correct:
        verdict += ", though the official check accepts it"
    statistics, faults, notes = report.statistics, len(report.faults), len(report.notes)
    counts = f"pairs: {statistics.pairs}, faults: {faults}, notes: {notes}"
    lines.append(f"{report.name}: {verdict} ({counts})")
    text = "".join(f"{unbroken(line)}\n" for line in lines)
    if not stats:
        return text
    rows = [
        ("pairs", statistics.pairs),
        ("tokens of sentence 1", statistics.tokens1),
        ("tokens of sentence 2", statistics.tokens2),
        ("chunks per sentence", f"{statistics.chunks_per_sentence:.2f}"),
        ("lines", statistics.lines),
        ("aligned lines", statistics.aligned_lines),
        ("aligned lines that share a token", statistics.sharing_lines),
        ("sides that are not contiguous", statistics.non_contiguous),
    ]
    by_key = statistics.as_dict()
    for key, noun in (("labels", "label"), ("tags", "tag"), ("scores", "aligned with score")):
        rows += [(f"{noun} {name}", count) for name, count in by_key[key].items()]
    return text + "\n" + table([(name, str(value)) for name, value in rows])
