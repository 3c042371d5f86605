"""Single pairs, at once: annotated here, decided and explained by a warm worker.

What people type is looked at while they type: whoever waits for an answer that nobody wants any
more is told so (:class:`SupersededError`) and costs nothing.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ists_asp.engine import Setup, System
from ists_asp.errors import IstsError
from ists_asp.resources import Closing
from ists_asp.run.pool import Worker
from ists_asp.run.worker import Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ists_asp.engine.preparation import GivenSentence
    from ists_asp.model import Answer, Pair, Rating
    from ists_asp.rules import RuleWarning
    from ists_asp.workbench.project import Project

_TRACES = 4
"""Traces that a worker holds, for further questions about the same pairs."""

_BEGUN = ""
"""The state of rules of a desk that is not loaded yet."""

_PROFILES = 2
"""Profiles that are held ready."""


class SupersededError(IstsError):
    """Nobody waits for this any more: the same tab has asked something newer."""


@dataclass(frozen=True, slots=True)
class Decide(Question):
    """The best answer of an annotated pair, rated if the profile rates."""

    pair: Pair
    rated: bool = False

    def answer(self, system: System) -> Answer:
        """Decide it."""
        ((best, *_),) = system.decide([self.pair], rated=self.rated and system.rates)
        return best


@dataclass(frozen=True, slots=True)
class Tell(Question):
    """An answer in words, and its rating."""

    found: Answer

    def answer(self, system: System) -> tuple[dict[str, Any], Rating | None]:
        """Say it, and rate it."""
        told = system.explain(self.found).to_dict() if system.profile.explanation else {}
        return told, system.rate(self.found) if system.rates else None


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


class Desk(Closing):
    """A system with a worker that is warm, for single pairs; one question at a time."""

    def __init__(self, setup: Setup) -> None:
        self._lock = threading.Lock()
        self._newest: dict[str, int] = {}
        self._annotator = System(setup)
        self._worker = Worker(setup)
        self.setup = setup
        self.warnings: tuple[RuleWarning, ...] = ()

    def begin(self) -> None:
        """Begin the worker; :meth:`load` waits for it."""
        self._worker.begin()

    def load(self) -> None:
        """Wait until the worker is ready.

        Raises:
            IstsError: the rules cannot be loaded.
        """
        self.warnings = self._worker.load()

    def warm(self) -> None:
        """Look at a pair, so that nobody waits for what is only loaded when it is needed."""
        self.tell(self.decide(self.pair("a dog sleeps", "a cat sleeps")))

    def close(self) -> None:
        """Kill the worker."""
        self._worker.close()
        self._annotator.close()

    def with_rules(self, setup: Setup) -> Desk:
        """The same with other rules, ready; this one goes on until it is closed.

        Raises:
            IstsError: the rules cannot be loaded.
        """
        other = Desk.__new__(Desk)
        other.__dict__ |= self.__dict__ | {"setup": setup, "_worker": Worker(setup)}
        other._worker.begin()
        try:
            other.warnings = other._worker.load()
        except BaseException:
            other._worker.close()
            raise
        return other

    def retire(self) -> None:
        """End the worker once nobody asks it; what annotates lives on in another desk."""
        with self._lock:
            self._worker.close()

    @contextmanager
    def _turn(self, tab: str, number: int) -> Iterator[None]:
        """Wait for one's turn, unless the tab has asked something newer meanwhile."""
        if number:
            self._newest[tab] = max(number, self._newest.get(tab, 0))
            while len(self._newest) > 1000:
                del self._newest[next(iter(self._newest))]
        with self._lock:
            if number and self._newest.get(tab, 0) > number:
                raise SupersededError("something newer was asked")
            yield

    def pair(self, first: GivenSentence, second: GivenSentence, identifier: str = "1") -> Pair:
        """An annotated pair; text is tokenised."""
        with self._lock:
            read = self._annotator.read([(identifier, first, second)])
            return next(self._annotator.annotate(read))

    def annotate(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Many pairs, annotated; those of text are tokenised."""
        with self._lock:
            return list(self._annotator.annotate(self._annotator.tokenized(pairs)))

    def decide(self, pair: Pair, *, rated: bool = False, tab: str = "", number: int = 0) -> Answer:
        """The best answer; questions of a tab that have a number give way to newer ones."""
        with self._turn(tab, number):
            found: Answer = self._worker.ask(Decide(pair, rated))
            return found

    def tell(
        self, answer: Answer, tab: str = "", number: int = 0
    ) -> tuple[dict[str, Any], Rating | None]:
        """An answer in words, and its rating."""
        with self._turn(tab, number):
            found: tuple[dict[str, Any], Rating | None] = self._worker.ask(Tell(answer))
            return found

    def why(self, pair: Pair, *decision: str) -> dict[str, object]:
        """Why a decision was taken, as JSON values."""
        with self._lock:
            found: dict[str, object] = self._worker.ask(Ask(pair, decision))
            return found

    def why_not(self, pair: Pair, *decision: str) -> dict[str, object]:
        """Why a decision was not taken, as JSON values."""
        with self._lock:
            found: dict[str, object] = self._worker.ask(Ask(pair, decision, negative=True))
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
        self.fault: IstsError | None = None

    def setup(self, profile: str | None = None) -> Setup:
        """The options of a system with the rules of the project."""
        rules = tuple(self._project.rule_files())
        return replace(self._setup, profile=profile or self._project.profile, rules=rules)

    def desk(self, profile: str | None = None) -> Desk:
        """The desk for a profile, by default the project's.

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
            try:
                if known == _BEGUN:
                    desk.load()
                else:
                    old, desk = desk, desk.with_rules(self.setup(profile))
                    old.retire()
                self.fault = None
            except IstsError as error:
                self.fault = error
                if known == _BEGUN:
                    self._desks.pop(profile)[1].close()
                    raise
            # Not again for each question, if it failed: the next save may mend it.
            self._desks[profile] = state, desk
            while len(self._desks) > _PROFILES:
                self._desks.popitem(last=False)[1][1].close()
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
