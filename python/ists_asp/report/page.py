"""The page: everything in one file that needs no network, all text escaped.

It tells of each pair what speaks for each line of the answer, and how the answer differs from the
alignments that people gave.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING

from jinja2 import Environment, StrictUndefined

from ists_asp.io.wa import given_answer
from ists_asp.model import Label
from ists_asp.report.picture import described, picture
from ists_asp.resources import data_dir
from ists_asp.terminal import visible
from ists_asp.trace.contrast import Contrast, Contrasted, Reason
from ists_asp.trace.decisions import DecisionKind, decisions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.model import Alignment, Answer, Confidence
    from ists_asp.trace.evidence import Because
    from ists_asp.trace.trace import Trace

SHOWN = 12
"""Reasons that are told for a decision; of the others only the number and the sum."""

NO_LINE = "none"
"""In the table of labels: the other side has no line with these tokens."""


Line = tuple[tuple[int, ...], tuple[int, ...]]
"""The token numbers of both sides: they identify a line of an answer."""


def evidence(trace: Trace) -> Mapping[Line, tuple[Contrast, ...]]:
    """The contrasts of each line of an answer, one for each of its decisions."""
    found: dict[Line, list[Contrast]] = {}
    for decision in decisions(trace):
        if decision.kind is not DecisionKind.BOUNDARY:
            line = decision.tokens1, decision.tokens2
            found.setdefault(line, []).append(Contrasted(trace, decision).contrast)
    return {line: tuple(parts) for line, parts in found.items()}


class Verdict(StrEnum):
    """How a line compares with gold, the gravest difference first."""

    ALIGNMENT = "alignment"
    LABEL = "label"
    TAG = "tag"
    SCORE = "score"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Comparison:
    """An answer beside gold.

    ``gold`` are the gold alignments as an answer of its own; ``lines`` has, for each line of
    the answer, the gold line of the same tokens, if there is one, and the verdict;
    ``missed`` are the gold lines whose tokens are on no line of the answer.
    """

    gold: Answer
    lines: tuple[tuple[Alignment | None, Verdict], ...]
    missed: tuple[Alignment, ...]

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.missed and all(verdict is Verdict.SAME for _, verdict in self.lines)


def compare(answer: Answer, gold: Sequence[Alignment]) -> Comparison:
    """Compare an answer with gold alignments, line by line."""
    known = {(line.tokens1, line.tokens2): line for line in gold}
    ours = {(line.tokens1, line.tokens2) for line in answer.alignments}
    lines = []
    for line in answer.alignments:
        right = known.get((line.tokens1, line.tokens2))
        lines.append((right, _verdict(line, right)))
    missed = tuple(line for tokens, line in known.items() if tokens not in ours)
    return Comparison(given_answer(answer.pair, gold), tuple(lines), missed)


def _verdict(line: Alignment, right: Alignment | None) -> Verdict:
    if right is None:
        return Verdict.ALIGNMENT
    if line.label is not right.label:
        return Verdict.LABEL
    if line.tags != right.tags:
        return Verdict.TAG
    # Gold files give unaligned chunks 0 as well as NIL.
    return Verdict.SAME if (line.score or 0) == (right.score or 0) else Verdict.SCORE


@dataclass(frozen=True, slots=True)
class Entry:
    """What the page tells of a pair.

    ``words`` is the explanation; ``comparison`` is None where there is no gold.
    """

    answer: Answer
    words: str
    evidence: Mapping[Line, tuple[Contrast, ...]]
    comparison: Comparison | None = None


def page(entries: Sequence[Entry], title: str, made_by: str = "") -> str:
    """The page as text; ``made_by`` is what made the answers, in one line."""
    folder = data_dir() / "report"
    style = "".join((folder / name).read_text("utf-8") for name in ("picture.css", "page.css"))
    script = (folder / "page.js").read_text("utf-8")
    # A misspelt name in the template is an error; everything is escaped but what is marked safe.
    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    template = environment.from_string((folder / "page.html").read_text("utf-8"))
    counts = Counter(line.label for entry in entries for line in entry.answer.alignments)
    # What changes the direction of reading is shown as elsewhere.
    text = template.render(
        title=title,
        made_by=made_by,
        style=style,
        style_hash=_digest(style),
        script=script,
        script_hash=_digest(script),
        count=f"{len(entries)} pair{'' if len(entries) == 1 else 's'}",
        labels=[(label, counts[label], _MEANINGS[label]) for label in Label if counts[label]],
        has_confidence=any(
            line.confidence is not None for entry in entries for line in entry.answer.alignments
        ),
        has_gold=any(entry.comparison is not None for entry in entries),
        confusion=_confusion(entries),
        pairs=(_article(entry) for entry in entries),
        data=_json(entries),
    )
    return visible(text)


_MEANINGS = {
    Label.EQUI: "equivalent",
    Label.OPPO: "opposite",
    Label.SPE1: "the first is more specific",
    Label.SPE2: "the second is more specific",
    Label.SIMI: "similar",
    Label.REL: "related",
    Label.NOALI: "no counterpart",
    Label.ALIC: "counterpart aligned elsewhere",
}


def _digest(text: str) -> str:
    """What the page's policy allows: this style and this script, and nothing else."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _article(entry: Entry) -> dict[str, object]:
    answer, comparison = entry.answer, entry.comparison
    record: dict[str, object] = {
        "id": answer.pair.id,
        "words": entry.words,
        "picture": picture(answer, active=True),
        "agrees": comparison is not None and comparison.same,
        "gold": "",
        "differences": (),
    }
    if comparison is not None and not comparison.same:
        record["gold"] = picture(comparison.gold)
        record["differences"] = tuple(_differences(answer, comparison))
    return record


