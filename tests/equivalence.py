"""Run the same pairs in every way: ``python -m tests.equivalence --pairs 500``.

Pairs and options are drawn by a seed that is printed. What comes out of one run over all pairs has
to come out, byte by byte, one by one, with workers, after the run was killed, from the cache,
after an edit and its undoing, on a cluster and from the server; and clingo alone, with the
program of a pair that ``facts`` writes, finds the same optimum.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from functools import cached_property
from pathlib import Path
from random import Random

from ists_asp.io.pairs import read_chunks
from ists_asp.resources import data_dir
from tests.serving import serving

ISTS = [sys.executable, "-m", "ists_asp"]

PROFILES = ("default", "headlines", "images", "answers-students", "baseline")
CONSTANTS = ("eagerness=20", "eagerness=5", "")
READERS = ("none", "")

EDIT = "truck = lorry\nsold <> bought\n"  # made and undone between two runs
ALONE = 20  # pairs that are run one by one, each in a process, and by clingo alone


class Trial:
    """Some pairs with some options, and what comes out of them in different ways."""

    def __init__(self, folder, pairs, random):
        self.folder = Path(folder)
        self.pairs = pairs
        self.random = random
        self.input = self.folder / "pairs.jsonl"
        self.input.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs))
        self.options = ["--profile", random.choice(PROFILES)]
        if constant := random.choice(CONSTANTS):
            self.options += ["-c", constant]
        if reader := random.choice(READERS):
            self.options += ["--reader", reader]

    def run(self, *arguments, cache="none"):
        """The bytes that a run writes."""
        self.done(self.command(*arguments, cache=cache))
        return (self.folder / "out.jsonl").read_bytes()

    def command(self, *arguments, cache="none", name="out.jsonl"):
        given = [*self.options, "--cache", str(cache), "--format", "jsonl", "--quiet"]
        return [*ISTS, "solve", "--jsonl", str(self.input), *given, "-o", name, *arguments]

    def done(self, command):
        found = subprocess.run(
            command, cwd=self.folder, capture_output=True, text=True, check=False
        )
        assert found.returncode in (0, 3), f"{command}: {found.stderr[-1000:]}"
        return found.stdout

    @cached_property
    def batch(self):
        """All pairs in one run, without a cache."""
        return self.run("--jobs", "1")

    def jobs(self):
        """Two workers."""
        return self.run("--jobs", "2")

    def killed(self):
        """A run that is killed on its way, and run again."""
        command = self.command("--jobs", "2", cache=self.folder / "killed")
        how = {"cwd": self.folder, "stderr": subprocess.DEVNULL, "start_new_session": True}
        with subprocess.Popen(command, **how) as process:
            time.sleep(self.random.uniform(3, 15))
            os.killpg(process.pid, signal.SIGKILL)
        return self.run(cache=self.folder / "killed")

    def cached(self):
        """A second run, which finds all answers in the cache."""
        self.run(cache=self.folder / "cache")
        return self.run(cache=self.folder / "cache")

    def incremental(self):
        """A run with an edit, and one without it, which decides anew what the edit touched."""
        (self.folder / "edit.tsv").write_text(EDIT)
        self.run("--rules", "edit.tsv", cache=self.folder / "cache")
        return self.run(cache=self.folder / "cache")

    def dask(self):
        """Two workers of a cluster, part by part."""
        size = str(max(1, len(self.pairs) // 5))
        parts = ["--engine", "dask", "--jobs", "2", "--partition", size]
        self.done(self.command(*parts, name="parts"))
        return b"".join(path.read_bytes() for path in sorted((self.folder / "parts").glob("part*")))

    def alone(self, number):
        """Options for one pair in a file."""
        one = self.folder / "one.jsonl"
        one.write_text(json.dumps(self.pairs[number]))
        return ["--jsonl", str(one), *self.options, "--cache", "none"]

    def single(self):
        """Some pairs one by one; the others as they came together."""
        lines = self.batch.splitlines(keepends=True)
        for number in self.chosen:
            solve = [*ISTS, "solve", *self.alone(number), "--format", "jsonl", "--quiet"]
            lines[number] = self.done(solve).encode()
        return b"".join(lines)

    def server(self):
        """The lines of the batch of which the server tells otherwise what both tell of."""
        with serving(self.folder / "project", *self.options) as server:
            *_, found = server.send("/api/batch", self.input.read_bytes())
        lines = zip(self.batch.splitlines(), found.splitlines(), strict=True)
        for ours, theirs in (map(json.loads, pair) for pair in lines):
            assert {"id", "alignments", "knowledge", "system"} <= theirs.keys(), theirs
            # The project has a word table among its rules, which is empty.
            theirs["system"]["rules"] = ours["system"]["rules"]
            if any(theirs[key] != value for key, value in ours.items() if key in theirs):
                yield json.dumps(theirs).encode()

    @cached_property
    def chosen(self):
        return self.random.sample(range(len(self.pairs)), min(ALONE, len(self.pairs)))

    def clingo(self):
        """The objective that clingo alone finds for the programs of some pairs, and ours."""
        lines = self.batch.splitlines()
        for number in self.chosen:
            program = self.folder / "one.lp"
            self.done([*ISTS, "facts", "--bundle", *self.alone(number), "-o", str(program)])
            (line,) = re.findall(r"^% clingo (.*)$", program.read_text(), re.MULTILINE)
            arguments = [*shlex.split(line)[:-1], str(program)]
            clingo = [sys.executable, "-m", "clingo", "--outf=2", *arguments]
            told = subprocess.run(clingo, capture_output=True, text=True, check=False).stdout
            found = json.loads(told)
            best = [one for one in found["Call"][-1]["Witnesses"] if "Value" in one][-1]
            assert found["Result"] in ("OPTIMUM FOUND", "SATISFIABLE"), told[-500:]
            ours = json.loads(lines[number])["cost"]
            assert best.get("Costs", []) == ours, f"pair {number}: {best.get('Costs')}, {ours}"

    def ways(self):
        """Each way, and whether its bytes are those of the batch."""
        wanted = self.batch
        for name in ("single", "jobs", "killed", "cached", "incremental", "dask"):
            began = time.monotonic()
            found = getattr(self, name)()
            yield name, found == wanted, time.monotonic() - began
            if found != wanted:
                (self.folder / f"{name}.differs").write_bytes(found)
        # A workbench takes its constants from rules.
        if "-c" not in self.options:
            began = time.monotonic()
            found = b"\n".join(self.server())
            (self.folder / "server.differs").write_bytes(found)
            yield "server", not found, time.monotonic() - began
        self.clingo()
        yield "clingo", True, 0.0


def sampled(count, random):
    """Pairs of all samples: sentences of one with each other, so that there are as many."""
    found = []
    for folder in sorted(data_dir().glob("samples/*")):
        if folder.name != "spanish" and (folder / "sent1.chunk.txt").is_file():
            sides = [list(read_chunks(folder / f"sent{side}.chunk.txt")) for side in "12"]
            texts = [[sentence.text for sentence in side] for side in sides]
            found += list(zip(*texts, strict=True))
            found += [tuple(random.sample(texts[0], 2)) for _ in range(count)]
    random.shuffle(found)
    return [
        {"id": str(number), "sent1": one, "sent2": two}
        for number, (one, two) in enumerate(found[:count], 1)
    ]


def main():
    """Run pairs in every way, and say which differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5, help="the pairs in so many parts")
    parser.add_argument("--seed", type=int, default=Random().randrange(10**6))
    parser.add_argument("--keep", type=Path, help="folder that stays, with what differs")
    given = parser.parse_args()
    print(f"--seed {given.seed}", flush=True)
    wrong = 0
    for number in range(given.rounds):
        random = Random(f"{given.seed} {number}")
        pairs = sampled(given.pairs // given.rounds, random)
        with tempfile.TemporaryDirectory() as made:
            folder = given.keep / str(number) if given.keep else Path(made)
            folder.mkdir(parents=True, exist_ok=True)
            trial = Trial(folder, pairs, random)
            digest = hashlib.sha256(trial.batch).hexdigest()[:12]
            print(f"{len(pairs)} pairs, {' '.join(trial.options)}: {digest}", flush=True)
            for name, same, seconds in trial.ways():
                verdict = "the same" if same else "DIFFERS"
                print(f"  {name}: {verdict} ({seconds:.0f} s)", flush=True)
                wrong += not same
    print(f"{given.pairs} pairs, {wrong} ways differ")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
