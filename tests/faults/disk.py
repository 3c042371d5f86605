"""Outputs that cannot be written."""

import shutil

from .faults import Same, Silent, Told, fault
from .place import FEW, MANY, wait_for


@fault("the disk is full", Told("No space left on device"))
def _(place):
    return place.pairs().shell("$solve --tsv pairs.tsv -q -o /dev/full")


@fault("the disk is full behind standard output", Told("No space left on device"))
def _(place):
    return place.pairs().shell("$solve --tsv pairs.tsv -q > /dev/full")


_SMALL = "ulimit -f 60; $solve --tsv pairs.tsv -o out.wa -q"
"""Files of 60 kB at most."""


@fault("the disk is full in the middle, and an old output is there", Told("File too large"))
def _(place):
    place.out.write_text("old")
    ending = place.pairs(MANY).shell(_SMALL)
    assert place.out.read_text() == "old"
    place.out.unlink()
    return ending


@fault("the disk is full in the middle, then there is room", Same(MANY))
def _(place):
    assert place.pairs(MANY).shell(_SMALL).code == 1
    return place.solve("-q")


@fault("the folder of the output may not be written", Told("cannot be written"))
def _(place):
    return place.pairs().shell("$solve --tsv pairs.tsv -o /proc/out.wa")


@fault("the output is a folder", Told("this is a folder", code=2))
def _(place):
    place.out.mkdir()
    ending = place.pairs().solve()
    place.out.rmdir()
    return ending


@fault("the folder of the output is removed meanwhile", Told("cannot be written"))
def _(place):
    folder = place.folder
    pairs = place.pairs(MANY).folder / "pairs.tsv"
    place.folder = folder / "sub"
    place.folder.mkdir()
    process = place.start("-q", pairs=str(pairs))
    wait_for(lambda: any(draft.stat().st_size for draft in place.drafts))
    shutil.rmtree(place.folder)
    return place.ended(process)


@fault("nobody reads the output to its end", Silent(1))
def _(place):
    command = '$solve --tsv pairs.tsv -q | head -n 1; exit "${PIPESTATUS[0]}"'
    return place.pairs(MANY).shell(command)


@fault("standard output is closed", Told("standard output is closed", code=2))
def _(place):
    return place.pairs().shell("$solve --tsv pairs.tsv -q >&-")


@fault("standard error is closed", Same(FEW))
def _(place):
    return place.pairs().shell("$solve --tsv pairs.tsv -o out.wa 2>&-")


@fault("there is no room for a copy of standard input", Told("cannot be kept: File too large"))
def _(place):
    return place.pairs(MANY).shell("ulimit -f 1; $solve --tsv - -o out.wa < pairs.tsv")
