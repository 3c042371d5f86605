"""Single pairs, at once: annotated here, decided and explained by a warm worker.

Pairs are decided while people type: a question that a newer one replaces ends with a
:class:`SupersededError`. Slow answers are streams of JSON records, which end with the connection.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeAlias

from fastapi.responses import StreamingResponse
from msgspec import json

from ists_asp.engine import Setup, System
from ists_asp.engine.answer import SolvedAnswer
from ists_asp.engine.preparation import GivenSentence
from ists_asp.errors import IstsError, UsageError
from ists_asp.lang import translated
from ists_asp.model import Pair
from ists_asp.resources import Closing
from ists_asp.rules import load_profile
from ists_asp.run import worker as questions
from ists_asp.run.pool import Worker
from ists_asp.run.worker import Question
from ists_asp.solver.batch import batches
from ists_asp.terminal import visible
from ists_asp.workbench.project import Project

_ANSWERS = 64  # answers that are remembered
_PATIENCE = 3.0  # seconds to wait for rules to be loaded
_PROFILES = 2  # profiles that are held ready

Step: TypeAlias = Literal["undo", "redo"]


class EndingError(UsageError):
    """The server ends, or works with other profiles: the question has no answer."""

    def __init__(self) -> None:
        found = "the server is ending, or works with other profiles now"
        super().__init__(found, hint="Ask again, or start it again")


class Newest:
    """Who asks gives way to a newer question with the same key, such as the tab of a browser."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._lock = threading.Lock()

    def wanted(self, key: object, number: int | None = None) -> Callable[[], bool]:
        """Say whether a question is still the newest; without a number it is newer than all."""
        with self._lock:
            last = self._numbers.get(key, 0)
            current = last + 1 if number is None else number
            self._numbers[key] = max(last, current)
        return lambda: self._numbers[key] <= current


