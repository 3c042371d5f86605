"""Try generated rule files: ``python -m tests.fuzz.rule_files --profile es --count 1000``.

Each is a file of a few odd rules (:mod:`tests.fuzz.generator`) over six pairs, decided as the
workers of ``ists-asp solve`` do, together and alone. What breaks is told at once, and a table
ends it. ``--show NUMBER`` prints a file, ``--only NUMBER`` tries it and tells what becomes of
each pair.
"""

import argparse
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

from .generator import generate
from .laboratory import Laboratory
from .verdict import KINDS, findings, outcome

MARKED = 1
"""The place of the pair with the marker."""

PROFILES = ("default", "headlines", "es")


def main():
    """Try files, and say what broke."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", action="append", help=f"default: {', '.join(PROFILES)}")
    parser.add_argument("--count", type=int, default=1000, help="files a profile")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first file")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the files")
    parser.add_argument("--seconds", type=float, help="begin no file after so long")
    parser.add_argument("--keep", type=Path, help="folder for the files that break something")
    parser.add_argument("--pairs", type=int, default=6, help="of the six, so many")
    parser.add_argument("--alone", type=int, default=3, help="pairs decided by themselves as well")
    parser.add_argument("--step", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--show", type=int, metavar="NUMBER", help="print a file")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="try a file in a pool")
    given = parser.parse_args()
    profiles = given.profile or PROFILES
    if given.show is not None:
        print(*generate(profiles[0], given.show), sep="\n")
        return 0
    if given.only is not None:
        text = "\n".join(generate(profiles[0], given.only))
        run = Laboratory(profiles[0]).run(text, range(6), pool=True)
        print(outcome(run), run.refused, *run.broken, sep="\n")
        print(*(each.failure or each.answers for each in (*run.together, *run.alone)), sep="\n")
        print(*findings(run), sep="\n")
        return bool(findings(run))
    if given.jobs > 1:
        return _shared(given)
    if given.keep:
        given.keep.mkdir(parents=True, exist_ok=True)
    total = Counter()
    for profile in profiles:
        total += _tried(profile, given)
    print(*(f"{count:6} {name}" for name, count in sorted(total.items())), sep="\n")
    return any(total[kind] for kind in KINDS)


def _shared(given):
    """Every ``jobs``-th file to a process, each with a table of its own."""
    step = ["--jobs", "1", "--step", str(given.jobs)]
    parts = [
        [
            *(sys.executable, "-m", __spec__.name, *sys.argv[1:], *step),
            *("--seed", str(given.seed + part), "--count", str(given.count - part)),
        ]
        for part in range(given.jobs)
    ]
    return max(process.wait() for process in [subprocess.Popen(part) for part in parts])


def _tried(profile, given):
    laboratory = Laboratory(profile, given.pairs)
    places = [place for place in range(given.pairs) if place != MARKED]
    count = Counter()
    began = time.monotonic()
    for done, number in enumerate(range(given.seed, given.seed + given.count, given.step), 1):
        if given.seconds and time.monotonic() - began > given.seconds:
            break
        lines = generate(profile, number)
        text = "\n".join(lines)
        run = laboratory.run(text, (MARKED, *Random(number).sample(places, given.alone - 1)))
        found = findings(run)
        count[f"{profile}: files"] += 1
        count[f"{profile}: {outcome(run)}"] += 1
        count.update({kind for kind, _ in found})
        for kind, seen in found:
            print(f"{profile} {number}: {kind}: {seen[-400:]}", flush=True)
        if found and given.keep:
            told = [f"% {kind}: {line}" for kind, seen in found for line in seen.splitlines()]
            path = given.keep / f"{profile}-{number}.lp"
            path.write_text("\n".join([*told, *lines]), "utf-8", "surrogatepass")
        if done % 20 == 0:
            told = f"# {profile}: {done} files in {time.monotonic() - began:.0f} s"
            print(told, file=sys.stderr, flush=True)
    return count


if __name__ == "__main__":
    sys.exit(main())
