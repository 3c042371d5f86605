"""Workers that decide batches, and are killed when they overstep a limit."""

from __future__ import annotations

import multiprocessing
import signal
import time
from concurrent.futures import TimeoutError as FutureTimeout
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import forkserver
from typing import TYPE_CHECKING

from pebble import ProcessExpired, ProcessPool

from ists_asp.engine import Timings
from ists_asp.errors import RuleError
from ists_asp.processes import OUT_OF_TIME, deaf, ending, likely_reason, processor_time
from ists_asp.sandbox.outcome import Failure, Outcome, Report
from ists_asp.sandbox.worker import OUT_OF_MEMORY, decide, ready, start

if TYPE_CHECKING:
    from collections.abc import Sequence
    from multiprocessing.context import ForkServerContext, SpawnContext

    from pebble import ProcessFuture

    from ists_asp.engine import Setup
    from ists_asp.model import Pair
    from ists_asp.rules import RuleWarning
    from ists_asp.sandbox.executor import Task

RENEWED = 200
"""Batches after which a worker gives way to a new one: clingo never forgets a word."""

BUSY = 10.0
"""How often its time a worker may take by the clock: others may keep the processor busy."""

_STILL = 20.0
"""Seconds after which workers that do not compute at all are taken for dead or stuck."""

LOST = (FutureTimeout, ProcessExpired, BrokenProcessPool)
"""What says that a worker was lost."""

_CRASHES = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV)
"""Signals that a process brings upon itself."""

_TRIES = 3
_LARGE = "Look for very large tables, and rules without an end, such as p(X+1) :- p(X)"

_MEGABYTE = 1 << 20


class Pool:
    """Workers, each a process.

    Args:
        setup: what they load.
        jobs: how many there are.

    Raises:
        RuleError: the rules are faulty, or cannot be loaded within the limits.
        IstsError: something is missing.
    """

    def __init__(self, setup: Setup, jobs: int) -> None:
        self._setup = setup
        self._jobs = jobs
        self.generation = 0
        """Counts how often all workers were replaced."""
        # With one worker, the parent and it take turns: one core is busy.
        self.width = 1 if jobs == 1 else 2 * jobs
        self._pool = self._begin()
        try:
            self.warnings = self._load()
        except BaseException:
            self.close()
            raise

    def submit(self, pairs: Sequence[Pair]) -> Task:
        """Begin to decide annotated pairs."""
        return _Remote(self, pairs)

    def close(self) -> None:
        """Kill the workers."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()

    def schedule(self, pairs: Sequence[Pair]) -> ProcessFuture[Report]:
        """Hand pairs to a worker, which ends when their time is over.

        That is the worker's own time. By the clock it is killed only if it does nothing.
        """
        try:
            return self._pool.schedule(decide, (tuple(pairs),), timeout=self._idle)
        except RuntimeError:
            # Pebble gives up when somebody kills a worker that has nothing to do.
            self.renew(self.generation)
            return self._pool.schedule(decide, (tuple(pairs),), timeout=self._idle)

    def renew(self, generation: int) -> None:
        """Begin with new workers, unless that was done since ``generation``."""
        if generation == self.generation:
            self.generation += 1
            self.close()
            self._pool = self._begin()

    @property
    def patience(self) -> float:
        """Seconds that a batch may take at most, with one before it and a worker replaced."""
        return self._setup.limits.loading + 2 * self._idle

    @property
    def _idle(self) -> float:
        """Seconds that a worker may take by the clock."""
        return BUSY * (self._setup.limits.seconds + self._setup.limits.grace)

    def blameless(self, error: BaseException) -> bool:
        """Whether a worker was lost for another reason than its pairs: somebody ended it."""
        if isinstance(error, ProcessExpired):
            limits = (OUT_OF_MEMORY, OUT_OF_TIME)
            return error.exitcode not in limits and -error.exitcode not in _CRASHES
        return isinstance(error, BrokenProcessPool | _StuckError)

    def why(self, error: BaseException) -> Failure:
        """Why a worker was lost."""
        if isinstance(error, BrokenProcessPool | _StuckError):
            # Workers are lost before they have anything to do, and the pool cannot tell how.
            code = _exit_code(self._setup, BUSY * self._setup.limits.loading)
            return _ended(self._setup, None) if code == 0 else unloaded(self._setup, code)
        limits = self._setup.limits
        code = error.exitcode if isinstance(error, ProcessExpired) else None
        if isinstance(error, FutureTimeout) or code == OUT_OF_TIME:
            return Failure(f"no answer within {limits.seconds:g} s")
        return _ended(self._setup, code)

    def _begin(self) -> ProcessPool:
        return ProcessPool(
            max_workers=self._jobs,
            max_tasks=RENEWED,
            initializer=start,
            initargs=(self._setup,),
            context=_context(),
        )

    def _load(self) -> tuple[RuleWarning, ...]:
        """Wait for the first worker to be ready, and tell why if it never will be."""
        limit = BUSY * self._setup.limits.loading
        for _ in range(_TRIES):
            code: int | None = OUT_OF_TIME
            try:
                return self._pool.schedule(ready).result(timeout=limit)
            except FutureTimeout:
                break
            except (*LOST, RuntimeError):
                # The pool cannot tell how a worker ended that had nothing to do yet.
                code = _exit_code(self._setup, limit)
            if code not in (0, -signal.SIGKILL):
                break
            # Another one can load: somebody killed the first.
            self.renew(self.generation)
        failure = unloaded(self._setup, code)
        raise RuleError(failure.reason, hint=failure.hint)


def unloaded(setup: Setup, code: int | None) -> Failure:
    """Why a worker that ended with this exit code could not load the rules."""
    failure = _ended(setup, code)
    if code == OUT_OF_TIME:
        failure = Failure(f"more than {setup.limits.loading:g} s", _LARGE)
    return Failure(f"the rules cannot be loaded: {failure.reason}", failure.hint)


def _ended(setup: Setup, code: int | None) -> Failure:
    """Why a worker ended with this exit code."""
    memory = setup.limits.memory
    if code == OUT_OF_MEMORY and memory is not None:
        return Failure(f"more than {memory // _MEGABYTE} MB of memory", _LARGE)
    return Failure(f"the worker {ending(code)}", likely_reason(code))


def _context() -> ForkServerContext | SpawnContext:
    """What starts workers."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    # A fork of a process that has threads may hang; the server has none.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["ists_asp.sandbox.quiet", "ists_asp.sandbox.worker", "ists_asp.engine"]
    )
    with deaf():
        forkserver.ensure_running()
    return context


