"""Why an answer is as it is, and why it is not otherwise."""

from ists_asp.trace.asked import AskedTrace
from ists_asp.trace.core.trace import Term, Trace
from ists_asp.trace.tracer import Tracer
from ists_asp.trace.view.decisions import Decision, DecisionKind, decisions, select
from ists_asp.trace.view.runner_up import runner_up

__all__ = [
    "AskedTrace",
    "Decision",
    "DecisionKind",
    "Term",
    "Trace",
    "Tracer",
    "decisions",
    "runner_up",
    "select",
]
