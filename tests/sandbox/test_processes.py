"""What the system says of processes."""

import multiprocessing
import time

from ists_asp.processes import processor_time


def _busy():
    while True:
        pass


def _told_within(seconds, wanted):
    """Whether what is said of the processes below this one is ever as wanted."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if wanted(processor_time()):
            return True
        time.sleep(0.05)
    return False


def test_what_computes_or_waits_for_its_turn_is_never_told_to_stand_still():
    child = multiprocessing.get_context("fork").Process(target=_busy, daemon=True)
    child.start()
    try:
        # Whether it has a processor or waits for one, it is not idle.
        assert _told_within(20, lambda said: said is None)
        assert not _told_within(0.5, lambda said: said is not None)
    finally:
        child.kill()
        child.join()


def test_what_does_nothing_stands_still():
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,), daemon=True)
    child.start()
    try:
        assert _told_within(20, lambda said: said is not None)
        first = processor_time()
        assert _told_within(20, lambda said: said is not None and said == first)
    finally:
        child.kill()
        child.join()
