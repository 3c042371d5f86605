"""Time to decide longer and longer pairs.

``python -m benchmarks.scaling`` needs no data. It grounds and solves made-up pairs of 5 to 80
chunks a side: realistic ones, about half of whose chunks have a counterpart; dense ones, out of
a dozen words, and ones that repeat a single word. Every pair must be solved to its optimum,
those of 40 chunks within 0.5 s if they are realistic or dense.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.options import add_profile, describe_machine, make_parser
from benchmarks.synthetic import make_dense_pair, make_pair, make_repeated_pair
from benchmarks.tables import markdown
from benchmarks.timing import Timing
from ists_asp import load
from ists_asp.engine import Timings
from ists_asp.errors import IstsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ists_asp import System
    from ists_asp.model import Answer, Pair

SIZES = (5, 10, 20, 40, 80)
PAIRS = 5
KINDS: dict[str, Callable[[int, int], Pair]] = {
    "realistic": make_pair,
    "dense": make_dense_pair,
    "repeated": lambda size, _seed: make_repeated_pair(size),
}
LIMITS = {("realistic", 40): 0.5, ("dense", 40): 0.5}
"""Seconds that pairs of a kind and size may take at most to ground and solve."""


@dataclass(frozen=True, slots=True)
class Growth:
    """Times on pairs of ``size`` chunks a side; ``proven`` of ``pairs`` are proven optimal."""

    kind: str
    size: int
    pairs: int
    aligned: float
    timing: Timing
    proven: int

    @property
    def quick(self) -> bool:
        """Whether every pair was solved to its optimum in time."""
        limit = LIMITS.get((self.kind, self.size))
        in_time = limit is None or self.timing.decided_ms(1) <= 1000 * limit
        return self.proven == self.pairs and in_time


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return 1 where a pair took too long."""
    parser = make_parser("scaling", __doc__)
    add_profile(parser)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="CHUNKS")
    options = parser.parse_args(arguments)
    try:
        with load(options.profile, cache=None) as system:
            grown = [grow(system, kind, size) for kind in KINDS for size in options.sizes]
    except IstsError as error:
        print(f"benchmarks.scaling: {error}", file=sys.stderr)
        return error.exit_code
    print(growth_table(grown))
    print(describe_machine())
    slow = [f"{growth.kind} {growth.size}" for growth in grown if not growth.quick]
    if slow:
        print(f"benchmarks.scaling: too slow, or not proven: {', '.join(slow)}", file=sys.stderr)
    return 1 if slow else 0


def grow(system: System, kind: str, size: int, pairs: int = PAIRS) -> Growth:
    """Decide pairs of a kind with ``size`` chunks on each side, one after the other.

    Raises:
        SolveError: there is no answer for a pair.
    """
    system.solve("ready", "ready")
    system.stages = Timings()
    answers: list[Answer] = []
    for seed in range(1 if kind == "repeated" else pairs):
        # Each for itself: several pairs together share their time.
        answers += system.solve_many([KINDS[kind](size, seed)], rated=False)
    aligned = sum(line.label.aligned for answer in answers for line in answer.alignments)
    timing = Timing.of(system.stages, system.stages.grounding + system.stages.solving)
    proven = sum(answer.optimal for answer in answers)
    return Growth(kind, size, len(answers), aligned / len(answers), timing, proven)


def growth_table(grown: Iterable[Growth]) -> str:
    """A Markdown table, in milliseconds a pair."""
    names = ("Kind", "Chunks a side", "Pairs", "Aligned", "Grounding", "Solving", "p50", "max")
    rows = [
        [
            growth.kind,
            str(growth.size),
            str(growth.pairs),
            f"{growth.aligned:.1f}",
            *(f"{mean:.1f}" for mean in growth.timing.means[-2:]),
            *(f"{growth.timing.decided_ms(share):.1f}" for share in (0.5, 1)),
            str(growth.proven),
        ]
        for growth in grown
    ]
    return markdown([*names, "Proven"], rows, texts=1)


def as_dict(growth: Growth) -> dict[str, object]:
    """A row of the table, in a form that ``json.dumps`` takes."""
    return {
        "kind": growth.kind,
        "chunks": growth.size,
        "pairs": growth.pairs,
        "proven": growth.proven,
        **growth.timing.as_dict(),
    }


if __name__ == "__main__":
    sys.exit(main())
