"""What the system says of processes."""

import multiprocessing
import os
import signal
import time

from ists_asp.processes import usage


def _busy():
    while True:
        pass


def _told_within(process, seconds, wanted):
    """Whether what is said of a process is ever as wanted."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if wanted(*usage(process)):
            return True
        time.sleep(0.05)
    return False


def test_what_computes_or_waits_for_its_turn_is_never_told_to_stand_still():
    child = multiprocessing.get_context("fork").Process(target=_busy, daemon=True)
    child.start()
    try:
        # Whether it has a processor or waits for one, it is not idle.
        assert _told_within(child.pid, 20, lambda seconds, busy: busy and seconds > 0.05)
        assert not _told_within(child.pid, 0.5, lambda _seconds, busy: not busy)
        os.kill(child.pid, signal.SIGSTOP)
        assert _told_within(child.pid, 20, lambda _seconds, busy: not busy)
    finally:
        child.kill()
        child.join()


def test_what_does_nothing_stands_still():
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,), daemon=True)
    child.start()
    try:
        assert _told_within(child.pid, 20, lambda _seconds, busy: not busy)
        first = usage(child.pid)
        assert usage(child.pid) == first
    finally:
        child.kill()
        child.join()
