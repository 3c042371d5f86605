"""One way for commands over pairs: load, work on each pair, tell what failed, write.

``solve`` and ``sts`` run any number of pairs through workers (:func:`solve_pairs`). Commands that
look at pairs more closely ask one process about them (:class:`Working`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from ists_asp import cli
from ists_asp.cli import console
from ists_asp.cli.console import Failures
from ists_asp.errors import IstsError, UsageError, inside, of_pair
from ists_asp.io.files import atomic_writer, check_there

if TYPE_CHECKING:
    from ists_asp.engine import Setup, System
    from ists_asp.explain.feedback import Submission
    from ists_asp.io.formats import Format
    from ists_asp.model import Pair
    from ists_asp.pipeline.cluster import Engine, Job
    from ists_asp.pipeline.source import Source
    from ists_asp.rules import RuleWarning
    from ists_asp.run.pool import Inline, Limit, Worker
    from ists_asp.run.worker import Question

S = TypeVar("S", bound="Pair | Submission")


@dataclass(slots=True)
class Working:
    """A system that annotates pairs, and a process to ask about them, which may take for ever."""

    system: System
    asker: Worker | Inline
    failures: Failures = field(default_factory=Failures)
    done: int = 0  # of the pairs asked about, of which there are so many
    count: int = 0
    _shown: set[RuleWarning] = field(default_factory=set)

    def ask(
        self,
        question: Question,
        items: Sequence[Any] | None = None,
        *,
        limit: Limit | None = None,
        step: Callable[[], object] = lambda: None,
    ) -> Any:  # noqa: ANN401 (whatever a question gets)
        """Return what the process says to a question; by default it may search as it likes."""
        from ists_asp.run.pool import SECONDS, Limit

        searching = max(SECONDS, 60.0 + 2 * self.system.setup.limits.seconds)
        try:
            limit = limit or Limit.of_work(searching)
            return self.asker.ask(question, items, limit=limit, step=step)
        finally:
            # Before an error, too: a misspelt predicate may be what made a pair unsolvable.
            self.show_warnings()

    def ask_each(
        self,
        items: Sequence[S],
        question: Question,
        *,
        size: int,
        quiet: bool,
        searching: bool = False,
    ) -> Iterator[tuple[S, Any]]:
        """Ask about pairs, lazily, so many at a time; of one that fails a line says why."""
        from ists_asp.run.pool import Limit, ask_each

        def ask(question: Question, batch: Sequence[S]) -> Any:  # noqa: ANN401
            seconds = self.system.setup.limits.seconds
            limit = None if searching else Limit.of_pairs(seconds, len(batch))
            return self.ask(question, batch, limit=limit)

        self.done, self.count = 0, len(items)
        batches = (items[at : at + size] for at in range(0, len(items), size))
        with console.progress(len(items), shown=not quiet) as step:
            for item, result in ask_each(ask, batches, question):
                if isinstance(result, IstsError):
                    where = of_pair(item.id)
                    if len(items) == 1:
                        result.where = result.where or where
                        raise result
                    # Without the excerpt of a rule file.
                    result = IstsError.__str__(result).removeprefix(f"{where}: ")
                    self.failures.add(item.id, result)
                self.done += 1
                yield item, result
                step()

    def annotated(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Pairs, annotated."""
        self.count = len(pairs)
        return list(self.system.annotate(self.system.tokenized(pairs)))

    def show_warnings(self) -> None:
        """Print what was warned of since this was last called."""
        for warning in (*self.system.models_warnings, *self.asker.warnings):
            if warning not in self._shown:
                self._shown.add(warning)
                console.warn(warning)


@contextmanager
def working(setup: Setup) -> Iterator[Working]:
    """Load a system, and a process with the same rules, and print what is suspicious about them."""
    from ists_asp import processes
    from ists_asp.engine import System
    from ists_asp.run.pool import Inline, Worker
    from ists_asp.run.worker import Decider

    with ExitStack() as stack:
        asker: Worker | Inline
        if processes.is_command:
            asker = Worker(setup, command=True)
            stack.callback(asker.close)
            asker.begin()
            system = stack.enter_context(System(setup))
            # Missing models are told before anything else.
            system.models  # noqa: B018
            asker.load()
        else:
            # Who calls from Python watches over it alone.
            system = stack.enter_context(System(setup).load())
            asker = Inline(Decider(setup, system))
        run = Working(system, asker)
        run.show_warnings()
        with _told(setup, lambda: (run.done, run.count)):
            yield run


@contextmanager
def _told(setup: Setup, progress: Callable[[], tuple[int, int]]) -> Iterator[None]:
    """Say of an interrupted run how many pairs are done, of how many."""
    try:
        yield
    except KeyboardInterrupt:
        done, count = progress()
        if setup.cache is not None and count > 1:
            reused = "the same command reuses what the cache keeps of them"
            console.note(f"{done} of {count} pairs are done; {reused}")
        raise


