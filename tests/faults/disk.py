"""Outputs that cannot be written."""

import shutil

from .faults import Same, Silent, Told, fault
from .place import FEW, MANY, wait_for

_FULL = Told("No space left on device")
_SMALL = "ulimit -f 60; $solve --tsv pairs.tsv -o out.wa -q"
"""Files of 60 kB at most."""

for _name, _ends, _count, _text in (
    ("the disk is full", _FULL, FEW, "$solve --tsv pairs.tsv -q -o /dev/full"),
    (
        "the disk is full behind standard output",
        _FULL,
        FEW,
        "$solve --tsv pairs.tsv -q > /dev/full",
    ),
    (
        "the folder of the output may not be written",
        Told("cannot be written"),
        FEW,
        "$solve --tsv pairs.tsv -o /proc/out.wa",
    ),
    (
        "nobody reads the output to its end",
        Silent(1),
        MANY,
        '$solve --tsv pairs.tsv -q | head -n 1; exit "${PIPESTATUS[0]}"',
    ),
    (
        "standard output is closed",
        Told("standard output is closed", code=2),
        FEW,
        "$solve --tsv pairs.tsv -q >&-",
    ),
    ("standard error is closed", Same(FEW), FEW, "$solve --tsv pairs.tsv -o out.wa 2>&-"),
    (
        "there is no room for a copy of standard input",
        Told("cannot be kept: File too large"),
        MANY,
        "ulimit -f 1; for _ in {1..200}; do cat pairs.tsv; done | $solve --tsv - -o out.wa",
    ),
):
    fault(_name, _ends)(lambda place, count=_count, text=_text: place.pairs(count).shell(text))


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
