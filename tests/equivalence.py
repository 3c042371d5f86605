"""Run the same pairs in every way: ``python -m tests.equivalence --pairs 500``.

Pairs and options are drawn by a seed that is printed. What comes out of one run over all pairs has
to come out, byte by byte, one by one, with workers and from the server; and clingo alone, with the
program of a pair that ``facts`` writes, finds the same optimum. Runs that are killed, repeated from
the cache, after edits or on a cluster are compared in the folders faults, properties and cluster.
"""

import argparse
import hashlib
import json
import re
import shlex
import subprocess
import sys
import tempfile
from functools import cached_property
from pathlib import Path
from random import Random

from ists_asp.io.pairs import chunk_parser
from ists_asp.io.text import Repairs, parse_lines
from ists_asp.resources import data_dir
from tests.serving import serving

ISTS = [sys.executable, "-m", "ists_asp"]
PROFILES = ("default", "headlines", "images", "answers-students", "baseline")
CONSTANTS = ((), ("-c", "eagerness=20"), ("-c", "eagerness=5"))
READERS = ((), ("--reader", "none"))
ALONE = 20  # pairs that are run one by one, each in a process, and by clingo alone


class Trial:
    """Some pairs with some options, and what comes out of them in different ways."""

    def __init__(self, folder, pairs, random):
        self.folder, self.pairs = Path(folder), pairs
        self.options = ["--profile", random.choice(PROFILES)]
        self.options += [*random.choice(CONSTANTS), *random.choice(READERS)]
        self.chosen = random.sample(range(len(pairs)), min(ALONE, len(pairs)))

    def run(self, command, pairs, *arguments):
        (self.folder / "pairs.jsonl").write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs))
        given = ["--jsonl", "pairs.jsonl", *self.options, "--cache", "none", *arguments]
        whole = [*ISTS, command, *given]
        done = subprocess.run(whole, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 3), f"{whole}: {done.stderr[-1000:]}"
        return done.stdout

    def lines(self, pairs, *arguments):
        """Those of answers, each with the explanation of its pair."""
        both = (
            self.run(command, pairs, "--format", "jsonl", "-q", *arguments).splitlines()
            for command in ("solve", "explain")
        )
        return list(zip(*both, strict=True))

    @cached_property
    def explained(self):
        return self.lines(self.pairs, "--jobs", "1")

    @property
    def batch(self):
        return [answer for answer, _ in self.explained]

    def jobs(self):
        """Eight workers: the pairs whose lines differ."""
        lines = zip(self.explained, self.lines(self.pairs, "--jobs", "8"), strict=True)
        return [number for number, (one, two) in enumerate(lines) if one != two]

    def single(self):
        differ = (self.lines([self.pairs[one]]) != [self.explained[one]] for one in self.chosen)
        return [number for number, so in zip(self.chosen, differ, strict=True) if so]

    def server(self):
        """The server, of which both tell of the same fields; it takes its constants from rules."""
        if "-c" in self.options:
            return
        body = "".join(f"{json.dumps(pair)}\n" for pair in self.pairs).encode()
        with serving(self.folder / "project", *self.options) as server:
            *_, found = server.send("/api/batch", body)
            for number in self.chosen:
                theirs = server.asked("/api/explain", self.pairs[number])
                ours = json.loads(self.explained[number][1])
                if ours["text"] != theirs["text"] or ours["statements"] != theirs["statements"]:
                    yield number
        lines = zip(self.batch, found.splitlines(), strict=True)
        for number, (ours, theirs) in enumerate(map(json.loads, pair) for pair in lines):
            assert {"id", "alignments", "knowledge", "system"} <= theirs.keys(), theirs
            # The project has a word table among its rules, which is empty.
            theirs["system"]["rules"] = ours["system"]["rules"]
            if any(theirs[key] != value for key, value in ours.items() if key in theirs):
                yield number

    def clingo(self):
        """The objective that clingo alone finds for the programs of some pairs."""
        for number in self.chosen:
            program = self.folder / "one.lp"
            self.run("facts", [self.pairs[number]], "--bundle", "-o", str(program))
            (line,) = re.findall(r"^% clingo (.*)$", program.read_text(), re.MULTILINE)
            arguments = [*shlex.split(line)[:-1], str(program)]
            clingo = [sys.executable, "-m", "clingo", "--outf=2", *arguments]
            told = subprocess.run(clingo, capture_output=True, text=True, check=False).stdout
            found = json.loads(told)
            assert found["Result"] in ("OPTIMUM FOUND", "SATISFIABLE"), told[-500:]
            best = [one for one in found["Call"][-1]["Witnesses"] if "Value" in one][-1]
            if best.get("Costs", []) != json.loads(self.batch[number])["cost"]:
                yield number


def sampled(count, random):
    """Pairs of all samples: sentences of one with each other, so that there are as many."""
    found = []
    for folder in sorted(data_dir().glob("samples/*")):
        if folder.name != "spanish" and (folder / "sent1.chunk.txt").is_file():
            parse, files = chunk_parser(Repairs()), (folder / f"sent{n}.chunk.txt" for n in "12")
            sides = [list(parse_lines(file, parse)) for file in files]
            texts = [[sentence.text for sentence in side] for side in sides]
            found += list(zip(*texts, strict=True))
            found += [tuple(random.sample(texts[0], 2)) for _ in range(count)]
    random.shuffle(found)
    return [
        {"id": str(number), "sent1": one, "sent2": two}
        for number, (one, two) in enumerate(found[:count], 1)
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5, help="the pairs in so many parts")
    parser.add_argument("--seed", type=int, default=Random().randrange(10**6))
    given = parser.parse_args()
    print(f"--seed {given.seed}", flush=True)
    wrong = 0
    for number in range(given.rounds):
        random = Random(f"{given.seed} {number}")
        pairs = sampled(given.pairs // given.rounds, random)
        with tempfile.TemporaryDirectory() as folder:
            trial = Trial(folder, pairs, random)
            digest = hashlib.sha256("\n".join(trial.batch).encode()).hexdigest()[:12]
            print(f"{len(pairs)} pairs, {' '.join(trial.options)}: {digest}", flush=True)
            for way in (trial.single, trial.jobs, trial.server, trial.clingo):
                differ = [pairs[one]["id"] for one in way() or ()]
                print(f"  {way.__name__}: differ {', '.join(differ) or 'none'}", flush=True)
                wrong += bool(differ)
    print(f"{given.pairs} pairs, {wrong} ways differ")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
