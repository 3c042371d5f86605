"""The stages that pairs pass, batch by batch, and the sink that writes what became of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ists_asp import processes
from ists_asp.engine import Setup, System, Timings
from ists_asp.engine.preparation import sums
from ists_asp.errors import DataError, SolveError, of_pair
from ists_asp.io.formats import PAIRS, Format, Outcome, writing_rows
from ists_asp.limits import check_size, is_long
from ists_asp.model import Pair
from ists_asp.rules import RuleWarning
from ists_asp.rules.programs import ProfileFiles
from ists_asp.run.pool import Inline, Pool, Worker, decide
from ists_asp.run.worker import Decider, Question
from ists_asp.solver.batch import BATCH
from ists_asp.solver.kept import TOGETHER

if TYPE_CHECKING:
    from ists_asp.io.delimited import Row, Text
    from ists_asp.pipeline.source import Batch, Source

MANY = 5000  # pairs from which they are decided in a worker, as clingo takes more and more memory

Decided: TypeAlias = "tuple[Row | None, Outcome | DataError]"
"""An outcome, or the fault of a row that has no pair; with its row, if it comes from a table."""


class Stages:
    """Tokenise and annotate pairs with a system; decide, rate and explain them by a setup.

    Workers, which can be killed, decide if there are several ``jobs`` or many pairs (``count``), if
    users wrote rules, or if pairs are ``long``, as their tokens tell; otherwise the system does.
    The system is not closed. ``tell`` gets clingo's warnings, some more than once.
    """

    def __init__(
        self,
        setup: Setup,
        system: System,
        jobs: int = 1,
        count: int = MANY,
        *,
        long: bool = False,
        tell: Callable[[RuleWarning], object] = lambda _warning: None,
    ) -> None:
        self.setup, self.system, self.tell = setup, system, tell
        self.times = Timings()
        self._inline: Inline | None = None
        self._pool: Pool | None = None
        if jobs > 1 or long or count >= MANY:
            self._pool = Pool(setup, max(1, min(jobs, -(-count // BATCH))))
        elif setup.rules or setup.constants or setup.templates:
            # A copy of this process is quick to begin; it would lack the threads that callers have.
            system.reader  # noqa: B018 (which the copy need not hash again)
            self._pool = Pool(setup, 1, copied=processes.is_command)
        else:
            self._inline = Inline(Decider(setup, system))
        if jobs == 1:
            self.load()
        for warning in (*system.models_warnings, *self._warnings()):
            tell(warning)

    def load(self) -> None:
        """Wait for the first worker; while it loads, the first pairs can be annotated."""
        if self._pool is not None:
            self._pool.load()

    def _askers(self) -> list[Inline | Worker]:
        return [*filter(None, [self._inline]), *(self._pool.workers if self._pool else ())]

    def _warnings(self) -> list[RuleWarning]:
        return [warning for asker in self._askers() for warning in tuple(asker.warnings)]

    def ask(self, question: Question, items: Sequence[Any] | None = None) -> Any:  # noqa: ANN401
        """The reply of a worker to a question."""
        assert self._pool is not None
        return self._pool.ask(question, items)

    def close(self) -> None:
        """End the workers."""
        if self._pool is not None:
            self._pool.close()

    def decide(self, batches: Iterable[Batch]) -> Iterator[Decided]:
        """Decide pairs, lazily and in order, few at a time; empty or too long ones fail alone."""
        Entries: TypeAlias = "list[tuple[Row | None, Outcome | Pair | DataError]]"
        under_way = deque[tuple[Entries, Future[list[Outcome]]]]()
        width = 1 if self._pool is None else self._pool.width

        def finish() -> Iterator[Decided]:
            entries, future = under_way.popleft()
            outcomes = iter(future.result())
            for warning in self._warnings():
                self.tell(warning)
            for row, item in entries:
                yield row, next(outcomes) if isinstance(item, Pair) else item

        remaining = iter(batches)
        for batch in remaining:
            entries = [*self._annotated(batch)]
            if self._known(width):
                # Nobody waits long for them, and those that an edit affects share their grounding.
                others = islice(remaining, TOGETHER // BATCH - 1)
                entries += chain.from_iterable(map(self._annotated, others))
            fitting = tuple(item for _, item in entries if isinstance(item, Pair))
            under_way.append((entries, self._submit(fitting)))
            if len(under_way) == width:
                yield from finish()
        while under_way:
            yield from finish()
        for asker in self._askers():
            self.times.merge(asker.times)
            asker.times = Timings()
        self.times.merge(self.system.stages)
        self.system.stages = Timings()

    def _annotated(self, batch: Batch) -> Iterator[tuple[Row | None, Outcome | Pair | DataError]]:
        """Pairs that can be decided, annotated, among what cannot."""
        pairs = self.system.tokenized(item for _, item in batch if isinstance(item, Pair))
        items = [_fitting(next(pairs)) if isinstance(item, Pair) else item for _, item in batch]
        annotated = self.system.annotate(item for item in items if isinstance(item, Pair))
        for (row, _), item in zip(batch, items, strict=True):
            yield row, next(annotated) if isinstance(item, Pair) else item

    def _known(self, width: int) -> bool:
        """Whether most answers are likely to be in the cache, as those so far, or annotations."""
        times = [asker.times for asker in self._askers()]
        cached, all_ = sum(time.cached for time in times), sum(t.decided.total() for t in times)
        begins = not all_ and width == 1 and not self.setup.traced
        return cached * 2 > all_ or (begins and not self.system.annotates)

    def _submit(self, pairs: Sequence[Pair]) -> Future[list[Outcome]]:
        if self._inline is None or any(map(is_long, pairs)):
            self._pool = self._pool or Pool(self.setup, 1)
            self.load()
            return self._pool.submit(pairs)
        done: Future[list[Outcome]] = Future()
        done.set_result(decide(self._inline, pairs))
        return done


def _fitting(pair: Pair) -> Pair | Outcome:
    """A pair that can be decided, or the failure of one that is empty or too long."""
    try:
        for number, sentence in enumerate(pair.sentences, start=1):
            where = f"sentence {number}"
            if not sentence.tokens:
                raise DataError("the sentence is empty", where=where, expected="at least one token")
            check_size(sentence, where)
    except DataError as error:
        found = f"{error.where}: {error.found}; expected {error.expected}"
        return Outcome(pair, failure=SolveError(found, hint=error.hint))
    return pair


@dataclass(frozen=True, slots=True)
class Sink:
    """Where outcomes and traces go, a table with ``columns``; ``strict`` ends at a failure."""

    shape: Format
    columns: tuple[str, ...] = ()
    output: Path | str | None = None
    traces: Path | str | None = None
    strict: bool = False

    def complete(self, setup: Setup, files: ProfileFiles) -> Setup:
        """The setup with the work that the output needs, and the sums of the rule files."""
        rated = self.shape.ratings and (bool(files.rating) or not self.shape.answers)
        in_words = self.columns == PAIRS and files.profile.explanation is not None
        setup = replace(setup, rated=rated, explained=setup.explained or in_words)
        deciding = sums(files.all_files if rated else files.deciding)
        return replace(setup, traced=self.traces is not None, files=deciding)

    def write(
        self, source: Source, stages: Stages, target: Text, traces: Text | None
    ) -> Iterator[Outcome]:
        """Decide the pairs of a source; yield the outcome of each when it is written."""
        made_by, first = stages.system.provenance.to_dict(), not source.before
        alone = source.single or source.identifier is not None
        with ExitStack() as stack:
            if self.columns:
                # Faulty rules are told before anything is written.
                stages.load()
                rows = writing_rows(self.shape, target, self.columns, source.table)
                put_rows = stack.enter_context(rows)
            for row, item in stages.decide(source.batches()):
                if isinstance(item, DataError):
                    if self.columns:
                        put_rows(item, row)
                    continue
                if item.failure is not None and self.strict:
                    item.failure.where = of_pair(item.pair.id)
                    raise item.failure
                ranked, others = stages.setup.models > 1, source.others(row)
                outcome = replace(item, system=made_by, ranked=ranked, alone=alone, others=others)
                if self.columns:
                    put_rows(outcome, row)
                else:
                    target.write(self.shape.between * (not first) + self.shape.write(outcome))
                first = False
                if traces is not None:
                    traces.write(outcome.trace)
                if outcome.failure is not None and row is not None:
                    # What is written does not depend on the row; what is told names it.
                    outcome.failure.found = f"{row.where}: {outcome.failure.found}"
                yield outcome
