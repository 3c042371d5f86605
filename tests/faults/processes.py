"""Processes that are killed."""

import os
import signal
import time
from pathlib import Path
from random import Random

from .faults import Same, fault
from .place import MANY, wait_for


def _kill_and_repeat(place, number, options):
    """Send a signal at a random moment, then run again."""
    process = place.pairs(MANY).start("-q", *options)
    time.sleep(Random(number).uniform(0.3, 3.0))
    process.send_signal(number)
    assert "Traceback" not in place.ended(process).errors
    return place.solve("-q", *options)


for _name, _number, *_options in (
    ("kill", signal.SIGTERM),
    ("a terminal that goes away", signal.SIGHUP, "--jobs", "2"),
):
    fault(f"{_name} at a random moment, then again", Same(MANY))(
        lambda place, number=_number, options=_options: _kill_and_repeat(place, number, options)
    )


def _below(pid):
    """The processes below a process, with their command lines, children first."""
    found = []
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        line = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        found += [(int(child), line), *_below(int(child))]
    return found


def _workers(pid):
    """The workers: the children of the process that makes them."""
    (maker,) = [child for child, line in _below(pid) if "forkserver" in line][:1]
    return [child for child, _ in _below(maker)]


@fault("a worker is killed", Same(MANY))
def _(place):
    process = place.under_way("-q", "--jobs", "2")
    os.kill(_workers(process.pid)[0], signal.SIGKILL)
    return place.ended(process)


@fault("all workers are killed at once", Same(MANY))
def _(place):
    process = place.under_way("-q", "--jobs", "2")
    for worker in _workers(process.pid):
        os.kill(worker, signal.SIGKILL)
    return place.ended(process)


@fault("the process that makes workers is killed", Same(MANY))
def _(place):
    process = place.under_way("-q", "--jobs", "2")
    (maker,) = [child for child, line in _below(process.pid) if "forkserver" in line][:1]
    os.kill(maker, signal.SIGKILL)
    return place.ended(process)


@fault("the parent is killed while a worker grounds without end", Same(MANY))
def _(place):
    place.holding("1\ta bomb\ta bomb\n", "bomb.tsv")
    place.holding('deep(0) :- word(1,_,"bomb"). deep(N+1) :- deep(N).', "bomb.lp")
    process = place.start("--rules", "bomb.lp", "--timeout", "50", pairs="bomb.tsv")
    wait_for(lambda: place.drafts and _busy(process.pid))
    below = [child for child, _ in _below(process.pid)]
    process.kill()
    process.communicate()
    # Nothing of it goes on.
    wait_for(lambda: not any(_runs(child) for child in below), 60)
    return place.pairs(MANY).solve("-q")


def _busy(pid):
    """Whether a worker has computed for a while."""
    try:
        return any(_seconds(child) > 2.5 for child, _ in _below(pid))
    except (OSError, ValueError):
        return False


def _seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
