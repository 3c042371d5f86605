"""Limits, signals and exit codes of processes that may have to be killed."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
from contextlib import contextmanager, suppress
from multiprocessing import parent_process, resource_tracker
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

is_command = False
"""Whether this is the process of the command: it has no threads yet and may copy itself."""

ENDING = signal.SIGTERM, signal.SIGHUP  # signals that ask a process to end
OUT_OF_TIME = -signal.SIGPROF  # exit code of a process that met the limit of end_after
STILL = 20  # looks at which a process did not compute at all, after which it is taken for stuck
LOOK = 1.0  # seconds between two looks at a process that says nothing
_PR_SET_PDEATHSIG = 1
_LONGEST = 1e8  # seconds of a timer at most: three years


def end_after(seconds: float) -> None:
    """Kill this process after so many CPU seconds from now on; 0 lifts the limit.

    All threads count, so a busy machine takes nobody's time. This also ends code that checks
    nothing, such as clingo while it grounds.
    """
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, min(seconds, _LONGEST))


def limit_memory(size: int) -> None:
    """Limit the data of this process to so many bytes.

    Linux counts what is written to, not what is reserved, such as libraries and 64 MB for each
    thread that allocates concurrently. Other systems count all of it.
    """
    import resource

    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    resource.setrlimit(kind, (size, size))


def end_with_parent(*, watched: bool = True) -> None:
    """End this process when its parent ends, in whatever way.

    clingo checks nothing while it grounds and would go on for ever. A worker's parent, for the
    system, is a server that lives as long as its workers, so the starter is ``watched`` as well.
    """
    starter = parent_process() if watched else None
    if starter is not None:
        # clingo lets other threads work whatever it does.
        Thread(target=_end_after, args=(starter,), daemon=True).start()
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # It may have ended before it could be watched.
        if os.getppid() != parent:
            os._exit(1)


def _end_after(starter: BaseProcess) -> None:
    starter.join()
    os._exit(1)


def usage(process: int) -> tuple[float, bool]:
    """CPU seconds of a process and its descendants, and whether one is busy.

    Busy are the states R and D, as on a busy machine a process may wait long for its turn. The
    seconds fall where a descendant ends. Where the system does not tell, all are busy.
    """
    if not Path("/proc/self/task").exists():
        return 0.0, True
    seconds, busy = 0.0, False
    with suppress(OSError, IndexError, ValueError):
        # Behind the name, which may have blanks and brackets.
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        busy = fields[0] in ("R", "D")
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        for task in Path(f"/proc/{process}/task").glob("*/children"):
            for child in map(int, task.read_text().split()):
                below, working = usage(child)
                seconds, busy = seconds + below, busy or working
    return seconds, busy


def heard(process: int, connection: Connection, look: float = LOOK, still: float = STILL) -> Any:  # noqa: ANN401
    """The next message of a process, looked at every ``look`` seconds.

    EOFError or OSError: it has ended. TimeoutError: it computed nothing for ``still`` looks.
    """
    last, idle = 0.0, 0
    while not connection.poll(look):
        now, busy = usage(process)
        idle = 0 if busy or now != last else idle + 1
        last = now
        if idle >= still:
            raise TimeoutError
    return connection.recv()


@contextmanager
def deaf(*, copied: bool = False) -> Iterator[None]:
    """Block Ctrl-C and ending signals in new processes, until these can handle them."""
    if not copied:
        # Starting this process, too, would let them hear again.
        resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, *ENDING])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ending(code: int | None) -> str:
    """How a process ended, as a predicate; ``code`` is its exit code, negative for a signal."""
    if code is None:
        return "ended unexpectedly"
    if code == -signal.SIGFPE:
        return f"crashed: arithmetic overflow (signal {-code})"
    return f"crashed (signal {-code})" if code < 0 else f"ended unexpectedly (exit code {code})"


def suspects(code: int | None, files: Iterable[Path]) -> str:
    """The lines of rule files that may be why a process ended in this way, as part of a hint."""
    # A division; what shows terms of its own, counts or adds.
    pattern = r"[\w)]\s*[/\\]\s*[\w(-]"
    if code != -signal.SIGFPE:
        pattern = r"#show[^.]*:|\.\.|\w\s*[+*]"
    places = list[str]()
    for file in files:
        with suppress(OSError), file.open(encoding="utf-8", errors="replace") as stream:
            for number, line in enumerate(stream.read(1 << 20).splitlines(), 1):
                if re.search(pattern, re.sub(r"^#show .*/.*\.|%.*", "", line)):
                    places.append(f"{file}:{number}")
    return f"; look at {' and '.join(places[:3])}" if places else ""


def likely_reason(code: int | None) -> str:
    """A hint about rules with which a process ended in this way."""
    if code == -signal.SIGFPE:
        return "Look for a division of -2147483648 by -1, which the processor refuses"
    if code == -signal.SIGKILL:
        return "Something has killed it: look for what takes all memory"
    if code in (-signal.SIGSEGV, -signal.SIGBUS):
        return "Look for terms that are nested very deeply"
    return "Look for very large numbers, tables and terms"
