"""Runs of ``ists-asp solve --engine dask`` over made-up pairs of ten tokens on this machine.

``python -m benchmarks.cluster --pairs 500 --workers 1 2`` tells seconds, memory and the bytes of
each run. ``--kill 20`` kills a worker every 20 seconds, ``--restart`` the client once, after
which it is started again. ``--write`` puts what a pair costs, and what follows from it for more
pairs, into ``docs/explanation/scaling.md``. Rules, models and caches are those of the first run.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks import ROOT, memory
from benchmarks.options import add_write, describe_machine, make_parser, positive, rewrite
from benchmarks.tables import markdown

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

PAGE = ROOT / "docs" / "explanation" / "scaling.md"
STAGES = ("annotation", "knowledge", "facts", "grounding", "solving")
CORES = 32
"""Processors of a machine in the table."""


@dataclass(frozen=True, slots=True)
class Run:
    """Seconds, megabytes of the client and of a worker with its child at their peaks; costs."""

    workers: int
    seconds: float
    client: tuple[float, float]
    worker: float
    digest: str
    costs: dict[str, float]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return 1 where runs have not the same bytes."""
    parser = make_parser("cluster", __doc__)
    parser.add_argument("--pairs", type=positive, default=500, metavar="N")
    parser.add_argument("--workers", type=positive, nargs="+", default=[1, 2], metavar="N")
    parser.add_argument("--partition", type=positive, default=100, metavar="N")
    parser.add_argument("--kill", type=positive, metavar="SECONDS")
    parser.add_argument("--restart", action="store_true")
    add_write(parser)
    options = parser.parse_args(arguments)
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_pairs(folder / "pairs.jsonl", options.pairs)
        runs = [measure(folder, one, options) for one in options.workers]
    header = ["Workers", "Seconds", "Client at half, MB", "Client, MB", "Worker, MB", "SHA-256"]
    numbers = ((one.seconds, *one.client, one.worker) for one in runs)
    rows = [
        [str(one.workers), *(f"{each:.0f}" for each in found), one.digest[:12]]
        for one, found in zip(runs, numbers, strict=True)
    ]
    tables = {"runs": markdown(header, rows, texts=0), "hours": hours_table(runs[0].costs)}
    print(*tables.values(), sep="\n")
    ratio = runs[0].seconds / runs[-1].seconds
    print(f"first / last {ratio:.2f}; {options.pairs} pairs; {describe_machine()}")
    if options.write:
        rewrite(tables, PAGE)
    return int(len({one.digest for one in runs}) > 1)


def write_pairs(path: Path, count: int) -> None:
    """Write pairs of ten tokens, no sentence twice but by chance."""
    random = Random(count)
    with path.open("w", encoding="utf-8") as stream:
        for _ in range(count):
            (one, two), (more, other) = memory._pair(random), memory._pair(random)
            record = {"sent1": f"{one} {more}", "sent2": f"{two} {other}"}
            stream.write(json.dumps(record) + "\n")


def measure(folder: Path, workers: int, options: Namespace) -> Run:
    """Run the command, and look at its processes every second."""
    import psutil

    kill, restart, size = options.kill, options.restart, options.partition
    output, total = folder / f"out{workers}", -(-options.pairs // size)
    command = [sys.executable, "-m", "ists_asp", "solve", "--engine", "dask", "--cache", "none"]
    command += ["--table", "pairs.jsonl", "-o", output.name, "--jobs", str(workers)]
    command += ["--partition", str(size)]
    began = last = time.monotonic()
    client, worker, errors = [0.0], 0.0, folder / "errors"
    process = None
    half = 0
    while process is None or process.poll() is None:
        if process is None:
            with errors.open("w") as stream:
                process = subprocess.Popen(command, cwd=folder, stderr=stream)
        time.sleep(1)
        done = sum(1 for _ in output.glob("part-*"))
        try:
            own = psutil.Process(process.pid)
            client.append(own.memory_info().rss / 2**20)
            half = half or (done >= total / 2) * len(client)
            below = [one for one in own.children() if "spawn_main" in " ".join(one.cmdline())]
            for one in below:
                all_of_it = (one, *one.children(recursive=True))
                worker = max(worker, sum(each.memory_info().rss for each in all_of_it) / 2**20)
            if kill and below and time.monotonic() - last > kill:
                below[0].kill()
                last = time.monotonic()
            if restart and done > total / 2:
                restart = False
                own.kill()
                process.wait()
                process = None
        except psutil.Error:
            continue
    text = errors.read_text("utf-8")
    if process.returncode:
        raise RuntimeError(text)
    digest = hashlib.sha256()
    for part in sorted(output.glob("part-*")):
        digest.update(part.read_bytes())
    seconds = time.monotonic() - began
    costs = {name: float(found) for name, found in re.findall(r"(\w+) ([\d.]+) s[,;]", text)}
    (costs["all"],) = map(float, re.findall(r"([\d.]+) s of the processor", text))
    pairs = int(re.findall(r"(\d+) pairs in", text)[0])
    costs = {name: 1000 * cost / pairs for name, cost in costs.items()}
    peaks = max(client[: half or None]), max(client)
    return Run(workers, seconds, peaks, worker, digest.hexdigest(), costs)


def hours_table(costs: dict[str, float]) -> str:
    """What follows from milliseconds a pair, as Markdown: an extrapolation."""
    rows = []
    for exponent, days in ((6, 1), (8, 7), (10, 30)):
        hours = 10**exponent * costs["all"] / 3_600_000
        machines = -(-hours // (24 * days * CORES))
        parts = 10 ** max(3, exponent - 5)
        rows.append(
            [f"10^{exponent}", f"{hours:,.0f}", str(days), f"{machines:,.0f}", f"{parts:,}"]
        )
    stages = ", ".join(f"{name} {costs[name]:.1f}" for name in STAGES if name in costs)
    header = ["Pairs", "Hours of a processor", "Days", f"Machines of {CORES}", "Pairs a part"]
    told = f"A pair costs {costs['all']:.1f} ms of the processor, loading included: {stages}.\n\n"
    return told + markdown(header, rows, texts=1)


if __name__ == "__main__":
    sys.exit(main())
