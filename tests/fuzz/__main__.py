"""All that strangers hand over, made hostile at random: ``python -m tests.fuzz``.

That is 900 rule files, 300 project folders with a server each and 300 without, 300 tables, 200
exchanges in HTTP, 2200 damaged inputs, 200 claims for ``fix``, and 400 files of alignments that the
task's own scripts read as well. ``folders`` and so on choose some, ``--from`` and ``--count``
which numbers. Each fault is printed as it is seen; the exit code is 1 if there was one.
"""

import argparse
import sys
from functools import partial
from time import monotonic as time

from tests.fuzz import claims, exchanges, folders, inputs, rules, tables
from tests.official import scripts

GENERATORS = {
    **{f"rules-{name}": (300, partial(rules.faults_of, profile=name)) for name in rules.PROFILES},
    "folders": (300, folders.faults_of),
    "light": (300, partial(folders.faults_of, light=True)),
    "tables": (300, tables.faults_of),
    "exchanges": (200, exchanges.faults_of),
    "inputs": (2200, inputs.faults_of),
    "claims": (200, claims.faults_of),
    "official": (400, scripts.faults_of),
}


def main():
    """Try what was asked for; 1 if something broke."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(GENERATORS)}")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the number of the first")
    parser.add_argument("--count", type=int, help="default: as many as above")
    given = parser.parse_args()
    broken = 0
    for name in given.names or GENERATORS:
        count, faults_of = GENERATORS[name]
        numbers, began, wrong = range(given.first, given.first + (given.count or count)), time(), 0
        for number, fault in faults_of(numbers):
            if fault:
                wrong += 1
                print(f"\n{name} {number}: {fault}", flush=True)
            line = (
                f"{name}: {number} of {numbers.stop}, {wrong} with faults, {time() - began:.0f} s"
            )
            print(f"\r{line}", end="", file=sys.stderr, flush=True)
        print(f"\r{line}", flush=True)
        broken += wrong
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
