"""What lets an answer say why it is as it is."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ists_asp.model import Pair
    from ists_asp.trace import Trace

__all__ = ["Asking"]


class Asking:
    """Traces the answer to a pair when somebody asks for the first time, and keeps the trace.

    It stays in its process: an answer that is pickled leaves it behind.

    Args:
        pair: the annotated pair.
        trace: makes the trace.
    """

    def __init__(self, pair: Pair, trace: Callable[[Pair], Trace]) -> None:
        self._pair = pair
        self._make = trace

    def __call__(self) -> Trace:
        """The trace.

        Raises:
            IstsError: as for :meth:`ists_asp.engine.System.trace`.
        """
        return self._trace

    def __reduce__(self) -> tuple[type[None], tuple[()]]:
        return type(None), ()

    @cached_property
    def _trace(self) -> Trace:
        return self._make(self._pair)
