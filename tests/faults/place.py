"""What a fault is, what may become of the command, and the folder in which it is run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

SECONDS = 300.0
"""No fault may keep the command longer, on a machine that does other things as well."""

FEW = 6
MANY = 260
"""Pairs of a run that can be interrupted; after every 100 of them it notes how far it is."""

_WORDS = ("cat", "dog", "horse", "man", "woman", "child", "bird", "boat")
_ID = re.compile(r'^<sentence id="([^"]*)" status="([^"]*)">$', re.MULTILINE)
FAULTS = []
SOLVE = [sys.executable, "-m", "ists_asp", "solve", "--profile", "baseline"]


class Told(NamedTuple):
    """The command ends with one line that says what is wrong, if any, and writes no output."""

    words: str | None
    code: int = 1


class Same(NamedTuple):
    """The output has the same bytes as without the fault."""

    pairs: int


class Failed(NamedTuple):
    """These pairs have no answer and are named; all others are there."""

    ids: tuple[str, ...]
    pairs: int


class Fault(NamedTuple):
    """A fault; ``inject`` runs the command with it and returns how the last run ended."""

    name: str
    inject: Callable[[Place], subprocess.CompletedProcess]
    ends: Told | Same | Failed


@dataclass
class Place:
    """An empty folder; ``whole`` has the answers of an undisturbed run, by number of pairs."""

    folder: Path
    cache: Path
    whole: dict[int, bytes]
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def out(self):
        return self.folder / "out.wa"

    @property
    def drafts(self):
        """The drafts, which have letters drawn by lot in their names."""
        return sorted(self.folder.glob(".ists-asp-*.part"))

    def holding(self, content, name="pairs.tsv"):
        """Itself, with a file of this content."""
        (self.folder / name).write_text(content)
        return self

    def pairs(self, count=FEW, **variables):
        """Itself, with so many pairs, and these variables of the environment."""
        self.environment.update(variables)
        return self.holding(pairs(count))

    def command(self, *options, pairs="pairs.tsv"):
        return [*SOLVE, "--tsv", pairs, "-o", "out.wa", "--cache", str(self.cache), *options]

    def solve(self, *options, pairs="pairs.tsv"):
        return self.run(self.command(*options, pairs=pairs))

    def run(self, command):
        return self.ended(self.begun(command))

    def shell(self, text):
        """Run ``$solve`` in a shell."""
        self.environment["solve"] = " ".join([*SOLVE, "--cache", str(self.cache)])
        return self.run(["bash", "-c", text])

    def begun(self, command):
        none, environment = subprocess.DEVNULL, os.environ | self.environment
        streams = {"stdin": none, "stdout": none, "stderr": subprocess.PIPE, "errors": "replace"}
        return subprocess.Popen(command, cwd=self.folder, env=environment, text=True, **streams)

    def ended(self, process):
        """How a command ended, which is waited for."""
        errors = process.communicate(timeout=SECONDS)[1]
        return subprocess.CompletedProcess(process.args, process.returncode, stderr=errors)

    def under_way(self, *options):
        """A run over many pairs, of which some are on disk."""
        process = self.pairs(MANY).begun(self.command("--no-incremental", *options))
        wait_for(lambda: any(draft.stat().st_size for draft in self.drafts))
        return process

    def answers(self):
        """Id and status of each pair in the output, in order."""
        return _ID.findall(self.out.read_text("utf-8"))


def pairs(count):
    words = ((n, _WORDS[n % 8], _WORDS[n // 8 % 8]) for n in range(count))
    return "".join(f"{n}\ta {a} sits near a {b}\ta {b} stands by the {a}\n" for n, a, b in words)


def wait_for(condition, seconds=SECONDS):
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends, "nothing happened"
        time.sleep(0.01)
