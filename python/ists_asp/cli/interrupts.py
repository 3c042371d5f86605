"""Ctrl-C, at whatever moment: exit code 130, at most one line, nothing half-written.

An interrupt that falls into an import, or into what Python does at its end, is printed at length
or lost: there the process ends at once, having nothing open. While a command works, the first
one is a KeyboardInterrupt, so that whatever is open is closed or kept to be resumed. More of them
would disturb just that, and are not heard until it has taken too long.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import TYPE_CHECKING, NoReturn, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

__all__ = ["INTERRUPTED", "end_at_once", "heard", "raise_once"]

INTERRUPTED = 130
"""The exit code after an interrupt, as shells have it."""

PATIENCE = 3.0
"""Seconds that closing may take."""

T = TypeVar("T")

_heard: float | None = None


def heard() -> bool:
    """Whether the command was interrupted while it worked."""
    return _heard is not None


def end_at_once() -> None:
    """From now on an interrupt ends the process there and then."""
    _listen(_end)


def raise_once() -> None:
    """From now on the first interrupt is a KeyboardInterrupt, and those shortly after it nothing.

    What code that cannot be interrupted, such as a callback of a library, makes of it is not
    printed.
    """
    _listen(_raise)
    import threading

    sys.unraisablehook = _unless_heard(sys.unraisablehook)
    threading.excepthook = _unless_heard(threading.excepthook)


def _unless_heard(hook: Callable[[T], object]) -> Callable[[T], None]:
    def told(what: T) -> None:
        if not heard():
            hook(what)

    return told


def _listen(handler: Callable[[int, FrameType | None], None]) -> None:
    # What was started with deaf ears, as by nohup, stays so.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, handler)


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    os._exit(INTERRUPTED)


def _raise(number: int, frame: FrameType | None) -> None:
    global _heard
    if _heard is None:
        _heard = time.monotonic()
        raise KeyboardInterrupt
    if time.monotonic() > _heard + PATIENCE:
        _end(number, frame)
