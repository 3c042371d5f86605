"""Pairs of tables, for tests that need no more of them."""

from ists_asp.io.pairs import find_places, table_pairs
from ists_asp.io.tables import Table
from ists_asp.io.text import Faults, ignore
from ists_asp.model import Pair


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
