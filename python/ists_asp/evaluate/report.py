"""Evaluations and checks as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.io.readable import display_width
from ists_asp.model import Label
from ists_asp.terminal import unbroken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.evaluate.measures import Evaluation
    from ists_asp.evaluate.ratings import RatingEvaluation
    from ists_asp.evaluate.statistics import Statistics
    from ists_asp.evaluate.wellformed import CheckReport

_SHOWN_IDS = 10
_ALPHA = 0.05


def render_evaluation(evaluation: Evaluation, by_pair: bool = False) -> str:
    r"""The four measures, the label confusion and, if asked for, a line a pair.

    The text ends with ``\n``; numbers have four decimals, link weights one.
    """
    rows = [["", "F1", "Precision", "Recall"]]
    rows += [
        [name, f"{measure.f1:.4f}", f"{measure.precision:.4f}", f"{measure.recall:.4f}"]
        for name, measure in evaluation.overall.named()
    ]
    parts = [f"Scheme {evaluation.scheme}, pairs: {len(evaluation.pairs)}", _table(rows)]
    for ids, what in (
        (evaluation.missing, "only in the gold file"),
        (evaluation.extra, "only in the system file"),
    ):
        if ids:
            more = ", …" if len(ids) > _SHOWN_IDS else ""
            parts.append(f"Pairs {what} ({len(ids)}): {', '.join(ids[:_SHOWN_IDS])}{more}\n")
    if evaluation.confusion:
        parts.append("Labels by link weight (rows gold, columns system)\n" + _labels(evaluation))
    if by_pair:
        header = ["Pair", *(name for name, _ in evaluation.overall.named())]
        lines = [
            [pair.id, *(f"{measure.f1:.4f}" for _, measure in pair.scores.named())]
            for pair in evaluation.pairs
        ]
        parts.append("F1 by pair\n" + _table([header, *lines]))
    return "\n".join(part if part.endswith("\n") else part + "\n" for part in parts)


def render_ratings(evaluation: RatingEvaluation) -> str:
    r"""A table with a line for each data set and one for their mean; ends with ``\n``."""
    compared = evaluation.mean.other is not None
    rows = [["", "Pairs", "Pearson", "95 %", *(["Other", "p"] if compared else [])]]
    several = len(evaluation.data_sets) > 1
    for one in (*evaluation.data_sets, *([evaluation.mean] if several else [])):
        measured = one.correlation
        interval = f"{measured.low:.4f} to {measured.high:.4f}"
        row = [one.name, str(measured.pairs), f"{measured.r:.4f}", interval]
        if one.other is not None:
            star = " *" if one.other.p < _ALPHA else "  "
            row += [f"{one.other.r:.4f}", f"{one.other.p:.4f}{star}"]
        rows.append(row)
    note = f"* better than the other run, p < {_ALPHA}, one-tailed\n" if compared else ""
    return _table(rows) + note


def render_check(report: CheckReport, stats: bool = False, most_notes: int | None = None) -> str:
    r"""The faults, the notes, the verdict and, if asked for, statistics; ends with ``\n``.

    ``most_notes`` is how many notes to show; of others only the number is told.
    """
    lines = [str(fault) for fault in report.faults]
    lines += [f"note: {note}" for note in report.notes[:most_notes]]
    hidden = len(report.notes[most_notes:]) if most_notes is not None else 0
    if hidden:
        lines.append(f"note: and {hidden} more, see --all-notes")
    verdict = "correct" if report.correct else "incorrect"
    if report.official and not report.correct:
        verdict += ", though the official check accepts it"
    lines.append(
        f"{report.name}: {verdict} (pairs: {report.statistics.pairs}, "
        f"faults: {len(report.faults)}, notes: {len(report.notes)})"
    )
    text = "".join(f"{unbroken(line)}\n" for line in lines)
    return text + "\n" + render_statistics(report.statistics) if stats else text


def render_statistics(statistics: Statistics) -> str:
    r"""The statistics as a table of names and counts; ends with ``\n``."""
    rows = [
        ["pairs", str(statistics.pairs)],
        ["tokens of sentence 1", str(statistics.tokens1)],
        ["tokens of sentence 2", str(statistics.tokens2)],
        ["chunks per sentence", f"{statistics.chunks_per_sentence:.2f}"],
        ["lines", str(statistics.lines)],
        ["aligned lines", str(statistics.aligned_lines)],
        ["aligned lines that share a token", str(statistics.sharing_lines)],
        ["sides that are not contiguous", str(statistics.non_contiguous)],
        *([f"label {item.name}", str(item.count)] for item in statistics.labels),
        *([f"tag {item.name}", str(item.count)] for item in statistics.tags),
        *([f"aligned with score {item.name}", str(item.count)] for item in statistics.scores),
    ]
    return _table(rows)


def _labels(evaluation: Evaluation) -> str:
    cells = {(cell.gold, cell.system): cell.weight for cell in evaluation.confusion}
    used = {label for pair in cells for label in pair}
    labels = [label for label in Label if label in used]
    rows = [["", *map(str, labels)]]
    rows += [
        [str(gold), *(f"{cells.get((gold, system), 0.0):.1f}" for system in labels)]
        for gold in labels
    ]
    return _table(rows)


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to their widest cell: the first to the left, the others to the right."""
    rows = [[unbroken(cell) for cell in row] for row in rows]
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        first = row[0] + " " * (widths[0] - display_width(row[0]))
        rest = [
            " " * (width - display_width(cell)) + cell
            for cell, width in zip(row[1:], widths[1:], strict=True)
        ]
        lines.append("  ".join([first, *rest]).rstrip())
    return "\n".join(lines) + "\n"
