"""Many pairs, unattended: workers with limits, answers in order, runs that can be resumed.

Workers are in :mod:`ists_asp.run.pool`, which brings a library of its own that few runs need.
"""

from ists_asp.run.executor import Inline
from ists_asp.run.outcome import Failure, Outcome
from ists_asp.run.spec import Limits, Spec
from ists_asp.run.stream import run

__all__ = ["Failure", "Inline", "Limits", "Outcome", "Spec", "run"]
