"""``python -m ists_asp`` and ``ists-asp``: the process, how it begins and how it ends."""

# Before anything else is imported: whoever presses Ctrl-C in that moment wants no traceback.
import os
import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(130))

import sys
from contextlib import suppress
from typing import NoReturn

from ists_asp.cli.interrupts import INTERRUPTED, end, end_with, heard, raise_once


def run() -> NoReturn:
    """Run the command and end the process, watched over if its rules are not the shipped ones."""
    end_with(INTERRUPTED)
    try:
        code = _run()
        end_with(code)
    except BaseException as fault:
        # An interrupt came between two who could catch it, or the first imports failed.
        if not heard() and not isinstance(fault, OSError):
            raise
        code = INTERRUPTED if heard() else 1
        if isinstance(fault, OSError) and not heard():
            with suppress(OSError, ValueError, AttributeError):
                from ists_asp.errors import told

                sys.stderr.write(f"error: {told(fault)}\n")
    for stream in (sys.stdout, sys.stderr):
        # What could not be written has been told of.
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    # What Python does at its end could be interrupted, too, and tells of what it meets there.
    end(code)


_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What says how many threads torch and numpy take; they read it when they are loaded."""


def _run() -> int:
    if not any(name in os.environ for name in _THREADS):
        # Matrices are small here: threads cost more than they gain, and take the processors from
        # --jobs.
        os.environ.update(dict.fromkeys(_THREADS, "1"))
    # What is closed of standard input, output and error is opened on the null device. Otherwise
    # the next file to be opened would take its number, and get what is meant for it.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free.
            os.open(os.devnull, os.O_RDWR)
    from ists_asp.cli.app import main
    from ists_asp.run import watch

    watch.active = True
    raise_once()
    try:
        main.main(prog_name="ists-asp")
    except SystemExit as ending:
        return ending.code if isinstance(ending.code, int) else 0


if __name__ == "__main__":
    run()