def _exit_code(setup: Setup, limit: float) -> int | None:
    """How a process ends that loads the rules as a worker does; None if it does not end."""
    process = _context().Process(target=start, args=(setup,))
    process.start()
    process.join(limit)
    code = process.exitcode
    process.kill()
    process.join()
    process.close()
    return code


class _StuckError(Exception):
    """Nothing comes from the workers: one was killed that held what they share."""


class _Remote:
    """A batch in a pool. A batch that costs its worker is decided pair by pair."""

    def __init__(self, pool: Pool, pairs: Sequence[Pair], *, again: bool = False) -> None:
        self._pool = pool
        self._pairs = pairs
        self._again = again
        self._future = pool.schedule(pairs)
        self._generation = pool.generation

    def result(self) -> Report:
        try:
            return self._wait()
        except (*LOST, _StuckError) as error:
            if self._pool.blameless(error) and not self._again:
                # Somebody killed the worker: that is not the fault of these pairs.
                return _Remote(self._pool, self._pairs, again=True).result()
            if len(self._pairs) == 1:
                (pair,) = self._pairs
                outcome = Outcome(pair, (), self._pool.why(error))
                return Report((outcome,), Timings(), ())
        return _joined([_Remote(self._pool, [pair]).result() for pair in self._pairs])

    def _wait(self) -> Report:
        ends = time.monotonic() + self._pool.patience
        still, worked = time.monotonic() + _STILL, processor_time()
        while True:
            try:
                return self._future.result(timeout=1.0)
            except FutureTimeout:
                if self._future.done():
                    return self._future.result()
            if self._generation != self._pool.generation:
                raise _StuckError
            now = time.monotonic()
            if (working := processor_time()) is None or working != worked:
                still, worked = now + _STILL, working
            if now > min(ends, still):
                self._pool.renew(self._generation)
                raise _StuckError


def _joined(reports: Sequence[Report]) -> Report:
    times = Timings()
    for report in reports:
        times.merge(report.times)
    return Report(
        tuple(outcome for report in reports for outcome in report.outcomes),
        times,
        tuple(warning for report in reports for warning in report.warnings),
    )
