"""Grounding that begins before the pair is known, where pair after pair is asked about.

Most of what clingo does to ground a pair does not depend on it. A copy of this process does that
ahead, up to where clingo fetches the facts of the pair, and waits; for each pair a copy of it goes
on. What these do not answer in little time, or may answer differently, is decided without them.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, partial
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, Generic, NoReturn, TypeAlias, TypeVar
from weakref import finalize

from clingo import Symbol
from clingo.ast import ASTType

from ists_asp.processes import end_after, end_with_parent
from ists_asp.solver import search
from ists_asp.solver.bounds import Objective
from ists_asp.solver.grounder import Grounder, weights_of
from ists_asp.solver.statements import FactLoader
from ists_asp.syntax.ground import Atoms, Later
from ists_asp.syntax.trees import Signature, signature

A = TypeVar("A")
_Facts: TypeAlias = dict[Signature | None, list[Symbol]]  # by predicate; None: negated ones

_LIMIT = 2.0  # CPU seconds to ground ahead, and then for a pair: most take tenths
_PATIENCE = 10.0  # seconds by the clock
_MOST = 3  # processes that wait: each has up to 100 MB of its own

_waiting = set[int]()


class Ahead(Generic[A]):
    """A process that grounds the rules ahead; ``read`` makes an answer of an answer set."""

    def __init__(
        self, grounder: Grounder, objective: Callable[[], Objective], read: Callable[..., A]
    ) -> None:
        self._grounder, self._objective, self._read = grounder, objective, read
        self._end: finalize[..., Any] | None = None

    def begin(self, facts: Iterable[Symbol]) -> None:
        """Begin to ground for pairs with ``facts`` like these, unless that has begun before."""
        program = self._grounder.program
        full = len(_waiting) == _MOST or sys.platform != "linux"
        if self._end is not None or full or program.calls or not program.written:
            return
        self._connection, theirs = Pipe()
        process = os.fork()
        if not process:
            self._ground(theirs, facts)
        theirs.close()
        _waiting.add(process)
        self._end = finalize(self, _kill, process, self._connection)

    def solve(self, item: search.Item) -> search.Solution[A] | None:
        """The best answer; None if another may be as good, or there is none in time."""
        if self._end is None or not self._end.alive:
            return None
        with suppress(EOFError, OSError):
            subject, facts = item
            self._connection.send((subject, Atoms.of(facts).text))
            if self._connection.poll(_PATIENCE):
                if (found := self._connection.recv()) is None:
                    return None
                answer, grounding, solving = found
                return search.Solution(item, (answer,), grounding, solving, unique=True)
        self._end()
        return None

    def _ground(self, connection: Connection[Any, Any], facts: Iterable[Symbol]) -> NoReturn:
        try:
            here = connection.fileno()
            os.closerange(3, here)
            os.closerange(here + 1, os.sysconf("SC_OPEN_MAX"))
            end_with_parent(watched=False)
            end_after(_LIMIT)
            gc.disable()
            program, objective, warnings = self._grounder.program, self._objective(), list[str]()
            defined = (node for node in program.statements if node.ast_type is ASTType.Defined)
            names = {
                *map(signature, facts),
                *(Signature(node.name, node.arity) for node in defined),
            }
            names -= program.tables
            loader, pair = FactLoader(program.by_predicate), cache(partial(_next_pair, connection))
            for name in names:
                loader.fetch(name, Later(partial(lambda name: pair()[1][name], name)))
            arguments = search.CORE_GUIDED, *self._grounder.arguments
            control = search.ground(
                *program.grounded,
                arguments,
                lambda _, text: warnings.append(text),
                objective,
                loader,
            )
            grounded = time.process_time()
            subject, by_name, reply = pair()
            known = not warnings and by_name.keys() <= names
            best = search.only_best(control, _LIMIT, objective=objective) if known else None
            if best is not None:
                answer = self._read(subject, best, partial(weights_of, control))
                solved = time.process_time() - grounded
                reply.send((answer, grounded, solved))
        finally:
            os._exit(0)


def _next_pair(connection: Connection[Any, Any]) -> tuple[Any, _Facts, Connection[Any, Any]]:
    """A subject, its facts by predicate, and where to reply: in a copy of this process for each."""
    end_after(0)
    while True:
        subject, text = connection.recv()
        ours, theirs = Pipe(duplex=False)
        process = os.fork()
        if not process:
            break
        theirs.close()
        with ours:
            try:
                connection.send_bytes(ours.recv_bytes())
            except EOFError:
                connection.send(None)
        os.waitpid(process, 0)
    end_with_parent(watched=False)
    end_after(_LIMIT)
    by_name: _Facts = defaultdict(list)
    for fact in Atoms(text):
        by_name[signature(fact) if fact.positive else None].append(fact)
    return subject, by_name, theirs


def _kill(process: int, connection: Connection[Any, Any]) -> None:
    connection.close()
    _waiting.discard(process)
    with suppress(OSError):
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
