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

import json
import os
import pickle
import select
import signal
import sys
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from ists_asp.errors import (
    IstsError,
    RuleError,
    SolveError,
    TimeLimitError,
    TraceError,
    inside,
    of_pair,
)
from ists_asp.limits import lifetime, loading_time, loads_too_long
from ists_asp.processes import (
    OUT_OF_TIME,
    computed,
    end_after,
    end_with_parent,
    ending,
    likely_reason,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

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


class Watch:
    """Says when a process is to be given up.

    Args:
        process: its number.
        still: looks at which it did not compute at all, one after the other, and no process below
            it, after which it is taken for stuck.
        seconds: of processor time that they may take; None for any.
    """

    def __init__(self, process: int, still: float, seconds: float | None = None) -> None:
        self._process = process
        self._most = still
        self._seconds = seconds
        self.heard()

    def heard(self) -> None:
        """Begin anew: the process has said something."""
        self._begin, _ = computed(self._process)
        self._last, self._still = self._begin, 0

    def look(self) -> bool:
        """Look at the process; whether it is to be given up."""
        now, busy = computed(self._process)
        self._still = 0 if busy or now != self._last else self._still + 1
        self._last = now
        if self._seconds is not None and now - self._begin > self._seconds:
            return True
        return self._still >= self._most


active = False
"""Whether this is the command itself; whoever calls it from Python watches over it alone."""


@dataclass(frozen=True, slots=True)
class Failed:
    """A pair that has no result, and why: a line that does not name it."""

    pair: Pair
    reason: str


@dataclass(slots=True)
class _State:
    """What a child has from those before it.

    ``results`` is a file with what became of the pairs so far, a pickle each. ``lost`` are the
    pairs that cost a child its life, by their places, with the reason. ``careful`` says that
    there was a child before, and that nobody knows at which of the next pairs it was lost.
    ``told`` are the warnings that people have seen.
    """

    results: IO[bytes] | None = None
    lost: dict[int, IstsError] = field(default_factory=dict)
    careful: bool = False
    told: set[str] = field(default_factory=set)
    pipe: int | None = None

    def tell(self, what: str, value: object = None) -> None:
        """Tell the parent: that something is done, or what comes next."""
        if self.pipe is not None:
            with suppress(OSError):
                os.write(self.pipe, f"{json.dumps([what, value])}\n".encode())

    def limit(self, seconds: float | None, pairs: int) -> None:
        """Let the time of pairs begin that are worked on together; of none it has no end."""
        if self.pipe is not None and seconds is not None:
            end_after(lifetime(seconds, pairs) if pairs else 0.0)

    def keep(self, result: T) -> T:
        """Keep the result of a pair for a child to come."""
        if self.results is not None:
            try:
                pickle.dump(result, self.results)
                self.results.flush()
            except OSError:
                # The next child finds fewer results, and makes them again.
                self.results = None
        return result

    def kept(self) -> list[Any]:
        """The results of the children before."""
        found: list[Any] = []
        if self.results is None:
            return found
        end = self.results.seek(0)
        # The last one may be half of a result.
        with suppress(EOFError, pickle.UnpicklingError):
            while True:
                # Nobody else can write to this file: it has no name.
                found.append(pickle.load(self.results))
                end = self.results.tell()
        self.results.seek(end)
        self.results.truncate()
        return found


_state = _State()


def patience(time_limit: float) -> float:
    """How many seconds a child may be silent where a search may take ``time_limit``."""
    return max(SECONDS, 60.0 + 2 * time_limit)


def isolate(seconds: float | None = None) -> None:
    """Return in a child process; the parent ends as the child does.

    Args:
        seconds: how long the child may be silent, see :func:`alive`; :data:`SECONDS` by default.

    Raises:
        IstsError: in the parent, the child had to be killed, or crashed.
        click.exceptions.Exit: in the parent, the child has ended.
    """
    if not active or _state.pipe is not None:
        return
    with suppress(OSError):
        # One child after the other writes to it, until the command ends.
        _state.results = tempfile.TemporaryFile()  # noqa: SIM115
    while True:
        reading, writing = os.pipe()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.flush()
        child = os.fork()
        if child == 0:
            end_with_parent()
            os.close(reading)
            _state.pipe = writing
            return
        os.close(writing)
        try:
            _Child(child, reading, SECONDS if seconds is None else seconds).watch()
        finally:
            os.close(reading)


@contextmanager
def loading(seconds: float, rules: Iterable[Path]) -> Iterator[None]:
    """Load rules, in a child within a limit of their own: clingo may ground tables for ever.

    Args:
        seconds: the time limit for a pair.
        rules: files and folders of the user's.
    """
    limit = loading_time(seconds)
    _state.tell("load", loads_too_long(limit, rules))
    if _state.pipe is not None:
        end_after(limit)
    yield
    _state.limit(seconds, 0)
    _state.tell("done")


def alive() -> None:
    """Say that something is done: in a child, the time begins anew."""
    _state.tell("alive")


def told_before(warning: str) -> bool:
    """Whether a child before this one has told a warning."""
    if _state.pipe is None:
        return False
    _state.tell("told", warning)
    return warning in _state.told


@contextmanager
def working_on(pair: Pair, seconds: float, what: str = "answer") -> Iterator[None]:
    """Work on a pair, the only one: whatever goes wrong is told of it, also by the parent.

    Args:
        pair: the pair; it is annotated already, as to load the models takes no pair's time.
        seconds: the time limit for it, which begins now.
        what: what is made of it.
    """
    _state.tell("pair", [0, pair.id, 1, seconds, what])
    _state.limit(seconds, 1)
    with inside(pair):
        yield


def each(
    items: Sequence[S],
    work: Callable[[Iterator[S]], Iterator[T]],
    pair_of: Callable[[S], Pair],
    seconds: float | None = None,
) -> Iterator[T | Failed]:
    """Work on pairs, lazily and in their order; one that fails costs no other anything.

    A command can do so once.

    Args:
        items: the pairs, or something of each; the error of an only one is raised.
        work: makes a result of each item; of several at a time faster than one by one.
        pair_of: the pair of an item.
        seconds: the time limit for a pair, if there is one.

    Raises:
        IstsError: what is no pair's fault, such as a faulty file.
    """
    place = 0
    for result in _state.kept():
        yield result
        place += 1
    careful = place + CAREFUL if _state.careful else 0
    while place < len(items):
        alone = place < careful or len(items) == 1
        pair = pair_of(items[place])
        _state.tell("pair" if alone else "pairs", [place, pair.id, len(items), seconds, "answer"])
        some = items[place : place + 1] if alone else items[place:]
        try:
            if place in _state.lost:
                raise _state.lost[place]
            _state.limit(seconds, min(len(some), CAREFUL))
            for left, made in zip(reversed(range(len(some))), work(iter(some)), strict=True):
                yield _state.keep(made)
                place += 1
                _state.limit(seconds, min(left, CAREFUL))
        except Exception as error:
            if isinstance(error, IstsError | OSError) and not isinstance(error, _OF_A_PAIR):
                raise
            if len(items) == 1:
                with inside(pair):
                    raise
            if alone:
                yield _state.keep(Failed(pair, _reason(error, pair)))
                place += 1
            else:
                # Which of those that are solved together is at fault?
                careful = place + CAREFUL
    _state.limit(seconds, 0)
    _state.tell("done")


def _reason(error: Exception, pair: Pair) -> str:
    """An error as a line that does not name the pair."""
    try:
        with inside(pair):
            raise error
    except IstsError as told:
        # Without the excerpt of a rule file.
        return IstsError.__str__(told).removeprefix(f"{of_pair(pair.id)}: ")


class _Child:
    """A child that is watched.

    Args:
        number: its number.
        pipe: what it tells.
        seconds: how long it may be silent.
    """

    def __init__(self, number: int, pipe: int, seconds: float) -> None:
        self._number = number
        self._pipe = pipe
        self._seconds = seconds
        self._watch = Watch(number, seconds / _LOOK, seconds)
        self._heard = b""
        self._at: tuple[str, Any] = ("done", None)

    def watch(self) -> None:
        """Return where another child is to go on.

        Raises:
            IstsError: the child had to be killed, or crashed.
            click.exceptions.Exit: it has ended.
        """
        limit = _memory_limit()
        # How many more looks it has to end after Ctrl-C.
        left: int | None = None
        while True:
            try:
                if select.select([self._pipe], [], [], _LOOK)[0]:
                    said = os.read(self._pipe, 4096)
                    if not said:
                        break
                    self._hear(said)
                    self._watch.heard()
                elif left is not None:
                    left -= 1
                elif self._watch.look():
                    self._kill()
                    found = f"the rules take more than {self._seconds:g} s"
                    return self._lost(RuleError(found, hint=_HINT))
                if left == 0:
                    self._kill()
                    raise click.exceptions.Exit(_INTERRUPTED)
                if _resident(self._number) > limit:
                    self._kill()
                    found = f"the rules take more than {limit >> 20} MB"
                    return self._lost(RuleError(found, hint=_HINT))
            except KeyboardInterrupt:
                left = round(_PATIENCE / _LOOK)
                # It may have been for this process only.
                with suppress(ProcessLookupError):
                    os.kill(self._number, signal.SIGINT)
        code = os.waitstatus_to_exitcode(os.waitpid(self._number, 0)[1])
        if left is not None:
            raise click.exceptions.Exit(_INTERRUPTED)
        if code >= 0:
            raise click.exceptions.Exit(code)
        what, value = self._at
        if code == OUT_OF_TIME and what == "load":
            return self._lost(RuleError(value, hint=f"{_HINT}; or allow more with --timeout"))
        if code == OUT_OF_TIME:
            found = f"no {value[-1]} within {value[-2]:g} s"
            return self._lost(TimeLimitError(found, hint="Allow more time, or simplify the rules"))
        found = f"with these rules the command {ending(code)}"
        return self._lost(RuleError(found, hint=likely_reason(code)))

    def _hear(self, said: bytes) -> None:
        *lines, self._heard = (self._heard + said).split(b"\n")
        for line in lines:
            what, value = json.loads(line)
            if what == "told":
                _state.told.add(value)
            elif what != "alive":
                self._at = what, value

    def _lost(self, error: IstsError) -> None:
        """Note what the child was lost at, for the next one.

        Raises:
            IstsError: it was not at one of several pairs.
        """
        what, value = self._at
        if what in ("done", "load"):
            raise error
        place, identifier, size, *_ = value
        if what == "pair":
            error.where = of_pair(identifier)
            if size == 1:
                raise error
            _state.lost[place] = error
        _state.careful = True

    def _kill(self) -> None:
        os.kill(self._number, signal.SIGKILL)
        os.waitpid(self._number, 0)


def _memory_limit() -> int:
    """Bytes that the child may take."""
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min(MEMORY << 20, whole // 4 * 3)


def _resident(process: int) -> int:
    """Bytes of memory that a process and its children take; 0 where the system does not say."""
    folder = Path(f"/proc/{process}")
    try:
        pages = int((folder / "statm").read_text().split()[1])
        children = (folder / "task" / str(process) / "children").read_text().split()
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(map(_resident, map(int, children)))
