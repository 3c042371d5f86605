"""From sentences to answers: the stages joined up."""

from ists_asp.engine.annotation import PairAnnotator
from ists_asp.engine.limits import MAX_TOKENS, check_size
from ists_asp.engine.loading import load
from ists_asp.engine.stages import Stages
from ists_asp.engine.system import System

__all__ = ["MAX_TOKENS", "PairAnnotator", "Stages", "System", "check_size", "load"]