def ask_of_pair(
    question: Question, *, source: Source, setup: Setup, output: Path | None, limited: bool = True
) -> None:
    """Write the reply to a question about one pair, the only one or that with an id."""
    from ists_asp.run.pool import Limit

    pair, *others = console.read_pairs(source, setup)
    if others:
        raise UsageError(f"{1 + len(others)} pairs", hint="Choose one with --id ID")
    seconds = setup.limits.seconds
    with working(setup) as run:
        annotated = run.annotated([pair])
        with inside(pair):
            limit = Limit.of_pairs(seconds, noun="trace") if limited else None
            ((answer, reply),) = run.ask(question, annotated, limit=limit)
        console.warn_of(answer, seconds)
    console.write_output(output, reply)


def solve_pairs(
    source: Source,
    setup: Setup,
    shape: Format,
    output: Path | str | None,
    columns: tuple[str, ...],
    *,
    traces: Path | str | None,
    jobs: int,
    fail_fast: bool,
    engine: Engine | None,
) -> None:
    """Decide the pairs of a source and write their outcomes; a table gets these columns."""
    from ists_asp.engine import System
    from ists_asp.pipeline.stages import Sink, Stages
    from ists_asp.solver.batch import BATCH

    began = time.perf_counter()
    strict, columns = fail_fast or source.single, columns if shape.table else ()
    sink, failures = Sink(shape, columns, output, traces, strict), Failures()
    if engine is not None:
        from ists_asp.pipeline.cluster import pairs_job

        with System(setup) as system, console.reader_warnings() as repaired:
            job = pairs_job(source, sink, sink.complete(setup, system.files))
            open_table = partial(source.open_table, repaired, console.note)
            make_parts(engine, job, system, jobs, open_table)
        return
    if isinstance(output, str) or isinstance(traces, str):
        raise UsageError("an address, which --engine dask can write", where=str(output or traces))
    with ExitStack() as stack:
        source = stack.enter_context(console.opened(source, setup))
        system = stack.enter_context(System(setup))
        count = source.count
        if shape.alone and count > 1:
            hint = "Choose one with --id ID; ists-asp report shows all, and saves their pictures"
            raise UsageError(f"{count} pairs, but {shape.name} holds one", hint=hint)
        complete = sink.complete(setup, system.files)
        targets = [path for path in (output, traces) if path is not None]
        outputs = {path: stack.enter_context(atomic_writer(path)) for path in targets}
        target = Printed() if output is None else outputs[output]
        # Each thing is told once.
        tell = cache(console.warn)
        stages = Stages(complete, system, jobs, count, long=source.long, tell=tell)
        stack.callback(stages.close)
        _check_interrupted()
        outcomes = sink.write(source, stages, target, None if traces is None else outputs[traces])
        number = 0
        shown = not source.quiet
        with _told(setup, lambda: (number, count)), console.progress(count, shown=shown) as step:
            for number, outcome in enumerate(outcomes, 1):
                _check_interrupted()
                if outcome.failure is not None:
                    failures.add(outcome.pair.id, outcome.failure.found)
                else:
                    console.warn_of(outcome.answers[0], setup.limits.seconds)
                if number % BATCH == 0:
                    for path, stream in outputs.items():
                        # Where nothing could be written at the end, there is no need to go on.
                        check_there(stream, path)
                step()
        _check_interrupted()
    if not (source.quiet or source.single):
        form = "text, which Stanza tokenised" if source.text else "tokens, separated by spaces"
        summary = console.summary(count, time.perf_counter() - began, stages.times)
        console.note(f"{'' if output is None else f'{output}: '}{summary}; read as {form}")
        if reused := console.rerun(count, stages.times):
            console.note(reused)
        console.note(str(system.provenance))
    failures.end(count)


def make_parts(
    engine: Engine, job: Job, system: System, jobs: int, open_table: Callable[[BinaryIO], object]
) -> None:
    """Make the parts of a source on a cluster, and say what came of it."""
    from ists_asp.engine import Timings

    began, times, failures, pairs = time.perf_counter(), Timings(), Failures(), 0
    parts = existing = 0
    warn, progress = cache(console.warn), partial(console.progress, shown=not job.source.quiet)
    for record, took in engine.run(job, system, jobs, open_table, progress):
        _check_interrupted()
        for warning in record["warnings"]:
            warn(warning)
        for identifier, reason in record["failures"]:
            failures.add(identifier, reason)
        failures.count += record["failed"] - len(record["failures"])
        pairs, parts, existing = pairs + record["pairs"], parts + 1, existing + (took is None)
        times.merge(took or Timings())
    if not job.source.quiet:
        summary = console.summary(pairs, time.perf_counter() - began, times)
        counts = f"{parts} parts, of which {existing} were there"
        console.note(f"{job.output}: {summary}; {counts}")
        console.note(str(system.provenance))
    failures.end(pairs)


class Printed:
    """Standard output as something to write text to."""

    def write(self, text: str) -> None:
        """Print it."""
        console.write_output(None, text)


def _check_interrupted() -> None:
    """Raise an interrupt again that a library has caught, or that came while a process forked."""
    if cli.interrupted:
        raise KeyboardInterrupt
