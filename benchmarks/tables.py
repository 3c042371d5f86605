"""Results as Markdown tables, and their places between ``<!-- name -->`` and ``<!-- /name -->``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.timing import STAGES
from ists_asp.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.cases import Case


def accuracy_table(cases: Iterable[Case]) -> str:
    """The four official measures, and the boundaries of found chunks; all are F1.

    Type+score is given with its standard deviation over the folds of a cross-validation.
    """
    header = ["Set", "Chunks", "Profile", "Alignment", "Type", "Score", "Type+score", "Boundaries"]
    rows = [
        [
            *_name(case),
            *(f"{measure.f1:.3f}" for _, measure in case.scores.named()[:-1]),
            _with_spread(case),
            f"{case.chunking.boundaries.f1:.3f}" if case.chunking else "",
        ]
        for case in cases
    ]
    return markdown(header, rows, texts=3)


def kinds_table(cases: Iterable[Case]) -> str:
    """F1 cross-validated, and where no weight had seen any pair of the kind."""
    header = ["Set", "Chunks", "Profile"]
    header += ["Alignment", "Its kind left out", "Type+score", "Its kind left out"]
    rows = [
        [
            *_name(case),
            *(
                f"{getattr(scores, name).f1:.3f}"
                for name in ("alignment", "type_score")
                for scores in (case.scores, case.left_out)
            ),
        ]
        for case in cases
        if case.left_out
    ]
    return markdown(header, rows, texts=3)


def speed_table(cases: Iterable[Case]) -> str:
    """Milliseconds a pair for each stage, those of deciding a pair, and pairs per second."""
    header = ["Set", "Chunks", "Profile", *map(str.capitalize, STAGES)]
    header += ["p50", "p95", "max", "Pairs/s"]
    rows = [
        [
            *_name(case),
            *(f"{mean:.1f}" for mean in case.timing.means),
            *(f"{case.timing.decided_ms(share):.1f}" for share in (0.5, 0.95, 1)),
            f"{case.timing.pairs_per_second:.0f}",
        ]
        for case in cases
    ]
    return markdown(header, rows, texts=3)


def check_table(cases: Iterable[Case]) -> str:
    """Seconds for each stage, optimality, and what a check of the written files says."""
    header = ["Set", "Chunks", "Profile", *(f"{stage.capitalize()} s" for stage in STAGES)]
    header += ["Pairs", "Proven best", "Faults", "Tokens lost"]
    rows = [
        [
            *_name(case),
            *(f"{total:.1f}" for total in case.timing.totals),
            *map(str, (case.pairs, case.proven, case.faults, case.lost)),
        ]
        for case in cases
    ]
    return markdown(header, rows, texts=3)


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]], texts: int) -> str:
    r"""A Markdown table, ending with ``\n``; all but the first ``texts`` columns are numbers."""
    rule = ["---" if column < texts else "---:" for column in range(len(header))]
    lines = (header, rule, *rows)
    return "".join(f"| {' | '.join(line)} |\n".replace("  |", " |") for line in lines)


def _with_spread(case: Case) -> str:
    spread = case.spread("type_score")
    f1 = f"{case.scores.type_score.f1:.3f}"
    return f1 if spread is None else f"{f1} ± {spread:.3f}"


def _name(case: Case) -> list[str]:
    return [case.set, case.scenario, f"`{case.profile}`"]


def replace_between(text: str, name: str, content: str) -> str:
    r"""Put ``content`` (ending with ``\n``) between the marks called ``name``.

    Raises:
        DataError: the text does not have both marks, each once and in this order.
    """
    opening, closing = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, found, rest = text.partition(opening)
    _, ended, after = rest.partition(closing)
    if not found or not ended or opening in after or closing in before + after:
        raise DataError(
            f"no place for the table '{name}'",
            expected=f"a line {opening.strip()} and below it a line {closing}, each once",
        )
    return f"{before}{opening}{content}{closing}{after}"
