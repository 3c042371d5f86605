"""What others wrote, rules, constants and templates, used in a process that can be killed.

clingo cannot be interrupted while it parses or grounds, and crashes on some texts; a regular
expression may look for ever. A command that uses such texts in its own process goes on in a
child, and the parent only watches it. A child that is lost while it works on several pairs is
followed by another one, which has its results and takes the next pairs one at a time: the pair
that costs a child its life is told, and costs no other pair anything.
(``ists-asp solve`` has workers for that, see :mod:`ists_asp.run.pool`.)

Seconds are those of the processor. A process that neither computes nor answers is given up after
so many looks of whoever watches it: a clock goes on while both are halted, or a machine sleeps.
"""

from __future__ import annotations

import math
import os
import pickle
import signal
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ists_asp.errors import IstsError, RuleError, SolveError, TraceError, inside, of_pair, too_late
from ists_asp.limits import lifetime, loading_time, loads_too_long
from ists_asp.processes import OUT_OF_TIME, end_after, end_with_parent, ending, likely_reason, usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from pathlib import Path

    from ists_asp.model import Pair

S = TypeVar("S")
T = TypeVar("T")

SECONDS = 120.0
"""Seconds that a child may compute until it says that something is done, such as a pair."""

MEMORY = 8192
"""Megabytes that the child may take, or three quarters of the machine's, if that is less."""

CAREFUL = 100
"""Pairs taken one at a time after something went wrong: as many as are solved together."""

_OF_A_PAIR = (RuleError, SolveError, TraceError)
"""Our errors that are the fault of a pair; others are of the command, such as a faulty file."""

_LOOK = 0.2
"""Seconds between two looks at a child."""

_PATIENCE = 3.0
"""Seconds that the child has to end after Ctrl-C."""

_INTERRUPTED = 130
_HINT = "Look for rules without an end, such as p(X+1) :- p(X), and for very large tables"


def heard(
    process: int,
    connection: Connection,
    look: float,
    still: float,
    seconds: float = math.inf,
    memory: float = math.inf,
) -> Any:  # noqa: ANN401 (whatever is sent)
    """What a process sends next; EOFError or OSError if it has ended.

    It is looked at every ``look`` seconds. TimeoutError says that for ``still`` looks neither it
    nor a process below it has computed at all, or that they took more ``seconds`` of the
    processor; MemoryError that they have more bytes than ``memory``.
    """
    begin = last = None
    idle = 0
    while True:
        now, busy, size = usage(process)
        begin = now if begin is None else begin
        idle = 0 if busy or now != last else idle + 1
        last = now
        if idle >= still or now - begin > seconds:
            raise TimeoutError
        if size > memory:
            raise MemoryError
        if connection.poll(look):
            return connection.recv()


active = False
"""Whether this is the command itself; whoever calls it from Python watches over it alone."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A pair that has no result, and why: a line that does not name it."""

    pair: Pair
    reason: str


@dataclass(slots=True)
class _Course:
    """How far a command has got: what its parent has heard, and each child knows of those before.

    ``made`` is what became of the pairs so far, pickled. ``lost`` are the pairs that cost a child
    its life, by their places, with the reason. ``careful`` says that there was a child before,
    and that nobody knows at which of the next pairs it was lost. ``told`` are the warnings that
    people have seen. A child has the way to its ``parent``.
    """

    made: list[bytes] = field(default_factory=list)
    lost: dict[int, IstsError] = field(default_factory=dict)
    careful: bool = False
    told: set[str] = field(default_factory=set)
    parent: Connection | None = None

    def tell(self, what: str, value: object = None) -> None:
        """Tell the parent something."""
        if self.parent is not None:
            with suppress(OSError):
                self.parent.send((what, value))

    def go_on(
        self, where: str | None = None, place: int | None = None, late: IstsError | None = None
    ) -> None:
        """Tell the parent what comes next, if this child is lost.

        ``where`` is the only pair that is worked on, if there is one, ``place`` where another child
        can go on, ``late`` the error if the limit of :meth:`limit` is met.
        """
        self.tell("at", (where, place, late))

    def limit(self, seconds: float | None, pairs: int) -> None:
        """Let the time of pairs begin that are worked on together; of none it has no end."""
        if self.parent is not None and seconds is not None:
            end_after(lifetime(seconds, pairs) if pairs else 0.0)


_course = _Course()


def patience(time_limit: float) -> float:
    """How many seconds a child may be silent where a search may take ``time_limit``."""
    return max(SECONDS, 60.0 + 2 * time_limit)


def isolate(seconds: float | None = None) -> None:
    """Return in a child process; the parent ends as the child does, or says why it was lost.

    ``seconds`` are how long the child may be silent, see :func:`alive`; by default
    :data:`SECONDS`.
    """
    if not active or _course.parent is not None:
        return
    while True:
        reading, writing = Pipe(duplex=False)
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.flush()
        child = os.fork()
        if child == 0:
            end_with_parent()
            reading.close()
            _course.parent = writing
            return
        writing.close()
        with reading:
            _watch(child, reading, SECONDS if seconds is None else seconds)


