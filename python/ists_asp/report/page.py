"""The page: everything in one file that needs no network, all text escaped.

What is filtered and sorted by is one JSON value; what is drawn of a pair is packed by itself, so
that thousands of pairs are a file that opens at once. The workbench shows the same values.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, partial
from hashlib import sha256
from typing import Any

from msgspec import json, to_builtins

from ists_asp.evaluate.scorer import DECIMALS, Reference, Scores, evaluate
from ists_asp.io.wa import given_answer
from ists_asp.lang import texts_of
from ists_asp.model import Alignment, Answer, Scheme
from ists_asp.report import picture
from ists_asp.resources import data_dir, template
from ists_asp.terminal import visible
from ists_asp.trace.contrast import Contrast, Contrasted
from ists_asp.trace.decisions import DecisionKind, decisions
from ists_asp.trace.trace import Trace

NO_LINE = "none"  # the other side has no line with these tokens


class Verdict(StrEnum):
    """The comparison of a line with that of the same tokens, the gravest difference first."""

    ALIGNMENT = "alignment"
    LABEL = "label"
    TAG = "tag"
    SCORE = "score"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Comparison:
    """An answer beside other alignments of the pair."""

    answer: Answer
    other: Answer  # these as an answer of its own
    lines: tuple[tuple[Alignment | None, Verdict], ...]  # for each of the answer: of its tokens
    missed: tuple[Alignment, ...]  # lines whose tokens are on no line of the answer

    @property
    def same(self) -> bool:
        """Whether both are the same."""
        return not self.missed and all(verdict is Verdict.SAME for _, verdict in self.lines)

    def cells(self) -> Iterator[tuple[str, str, Verdict, bool]]:
        """For each line, then each that was missed, the other's label and the answer's.

        And how they compare, and whether it is about nothing but punctuation.
        """
        is_mark = partial(picture.about_marks, self.answer.pair)
        for line, (right, verdict) in zip(self.answer.alignments, self.lines, strict=True):
            yield str(right.label) if right else NO_LINE, str(line.label), verdict, is_mark(line)
        for line in self.missed:
            yield str(line.label), NO_LINE, Verdict.ALIGNMENT, is_mark(line)

    def told(self, name: str) -> Iterator[str]:
        """Each difference in words; ``name`` is what the other is called."""
        say = partial(picture.described, self.answer)
        for line, (right, verdict) in zip(self.answer.alignments, self.lines, strict=True):
            if verdict is not Verdict.SAME:
                other = f"other {verdict} in {name}, {say(right)}" if right else f"not in {name}"
                yield f"{say(line)}: {other}"
        yield from (f"only in {name}: {say(line)}" for line in self.missed)


def compare(answer: Answer, other: Sequence[Alignment]) -> Comparison:
    """Compare an answer with other alignments of its pair, line by line."""
    theirs = {line.sides: line for line in other}
    both = [(line, theirs.pop(line.sides, None)) for line in answer.alignments]
    lines = tuple((right, _verdict(line, right)) for line, right in both)
    return Comparison(answer, given_answer(answer.pair, other), lines, tuple(theirs.values()))


def _verdict(line: Alignment, right: Alignment | None) -> Verdict:
    if right is None:
        return Verdict.ALIGNMENT
    if line.label is not right.label:
        return Verdict.LABEL
    if line.tags != right.tags:
        return Verdict.TAG
    # Gold files give unaligned chunks 0 as well as NIL.
    return Verdict.SAME if (line.score or 0) == (right.score or 0) else Verdict.SCORE


SHOWN = 12  # reasons that are told for a decision; of the others only the number and the sum
GOLD = "gold"
Line = tuple[tuple[int, ...], tuple[int, ...]]  # the tokens of both sides: they identify a line


def evidence(trace: Trace) -> Mapping[Line, tuple[Contrast, ...]]:
    """The contrasts of each line of an answer, one for each of its decisions."""
    contrasts: dict[Line, tuple[Contrast, ...]] = {}
    for decision in decisions(trace):
        if decision.kind is not DecisionKind.BOUNDARY:
            line = decision.tokens1, decision.tokens2
            contrasts[line] = (*contrasts.get(line, ()), Contrasted(trace, decision).contrast)
    return contrasts


@dataclass(frozen=True, slots=True)
class Entry:
    """A pair of a report."""

    answer: Answer
    words: str = ""  # the explanation
    evidence: Mapping[Line, tuple[Contrast, ...]] | None = None  # None where the answer was given
    beside: Mapping[str, Comparison] = field(default_factory=dict)  # other alignments, by name


@dataclass(frozen=True)
class Report:
    """Entries; ``made_by`` is what made the answers, in one line, ``name`` what they are called."""

    entries: Sequence[Entry]
    title: str
    made_by: str = ""
    name: str = "these answers"
    scheme: Scheme = Scheme.Y2016
    language: str = "en"  # of the page

    @cached_property
    def against(self) -> list[str]:
        """The names of what answers are compared with, gold first."""
        names = dict.fromkeys(name for entry in self.entries for name in entry.beside)
        return sorted(names, key=lambda name: name != GOLD)

    def overview(self) -> dict[str, object]:
        """The values that pairs are filtered and sorted by, for JSON."""
        measured = [tuple(self._measured(entry)) for entry in self.entries]
        total = [sum(scores, Scores()) for scores in zip(*filter(None, measured), strict=False)]
        names = [self.name, *(name for name in self.against if name != GOLD)]
        return {
            "madeBy": self.made_by,
            "measures": [name for name, _ in Scores().named()],
            "f1": [[name, _f1(sums)] for name, sums in zip(names, total, strict=False)],
            "against": self.against,
            "paper": picture.paper_style(),
            "pairs": list(map(self._pair, self.entries, measured)),
        }

    def _measured(self, entry: Entry) -> Iterator[Scores]:
        """The measures of an answer, and of the other one, where there is gold."""
        if gold := entry.beside.get(GOLD):
            right = Reference(gold.other.pair, tuple(gold.other.alignments))
            others = (entry.beside.get(name) for name in self.against if name != GOLD)
            for answer in (entry.answer, *(other and other.other for other in others)):
                ours = Reference(right.pair, tuple(answer.alignments) if answer else ())
                yield evaluate({"": right}, {"": ours}, self.scheme).overall

    def _pair(self, entry: Entry, measured: Sequence[Scores]) -> dict[str, object]:
        answer, marks = entry.answer, picture.punctuation(entry.answer)
        pair, rating = answer.pair, answer.rating
        beside = map(entry.beside.get, self.against)
        return {
            "id": pair.id,
            "one": pair.sent1.text,
            "two": pair.sent2.text,
            "words": entry.words,
            "rating": rating and [rating.value, rating.margin and rating.margin / 1000],
            "f1": list(map(_f1, measured)),
            "lines": [
                [line.label, line.score, line.confidence and line.confidence.line, number in marks]
                for number, line in enumerate(answer.alignments)
            ],
            "marks": sum(map(len, picture.folded_tokens(answer, marks))),
            "against": [comparison and list(comparison.cells()) for comparison in beside],
        }

    def detail(self, entry: Entry) -> dict[str, object]:
        """The picture of a pair, as JSON values, and why each line is so."""
        answer, contrasts = entry.answer, entry.evidence
        shares = (line.confidence for line in answer.alignments)
        record: dict[str, object] = {
            **_drawn(answer, active=True),
            "sure": [share and picture.sure(share) for share in shares],
            "against": [
                (other := entry.beside.get(name))
                and {"told": list(other.told(name)), **({} if other.same else _drawn(other.other))}
                for name in self.against
            ],
        }
        if contrasts is not None:
            lines = [contrasts.get(line.sides, ()) for line in answer.alignments]
            record["why"] = [{"decisions": list(map(_part, parts))} for parts in lines]
        return record


def page(report: Report) -> str:
    """A report as one file of HTML."""

    def joined(*names: str) -> str:
        return "".join((data_dir() / name).read_text("utf-8") for name in names)

    static = "workbench/static"
    style = joined("report/picture.css", f"{static}/app.css", "report/report.css")
    # One module of several: nothing is imported, as nothing may be loaded.
    lines = joined(f"{static}/common.js", "report/report.js", "report/page.js").splitlines()
    code = (line.removeprefix("export ") for line in lines if not line.startswith("import "))
    script = "\n".join(code)
    packed = (zlib.compress(encoded(report.detail(entry))) for entry in report.entries)
    overview = encoded(report.overview()).decode()
    texts = texts_of(report.language)
    return template("report", "page.html").render(
        gettext=lambda text: texts.get(text, text),
        language=report.language,
        texts=texts,
        title=visible(report.title),
        style=style,
        style_hash=_digest(style),
        script=script,
        script_hash=_digest(script),
        count=len(report.entries),
        # Safe inside <script>.
        overview=re.sub("[<>&]", lambda sign: f"\\u{ord(sign[0]):04x}", overview),
        details="\n".join(b64encode(detail).decode() for detail in packed),
    )


def encoded(value: object) -> bytes:
    """JSON in which what changes the direction of reading is shown, as elsewhere."""
    return json.encode(_visible(value))


def _visible(value: Any) -> Any:  # noqa: ANN401 (JSON values)
    if isinstance(value, dict):
        return {key: _visible(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_visible, value))
    return visible(value) if isinstance(value, str) else value


def _digest(text: str) -> str:
    """The hash of a style or script that the page's policy allows."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _drawn(answer: Answer, *, active: bool = False) -> dict[str, str]:
    """The picture without what is punctuation only, and in full if that is another one."""
    marks = picture.punctuation(answer)
    drawn = {"picture": picture.picture(answer, active=active, folded=marks)}
    return drawn | {"full": picture.picture(answer, active=active)} if marks else drawn


def _f1(measured: Scores) -> list[float]:
    return [round(measure.f1, DECIMALS) for _, measure in measured.named()]


def _part(contrast: Contrast) -> dict[str, object]:
    """A contrast as :meth:`ists_asp.trace.Why.to_dict` has it, with its weightiest reasons."""
    reasons = sorted((*contrast.pros, *contrast.cons), key=lambda reason: -abs(reason.points))
    record: dict[str, object] = to_builtins(contrast)
    rest = reasons[SHOWN:]
    remainder = {"more": len(rest), "rest": sum(reason.points for reason in rest)}
    return record | remainder | {"pros": to_builtins(reasons[:SHOWN]), "cons": [], "own": []}
