"""Many pairs, unattended: workers with limits, answers in order, runs that can be resumed."""

from ists_asp.run.executor import Inline, Pool
from ists_asp.run.outcome import Failure, Outcome
from ists_asp.run.spec import Limits, Spec
from ists_asp.run.stream import run

__all__ = ["Failure", "Inline", "Limits", "Outcome", "Pool", "Spec", "run"]
