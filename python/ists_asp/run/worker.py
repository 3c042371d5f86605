"""What happens in a worker: a process of its own, which may be killed at any moment.

It has neither Stanza nor torch: pairs come annotated.
"""

from __future__ import annotations

import gc
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, repeat, tee
from typing import TYPE_CHECKING, Any, TypeAlias

from ists_asp.engine import System, Timings
from ists_asp.engine.preparation import freeze_gc, sums
from ists_asp.errors import (
    DataError,
    IstsError,
    MemoryLimitError,
    RuleError,
    SolveError,
    TraceError,
    inside,
    shortened,
    too_deep,
)
from ists_asp.io.formats import Outcome
from ists_asp.io.store import TRACES, Memo, Store
from ists_asp.io.wa import given_answer, read_wa
from ists_asp.limits import lifetime
from ists_asp.processes import end_after, end_with_parent, limit_memory
from ists_asp.resources import gc_paused
from ists_asp.rules import Purpose, RuleWarning
from ists_asp.solver.kept import answer_of, data_of
from ists_asp.syntax.ground import Atoms
from ists_asp.terminal import open_doors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from multiprocessing.connection import Connection

    from ists_asp.engine import Setup
    from ists_asp.explain.templates import Templates
    from ists_asp.io.wa import WaSentence
    from ists_asp.model import Answer, Pair

OUT_OF_MEMORY = 77
"""Exit code of a worker that met its memory limit."""

_KEPT = 10
"""Questions after which what they leave is collected, though others wait."""

_LULL = 0.5
"""Seconds without a question in which it is collected as well."""


@dataclass(frozen=True, slots=True)
class Report:
    """What becomes of a batch: an outcome for each pair, in their order."""

    outcomes: tuple[Outcome, ...]
    times: Timings
    warnings: tuple[RuleWarning, ...]

    @classmethod
    def of(cls, reports: Sequence[Report]) -> Report:
        """Join reports to that of a larger batch."""
        times = Timings()
        for report in reports:
            times.merge(report.times)
        outcomes = tuple(outcome for report in reports for outcome in report.outcomes)
        return cls(outcomes, times, tuple(told for report in reports for told in report.warnings))


class Decider:
    """A system that decides batches of annotated pairs and reports what became of them.

    Answers that are traced are kept with their traces, which a rerun finds. If ``limited``, this
    process ends where pairs take longer than their limits.
    """

    def __init__(
        self, setup: Setup, system: System | None = None, *, limited: bool = False
    ) -> None:
        self._limited = limited
        self.limits = setup.limits
        self.asked: set[object] = set()
        self._setup = setup
        self._warned = 0
        self._told: dict[RuleWarning, None] = {}
        self.system = System(setup) if system is None else system
        self.system.solver, self.system.knowledge  # noqa: B018 (loaded when first asked for)
        if setup.explained:
            # Faulty ones are no pair's fault.
            self.system.program(Purpose.EXPLANATION), self._templates
        rating = self.system.program(Purpose.RATING).rules.files if setup.rated else ()
        if setup.files and sums((*self.system.rules.files, *rating)) != setup.files:
            raise RuleError(
                "a rule file has changed since the run began",
                hint="Run it again, with rules that stay as they are",
            )

    def decide(self, pairs: Sequence[Pair]) -> Report:
        """Decide annotated pairs; a pair without an answer does not keep the others from one."""
        outcomes = tuple(self._outcomes(pairs))
        warnings = tuple(dict.fromkeys((*self.system.warnings, *self._told)))
        fresh, self._warned = warnings[self._warned :], len(warnings)
        times, self.system.stages = self.system.stages, Timings()
        return Report(outcomes, times, fresh)

    def _outcomes(self, pairs: Sequence[Pair]) -> list[Outcome]:
        try:
            with inside(pairs[0]):
                return list(self._timed(pairs))
        except MemoryLimitError:
            raise
        # What goes wrong with one pair may be right for all others.
        except (DataError, RuleError, SolveError, TraceError) as error:
            if len(pairs) == 1:
                return [_failed(pairs[0], error)]
        return [outcome for pair in pairs for outcome in self._outcomes([pair])]

    def _timed(self, pairs: Sequence[Pair]) -> Iterator[Outcome]:
        limits = self._setup.limits
        outcomes = (self._traced if self._setup.traced else self._solved)(pairs)
        for left in reversed(range(len(pairs) + 1)):
            if self._limited:
                end_after(lifetime(limits.seconds, left, limits.grace) if left else 0.0)
            yield from islice(outcomes, 1)

    def _solved(self, pairs: Sequence[Pair]) -> Iterator[Outcome]:
        system = self.system
        decided: Iterator[tuple[Answer, ...] | IstsError]
        if self._setup.answers is not None:
            decided = map(self._given, pairs)
        else:
            decided = (
                outcome if isinstance(outcome, IstsError) else outcome.answers
                for outcome in system.outcomes(pairs, rated=self._setup.rated)
            )
        decided, again = tee(decided)
        words: Iterator[Mapping[str, Any] | None] = repeat(None)
        if self._setup.explained:
            best = (found[0] for found in again if not isinstance(found, IstsError))
            words = (one.to_dict() for one in system.explain_many(best, self._templates))
        for pair, found in zip(pairs, decided, strict=True):
            if isinstance(found, IstsError):
                yield _failed(pair, found)
            else:
                yield Outcome(pair, found, knowledge=system.knowledge, explanation=next(words))

    def _given(self, pair: Pair) -> tuple[Answer, ...] | IstsError:
        """The answer in the file of answers."""
        if pair.id not in self._answers:
            found = f"there are no alignments for this pair in {self._setup.answers}"
            return DataError(found, expected=f'<sentence id="{shortened(pair.id)}" …>')
        return (given_answer(pair, self._answers[pair.id].to_alignments()),)

    @cached_property
    def _answers(self) -> Mapping[str, WaSentence]:
        assert self._setup.answers is not None
        found = read_wa(self._setup.answers, warn=self._tell)
        return {entry.id: entry for entry in found if entry.id is not None}

    @cached_property
    def _templates(self) -> Templates:
        from ists_asp.explain.templates import load_templates

        language = self._setup.language or self.system.profile.language
        return load_templates(language, self._setup.templates, self._tell)

    def _tell(self, warning: str) -> None:
        self._told[RuleWarning("", warning)] = None

    def _traced(self, pairs: Sequence[Pair]) -> Iterator[Outcome]:
        """Trace annotated pairs, lazily and in their order, but those that a run before traced."""
        from ists_asp.trace.document import trace_line

        system, memo = self.system, self._traces
        with gc_paused():
            keys = []
            for pair, facts in system.known(pairs):
                about = [*self._about, pair.id, pair.sent1, pair.sent2, Atoms.of(facts).text]
                keys.append(memo.key("trace", about))
            known = [memo.get(key) for key in keys]
            left = (pair for pair, found in zip(pairs, known, strict=True) if found is None)
            traces = system.trace_annotated(left, rated=self._setup.rated)
            for pair, key, found in zip(pairs, keys, known, strict=True):
                if found is not None:
                    data, line, warnings = found
                    answer = answer_of(data, pair)
                    # What clingo had to say of the rules when this was traced.
                    self._told.update(dict.fromkeys(RuleWarning(*one) for one in warnings))
                    system.stages.decide(0.0, 0.0, kept=True)
                else:
                    trace = next(traces)
                    answer, line = trace.answer, trace_line(trace)
                    if answer.optimal:
                        warnings = [[one.where, one.text] for one in system.warnings]
                        memo.put(key, [data_of(answer), line, warnings])
                told = None
                if self._setup.explained:
                    told = system.explain(answer, self._templates).to_dict()
                yield Outcome(pair, (answer,), None, line, system.knowledge, told)

    @cached_property
    def _traces(self) -> Memo:
        setup = self._setup
        store = Store(setup.cache, TRACES) if setup.cache and setup.incremental else None
        return Memo(store, self.system.rules.remembered.digest)

    @cached_property
    def _about(self) -> list[object]:
        """What a trace depends on beside rules and facts."""
        system, setup = self.system, self._setup
        rating = system.program(Purpose.RATING).rules.remembered.digest if setup.rated else None
        constants = sorted(system.constants.items())
        reader = system.reader if setup.rated else None
        limits = setup.limits.seconds
        return [system.profile.name, rating, constants, limits, system.knowledge, reader]


