"""How few reasons decide a label, and how much of it the first ones say, on the train sets.

``python -m benchmarks.reasons --data DATA`` traces random pairs of each set with gold chunks. For
each label that another one competes with, it counts the pieces of evidence that tell both
apart, and how much of their absolute sum the largest five carry. No evidence may come twice.
``--read 20`` prints so many contrasts of each set with their rules: whether each sentence is
true of its words is for a person to say.
"""

from __future__ import annotations

import random
import statistics
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.options import add_data, make_parser, positive
from benchmarks.sets import find_data, read_set
from benchmarks.tables import markdown
from ists_asp.engine import load
from ists_asp.errors import IstsError
from ists_asp.trace import DecisionKind, decisions
from ists_asp.trace.contrast import Contrasted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.trace import AskedTrace
    from ists_asp.trace.contrast import Contrast

FIRST = 5
"""Reasons whose share is measured: as many as ``why`` shows of each side."""

MEDIAN, MOST, SHARE = 15, 25, 0.8
"""Pieces of evidence in the median and at most, and the median share, that are aimed at."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """What the contrasts of a set's labels have: pieces of evidence, and the first ones' share."""

    labels: int
    counts: tuple[int, ...]
    shares: tuple[float, ...]
    repeated: int

    @property
    def median(self) -> float:
        """Pieces of evidence in the median."""
        return statistics.median(self.counts)

    @property
    def most(self) -> int:
        """Pieces of evidence at most."""
        return max(self.counts)

    @property
    def share(self) -> float:
        """The median share of the largest reasons."""
        return statistics.median(self.shares)

    @property
    def cells(self) -> list[str]:
        """A row of the table."""
        counts = [str(self.labels), str(len(self.counts)), f"{self.median:g}", str(self.most)]
        return [*counts, f"{self.share:.2f}", str(self.repeated)]

    @property
    def reached(self) -> bool:
        """Whether all aims are reached."""
        few = self.median <= MEDIAN and self.most <= MOST
        return few and self.share >= SHARE and not self.repeated


def measure(contrasts: Sequence[Contrast]) -> Reasons:
    """Measure contrasts of labels; those without a runner-up have no reasons to count."""
    counts, shares, repeated = [], [], 0
    for one in contrasts:
        reasons = (*one.pros, *one.cons)
        if not reasons:
            continue
        sizes = sorted((abs(reason.points) for reason in reasons), reverse=True)
        counts.append(len(sizes))
        shares.append(sum(sizes[:FIRST]) / sum(sizes))
        repeated += len(reasons) - len({reason.name for reason in reasons})
    return Reasons(len(contrasts), tuple(counts), tuple(shares), repeated)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print a table; return 1 if an aim is missed."""
    parser = make_parser("reasons", __doc__)
    add_data(parser)
    parser.add_argument("--pairs", type=positive, default=60, help="pairs of each set, at random")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of pairs")
    parser.add_argument("--read", type=int, default=0, help="contrasts to print of each set")
    options = parser.parse_args(arguments)
    rows, reached = [], True
    try:
        folder = find_data(options.data)
        for name in options.sets:
            rng = random.Random(options.seed)
            pairs = read_set(folder / name, options.limit).chunked
            chosen = rng.sample(pairs, min(options.pairs, len(pairs)))
            with load(name, cache=None) as system:
                found = [
                    (trace, Contrasted(trace, one).contrast)
                    for trace in system.trace_many(chosen)
                    for one in decisions(trace)
                    if one.kind is DecisionKind.LABEL
                ]
            for trace, one in rng.sample(found, min(options.read, len(found))):
                print(_told(trace, one))
            measured = measure([told for _, told in found])
            reached &= measured.reached
            rows.append([name, *measured.cells])
    except IstsError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return error.exit_code
    header = ["Set", "Labels", "With a choice", "Median", "Most", f"Share of {FIRST}", "Twice"]
    print(markdown(header, rows, texts=1))
    return 0 if reached else 1


def _told(trace: AskedTrace, one: Contrast) -> str:
    """A contrast with the sentences of its pair."""
    pair = trace.answer.pair
    lines = [f"{pair.id}  {pair.sent1.text}", f"    {pair.sent2.text}", f"  {one.text}"]
    lines.append(f"  {one.sentence}")
    lines += [
        f"    {reason.points:+5} {reason.sentence} ({reason.name}, {reason.rule})"
        for reason in (*one.pros, *one.cons)
    ]
    return "\n".join((*lines, ""))


if __name__ == "__main__":
    sys.exit(main())
