"""Single pairs, at once: annotated here, decided and explained by a warm worker.

What people type is looked at while they type: whoever waits for an answer that nobody wants any
more is told so (:class:`SupersededError`) and costs nothing.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
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
    from ists_asp.rules import RuleWarning
    from ists_asp.workbench.project import Project

_ANSWERS, _TABS = 64, 1000
"""Answers that are remembered, and tabs of whom the last question is known."""

_TRACES = 4
"""Traces that a worker holds, for further questions about the same pairs."""

_BEGUN = ""
"""The state of rules of a desk that is not loaded yet."""

_PATIENCE = 3.0
"""Seconds to wait for rules to be loaded, and for a worker to say what it was asked."""

_PROFILES = 2
"""Profiles that are held ready."""


class SupersededError(IstsError):
    """Nobody waits for this any more: the same tab has asked something newer."""


@dataclass(frozen=True, slots=True)
class Decide(Question):
    """The best answer of an annotated pair."""

    pair: Pair

    def answer(self, system: System) -> Answer:
        """Decide it."""
        ((best, *_),) = system.decide([self.pair])
        return best


@dataclass(frozen=True, slots=True)
class Tell(Question):
    """An answer in words."""

    found: Answer

    def answer(self, system: System) -> dict[str, Any]:
        """Say it."""
        return system.explain(self.found).to_dict()


@dataclass(frozen=True, slots=True)
class Rate(Question):
    """How similar the sentences of an answer are."""

    found: Answer

    def answer(self, system: System) -> Rating | None:
        """Rate it, if the profile rates."""
        return system.rate(self.found) if system.rates else None


@dataclass(frozen=True, slots=True)
class Ask(Question):
    """Why a decision about an annotated pair was taken, or why it was not."""

    pair: Pair
    decision: tuple[str, ...]
    negative: bool = False

    def answer(self, system: System) -> dict[str, object]:
        """Trace the pair, unless that was done, and say why."""
        kept: OrderedDict[object, Any] = system.__dict__.setdefault("traces", OrderedDict())
        key = self.pair.id, self.pair.sent1.text, self.pair.sent2.text
        if key not in kept:
            kept[key] = next(system.trace_annotated([self.pair], rated=system.rates))
        kept.move_to_end(key)
        while len(kept) > _TRACES:
            kept.popitem(last=False)
        trace = kept[key]
        if self.negative:
            found: dict[str, object] = trace.why_not(*self.decision).to_dict()
        else:
            found = trace.why(*self.decision).to_dict()
        return found


class _Seat:
    """A warm worker that answers one question at a time."""

    def __init__(self, setup: Setup) -> None:
        self._lock = threading.Lock()
        self.worker = Worker(setup)

    def ask(self, question: Question, wanted: Callable[[], bool] = lambda: True) -> Any:  # noqa: ANN401
        """What the worker says, unless nobody wants to know any more when it is this one's turn."""
        with self._lock:
            if not wanted():
                raise SupersededError("something newer was asked")
            return self.worker.ask(question)

    def close(self) -> None:
        """Kill the worker, after what it was asked if that takes no time."""
        with_turn = self._lock.acquire(timeout=_PATIENCE)
        self.worker.close()
        if with_turn:
            self._lock.release()


