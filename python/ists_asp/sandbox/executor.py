"""Who decides batches: this process, or the workers of :mod:`ists_asp.sandbox.pool`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ists_asp.limits import is_long

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ists_asp.model import Pair
    from ists_asp.rules import RuleWarning
    from ists_asp.sandbox.outcome import Report
    from ists_asp.sandbox.worker import Decider


class Task(Protocol):
    """A batch under way."""

    def result(self) -> Report:
        """Wait for what became of it."""


class Executor(Protocol):
    """Whoever takes batches.

    ``width`` is how many to have under way, ``warnings`` is what the parser finds suspicious.
    """

    width: int
    warnings: tuple[RuleWarning, ...]

    def submit(self, pairs: Sequence[Pair]) -> Task:
        """Begin to decide annotated pairs."""

    def close(self) -> None:
        """End at once, whatever is under way."""


class _Done:
    def __init__(self, report: Report) -> None:
        self._report = report

    def result(self) -> Report:
        return self._report


class Inline:
    """Decides batches in this process, which loses no time; but those with long pairs elsewhere.

    Nothing here can be killed, so that nothing here may take long. Only when its tokens are known
    is a pair known to be long.

    Args:
        decider: decides batches of short pairs.
        elsewhere: makes the executor that decides the others.
    """

    width = 1

    def __init__(self, decider: Decider, elsewhere: Callable[[], Executor]) -> None:
        self._decider = decider
        self._make = elsewhere
        self._elsewhere: Executor | None = None
        self.warnings = decider.system.rules.warnings

    def submit(self, pairs: Sequence[Pair]) -> Task:
        """Decide annotated pairs."""
        if not any(map(is_long, pairs)):
            return _Done(self._decider.decide(pairs))
        if self._elsewhere is None:
            self._elsewhere = self._make()
        return self._elsewhere.submit(pairs)

    def close(self) -> None:
        """Let the system go."""
        self._decider.system.close()
        if self._elsewhere is not None:
            self._elsewhere.close()
