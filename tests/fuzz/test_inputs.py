"""Damaged inputs are read, or refused in one line; see inputs.py, which tries 100 000 of them."""

import os
from random import Random

import pytest

from .inputs import KINDS, damaged, tried, try_many

COUNT = 2000


@pytest.mark.slow
@pytest.mark.long
def test_damaged_inputs_break_nothing():
    seed = int(os.environ.get("ISTS_FUZZ_SEED") or Random().randrange(10**9))
    print(f"ISTS_FUZZ_SEED={seed}")
    faults = try_many(COUNT, seed)
    assert not faults, f"ISTS_FUZZ_SEED={seed}: {faults[:3]}"


def test_an_input_can_be_made_again():
    assert all(damaged(kind, 7) == damaged(kind, 7) for kind in KINDS)
    assert len({damaged("wa", number) for number in range(50)}) > 40


def test_what_is_lost_is_seen(tmp_path, monkeypatch):
    # The harness itself: a reader that skips what it does not understand is a fault.
    monkeypatch.setattr("tests.fuzz.inputs.read_pairs", lambda *_files, **_how: [])
    assert "pairs of" in tried("chunks", next(_whole("chunks")), tmp_path)


def _whole(kind):
    """Numbers of inputs that are not damaged: nothing is to be said of them."""
    from .inputs import seeds

    return (number for number in range(1000) if damaged(kind, number) in seeds(kind))
