"""The trial of damaged inputs, of which CI makes 2 000; see inputs.py."""

from . import inputs
from .inputs import KINDS, damaged, seeds, tried


def test_an_input_can_be_made_again():
    assert all(damaged(kind, 7) == damaged(kind, 7) for kind in KINDS)
    assert len({damaged("wa", number) for number in range(50)}) > 40


def test_what_is_lost_is_seen(tmp_path, monkeypatch):
    # The harness itself: a reader that skips what it does not understand is a fault.
    monkeypatch.setattr(inputs, "read_pairs", lambda *_files, **_how: [])
    assert "pairs of" in tried("chunks", next(_whole("chunks")), tmp_path)


def _whole(kind):
    """Numbers of inputs that are not damaged: nothing is to be said of them."""
    return (number for number in range(1000) if damaged(kind, number) in seeds(kind))
