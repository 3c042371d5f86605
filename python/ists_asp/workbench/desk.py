"""Single pairs, at once: annotated here, decided and explained by a warm worker.

What people type is looked at while they type: whoever waits for an answer that nobody wants any
more is told so (:class:`SupersededError`) and costs nothing.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ists_asp.engine import Setup, System
from ists_asp.errors import IstsError
from ists_asp.resources import Closing
from ists_asp.run.pool import Worker
from ists_asp.run.worker import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ists_asp.engine.preparation import GivenSentence
    from ists_asp.model import Answer, Pair, Rating
    from ists_asp.workbench.project import Project

_ANSWERS, _TABS = 64, 1000
"""Answers that are remembered, and tabs of whom the last question is known."""

_TRACES = 4
"""Traces that a worker holds, for further questions about the same pairs."""

_PATIENCE = 3.0
"""Seconds to wait for rules to be loaded, and for a worker to say what it was asked."""

_PROFILES = 2
"""Profiles that are held ready."""


class SupersededError(IstsError):
    """Nobody waits for this any more: the same tab has asked something newer."""


@dataclass(frozen=True, slots=True)
class Call(Question):
    """A function of a module, to be called with the system of a worker and arguments."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def answer(self, system: System) -> object:
        """Call it."""
        return self.function(system, *self.arguments)


def _decide(system: System, pair: Pair) -> Answer:
    ((best, *_),) = system.decide([pair])
    return best


def _tell(system: System, found: Answer) -> dict[str, Any]:
    return system.explain(found).to_dict()


def _rate(system: System, found: Answer) -> Rating | None:
    return system.rate(found) if system.rates else None


def _why(system: System, pair: Pair, decision: Sequence[str], negative: bool) -> dict[str, object]:
    """Trace a pair, unless that was done, and say why, or why not."""
    kept: OrderedDict[object, Any] = system.__dict__.setdefault("traces", OrderedDict())
    key = pair.id, pair.sent1.text, pair.sent2.text
    if key not in kept:
        kept[key] = next(system.trace_annotated([pair], rated=system.rates))
    kept.move_to_end(key)
    while len(kept) > _TRACES:
        kept.popitem(last=False)
    asked = kept[key].why_not if negative else kept[key].why
    found: dict[str, object] = asked(*decision).to_dict()
    return found


class Seat(Closing):
    """A warm worker that answers one question at a time, and another one after so many."""

    renewed = sys.maxsize

    def __init__(self, setup: Setup) -> None:
        self._setup, self._asked = setup, 0
        self._lock = threading.Lock()
        self.worker = Worker(setup)

    def ask(self, question: Question, wanted: Callable[[], bool] = lambda: True) -> Any:  # noqa: ANN401
        """What the worker says, unless nobody wants to know any more when it is this one's turn."""
        with self._lock:
            if not wanted():
                raise SupersededError("something newer was asked")
            self._asked += 1
            if self._asked % self.renewed == 0:
                self.interrupt()
            return self.worker.ask(question)

    def interrupt(self) -> None:
        """Kill the worker, whatever it does; the next question begins another one."""
        old, self.worker = self.worker, Worker(self._setup)
        old.close()

    def close(self) -> None:
        """Kill the worker, after what it was asked if that takes no time."""
        with_turn = self._lock.acquire(timeout=_PATIENCE)
        self.worker.close()
        if with_turn:
            self._lock.release()


