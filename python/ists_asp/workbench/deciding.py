"""Corpora decided again after each edit, and the causes of changes, by a worker that stays warm.

It has the shipped rules parsed, and what is known of words at hand; the rules of a state come with
each question. So an edit costs what it touches, and rules without an end cost the worker only.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

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
    from collections.abc import Callable, Mapping, Sequence

    from ists_asp.engine import Setup
    from ists_asp.evaluate.scorer import Reference
    from ists_asp.model import Answer, Pair

T = TypeVar("T")

_SYSTEMS = 3
"""Systems that a worker holds: two to compare, and the latest."""

_RENEWED = 300
"""Questions after which a worker gives way to a new one: clingo never forgets a word."""

_LOST = 2
"""Pairs that may cost a worker its life, as long as no more do than have answers."""


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


def _tried(
    setup: Setup, pairs: Sequence[Pair], work: Callable[[], T]
) -> tuple[T, None] | tuple[None, IstsError]:
    """What comes of some work on pairs within their limit, or the error, which ends no worker."""
    try:
        with inside(pairs[0]):
            end_after(lifetime(setup.limits.seconds, len(pairs), setup.limits.grace))
            return work(), None
    except IstsError as error:
        return None, error


@dataclass(frozen=True, slots=True)
class Redecide(Question):
    """The best answers of annotated pairs by the rules of a state, or why there is none."""

    setup: Setup
    pairs: tuple[Pair, ...]

    def answer(self, system: System) -> object:
        """Decide them."""

        def work() -> list[Answer | str]:
            tried = _system(system, self.setup).try_all(self.pairs)
            return [one.found if isinstance(one, IstsError) else one[0] for one in tried]

        return _tried(self.setup, self.pairs, work)


@dataclass(frozen=True, slots=True)
class Causes(Question):
    """What differs in an annotated pair between two states, and which edits are to blame."""

    old: Setup
    new: Setup
    pair: Pair
    gold: Mapping[str, Reference] | None

    def answer(self, system: System) -> object:
        """Trace the pair twice, as ``ists-asp diff --json`` does."""

        def work() -> dict[str, object]:
            before, after = (_system(system, one) for one in (self.old, self.new))
            found = list(run_both(before, after, [self.pair]))
            one, name = found[0], self.pair.id
            comparison = compare({name: one.old}, {name: one.new}, self.gold, {name: one.causes})
            edits, weights = find_edits(before.rules, after.rules)
            return as_json(comparison, (with_effects(edits, found), weights))

        return _tried(self.old, [self.pair] * 2, work)


class CancelledError(Exception):
    """Nobody wants the answers any more."""


class Decider(Closing):
    """Asks a warm worker about the rules of states; one question at a time."""

    def __init__(self, setup: Setup) -> None:
        # Rules of users come with the questions, so that faulty ones cost nothing else.
        self._setup = replace(setup, rules=(), incremental=True)
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._asked = 0
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
            if self._closed:
                raise CancelledError
            if self._asked % _RENEWED == 0:
                self.interrupt()
            self._asked += 1
            self._worker = self._worker or Worker(self._setup)
            found, fault = self._worker.ask(question)
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
        lost = good = 0

        def some(batch: tuple[Pair, ...]) -> list[Answer | str]:
            nonlocal lost, good
            if not wanted():
                raise CancelledError
            try:
                found: list[Answer | str] = self._ask(Redecide(setup, batch))
            except SolveError as error:
                lost += len(batch) == 1
                if not wanted() or lost > min(good, _LOST):
                    error.where = f"pair {shortened(batch[0].id)}"
                    raise (error if wanted() else CancelledError) from None
                if len(batch) > 1:
                    # One of them is to blame; the others have their answers.
                    return [one for pair in batch for one in some((pair,))]
                return [error.found]
            good += len(batch)
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
