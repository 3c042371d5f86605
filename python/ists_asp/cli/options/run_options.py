"""How many pairs a command was told to run, and what they may take."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from ists_asp.cli.files import OUTPUT
from ists_asp.cli.options.common import decorated, number_option, timeout_option

if TYPE_CHECKING:
    from pathlib import Path

    from ists_asp.cli.options.common import Decorator, Function
    from ists_asp.engine import Limits

MEMORY = 4096
"""Megabytes of memory of a worker."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The values of the options that say how pairs are run."""

    jobs: int
    timeout: float
    memory: int | None
    fail_fast: bool
    traces: Path | None

    def limits(self) -> Limits:
        """What a pair may take."""
        from ists_asp.engine import Limits

        megabytes = self.memory or MEMORY
        # No system counts further; more than it has is no limit in any case.
        return Limits(self.timeout, min(megabytes << 20, sys.maxsize))


_RUN: tuple[Decorator, ...] = (
    number_option("--jobs", "Workers that decide pairs at the same time.", default=1),
    timeout_option,
    click.option(
        "--memory",
        type=click.IntRange(min=256),
        metavar="MB",
        help=f"Limit for a worker.  [default: {MEMORY}]",
    ),
    click.option(
        "--fail-fast/--keep-going",
        default=False,
        help="End with the first pair that gets no answer, or go on (the default) and name the "
        "pairs at the end, with exit code 3.",
    ),
    click.option(
        "--trace",
        "traces",
        type=OUTPUT,
        metavar="FILE",
        help="File for the traces of all pairs, a JSON object a line; takes a few times as long. "
        "What came second to a decision is told by ists-asp trace only.",
    ),
)


def run_options(function: Function) -> Function:
    """Give a command the options that say how many pairs are run; it gets ``effort``."""

    @wraps(function)
    def wrapper(
        *,
        jobs: int,
        timeout: float,
        memory: int | None,
        fail_fast: bool,
        traces: Path | None,
        **rest: Any,  # noqa: ANN401 (the options of any command)
    ) -> None:
        effort = Effort(jobs, timeout, memory, fail_fast, traces)
        function(effort=effort, **rest)

    return decorated(wrapper, _RUN)
