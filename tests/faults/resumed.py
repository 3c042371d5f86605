"""Runs that go on where another one was interrupted."""

from __future__ import annotations

from signal import SIGCONT, SIGSTOP

from .faults import Same, Told, fault
from .place import MANY, Ending, Place


@fault("the journal is damaged", Told(".ists-asp-out.wa.journal:2: this is no line of a journal"))
def _(place: Place) -> Ending:
    place.interrupted()
    content = place.journal.read_bytes().split(b"\n")
    place.journal.write_bytes(b"\n".join([content[0], b"\xff{", *content[2:]]))
    return place.solve("--resume")


@fault("a file has the name of the journal", Told("this file is no journal", code=2))
def _(place: Place) -> Ending:
    place.pairs().journal.write_text("[]\n")
    resumed = place.solve("--resume")
    ending = place.solve()
    assert place.journal.read_text() == "[]\n"
    assert (resumed.code, resumed.errors) == (ending.code, ending.errors)
    return ending


@fault("the name of the journal is a link to a file", Told("this file is no journal", code=2))
def _(place: Place) -> Ending:
    place.pairs().journal.symlink_to(place.write("mine.txt", ""))
    return place.solve()


@fault("the journal is damaged, and the run begins anew", Same(MANY))
def _(place: Place) -> Ending:
    place.interrupted()
    lines = place.journal.read_bytes().split(b"\n")
    place.journal.write_bytes(b"\n".join([lines[0], b"\xff", *lines[2:]]))
    return place.solve("-q")


@fault("the journal is cut in its last line, twice", Same(MANY))
def _(place: Place) -> Ending:
    for _ in range(2):
        place.interrupted("--resume")
        place.journal.write_bytes(place.journal.read_bytes()[:-9])
    return place.solve("-q", "--resume")


@fault("the draft is cut", Told("it does not hold what the journal says"))
def _(place: Place) -> Ending:
    place.interrupted().draft.write_bytes(place.draft.read_bytes()[:1000])
    return place.solve("--resume")


@fault("a byte of the draft is another", Told("it does not hold what the journal says"))
def _(place: Place) -> Ending:
    content = bytearray(place.interrupted().draft.read_bytes())
    content[500] ^= 1
    place.draft.write_bytes(content)
    return place.solve("--resume")


@fault("the draft is gone", Told("it is gone"))
def _(place: Place) -> Ending:
    place.interrupted().draft.unlink()
    return place.solve("--resume")


@fault("the draft has more than the journal says", Same(MANY))
def _(place: Place) -> Ending:
    with place.interrupted().draft.open("ab") as stream:
        stream.write(b'<sentence id="half')
    return place.solve("-q", "--resume")


@fault("the input is another than before", Told("had other inputs, rules or options", code=2))
def _(place: Place) -> Ending:
    place.interrupted()
    lines = (place.folder / "pairs.tsv").read_text().splitlines(keepends=True)
    place.write("pairs.tsv", "".join(reversed(lines)))
    return place.solve("--resume")


@fault("the rules are others than before", Told("had other inputs, rules or options", code=2))
def _(place: Place) -> Ending:
    place.write("mine.lp", "mine(1).")
    place.interrupted("--rules", "mine.lp")
    place.write("mine.lp", "mine(2).")
    return place.solve("--rules", "mine.lp", "--resume")


@fault("two runs write the same output", Told("another run is writing this output", code=2))
def _(place: Place) -> Ending:
    process = place.under_way("-q")
    # Halted, or it may be done before the other begins.
    process.send_signal(SIGSTOP)
    ending = place.solve("--resume")
    process.send_signal(SIGCONT)
    process.communicate()
    assert place.out.read_bytes() == place.whole[MANY]
    place.out.unlink()
    return ending


@fault("the run is killed between the moments when its outputs appear", Same(MANY))
def _(place: Place) -> Ending:
    place.interrupted("--trace", "out.jsonl")
    # As if both were complete, and the first in its place.
    place.draft.rename(place.out)
    return place.solve("-q", "--resume", "--trace", "out.jsonl")
