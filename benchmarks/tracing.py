"""How long traces and questions take, and whether they hold, on the train sets.

``python -m benchmarks.tracing --limit 200`` traces the first 200 pairs of each set with gold
chunks and without: the invariants of every trace are checked as it is made. It prints how
much more processor time ``ists-asp solve --trace`` takes than ``ists-asp solve``, with an empty
annotation cache and with a full one, how much more tracing takes than solving pair by pair, and
the seconds of processor time a ``why-not``.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.options import add_data, make_parser
from benchmarks.sets import find_data, read_set
from ists_asp.engine import load
from ists_asp.errors import UsageError
from ists_asp.rules import Purpose

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ists_asp.engine import System
    from ists_asp.model import Pair, Sentence
    from ists_asp.trace import AskedTrace

MOST = 3.0
"""Times as long as solving that a trace may take."""

SLOWEST = 0.3
"""Seconds that a question may take."""


def main() -> int:
    """Measure; return 1 if a limit is missed."""
    parser = make_parser("tracing", __doc__)
    add_data(parser, limit=200)
    chosen = parser.parse_args()
    folder = find_data(chosen.data)
    missed = False
    for name in chosen.sets:
        found = read_set(folder / name, chosen.limit)
        for title, pairs in (("given", found.chunked), ("found", found.plain)):
            print(f"{name}, chunks {title}, {len(pairs)} pairs:", flush=True)
            for cache, solved, traced in _commands(name, pairs):
                print(
                    f"  solve, {cache}: {solved:.1f} s; with --trace {traced:.1f} s, "
                    f"{traced / solved:.2f} times as long",
                    flush=True,
                )
                missed |= traced / solved > MOST
            with load(name, cache=None) as system:
                ratio, asked = _measure(system, pairs)
            middle, worst = statistics.median(asked), max(asked)
            print(
                f"  all traces hold; one by one {ratio:.2f} times as long as solving; why-not "
                f"{middle:.3f} s in the median, {worst:.3f} s at worst",
                flush=True,
            )
            missed |= ratio > MOST or worst > SLOWEST
    return int(missed)


def _commands(profile: str, pairs: Sequence[Pair]) -> Iterator[tuple[str, float, float]]:
    """Seconds of processor time that ``solve`` takes for pairs, without and with traces.

    First with nothing in the annotation cache, then with everything.
    """
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "ists_asp", "solve", "-q", "--profile", profile]
        for option in ("sent1", "sent2"):
            path = Path(folder, f"{option}.txt")
            lines = [f"{_line(getattr(pair, option))}\n" for pair in pairs]
            path.write_text("".join(lines), encoding="utf-8")
            command += [f"--{option}", str(path)]
        if pairs[0].sent1.chunks:
            command.append("--chunked")
        command += ["-o", str(Path(folder, "out.wa"))]
        plain = [*command, "--cache", str(Path(folder, "cache"))]
        traces = ["--trace", str(Path(folder, "traces.jsonl"))]
        traced = [*command, *traces, "--cache", str(Path(folder, "other"))]
        for cache in ("nothing cached", "all annotations cached"):
            yield cache, _seconds(plain), _seconds(traced)


def _line(sentence: Sentence) -> str:
    if not sentence.chunks:
        return sentence.text
    return " ".join(f"[ {sentence.words(chunk.tokens)} ]" for chunk in sentence.chunks)


def _seconds(command: Sequence[str]) -> float:
    """Seconds of processor time of a command."""
    before = os.times()
    subprocess.run(command, check=True)
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def _measure(system: System, pairs: Sequence[Pair]) -> tuple[float, list[float]]:
    """Processor time of traces by that of solving, and the seconds of a question for each pair."""
    rng = random.Random(0)
    solving = tracing = 0.0
    asked: list[float] = []
    solver, tracer = system.solver, system.program(Purpose.ANSWER).tracer
    # Rules are rewritten once.
    _ask(next(system.trace_many(pairs[:1])), rng)
    for pair, facts in system.facts(pairs):
        began = time.process_time()
        solver.solve(pair, facts)
        solved = time.process_time()
        trace = tracer.trace(pair, facts)
        traced = time.process_time()
        solving += solved - began
        tracing += traced - solved
        asked.append(_ask(trace, rng))
    return tracing / solving, asked


def _ask(trace: AskedTrace, rng: random.Random) -> float:
    """Seconds of processor time of one question about two chunks."""
    first = rng.choice(trace.answer.chunks1).tokens
    second = rng.choice(trace.answer.chunks2).tokens
    text = f"{' '.join(map(str, first))} <==> {' '.join(map(str, second))} // OPPO // 2"
    began = time.process_time()
    try:
        trace.why_not(text).text()
    except UsageError:
        trace.why(text).text()
    return time.process_time() - began


if __name__ == "__main__":
    raise SystemExit(main())
