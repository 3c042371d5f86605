"""From sentences to answers: the stages joined up."""

from ists_asp.engine.stages import Stages
from ists_asp.engine.system import System, load

__all__ = ["Stages", "System", "load"]
