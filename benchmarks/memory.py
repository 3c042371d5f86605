"""Memory and time of ``ists-asp solve`` over more and more pairs.

``python -m benchmarks.memory`` needs no data. It makes up short pairs, no sentence twice, with
numbers and names that have not been seen before, and runs the command on 1 000 of them, then on
100 000. What the parent holds at its peak must not differ by more than 50 MB. With ``--repeated``
few sentences come again and again, so that the annotation cache spares Stanza.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks import ROOT
from benchmarks.options import add_json, add_profile, describe_machine, make_parser, write_json
from benchmarks.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIZES = (1_000, 100_000)
LIMIT = 50.0
"""Megabytes that the largest run may take beyond the smallest."""

_REPEATED = 300
"""Sentences a side that come again and again with ``--repeated``."""

_SYLLABLES = ["ba", "de", "ki", "lo", "mu", "na", "per", "ri", "sol", "ta", "ven", "wo"]
_VERBS = ["attack", "build", "cross", "defend", "follow", "help", "meet", "visit"]
_NOUNS = ["bridges", "camps", "doctors", "farms", "lakes", "schools", "towers", "villages"]

# The peak of the process itself: what getrusage tells includes whoever started it.
_RUN = """
import sys
from pathlib import Path
from ists_asp.cli.app import main
try:
    main(sys.argv[1:])
finally:
    status = Path("/proc/self/status").read_text()
    (peak,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    print(f"peak {peak}", file=sys.stderr)
"""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run took: megabytes of the parent at its peak, and seconds."""

    pairs: int
    peak: float
    seconds: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; return 1 where memory grows with the number of pairs."""
    parser = make_parser("memory", __doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="PAIRS")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    add_profile(parser)
    parser.add_argument("--repeated", action="store_true", help="few sentences, again and again")
    add_json(parser)
    options = parser.parse_args(arguments)
    command = ("--profile", options.profile, "--jobs", str(options.jobs))
    found = [measure(size, command, repeated=options.repeated) for size in options.sizes]
    growth = found[-1].peak - found[0].peak
    header = ["Pairs", "Peak of the parent, MB", "Seconds", "Pairs/s"]
    rows = [
        [str(one.pairs), f"{one.peak:.1f}", f"{one.seconds:.1f}", f"{one.pairs / one.seconds:.0f}"]
        for one in found
    ]
    print(markdown(header, rows, texts=0))
    print(f"growth {growth:.1f} MB; {describe_machine(jobs=options.jobs)}")
    figures = {"growth_mb": round(growth, 1), "runs": [asdict(one) for one in found]}
    write_json(options.json, figures)
    if growth > LIMIT:
        print(f"benchmarks.memory: memory grew by more than {LIMIT:g} MB", file=sys.stderr)
        return 1
    return 0


def measure(pairs: int, options: Sequence[str] = (), *, repeated: bool = False) -> Usage:
    """Run ``ists-asp solve`` on made-up pairs, with an annotation cache of its own.

    Raises:
        RuntimeError: the command fails.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_pairs(folder / "pairs.tsv", pairs, repeated=repeated)
        files = ["--tsv", "pairs.tsv", "-o", "out.wa", "--cache", "cache"]
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", _RUN, "solve", *files, *options],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - began
        if done.returncode:
            raise RuntimeError(done.stderr)
        with (folder / "out.wa").open(encoding="utf-8") as stream:
            written = sum(line.startswith("<sentence ") for line in stream)
        if written != pairs:
            raise RuntimeError(f"{written} of {pairs} pairs were written")
    kilobytes = int(done.stderr.rpartition("peak ")[2])
    return Usage(pairs, kilobytes / 1024, seconds)


def write_pairs(path: Path, count: int, *, repeated: bool = False) -> None:
    """Write made-up pairs to a TSV file, each with an id."""
    random = Random(count)
    with path.open("w", encoding="utf-8") as stream:
        for number, (one, two) in enumerate(_pairs(count, random, repeated)):
            stream.write(f"pair-{number}\t{one}\t{two}\n")


def _pairs(count: int, random: Random, repeated: bool) -> Iterator[tuple[str, str]]:
    if repeated:
        firsts, seconds = zip(*(_pair(random) for _ in range(_REPEATED)), strict=True)
        for _ in range(count):
            yield random.choice(firsts), random.choice(seconds)
        return
    for _ in range(count):
        yield _pair(random)


def _pair(random: Random) -> tuple[str, str]:
    """Two headlines that have a name and a noun in common, and numbers that differ."""
    name = "".join(random.choices(_SYLLABLES, k=5)).capitalize()
    noun = random.choice(_NOUNS)
    one, two = (
        f"{random.randrange(10_000_000):,} {random.choice(_VERBS)} {noun} in {name}"
        for _ in range(2)
    )
    return one, two


if __name__ == "__main__":
    sys.exit(main())
