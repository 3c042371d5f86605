"""What tests share: systems of shipped rules that know what other processes have worked out."""

import atexit
import gc
import os
import shlex
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from functools import cache
from pathlib import Path

import click

import ists_asp
from ists_asp.cli.app import main
from ists_asp.io.store import FILE, Store
from ists_asp.io.text import make_sentence
from ists_asp.model import Alignment, Label, Pair, Tag


def _commands(command, path=()):
    yield path, command
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from _commands(child, (*path, name))


COMMANDS = dict(_commands(main))
"""All commands and groups by their paths; that of the whole is empty."""


def python(*arguments, **options):
    """Run Python in a process of its own; how it ended, and what it printed, as text."""
    given = {"capture_output": True, "text": True, "timeout": 300, **options}
    return subprocess.run([sys.executable, *map(str, arguments)], **given)


def shell(line, folder):
    """Run a line of Bash, in which ``$asp`` is the command, in a folder."""
    line = line.replace("$asp", f"{shlex.quote(sys.executable)} -m ists_asp")
    given = {"capture_output": True, "text": True, "timeout": 300}
    return subprocess.run(["bash", "-c", line], cwd=folder, **given)


def load_shared(profile="default", **options):
    """Load a profile whose rules are worked out once for all workers; answers are not kept."""
    return ists_asp.load(profile, cache=shared_folder(), incremental=False, **options)


@cache
def shared_system(profile="default", **options):
    """The same, one for all tests of this process, which leave it open."""
    system = load_shared(profile, **options)
    atexit.register(system.close)
    return system


def pair_of(sentence):
    """The two sentences of an entry of a ``.wa`` file, without chunks."""
    assert all(one.number == place for side in sentence.tokens for place, one in enumerate(side, 1))
    sides = ([token.form for token in tokens] for tokens in sentence.tokens)
    return Pair(sentence.id, *map(make_sentence, sides))


def alignments(text):
    """Read lines such as ``1,2~1 SPE1_POL 4; 3~ NOALI``."""
    return tuple(map(_alignment, filter(None, text.split("; "))))


def _alignment(line):
    sides, types, *score = line.split()
    first, second = (tuple(map(int, filter(None, side.split(",")))) for side in sides.split("~"))
    label, *tags = types.split("_")
    value = float(score[0]) if score else None
    return Alignment(first, second, Label(label), value, frozenset(map(Tag, tags)))


def shared_store():
    """What has been worked out about shipped rules."""
    return Store(shared_folder())


def damage(folder):
    with closing(sqlite3.connect(folder / FILE)) as database, database:
        assert database.execute("UPDATE entries SET value = substr(value, 8)").rowcount


def shared_folder():
    """Where it is kept, by all processes of the run: where commands keep what they know."""
    # The cache of the run, which conftest.py sets.
    return Path(os.environ["XDG_CACHE_HOME"]) / "ists-asp"


def processor_seconds(work, unnoticed=0.01):
    """Return the least that three calls take, or the first that takes less than `unnoticed`.

    Only this thread is timed, and what other tests have left in memory is not collected meanwhile.
    """
    times = []
    gc.disable()
    try:
        while len(times) < 3 and (not times or times[-1] >= unnoticed):
            began = time.thread_time()
            work()
            times.append(time.thread_time() - began)
    finally:
        gc.enable()
    return min(times)
