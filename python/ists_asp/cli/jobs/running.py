"""One run of ``ists-asp solve`` or ``sts``: from checked options to written answers."""

from __future__ import annotations

import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TextIO

from ists_asp._version import __version__
from ists_asp.cli.console import (
    EXIT_FAILED,
    note,
    progress,
    rerun,
    summary,
    warn,
    warn_unproven,
    write_output,
)
from ists_asp.cli.inputs import opened
from ists_asp.cli.interrupts import still_heard
from ists_asp.cli.jobs.rendering import RATED, Format, format_rating, render
from ists_asp.engine import Setup, System, Timings
from ists_asp.engine.setup import sums
from ists_asp.errors import SolveError, of_pair, shortened
from ists_asp.io.atomic import atomic_writer, check_there, old_journal
from ists_asp.run import run
from ists_asp.sandbox import guard
from ists_asp.sandbox.executor import Inline
from ists_asp.sandbox.worker import Decider
from ists_asp.solver.batching import BATCH

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ists_asp.cli.inputs import Inputs, PairSource
    from ists_asp.cli.options.choice import Choice
    from ists_asp.cli.options.run_options import Effort
    from ists_asp.engine import Limits
    from ists_asp.engine.answer import Provenance
    from ists_asp.rules import RuleWarning
    from ists_asp.sandbox.executor import Executor
    from ists_asp.sandbox.outcome import Outcome
    from ists_asp.sandbox.pool import Pool

MANY = 5000
"""Pairs from which they are decided in a worker, as clingo takes more and more memory."""


@dataclass(frozen=True, slots=True)
class Job:
    """The options of ``ists-asp solve`` or ``ists-asp sts``, checked."""

    inputs: Inputs
    choice: Choice
    shape: Format
    output: Path | None
    models: int
    effort: Effort
    quiet: bool

    @property
    def traces(self) -> Path | None:
        """The file for traces."""
        return self.effort.traces

    @property
    def limits(self) -> Limits:
        """What a pair may take."""
        return self.effort.limits()

    @property
    def targets(self) -> tuple[Path, ...]:
        """The files to write."""
        return tuple(path for path in (self.output, self.traces) if path is not None)


_NAMED = 100
"""Pairs without an answer whose ids are kept: there may be a million."""


