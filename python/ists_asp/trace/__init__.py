"""Why an answer is as it is, and why it is not otherwise."""

from ists_asp.trace.trace import Term, Trace
from ists_asp.trace.tracer import Tracer

__all__ = ["Term", "Trace", "Tracer"]
