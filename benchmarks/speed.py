"""Speed on the shipped samples, stage by stage.

``python -m benchmarks.speed`` needs no data. :mod:`benchmarks.scaling` has longer pairs,
:mod:`benchmarks.runs` whole commands.
"""

from __future__ import annotations

import sys
from itertools import chain
from typing import TYPE_CHECKING

from benchmarks.cases import SCENARIOS, measure
from benchmarks.machine import describe_machine
from benchmarks.options import make_parser
from benchmarks.sets import SAMPLES, SETS, read_set
from benchmarks.tables import speed_table
from ists_asp import load
from ists_asp.errors import IstsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.cases import Case

__all__ = ["main", "measure_samples"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = make_parser("speed", __doc__)
    parser.parse_args(arguments)
    try:
        print("Milliseconds a pair; p50, p95 and max are of grounding and solving\n")
        print(speed_table(measure_samples()))
    except IstsError as error:
        print(f"benchmarks.speed: {error}", file=sys.stderr)
        return error.exit_code
    print(describe_machine())
    return 0


def measure_samples() -> list[Case]:
    """Measure each profile on its samples, with chunks given and found."""
    return list(chain.from_iterable(map(_sample, SETS)))


def _sample(name: str) -> list[Case]:
    data = read_set(SAMPLES / name)
    with load(name) as system:
        return [measure(system, data, scenario) for scenario in SCENARIOS]


if __name__ == "__main__":
    sys.exit(main())
