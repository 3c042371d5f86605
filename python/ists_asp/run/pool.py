"""Pairs through a run: decided by this process or by workers, given back in their order.

Workers are killed when they overstep a limit.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ists_asp.engine import Timings
from ists_asp.errors import IstsError, RuleError, SolveError
from ists_asp.io.formats import Outcome
from ists_asp.limits import loads_too_long
from ists_asp.processes import OUT_OF_TIME, deaf, ending, likely_reason
from ists_asp.run.watch import heard
from ists_asp.run.worker import OUT_OF_MEMORY, Question, Report, serve

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.context import ForkContext, ForkServerContext, SpawnContext
    from typing import TypeAlias

    from ists_asp.engine import Setup
    from ists_asp.model import Pair
    from ists_asp.rules import RuleWarning

    _Context: TypeAlias = ForkContext | ForkServerContext | SpawnContext

RENEWED = 200
"""Batches after which a worker gives way to a new one: clingo never forgets a word."""

_LOOK = 1.0
"""Seconds between two looks at a worker that has not answered yet."""

STILL = 20
"""Looks at which a worker did not compute at all, after which it is taken for stuck."""

_TRIES = 3
"""How often a worker is begun that somebody kills while it loads."""

_PATIENCE = 5.0
"""Seconds that a worker has to end whose connection is closed."""

_CRASHES = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV)
"""Signals that a process brings upon itself."""

_LARGE = "Look for very large tables, and rules without an end, such as p(X+1) :- p(X)"

_starting = threading.Lock()
"""Held by whoever begins a process or asks how it ended: the library is not made for threads."""


class Pool:
    """Workers, each a process that a thread of this one gives batches.

    A batch that costs a worker its life is decided pair by pair, by another one: the pair at fault
    fails, and costs no other pair anything. ``width`` is how many batches to have under way,
    ``warnings`` is what the parser finds suspicious. The first worker may begin as a copy of this
    process, which takes no time; those that follow it, and those of a process with threads, begin
    from nothing.
    """

    def __init__(self, setup: Setup, jobs: int, *, copied: bool = False) -> None:
        # With one worker, the parent and it take turns: one core is busy.
        self.width = 1 if jobs == 1 else 2 * jobs
        self._workers = [Worker(setup) for _ in range(jobs)]
        self._free: SimpleQueue[Worker] = SimpleQueue()
        self._threads = ThreadPoolExecutor(jobs)
        try:
            first, *others = self._workers
            first.begin(multiprocessing.get_context("fork") if copied else None)
            for other in others:
                other.begin()
            self.warnings = first.load()
        except BaseException:
            self.close()
            raise
        for worker in self._workers:
            self._free.put(worker)

    def submit(self, pairs: Sequence[Pair]) -> Future[Report]:
        """Begin to decide annotated pairs."""
        return self._threads.submit(self._decide, pairs)

    def _decide(self, pairs: Sequence[Pair]) -> Report:
        worker = self._free.get()
        try:
            return worker.decide(pairs)
        finally:
            self._free.put(worker)

    def ask(self, question: Question) -> Any:  # noqa: ANN401 (whatever a question gets)
        """What a worker says to a question; see :meth:`Worker.ask`."""
        worker = self._free.get()
        try:
            return worker.ask(question)
        finally:
            self._free.put(worker)

    def close(self) -> None:
        """Kill the workers, whatever is under way."""
        for worker in self._workers:
            worker.close()
        self._threads.shutdown(cancel_futures=True)

    @property
    def processes(self) -> list[int]:
        """The process of each worker that has one."""
        return [worker.number for worker in self._workers if worker.number]


class LostError(Exception):
    """A worker has ended, or does nothing; ``code`` is its exit code, None if it lives."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code

    @property
    def blameless(self) -> bool:
        """Whether it was for another reason than what it worked on: somebody ended it."""
        if self.code is None:
            return True
        return self.code not in (OUT_OF_MEMORY, OUT_OF_TIME) and -self.code not in _CRASHES


class _UnloadedError(RuleError):
    """No worker can load the rules."""


