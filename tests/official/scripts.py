"""The task's own scripts, which lie beside the checkout, and what they say of a case."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MISSING", "Figures", "Verdict", "check", "measure"]

FOLDER = Path(__file__).parents[3] / "shared" / "official"
PERL = shutil.which("perl")
MISSING = (
    "perl is not installed"
    if PERL is None
    else f"the task's scripts are not in {FOLDER}"
    if not (FOLDER / "wellformed.pl").is_file()
    else ""
)
"""Why the scripts cannot be run; empty if they can."""

MESSAGES = (
    *("Can't find id", "wrong alignment", "wrong score", "wrong token", "wrong type"),
    *("wrong number of types", "there needs to be exactly one main type"),
)
_FIGURE = re.compile(r"^ F1 (\S+) +(\S+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a file is well formed, and what was found wrong with it."""

    correct: bool
    messages: frozenset[str]


@dataclass(frozen=True, slots=True)
class Figures:
    """What a scorer printed, by name, and whether it died."""

    printed: dict[str, str]
    died: str


def check(file):
    ended = _run("wellformed.pl", file)
    messages = {
        message
        for line in ended.stderr.splitlines()
        for message in MESSAGES
        if line.startswith(f"{message} (")
    }
    return Verdict(ended.returncode == 0, frozenset(messages))


def measure(scheme, gold, system):
    ended = _run(f"evalF1-{scheme}.pl", gold, system)
    last = (ended.stderr.strip().splitlines() or [""])[-1]
    return Figures(dict(_FIGURE.findall(ended.stdout)), last if ended.returncode else "")


def _run(script, *files):
    assert PERL is not None
    return subprocess.run(
        [PERL, FOLDER / script, *files],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        # The order in which a scorer adds up is random otherwise.
        env={**os.environ, "PERL_HASH_SEED": "0"},
    )