class Desk(Closing):
    """A system for single pairs: what annotates, and two warm workers.

    One decides and explains, the other rates meanwhile. The last answers are remembered. ``state``
    says which rules they have loaded, or load.
    """

    def __init__(self, setup: Setup) -> None:
        self.state = ""
        self.loading: Future[None] = Future()
        self._lock = threading.Lock()
        self._newest: dict[str, int] = {}
        self._annotator = System(setup)
        self._begun: Sequence[Seat] = _begun(setup)
        self._seats: Sequence[Seat] = ()
        self._answers: dict[Pair, Answer] = {}

    @property
    def loaded(self) -> bool:
        """Whether there are workers that have loaded rules."""
        return bool(self._seats)

    def load(self, setup: Setup) -> None:
        """Have workers load rules, which the others give way to then.

        Raises:
            IstsError: they cannot be loaded; the workers that there are go on.
        """
        seats, self._begun = self._begun or _begun(setup), ()
        try:
            for seat in seats:
                seat.worker.load()
            with self._lock:
                seats, self._seats, self._answers = self._seats, seats, {}
        finally:
            for seat in seats:
                seat.close()

    def warm(self) -> None:
        """Look at a pair, so that nobody waits for what is only loaded when it is needed."""
        answer = self.decide(self.pair("a dog sleeps", "a cat sleeps"))
        self.tell(answer)
        self.why(answer.pair, "1: 1 2" if self.rate(answer) is None else "rating")

    def close(self) -> None:
        """Kill the workers."""
        for seat in (*self._begun, *self._seats):
            seat.close()
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

    def decide(self, pair: Pair, *, tab: str = "", number: int = 0) -> Answer:
        """The best answer; questions of a tab that have a number give way to newer ones."""
        with self._lock:
            if number:
                self._newest[tab] = max(number, self._newest.pop(tab, 0))
                _forget(self._newest, _TABS)
            seats, answers = self._seats, self._answers
        if pair not in answers:
            wanted = lambda: self._newest.get(tab, 0) <= number or not number  # noqa: E731
            found: Answer = seats[0].ask(Call(_decide, (pair,)), wanted)
            with self._lock:
                answers[pair] = found
                _forget(answers, _ANSWERS)
            return found
        return answers[pair]

    def tell(self, answer: Answer) -> dict[str, Any]:
        """An answer in words, as JSON values; nothing where the profile has none."""
        found: dict[str, Any] = self._seats[0].ask(Call(_tell, (answer,)))
        return found

    def rate(self, answer: Answer) -> Rating | None:
        """The rating of an answer; None where the profile does not rate."""
        found: Rating | None = self.ask(Call(_rate, (answer,)))
        return found

    def why(self, pair: Pair, *decision: str, negative: bool = False) -> dict[str, object]:
        """Why a decision was taken, or why it was not, as JSON values."""
        found: dict[str, object] = self.ask(Call(_why, (pair, decision, negative)))
        return found

    def ask(self, question: Question) -> Any:  # noqa: ANN401 (whatever a question gets)
        """What the second worker says to a question."""
        return self._seats[1].ask(question)


def _begun(setup: Setup) -> Sequence[Seat]:
    """Workers that load rules while other things are done."""
    seats = Seat(setup), Seat(setup)
    for seat in seats:
        seat.worker.begin()
    return seats


def _forget(held: dict[Any, Any], most: int) -> None:
    """Let go what was put in first."""
    while len(held) > most:
        del held[next(iter(held))]


class Desks(Closing):
    """A desk for each profile that is used, with the rules that the project has now.

    Where these cannot be loaded, the last ones that could be go on; ``fault`` says why.
    """

    def __init__(self, project: Project, setup: Setup) -> None:
        self._project = project
        self._setup = setup
        self._lock = threading.Lock()
        self._desks: OrderedDict[str, Desk] = OrderedDict()
        self._thread = ThreadPoolExecutor(1)
        self.fault: IstsError | None = None

    def setup(self, profile: str | None = None) -> Setup:
        """The options of a system with the rules of the project."""
        rules = tuple(self._project.rule_files())
        return replace(self._setup, profile=profile or self._project.profile, rules=rules)

    def begin(self, profile: str | None = None) -> Desk:
        """The desk for a profile, whose workers load the rules while other things are done."""
        profile = profile or self._project.profile
        with self._lock:
            setup, state = self.setup(profile), self._project.state.digest
            desk = self._desks.get(profile) or Desk(setup)
            self._desks[profile] = desk
            self._desks.move_to_end(profile)
            while len(self._desks) > _PROFILES:
                self._thread.submit(self._desks.popitem(last=False)[1].close)
            if desk.state != state:
                desk.state = state
                desk.loading = self._thread.submit(self._load, desk, setup)
            return desk

    def desk(self, profile: str | None = None, patience: float | None = _PATIENCE) -> Desk:
        """The desk for a profile, by default the project's.

        If its rules take more seconds to load than there is ``patience``, or cannot be loaded, it
        has those before.

        Raises:
            IstsError: they cannot be loaded, and there are none before.
        """
        desk = self.begin(profile)
        if not desk.loaded:
            desk.loading.result()
        with suppress(TimeoutError, IstsError):
            desk.loading.result(patience)
        return desk

    def _load(self, desk: Desk, setup: Setup) -> None:
        try:
            desk.load(setup)
            self.fault = None
        except IstsError as error:
            self.fault = error
            if not desk.loaded:
                # The next question tries again; otherwise the next save may mend it.
                desk.state = ""
            raise

    def close(self) -> None:
        """Kill all workers."""
        with self._lock:
            for desk in self._desks.values():
                desk.close()
            self._desks.clear()
        self._thread.shutdown(wait=False, cancel_futures=True)