class Worker:
    """Gives batches and questions to a process, and to another one when that is lost."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._process: Any = None
        self._loaded = self._closed = False
        self._batches = 0

    @property
    def number(self) -> int:
        """That of its process; 0 without one."""
        return self._process.pid if self._process is not None else 0

    def begin(self, context: _Context | None = None) -> None:
        """Begin a process, which loads the rules."""
        context = context or _context()
        with _starting, deaf(copied=context.get_start_method() == "fork"), _without_main():
            if self._closed:
                raise LostError(None)
            self._connection, theirs = context.Pipe()
            process = context.Process(target=serve, args=(self._setup, theirs), daemon=True)
            process.start()
            self._process = process
            theirs.close()

    def load(self) -> tuple[RuleWarning, ...]:
        """Wait until the process is ready: what the parser finds suspicious."""
        code: int | None = None
        for _ in range(_TRIES):
            if self._process is None:
                self.begin()
            try:
                warnings: tuple[RuleWarning, ...] = self._answer()
            except LostError as lost:
                code = lost.code
                # Another one can load: somebody killed the first.
                if self._closed or code not in (None, 0, -signal.SIGKILL):
                    break
            else:
                self._loaded = True
                return warnings
        if code == OUT_OF_TIME:
            found = loads_too_long(self._setup.limits.loading, self._setup.rules)
            raise _UnloadedError(found, hint=f"{_LARGE}; or allow more with --timeout")
        failure = self._ended(code)
        raise _UnloadedError(f"the rules cannot be loaded: {failure.found}", hint=failure.hint)

    def decide(self, pairs: Sequence[Pair], *, again: bool = False) -> Report:
        """Decide annotated pairs."""
        try:
            if self._batches >= RENEWED:
                self._drop()
            if not self._loaded:
                self.load()
            self._batches += 1
            report: Report = self._answer(pairs)
        except _UnloadedError as error:
            failure = SolveError(error.found, hint=error.hint)
        except LostError as lost:
            if self._closed:
                raise
            if lost.blameless and not again:
                # Somebody killed the worker: that is not the fault of these pairs.
                return self.decide(pairs, again=True)
            if len(pairs) > 1:
                return Report.of([self.decide([pair]) for pair in pairs])
            failure = self._ended(lost.code)
        else:
            return report
        return Report(tuple(Outcome(pair, (), failure) for pair in pairs), Timings(), ())

    def ask(self, question: Question, *, again: bool = False) -> Any:  # noqa: ANN401
        """What the process says to a question; if somebody kills it, what another one says.

        Raises:
            IstsError: what it says instead, or that it ended on the way.
        """
        try:
            if not self._loaded:
                self.load()
            return self._answer(question)
        except LostError as lost:
            if self._closed:
                raise SolveError("the worker was ended", hint="Ask again") from None
            if lost.blameless and not again:
                return self.ask(question, again=True)
            raise self._ended(lost.code) from None

    def close(self) -> None:
        """Kill the process, and begin no other."""
        self._closed = True
        with _starting:
            if self._process is not None:
                self._process.kill()
                self._process.join(_PATIENCE)

    def _answer(self, question: object = None) -> Any:  # noqa: ANN401 (whatever a worker sends)
        """What the process sends next, after it was asked something; an error that is no pair's."""
        try:
            if question is not None:
                self._connection.send(question)
            found = heard(self.number, self._connection, _LOOK, STILL)
        except TimeoutError:
            self._drop()
            raise LostError(None) from None
        except (EOFError, OSError):
            with _starting:
                self._process.join(_PATIENCE)
                code = self._process.exitcode
            self._drop()
            raise LostError(code) from None
        if isinstance(found, IstsError):
            # A question is at fault itself.
            if not callable(question):
                self._drop()
            raise found
        return found

    def _drop(self) -> None:
        """End the process, whatever it does."""
        with _starting:
            self._process.kill()
            self._process.join(_PATIENCE)
        self._process, self._loaded, self._batches = None, False, 0

    def _ended(self, code: int | None) -> SolveError:
        """Why there is no answer of a worker that ended with this exit code."""
        limits = self._setup.limits
        if code == OUT_OF_TIME:
            what = "trace" if self._setup.traced else "answer"
            return SolveError(f"no {what} within {limits.seconds:g} s")
        if code == OUT_OF_MEMORY and limits.memory is not None:
            return SolveError(f"more than {limits.memory >> 20} MB of memory", hint=_LARGE)
        return SolveError(f"the worker {ending(code)}", hint=likely_reason(code))


@contextmanager
def _without_main() -> Iterator[None]:
    """Let no worker run the user's script once more: it needs nothing that is defined there."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _context() -> _Context:
    """What starts workers."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver

    # A fork of a process that has threads may hang; the server has none.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["ists_asp.run.quiet", "ists_asp.run.worker", "ists_asp.engine"])
    with deaf():
        forkserver.ensure_running()
    return context
