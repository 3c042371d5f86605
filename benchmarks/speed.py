"""Speed on the shipped samples, and on longer and longer pairs.

``python -m benchmarks.speed`` needs no data. It prints the time of each stage on the
samples, and the time to ground and solve made-up pairs of 5 to 40 chunks a side, about half
of which have a counterpart. A pair of 40 chunks must be solved to its optimum within 1 s.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from benchmarks.cases import SCENARIOS, measure
from benchmarks.machine import describe_machine
from benchmarks.sets import SAMPLES, SETS, read_set
from benchmarks.synthetic import make_pair
from benchmarks.tables import markdown, speed_table
from benchmarks.timing import Timing
from ists_asp import load
from ists_asp.errors import IstsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.cases import Case
    from ists_asp import System

__all__ = ["Growth", "grow", "main"]

SIZES = (5, 10, 20, 40)
PAIRS = 10
LIMIT = 1.0
"""Seconds that the largest pairs may take to ground and solve."""


@dataclass(frozen=True, slots=True)
class Growth:
    """Times on pairs of ``size`` chunks a side; ``proven`` of ``pairs`` are proven optimal."""

    size: int
    pairs: int
    aligned: float
    timing: Timing
    proven: int

    @property
    def quick(self) -> bool:
        """Whether every pair was solved to its optimum in time."""
        return self.proven == self.pairs and self.timing.decided.longest < LIMIT


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return 1 where a pair took too long."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--profile", default="headlines", help="for the long pairs")
    options = parser.parse_args(arguments)
    try:
        print("Samples: milliseconds a pair; p50, p95 and max are of grounding and solving\n")
        print(speed_table(chain.from_iterable(map(_sample, SETS))))
        with load(options.profile) as system:
            grown = [grow(system, size) for size in SIZES]
    except IstsError as error:
        print(f"benchmarks.speed: {error}", file=sys.stderr)
        return error.exit_code
    print(f"Long pairs, `{options.profile}`: milliseconds a pair\n")
    print(_growth_table(grown))
    print(describe_machine())
    if not all(growth.quick for growth in grown):
        print(f"benchmarks.speed: a pair took {LIMIT:g} s or more", file=sys.stderr)
        return 1
    return 0


def grow(system: System, size: int, pairs: int = PAIRS) -> Growth:
    """Decide pairs with ``size`` chunks on each side.

    Raises:
        SolveError: there is no answer for a pair.
    """
    system.solve("ready", "ready")
    system.stages.clear()
    answers = list(system.solve_many(make_pair(size, seed) for seed in range(pairs)))
    aligned = sum(line.label.aligned for answer in answers for line in answer.alignments)
    timing = Timing.of(system.stages, system.stages.grounding + system.stages.solving)
    proven = sum(answer.optimal for answer in answers)
    return Growth(size, pairs, aligned / pairs, timing, proven)


def _sample(name: str) -> list[Case]:
    data = read_set(SAMPLES / name)
    with load(name) as system:
        return [measure(system, data, scenario) for scenario in SCENARIOS]


def _growth_table(grown: Iterable[Growth]) -> str:
    header = ["Chunks a side", "Pairs", "Aligned", "Grounding", "Solving", "p50", "max", "Proven"]
    rows = [
        [
            str(growth.size),
            str(growth.pairs),
            f"{growth.aligned:.1f}",
            *(f"{mean:.1f}" for mean in growth.timing.means[-2:]),
            *(f"{growth.timing.decided_ms(share):.1f}" for share in (0.5, 1)),
            str(growth.proven),
        ]
        for growth in grown
    ]
    return markdown(header, rows, texts=0)


if __name__ == "__main__":
    sys.exit(main())