class Desk(Closing):
    """A system for single pairs, which annotates, and two warm ``workers``.

    One decides and explains, the other rates. Answers are cached. ``state`` names the rules.
    """

    def __init__(self, setup: Setup) -> None:
        self.state = ""
        self.loading: Future[None] = Future()
        self.workers: Sequence[Worker] = ()
        self._begun = _begun(setup)
        self._lock, self._loads = threading.Lock(), threading.Lock()
        self._newest = Newest()
        self._annotator = System(setup)
        self._answers: dict[Pair, SolvedAnswer] = {}
        self._closed = False

    def load(self, setup: Setup) -> None:
        """Have workers load rules, and replace the others; these go on if that is an IstsError."""
        with self._loads:
            self._begun = workers = self._begun or _begun(setup)
            try:
                for worker in workers:
                    worker.load()
                with self._lock:
                    workers, self.workers, self._answers = self.workers, workers, {}
            finally:
                self._begun = ()
                for worker in workers:
                    worker.close()

    def give_up(self) -> None:
        """Load no longer what is being loaded, or waits for that."""
        self.loading.cancel()
        for worker in self._begun:
            worker.close()

    def warm(self) -> None:
        """Decide a pair, which loads everything that loads on demand."""
        answer = self.decide(self.pair("a dog sleeps", "a cat sleeps"))
        self.ask(partial(questions.explain, answer=answer), worker=0)
        rating = self.ask(partial(questions.rate, answer=answer))
        self.why(answer.pair, "1: 1 2" if rating is None else "rating")

    def close(self) -> None:
        """Kill the workers; questions that wait for them get an EndingError."""
        self._closed = True
        self.give_up()
        for worker in self.workers:
            worker.close()
        self._annotator.close()

    def pair(self, first: GivenSentence, second: GivenSentence, identifier: str = "1") -> Pair:
        """An annotated pair; text is tokenised."""
        with self._open(), self._lock:
            pairs = self._annotator.read([(identifier, first, second)])
            return next(self._annotator.annotate(pairs))

    def annotate(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Many pairs, annotated; those of text are tokenised. Single ones wait for a batch."""
        annotated = list[Pair]()
        for batch in batches(pairs):
            with self._open(), self._lock:
                annotated += self._annotator.annotate(self._annotator.tokenized(batch))
            time.sleep(0.001)  # else this thread would have the lock again before those who wait
        return annotated

    def decide(self, pair: Pair, *, tab: str = "", number: int = 0) -> SolvedAnswer:
        """The best answer; questions of a tab that have a number give way to newer ones."""
        wanted = self._newest.wanted(tab, number) if number else lambda: True
        answers = self._answers
        answer = answers.get(pair)
        if answer is None:
            question = partial(questions.decide, pair=pair)
            answer = answers[pair] = self.ask(question, worker=0, wanted=wanted)
            with self._lock:
                while len(answers) > _ANSWERS:
                    del answers[next(iter(answers))]
        return answer

    def why(self, pair: Pair, *decision: str, negative: bool = False) -> dict[str, Any]:
        """Why a decision was taken, or why it was not, as JSON values."""
        question = partial(questions.why, pair=pair, decision=decision, negative=negative)
        return dict(self.ask(question))

    def ask(
        self,
        question: Question,
        items: Sequence[Any] | None = None,
        *,
        worker: int = 1,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Any:  # noqa: ANN401
        """The reply of a worker, by default the second, to a question; see :meth:`Worker.ask`."""
        with self._open():
            while True:
                workers = self.workers
                try:
                    return workers[worker].ask(question, items, wanted=wanted)
                except IstsError:
                    # If it has given way to one with other rules meanwhile, that is asked.
                    if workers is self.workers:
                        raise

    @contextmanager
    def _open(self) -> Iterator[None]:
        """Say of whatever fails once the desk is closed that this is why."""
        try:
            yield
        except Exception:
            if self._closed:
                raise EndingError from None
            raise


def _begun(setup: Setup) -> Sequence[Worker]:
    """Workers that load rules while other things are done."""
    setup = replace(setup, ahead=True)
    workers = Worker(setup, math.inf), Worker(setup, math.inf)
    for worker in workers:
        worker.begin()
    return workers


class Desks(Closing):
    """A desk for each profile in use, with the current rules or the last ones that loaded."""

    def __init__(self, project: Project, setup: Setup) -> None:
        self._project, self._setup = project, setup
        self._lock = threading.Lock()
        self._desks: OrderedDict[str, Desk] = OrderedDict()
        self._threads = ThreadPoolExecutor(_PROFILES + 2)
        self.closed = False

    def setup(self, profile: str | None = None) -> Setup:
        """The options of a system with the rules of the project."""
        rules = tuple(self._project.rule_files())
        return replace(self._setup, profile=profile or self._project.profile, rules=rules)

    def begin(self, profile: str | None = None) -> Desk:
        """The desk for a profile, whose workers load the rules while other things are done."""
        profile = profile or self._project.profile
        with self._lock:
            if self.closed:
                raise EndingError
            state = self._project.state.digest
            if (desk := self._desks.get(profile)) is None:
                load_profile(profile)
                desk = self._desks[profile] = Desk(self.setup(profile))
            self._desks.move_to_end(profile)
            # Those without rules that could be loaded take no place.
            live = (name for name, at in self._desks.items() if at.workers or not at.loading.done())
            for name in [*live][:-_PROFILES]:
                self._desks.pop(name).close()
            # Rules that cannot be loaded are not tried again until a file is changed.
            if desk.state != state:
                if desk.state:
                    desk.give_up()
                loading = self._threads.submit(desk.load, self.setup(profile))
                desk.state, desk.loading = state, loading
            return desk

    def desk(self, profile: str | None = None, patience: float | None = _PATIENCE) -> Desk:
        """The desk for a profile, with the rules before if the new ones fail or take too long."""
        desk = self.begin(profile)
        try:
            if not desk.workers:
                desk.loading.result()
            with suppress(TimeoutError, IstsError):
                desk.loading.result(patience)
        except CancelledError:
            if self.closed:
                raise EndingError from None
            # The rules have changed meanwhile.
            return self.desk(profile, patience)
        return desk

    @property
    def fault(self) -> BaseException | None:
        """Why the rules that the project has now cannot be loaded, if that is known."""
        loading = self.begin().loading
        return loading.exception() if loading.done() else None

    def close(self) -> None:
        """Kill all workers."""
        with self._lock:
            self.closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for desk in self._desks.values():
            desk.close()


@dataclass(frozen=True, slots=True)
class Bench:
    """A project at work; what is ``closing`` ends with the server."""

    project: Project
    desks: Desks
    closing: ExitStack = field(default_factory=ExitStack)

    def told(self, error: object) -> str:
        """An error as a page shows it, in the language of the project."""
        return visible(translated(self.project.language, str(error)))

    def streamed(self, records: Iterable[dict[str, Any]]) -> StreamingResponse:
        """Records as they come; an error is the last of them."""

        def lines() -> Iterator[bytes]:
            try:
                for record in records:
                    yield json.encode(record) + b"\n"
            except IstsError as error:
                yield json.encode({"error": self.told(error)}) + b"\n"

        return StreamingResponse(lines(), media_type="application/x-ndjson")

    def annotated(self, desk: Desk, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Pairs ready for the worker of a desk; a UsageError as soon as the rules are changed."""
        state = self.project.state.digest
        for pair in pairs:
            if self.project.state.digest != state:
                raise UsageError("the rules were changed meanwhile", hint="Ask again")
            yield desk.pair(pair.sent1, pair.sent2, pair.id)
