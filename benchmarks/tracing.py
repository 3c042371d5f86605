"""How long traces and questions take, and whether they hold, on the train sets.

``python -m benchmarks.tracing --limit 200`` traces the first 200 pairs of each set with gold
chunks and without: the invariants of every trace are checked as it is made. It prints how
much longer that takes than solving the pairs one by one, and the seconds a ``why-not``.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.sets import SETS, find_data, read_set
from ists_asp.engine import load
from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.engine import System
    from ists_asp.model import Pair
    from ists_asp.trace import Trace

MOST = 3.0
"""Times as long as solving that a trace may take."""

SLOWEST = 0.3
"""Seconds that a question may take in the median."""


def main() -> int:
    """Measure; return 1 if a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with ists-2016-train/ in it")
    parser.add_argument("--limit", type=int, default=200, help="pairs of each set")
    chosen = parser.parse_args()
    folder = find_data(chosen.data)
    missed = False
    for name in SETS:
        found = read_set(folder / name, chosen.limit)
        with load(name) as system:
            for title, pairs in (("given", found.chunked), ("found", found.plain)):
                ratio, asked = _measure(system, pairs)
                middle, worst = statistics.median(asked), max(asked)
                print(
                    f"{name}, chunks {title}: {len(pairs)} traces hold, {ratio:.2f} times as "
                    f"long as solving; why-not {middle:.3f} s in the median, {worst:.3f} s at "
                    "worst",
                    flush=True,
                )
                missed |= ratio > MOST or middle > SLOWEST
    return int(missed)


def _measure(system: System, pairs: Sequence[Pair]) -> tuple[float, list[float]]:
    """Seconds of traces by seconds of solving, and the seconds of a question for each pair."""
    rng = random.Random(0)
    solving = tracing = 0.0
    asked: list[float] = []
    solver = system.solver
    next(system.trace_many(pairs[:1]))
    for pair, facts in system.facts(pairs):
        began = time.perf_counter()
        solver.solve(pair, facts)
        solved = time.perf_counter()
        trace = system.tracer.trace(pair, facts)
        traced = time.perf_counter()
        solving += solved - began
        tracing += traced - solved
        asked.append(_ask(trace, rng))
    return tracing / solving, asked


def _ask(trace: Trace, rng: random.Random) -> float:
    """Seconds of one question about two chunks."""
    first = rng.choice(trace.answer.chunks1).tokens
    second = rng.choice(trace.answer.chunks2).tokens
    text = f"{' '.join(map(str, first))} <==> {' '.join(map(str, second))} // OPPO // 2"
    began = time.perf_counter()
    try:
        trace.why_not(text).text()
    except UsageError:
        trace.why(text).text()
    return time.perf_counter() - began


if __name__ == "__main__":
    raise SystemExit(main())