def _differences(answer: Answer, comparison: Comparison) -> Iterator[str]:
    for line, (right, verdict) in zip(answer.alignments, comparison.lines, strict=True):
        if verdict is not Verdict.SAME:
            other = right and f"other {verdict} in gold, {described(answer, right)}"
            yield f"{described(answer, line)}: {other or 'not in gold'}"
    for line in comparison.missed:
        yield f"only in gold: {described(answer, line)}"


def _confusion(entries: Sequence[Entry]) -> dict[str, dict[str, int]]:
    """How often a label of gold (rows) meets one of the answers (columns) on the same tokens."""
    cells = Counter(
        cell
        for entry in entries
        if entry.comparison is not None
        for cell in _cells(entry.answer, entry.comparison)
    )
    used = {name for cell in cells for name in cell}
    names = [name for name in (*map(str, Label), NO_LINE) if name in used]
    return {gold: {ours: cells[gold, ours] for ours in names} for gold in names}


def _cells(answer: Answer, comparison: Comparison) -> Iterator[tuple[str, str]]:
    for line, (right, _) in zip(answer.alignments, comparison.lines, strict=True):
        yield (NO_LINE if right is None else str(right.label)), str(line.label)
    for line in comparison.missed:
        yield str(line.label), NO_LINE


def _sure(found: Confidence) -> str:
    told = (f"{name} {share:.0%}" for name, share in asdict(found).items() if share is not None)
    return f"How sure: {', '.join(told)}"


def _json(entries: Iterable[Entry]) -> str:
    """What the script needs, safe inside ``<script>``.

    A reason is ``[points, number in rules, number in texts]``; points are null for a rule that
    permits a decision rather than being weighed.
    """
    rules: dict[tuple[str, ...], int] = {}
    texts: dict[str, int] = {}

    def text(sentence: str) -> int:
        return texts.setdefault(visible(sentence), len(texts))

    def told(one: Reason | Because) -> list[object]:
        rule = one.rule
        place = ("", "") if rule is None else (rule.name, f"{rule.file}:{rule.line}")
        number = rules.setdefault(tuple(map(visible, place)), len(rules))
        points = one.points if isinstance(one, Reason) else None
        return [points, number, text(one.sentence)]

    def part(one: Contrast) -> dict[str, object]:
        reasons = sorted((*one.pros, *one.cons), key=lambda reason: -abs(reason.points))
        rest = reasons[SHOWN:]
        return {
            "text": visible(one.text),
            "sentence": text(one.sentence),
            "reasons": [told(each) for each in reasons[:SHOWN] or one.because[:SHOWN]],
            "more": len(rest),
            "rest": sum(each.points for each in rest),
        }

    def line(entry: Entry, number: int, one: Alignment) -> dict[str, object]:
        record: dict[str, object] = {
            "label": one.label,
            "score": one.score,
            "text": described(entry.answer, one),
            "rules": [part(each) for each in entry.evidence.get((one.tokens1, one.tokens2), ())],
        }
        if one.confidence is not None:
            record["sure"] = _sure(one.confidence)
        if entry.comparison is not None:
            record["gold"] = entry.comparison.lines[number][1]
        return record

    pairs = []
    for entry in entries:
        pair = entry.answer.pair
        record: dict[str, object] = {
            "search": "\n".join((pair.id, pair.sent1.text, pair.sent2.text, entry.words)),
            "lines": [
                line(entry, number, one) for number, one in enumerate(entry.answer.alignments)
            ],
        }
        shares = [line.confidence.line for line in entry.answer.alignments if line.confidence]
        if known := [share for share in shares if share is not None]:
            record["sure"] = round(min(known), 4)
        if entry.comparison is not None:
            record["cells"] = list(_cells(entry.answer, entry.comparison))
            record["missed"] = len(entry.comparison.missed)
        pairs.append(record)
    value = {"pairs": pairs, "rules": list(rules), "texts": list(texts)}
    written = json.dumps(value, separators=(",", ":"))
    for sign in "<>&":
        written = written.replace(sign, f"\\u{ord(sign):04x}")
    return written
