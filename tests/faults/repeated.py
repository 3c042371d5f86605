"""Runs that are repeated: what a run before has left costs nothing but time."""

from signal import SIGCONT, SIGSTOP

from .faults import Same, fault
from .place import MANY


@fault("somebody else's file has the name of a journal", Same(MANY))
def _(place):
    place.pairs(MANY).journal.write_text("[]\n")
    ending = place.solve("-q")
    assert (ending.errors, place.journal.read_text()) == ("", "[]\n")
    return ending


@fault("two runs write the same output", Same(MANY))
def _(place):
    process = place.under_way("-q")
    # Halted, or it may be done before the other begins.
    process.send_signal(SIGSTOP)
    ending = place.solve("-q")
    assert ending.code == 0
    assert len(place.drafts) == 1, "that of a run that lives"
    process.send_signal(SIGCONT)
    return place.ended(process)


@fault("the run is killed between the moments when its outputs appear", Same(MANY))
def _(place):
    process = place.under_way("-q", "--trace", "out.jsonl")
    process.kill()
    process.communicate()
    place.drafts[0].rename(place.out)
    return place.solve("-q", "--trace", "out.jsonl")
