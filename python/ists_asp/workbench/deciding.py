"""Corpora decided again after each edit, and the causes of changes, by a worker that stays warm.

It has the shipped rules parsed, and what is known of words at hand; the rules of a state come with
each question. So an edit costs what it touches, and rules without an end cost the worker only.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ists_asp.compare import compare, find_edits, run_both
from ists_asp.compare.causes import with_effects
from ists_asp.compare.rendering import as_json
from ists_asp.engine import System
from ists_asp.errors import IstsError, SolveError, inside, shortened
from ists_asp.limits import lifetime
from ists_asp.processes import end_after
from ists_asp.solver.batch import BATCH
from ists_asp.workbench.desk import Call, Seat

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ists_asp.engine import Setup
    from ists_asp.evaluate.scorer import Reference
    from ists_asp.model import Answer, Pair

_SYSTEMS = 3
"""Systems that a worker holds: two to compare, and the latest."""

_LOST = 2
"""Pairs that may cost a worker its life, as long as no more do than have answers."""


class CancelledError(Exception):
    """Nobody wants the answers any more."""


class Decider(Seat):
    """A worker that is asked about the rules of states."""

    # clingo never forgets a word.
    renewed = 300

    def __init__(self, setup: Setup) -> None:
        # Rules of users come with the questions, so that faulty ones cost nothing else.
        super().__init__(replace(setup, rules=(), incremental=True))

    def decide(
        self,
        setup: Setup,
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
        found: list[Answer | str] = []
        left = deque(pairs[begin : begin + BATCH] for begin in range(0, len(pairs), BATCH))
        lost = good = 0
        while left:
            if not wanted():
                raise CancelledError
            batch = left.popleft()
            try:
                found += self._tried(_decided, setup, batch)
                good += len(batch)
            except SolveError as error:
                lost += len(batch) == 1
                if not wanted():
                    raise CancelledError from None
                if lost > min(good, _LOST):
                    error.where = f"pair {shortened(batch[0].id)}"
                    raise
                if len(batch) > 1:
                    # One of them is to blame; the others have their answers.
                    left.extendleft((pair,) for pair in reversed(batch))
                else:
                    found.append(error.found)
            step(len(found))
        return found

    def causes(
        self, old: Setup, new: Setup, pair: Pair, gold: Mapping[str, Reference] | None
    ) -> dict[str, Any]:
        """What differs in a pair between two states, and because of which edits."""
        found: dict[str, Any] = self._tried(_causes, old, [pair] * 2, new, gold)
        return found

    def _tried(self, work: Callable[..., Any], setup: Setup, *arguments: object) -> Any:  # noqa: ANN401
        """What comes of some work with the rules of a state; an error of theirs ends no worker."""
        found = self.ask(Call(_try, (work, setup, *arguments)))
        if isinstance(found, IstsError):
            raise found
        return found


# In the worker.


def _try(
    worker: System,
    work: Callable[..., object],
    setup: Setup,
    pairs: Sequence[Pair],
    *arguments: object,
) -> object:
    """What comes of some work on pairs within their limit, or the error."""
    try:
        with inside(pairs[0]):
            end_after(lifetime(setup.limits.seconds, len(pairs), setup.limits.grace))
            return work(worker, setup, pairs, *arguments)
    except IstsError as error:
        return error


def _system(worker: System, setup: Setup) -> System:
    """A system with the rules of a state, made in a worker when it is first asked for."""
    kept: OrderedDict[object, System] = worker.__dict__.setdefault("states", OrderedDict())
    if setup.rules not in kept:
        setup = replace(setup, incremental=True)
        # The names in the rules are looked at where they are edited: that takes a second.
        kept[setup.rules] = System(setup, (setup.load_profile(), setup.load_program()))
    kept.move_to_end(setup.rules)
    while len(kept) > _SYSTEMS:
        kept.popitem(last=False)[1].close()
    return kept[setup.rules]


def _decided(worker: System, setup: Setup, pairs: Sequence[Pair]) -> list[Answer | str]:
    tried = _system(worker, setup).try_all(pairs)
    return [one.found if isinstance(one, IstsError) else one[0] for one in tried]


def _causes(
    worker: System,
    setup: Setup,
    pairs: Sequence[Pair],
    new: Setup,
    gold: Mapping[str, Reference] | None,
) -> dict[str, object]:
    """Trace a pair twice, as ``ists-asp diff --json`` does."""
    before, after = (_system(worker, one) for one in (setup, new))
    (found,) = run_both(before, after, pairs[:1])
    name = pairs[0].id
    comparison = compare({name: found.old}, {name: found.new}, gold, {name: found.causes})
    edits, weights = find_edits(before.rules, after.rules)
    return as_json(comparison, (with_effects(edits, [found]), weights))
