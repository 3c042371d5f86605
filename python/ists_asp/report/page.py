"""The page: everything in one file that needs no network, all text escaped."""

from __future__ import annotations

import json
from base64 import b64encode
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from string import Template
from typing import TYPE_CHECKING

from ists_asp.model import Label
from ists_asp.report.gold import Verdict
from ists_asp.report.picture import described, picture
from ists_asp.resources import data_dir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.model import Alignment, Answer
    from ists_asp.report.evidence import Evidence, Fired, Line
    from ists_asp.report.gold import Comparison

__all__ = ["Entry", "page"]

NO_LINE = "none"
"""In the table of labels: the other side has no line with these tokens."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the page tells of a pair.

    ``words`` is the explanation; ``comparison`` is None where there is no gold.
    """

    answer: Answer
    words: str
    evidence: Mapping[Line, tuple[Evidence, ...]]
    comparison: Comparison | None = None


def page(entries: Sequence[Entry], title: str, made_by: str = "") -> str:
    """The page as text.

    Args:
        entries: the pairs, in the order of the page.
        title: its heading, such as the profile's name.
        made_by: what made the answers, in one line.

    Raises:
        ResourceError: the installation lacks the page's template.
    """
    folder = data_dir() / "report"
    style = "".join((folder / name).read_text("utf-8") for name in ("picture.css", "page.css"))
    script = (folder / "page.js").read_text("utf-8")
    template = Template((folder / "page.html").read_text("utf-8"))
    return template.substitute(
        title=escape(title),
        made_by=escape(made_by),
        style=style,
        style_hash=_digest(style),
        script=script,
        script_hash=_digest(script),
        count=_plural(len(entries), "pair"),
        labels=_label_boxes(entries),
        gold_filter="" if not _has_gold(entries) else _GOLD_FILTER,
        confusion=_confusion(entries),
        pairs="\n".join(_article(number, entry) for number, entry in enumerate(entries)),
        data=_json(entries),
    )


_GOLD_FILTER = """<label>Against gold
<select id="gold">
<option value="">any</option>
<option value="differs">differs</option>
<option value="alignment">other alignment</option>
<option value="label">other label</option>
<option value="tag">other tag</option>
<option value="score">other score</option>
<option value="same">same</option>
</select></label>"""

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

_VERDICTS = {
    Verdict.ALIGNMENT: "not in gold",
    Verdict.LABEL: "other label in gold",
    Verdict.TAG: "other tag in gold",
    Verdict.SCORE: "other score in gold",
}


def _digest(text: str) -> str:
    """What the page's policy allows: this style and this script, and nothing else."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _has_gold(entries: Iterable[Entry]) -> bool:
    return any(entry.comparison is not None for entry in entries)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _label_boxes(entries: Iterable[Entry]) -> str:
    counts = Counter(line.label for entry in entries for line in entry.answer.alignments)
    return "\n".join(
        f'<label class="key {label}"><input type="checkbox" name="label" value="{label}" checked>'
        f"<b>{label}</b> {_MEANINGS[label]} <span>{counts[label]}</span></label>"
        for label in Label
        if counts[label]
    )


def _article(number: int, entry: Entry) -> str:
    pair = entry.answer.pair
    identifier = escape(pair.id)
    parts = [
        f'<article id="pair-{number}" data-pair="{number}" aria-labelledby="head-{number}">',
        f'<h2 id="head-{number}">Pair {identifier}</h2>',
        f'<p class="words">{escape(entry.words)}</p>',
        f'<div class="scroll">{picture(entry.answer, active=True)}</div>',
        '<div class="rules" role="region" aria-label="Rules" hidden></div>',
    ]
    if entry.comparison is not None:
        parts += _gold(entry.answer, entry.comparison)
    return "\n".join([*parts, "</article>"])


def _gold(answer: Answer, comparison: Comparison) -> Iterator[str]:
    if comparison.same:
        yield '<p class="agrees">As in gold.</p>'
        return
    yield '<details class="gold"><summary>Differs from gold</summary><ul>'
    for line, (right, verdict) in zip(answer.alignments, comparison.lines, strict=True):
        if verdict is not Verdict.SAME:
            text = f"{described(answer, line)}: {_VERDICTS[verdict]}"
            if right is not None:
                text += f", {described(answer, right)}"
            yield f"<li>{escape(text)}</li>"
    for line in comparison.missed:
        yield f"<li>{escape(f'only in gold: {described(answer, line)}')}</li>"
    yield f'</ul><p>Gold:</p><div class="scroll">{picture(comparison.gold)}</div></details>'


def _confusion(entries: Sequence[Entry]) -> str:
    """The labels of gold (rows) against those of the answers (columns), on the same tokens."""
    cells = Counter(
        cell
        for entry in entries
        if entry.comparison is not None
        for cell in _cells(entry.answer, entry.comparison)
    )
    if not cells:
        return ""
    used = {name for cell in cells for name in cell}
    names = [name for name in (*map(str, Label), NO_LINE) if name in used]
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    rows = []
    for gold in names:
        row = [f'<tr><th scope="row">{gold}</th>']
        for ours in names:
            count = cells[gold, ours]
            kind = ' class="right"' if gold == ours else ""
            button = (
                f'<button type="button" data-gold="{gold}" data-ours="{ours}" '
                f'aria-pressed="false" title="gold {gold}, here {ours}">{count}</button>'
            )
            row.append(f"<td{kind}>{button if count else ''}</td>")
        rows.append("".join([*row, "</tr>"]))
    return (
        '<details id="confusion"><summary>Labels: gold against answers</summary>'
        "<p>Rows: gold; columns: answers; <i>none</i>: the other has no line with these tokens. "
        "A cell shows its pairs.</p>"
        f'<div class="scroll"><table><thead><tr><td></td>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div></details>"
    )


def _cells(answer: Answer, comparison: Comparison) -> Iterator[tuple[str, str]]:
    for line, (right, _) in zip(answer.alignments, comparison.lines, strict=True):
        yield (NO_LINE if right is None else str(right.label)), str(line.label)
    for line in comparison.missed:
        yield str(line.label), NO_LINE


class _Numbers:
    """Texts that many lines repeat, each kept once."""

    def __init__(self) -> None:
        self.found: dict[object, int] = {}

    def __call__(self, value: object) -> int:
        return self.found.setdefault(value, len(self.found))


def _json(entries: Iterable[Entry]) -> str:
    """What the script needs, safe inside ``<script>``.

    A rule that fired is ``[weight, number in rules, number in texts]``.
    """
    rules, texts = _Numbers(), _Numbers()

    def told(fired: Fired) -> list[object]:
        return [fired.weight, rules((fired.name, f"{fired.file}:{fired.line}")), texts(fired.text)]

    def part(one: Evidence) -> dict[str, object]:
        return {
            "text": one.text,
            "worth": [told(fired) for fired in one.worth],
            "fired": [told(fired) for fired in one.fired],
            "more": one.more,
            "rest": one.rest,
        }

    def line(entry: Entry, number: int, one: Alignment) -> dict[str, object]:
        record: dict[str, object] = {
            "label": one.label,
            "score": one.score,
            "text": described(entry.answer, one),
            "rules": [part(each) for each in entry.evidence.get((one.tokens1, one.tokens2), ())],
        }
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
        if entry.comparison is not None:
            record["cells"] = list(_cells(entry.answer, entry.comparison))
            record["missed"] = len(entry.comparison.missed)
        pairs.append(record)
    value = {"pairs": pairs, "rules": list(rules.found), "texts": list(texts.found)}
    text = json.dumps(value, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text
