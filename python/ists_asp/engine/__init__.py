"""From sentences to answers: the stages joined up."""

from ists_asp.engine.answer import SolvedAnswer, Timings
from ists_asp.engine.preparation import Limits, Setup
from ists_asp.engine.system import System, load

__all__ = ["Limits", "Setup", "SolvedAnswer", "System", "Timings", "load"]
