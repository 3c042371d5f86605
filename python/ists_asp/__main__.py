"""``python -m ists_asp`` and ``ists-asp``."""

# Before anything else is imported, so that Ctrl-C never prints a traceback.
import os
import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(130))

from ists_asp.cli.process import run

__all__ = ["run"]

if __name__ == "__main__":
    run()
