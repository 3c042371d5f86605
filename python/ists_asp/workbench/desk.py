"""Single pairs, at once: annotated here, decided and explained by a warm worker.

What people type is looked at while they type: whoever waits for an answer that nobody wants any
more is told so (:class:`SupersededError`) and costs nothing.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from ists_asp.engine import Setup, System
from ists_asp.engine.answer import SolvedAnswer
from ists_asp.errors import IstsError, UsageError
from ists_asp.resources import Closing
from ists_asp.run.pool import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ists_asp.engine.preparation import GivenSentence
    from ists_asp.model import Answer, Pair, Rating
    from ists_asp.run.worker import Question
    from ists_asp.trace import AskedTrace
    from ists_asp.workbench.project import Project


_ANSWERS = 64
"""Answers that are remembered."""

_PATIENCE = 3.0
"""Seconds to wait for rules to be loaded."""

_PROFILES = 2
"""Profiles that are held ready."""


class SupersededError(IstsError):
    """Nobody waits for this any more: the same tab has asked something newer."""


def _ending() -> UsageError:
    return UsageError("the server is ending", hint="Start it again")


def _decide(system: System, pair: Pair) -> SolvedAnswer:
    ((best, *_),) = system.decide([pair])
    return SolvedAnswer.of(best, knowledge=system.knowledge, made_by=system.provenance)


def _tell(system: System, found: Answer) -> dict[str, Any]:
    return system.explain(found).to_dict()


def _rate(system: System, found: Answer) -> Rating | None:
    return system.rate(found) if system.rates else None


@lru_cache(4)
def _trace(system: System, pair: Pair) -> AskedTrace:
    """A trace, which is asked about more than once."""
    return next(system.trace_annotated([pair], rated=system.rates))


def _why(system: System, pair: Pair, decision: Sequence[str], negative: bool) -> dict[str, Any]:
    trace = _trace(system, pair)
    return (trace.why_not(*decision) if negative else trace.why(*decision)).to_dict()


class Seat:
    """A warm worker that answers one question at a time, and another one after so many."""

    def __init__(self, setup: Setup, renewed: int = sys.maxsize) -> None:
        self._setup, self._asked, self._renewed = setup, 0, renewed
        self._lock = threading.Lock()
        self.worker = Worker(setup)

    def ask(self, question: Question, wanted: Callable[[], bool] = lambda: True) -> Any:  # noqa: ANN401
        """What the worker says, unless nobody wants to know any more when it is this one's turn."""
        with self._lock:
            if not wanted():
                raise SupersededError("something newer was asked")
            self._asked += 1
            if self._asked % self._renewed == 0:
                self.interrupt()
            return self.worker.ask(question)

    def interrupt(self) -> None:
        """Kill the worker, whatever it does; the next question begins another one."""
        old, self.worker = self.worker, Worker(self._setup)
        old.close()


