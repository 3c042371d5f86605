"""What the system does for processes that may have to be killed."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import contextmanager
from multiprocessing import parent_process, resource_tracker
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["OUT_OF_TIME", "deaf", "end_after", "end_with_parent", "ending", "likely_reason"]

OUT_OF_TIME = -signal.SIGPROF
"""Exit code of a process that met the limit of :func:`end_after`."""

_PR_SET_PDEATHSIG = 1

_LONGEST = 1e8
"""Seconds of a timer at most: three years."""


def end_after(seconds: float) -> None:
    """Have this process killed when it has computed for so long from now on.

    The time of the processor counts, that of all threads: a machine that is busy with other
    things takes nobody's time. It also ends what asks nobody, such as clingo while it grounds.
    Whoever calls this again begins anew; 0 lifts the limit.
    """
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, min(seconds, _LONGEST))


def end_with_parent() -> None:
    """Have this process killed when its parent ends, however that does; on Linux only.

    clingo asks nobody while it grounds: a process that grounds without end, and whose parent
    was killed, would go on for ever.
    """
    if sys.platform == "linux":
        parent = os.getppid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        # It may have ended before it could be watched.
        starter = parent_process()
        if os.getppid() != parent or (starter is not None and not starter.is_alive()):
            os._exit(1)


@contextmanager
def deaf() -> Iterator[None]:
    """Let processes that are started meanwhile never hear Ctrl-C, which is for their parent.

    What they did with it before they are told to ignore it would be a traceback.
    """
    # Starting this process, too, would let them hear again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
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


def likely_reason(code: int | None) -> str:
    """What to look for in rules with which a process ended so, as an imperative sentence."""
    if code == -signal.SIGFPE:
        return "Look for a division of -2147483648 by -1, which the processor refuses"
    if code == -signal.SIGKILL:
        return "Something has killed it: look for what takes all memory"
    if code in (-signal.SIGSEGV, -signal.SIGBUS):
        return "Look for terms that are nested very deeply"
    return "Look for very large numbers, tables and terms"
