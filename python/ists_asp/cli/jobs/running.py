"""One run of ``ists-asp solve`` or ``sts``: from checked options to written answers."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TextIO

from ists_asp.annotate import Annotator, Cache
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
from ists_asp.engine import PairAnnotator, Timings
from ists_asp.engine.loading import load_reader
from ists_asp.engine.provenance import Provenance, provenance
from ists_asp.errors import SolveError, of_pair, shortened
from ists_asp.io.atomic import atomic_writer, check_there, old_journal
from ists_asp.run import run
from ists_asp.sandbox import guard
from ists_asp.sandbox.executor import Inline
from ists_asp.sandbox.spec import Spec, sums
from ists_asp.sandbox.worker import Decider
from ists_asp.solver.batching import BATCH

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ists_asp.cli.inputs import Inputs, PairSource
    from ists_asp.cli.options.choice import Choice
    from ists_asp.cli.options.run_options import Effort
    from ists_asp.rules import Profile, ProfileFiles, RuleWarning
    from ists_asp.sandbox.executor import Executor
    from ists_asp.sandbox.outcome import Outcome
    from ists_asp.sandbox.pool import Pool
    from ists_asp.sandbox.spec import Limits

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
        files = job.choice.files_of()
        profile = files.profile
        if not job.inputs.raw:
            source.attached.tell(profile)
        spec = _spec(job, files)
        annotator = _annotator(job, profile, stages)
        stack.callback(annotator.close)
        reader = load_reader(profile, job.choice.reader or False)
        made_by = provenance(
            profile, files.every, annotator.models, None if reader is None else reader.digest
        )
        outputs = {target: stack.enter_context(atomic_writer(target)) for target in job.targets}
        sink = _Sink(job, made_by, outputs)
        for journal in filter(None, map(old_journal, job.targets)):
            note(f"{journal}: an earlier version of ists-asp left this; nothing needs it any more")
        executor = _executor(job, spec, source)
        stack.callback(executor.close)
        for warning in (*annotator.warnings, *executor.warnings):
            told(warning)
        pairs = source.inputs.tokenized(annotator, source.pairs())
        with progress(source.count, shown=not job.quiet) as step:
            for number, outcome in enumerate(run(pairs, annotator, executor, stages, told), 1):
                still_heard()
                _tell(outcome, job)
                sink.write(outcome)
                if number % BATCH == 0:
                    sink.check()
                step()
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


def _spec(job: Job, files: ProfileFiles) -> Spec:
    choice = job.choice
    ratings = job.shape in RATED
    rated = ratings or (bool(files.rating) and job.shape is Format.JSONL)
    return Spec(
        choice.profile,
        choice.rules,
        tuple(choice.constants.items()),
        job.models,
        job.limits,
        choice.reader,
        traced=job.traces is not None,
        rated=rated,
        files=sums(files.every if rated else files.deciding),
        programs=choice.cache,
        incremental=choice.incremental,
    )


def _annotator(job: Job, profile: Profile, stages: Timings) -> PairAnnotator:
    choice = job.choice
    cache = Cache(choice.cache) if choice.cache else None
    found = Annotator(profile.language, choice.stanza_dir, cache)
    return PairAnnotator(found, stages)


def _executor(job: Job, spec: Spec, source: PairSource) -> Executor:
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

    def check(self) -> None:
        """Refuse to go on where nothing could be written at the end."""
        for target, stream in self._outputs.items():
            check_there(stream, target)
