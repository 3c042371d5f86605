"""One worker that begins as a copy of this process, which takes no time.

Workers of :mod:`ists_asp.sandbox.pool` take more than a second each to begin, and survive whatever
happens to another. This one is lost with the first batch that oversteps a limit: that batch and
all others are then decided by them.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from ists_asp.errors import IstsError, RuleError
from ists_asp.processes import processor_time
from ists_asp.sandbox.worker import begin, decide, ready

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from multiprocessing.connection import Connection

    from ists_asp.engine import Setup
    from ists_asp.model import Pair
    from ists_asp.sandbox.executor import Executor, Task
    from ists_asp.sandbox.outcome import Report

_STILL = 20.0
"""Seconds after which a worker that does not compute at all is taken for stuck."""


_PATIENCE = 5.0
"""Seconds that a worker has to end whose connection is closed."""


class _LostError(Exception):
    """The worker has ended, or does nothing."""


class Forked:
    """A copy of this process that decides batches.

    Args:
        setup: what it loads.
        elsewhere: makes the executor that goes on where it is lost.

    Raises:
        RuleError: the rules are faulty, or cannot be loaded within the limits.
        IstsError: something is missing.
    """

    width = 1

    def __init__(self, setup: Setup, elsewhere: Callable[[], Executor]) -> None:
        context = multiprocessing.get_context("fork")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(setup, theirs), daemon=True)
        self._spec = setup
        self._make = elsewhere
        self._elsewhere: Executor | None = None
        # Ctrl-C is for the parent, from the first moment on.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()
        try:
            self.warnings = self._answer()
        except _LostError:
            self._check()
            self.warnings = self._other().warnings
        except BaseException:
            self.close()
            raise

    def submit(self, pairs: Sequence[Pair]) -> Task:
        """Begin to decide annotated pairs."""
        if self._elsewhere is not None:
            return self._elsewhere.submit(pairs)
        with suppress(OSError):
            self._connection.send(tuple(pairs))
        return _Copied(self, pairs)

    def result(self, pairs: Sequence[Pair]) -> Report:
        """Wait for what became of a batch."""
        try:
            found: Report = self._answer()
        except _LostError:
            return self._other().submit(pairs).result()
        return found

    def close(self) -> None:
        """Kill the workers."""
        self._process.kill()
        self._process.join()
        self._connection.close()
        if self._elsewhere is not None:
            self._elsewhere.close()

    def _check(self) -> None:
        """Refuse rules that a worker cannot load.

        Raises:
            RuleError: it has ended by itself while it loaded them.
        """
        from ists_asp.sandbox.pool import unloaded

        self._process.join(_PATIENCE)
        code = self._process.exitcode
        if code not in (None, 0, -signal.SIGKILL):
            failure = unloaded(self._spec, code)
            raise RuleError(failure.reason, hint=failure.hint)

    def _other(self) -> Executor:
        if self._elsewhere is None:
            self._process.kill()
            self._elsewhere = self._make()
        return self._elsewhere

    def _answer(self) -> Any:  # noqa: ANN401 (whatever a function of the worker gives)
        """What the worker sends next.

        Raises:
            IstsError: the worker has met one that is no pair's.
        """
        still, worked = time.monotonic() + _STILL, processor_time()
        try:
            while not self._connection.poll(1.0):
                now = time.monotonic()
                if (working := processor_time()) is None or working != worked:
                    still, worked = now + _STILL, working
                elif now > still:
                    raise _LostError
            found = self._connection.recv()
        except (EOFError, OSError):
            raise _LostError from None
        if isinstance(found, IstsError):
            raise found
        return found


class _Copied:
    """A batch that the copy decides."""

    def __init__(self, worker: Forked, pairs: Sequence[Pair]) -> None:
        self._worker = worker
        self._pairs = pairs

    def result(self) -> Report:
        return self._worker.result(self._pairs)


def _serve(setup: Setup, connection: Connection) -> None:
    """What the copy does until nobody asks it any more."""
    begin(setup)
    ask: Callable[[], object] = ready
    with suppress(EOFError, OSError):
        while True:
            try:
                found = ask()
            except IstsError as error:
                found = error
            connection.send(found)
            ask = partial(decide, connection.recv())
