"""Faults of the cache: nothing in it is more than time."""

import shutil
import sqlite3
from contextlib import closing

from ists_asp.io.store import FILE

from .faults import Same, Told, fault
from .place import FEW


def _copy(place):
    """Give the place a cache of its own, and open it."""
    copy = place.folder / "cache"
    shutil.copytree(place.cache, copy)
    place.cache = copy
    return sqlite3.connect(copy / FILE)


def _with_values(place, value):
    """What comes of it if this is in every entry of the cache."""
    with _copy(place) as database:
        database.execute("UPDATE entries SET value = ?", (value,))
    database.close()
    return place.pairs().solve("-q")


for _name, _value in (
    ("the cache holds JSON of another shape", '[{"lemma": 1}, [2]]'),
    ("the cache holds too few words", '[["a", "X", "X"]]'),
):
    fault(_name, Same(FEW))(lambda place, value=_value: _with_values(place, value))


def _spoilt(place, spoil):
    """What comes of it if the file of the cache is spoilt."""
    _copy(place).close()
    content = bytearray((place.cache / FILE).read_bytes())
    spoil(content, len(content))
    (place.cache / FILE).write_bytes(content)
    return place.pairs().solve("-q")


def _cut(content, size):
    del content[size // 2 :]


def _overwritten(content, size):
    content[size // 3 : size // 2] = b"\xaa" * (size // 2 - size // 3)


fault("the cache is cut", Same(FEW))(lambda place: _spoilt(place, _cut))
fault("the cache is overwritten in the middle", Same(FEW))(
    lambda place: _spoilt(place, _overwritten)
)


@fault("the cache is no database", Same(FEW))
def _(place):
    _copy(place).close()
    (place.cache / FILE).write_bytes(b"no database" * 1000)
    ending = place.pairs().solve("-q")
    (damaged,) = place.cache.glob("*.damaged-*")
    assert damaged.read_bytes() == b"no database" * 1000
    assert ending.errors.count(damaged.name) == 1
    return ending


@fault("the cache is a database of another program", Told("is the file of another program"))
def _(place):
    with closing(_copy(place)) as database:
        database.execute("PRAGMA application_id = 1")
    content = (place.cache / FILE).read_bytes()
    ending = place.pairs().solve("-q")
    assert (place.cache / FILE).read_bytes() == content
    return ending


@fault("another process holds the cache", Same(FEW))
def _(place):
    database = _copy(place)
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    database.execute("BEGIN EXCLUSIVE")
    try:
        return place.pairs().solve("-q")
    finally:
        database.close()


@fault("the disk of the cache is full", Same(FEW))
def _(place):
    _copy(place).close()
    return place.pairs().shell("(ulimit -f 1; $solve --tsv pairs.tsv -q) | cat > out.wa")


@fault("the cache is a folder", Told("the cache cannot be used"))
def _(place):
    place.cache = place.folder / "cache"
    (place.cache / FILE).mkdir(parents=True)
    return place.pairs().solve()


@fault("there is no place for a cache by default", Same(FEW))
def _(place):
    place.environment = {"XDG_CACHE_HOME": "/proc/none", "HOME": "/proc/none"}
    return place.pairs().run(
        [word for word in place.command("-q") if word not in ("--cache", str(place.cache))]
    )
