"""From sentences to answers: the stages joined up."""

from ists_asp.engine.annotation import PairAnnotator
from ists_asp.engine.loading import load
from ists_asp.engine.system import System
from ists_asp.engine.timings import Timings
from ists_asp.limits import MAX_CHARACTERS, MAX_TOKENS, check_size

__all__ = [
    "MAX_CHARACTERS",
    "MAX_TOKENS",
    "PairAnnotator",
    "System",
    "Timings",
    "check_size",
    "load",
]
