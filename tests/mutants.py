"""Does the suite notice? Breaks chosen lines, one after the other, and runs the tests.

``python -m tests.mutants`` copies the checkout, changes one line of the copy as ``mutants.txt``
says (a sign, a bound, an order, a rule), and runs the tests until one fails: first those that are
named there, then the fast ones, then all. What no test notices is told, and the exit code is 1 if
those are more than two. ``--only 3,17`` tries some of them, ``--first`` runs only the tests that
are meant for it.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]

_LEFT_OUT = shutil.ignore_patterns(".venv", ".git", ".*_cache", "__pycache__")
_MISSED = 2
_LONGEST = 3600  # seconds that tests may take: a broken line may be one that ends a loop


class Mutant(NamedTuple):
    """A line to break: ``old`` stands once in ``file``; ``tests`` are run first."""

    file: str
    tests: str
    old: str
    new: str

    def broken(self, root):
        """The text of the file below ``root`` with the line broken."""
        text = (root / self.file).read_text("utf-8")
        assert text.count(self.old) == 1, f"{self.file}: {self.old!r}: {text.count(self.old)} times"
        return text.replace(self.old, self.new)


def _mutant(block):
    head, *lines = block.splitlines()
    signs = ("\n".join(line[2:] for line in lines if line[0] == sign) for sign in "-+")
    return Mutant(*head.split(" ", 1), *signs)


_TEXT = Path(__file__).with_suffix(".txt").read_text("utf-8")
MUTANTS = [_mutant(one) for one in re.split(r"^(?=[^-+\n])", _TEXT, flags=re.MULTILINE)[1:]]


def caught(mutant, folder, stages):
    """The first test that fails with a line broken in a copy in a folder; None if none."""
    root = folder / "checkout"
    shutil.copytree(ROOT, root, ignore=_LEFT_OUT)
    (folder / "shared").symlink_to(ROOT.parent / "shared")
    (root / mutant.file).write_text(mutant.broken(root), "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(root / "python")}
    for stage in stages:
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *stage]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
        with subprocess.Popen(
            command, cwd=root, env=environment, start_new_session=True, **streams
        ) as running:
            try:
                said, _ = running.communicate(timeout=_LONGEST)
            except subprocess.TimeoutExpired:
                # Its workers as well, which may be in a loop without an end.
                os.killpg(running.pid, signal.SIGKILL)
                return f"the tests did not end within {_LONGEST} s"
        if running.returncode:
            failed = [line for line in said.splitlines() if line.startswith(("FAILED", "ERROR"))]
            return next(iter(failed), f"pytest ended with {running.returncode}")
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="numbers, with commas between them")
    parser.add_argument("--first", action="store_true", help="only the tests meant for each")
    given = parser.parse_args()
    numbers = [int(number) for number in given.only.split(",") if number]
    survived = []
    for number in numbers or range(1, len(MUTANTS) + 1):
        mutant, began = MUTANTS[number - 1], time.monotonic()
        stages = [mutant.tests.split()] + ([] if given.first else [[], ["-m", ""]])
        with TemporaryDirectory() as folder:
            test = caught(mutant, Path(folder), stages)
        survived += [number] * (test is None)
        print(f"{number:2} {time.monotonic() - began:5.0f} s  {mutant}", flush=True)
        print(f"      {test or 'NOT NOTICED'}", flush=True)
    print(f"not noticed: {survived or 'none'}")
    return int(len(survived) > _MISSED)


if __name__ == "__main__":
    sys.exit(main())
