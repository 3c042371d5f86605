"""Answers that can be asked why they are as they are, and that notebooks show as pictures."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING

from ists_asp.errors import UsageError, of_pair
from ists_asp.model import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from ists_asp.model import Pair
    from ists_asp.trace import AskedTrace
    from ists_asp.trace.why import Why, WhyNot


class TraceHandle:
    """Traces the answer to a pair when somebody asks for the first time, and keeps the trace.

    It stays in its process: an answer that is pickled leaves it behind.

    Args:
        pair: the annotated pair.
        trace: makes the trace.
    """

    def __init__(self, pair: Pair, trace: Callable[[Pair], AskedTrace]) -> None:
        self._pair = pair
        self._make = trace

    def __call__(self) -> AskedTrace:
        """The trace.

        Raises:
            IstsError: as for :meth:`ists_asp.engine.System.trace`.
        """
        return self._trace

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()

    @cached_property
    def _trace(self) -> AskedTrace:
        return self._make(self._pair)


@dataclass(frozen=True, slots=True)
class SolvedAnswer(Answer):
    """An answer of a :class:`~ists_asp.engine.System`, which can be asked about.

    ``tracing`` makes the trace. The best answer of a pair has it as long as its system is open:
    ask :meth:`why` and :meth:`why_not`. The first question traces the answer, which then holds
    the trace in memory.
    """

    tracing: TraceHandle | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, answer: Answer, tracing: TraceHandle | None = None) -> SolvedAnswer:
        """Make an answer one that can be asked."""
        values = {one.name: getattr(answer, one.name) for one in fields(Answer)}
        return cls(**values, tracing=tracing)

    def trace(self) -> AskedTrace:
        """Trace which rules fired for this answer, for which words, with what weights.

        Raises:
            UsageError: nothing can trace the answer: it is not the best of its pair, comes from
                another process, or its system is closed.
            RuleError: a rule cannot be traced.
        """
        if self.tracing is None:
            raise UsageError(
                "this answer cannot be traced",
                where=of_pair(self.pair.id),
                expected="the best answer that an open system gave",
                hint="Ask the answer of system.solve(sentence1, sentence2)",
            )
        return self.tracing()

    def why(self, decision: str) -> Why:
        """Say why a decision of the answer was taken; see :meth:`ists_asp.trace.AskedTrace.why`.

        Args:
            decision: as a line of a ``.wa`` file, ``"4 5 <==> 3 4"``, with label and score or
                without, a chunk, ``"1: 3 4 5"``, or ``"rating"``.

        Raises:
            UsageError: it is malformed, the answer has no such decision, or the answer cannot
                be traced, see :meth:`trace`.
        """
        return self.trace().why(decision)

    def why_not(self, decision: str) -> WhyNot:
        """Say why a decision was not taken; see :meth:`ists_asp.trace.AskedTrace.why_not`.

        Args:
            decision: as for :meth:`why`.

        Raises:
            UsageError: it is malformed, the answer has the decision, or the answer cannot be
                traced, see :meth:`trace`.
            TimeLimitError: there was no answer with it within the time limit.
        """
        return self.trace().why_not(decision)

    def _repr_html_(self) -> str:
        """Draw the answer: how notebooks show it."""
        from ists_asp.report.picture import static_picture

        return static_picture(self)
