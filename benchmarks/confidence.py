"""How far confidence is true, on the train sets of SemEval-2016 Task 2.

``python -m benchmarks.confidence`` cross-validates as ``benchmarks.accuracy`` does: weights are
learned on four fifths of the pairs and decide the others. What tables of confidence say of the
decisions of a fifth was in turn learned from the decisions of the four others, so that neither
weights nor tables had seen them. Of the decisions that are said to be right in 80 of 100 cases
about 80 in 100 should be right. The expected calibration error is the mean difference between
both, by tens of percent.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.cases import SCENARIOS, HoldOut
from benchmarks.options import add_data, add_write, make_parser, positive, rewrite
from benchmarks.sets import SETS, find_data, read_set
from benchmarks.tables import markdown
from ists_asp.confidence import percent
from ists_asp.errors import IstsError
from ists_asp.learn.cross import fit_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.learn.cross import Judged

_KINDS = {"align": "alignments", "alone": "chunks alone", "score": "scores"}
_BOUNDARIES = ("boundary", "inside")
_ORDER = ("labels", "scores", "alignments", "chunks alone", "boundaries")
_BINS = 10


@dataclass(frozen=True, slots=True)
class Reliability:
    """Decisions of a kind: what was said of them, in percent, and which were right."""

    said: tuple[tuple[int, bool], ...]

    @property
    def error(self) -> float:
        """The expected calibration error."""
        apart = (abs(sum(share - right for share, right in one)) for one in self._bins().values())
        return sum(apart) / len(self.said)

    @property
    def right(self) -> float:
        """The share of right decisions."""
        return sum(right for _, right in self.said) / len(self.said)

    def bins(self) -> Iterator[tuple[int, int, float, float]]:
        """Tens of percent: the ten, how many, the mean of what was said, the share of right."""
        for ten, some in sorted(self._bins().items()):
            count = len(some)
            yield ten, count, sum(s for s, _ in some) / count, sum(r for _, r in some) / count

    def _bins(self) -> Mapping[int, list[tuple[float, bool]]]:
        found: dict[int, list[tuple[float, bool]]] = defaultdict(list)
        for share, right in self.said:
            found[min(share * _BINS // 100, _BINS - 1)].append((share / 100, right))
        return found


def reliability(parts: Sequence[Sequence[Judged]]) -> dict[str, Reliability]:
    """What tables that were learned from the other parts say of the decisions of each part.

    Args:
        parts: the decisions of each part.
    """
    said: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for number, part in enumerate(parts):
        others = (one for place, some in enumerate(parts) if place != number for one in some)
        tables = {
            kind: tuple((step.lead, step.percent) for step in steps)
            for kind, steps in fit_table(others).items()
        }
        for one in part:
            if steps := tables.get(one.kind):
                said[_family(one.kind[0])].append((percent(steps, one.lead), one.right))
    return {kind: Reliability(tuple(said[kind])) for kind in _ORDER if kind in said}


def _family(kind: str) -> str:
    if kind in _BOUNDARIES:
        return "boundaries"
    return _KINDS.get(kind.partition("(")[0], "labels")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = make_parser("confidence", __doc__)
    add_data(parser)
    parser.add_argument("--folds", type=positive, default=5, metavar="K", help="parts (default: 5)")
    add_write(parser)
    options = parser.parse_args(arguments)
    try:
        folder = find_data(options.data)
        sets = [read_set(folder / name, options.limit) for name in SETS]
        with HoldOut(sets, options.folds) as folds:
            found = {
                (name, chunks): reliability(result.judged)
                for name in options.sets
                for chunks, result in zip(SCENARIOS, folds.cross_validate(name, name), strict=True)
            }
    except IstsError as error:
        print(f"benchmarks.confidence: {error}", file=sys.stderr)
        return error.exit_code
    errors, bins = error_table(found), bin_table(found)
    print(f"{errors}\n{bins}")
    if options.write:
        rewrite({"confidence": errors, "reliability": bins})
    return 0


def error_table(found: Mapping[tuple[str, str], Mapping[str, Reliability]]) -> str:
    """The share of right decisions of each kind, and the expected calibration error."""
    header = ["Set", "Chunks", *(kind.capitalize() for kind in _ORDER)]
    rows = [
        [name, chunks, *(_told(kinds[kind]) if kind in kinds else "" for kind in _ORDER)]
        for (name, chunks), kinds in found.items()
    ]
    return markdown(header, rows, texts=2)


def _told(one: Reliability) -> str:
    return f"{one.right:.2f}, {one.error:.3f}"


def bin_table(found: Mapping[tuple[str, str], Mapping[str, Reliability]]) -> str:
    """What is said of the decisions of all sets together and what is true, by tens of percent."""
    rows = []
    for kind in _ORDER:
        together = Reliability(tuple(_all(found.values(), kind)))
        for ten, count, said, right in together.bins() if together.said else ():
            span = f"{100 * ten // _BINS} to {100 * (ten + 1) // _BINS}"
            rows.append([kind, span, str(count), f"{100 * said:.0f}", f"{100 * right:.0f}"])
    return markdown(["Decisions", "Percent", "How many", "Said", "Right"], rows, texts=2)


def _all(found: Iterable[Mapping[str, Reliability]], kind: str) -> Iterator[tuple[int, bool]]:
    for kinds in found:
        if kind in kinds:
            yield from kinds[kind].said


if __name__ == "__main__":
    sys.exit(main())
