"""Outputs that cannot be written."""

from __future__ import annotations

import shutil

from .faults import Same, Told, fault
from .place import FEW, MANY, Ending, Place, wait_for


@fault("the disk is full", Told("No space left on device"))
def _(place: Place) -> Ending:
    return place.pairs().shell("$solve --tsv pairs.tsv -q -o /dev/full")


@fault("the disk is full behind standard output", Told("No space left on device"))
def _(place: Place) -> Ending:
    return place.pairs().shell("$solve --tsv pairs.tsv -q > /dev/full")


_SMALL = "ulimit -f 60; $solve --tsv pairs.tsv -o out.wa -q"
"""Files of 60 kB at most."""


@fault("the disk is full in the middle, and an old output is there", Told("File too large"))
def _(place: Place) -> Ending:
    place.out.write_text("old")
    return place.pairs(MANY).shell(_SMALL)


@fault("the disk is full in the middle, then there is room", Same(MANY))
def _(place: Place) -> Ending:
    assert place.pairs(MANY).shell(_SMALL).code == 1
    return place.solve("-q", "--resume")


@fault("the folder of the output may not be written", Told("cannot be written"))
def _(place: Place) -> Ending:
    return place.pairs().shell("$solve --tsv pairs.tsv -o /proc/out.wa")


@fault("the output is a folder", Told("this is a folder", code=2))
def _(place: Place) -> Ending:
    place.out.mkdir()
    return place.pairs().solve()


@fault("the folder of the output is removed meanwhile", Told("cannot be written"))
def _(place: Place) -> Ending:
    folder = place.folder
    pairs = place.pairs(MANY).folder / "pairs.tsv"
    place.folder = folder / "sub"
    place.folder.mkdir()
    process = place.start("-q", pairs=str(pairs))
    wait_for(lambda: place.journal.exists() and b"drafts" in place.journal.read_bytes())
    shutil.rmtree(place.folder)
    errors = process.communicate()[1]
    return Ending(process.returncode, "", errors, 0.0)


@fault("nobody reads the output to its end", Told("", code=1))
def _(place: Place) -> Ending:
    ending = place.pairs(MANY).shell(
        '$solve --tsv pairs.tsv -q | head -n 1; exit "${PIPESTATUS[0]}"'
    )
    assert (ending.code, ending.errors) == (1, "")
    return Ending(1, "", "error: ", ending.seconds)


@fault("standard output is closed", Told("standard output is closed", code=2))
def _(place: Place) -> Ending:
    return place.pairs().shell("$solve --tsv pairs.tsv -q >&-")


@fault("standard error is closed", Same(FEW))
def _(place: Place) -> Ending:
    return place.pairs().shell("$solve --tsv pairs.tsv -o out.wa 2>&-")


@fault("there is no room for a copy of standard input", Told("cannot be kept: File too large"))
def _(place: Place) -> Ending:
    return place.pairs(MANY).shell("ulimit -f 1; $solve --tsv - -o out.wa < pairs.tsv")