@contextmanager
def loading(seconds: float, rules: Iterable[Path]) -> Iterator[None]:
    """Load rules, in a child within a limit of their own: clingo may ground tables for ever.

    ``seconds`` is the time limit for a pair, ``rules`` are files and folders of the user's.
    """
    limit = loading_time(seconds)
    hint = f"{_HINT}; or allow more with --timeout"
    _course.go_on(late=RuleError(loads_too_long(limit, rules), hint=hint))
    if _course.parent is not None:
        end_after(limit)
    yield
    _course.limit(seconds, 0)
    _course.go_on()


def alive() -> None:
    """Say that something is done: in a child, the time begins anew."""
    _course.tell("alive")


def told_before(warning: str) -> bool:
    """Whether a child before this one has told a warning."""
    _course.tell("told", warning)
    return warning in _course.told


@contextmanager
def working_on(pair: Pair, seconds: float, what: str = "answer") -> Iterator[None]:
    """Work on a pair, the only one: whatever goes wrong is told of it, also by the parent.

    Its time begins now: it is annotated already, as to load the models takes no pair's time.
    """
    _course.go_on(of_pair(pair.id), late=too_late(seconds, what))
    _course.limit(seconds, 1)
    with inside(pair):
        yield


def each(
    items: Sequence[S],
    work: Callable[[Iterator[S]], Iterator[T]],
    pair_of: Callable[[S], Pair],
    seconds: float | None = None,
) -> Iterator[T | Failed]:
    """Work on pairs, lazily and in their order; one that fails costs no other anything.

    A command can do so once. What is no pair's fault, such as a faulty file, is raised, as is the
    error of an only pair. ``work`` makes a result of each item: of several at a time faster than
    one by one. ``seconds`` is the time limit for a pair, if there is one.
    """

    def kept(result: T | Failed) -> T | Failed:
        _course.tell("made", pickle.dumps(result))
        return result

    yield from map(pickle.loads, _course.made)
    place = len(_course.made)
    careful = place + CAREFUL if _course.careful else 0
    late = None if seconds is None else too_late(seconds)
    single = len(items) == 1
    while place < len(items):
        alone = single or place < careful
        pair = pair_of(items[place])
        _course.go_on(of_pair(pair.id) if alone else None, None if single else place, late)
        some = items[place : place + 1] if alone else items[place:]
        try:
            if place in _course.lost:
                raise _course.lost[place]
            _course.limit(seconds, min(len(some), CAREFUL))
            for left, made in zip(reversed(range(len(some))), work(iter(some)), strict=True):
                yield kept(made)
                place += 1
                _course.limit(seconds, min(left, CAREFUL))
        except Exception as error:
            if isinstance(error, IstsError | OSError) and not isinstance(error, _OF_A_PAIR):
                raise
            if single:
                with inside(pair):
                    raise
            if alone:
                yield kept(Failed(pair, _reason(error, pair)))
                place += 1
            else:
                # Which of those that are solved together is at fault?
                careful = place + CAREFUL
    _course.limit(seconds, 0)
    _course.go_on()


def _reason(error: Exception, pair: Pair) -> str:
    """An error as a line that does not name the pair."""
    try:
        with inside(pair):
            raise error
    except IstsError as told:
        # Without the excerpt of a rule file.
        return IstsError.__str__(told).removeprefix(f"{of_pair(pair.id)}: ")


def _watch(child: int, connection: Connection, seconds: float) -> None:
    """Return where another child is to go on; otherwise end as this one did, or say why."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    memory = min(MEMORY << 20, whole // 4 * 3)
    where = place = late = None
    try:
        while True:
            what, value = heard(child, connection, _LOOK, seconds / _LOOK, seconds, memory)
            if what == "told":
                _course.told.add(value)
            elif what == "made":
                _course.made.append(value)
            elif what == "at":
                where, place, late = value
    except KeyboardInterrupt:
        _interrupt(child)
        raise click.exceptions.Exit(_INTERRUPTED) from None
    except (TimeoutError, MemoryError) as limit:
        _kill(child)
        most = f"{memory >> 20} MB" if isinstance(limit, MemoryError) else f"{seconds:g} s"
        error: IstsError = RuleError(f"the rules take more than {most}", hint=_HINT)
    except (EOFError, OSError):
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code >= 0:
            raise click.exceptions.Exit(code) from None
        found = f"with these rules the command {ending(code)}"
        error = RuleError(found, hint=likely_reason(code))
        if code == OUT_OF_TIME and late is not None:
            error = late
    error.where = where
    if place is None:
        raise error
    if where is not None:
        _course.lost[place] = error
    _course.careful = True


def _interrupt(child: int) -> None:
    """Let a child end that an interrupt may not have reached."""
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGINT)
    for _ in range(round(_PATIENCE / _LOOK)):
        if os.waitpid(child, os.WNOHANG)[0]:
            return
        time.sleep(_LOOK)
    _kill(child)


def _kill(child: int) -> None:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
