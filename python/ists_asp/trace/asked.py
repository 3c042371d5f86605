"""A trace that answers questions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ists_asp.trace.ask.near_misses import NearMisses
from ists_asp.trace.ask.why import why
from ists_asp.trace.ask.why_not import why_not
from ists_asp.trace.core.trace import Trace

if TYPE_CHECKING:
    from ists_asp.trace.ask.why import Why
    from ists_asp.trace.ask.why_not import WhyNot


class AskedTrace(Trace):
    """A trace that says why a decision was taken, and why another one was not."""

    rating: AskedTrace | None

    def why(self, decision: str) -> Why:
        """Why a decision of the answer was taken.

        Args:
            decision: as a line of a ``.wa`` file, ``"4 5 <==> 3 4"``, with label and score or
                without, a chunk, ``"1: 3 4 5"``, or ``"rating"``.

        Raises:
            UsageError: it is malformed, or the answer has no such decision.
        """
        return why(self, self._nearest, decision)

    def why_not(self, decision: str) -> WhyNot:
        """Why a decision was not taken.

        Args:
            decision: as for :meth:`why`.

        Raises:
            UsageError: it is malformed, or the answer has the decision.
            TimeLimitError: there was no answer with it within the time limit.
        """
        return why_not(self, self._nearest, decision)

    @cached_property
    def _nearest(self) -> NearMisses:
        """Looks for the rules that come nearest to deriving an atom."""
        return NearMisses(self)
