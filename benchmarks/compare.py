"""Two versions of the checkout against each other, in turns, in time of the processor.

``python -m benchmarks.compare HEAD~1`` compares what a commit (or a folder with a checkout) takes
with what this checkout takes: start of commands, solving the samples, and pairs by length. Both
run the same rules unless they differ in them. What counts is the ratio: a busy machine slows both.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks import ROOT
from benchmarks.lengths import LENGTHS
from benchmarks.options import add_json, describe_machine, make_parser, write_json
from benchmarks.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PAIR = ("12 killed in bus accident in Pakistan", "10 killed in road accident in NW Pakistan")
_SAMPLE = ROOT / "data" / "samples" / "headlines"
_HEADLINES = ("--profile", "headlines")
_BARE = "import clingo, numpy, click"
_COMMANDS: Mapping[str, Sequence[str]] = {
    "version": ("--version",),
    "solve a pair": ("solve", *_HEADLINES, *_PAIR),
    "solve a new pair": ("solve", *_HEADLINES, "{} dogs run along the shore", "A dog ran {} miles"),
    "first pair of all": ("solve", *_HEADLINES, "--cache", "none", *_PAIR),
    "explain a pair": ("explain", *_HEADLINES, *_PAIR),
    "why": ("why", *_HEADLINES, *_PAIR, "1 <==> 1 // SIMI"),
    "rules list": ("rules", "list", *_HEADLINES),
    "solve the sample": (
        *("solve", *_HEADLINES, "--quiet"),
        *("--sent1", f"{_SAMPLE}/sent1.txt", "--sent2", f"{_SAMPLE}/sent2.txt"),
    ),
}
"""Commands. They find their sentences annotated, unless ``{}``, a number, makes them new."""

_WITHOUT_CACHE = {"version", "first pair of all"}


@dataclass(frozen=True, slots=True)
class Compared:
    """Seconds of the processor, the least of all rounds, and the median of their ratios."""

    name: str
    before: float
    after: float
    ratio: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark."""
    parser = make_parser("compare", __doc__)
    parser.add_argument("before", metavar="COMMIT|DIR", help="a commit, or another checkout")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--lengths", type=int, nargs="*", default=LENGTHS[::2], metavar="TOKENS")
    add_json(parser)
    options = parser.parse_args(arguments)
    try:
        with checkout(options.before) as before:
            found = list(compare(before, ROOT, options.rounds, options.lengths))
    except RuntimeError as error:
        print(f"benchmarks.compare: {error}", file=sys.stderr)
        return 1
    print(compared_table(found))
    print(describe_machine())
    write_json(options.json, [asdict(one) for one in found])
    return 0


def compared_table(found: Sequence[Compared]) -> str:
    """A Markdown table; the last column says how many bare starts of Python a thing takes."""
    bare = next((one.after for one in found if one.name == _BARE), None)
    rows = [
        [
            one.name,
            f"{1000 * one.before:.1f}",
            f"{1000 * one.after:.1f}",
            f"{one.ratio:.2f}",
            f"{one.after / bare:.1f}" if bare else "",
        ]
        for one in found
    ]
    header = ["What, ms of the processor", "Before", "After", "Ratio", f"× `{_BARE}`"]
    return markdown(header, rows, texts=1)


def compare(before: Path, after: Path, rounds: int, lengths: Sequence[int]) -> Iterator[Compared]:
    """Run everything in both checkouts, in turns.

    Raises:
        RuntimeError: a command fails.
    """
    with ExitStack() as stack:
        trees = [
            (tree, Path(stack.enter_context(TemporaryDirectory()))) for tree in (before, after)
        ]
        yield _in_turns(_BARE, [(tree, ("-c", _BARE)) for tree, _ in trees], rounds)
        for name, command in _COMMANDS.items():
            runs = []
            for tree, cache in trees:
                given = (
                    ()
                    if name in _WITHOUT_CACHE or not _knows_cache(tree, command)
                    else ("--cache", str(cache))
                )
                runs.append((tree, ("-m", "ists_asp", *command, *given)))
            for run in runs:
                # The first run annotates, and fills the cache.
                cpu_seconds(*run)
            yield _in_turns(name, runs, rounds)
        for tokens in lengths:
            yield _by_length(tokens, [tree for tree, _ in trees], max(1, rounds // 2))


def _in_turns(name: str, runs: Sequence[tuple[Path, Sequence[str]]], rounds: int) -> Compared:
    times = [
        [cpu_seconds(tree, [word.format(number) for word in words]) for tree, words in runs]
        for number in range(1, rounds + 1)
    ]
    return _compared(name, times)


def _compared(name: str, times: Sequence[Sequence[float]]) -> Compared:
    before, after = (min(each) for each in zip(*times, strict=True))
    return Compared(name, before, after, median(new / old for old, new in times))


def _by_length(tokens: int, trees: Sequence[Path], rounds: int) -> Compared:
    """Grounding and solving a pair of this length, as this checkout measures it."""
    times: list[list[float]] = []
    with TemporaryDirectory() as folder:
        file = Path(folder) / "figures.json"
        for _ in range(rounds):
            times.append([])
            for tree in trees:
                options = ("--lengths", str(tokens), "--json", str(file))
                cpu_seconds(tree, ("-m", "benchmarks.lengths", *options), ROOT)
                times[-1].append(json.loads(file.read_text("utf-8"))[0]["deciding"] / 1000)
    return _compared(f"a pair of {tokens} tokens a side", times)


def _knows_cache(tree: Path, command: Sequence[str]) -> bool:
    names = [word for word in command[:2] if word.isalpha()]
    names = names if names[:1] == ["rules"] else names[:1]
    done = _run(tree, ("-m", "ists_asp", *names, "--help"))
    return "--cache" in done.stdout


def cpu_seconds(tree: Path, arguments: Sequence[str], *also: Path) -> float:
    """What a command takes of the processor, its children included."""
    script = (
        "import json, os, subprocess, sys\n"
        "done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)\n"
        "spent = os.times()\n"
        "print(spent.children_user + spent.children_system)\n"
        "sys.exit(done.returncode)\n"
    )
    done = _run(tree, ("-c", script, sys.executable, *arguments), *also)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return float(done.stdout)


def _run(tree: Path, arguments: Sequence[str], *also: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment(tree, *also),
        capture_output=True,
        text=True,
        check=False,
    )


def environment(tree: Path, *also: Path) -> dict[str, str]:
    """The environment of a process that runs a checkout."""
    places = os.pathsep.join(map(str, (tree / "python", *also)))
    return {**os.environ, "PYTHONPATH": places, "ISTS_ASP_BENCHMARKED": str(tree)}


@contextmanager
def checkout(given: str) -> Iterator[Path]:
    """A checkout of a commit, or the folder that is one."""
    if (Path(given) / "python" / "ists_asp").is_dir():
        yield Path(given).resolve()
        return
    with TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        command = ["git", "-C", str(ROOT), "worktree", "add", "--detach", str(tree), given]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(
                f"there is no commit and no checkout {given!r}: {done.stderr.strip()}"
            )
        try:
            yield tree
        finally:
            subprocess.run([*command[:4], "remove", "--force", str(tree)], check=False)


if __name__ == "__main__":
    sys.exit(main())
