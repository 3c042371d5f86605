"""One way for commands over pairs: load, work on each pair, tell what failed, write.

``solve`` and ``sts`` run any number of pairs through workers (:func:`solve_pairs`). Commands that
look at pairs more closely work on them in one child process that is watched (:class:`Working`).
"""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from ists_asp import cli
from ists_asp.cli import console
from ists_asp.cli.console import Failures
from ists_asp.errors import UsageError
from ists_asp.run.watch import Failed, each, isolate, loading, patience, working_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ists_asp.engine import Setup, System
    from ists_asp.io.formats import Format
    from ists_asp.model import Pair
    from ists_asp.pipeline.cluster import Engine, Job
    from ists_asp.pipeline.source import Source
    from ists_asp.trace import AskedTrace

S = TypeVar("S")
T = TypeVar("T")


@dataclass(slots=True)
class Working:
    """A system in a process of its own, where rules and long sentences may take for ever."""

    system: System
    show_warnings: Callable[[], None]
    failures: Failures = field(default_factory=Failures)

    def on_each(
        self,
        items: Sequence[S],
        work: Callable[[Iterator[S]], Iterator[T]],
        pair_of: Callable[[S], Pair],
        *,
        quiet: bool,
        seconds: float | None = None,
    ) -> Iterator[T | Failed]:
        """Work on pairs, lazily and in their order; one that fails is told and costs no other.

        A command can do so once; see :func:`ists_asp.run.watch.each`.
        """
        with console.progress(len(items), shown=not quiet) as step:
            for one in each(items, work, pair_of, seconds):
                if isinstance(one, Failed):
                    self.failures.add(one.pair.id, one.reason)
                yield one
                self.show_warnings()
                step()


@contextmanager
def working(setup: Setup) -> Iterator[Working]:
    """Load a system, and print what clingo finds suspicious about its rules."""
    isolate(patience(setup.limits.seconds))
    from ists_asp.engine import System

    with System(setup) as system:
        with loading(setup.limits.seconds, setup.rules):
            system.load()
        with console.rule_warnings(system) as show_warnings:
            yield Working(system, show_warnings)


def show_trace(
    show: Callable[[AskedTrace], object],
    rating: bool,
    *,
    source: Source,
    setup: Setup,
    output: Path | None,
) -> None:
    """Write what is shown of the trace of one pair, the only one or that with an id."""
    pair, *others = console.read_pairs(source)
    if others:
        raise UsageError(f"{1 + len(others)} pairs", hint="Choose one with --id ID")
    with working(setup) as run:
        (annotated,) = run.system.annotate(console.tokenized(source, run.system, [pair]))
        with working_on(pair, setup.limits.seconds, "trace"):
            rated = rating and run.system.rates
            trace = next(run.system.trace_annotated([annotated], rated=rated))
            console.warn_unproven(trace.answer, setup.limits.seconds)
            shown = show(trace)
    console.write_output(output, shown)


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
    from ists_asp.io.files import atomic_writer, check_there
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
        source = stack.enter_context(console.opened(source))
        system = stack.enter_context(System(setup))
        profile, count = system.files.profile, source.count
        source.attached.warn(profile, console.warn)
        if shape.alone and count > 1:
            hint = "Choose one with --id ID; ists-asp report shows all, and saves their pictures"
            raise UsageError(f"{count} pairs, but {shape.name} holds one", hint=hint)
        targets = [path for path in (output, traces) if path is not None]
        outputs = {path: stack.enter_context(atomic_writer(path)) for path in targets}
        target = Printed() if output is None else outputs[output]
        # Each thing is told once.
        tell = cache(lambda warning: console.warn(str(warning)))
        complete = sink.complete(setup, system.files)
        stages = Stages(complete, system, jobs, count, long=source.long, tell=tell)
        stack.callback(stages.close)
        _check_interrupted()
        work = sink.write(source, stages, target, None if traces is None else outputs[traces])
        with console.progress(count, shown=not source.quiet) as step:
            for number, outcome in enumerate(work, 1):
                _check_interrupted()
                if outcome.failure is not None:
                    failures.add(outcome.pair.id, outcome.failure.found)
                else:
                    console.warn_unproven(outcome.answers[0], setup.limits.seconds)
                if number % BATCH == 0:
                    for path, stream in outputs.items():
                        # Where nothing could be written at the end, there is no need to go on.
                        check_there(stream, path)
                step()
        _check_interrupted()
    if not (source.quiet or source.single):
        held = "text, which Stanza tokenised" if source.text else "tokens, as blanks separate them"
        summary = console.summary(count, time.perf_counter() - began, stages.times)
        console.note(f"{summary}; read as {held}")
        if kept := console.rerun(count, stages.times):
            console.note(kept)
        console.note(str(system.provenance))
    failures.end(count)


def make_parts(
    engine: Engine, job: Job, system: System, jobs: int, open_table: Callable[[BinaryIO], object]
) -> None:
    """Make the parts of a source on a cluster, and say what came of it."""
    from ists_asp.engine import Timings

    began, times, failures, pairs = time.perf_counter(), Timings(), Failures(), 0
    parts = there = 0
    warn, progress = cache(console.warn), partial(console.progress, shown=not job.source.quiet)
    for record, took in engine.run(job, system, jobs, open_table, progress):
        _check_interrupted()
        for warning in record["warnings"]:
            warn(warning)
        for identifier, reason in record["failures"]:
            failures.add(identifier, reason)
        failures.count += record["failed"] - len(record["failures"])
        pairs, parts, there = pairs + record["pairs"], parts + 1, there + (took is None)
        times.merge(took or Timings())
    if not job.source.quiet:
        summary = console.summary(pairs, time.perf_counter() - began, times)
        console.note(f"{summary}; {parts} parts, of which {there} were there")
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
