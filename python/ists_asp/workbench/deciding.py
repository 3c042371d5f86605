"""Corpora decided again after each edit, and the causes of changes, by a worker that stays warm.

It has the shipped rules parsed, and what is known of words at hand; the rules of a state come with
each question. So an edit costs what it touches, and rules without an end cost the worker only.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ists_asp.compare import compare, find_edits, run_both
from ists_asp.compare.causes import with_effects
from ists_asp.compare.rendering import as_json
from ists_asp.engine import System
from ists_asp.errors import IstsError, SolveError, inside, shortened
from ists_asp.limits import lifetime
from ists_asp.processes import end_after
from ists_asp.resources import Closing
from ists_asp.run.pool import Worker
from ists_asp.run.worker import Question
from ists_asp.solver.batch import BATCH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ists_asp.engine import Setup
    from ists_asp.evaluate.scorer import Reference
    from ists_asp.model import Answer, Pair

_SYSTEMS = 3
"""Systems that a worker holds: two to compare, and the latest."""

_LOADS = 60
"""Systems after which a worker gives way to a new one: clingo never forgets a word."""

_LOST = 2
"""Pairs that cost a worker its life, after which no other is tried."""


def _system(worker: System, setup: Setup) -> System:
    """A system with the rules of a state, made in a worker when it is first asked for."""
    kept: OrderedDict[object, System] = worker.__dict__.setdefault("states", OrderedDict())
    if setup.rules not in kept:
        # The names in the rules are looked at where they are edited: that takes a second.
        kept[setup.rules] = System(setup, (setup.load_profile(), setup.load_program()))
    kept.move_to_end(setup.rules)
    while len(kept) > _SYSTEMS:
        kept.popitem(last=False)[1].close()
    return kept[setup.rules]


@contextmanager
def _limited(setup: Setup, pairs: Sequence[Pair]) -> Iterator[None]:
    """Work on pairs within their limit, with clingo's errors as ours."""
    with inside(pairs[0]):
        end_after(lifetime(setup.limits.seconds, len(pairs), setup.limits.grace))
        yield


@dataclass(frozen=True, slots=True)
class Redecide(Question):
    """The best answers of annotated pairs by the rules of a state, or why there is none.

    An error of the rules as such comes in place of all: sent by itself it would end the worker.
    """

    setup: Setup
    pairs: tuple[Pair, ...]

    def answer(self, system: System) -> tuple[list[Answer | str], IstsError | None]:
        """Decide them."""
        try:
            with _limited(self.setup, self.pairs):
                tried = _system(system, self.setup).try_all(self.pairs)
                return [one.found if isinstance(one, IstsError) else one[0] for one in tried], None
        except IstsError as error:
            return [], error


@dataclass(frozen=True, slots=True)
class Causes(Question):
    """What differs in an annotated pair between two states, and which edits are to blame."""

    old: Setup
    new: Setup
    pair: Pair
    gold: Mapping[str, Reference] | None

    def answer(self, system: System) -> tuple[dict[str, Any], IstsError | None]:
        """Trace the pair twice, as ``ists-asp diff --json`` does."""
        try:
            with _limited(self.old, [self.pair] * 2):
                before, after = (_system(system, one) for one in (self.old, self.new))
                found = list(run_both(before, after, [self.pair]))
                (one,) = found
                (old, new), name = (one.old, one.new), self.pair.id
                comparison = compare({name: old}, {name: new}, self.gold, {name: one.causes})
                edits, weights = find_edits(before.rules, after.rules)
                return as_json(comparison, (with_effects(edits, found), weights)), None
        except IstsError as error:
            return {}, error


class CancelledError(Exception):
    """Nobody wants the answers any more."""


class Decider(Closing):
    """Asks a warm worker about the rules of states; one question at a time."""

    def __init__(self, setup: Setup) -> None:
        # Rules of users come with the questions, so that faulty ones cost nothing else.
        self._setup = replace(setup, rules=(), incremental=True)
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._known: set[object] = set()
        self._closed = False

    def close(self) -> None:
        """Kill the worker; no other begins."""
        self._closed = True
        self.interrupt()

    def interrupt(self) -> None:
        """Kill the worker, whatever it does; the next question begins another one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def _ask(self, question: Redecide | Causes) -> Any:  # noqa: ANN401 (whatever it gets)
        with self._lock:
            if len(self._known) >= _LOADS:
                self.interrupt()
            if self._closed:
                raise CancelledError
            if self._worker is None:
                self._known.clear()
                self._worker = Worker(self._setup)
            found, fault = self._worker.ask(question)
        setups = (question.setup,) if isinstance(question, Redecide) else (question.new,)
        self._known.update(setup.rules for setup in setups)
        if fault is not None:
            raise fault
        return found

    def decide(
        self,
        rules: Setup,
        pairs: Sequence[Pair],
        step: Callable[[int], None],
        wanted: Callable[[], bool],
    ) -> list[Answer | str]:
        """The best answers of annotated pairs by some rules, or what is wrong with a pair.

        ``step`` gets how many are done, ``wanted`` says whether somebody still waits.

        Raises:
            CancelledError: nobody waits any more.
            IstsError: the rules cannot be loaded, or are without an end for several pairs.
        """
        setup = replace(rules, incremental=True)
        lost = 0

        def some(batch: tuple[Pair, ...]) -> list[Answer | str]:
            nonlocal lost
            if not wanted():
                raise CancelledError
            try:
                found: list[Answer | str] = self._ask(Redecide(setup, batch))
            except SolveError as error:
                lost += len(batch) == 1
                if not wanted() or lost >= _LOST:
                    error.where = f"pair {shortened(batch[0].id)}"
                    raise (error if wanted() else CancelledError) from None
                if len(batch) > 1:
                    # One of them is to blame; the others have their answers.
                    return [one for pair in batch for one in some((pair,))]
                return [error.found]
            return found

        found: list[Answer | str] = []
        for begin in range(0, len(pairs), BATCH):
            found += some(tuple(pairs[begin : begin + BATCH]))
            step(len(found))
        return found

    def causes(
        self, old: Setup, new: Setup, pair: Pair, gold: Mapping[str, Reference] | None
    ) -> dict[str, Any]:
        """What differs in a pair between two states, and because of which edits."""
        before, after = (replace(one, incremental=True) for one in (old, new))
        found: dict[str, Any] = self._ask(Causes(before, after, pair, gold))
        return found
