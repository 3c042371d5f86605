"""The side of a process that is asked: it answers questions until its client ends.

A question is a function of a module, which gets the system of the process and maybe items, such as
annotated pairs; its result is pickled. Meanwhile it may report progress (:func:`step`) or a warning
(:func:`warn`). Stanza and torch are loaded only on demand. Traces hold the ground program and stay
in the process.
"""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from itertools import chain, compress, islice, repeat, tee
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ists_asp import errors, processes
from ists_asp.engine import Setup, System, Timings
from ists_asp.engine.answer import SolvedAnswer
from ists_asp.engine.preparation import freeze_gc, sums
from ists_asp.io.formats import Outcome
from ists_asp.io.store import TRACES, Memo
from ists_asp.io.wa import given_answer
from ists_asp.model import Answer, Pair, Rating
from ists_asp.processes import ENDING, end_after, end_with_parent, limit_memory
from ists_asp.resources import gc_paused
from ists_asp.rules import Purpose, RuleWarning
from ists_asp.solver import Solver
from ists_asp.solver.kept import answer_of, data_of
from ists_asp.solver.search import Item
from ists_asp.syntax.ground import Atoms
from ists_asp.terminal import open_doors

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from ists_asp.evaluate.scorer import Reference
    from ists_asp.explain.templates import Templates
    from ists_asp.trace import AskedTrace
    from ists_asp.trace.effects import Looked

T = TypeVar("T")
Question: TypeAlias = "Callable[..., Any]"
"""A function of a module, with all its arguments but the system of a process, and items."""

OUT_OF_MEMORY = 77  # exit code of a process that met its memory limit
_STAYS = 3  # questions from which a process is taken to stay, and what it has loaded with it
_UNCOLLECTED = 10  # questions after which what they leave is collected, though others wait
_LULL = 0.5  # seconds without a question in which it is collected as well

_TRACES = 4  # traces that are kept, as a pair is asked about more than once

_hear: Callable[[str, object], None] = lambda _kind, _value: None  # noqa: E731
"""Hears what is said while a question is answered in this process."""


def step() -> None:
    """Say that something is done, such as a pair: the time of the question begins again."""
    _hear("step", None)


def counted(items: Iterable[T], done: Callable[[], None] = step) -> Iterator[T]:
    """The items, each of which is a step that is done when the next is wanted."""
    for item in items:
        yield item
        done()


def warn(warning: RuleWarning) -> None:
    """Say that something looks suspicious."""
    _hear("warning", warning)


@contextmanager
def telling(system: System) -> Iterator[None]:
    """Warn of what clingo finds suspicious in the rules of a system, also before an error."""
    # A misspelt predicate may be what made a pair unsolvable.
    try:
        yield
    finally:
        for warning in system.warnings:
            warn(warning)


@contextmanager
def heard_by(hear: Callable[[str, object], None]) -> Iterator[None]:
    """Pass what is reported in this process to a function."""
    global _hear
    before, _hear = _hear, hear
    try:
        yield
    finally:
        _hear = before


def failed(pair: Pair, error: errors.IstsError) -> Outcome:
    """Return the outcome of a pair without an answer."""
    return Outcome(pair, failure=errors.SolveError(error.found, hint=error.hint))


