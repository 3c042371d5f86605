"""The page: everything in one file that needs no network, all text escaped.

What is filtered and sorted by is one JSON value; what is drawn of a pair is packed by itself, so
that thousands of pairs are a file that opens at once. The workbench shows the same values.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import orjson
from jinja2 import Environment, StrictUndefined
from msgspec import to_builtins

from ists_asp.evaluate.scorer import Scores
from ists_asp.model import Label, Scheme
from ists_asp.report.differences import Comparison, scores
from ists_asp.report.picture import folded_tokens, paper_style, picture, punctuation, sure
from ists_asp.resources import data_dir
from ists_asp.terminal import visible
from ists_asp.trace.contrast import Contrast, Contrasted
from ists_asp.trace.decisions import DecisionKind, decisions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ists_asp.model import Answer
    from ists_asp.trace.trace import Trace

SHOWN = 12
"""Reasons that are told for a decision; of the others only the number and the sum."""

GOLD = "gold"

Line = tuple[tuple[int, ...], tuple[int, ...]]
"""The token numbers of both sides: they identify a line of an answer."""

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


def evidence(trace: Trace) -> Mapping[Line, tuple[Contrast, ...]]:
    """The contrasts of each line of an answer, one for each of its decisions."""
    found: dict[Line, list[Contrast]] = {}
    for decision in decisions(trace):
        if decision.kind is not DecisionKind.BOUNDARY:
            line = decision.tokens1, decision.tokens2
            found.setdefault(line, []).append(Contrasted(trace, decision).contrast)
    return {line: tuple(parts) for line, parts in found.items()}


@dataclass(frozen=True, slots=True)
class Entry:
    """What a report tells of a pair.

    ``words`` is the explanation; ``evidence`` is None where the answer was given, so that nobody
    knows why it is so; ``gold`` and ``other`` are None where there is no gold, or no other answer.
    """

    answer: Answer
    words: str = ""
    evidence: Mapping[Line, tuple[Contrast, ...]] | None = None
    gold: Comparison | None = None
    other: Comparison | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """Entries, and what is said of them all.

    ``made_by`` is what made the answers, in one line; ``name`` is what they are called, and
    ``other`` what the other answers are called, beside which they stand.
    """

    entries: Sequence[Entry]
    title: str
    made_by: str = ""
    name: str = "these answers"
    other: str = ""
    scheme: Scheme = Scheme.Y2016

    @property
    def against(self) -> dict[str, Sequence[Comparison | None]]:
        """What the answers are compared with, by name."""
        golds = [entry.gold for entry in self.entries]
        others = [entry.other for entry in self.entries]
        found: dict[str, Sequence[Comparison | None]] = {GOLD: golds} if any(golds) else {}
        return {**found, self.other: others} if any(others) else found

    def overview(self) -> dict[str, object]:
        """What pairs are filtered and sorted by, as JSON values."""
        measured = [tuple(self._measured(entry)) for entry in self.entries]
        known = [several for several in measured if several]
        total = [sum(some, Scores()) for some in zip(*known, strict=False)]
        names = [self.name, self.other]
        return {
            "title": self.title,
            "madeBy": self.made_by,
            "meanings": _MEANINGS,
            "measures": [name for name, _ in Scores().named()],
            "f1": [[name, _f1(found)] for name, found in zip(names, total, strict=False)],
            "against": list(self.against),
            "paper": paper_style(),
            "pairs": [self._pair(*each) for each in zip(self.entries, measured, strict=True)],
        }

    def _measured(self, entry: Entry) -> Iterator[Scores]:
        """The measures of an answer, and of the other one, where there is gold."""
        if entry.gold is not None:
            yield scores(entry.gold.other, entry.answer.alignments, self.scheme)
            if entry.other is not None:
                yield scores(entry.gold.other, entry.other.other.alignments, self.scheme)

    def _pair(self, entry: Entry, measured: Sequence[Scores]) -> dict[str, object]:
        answer, marks = entry.answer, punctuation(entry.answer)
        pair, rating = answer.pair, answer.rating
        margin = None if rating is None or rating.margin is None else rating.margin / 1000
        record: dict[str, object] = {
            "id": pair.id,
            "one": pair.sent1.text,
            "two": pair.sent2.text,
            "words": entry.words,
            "lines": [
                [line.label, line.score, line.confidence and line.confidence.line, number in marks]
                for number, line in enumerate(answer.alignments)
            ],
            "marks": sum(map(len, folded_tokens(answer, marks))),
            "against": [one and list(one.cells()) for one in self._comparisons(entry)],
        }
        if rating is not None:
            record["rating"] = [rating.value, margin]
        if measured:
            record["f1"] = list(map(_f1, measured))
        return record

    def _comparisons(self, entry: Entry) -> list[Comparison | None]:
        return [entry.gold if name == GOLD else entry.other for name in self.against]

    def detail(self, entry: Entry) -> dict[str, object]:
        """What is drawn of a pair, as JSON values, and why each line is so."""
        answer, told = entry.answer, entry.evidence
        record: dict[str, object] = {
            **_drawn(answer, active=True),
            "sure": [line.confidence and sure(line.confidence) for line in answer.alignments],
            "against": [
                one and {"told": list(one.told(name)), **({} if one.same else _drawn(one.other))}
                for name, one in zip(self.against, self._comparisons(entry), strict=True)
            ],
        }
        if told is not None:
            lines = [told.get((line.tokens1, line.tokens2), ()) for line in answer.alignments]
            record["why"] = [{"decisions": list(map(_part, parts))} for parts in lines]
        return record


def page(report: Report) -> str:
    """A report as one file of HTML."""
    folder, shared = data_dir() / "report", data_dir() / "workbench" / "static"
    sheets = folder / "picture.css", shared / "app.css", folder / "report.css"
    style = "".join(path.read_text("utf-8") for path in sheets)
    modules = shared / "common.js", folder / "report.js", folder / "page.js"
    # One module of several: nothing is imported, as nothing may be loaded.
    lines = "".join(path.read_text("utf-8") for path in modules).splitlines()
    code = (line.removeprefix("export ") for line in lines if not line.startswith("import "))
    script = "\n".join(code)
    # A misspelt name in the template is an error; everything is escaped but what is marked safe.
    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    template = environment.from_string((folder / "page.html").read_text("utf-8"))
    size = len(report.entries)
    overview = encoded(report.overview()).decode()
    return template.render(
        title=visible(report.title),
        style=style,
        style_hash=_digest(style),
        script=script,
        script_hash=_digest(script),
        count=f"{size} pair{'' if size == 1 else 's'}",
        # Safe inside <script>.
        overview=re.sub("[<>&]", lambda sign: f"\\u{ord(sign[0]):04x}", overview),
        details="\n".join(
            b64encode(zlib.compress(encoded(report.detail(entry)))).decode()
            for entry in report.entries
        ),
    )


def encoded(value: object) -> bytes:
    """JSON in which what changes the direction of reading is shown, as elsewhere."""
    return orjson.dumps(_visible(value))


def _visible(value: Any) -> Any:  # noqa: ANN401 (JSON values)
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {str(key): _visible(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return list(map(_visible, value))
    return value


def _digest(text: str) -> str:
    """What the page's policy allows: this style and this script, and nothing else."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _drawn(answer: Answer, *, active: bool = False) -> dict[str, str]:
    """The picture without what is punctuation only, and in full if that is another one."""
    marks = punctuation(answer)
    found = {"picture": picture(answer, active=active, folded=marks)}
    return found | {"full": picture(answer, active=active)} if marks else found


def _f1(found: Scores) -> list[float]:
    return [round(measure.f1, 4) for _, measure in found.named()]


def _part(one: Contrast) -> dict[str, object]:
    """A contrast as :meth:`ists_asp.trace.Why.to_dict` has it, with its weightiest reasons."""
    reasons = sorted((*one.pros, *one.cons), key=lambda reason: -abs(reason.points))
    told: dict[str, object] = to_builtins(one)
    rest = reasons[SHOWN:]
    more = {"more": len(rest), "rest": sum(each.points for each in rest)}
    return told | more | {"pros": to_builtins(reasons[:SHOWN]), "cons": [], "own": []}
