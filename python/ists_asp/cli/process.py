"""The process of the command: start, interruption, end.

Ctrl-C always gives exit code 130, at most one line, and nothing half-written. During imports the
process ends at once. Later the first interrupt raises KeyboardInterrupt, which closes open files;
further ones are ignored. Libraries may swallow it and closing may take long, so a few seconds later
the process ends anyway and drops its drafts. SIGTERM and SIGHUP work the same way.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import NoReturn, TypeVar

from ists_asp import cli
from ists_asp.cli import INTERRUPTED

PATIENCE = 5.0  # seconds that closing may take

T = TypeVar("T")

_ENDING = (signal.SIGTERM, signal.SIGHUP)
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What says how many threads torch and numpy take; they read it when they are loaded."""


def run() -> NoReturn:
    """Run the command and end the process, watched over if its rules are not the shipped ones."""
    _end_with(INTERRUPTED)
    try:
        code = _run()
        _end_with(code)
    except BaseException as fault:
        # An interrupt came between two who could catch it, or the first imports failed.
        if not cli.interrupted and not isinstance(fault, OSError):
            raise
        code = INTERRUPTED if cli.interrupted else 1
        if isinstance(fault, OSError) and not cli.interrupted:
            with suppress(OSError, ValueError, AttributeError):
                from ists_asp.errors import os_message

                sys.stderr.write(f"error: {os_message(fault)}\n")
    for stream in (sys.stdout, sys.stderr):
        # Failed writes have been reported.
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    # Python's own shutdown could be interrupted, too, with a traceback.
    end(code)


def _run() -> int:
    if not any(name in os.environ for name in _THREADS):
        # Matrices are small: threads cost more than they gain, and take processors from --jobs.
        os.environ.update(dict.fromkeys(_THREADS, "1"))
    # What is closed of standard input, output and error is opened on the null device. Otherwise
    # the next file to be opened would take its number, and get what is meant for it.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free.
            os.open(os.devnull, os.O_RDWR)
    # Most of what is made until the first answer stays: to look for garbage in it takes long.
    gc.set_threshold(100_000)
    from ists_asp import processes
    from ists_asp.cli.app import main

    processes.is_command = True
    _raise_once()
    try:
        main.main(prog_name="ists-asp")
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else 0


def end(code: int) -> NoReturn:
    """End the process at once, by the signal received or, except in the main thread, by a code."""
    # Not imported here: the main thread may be importing, and hold its lock.
    if cli.interrupted and (files := sys.modules.get("ists_asp.io.files")):
        files.drop_drafts()
    if "multiprocessing.forkserver" in sys.modules:
        # The folder of its socket, which Python's own shutdown would remove.
        shutil.rmtree(sys.modules["multiprocessing.util"].get_temp_dir(), ignore_errors=True)
    if cli.interrupted in _ENDING:
        with suppress(ValueError):
            signal.signal(cli.interrupted, signal.SIG_DFL)
            os.kill(os.getpid(), cli.interrupted)
        code = 128 + cli.interrupted
    os._exit(code)


def _end_with(code: int) -> None:
    """From now on an interrupt ends the process there and then, with this exit code."""
    _listen(lambda _number, _frame: os._exit(code))


def _raise_once() -> None:
    """From now on the first interrupt is a KeyboardInterrupt; later ones do nothing."""
    import threading

    for number in (signal.SIGINT, *_ENDING):
        _listen(_raise, number)
    sys.unraisablehook = _unless_interrupted(sys.unraisablehook)
    threading.excepthook = _unless_interrupted(threading.excepthook)


def _listen(handler: Callable[[int, FrameType | None], None], number: int = signal.SIGINT) -> None:
    # A process that ignores the signal, as by nohup, goes on ignoring it.
    if signal.getsignal(number) is not signal.SIG_IGN:
        signal.signal(number, handler)


def _raise(number: int, _frame: FrameType | None) -> None:
    import _thread

    if not cli.interrupted:
        cli.interrupted = number
        # Not threading: the interrupt may have come where its locks are held.
        _thread.start_new_thread(_end_later, ())
        raise KeyboardInterrupt


def _end_later() -> NoReturn:
    time.sleep(PATIENCE)
    end(INTERRUPTED)


def _unless_interrupted(hook: Callable[[T], object]) -> Callable[[T], None]:
    def guarded(value: T) -> None:
        if not cli.interrupted:
            hook(value)

    return guarded