class Decider:
    """A system that is asked, and decides pairs as a setup says: rated, explained or traced."""

    # It loads at once: faulty rules are no pair's fault.

    def __init__(self, setup: Setup, system: System | None = None) -> None:
        self.setup = setup
        self.system = system = System(setup) if system is None else system
        self._extra: dict[RuleWarning, None] = {}
        system.solver, system.knowledge  # noqa: B018 (loaded when first asked for)
        if setup.traced:
            step()
            system.load_tracers(step, rated=setup.rated)
        if setup.explained:
            system.program(Purpose.EXPLANATION), self._templates
        rating = system.program(Purpose.RATING).rules.files if setup.rated else ()
        if setup.files and sums((*system.rules.files, *rating)) != setup.files:
            hint = "Run it again, with rules that stay as they are"
            raise errors.RuleError("a rule file has changed since the run began", hint=hint)

    def answer(self, question: Question, items: Sequence[Any] | None = None) -> Any:  # noqa: ANN401
        """Answer a question, about items in their order; an error names the first of them."""
        answering = self if question is Decider.outcomes else self.system
        try:
            if items is None:
                return question(answering)
            with errors.inside(items[0]):
                return list(question(answering, items))
        finally:
            self.warn()

    def warn(self) -> None:
        """Warn of what clingo has found suspicious so far."""
        for warning in (*self.system.warnings, *self._extra):
            warn(warning)

    def times(self) -> Timings:
        """Return the times of each stage since they were last asked for."""
        times, self.system.stages = self.system.stages, Timings()
        return times

    def outcomes(self, pairs: Sequence[Pair]) -> Iterator[Outcome]:
        """Decide annotated pairs."""
        for outcome in (self._traced if self.setup.traced else self._solved)(pairs):
            step()
            yield outcome

    def _solved(self, pairs: Sequence[Pair]) -> Iterator[Outcome]:
        system = self.system
        results: Iterator[tuple[Answer, ...] | errors.IstsError]
        if self.setup.answers is not None:
            results = map(self._from_file, pairs)
        else:
            results = (
                result if isinstance(result, errors.IstsError) else tuple(result.answers)
                for result in system.outcomes(pairs, rated=self.setup.rated)
            )
        results, again = tee(results)
        words: Iterator[Mapping[str, Any] | None] = repeat(None)
        if self.setup.explained:
            best = (result[0] for result in again if not isinstance(result, errors.IstsError))
            explanations = system.explain_many(best, self._templates)
            words = (explanation.to_dict() for explanation in explanations)
        for pair, result in zip(pairs, results, strict=True):
            if isinstance(result, errors.IstsError):
                yield failed(pair, result)
            else:
                yield Outcome(pair, result, knowledge=system.knowledge, explanation=next(words))

    def _from_file(self, pair: Pair) -> tuple[Answer, ...] | errors.IstsError:
        if pair.id not in self._answers:
            found = f"there are no alignments for this pair in {self.setup.answers}"
            expected = f'<sentence id="{errors.shortened(pair.id)}" …>'
            return errors.DataError(found, expected=expected)
        return (given_answer(pair, self._answers[pair.id].alignments),)

    @cached_property
    def _answers(self) -> Mapping[str, Reference]:
        from ists_asp.evaluate.files import read_references

        assert self.setup.answers is not None
        return read_references(self.setup.answers, warn=self._warn, skip_bad=True)

    @cached_property
    def _templates(self) -> Templates:
        from ists_asp.explain.templates import load_templates

        language = self.setup.language or self.system.profile.language
        return load_templates(language, self.setup.templates, self._warn)

    def _warn(self, warning: str) -> None:
        self._extra[RuleWarning("", warning)] = None

    def _traced(self, pairs: Sequence[Pair]) -> Iterator[Outcome]:
        from ists_asp.trace.rendering import trace_line

        system, setup = self.system, self.setup
        memo = Memo(setup.store if setup.incremental else None, system.rules.memo.digest)

        def key(item: Item) -> bytes:
            pair, facts = item
            inputs = pair.id, pair.sent1, pair.sent2, Atoms.of(facts).text
            return memo.key("trace", *self._about, *inputs)

        def traced(items: list[Item]) -> Iterator[tuple[Answer, str]]:
            for trace in system.trace_annotated((pair for pair, _ in items), rated=setup.rated):
                yield trace.answer, trace_line(trace)

        def encode(_item: Item, traced: tuple[Answer, str]) -> object:
            answer, line = traced
            warnings = [[warning.where, warning.text] for warning in system.warnings]
            return [data_of(answer), line, warnings] if answer.optimal else None

        def decode(item: Item, stored: Any) -> tuple[Answer, str]:  # noqa: ANN401 (JSON)
            data, line, warnings = stored
            # Clingo's warnings about the rules from when this was traced.
            self._extra.update(dict.fromkeys(RuleWarning(*fields) for fields in warnings))
            system.stages.decide(0.0, 0.0, cached=True)
            return answer_of(data, item[0]), line

        with gc_paused():
            items = list(system.facts_of(pairs))
            traces = memo.of(TRACES).over(items, key, traced, encode, decode)
            for pair, (answer, line) in zip(pairs, traces, strict=True):
                words = None
                if setup.explained:
                    words = system.explain(answer, self._templates).to_dict()
                yield Outcome(pair, (answer,), None, line, system.knowledge, words)

    @cached_property
    def _about(self) -> list[object]:
        """The inputs of a trace other than rules and facts."""
        system, setup = self.system, self.setup
        rating = system.program(Purpose.RATING).rules.memo.digest if setup.rated else None
        constants = sorted(system.constants.items())
        reader = system.reader if setup.rated else None
        limits = setup.limits.seconds
        return [system.profile.name, rating, constants, limits, system.knowledge, reader]


def serve(setup: Setup | None, memory: int | None, connection: Connection) -> None:
    """Answer questions, within so many bytes of memory and the seconds that come with each.

    Messages have a kind: steps and warnings, then an answer with the times of its stages, or an
    error. The first answer says that the system has loaded. Without a setup there is no system, and
    a question has all its arguments.
    """
    # Ctrl-C is for the client; other ending signals may end this process as well.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    processes.is_command = False
    gc.set_threshold(100_000)
    open_doors()
    end_with_parent()
    if memory is not None:
        limit_memory(memory)
    server = _Server(connection)
    with suppress(EOFError, OSError), heard_by(server.hear):
        if server.reply(lambda: server.load(setup), setup.limits.loading if setup else 0.0):
            server.run()


