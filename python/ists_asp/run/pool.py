"""The side that asks: processes with systems, which are killed when they overstep a limit.

All that may run for ever or crash is a question to a :class:`Worker`, as clingo cannot be
interrupted while it parses or grounds. A lost worker is replaced. :func:`ask_each` finds the
offending pair at no cost for others.

Seconds are CPU seconds. A process that neither computes nor answers is given up after so many
looks: a clock goes on while both are halted, or a machine sleeps.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing.context import ForkContext, ForkServerContext
from queue import SimpleQueue
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

from ists_asp import errors, processes
from ists_asp.engine import Setup, Timings
from ists_asp.io.formats import Outcome
from ists_asp.limits import lifetime
from ists_asp.model import Pair
from ists_asp.processes import LOOK, STILL, deaf, heard
from ists_asp.rules import RuleWarning
from ists_asp.rules.catalogue import is_shipped
from ists_asp.run.worker import OUT_OF_MEMORY, Decider, Question, failed, heard_by, serve

S = TypeVar("S")
T = TypeVar("T")

RENEWED = 200  # batches after which a worker gives way to a new one: clingo never forgets a word

MEMORY = 8192  # megabytes of a command's process, or three quarters of the machine's, if less
SECONDS = 120.0  # seconds that a long work may compute until it says that something is done

_TRIES = 3  # starts of a worker that is killed while it loads
_PATIENCE = 5.0  # seconds that a worker has to end whose connection is closed

# Signals that a process brings upon itself.
_CRASHES = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV)

# What workers need is imported once, while the command annotates the first pairs.
_PRELOADED = [f"ists_asp.{name}" for name in ("run.quiet", "run.worker", "engine")]
_PRELOADED += ["ists_asp.knowledge.lexicon", "ists_asp.knowledge.reader_model", "onnxruntime"]

_LARGE = "Look for very large tables, and rules without an end, such as p(X+1) :- p(X)"

# Held to start a process or read its exit code: the library is not thread-safe.
_starting = threading.Lock()


class SupersededError(errors.IstsError):
    """Nobody waits for this any more: something newer was asked."""


class LostError(Exception):
    """A worker has ended, or does nothing; ``code`` is its exit code, None if it lives."""

    def __init__(self, code: int | None) -> None:
        super().__init__(code)
        self.code = code

    @property
    def blameless(self) -> bool:
        """Whether something other than its work ended it."""
        codes = OUT_OF_MEMORY, processes.OUT_OF_TIME, *(-number for number in _CRASHES)
        return self.code not in codes


class UnloadedError(errors.RuleError):
    """No worker can load the rules."""


class Limit(NamedTuple):
    """Seconds until something is done, such as a pair, and the error for what takes more."""

    seconds: float
    error: Callable[[], errors.IstsError]

    @classmethod
    def of_pairs(cls, seconds: float, pairs: int = 1, noun: str = "answer") -> Limit:
        """The limit for pairs that are worked on together, each in so many seconds."""
        return cls(lifetime(seconds, pairs), partial(errors.too_late, seconds, noun))

    @classmethod
    def of_work(cls, seconds: float) -> Limit:
        """The limit for work that takes as long as it takes, as long as it gets on."""
        found = f"the rules take more than {seconds:g} s"
        return cls(seconds, partial(errors.RuleError, found, hint=_LARGE))


class Worker:
    """Puts questions to a process, one at a time, and replaces it when it is lost.

    ``warnings`` are its warnings, ``times`` those of its stages. Without a setup the process has no
    system. With ``command`` it begins as a copy of this process, at once, and is bounded in memory;
    otherwise, unless ``copied``, from nothing, as do its successors.
    """

    def __init__(
        self,
        setup: Setup | None,
        renewed: float = RENEWED,
        *,
        command: bool = False,
        copied: bool = False,
    ) -> None:
        self._setup, self._command, self._renewed = setup, command, renewed
        self._copied = command or copied
        self._memory = None if setup is None else setup.limits.memory
        if command and self._memory is None:
            memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
            self._memory = min(MEMORY << 20, memory // 4 * 3)
        self._process: Any = None
        self._loaded = self._closed = self._interrupted = False
        self._questions, self._kinds, self._lock = 0, set[object](), threading.Lock()
        self.warnings: dict[RuleWarning, None] = {}
        self.times = Timings()

    @property
    def number(self) -> int:
        """That of its process; 0 without one."""
        return self._process.pid if self._process is not None else 0

    def begin(self) -> None:
        """Begin a process, which loads the rules."""
        context: ForkContext | ForkServerContext
        context = multiprocessing.get_context("fork") if self._copied else _context()
        with _starting, deaf(copied=self._copied), _without_main():
            self._copied = False
            if self._closed:
                raise LostError(None)
            self._connection, theirs = context.Pipe()
            arguments = self._setup, self._memory, theirs
            process = context.Process(target=serve, args=arguments, daemon=True)
            process.start()
            self._process = process
            theirs.close()

    def load(self) -> None:
        """Wait until the process is ready."""
        code: int | None = None
        for _ in range(_TRIES):
            if self._process is None:
                self.begin()
            try:
                self._answer()
                self._loaded = True
                return
            except LostError as lost:
                code = lost.code
                # The first was killed; another one can load.
                if self._closed or code not in (None, 0, -signal.SIGKILL):
                    break
        paths = ", ".join(map(str, self._setup.rules if self._setup else ()))
        if code == processes.OUT_OF_TIME and self._setup is not None:
            among = f", those of {errors.shortened(paths)} among them" if paths else ""
            seconds = self._setup.limits.loading
            found = f"the rules take more than {seconds:g} s before any pair{among}"
            raise UnloadedError(found, hint=f"{_LARGE}; or allow more with --timeout")
        failure = self._ended(code)
        subject = "" if self._command else "the rules cannot be loaded: "
        raise UnloadedError(subject + failure.found, where=paths or None, hint=failure.hint)

    def ask(
        self,
        question: Question,
        items: Sequence[Any] | None = None,
        *,
        limit: Limit | None = None,
        step: Callable[[], object] = lambda: None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Any:  # noqa: ANN401 (whatever a question gets)
        """Return the reply of the process to a question; if it is killed, that of another one.

        About ``items`` the answer is a list, and an error names the first of them. The ``limit`` is
        by default that of so many pairs, plus loading for the first question of a kind. ``step`` is
        called on progress; ``wanted`` says, before the question and after an interrupt, whether
        it still matters; if not, a SupersededError is raised. Other errors are the process's.
        """
        with self._lock:
            if not wanted():
                raise SupersededError("something newer was asked")
            self._interrupted = False
            if self._questions >= self._renewed:
                self._drop()
            for last in (False, True):
                try:
                    if not self._loaded:
                        self.load()
                    self._questions += 1
                    seconds = self._seconds(question, items) if limit is None else limit.seconds
                    return self._answer((question, items, seconds), step)
                except LostError as lost:
                    code, blameless = lost.code, lost.blameless
                if self._closed or self._interrupted:
                    if not wanted():
                        raise SupersededError("something newer was asked")
                    raise errors.SolveError("the worker was ended", hint="Ask again")
                if last or not blameless:
                    break
            raise self._ended(code, limit)

    def _seconds(self, question: Question, items: Sequence[Any] | None) -> float:
        if self._setup is None:
            return math.inf
        limits, kind = self._setup.limits, getattr(question, "func", question)
        # The first question of a kind loads what it needs beyond deciding.
        loads = kind is not Decider.outcomes and kind not in self._kinds
        self._kinds.add(kind)
        pairs = 1 if items is None else len(items)
        return lifetime(limits.seconds, pairs, limits.grace) + loads * limits.loading

    def interrupt(self) -> None:
        """End the question that is being answered, if there is one, without an answer."""
        with _starting:
            self._interrupted = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """Kill the process, and begin no other."""
        self._closed = True
        with _starting:
            if self._process is not None:
                self._process.kill()
                self._process.join(_PATIENCE)

    def _answer(self, message: object = None, step: Callable[[], object] = lambda: None) -> Any:  # noqa: ANN401
        try:
            if message is not None:
                self._connection.send(message)
            while True:
                kind, value = heard(self.number, self._connection, LOOK, STILL)
                if kind == "step":
                    step()
                elif kind == "warning":
                    self.warnings[value] = None
                else:
                    break
        except TimeoutError:
            self._drop()
            raise LostError(None) from None
        except (EOFError, OSError):
            with _starting:
                self._process.join(_PATIENCE)
                code = self._process.exitcode
            self._drop()
            raise LostError(code) from None
        if kind == "error":
            if not self._loaded:
                self._drop()
            raise value
        answer, times = value
        self.times.merge(times)
        return answer

    def _drop(self) -> None:
        with _starting:
            self._process.kill()
            self._process.join(_PATIENCE)
        self._process, self._loaded, self._questions, self._kinds = None, False, 0, set()

    def _ended(self, code: int | None, limit: Limit | None = None) -> errors.IstsError:
        if code == processes.OUT_OF_TIME:
            if limit is None:
                assert self._setup is not None
                noun = "trace" if self._setup.traced else "answer"
                limit = Limit.of_pairs(self._setup.limits.seconds, noun=noun)
            error = limit.error()
        elif code == OUT_OF_MEMORY and self._memory is not None:
            error = errors.SolveError(f"more than {self._memory >> 20} MB of memory", hint=_LARGE)
        else:
            subject = "with these rules the command" if self._command else "the worker"
            found, hint = f"{subject} {processes.ending(code)}", processes.likely_reason(code)
            error = errors.SolveError(found, hint=hint)
        if self._setup is not None:
            paths = self._setup.rules
            files = (file for path in paths for file in (path, *sorted(path.rglob("*.lp"))))
            user_files = (file for file in files if file.is_file() and not is_shipped(file))
            error.hint = (error.hint or "") + processes.suspects(code, user_files)
        return error


class Inline:
    """Answers questions in this process, which loses no time; nothing here can be killed."""

    def __init__(self, decider: Decider) -> None:
        self._decider = decider
        self.warnings: dict[RuleWarning, None] = {}
        self.times = Timings()
        with _hearing(self.warnings):
            decider.warn()

    def ask(
        self,
        question: Question,
        items: Sequence[Any] | None = None,
        *,
        limit: Limit | None = None,  # noqa: ARG002
        step: Callable[[], object] = lambda: None,
    ) -> Any:  # noqa: ANN401 (whatever a question gets)
        """Answer a question; see :meth:`Worker.ask`."""
        with _hearing(self.warnings, step):
            try:
                return self._decider.answer(question, items)
            finally:
                self.times.merge(self._decider.times())


class Pool:
    """Workers, each given batches by a thread of this process, ``width`` of which are under way.

    Who has other things to do begins with them before :meth:`load`.
    """

    # The first may begin as a copy of this process; those that follow it, and others, from nothing.

    def __init__(self, setup: Setup, jobs: int, *, copied: bool = False) -> None:
        # With one worker, the parent and it take turns: one core is busy.
        self.width = 1 if jobs == 1 else 2 * jobs
        self.workers = [Worker(setup, copied=copied and not number) for number in range(jobs)]
        # With a store the others find in it what the first has worked out.
        self._later = self.workers[1:] if setup.cache else []
        self._free: SimpleQueue[Worker] = SimpleQueue()
        self._threads = ThreadPoolExecutor(jobs)
        self._loaded = False
        for worker in self.workers[: jobs - len(self._later)]:
            worker.begin()

    def load(self) -> None:
        """Wait until the rules are loaded, the first time."""
        if self._loaded:
            return
        try:
            self.workers[0].load()
            for worker in self._later:
                worker.begin()
        except BaseException:
            self.close()
            raise
        self._loaded = True
        for worker in self.workers:
            self._free.put(worker)

    def _lend(self, function: Callable[..., T], *arguments: object) -> T:
        worker = self._free.get()
        try:
            return function(worker, *arguments)
        finally:
            self._free.put(worker)

    def submit(self, pairs: Sequence[Pair]) -> Future[list[Outcome]]:
        """Begin to decide annotated pairs."""
        return self._threads.submit(self._lend, decide, pairs)

    def ask(self, question: Question, items: Sequence[Any] | None = None) -> Any:  # noqa: ANN401
        """The reply of a worker to a question; see :meth:`Worker.ask`."""
        return self._lend(Worker.ask, question, items)

    def close(self) -> None:
        """Kill the workers, whatever is under way."""
        for worker in self.workers:
            worker.close()
        self._threads.shutdown(cancel_futures=True)


def decide(asker: Worker | Inline, pairs: Sequence[Pair]) -> list[Outcome]:
    """Decide annotated pairs, each of which has an outcome."""
    return [
        failed(pair, result) if isinstance(result, errors.IstsError) else result
        for pair, result in ask_each(asker.ask, filter(None, [pairs]), Decider.outcomes)
    ]


def ask_each(
    ask: Callable[[Question, Sequence[S]], Sequence[T]],
    batches: Iterable[Sequence[S]],
    question: Question,
) -> Iterator[tuple[S, T | errors.IstsError]]:
    """Ask about batches of pairs, lazily; yield each pair with what was said of it."""
    # Of a batch that fails each pair is asked about by itself: the one to blame costs no other.
    for batch in batches:
        try:
            results: Sequence[T | errors.IstsError] = ask(question, batch)
        except errors.MemoryLimitError:
            raise  # in this process: there is none left
        except UnloadedError as error:
            results = [error] * len(batch)
        except (errors.DataError, errors.RuleError, errors.SolveError, errors.TraceError) as error:
            if len(batch) > 1:
                yield from ask_each(ask, ([pair] for pair in batch), question)
                continue
            results = [error]
        yield from zip(batch, results, strict=True)


def apart(
    task: Callable[[], T],
    seconds: float = SECONDS,
    *,
    foreign: bool = True,
    step: Callable[[], object] = lambda: None,
    warn: Callable[[RuleWarning], object] = lambda _warning: None,
) -> T:
    """Do some work, a function of a module with its arguments.

    What uses ``foreign`` texts, which users wrote, the command does in a process of its own, which
    may be silent for so many seconds. Who calls from Python watches over it alone.
    """
    worker = Worker(None, command=True)
    try:
        if not (foreign and processes.is_command):
            with _hearing(worker.warnings, step):
                return task()
        worker.load()
        done: T = worker.ask(task, limit=Limit.of_work(seconds), step=step)
        return done
    finally:
        worker.close()
        for warning in worker.warnings:
            warn(warning)


@contextmanager
def _hearing(
    warnings: dict[RuleWarning, None], step: Callable[[], object] = lambda: None
) -> Iterator[None]:
    def hear(kind: str, value: Any) -> None:  # noqa: ANN401
        if kind == "step":
            step()
        else:
            warnings[value] = None

    with heard_by(hear):
        yield


@contextmanager
def _without_main() -> Iterator[None]:
    """Let no worker run the user's script once more: it needs nothing that is defined there."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _context() -> ForkServerContext:
    from multiprocessing import forkserver

    # A fork of a process that has threads may hang; the server has none.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    with deaf():
        forkserver.ensure_running()
    return context
