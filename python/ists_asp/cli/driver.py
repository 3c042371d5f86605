"""One way for commands over pairs: load, work on each pair, tell what failed, write.

``solve`` and ``sts`` run any number of pairs through workers (:func:`solve_pairs`). Commands that
look at pairs more closely work on them in one child process that is watched (:class:`Working`).
"""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, NoReturn, TypeVar

import click

from ists_asp import cli
from ists_asp.cli import console
from ists_asp.cli.console import Failures
from ists_asp.cli.inputs import opened
from ists_asp.errors import IstsError, UsageError
from ists_asp.run.watch import Failed, each, isolate, loading, patience, working_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ists_asp.cli.cluster import Engine
    from ists_asp.cli.inputs import Inputs
    from ists_asp.engine import Setup, System
    from ists_asp.io.formats import Format
    from ists_asp.model import Pair
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
    inputs: Inputs,
    setup: Setup,
    output: Path | None,
) -> None:
    """Write what is shown of the trace of one pair, the only one or that with an id."""
    pair, *others = inputs.read()
    if others:
        raise UsageError(f"{1 + len(others)} pairs", hint="Choose one with --id ID")
    with working(setup) as run:
        (annotated,) = run.system.annotate(inputs.prepared(run.system, [pair]))
        with working_on(pair, setup.limits.seconds, "trace"):
            rated = rating and run.system.rates
            trace = next(run.system.trace_annotated([annotated], rated=rated))
            console.warn_unproven(trace.answer, setup.limits.seconds)
            shown = show(trace)
    console.write_output(output, shown)


def solve_pairs(
    inputs: Inputs,
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
    """Decide the pairs of an input and write the answers; a table gets these columns."""
    from ists_asp.cli.parts import Task
    from ists_asp.engine import System, Timings
    from ists_asp.engine.preparation import sums
    from ists_asp.io.files import atomic_writer, check_there
    from ists_asp.io.formats import PAIRS
    from ists_asp.run.pool import executor
    from ists_asp.solver.batch import BATCH

    began = time.perf_counter()
    stages, failures = Timings(), Failures()
    # Each thing is told once.
    tell = cache(lambda warning: console.warn(str(warning)))

    def planned(system: System) -> Task:
        files, shown = system.files, columns if shape.table else ()
        rated = shape.ratings and (bool(files.rating) or not shape.answers)
        explained = shown == PAIRS and files.profile.explanation is not None
        whole = replace(
            setup,
            traced=traces is not None,
            rated=rated,
            explained=setup.explained or explained,
            files=sums(files.every if rated else files.deciding),
        )
        return Task(whole, shape, shown, fail_fast or inputs.single)

    if engine is not None:
        with System(setup) as system:
            engine.solve(inputs, planned(system), system, output, traces, jobs)
        return
    if isinstance(output, str) or isinstance(traces, str):
        raise UsageError("an address, which --engine dask can write", where=str(output or traces))
    with opened(inputs) as source, ExitStack() as stack:
        # It annotates; what parses rules is the executor's.
        system = stack.enter_context(System(setup))
        if not inputs.text:
            source.attached.tell(system.files.profile)
        if shape.alone and source.count > 1:
            hint = "Choose one with --id ID; ists-asp report shows all, and saves their pictures"
            raise UsageError(f"{source.count} pairs, but {shape.name} holds one", hint=hint)
        task, made_by = planned(system), system.provenance
        targets = [path for path in (output, traces) if path is not None]
        outputs = {path: stack.enter_context(atomic_writer(path)) for path in targets}
        target = Printed() if output is None else outputs[output]
        traced = None if traces is None else outputs[traces]
        deciding = executor(task.setup, jobs, source.count, long=source.long)
        stack.callback(deciding.close)
        _check_interrupted()
        for warning in (*system.models_warnings, *deciding.warnings):
            tell(warning)
        work = task.write(source, system, deciding, target, traced, stages, tell)
        with console.progress(source.count, shown=not inputs.quiet) as step:
            for number, outcome in enumerate(work, 1):
                _check_interrupted()
                if outcome.failure is not None:
                    failures.add(outcome.pair.id, outcome.failure.found)
                elif setup.answers is None:
                    console.warn_unproven(outcome.answers[0], setup.limits.seconds)
                if number % BATCH == 0:
                    for path, stream in outputs.items():
                        # Where nothing could be written at the end, there is no need to go on.
                        check_there(stream, path)
                step()
        source.check_same()
        _check_interrupted()
    if not (inputs.quiet or inputs.single):
        held = "text, which Stanza tokenised" if inputs.text else "tokens, as blanks separate them"
        console.note(
            f"{console.summary(source.count, time.perf_counter() - began, stages)}; read as {held}"
        )
        if kept := console.rerun(source.count, stages):
            console.note(kept)
        console.note(str(made_by))
    failures.end(source.count)


class Printed:
    """Standard output as something to write text to."""

    def write(self, text: str) -> None:
        """Print it."""
        console.write_output(None, text)


def _check_interrupted() -> None:
    """Raise an interrupt again that a library has caught, or that came while a process forked."""
    if cli.interrupted:
        raise KeyboardInterrupt


def rate_by_tokens(inputs: Inputs, output: Path | None) -> None:
    """Write the ratings of Baseline-tokencos, 5 at best: by six decimals rounding is free."""
    from ists_asp.evaluate.ratings import tokencos

    with opened(inputs) as source:
        ratings = [f"{5 * tokencos(pair):.6f}\n" for pair in source.pairs()]
    console.write_output(output, "".join(ratings))


def watch_rules(rules: Sequence[Path], work: Callable[[], None]) -> NoReturn:
    """Do some work, and again after each change of its rules, until somebody ends it."""
    if not rules:
        raise UsageError("--watch without --rules", hint="Name the rules that you change")

    seen = _states(rules)
    while True:
        try:
            with suppress(click.exceptions.Exit):
                work()
        except UsageError:
            raise
        except IstsError as fault:
            # The next save may mend it.
            console.fail(fault)
        console.note("watching the rules; Ctrl-C ends")
        while (now := _states(rules)) == seen:
            time.sleep(0.3)
        changed = sorted(str(path) for path in {*now, *seen} if now.get(path) != seen.get(path))
        seen = now
        console.note(f"changed: {', '.join(changed)}")


def _states(rules: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """When each rule file was changed, and its size."""
    found = {}
    for given in rules:
        for path in [given] if given.is_file() else given.rglob("*"):
            # An editor may replace the file just now.
            with suppress(OSError):
                if path.suffix in {".lp", ".toml", ".tsv"}:
                    state = path.stat()
                    found[path] = state.st_mtime_ns, state.st_size
    return found