@dataclass(slots=True)
class _Failed:
    """How many pairs have no answer, and the ids of the first of them."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, identifier: str) -> None:
        self.count += 1
        if len(self.first) < _NAMED:
            self.first.append(identifier)

    def __str__(self) -> str:
        more = self.count - len(self.first)
        return ", ".join(map(shortened, self.first)) + (f" and {more} more" if more else "")


class _Warnings:
    """Prints what clingo finds suspicious about the rules, each thing once."""

    def __init__(self) -> None:
        self._seen: set[RuleWarning] = set()

    def __call__(self, warning: RuleWarning) -> None:
        if warning not in self._seen:
            self._seen.add(warning)
            warn(str(warning))


def solve_once(job: Job) -> int:
    """Decide the pairs of a job and write the answers.

    Returns:
        The exit code: :data:`EXIT_FAILED` where some pairs have no answer.

    Raises:
        IstsError: the input or the rules are faulty, or an output cannot be written.
    """
    began = time.perf_counter()
    stages = Timings()
    told = _Warnings()
    with opened(job.inputs) as source, ExitStack() as stack:
        # It annotates; what parses rules is the executor's.
        system = stack.enter_context(System(job.choice.setup))
        if not job.inputs.raw:
            source.attached.tell(system.files.profile)
        spec = _spec(job, system)
        made_by = system.provenance
        sink = stack.enter_context(_sink(job, spec, source, made_by))
        executor = _executor(job, spec, source)
        stack.callback(executor.close)
        for warning in (*system.models_warnings, *executor.warnings):
            told(warning)
        pairs = source.inputs.tokenized(system, source.pairs())
        for _ in zip(range(sink.done), pairs, strict=False):
            pass
        with progress(source.count, shown=not job.quiet, done=sink.done) as step:
            for number, outcome in enumerate(run(pairs, system, executor, stages, told), 1):
                still_heard()
                _tell(outcome, job)
                sink.write(outcome)
                if number % BATCH == 0:
                    sink.check()
                step()
        stages.merge(system.stages)
        source.check_same()
        still_heard()
        failed = sink.failed
    if not (job.quiet or job.inputs.single):
        note(summary(source.count, time.perf_counter() - began, stages))
        if kept := rerun(source.count, stages):
            note(kept)
        note(str(made_by))
    if failed.count:
        warn(f"no answer for {failed.count} of {source.count} pairs: {failed}")
        return EXIT_FAILED
    return 0


def rate_by_tokens(inputs: Inputs, output: Path | None, shape: Format) -> None:
    """Write the ratings of Baseline-tokencos: six decimals, so that rounding costs nothing."""
    from ists_asp.evaluate.tokencos import HIGHEST, tokencos

    with opened(inputs) as source:
        ratings = [
            format_rating(f"{HIGHEST * tokencos(pair):.6f}", pair, shape) for pair in source.pairs()
        ]
    write_output(output, "".join(ratings))


def _spec(job: Job, system: System) -> Setup:
    """What workers get: without Stanza, which is not theirs."""
    files = system.files
    rated = job.shape in RATED or (bool(files.rating) and job.shape is Format.JSONL)
    return replace(
        system.setup,
        models=job.models,
        limits=job.limits,
        traced=job.traces is not None,
        rated=rated,
        files=sums(files.every if rated else files.deciding),
    )


def _executor(job: Job, spec: Setup, source: PairSource) -> Executor:
    """This process, unless something could take too much of it, or others are to help.

    Rules that somebody wrote are not even parsed in this process. Few pairs are decided by a
    copy of it, which is quick to begin; whoever calls the command from Python may have threads,
    which a copy would lack.
    """

    def workers() -> Pool:
        from ists_asp.sandbox.pool import Pool

        return Pool(spec, min(job.effort.jobs, -(-source.count // BATCH)))

    trusted = not (job.choice.rules or job.choice.constants)
    if job.effort.jobs > 1 or source.long or source.count >= MANY:
        return workers()
    if trusted:
        return Inline(Decider(spec), workers)
    if not guard.active:
        return workers()
    from ists_asp.sandbox.forked import Forked

    return Forked(spec, workers)


def _tell(outcome: Outcome, job: Job) -> None:
    pair = outcome.pair
    if outcome.failure is not None:
        if job.effort.fail_fast or job.inputs.single:
            raise SolveError(
                outcome.failure.reason, where=of_pair(pair.id), hint=outcome.failure.hint
            )
        warn(f"pair {shortened(pair.id)}: {outcome.failure.reason}")
    else:
        warn_unproven(outcome.answers[0], job.limits.seconds)


class _Sink:
    """Where answers go: to files, which appear at the end, or at once to standard output."""

    def __init__(self, job: Job, made_by: Provenance, outputs: Mapping[Path, TextIO]) -> None:
        self._job = job
        self._made_by = made_by
        self._outputs = outputs
        self._blank = False
        self.failed = _Failed()

    def write(self, outcome: Outcome) -> None:
        job = self._job
        text = render(outcome, job.shape, job.models, self._made_by)
        if job.shape is Format.TEXT:
            # A blank line between pairs.
            text, self._blank = f"\n{text}" if self._blank else text, True
        if outcome.failure is not None:
            self.failed.add(outcome.pair.id)
        texts = {job.output: text, job.traces: outcome.trace}
        for target, stream in self._outputs.items():
            stream.write(texts[target])
        if job.output is None:
            write_output(None, text)

    def save(self) -> None:
        if self._drafts:
            self._drafts.save()

    def finish(self) -> None:
        if self._drafts:
            self._drafts.publish()


@contextmanager
def _sink(job: Job, spec: Setup, source: PairSource, made_by: Provenance) -> Iterator[_Sink]:
    """The outputs of a job. What an interrupted run has done stays, for it to be resumed."""
    files = [target for target in job.targets if target.is_file() or not target.exists()]
    with ExitStack() as stack:
        devices = {
            target: stack.enter_context(atomic_writer(target))
            for target in job.targets
            if target not in files
        }
        if not files:
            yield _Sink(job, made_by, None, devices)
            return
        drafts = stack.enter_context(
            PartialOutputs(files, _identity(job, spec, source, made_by), job.effort.resume)
        )
        if job.effort.resume and not job.quiet:
            note(f"{drafts.done} of {source.count} pairs are done already")
        try:
            yield _Sink(job, made_by, drafts, devices)
        except BaseException:
            if drafts.resumable and source.same():
                note(f"{drafts.saved} pairs are done; --resume goes on from there")
            else:
                drafts.discard()
            raise


def _identity(job: Job, spec: Setup, source: PairSource, made_by: Provenance) -> str:
    """What a run must have in common with the one that it resumes."""
    choice = job.choice
    parts = [
        *(__version__, source.digest, job.shape, job.models, spec.limits.seconds),
        *(spec.profile, spec.files, dict(spec.constants), spec.traced),
        made_by.reader,
        *(str(choice.stanza_dir), [str(path) for path in job.targets]),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