def _failed(pair: Pair, error: IstsError) -> Outcome:
    return Outcome(pair, (), SolveError(error.found, hint=error.hint))


def begin(setup: Setup) -> Decider:
    """Make this process a worker: set its limits and load what the setup describes."""
    # Ctrl-C is for the parent.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    open_doors()
    end_with_parent()
    limits = setup.limits
    if limits.memory is not None:
        limit_memory(limits.memory)
    end_after(limits.loading)
    try:
        return Decider(setup, limited=True)
    except RecursionError:
        raise too_deep() from None
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    finally:
        end_after(0)


Question: TypeAlias = "Callable[[System], object]"
"""A function of a module that the system of a worker answers, with all its other arguments."""


def decide(decider: Decider, asked: Sequence[Pair] | Question) -> object:
    """Answer a question, or decide annotated pairs, in a worker; it ends where memory does."""
    try:
        if not callable(asked):
            return decider.decide(asked)
        # The first question of a kind loads what it needs.
        kind = getattr(asked, "func", type(asked))
        loading = 0.0 if kind in decider.asked else decider.limits.loading
        decider.asked.add(kind)
        end_after(loading + lifetime(decider.limits.seconds, 1, decider.limits.grace))
        try:
            return asked(decider.system)
        finally:
            end_after(0)
    except (MemoryError, MemoryLimitError):
        # What clingo holds now may be half of a program.
        os._exit(OUT_OF_MEMORY)


def serve(setup: Setup, connection: Connection) -> None:
    """What a worker does until nobody asks it any more.

    It sends what the parser finds suspicious, then a report for each batch, or what there is to
    say to a question; an error that is no pair's in the place of either.
    """
    told, waiting = 0.0, 0
    found: object
    with suppress(EOFError, OSError):
        try:
            decider = begin(setup)
        except IstsError as error:
            connection.send(error)
            return
        connection.send(decider.system.rules.warnings)
        while True:
            # What was traced holds itself: tens of megabytes, which nobody has to wait for.
            if waiting > _KEPT or (waiting and not connection.poll(_LULL)):
                gc.collect()
                waiting = 0
            asked = connection.recv()
            if callable(asked) and not decider.asked:
                freeze_gc()
            waiting += callable(asked)
            try:
                found = decide(decider, asked)
                if isinstance(found, Report):
                    now = time.process_time()
                    found.times.elsewhere, told = now - told, now
            except IstsError as error:
                found = error
            connection.send(found)