class _Server:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._decider: Decider | None = None
        self._limit = self._spent = 0.0
        self._deciding = False  # pairs, which nobody counts

    def hear(self, kind: str, value: object) -> None:
        if kind == "step":
            end_after(self._limit)
        if kind != "step" or not self._deciding:
            self._connection.send((kind, value))

    def load(self, setup: Setup | None) -> None:
        if setup is not None:
            with gc_paused():
                self._decider = Decider(setup)
            # Nearly all of it stays.
            gc.freeze()
            self._decider.warn()

    def reply(self, compute: Callable[[], object], seconds: float) -> bool:
        """Send what comes of some work; if it is an error, return False."""
        self._limit = seconds
        end_after(seconds)
        try:
            value = compute()
            times = Timings() if self._decider is None else self._decider.times()
            now = time.process_time()
            times.elsewhere, self._spent = now - self._spent, now
            self.hear("answer", (value, times))
        except (MemoryError, errors.MemoryLimitError):
            # Clingo may hold half of a program now.
            os._exit(OUT_OF_MEMORY)
        except RecursionError:
            self.hear("error", errors.too_deep())
        except (errors.IstsError, OSError) as error:
            self.hear("error", error)
        else:
            return True
        finally:
            end_after(0)
        return False

    def run(self) -> None:
        """Answer questions; collect garbage in pauses."""
        questions = waiting = 0
        while True:
            # Traces are cyclic, tens of megabytes; no question waits for their collection.
            if waiting > _UNCOLLECTED or (waiting and not self._connection.poll(_LULL)):
                gc.collect()
                waiting = 0
            question, items, seconds = self._connection.recv()
            if self._decider is None:
                self.reply(question, seconds)
                continue
            self._deciding = getattr(question, "func", question) is Decider.outcomes
            if not self._deciding:
                if (questions := questions + 1) == _STAYS:
                    freeze_gc()
                waiting += questions >= _STAYS
            self.reply(partial(self._decider.answer, question, items), seconds)


# Questions about single pairs, which are annotated; the command line and the workbench ask them.


@lru_cache(3)
def with_rules(system: System, rules: tuple[Path, ...], *, checked: bool = True) -> System:
    """A system that differs in its rules; whether their names exist need not be ``checked``."""
    setup = replace(system.setup, rules=rules)
    return System(setup, None if checked else (setup.load_profile(), setup.load_program()))


def decide(system: System, pair: Pair) -> SolvedAnswer:
    """The best answer of a pair."""
    ((best, *_),) = system.decide([pair])
    return SolvedAnswer.of(best, knowledge=system.knowledge, made_by=system.provenance)


def explain(system: System, answer: Answer) -> dict[str, Any]:
    """An answer in words, as JSON values; nothing where the profile has none."""
    return system.explain(answer).to_dict()


def rate(system: System, answer: Answer) -> Rating | None:
    """The rating of an answer; None where the profile does not rate."""
    return system.rate(answer) if system.rates else None


@lru_cache(_TRACES)
def _trace(system: System, pair: Pair) -> AskedTrace:
    return next(system.trace_annotated([pair], rated=system.rates))


def why(
    system: System, pair: Pair, decision: Sequence[str], *, negative: bool = False
) -> dict[str, Any]:
    """Why a decision was taken, or why it was not, as JSON values."""
    trace = _trace(system, pair)
    return (trace.why_not(*decision) if negative else trace.why(*decision)).to_dict()


def shown_trace(
    system: System, pairs: Sequence[Pair], show: Callable[[AskedTrace], object], *, rated: bool
) -> Iterator[tuple[Answer, object]]:
    """The answers of pairs, and what is shown of their traces, ``rated`` where that is possible."""
    rated = rated and system.rates
    # That is the rules' time, and no pair's.
    system.load_tracers(step, rated=rated)
    for trace in system.trace_annotated(pairs, rated=rated):
        yield trace.answer, show(trace)


@lru_cache(_TRACES)
def _switched(system: System, names: frozenset[str]) -> Solver[Answer]:
    """A solver with a switch for each rule of these names."""
    from ists_asp.trace.effects import places

    return system.solver.switched(places(system.rules, names))


def where(
    system: System,
    pairs: Sequence[Pair],
    groups: Mapping[str, Collection[str]],
    gold: Mapping[str, Reference],
    *,
    near_misses: bool = True,
) -> Sequence[Looked]:
    """The effects of groups of rules in pairs, with ``near_misses`` of rules that never fire."""
    from ists_asp.trace.effects import look
    from ists_asp.trace.near_misses import NearMisses

    names = frozenset(chain.from_iterable(groups.values()))
    with gc_paused():
        traces = [*system.program(Purpose.ANSWER).tracer.fired(system.facts_of(pairs), names)]
        looked = [*look(traces, groups, lambda: _switched(system, names), gold, near=near_misses)]
    for name in groups if near_misses else ():
        if not any(pair_effects.effects[name].fired for pair_effects in looked):
            near_ones = (NearMisses.any_of(trace, groups[name]) for trace in traces)
            for pair_effects in islice(compress(looked, near_ones), 1):
                pair_effects.near.append(name)
    return looked


def lacking(system: System, pairs: Sequence[Pair], rules: Collection[str]) -> Iterator[list[str]]:
    """The conditions that rules lack to fire in pairs, in lines."""
    from ists_asp.trace.rendering import render

    for trace in system.trace_annotated(pairs):
        yield [line for branch in trace.nearest.of_rules(rules) for line in render(branch)]
