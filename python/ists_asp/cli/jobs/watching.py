"""``ists-asp solve --watch``: run again whenever a rule file is saved."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ists_asp.cli.console import fail, note
from ists_asp.cli.jobs.running import Job, solve_once
from ists_asp.errors import IstsError, UsageError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from pathlib import Path

PAUSE = 0.3
"""Seconds between two looks at the files."""


def watch_rules(job: Job) -> int:
    """Run a job, and again after each change of its rules, until somebody ends it.

    Raises:
        UsageError: there are no rules of one's own to watch.
        IstsError: what the rules do not cause, such as a faulty input.
    """
    if not job.choice.rules:
        raise UsageError("--watch without --rules", hint="Name the rules that you change")
    seen = _states(job)
    while True:
        try:
            solve_once(job)
        except UsageError:
            raise
        except IstsError as fault:
            # The next save may mend it.
            fail(fault)
        note("watching the rules; Ctrl-C ends")
        while (states := _states(job)) == seen:
            time.sleep(PAUSE)
        changed = sorted(
            str(path) for path in {*states, *seen} if states.get(path) != seen.get(path)
        )
        seen = states
        note(f"changed: {', '.join(changed)}")


def _states(job: Job) -> Mapping[Path, tuple[int, int]]:
    """When each rule file was changed, and its size."""
    return {path: (stat.st_mtime_ns, stat.st_size) for path, stat in _files(job)}


def _files(job: Job) -> Iterator[tuple[Path, os.stat_result]]:
    for given in job.choice.rules:
        for path in [given] if given.is_file() else given.rglob("*"):
            if path.suffix in {".lp", ".toml", ".tsv"}:
                try:
                    yield path, path.stat()
                except OSError:
                    # An editor replaces the file just now.
                    continue
