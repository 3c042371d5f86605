"""Messages on standard error, and data on standard output or in a file."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ists_asp.errors import DataError, IstsError, UsageError, shortened
from ists_asp.io.files import atomic_writer
from ists_asp.limits import warnings_of
from ists_asp.terminal import Door, behind, door, one_line, plain

if TYPE_CHECKING:
    from ists_asp.engine import Setup, Timings
    from ists_asp.evaluate.scorer import Reference
    from ists_asp.io.text import Warn
    from ists_asp.model import Answer, Pair
    from ists_asp.pipeline.source import Source

_MOST_EDITS = 5  # edits that are named
_MOST = 20  # warnings about a file that are printed; of the others their number
_NAMED = 100  # pairs without an answer that are named


def fail(fault: IstsError) -> None:
    """Print an error, and behind it what was warned of before it."""
    for message in fault.messages:
        error(message)
    for warning in getattr(fault, "__notes__", ()):
        warn(warning)


def error(message: str) -> None:
    """Print an error."""
    _tell(f"error: {message}")


def warn(message: object) -> None:
    """Print a warning, one line."""
    _tell(f"warning: {one_line(str(message))}")


@contextmanager
def reader_warnings() -> Iterator[Warn]:
    """Print what readers warn of at the end, of many the first, or make it notes of an error."""
    messages, count = list[str](), 0

    def take(message: str) -> None:
        nonlocal count
        if message not in messages:
            count += 1
            messages.extend([message] * (count <= _MOST))

    def all_messages() -> list[str]:
        rest = count - len(messages)
        return messages + [f"and {rest} more such warning{'' if rest == 1 else 's'}"] * bool(rest)

    try:
        yield take
    except IstsError as fault:
        for warning in all_messages():
            fault.add_note(warning)
        raise
    for warning in all_messages():
        warn(warning)


def read_pairs(source: Source, setup: Setup | None = None) -> list[Pair]:
    """Read all pairs of a source for a profile, and print what was repaired."""
    with reader_warnings() as repaired:
        return source.read(repaired, note, None if setup is None else setup.load_profile())


@contextmanager
def opened(source: Source, setup: Setup) -> Iterator[Source]:
    """Open a source, and print what was repaired before anything else is done."""
    profile = setup.load_profile()
    with ExitStack() as stack:
        with reader_warnings() as repaired:
            source = stack.enter_context(source.opened(repaired, note, profile=profile))
        yield source


def read_gold(path: Path, *, skip_bad: bool) -> Mapping[str, Reference]:
    """The alignments of a .wa file by id; prints what was repaired, and what is left out."""
    from ists_asp.evaluate.files import read_references

    with reader_warnings() as repaired:
        return read_references(path, warn=repaired, skip_bad=skip_bad)


def read_aligned(path: Path, pairs: Sequence[Pair], *, skip_bad: bool) -> Mapping[str, Reference]:
    """The alignments of a .wa file by id, of which some are about ``pairs``."""
    references = read_gold(path, skip_bad=skip_bad)
    lacking = [pair.id for pair in pairs if pair.id not in references]
    if len(lacking) == len(pairs):
        expected = f"ids such as '{shortened(pairs[0].id)}'"
        raise DataError("none of the pairs is in it", where=str(path), expected=expected)
    if lacking:
        example = shortened(lacking[0])
        warn(f"{path}: {len(lacking)} of {len(pairs)} pairs are not in it, such as {example}")
    return references


def warn_of(answer: Answer, seconds: float) -> None:
    """Print what :func:`~ists_asp.limits.warnings_of` says of an answer."""
    for warning in warnings_of(answer, seconds):
        warn(warning)


def note(message: str) -> None:
    """Print something that is good to know, one line."""
    _tell(one_line(message))


def _tell(text: str) -> None:
    # A full or closed standard error does not make other output wrong.
    with suppress(OSError):
        click.echo(text, err=True)


@dataclass(slots=True)
class Failures:
    """How many pairs have no result, and the ids of the first of them: there may be a million."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, identifier: str, reason: str) -> None:
        """Take up a pair, and warn of it."""
        self.count += 1
        if len(self.first) < _NAMED:
            self.first.append(shortened(identifier))
        warn(f"pair {shortened(identifier)}: {reason}")

    def end(self, pairs: int) -> None:
        """End with a warning and the exit code 3 where some of the pairs have no result."""
        if self.count:
            rest = self.count - len(self.first)
            ids = ", ".join(self.first) + (f" and {rest} more" if rest else "")
            warn(f"no answer for {self.count} of {pairs} pairs: {ids}")
            raise click.exceptions.Exit(3)


def write_output(target: Path | None, value: object) -> None:
    """Write text, or another value as JSON, to standard output or, atomically, to a file."""
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    if target is not None:
        with atomic_writer(target) as stream:
            stream.write(plain(value))
        return
    if sys.stdout is None:
        raise UsageError("standard output is closed", hint="Name a file with -o")
    try:
        click.echo(value, nl=False, color=Door.colours)
    except BrokenPipeError:
        raise
    except OSError as fault:
        found = f"cannot be written: {fault.strerror or fault}"
        raise DataError(found, where="standard output") from fault


@contextmanager
def progress(total: int | None, *, shown: bool) -> Iterator[Callable[[], None]]:
    """Show a bar on standard error, if that is a terminal; yield what to call after each step."""
    several = total is None or total > 1
    if not (shown and several) or sys.stderr is None or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    drawn = Progress(
        *Progress.get_default_columns(),
        console=Console(file=behind(sys.stderr)),
        transient=True,
        redirect_stdout=False,
    )
    # While it is drawn rich prints what goes to standard error, by a way round the door.
    with drawn as bar, redirect_stderr(door(sys.stderr)):
        task = bar.add_task("Pairs", total=total)
        yield lambda: bar.advance(task)


def summary(pairs: int, seconds: float, stages: Timings) -> str:
    """The times of a run: pairs per second, each stage, the median and the slowest pair."""
    busy, took = time.process_time() + stages.elsewhere, sorted(stages.decided.elements()) or [0]
    names = ("annotation", "knowledge", "facts", "grounding", "solving")
    parts = ", ".join(f"{name} {getattr(stages, name):.1f} s" for name in names)
    return (
        f"{pairs} pair{'s' * (pairs != 1)} in {seconds:.1f} s, "
        f"{pairs / max(seconds, 1e-9):.1f} pairs/s; {busy:.1f} s of the processor, loading "
        f"included: {parts}; grounding and solving {took[(len(took) - 1) // 2] / 100:.1f} ms a "
        f"pair in the median, {took[-1] / 100:.1f} ms at worst"
    )


def rerun(pairs: int, stages: Timings) -> str | None:
    """How many answers were kept from a run before, and which edits made others necessary."""
    if not stages.cached and not stages.edits:
        return None
    text = f"{stages.cached} of {pairs} pairs found in the cache"
    if edits := stages.edits:
        places = [f"{place} ({count})" for place, count in edits.most_common(_MOST_EDITS)]
        others = ", …" if len(edits) > _MOST_EDITS else ""
        text += f"; {edits.total()} decided again because of {', '.join(places)}{others}"
    return text
