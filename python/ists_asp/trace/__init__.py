"""Why an answer is as it is, and why it is not otherwise."""

from ists_asp.trace.decisions import Decision, DecisionKind, decisions, select
from ists_asp.trace.trace import Trace
from ists_asp.trace.tracer import AskedTrace, Tracer

__all__ = ["AskedTrace", "Decision", "DecisionKind", "Trace", "Tracer", "decisions", "select"]
