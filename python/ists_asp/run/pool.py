"""Who decides batches: this process, or workers, which are killed when they overstep a limit."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from ists_asp.engine import Timings
from ists_asp.errors import IstsError, RuleError
from ists_asp.limits import is_long, loads_too_long
from ists_asp.processes import OUT_OF_TIME, deaf, ending, likely_reason
from ists_asp.run.watch import Watch
from ists_asp.run.worker import OUT_OF_MEMORY, Failure, Outcome, Report, serve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.context import ForkContext, ForkServerContext, SpawnContext

    from ists_asp.engine import Setup
    from ists_asp.model import Pair
    from ists_asp.rules import RuleWarning
    from ists_asp.run.worker import Decider

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

_MEGABYTE = 1 << 20

_starting = threading.Lock()
"""Held by whoever begins a process or asks how it ended: the library is not made for threads."""


class Executor(Protocol):
    """Whoever takes batches.

    ``width`` is how many to have under way, ``warnings`` is what the parser finds suspicious.
    """

    width: int
    warnings: tuple[RuleWarning, ...]

    def submit(self, pairs: Sequence[Pair]) -> Future[Report]:
        """Begin to decide annotated pairs."""

    def close(self) -> None:
        """End at once, whatever is under way."""


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

    def submit(self, pairs: Sequence[Pair]) -> Future[Report]:
        """Decide annotated pairs."""
        if not any(map(is_long, pairs)):
            done: Future[Report] = Future()
            done.set_result(self._decider.decide(pairs))
            return done
        if self._elsewhere is None:
            self._elsewhere = self._make()
        return self._elsewhere.submit(pairs)

    def close(self) -> None:
        """Let the system go."""
        self._decider.system.close()
        if self._elsewhere is not None:
            self._elsewhere.close()


class Pool:
    """Workers, each a process with a thread of this one that gives it batches.

    A batch that costs a worker its life is decided pair by pair, by another one: the pair at fault
    fails, and costs no other pair anything.

    Args:
        setup: what they load.
        jobs: how many there are.
        copied: whether the first begins as a copy of this process, which takes no time; those
            that follow it, and those of a process with threads, begin from nothing.

    Raises:
        RuleError: the rules are faulty, or cannot be loaded within the limits.
        IstsError: something is missing.
    """

    def __init__(self, setup: Setup, jobs: int, *, copied: bool = False) -> None:
        # With one worker, the parent and it take turns: one core is busy.
        self.width = 1 if jobs == 1 else 2 * jobs
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._workers = [_Worker(setup, self._tasks) for _ in range(jobs)]
        try:
            first, *others = self._workers
            first.begin(multiprocessing.get_context("fork") if copied else None)
            for other in others:
                other.begin()
            self.warnings = first.load()
        except _UnloadedError as error:
            self.close()
            raise RuleError(error.failure.reason, hint=error.failure.hint) from None
        except BaseException:
            self.close()
            raise
        for worker in self._workers:
            worker.start()

    def submit(self, pairs: Sequence[Pair]) -> Future[Report]:
        """Begin to decide annotated pairs."""
        found: Future[Report] = Future()
        self._tasks.put((tuple(pairs), found))
        return found

    def close(self) -> None:
        """Kill the workers."""
        for worker in self._workers:
            worker.closed = True
            self._tasks.put(None)
        for worker in self._workers:
            worker.end()
        for worker in self._workers:
            if worker.ident is not None:
                worker.join(_PATIENCE)

    @property
    def processes(self) -> list[int]:
        """The process of each worker that has one."""
        return [worker.process for worker in self._workers if worker.process is not None]


_Context: TypeAlias = "ForkContext | ForkServerContext | SpawnContext"
_Task: TypeAlias = "tuple[Sequence[Pair], Future[Report]]"


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


class _UnloadedError(Exception):
    """No worker can load the rules."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class _Worker(threading.Thread):
    """Gives batches to a process, and to another one when that is lost."""

    def __init__(self, setup: Setup, tasks: SimpleQueue[_Task | None]) -> None:
        super().__init__(daemon=True)
        self.closed = False
        self._setup = setup
        self._tasks = tasks
        self._process: _Process | None = None
        self._loaded = False
        self._batches = 0

    @property
    def process(self) -> int | None:
        """The number of its process."""
        return None if self._process is None else self._process.number

    def run(self) -> None:
        """Decide what is to be done until there is nothing more."""
        while (task := self._tasks.get()) is not None and not self.closed:
            pairs, found = task
            try:
                found.set_result(self._decide(pairs))
            except BaseException as error:
                found.set_exception(error)

    def begin(self, context: ForkContext | None = None) -> None:
        """Begin a process, which loads the rules."""
        self._loaded, self._batches = False, 0
        self._process = _Process(self._setup, context or _context())

    def end(self) -> None:
        """Kill the process."""
        if self._process is not None:
            self._process.kill()

    def load(self) -> tuple[RuleWarning, ...]:
        """Wait until the process is ready: what the parser finds suspicious.

        Raises:
            IstsError: a rule file is faulty, or something is missing.
            _UnloadedError: it never will be ready.
        """
        code: int | None = None
        for _ in range(_TRIES):
            if self._process is None:
                self.begin()
            assert self._process is not None
            try:
                warnings: tuple[RuleWarning, ...] = self._process.answer()
            except LostError as lost:
                self._drop()
                code = lost.code
                # Another one can load: somebody killed the first.
                if self.closed or code not in (None, 0, -signal.SIGKILL):
                    break
            except BaseException:
                self._drop()
                raise
            else:
                self._loaded = True
                return warnings
        if code == OUT_OF_TIME:
            found = loads_too_long(self._setup.limits.loading, self._setup.rules)
            raise _UnloadedError(Failure(found, f"{_LARGE}; or allow more with --timeout"))
        failure = self._ended(code)
        raise _UnloadedError(Failure(f"the rules cannot be loaded: {failure.reason}", failure.hint))

    def _decide(self, pairs: Sequence[Pair], *, again: bool = False) -> Report:
        try:
            return self._ask(pairs)
        except _UnloadedError as error:
            failure = error.failure
        except LostError as lost:
            if self.closed:
                raise
            if lost.blameless and not again:
                # Somebody killed the worker: that is not the fault of these pairs.
                return self._decide(pairs, again=True)
            if len(pairs) > 1:
                return _joined([self._decide([pair]) for pair in pairs])
            failure = self._ended(lost.code)
            if lost.code == OUT_OF_TIME:
                what = "trace" if self._setup.traced else "answer"
                failure = Failure(f"no {what} within {self._setup.limits.seconds:g} s")
        return Report(tuple(Outcome(pair, (), failure) for pair in pairs), Timings(), ())

    def _ask(self, pairs: Sequence[Pair]) -> Report:
        if self._batches >= RENEWED:
            self._drop()
        if not self._loaded:
            self.load()
        assert self._process is not None
        self._batches += 1
        try:
            report: Report = self._process.answer(pairs)
        except LostError:
            self._drop()
            raise
        return report

    def _drop(self) -> None:
        if self._process is not None:
            self._process.kill()
        self._process, self._loaded = None, False

    def _ended(self, code: int | None) -> Failure:
        """Why a worker ended with this exit code."""
        memory = self._setup.limits.memory
        if code == OUT_OF_MEMORY and memory is not None:
            return Failure(f"more than {memory // _MEGABYTE} MB of memory", _LARGE)
        return Failure(f"the worker {ending(code)}", likely_reason(code))


