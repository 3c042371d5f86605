"""Compare many perturbed files: ``python -m tests.official``."""

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from . import scripts
from .kinds import KINDS, SAMPLES, make
from .scripts import Ended, compare

TRAIN = SAMPLES.parents[2] / "shared" / "data"


def main():
    """Print a line for each kind, and whatever differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.official", description=__doc__)
    parser.add_argument("--each", type=int, default=6, help="cases of each kind [6]")
    parser.add_argument("--whole", type=int, default=2, help="of these on whole train sets [2]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="kinds whose names contain this")
    given = parser.parse_args()
    if scripts.MISSING:
        print(f"error: {scripts.MISSING}", file=sys.stderr)
        return 1
    sets = sorted([*TRAIN.glob("ists-2016-train/*/gold.wa"), *TRAIN.glob("ists-2015-train/*.wa")])
    total = Counter()
    cases = failures = 0
    for kind in KINDS:
        if given.only not in kind.name:
            continue
        found = Counter()
        for number in range(given.each + given.whole * (kind.whole and bool(sets))):
            random = Random(f"{given.seed} {kind.name} {number}")
            base = random.choice(sets) if number >= given.each else None
            case = make(kind, number, random, base)
            cases += 1
            with tempfile.TemporaryDirectory() as folder:
                for result in compare(case, Path(folder)):
                    what = result.what.split()[0]
                    found[what, result.ended] += 1
                    stricter = result.ended is Ended.STRICTER and what == "figures"
                    wrong = result.ended in (Ended.LENIENT, Ended.DIFFERENT)
                    if wrong or (stricter and not kind.stricter):
                        failures += 1
                        print(f"{case}: {result.what}: {result.ended}: {result.said}")
        total += found
        print(f"{kind.name}: {_row(found)}", flush=True)
    print(f"{cases} cases: {_row(total)}; not as they should be: {failures}")
    return 1 if failures else 0


def _row(found):
    return "; ".join(
        f"{what} "
        + ", ".join(f"{found[what, ended]} {ended}" for ended in Ended if found[what, ended])
        for what in ("check", "figures")
    )


if __name__ == "__main__":
    sys.exit(main())