class Desk(Closing):
    """A system for single pairs: what annotates, and two warm workers, the ``seats``.

    One decides and explains, the other rates meanwhile. The last answers are remembered. ``state``
    tells the rules that they have loaded, or load.
    """

    def __init__(self, setup: Setup) -> None:
        self.state = ""
        self.loading: Future[None] = Future()
        self.seats: Sequence[Seat] = ()
        self._begun = _begun(setup)
        self._lock = threading.Lock()
        self._newest: dict[str, int] = {}
        self._annotator = System(setup)
        self._answers: dict[Pair, SolvedAnswer] = {}

    def load(self, setup: Setup) -> None:
        """Have workers load rules, which those with other rules give way to then.

        Raises:
            IstsError: they cannot be loaded; the workers that there are go on.
        """
        self._begun = seats = self._begun or _begun(setup)
        try:
            for seat in seats:
                seat.worker.load()
            with self._lock:
                seats, self.seats, self._answers = self.seats, seats, {}
        finally:
            self._begun = ()
            for seat in seats:
                seat.worker.close()

    def warm(self) -> None:
        """Look at a pair, so that nobody waits for what is only loaded when it is needed."""
        answer = self.decide(self.pair("a dog sleeps", "a cat sleeps"))
        self.tell(answer)
        self.why(answer.pair, "1: 1 2" if self.rate(answer) is None else "rating")

    def close(self) -> None:
        """Kill the workers."""
        for seat in (*self._begun, *self.seats):
            seat.worker.close()
        self._annotator.close()

    def pair(self, first: GivenSentence, second: GivenSentence, identifier: str = "1") -> Pair:
        """An annotated pair; text is tokenised."""
        with self._lock:
            read = self._annotator.read([(identifier, first, second)])
            return next(self._annotator.annotate(read))

    def annotate(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Many pairs, annotated; those of text are tokenised."""
        with self._lock:
            return list(self._annotator.annotate(self._annotator.tokenized(pairs)))

    def decide(self, pair: Pair, *, tab: str = "", number: int = 0) -> SolvedAnswer:
        """The best answer; questions of a tab that have a number give way to newer ones."""
        with self._lock:
            if number:
                self._newest[tab] = max(number, self._newest.get(tab, 0))
            answers = self._answers
        found = answers.get(pair)
        if found is None:
            wanted = lambda: not number or self._newest[tab] <= number  # noqa: E731
            found = answers[pair] = self._ask(0, partial(_decide, pair=pair), wanted)
            with self._lock:
                while len(answers) > _ANSWERS:
                    del answers[next(iter(answers))]
        return found

    def tell(self, answer: Answer) -> dict[str, Any]:
        """An answer in words, as JSON values; nothing where the profile has none."""
        found: dict[str, Any] = self._ask(0, partial(_tell, found=answer))
        return found

    def rate(self, answer: Answer) -> Rating | None:
        """The rating of an answer; None where the profile does not rate."""
        found: Rating | None = self.ask(partial(_rate, found=answer))
        return found

    def why(self, pair: Pair, *decision: str, negative: bool = False) -> dict[str, Any]:
        """Why a decision was taken, or why it was not, as JSON values."""
        asked = partial(_why, pair=pair, decision=decision, negative=negative)
        found: dict[str, Any] = self.ask(asked)
        return found

    def ask(self, question: Question) -> Any:  # noqa: ANN401 (whatever a question gets)
        """What the second worker says to a question."""
        return self._ask(1, question)

    def _ask(self, number: int, question: Question, *wanted: Callable[[], bool]) -> Any:  # noqa: ANN401
        seats = self.seats
        try:
            return seats[number].ask(question, *wanted)
        except IstsError:
            if seats is self.seats:
                raise
        # The worker has given way to one with other rules meanwhile.
        return self._ask(number, question, *wanted)


def _begun(setup: Setup) -> Sequence[Seat]:
    """Workers that load rules while other things are done."""
    seats = Seat(setup), Seat(setup)
    for seat in seats:
        seat.worker.begin()
    return seats


class Desks(Closing):
    """A desk for each profile that is used, with the rules that the project has now.

    Where these cannot be loaded, the last ones that could be go on; ``fault`` says why.
    """

    def __init__(self, project: Project, setup: Setup) -> None:
        self._project, self._setup = project, setup
        self._lock = threading.Lock()
        self._desks: OrderedDict[str, Desk] = OrderedDict()
        self._thread = ThreadPoolExecutor(1)
        self._closed = False

    def setup(self, profile: str | None = None) -> Setup:
        """The options of a system with the rules of the project."""
        rules = tuple(self._project.rule_files())
        return replace(self._setup, profile=profile or self._project.profile, rules=rules)

    def begin(self, profile: str | None = None) -> Desk:
        """The desk for a profile, whose workers load the rules while other things are done."""
        profile = profile or self._project.profile
        with self._lock:
            if self._closed:
                raise _ending()
            state = self._project.state.digest
            desk = self._desks[profile] = self._desks.get(profile) or Desk(self.setup(profile))
            self._desks.move_to_end(profile)
            while len(self._desks) > _PROFILES:
                self._desks.popitem(last=False)[1].close()
            # Those that cannot be loaded are tried again only where there are no others.
            if desk.state != state or (desk.loading.done() and not desk.seats):
                loading = self._thread.submit(desk.load, self.setup(profile))
                desk.state, desk.loading = state, loading
            return desk

    def desk(self, profile: str | None = None, patience: float | None = _PATIENCE) -> Desk:
        """The desk for a profile, by default the project's.

        If its rules take more seconds to load than there is ``patience``, or cannot be loaded, it
        has those before.

        Raises:
            IstsError: they cannot be loaded, and there are none before.
        """
        desk = self.begin(profile)
        try:
            if not desk.seats:
                desk.loading.result()
            with suppress(TimeoutError, IstsError):
                desk.loading.result(patience)
        except CancelledError:
            raise _ending() from None
        return desk

    @property
    def fault(self) -> BaseException | None:
        """Why the rules that the project has now cannot be loaded, if that is known."""
        loading = self.begin().loading
        return loading.exception() if loading.done() else None

    def close(self) -> None:
        """Kill all workers."""
        with self._lock:
            self._closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)
        for desk in self._desks.values():
            desk.close()
