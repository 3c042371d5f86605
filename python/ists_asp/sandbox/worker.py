"""What happens in a worker: a process of its own, which may be killed at any moment.

It has neither Stanza nor torch: pairs come annotated.
"""

from __future__ import annotations

import os
import signal
import time
from functools import partial
from typing import TYPE_CHECKING

from ists_asp.edge import inside, too_deep
from ists_asp.engine import System
from ists_asp.engine.setup import sums
from ists_asp.errors import (
    DataError,
    IstsError,
    MemoryLimitError,
    RuleError,
    SolveError,
    TraceError,
)
from ists_asp.gc_control import gc_paused
from ists_asp.limits import lifetime
from ists_asp.processes import end_after, end_with_parent, limit_memory
from ists_asp.sandbox.outcome import Failure, Outcome, Report
from ists_asp.terminal import open_doors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ists_asp.engine import Limits, Setup
    from ists_asp.model import Pair
    from ists_asp.rules import RuleWarning

OUT_OF_MEMORY = 77
"""Exit code of a worker that met its memory limit."""


class Decider:
    """A system that decides batches of annotated pairs and reports what became of them.

    Args:
        setup: what to load.
        begin: is called when the time of pairs begins that may be decided together, with how
            many they are.
    """

    def __init__(self, setup: Setup, begin: Callable[[int], None] = lambda _pairs: None) -> None:
        self.system = System(setup)
        self.system.solver, self.system.knowledge  # noqa: B018 (loaded when first asked for)
        self._begin = begin
        self._spec = setup
        self._warned = 0
        rating = self.system.rater.rules.files if setup.rated else ()
        if setup.files and sums((*self.system.rules.files, *rating)) != setup.files:
            raise RuleError(
                "a rule file has changed since the run began",
                hint="Run it again, with rules that stay as they are",
            )

    def decide(self, pairs: Sequence[Pair]) -> Report:
        """Decide annotated pairs; a pair without an answer does not keep the others from one."""
        outcomes = tuple(self._outcomes(pairs))
        warnings = self.system.warnings
        fresh, self._warned = warnings[self._warned :], len(warnings)
        return Report(outcomes, self.system.stages.taken(), fresh)

    def _outcomes(self, pairs: Sequence[Pair]) -> list[Outcome]:
        try:
            with inside(pairs[0]):
                return list(self._timed(pairs))
        except MemoryLimitError:
            raise
        # What goes wrong with one pair may be right for all others.
        except (DataError, RuleError, SolveError, TraceError) as error:
            if len(pairs) == 1:
                return [_failed(pairs[0], error)]
        return [outcome for pair in pairs for outcome in self._outcomes([pair])]

    def _timed(self, pairs: Sequence[Pair]) -> Iterator[Outcome]:
        self._begin(len(pairs))
        for left, outcome in zip(reversed(range(len(pairs))), self._together(pairs), strict=True):
            yield outcome
            self._begin(left)

    def _together(self, pairs: Sequence[Pair]) -> Iterator[Outcome]:
        if not self._spec.traced:
            decided = (
                self.system.decide(pairs, rated=True)
                if self._spec.rated
                else self.system.try_all(pairs)
            )
            for pair, found in zip(pairs, decided, strict=True):
                if isinstance(found, IstsError):
                    yield _failed(pair, found)
                else:
                    yield Outcome(pair, found, knowledge=self.system.knowledge)
            return
        from ists_asp.trace.document import trace_line

        with gc_paused():
            traces = self.system.trace_annotated(pairs, rated=self._spec.rated)
            for pair, trace in zip(pairs, traces, strict=True):
                yield Outcome(
                    pair, (trace.answer,), trace=trace_line(trace), knowledge=self.system.knowledge
                )


def _failed(pair: Pair, error: IstsError) -> Outcome:
    return Outcome(pair, (), Failure(error.found, error.hint))


_decider: Decider | IstsError | None = None
_told = 0.0
"""Seconds of this process that its parent knows of."""


def start(setup: Setup) -> None:
    """Begin a worker of its own, see :func:`begin`."""
    open_doors()
    begin(setup)


def begin(setup: Setup) -> None:
    """Begin a worker: set its limits and load what the setup describes.

    Ctrl-C is for the parent. What goes wrong is told when something is asked for.
    """
    global _decider
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    if setup.limits.memory is not None:
        limit_memory(setup.limits.memory)
    end_after(setup.limits.loading)
    try:
        _decider = Decider(setup, partial(_begin, setup.limits))
    except IstsError as error:
        _decider = error
    except RecursionError:
        _decider = too_deep()
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    end_after(0)


def _begin(limits: Limits, pairs: int) -> None:
    end_after(lifetime(limits.seconds, pairs, limits.grace) if pairs else 0.0)


def ready() -> tuple[RuleWarning, ...]:
    """Return when the worker has loaded everything: what the parser finds suspicious.

    Raises:
        IstsError: a rule file is faulty, or something is missing.
    """
    return _loaded().system.rules.warnings


def _loaded() -> Decider:
    if isinstance(_decider, IstsError):
        raise _decider
    assert _decider is not None
    return _decider


def decide(pairs: Sequence[Pair]) -> Report:
    """Decide annotated pairs.

    Raises:
        IstsError: the system cannot be loaded, or cannot decide any pair.
    """
    global _told
    decider = _loaded()
    try:
        report = decider.decide(pairs)
        now = time.process_time()
        report.times.elsewhere, _told = now - _told, now
        return report
    except (MemoryError, MemoryLimitError):
        # What clingo holds now may be half of a program.
        os._exit(OUT_OF_MEMORY)
