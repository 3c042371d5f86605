"""Ctrl-C, at whatever moment: exit code 130, at most one line, nothing half-written.

While modules are imported nothing is open, and an exception there is printed at length, or lost:
the process ends at once. While a command works, the first interrupt is a KeyboardInterrupt, so
that what is open is closed. Further ones would disturb just that: they are
not heard. Libraries may catch an interrupt and go on, and closing may take long: some seconds
after the first one the process ends in any case. A signal to terminate, or that the terminal has
gone, is heard in the same way, and then ends the process as it would have.
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

INTERRUPTED = 130
"""The exit code after an interrupt, as shells have it."""

PATIENCE = 5.0
"""Seconds that closing may take."""

T = TypeVar("T")

_ENDING = (signal.SIGTERM, signal.SIGHUP)

_heard = 0
"""The signal that was heard."""


def heard() -> bool:
    """Whether the command was interrupted while it worked."""
    return bool(_heard)


def still_heard() -> None:
    """Raise an interrupt again that a library has caught, for whoever has much left to do."""
    if _heard:
        raise KeyboardInterrupt


def end(code: int) -> NoReturn:
    """End the process there and then: by the signal that was heard, or with an exit code."""
    if _heard in _ENDING:
        signal.signal(_heard, signal.SIG_DFL)
        os.kill(os.getpid(), _heard)
    os._exit(code)


def end_with(code: int) -> None:
    """From now on an interrupt ends the process there and then, with this exit code."""

    def leave(_number: int, _frame: FrameType | None) -> NoReturn:
        os._exit(code)

    _listen(leave)


def raise_once() -> None:
    """From now on the first interrupt is a KeyboardInterrupt, and others are nothing.

    What callbacks of libraries and other threads make of it is not printed.
    """
    import threading

    for number in (signal.SIGINT, *_ENDING):
        _listen(_raise, number)
    sys.unraisablehook = _unless_heard(sys.unraisablehook)
    threading.excepthook = _unless_heard(threading.excepthook)


def _listen(handler: Callable[[int, FrameType | None], None], number: int = signal.SIGINT) -> None:
    # What was started with deaf ears, as by nohup, stays so.
    if signal.getsignal(number) is not signal.SIG_IGN:
        signal.signal(number, handler)


def _raise(number: int, _frame: FrameType | None) -> None:
    import _thread

    global _heard
    if not _heard:
        _heard = number
        # Not threading: the interrupt may have come where its locks are held.
        _thread.start_new_thread(_end_later, ())
        raise KeyboardInterrupt


def _end_later() -> NoReturn:
    time.sleep(PATIENCE)
    end(INTERRUPTED)


def _unless_heard(hook: Callable[[T], object]) -> Callable[[T], None]:
    def told(what: T) -> None:
        if not _heard:
            hook(what)

    return told
