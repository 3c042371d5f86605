"""What tests share: systems of shipped rules, commands, cases that are written as text, tables."""

import atexit
import gc
import os
import random
import re
import shlex
import sqlite3
import subprocess
import sys
import time
from ast import literal_eval
from collections import defaultdict
from contextlib import closing
from functools import cache
from pathlib import Path

import click
import pytest

import ists_asp
from ists_asp.cli.app import main
from ists_asp.io.pairs import find_places, table_pairs
from ists_asp.io.store import FILE, Store
from ists_asp.io.tables import Table
from ists_asp.io.text import Faults, ignore, make_sentence
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


def refused(error, words, call, *given, **options):
    """Call what must raise an error; its text has these words, which are a regular expression."""
    with pytest.raises(error, match=words):
        call(*given, **options)


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


def make_pair(first, second, identifier="1"):
    """A pair of the tokens that blanks separate in two texts."""
    return Pair(identifier, make_sentence(first.split()), make_sentence(second.split()))


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


def rows(text):
    """The rows of a table in a text: its cells stand between bars, or below it and indented."""
    lines = text.strip().replace("\n    ", " | ").splitlines()
    return [tuple(map(str.strip, line.split(" | "))) for line in lines]


def cases(table, *more):
    """Run a test for each row of a table, a text or a file, and for each of more rows.

    The first row names the arguments; the cells below ``name=`` are Python literals, others texts.
    Below ``name*``, the last name, stands a tuple of the cells that are left; a single name has
    whole lines.
    """
    text = table if isinstance(table, str) else table.read_text("utf-8")
    head, _, body = text.strip().partition("\n")
    names, lines = head.split(" | "), body.splitlines()
    names = [name.strip() for name in names]
    cells = rows(body) if names[1:] else [(line.strip(),) for line in lines]
    if names[-1][-1] == "*":
        last = len(names) - 1
        cells = [(*row[:last], row[last:]) for row in cells]
    readers = [literal_eval if name[-1] == "=" else lambda cell: cell for name in names]
    values = [tuple(read(cell) for read, cell in zip(readers, row, strict=True)) for row in cells]
    if not names[1:]:
        return pytest.mark.parametrize(names[0].rstrip("=*"), [*(v for (v,) in values), *more])
    return pytest.mark.parametrize([name.rstrip("=*") for name in names], [*values, *more])


class Grammar(random.Random):
    """Makes texts by chance from rows of names and forms, the same for the same seed.

    In a form ``<name>`` stands for any form of that name and ``<1..5>`` for a number; a number
    behind a name says how often the form counts.
    """

    def __init__(self, seed, forms, **more):
        super().__init__(seed)
        self._forms = defaultdict(list, {name: [*own] for name, own in more.items()})
        for name, form in rows(forms):
            name, _, often = name.partition(" ")
            self._forms[name] += [form] * int(often or 1)

    def make(self, name):
        return re.sub(r"<([\w.-]+)>", self._part, self.choice(self._forms[name]))

    def _part(self, match):
        low, dots, high = match[1].partition("..")
        return str(self.randint(int(low), int(high))) if dots else self.make(match[1])

    def edit(self, lines, name):
        """Add, replace or delete a line."""
        added, deleted = self.choice(((1, 0), (1, 1), (0, 1)))
        place = self.randint(0, len(lines) - deleted) if lines else 0
        lines[place : place + deleted] = [self.make(name)] * added


def read_table(source, kind=None, *, name=None, warn=ignore, strict=False):
    """Yield the pairs of a table; the faults of rows are raised after those of all sound ones."""
    table = Table(source, kind, name=name, warn=warn)
    faults = Faults()
    for _, found in table_pairs(table, find_places(table), warn, strict=strict):
        if isinstance(found, Pair):
            yield found
        else:
            faults.add(found)
    faults.check()
