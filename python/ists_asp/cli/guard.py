"""Rules that somebody wrote, loaded in a process that can be killed.

clingo cannot be interrupted while it parses or grounds, and crashes on some texts. A command that
loads such rules in its own process goes on in a child; the parent only watches it.
(``ists-asp solve`` has workers for that, see :mod:`ists_asp.run`.)
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import click

from ists_asp.errors import RuleError
from ists_asp.processes import end_with_parent, ending

__all__ = ["SECONDS", "active", "alive", "isolate"]

SECONDS = 120.0
"""Seconds that may pass until the rules are loaded, and from one pair to the next."""

MEMORY = 8192
"""Megabytes that the child may take, or three quarters of the machine's, if that is less."""

_LOOK = 0.2
_PATIENCE = 3.0
"""Seconds that the child has to end after Ctrl-C."""

_INTERRUPTED = 130
_HINT = (
    "Look for terms that are nested very deeply, tables that are very large, and rules without "
    "an end, such as p(X+1) :- p(X)"
)

active = False
"""Whether this is the command itself; whoever calls it from Python watches over it alone."""

_pipe: int | None = None


def isolate(seconds: float = SECONDS) -> None:
    """Return in a child process; the parent ends as the child does.

    Args:
        seconds: how long the child may be silent, see :func:`alive`.

    Raises:
        RuleError: in the parent, the child had to be killed, or crashed.
        click.exceptions.Exit: in the parent, the child has ended.
    """
    global _pipe
    if not active or _pipe is not None:
        return
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        end_with_parent()
        os.close(reading)
        _pipe = writing
        return
    os.close(writing)
    try:
        _watch(child, reading, seconds)
    finally:
        os.close(reading)


def alive() -> None:
    """Say that something is done: in a child, the time begins anew."""
    if _pipe is not None:
        with suppress(OSError):
            os.write(_pipe, b".")


def _watch(child: int, pipe: int, seconds: float) -> NoReturn:
    limit = _memory_limit()
    ends = time.monotonic() + seconds
    interrupted = False
    while True:
        try:
            ready = select.select([pipe], [], [], _LOOK)[0]
            if ready and not os.read(pipe, 4096):
                break
            if ready and not interrupted:
                ends = time.monotonic() + seconds
            if time.monotonic() > ends:
                _kill(child)
                if interrupted:
                    raise click.exceptions.Exit(_INTERRUPTED)
                raise RuleError(f"the rules take more than {seconds:g} s", hint=_HINT)
            if _resident(child) > limit:
                _kill(child)
                raise RuleError(f"the rules take more than {limit >> 20} MB", hint=_HINT)
        except KeyboardInterrupt:
            interrupted, ends = True, time.monotonic() + _PATIENCE
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if interrupted:
        raise click.exceptions.Exit(_INTERRUPTED)
    if code < 0:
        raise RuleError(f"with these rules the command {ending(code)}", hint=_HINT)
    raise click.exceptions.Exit(code)


def _kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def _memory_limit() -> int:
    """Bytes that the child may take."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(MEMORY << 20, whole // 4 * 3)


def _resident(child: int) -> int:
    """Bytes of memory that a process takes; 0 where the system does not say."""
    try:
        pages = Path(f"/proc/{child}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
