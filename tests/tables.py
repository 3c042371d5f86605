"""Cases that are written as text, texts made by chance, and the pairs of tables."""

import random
import re
from ast import literal_eval
from collections import defaultdict

import pytest

from ists_asp.io.pairs import find_places, table_pairs
from ists_asp.io.tables import Table
from ists_asp.io.text import Faults, ignore
from ists_asp.model import Pair


def rows(text):
    """The rows of a table in a text: its cells stand between bars, or below it and indented."""
    lines = text.strip().replace("\n    ", " | ").splitlines()
    return [tuple(map(str.strip, line.split(" | "))) for line in lines]


def cases(table, *more):
    """Run a test for each row of a table, a text or a file, and for each of more rows.

    The first row names the arguments; the cells below ``name=`` are Python literals, others texts.
    """
    names, *cells = rows(table if isinstance(table, str) else table.read_text("utf-8"))
    readers = [literal_eval if name[-1] == "=" else str for name in names]
    values = [[read(cell) for read, cell in zip(readers, row, strict=True)] for row in cells]
    return pytest.mark.parametrize([name.rstrip("=") for name in names], [*values, *more])


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
