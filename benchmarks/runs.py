"""Whole commands against one another, as ratios of one run.

``python -m benchmarks.runs`` needs no data. On made-up pairs that have not been seen before it
compares

- all stages with Stanza alone, in one process: sentences in batches, and one by one;
- one process with two (``--jobs 2``);
- the first run with a second one after a rule was edited, the cache being warm;
- one pair with nothing but ``import stanza, clingo``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks import ROOT
from benchmarks.memory import write_pairs
from benchmarks.options import add_json, add_profile, describe_machine, make_parser, write_json
from benchmarks.tables import markdown
from ists_asp import load
from ists_asp.io.pairs import find_places, table_pairs
from ists_asp.io.tables import Table
from ists_asp.model import Pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

PAIRS = 600


@dataclass(frozen=True, slots=True)
class Ratio:
    """Two times in seconds, and what they are of."""

    name: str
    one: float
    other: float

    @property
    def ratio(self) -> float:
        """How many times longer the first takes."""
        return self.one / self.other


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = make_parser("runs", __doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS, metavar="N")
    add_profile(parser)
    add_json(parser)
    options = parser.parse_args(arguments)
    found = list(measure(options.pairs, options.profile))
    print(ratio_table(found))
    print(describe_machine())
    figures = [{**asdict(one), "ratio": round(one.ratio, 3)} for one in found]
    write_json(options.json, figures)
    return 0


def ratio_table(ratios: Iterable[Ratio]) -> str:
    """A Markdown table, in seconds."""
    rows = [[one.name, f"{one.one:.2f}", f"{one.other:.2f}", f"{one.ratio:.2f}"] for one in ratios]
    return markdown(["What", "Seconds", "Against", "Ratio"], rows, texts=1)


def measure(pairs: int, profile: str) -> Iterator[Ratio]:
    """Measure all ratios.

    Raises:
        RuntimeError: a command fails.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_pairs(folder / "pairs.tsv", pairs)
        yield from _stages(folder / "pairs.tsv", profile)
        solve = ["solve", "--profile", profile, "--tsv", "pairs.tsv", "-o", "out.wa"]
        alone = _command(folder, *solve, "--cache", "none")
        yield Ratio(
            "one process / two", alone, _command(folder, *solve, "--cache", "none", "--jobs", "2")
        )
        first = _command(folder, *solve, "--cache", "cache")
        copytree(ROOT / "lp_rules", folder / "rules")
        edited = folder / "rules" / "alignment" / "evidence.lp"
        edited.write_text(edited.read_text("utf-8") + "\n% edited\n", "utf-8")
        rerun = _command(folder, *solve, "--cache", "cache", "--rules", "rules")
        yield Ratio("first run / rerun with another rule", first, rerun)
        one = _command(folder, "solve", "--profile", profile, "--cache", "none", "A dog", "A cat")
        imports = _time(folder, "-c", "import stanza, clingo")
        yield Ratio("one pair / import stanza, clingo", one, imports)


def _stages(path: Path, profile: str) -> Iterator[Ratio]:
    with load(profile, cache=None) as system:
        system.solve("ready", "ready")
        found = table_pairs(table := Table(path), find_places(table))
        given = [pair for _, pair in found if isinstance(pair, Pair)]
        every = _seconds(lambda: sum(1 for _ in system.solve_many(given, rated=False)))
        batches = _seconds(lambda: sum(1 for _ in system.annotate(given)))
        yield Ratio("all stages / Stanza in batches", every, batches)
        singly = _seconds(lambda: [list(system.annotate([pair])) for pair in given])
        yield Ratio("all stages / Stanza pair by pair", every, singly)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _command(folder: Path, *arguments: str) -> float:
    return _time(folder, "-m", "ists_asp", *arguments)


def _time(folder: Path, *arguments: str) -> float:
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
