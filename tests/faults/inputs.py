"""Faults of the input."""

import os
import threading

from .faults import Failed, Same, Told, fault
from .place import FEW, SOLVE, pairs

_LINES = pairs(FEW).splitlines(keepends=True)
_LINE = '{"sent1": "a cat", "sent2": "a dog"}\n'
_JSONL = [*SOLVE, "--jsonl", "pairs.jsonl", "-o", "out.wa"]

for _name, _ends, _content in (
    (
        "a TSV file is cut in the middle of a line",
        Told("pairs.tsv:3: 2 cells"),
        pairs(3).rpartition("\t")[0],
    ),
    (
        "a line of a TSV file is there twice",
        Told("the id '1' again, first at pairs.tsv:2"),
        "".join([*_LINES[:3], _LINES[1]]),
    ),
    ("the input is UTF-16", Same(FEW), pairs(FEW).encode("utf-16")),
    (
        "the input is a program",
        Told("pairs.tsv:1: this is no UTF-8"),
        b"\x7fELF\x02\x01\x01" + bytes(1000) + b"\xff\xfe\xfd",
    ),
    ("the input has no line ends", Told("a line of more than 1 MB"), b"a " * (9 << 20)),
    ("the input is empty", Told("the input is empty"), ""),
    (
        "a sentence has a hundred thousand words",
        Failed(("1",), FEW, "100000 tokens"),
        "".join([_LINES[0], f"1\t{'a ' * 100_000}\ta dog\n", *_LINES[2:]]),
    ),
):
    fault(_name, _ends)(lambda place, content=_content: place.holding(content).solve())

for _name, _ends, _content in (
    ("a JSON object is cut", Told("pairs.jsonl:2: no valid JSON"), _LINE + _LINE[:20]),
    (
        "JSON is nested a hundred thousand times",
        Told("pairs.jsonl:1: no valid JSON"),
        "[" * 100_000,
    ),
):
    fault(_name, _ends)(
        lambda place, content=_content: place.holding(content, "pairs.jsonl").run(_JSONL)
    )


@fault("the lines of the input are shuffled", Same(FEW))
def _(place):
    ending = place.holding("".join(reversed(_LINES))).solve("-q")
    # The answers are those of the ids, in the order of the input.
    text = place.out.read_text()
    parts = [f"{part}\n\n\n" for part in text.split("\n\n\n") if part]
    place.out.write_text("".join(reversed(parts)))
    return ending


@fault("the second file has lost its last lines", Told("3 sentences against 2 in b.txt"))
def _(place):
    place.holding("a cat\na dog\na man\n", "a.txt").holding("a cat\na dog\n", "b.txt")
    return place.run([*SOLVE, "--sent1", "a.txt", "--sent2", "b.txt", "-o", "out.wa"])


@fault("the input has no end", Told("/dev/zero: this is a device"))
def _(place):
    return place.solve(pairs="/dev/zero")


@fault("the input is a folder", Told("cannot be read: Is a directory"))
def _(place):
    (place.folder / "pairs.tsv").mkdir()
    return place.solve()


@fault("the input is a link to itself", Told("cannot be read: Too many levels of symbolic links"))
def _(place):
    (place.folder / "pairs.tsv").symlink_to("pairs.tsv")
    return place.solve()


def _piped(place, name):
    """What comes of it if the input is a pipe that the command knows by this name."""
    pipe = place.folder / "pairs.tsv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(pairs(FEW)))
    writer.start()
    ending = place.solve("-q", pairs=name)
    writer.join()
    return ending


fault("the input can be read only once", Same(FEW))(lambda place: _piped(place, "pairs.tsv"))
fault("the input can be read only once, and has a longer name than it needs", Same(FEW))(
    lambda place: _piped(place, "./pairs.tsv")
)


@fault("standard input is closed", Told("standard input is closed", code=2))
def _(place):
    return place.shell("$solve --tsv - -o out.wa <&-")


@fault("bytes are not UTF-8", Told("pairs.tsv:3: this is no UTF-8 (byte 0xFF)"))
def _(place):
    place.holding(pairs(2).encode() + b"bad\t\xff\xfe a\ta \x81\n")
    return place.solve("-q")


@fault("characters are beyond all reason", Same(FEW))
def _(place):
    odd = "\u202e\u2066x\u0300\u0301\ufeff \U0001f469\u200d\U0001f4bb \x01\x85\u2028 \u0130"
    line = f'odd\t{odd} ﷽\t// <==> \\ " {odd}\n'.encode()
    place.holding(pairs(FEW).encode() + line)
    ending = place.solve("-q")
    text = place.out.read_bytes()
    end = text.index(b'<sentence id="odd"')
    assert text.count(b"</sentence>") == FEW + 1
    place.out.write_bytes(text[:end])
    return ending


@fault("the input grows while it is read", Told("the input has changed while it was read"))
def _(place):
    process = place.under_way()
    with (place.folder / "pairs.tsv").open("a") as stream:
        stream.write("more\ta cat\ta dog\n")
    return place.ended(process)