class Desk(Closing):
    """A system for single pairs: what annotates, and two warm workers.

    One decides and explains, the other rates meanwhile. The last answers are remembered.
    """

    def __init__(self, setup: Setup, annotator: System | None = None) -> None:
        self.setup = setup
        self.warnings: tuple[RuleWarning, ...] = ()
        self._lock = threading.Lock()
        self._newest: dict[str, int] = {}
        self._annotator = annotator or System(setup)
        self._deciding, self._rating = _Seat(setup), _Seat(setup)
        self._answers: OrderedDict[Pair, Answer] = OrderedDict()

    def begin(self) -> None:
        """Begin the workers; :meth:`load` waits for them."""
        for seat in (self._deciding, self._rating):
            seat.worker.begin()

    def load(self) -> None:
        """Wait until the workers are ready.

        Raises:
            IstsError: the rules cannot be loaded.
        """
        self.warnings = self._deciding.worker.load()
        self._rating.worker.load()

    def warm(self) -> None:
        """Look at a pair, so that nobody waits for what is only loaded when it is needed."""
        answer = self.decide(self.pair("a dog sleeps", "a cat sleeps"))
        self.tell(answer)
        self.why(answer.pair, "1: 1 2" if self.rate(answer) is None else "rating")

    def close(self) -> None:
        """Kill the workers."""
        self.retire()
        self._annotator.close()

    def retire(self) -> None:
        """Kill the workers; what annotates lives on in another desk."""
        self._deciding.close()
        self._rating.close()

    def with_rules(self, setup: Setup) -> Desk:
        """The same with other rules, ready; this one goes on until it is closed.

        Raises:
            IstsError: the rules cannot be loaded.
        """
        other = Desk(setup, self._annotator)
        other._lock = self._lock
        other.begin()
        try:
            other.load()
        except BaseException:
            other.retire()
            raise
        return other

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
                while len(self._newest) > _TABS:
                    del self._newest[next(iter(self._newest))]
            if pair in self._answers:
                return self._answers[pair]
        wanted = lambda: self._newest.get(tab, 0) <= number or not number  # noqa: E731
        found: Answer = self._deciding.ask(Decide(pair), wanted)
        with self._lock:
            self._answers[pair] = found
            while len(self._answers) > _ANSWERS:
                self._answers.popitem(last=False)
        return found

    def tell(self, answer: Answer) -> dict[str, Any]:
        """An answer in words, as JSON values; nothing where the profile has none."""
        found: dict[str, Any] = self._deciding.ask(Tell(answer))
        return found

    def rate(self, answer: Answer) -> Rating | None:
        """The rating of an answer; None where the profile does not rate."""
        found: Rating | None = self._rating.ask(Rate(answer))
        return found

    def why(self, pair: Pair, *decision: str, negative: bool = False) -> dict[str, object]:
        """Why a decision was taken, or why it was not, as JSON values."""
        found: dict[str, object] = self.ask(Ask(pair, decision, negative))
        return found

    def ask(self, question: Question) -> Any:  # noqa: ANN401 (whatever a question gets)
        """What the second worker says to a question of another kind."""
        found: Any = self._rating.ask(question)
        return found


class Desks(Closing):
    """A desk for each profile that is used, with the rules that the project has now.

    Where these cannot be loaded, the last ones that could be go on; ``fault`` says why.
    """

    def __init__(self, project: Project, setup: Setup) -> None:
        self._project = project
        self._setup = setup
        self._lock = threading.RLock()
        self._desks: OrderedDict[str, tuple[str, Desk]] = OrderedDict()
        self._renewals: dict[str, tuple[str, Future[Desk]]] = {}
        self._thread = ThreadPoolExecutor(1)
        self.fault: IstsError | None = None

    def setup(self, profile: str | None = None) -> Setup:
        """The options of a system with the rules of the project."""
        rules = tuple(self._project.rule_files())
        return replace(self._setup, profile=profile or self._project.profile, rules=rules)

    def desk(self, profile: str | None = None, patience: float | None = _PATIENCE) -> Desk:
        """The desk for a profile, by default the project's.

        If its rules take more seconds to load than there is ``patience``, it is the one before.

        Raises:
            IstsError: it cannot be loaded, and never could be.
        """
        profile = profile or self._project.profile
        with self._lock:
            state = self._project.state.digest
            if profile not in self._desks:
                self._desks[profile] = _BEGUN, Desk(self.setup(profile))
            known, desk = self._desks[profile]
            self._desks.move_to_end(profile)
            if known == state:
                return desk
            wanted, renewal = self._renewals.get(profile, ("", None))
            if renewal is None or wanted != state:
                renewal = self._thread.submit(self._renew, profile, state)
                self._renewals[profile] = state, renewal
        try:
            return renewal.result(None if known == _BEGUN else patience)
        except TimeoutError:
            # Rules that take long to load, or for ever, are no reason to wait.
            return desk

    def _renew(self, profile: str, state: str) -> Desk:
        """Load the rules that hold now; those that cannot be loaded leave the desk as it is."""
        known, old = self._desks[profile]
        if known == state:
            return old
        desk = old
        try:
            if known == _BEGUN:
                desk.load()
            else:
                desk = old.with_rules(self.setup(profile))
            self.fault = None
        except IstsError as error:
            self.fault = error
            if known == _BEGUN:
                with self._lock:
                    self._desks.pop(profile)[1].close()
                    self._renewals.pop(profile, None)
                raise
        with self._lock:
            # Not again for each question, if it failed: the next save may mend it.
            self._desks[profile] = state, desk
            if self._renewals.get(profile, (state,))[0] == state:
                self._renewals.pop(profile, None)
            unused = [old] if desk is not old else []
            while len(self._desks) > _PROFILES:
                unused.append(self._desks.popitem(last=False)[1][1])
        for one in unused:
            one.retire()
        return desk

    def begin(self) -> None:
        """Begin the worker of the project's profile, which loads while other things are done."""
        with self._lock:
            desk = Desk(self.setup())
            desk.begin()
            self._desks[self._project.profile] = _BEGUN, desk

    def close(self) -> None:
        """Kill all workers."""
        with self._lock:
            for _, desk in self._desks.values():
                desk.close()
            self._desks.clear()
        self._thread.shutdown(wait=False, cancel_futures=True)
