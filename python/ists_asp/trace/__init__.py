"""Why an answer is as it is, and why it is not otherwise."""

from ists_asp.trace.contrast import runner_up
from ists_asp.trace.decisions import Decision, DecisionKind, decisions, select
from ists_asp.trace.trace import Term, Trace
from ists_asp.trace.tracer import AskedTrace, Tracer

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
