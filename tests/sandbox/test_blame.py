"""Whether a worker was lost through its pairs or through somebody else, by how it ended."""

import signal

import pytest
from pebble import ProcessExpired

from ists_asp.processes import OUT_OF_TIME
from ists_asp.sandbox.pool import Pool
from ists_asp.sandbox.worker import OUT_OF_MEMORY


@pytest.mark.parametrize("code", [-signal.SIGSEGV, -signal.SIGABRT, OUT_OF_TIME, OUT_OF_MEMORY])
def test_a_crash_and_a_limit_are_the_fault_of_the_pairs(code: int) -> None:
    assert not Pool.blameless(Pool.__new__(Pool), ProcessExpired("lost", code=code))


@pytest.mark.parametrize("code", [-signal.SIGKILL, -signal.SIGTERM, 1])
def test_what_somebody_ends_is_nobodys_fault(code: int) -> None:
    assert Pool.blameless(Pool.__new__(Pool), ProcessExpired("lost", code=code))
