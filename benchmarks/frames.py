"""``solve_frame`` beside ``ists-asp solve --table``: time of the processor, memory of the parent.

``python -m benchmarks.frames`` needs no data, but pandas. Both decide the same made-up pairs, with
rating and explanation, in as many workers, and write a table; the time is that of all processes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks import ROOT
from benchmarks.memory import Usage, write_pairs
from benchmarks.options import add_profile, describe_machine, make_parser, positive
from benchmarks.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMAND = """
from ists_asp.cli.app import main
options = ["--profile", profile, "--jobs", jobs, "--cache", "none", "--tsv", "pairs.tsv"]
try:
    main(["solve", *options, "-o", "solved.csv"])
except SystemExit as end:
    assert not end.code
"""
_FRAME = """
import ists_asp, pandas
from ists_asp.engine import Setup
frame = pandas.read_csv("pairs.tsv", sep="\\t", names=["id", "a", "b"])
with ists_asp.System(Setup(profile)) as system:
    solved = ists_asp.solve_frame(frame, "a", "b", system, jobs=int(jobs), explain=True)
solved.to_csv("solved.csv", index=False)
"""
# Workers count as soon as the process is waited for that made them.
_MEASURED = """
import resource, sys
from multiprocessing.forkserver import _forkserver
from pathlib import Path
profile, jobs = sys.argv[1:]
{}
_forkserver._stop()
used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
seconds = sum(one.ru_utime + one.ru_stime for one in used)
status = Path("/proc/self/status").read_text()
(peak,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
print("used", seconds, peak, len(Path("solved.csv").read_text().splitlines()), file=sys.stderr)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = make_parser("frames", __doc__)
    parser.add_argument("--pairs", type=positive, nargs="+", default=[10_000], metavar="N")
    parser.add_argument("--jobs", type=positive, default=2, metavar="N")
    add_profile(parser)
    options = parser.parse_args(arguments)
    rows = []
    for pairs in options.pairs:
        command, frame = (
            measure(way, pairs, options.profile, options.jobs) for way in (_COMMAND, _FRAME)
        )
        shown = [f"{value:.1f}" for one in (command, frame) for value in (one.seconds, one.peak)]
        rows.append([str(pairs), *shown, f"{frame.seconds / command.seconds:.3f}"])
    header = ["Pairs", "Command, s", "MB", "Frame, s", "MB", "Ratio"]
    print(markdown(header, rows, texts=0))
    print(describe_machine(jobs=options.jobs))
    return 0


def measure(way: str, pairs: int, profile: str, jobs: int) -> Usage:
    """Decide made-up pairs one way.

    Raises:
        RuntimeError: it fails.
    """
    with TemporaryDirectory() as name:
        write_pairs(Path(name) / "pairs.tsv", pairs)
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED.format(way), profile, str(jobs)],
            cwd=name,
            env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
            capture_output=True,
            text=True,
            check=False,
        )
    told = done.stderr.rpartition("used ")[2].split()
    if done.returncode or told.pop() != str(pairs + 1):
        raise RuntimeError(done.stderr)
    return Usage(pairs, int(told[1]) / 1024, float(told[0]))


if __name__ == "__main__":
    sys.exit(main())
