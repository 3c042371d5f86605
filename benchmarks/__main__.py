"""All benchmarks that need no data: ``python -m benchmarks``."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import memory, scaling
from benchmarks.cases import SCENARIOS, Case, measure
from benchmarks.options import describe_machine
from benchmarks.sets import SAMPLES, SETS, read_set
from benchmarks.tables import markdown, speed_table
from ists_asp import load
from ists_asp.errors import IstsError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks one after the other, print tables and write figures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Time of each stage, growth with long pairs, memory.",
    )
    parser.add_argument("--quick", action="store_true", help="fewer and shorter pairs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="file for the figures")
    options = parser.parse_args(arguments)
    sizes = (5, 10, 20) if options.quick else scaling.SIZES
    counts = (100, 1_000) if options.quick else memory.SIZES
    try:
        print("Stages, milliseconds a pair\n")
        stages = list(_measure_samples())
        print(speed_table(stages))
        print("Growth, milliseconds a pair\n")
        with load("headlines", cache=None) as system:
            grown = [scaling.grow(system, kind, size) for kind in scaling.KINDS for size in sizes]
        print(scaling.growth_table(grown))
        print("Memory\n")
        usages = [memory.measure(count, ("--profile", "headlines")) for count in counts]
        header = ["Pairs", "Peak of the parent, MB", "Seconds"]
        rows = [[str(one.pairs), f"{one.peak:.1f}", f"{one.seconds:.1f}"] for one in usages]
        print(markdown(header, rows, texts=0))
    except IstsError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return error.exit_code
    print(describe_machine())
    if options.json is not None:
        figures = {
            "machine": describe_machine(),
            "stages": [
                {"set": case.set, "chunks": case.scenario, **case.timing.as_dict()}
                for case in stages
            ],
            "growth": [scaling.as_dict(growth) for growth in grown],
            "memory": [asdict(one) for one in usages],
        }
        options.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    return 0


def _measure_samples() -> Iterator[Case]:
    """Measure each profile on its samples, with chunks given and found."""
    for name in SETS:
        data = read_set(SAMPLES / name)
        with load(name, cache=None) as system:
            yield from (measure(system, data, scenario) for scenario in SCENARIOS)


if __name__ == "__main__":
    sys.exit(main())