class _Process:
    """A worker's process, and the connection to it."""

    def __init__(
        self, setup: Setup, context: ForkContext | ForkServerContext | SpawnContext
    ) -> None:
        with _starting, deaf(copied=context.get_start_method() == "fork"):
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=serve, args=(setup, theirs), daemon=True)
            self._process.start()
            theirs.close()
        self.number = self._process.pid or 0

    def answer(self, question: object = None) -> Any:  # noqa: ANN401 (whatever a worker sends)
        """What the worker sends next, after it was asked something.

        Raises:
            IstsError: the worker has met one that is no pair's.
            LostError: it has ended, or does nothing.
        """
        watch = Watch(self.number, still=STILL)
        try:
            if question is not None:
                self._connection.send(question)
            while not self._connection.poll(_LOOK):
                if watch.look():
                    raise LostError(None)
            found = self._connection.recv()
        except (EOFError, OSError):
            raise LostError(self._code()) from None
        if isinstance(found, IstsError):
            raise found
        return found

    def kill(self) -> None:
        """End the process, whatever it does."""
        with _starting:
            self._process.kill()
            self._process.join(_PATIENCE)

    def _code(self) -> int | None:
        with _starting:
            self._process.join(_PATIENCE)
            return self._process.exitcode


def _context() -> ForkServerContext | SpawnContext:
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


def _joined(reports: Sequence[Report]) -> Report:
    times = Timings()
    for report in reports:
        times.merge(report.times)
    return Report(
        tuple(outcome for report in reports for outcome in report.outcomes),
        times,
        tuple(warning for report in reports for warning in report.warnings),
    )
