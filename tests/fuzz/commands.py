"""The other commands over generated rule files: ``python -m tests.fuzz.commands --count 50``.

Each file is given to one command after the other, in a child of a process that has loaded
everything; what is raised and is no message ends up on standard output.
"""

import argparse
import os
import resource
import signal
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from ists_asp.cli import main as command

from .generator import generate
from .laboratory import MINE, Laboratory
from .rule_files import PROFILES

SECONDS = 15
"""Seconds of processor time for a command."""

PAIR = ("A bomb exploded near the embassy .", "The bomb went off .")
SPANISH = ("Una bomba explotó cerca de la embajada .", "La bomba estalló .")

COMMANDS = {
    "trace": ("trace", "--json"),
    "why": ("why", "{pair}", "1: 1 2"),
    "why-not": ("why-not", "{pair}", "1 <==> 1"),
    "explain": ("explain",),
    "report": ("report", "-o", "report.html"),
    "sts": ("sts", "--format", "jsonl"),
    "facts": ("facts",),
    "chunk": ("chunk",),
    "traced": ("solve", "--format", "jsonl", "--trace", "trace.jsonl"),
    "diff": ("diff", "shipped", MINE),
    "check": ("rules", "check", MINE, "--no-sample"),
    "check by sample": ("rules", "check", MINE),
    "ablate": ("rules", "ablate"),
}


_WATCHED = (-signal.SIGXCPU, -signal.SIGFPE, -signal.SIGSEGV, -signal.SIGABRT)
"""How a child ends that the command's parent would have told of: here it has none."""


def main():
    """Run commands, and say what was raised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", default="default", choices=PROFILES)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--command", action="append", choices=COMMANDS)
    given = parser.parse_args()
    count = Counter()
    with TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        pair = SPANISH if given.profile == "es" else PAIR
        laboratory = Laboratory(given.profile)
        os.chdir(folder)
        _invoked(("solve", *pair, "--profile", given.profile))
        names = given.command or [
            name for name in COMMANDS if name not in ("ablate", "check by sample")
        ]
        for number in range(given.seed, given.seed + given.count):
            name = names[number % len(names)]
            words = COMMANDS[name]
            Path(MINE).write_text("\n".join(generate(given.profile, number)), "utf-8")
            arguments = [word for part in words for word in (pair if part == "{pair}" else (part,))]
            if "{pair}" not in words and words[0] != "rules":
                arguments += pair
            if words[0] not in ("rules", "diff"):
                arguments += ["--rules", MINE]
            arguments += ["--profile", given.profile]
            run = laboratory.in_child(lambda _run, words=arguments: _limited(words))
            broken = list(run.broken)
            # What has no end, or a crash, is for those who watch over the command.
            if run.ended not in (0, *_WATCHED) and not run.hung:
                broken.append(f"exit code {run.ended}")
            for seen in broken:
                count[name] += 1
                print(f"{given.profile} {number} {name}: {seen[-1500:]}", flush=True)
            count["runs"] += 1
    print(dict(count))
    return count.total() > count["runs"]


def _limited(words):
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, 2 * SECONDS))
    _invoked(words)


def _invoked(words):
    result = CliRunner().invoke(command, list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if "Traceback" in result.output:
        raise RuntimeError(result.output)


if __name__ == "__main__":
    sys.exit(main())
