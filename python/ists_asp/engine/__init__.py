"""From sentences to answers: the stages joined up."""

from ists_asp.engine.answer import SolvedAnswer, Timings
from ists_asp.engine.preparation import Limits, Setup
from ists_asp.engine.system import System, load
from ists_asp.limits import MAX_CHARACTERS, MAX_TOKENS, check_size

__all__ = [
    "MAX_CHARACTERS",
    "MAX_TOKENS",
    "Limits",
    "Setup",
    "SolvedAnswer",
    "System",
    "Timings",
    "check_size",
    "load",
]
