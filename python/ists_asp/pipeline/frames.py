"""Frames of pandas, polars and whatever else narwhals knows: pairs in, columns of ours behind."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from typing import Any, TypeVar

from ists_asp.engine import Setup, System
from ists_asp.engine.preparation import sums
from ists_asp.errors import DataError, ResourceError, UsageError, shortened
from ists_asp.io.formats import PAIRS, Outcome, pair_row
from ists_asp.io.pairs import cell_sentence
from ists_asp.io.tables import added
from ists_asp.io.text import Repairs
from ists_asp.lang import foreign
from ists_asp.model import Pair
from ists_asp.pipeline.source import Entry
from ists_asp.pipeline.stages import Stages
from ists_asp.resources import cache_dir
from ists_asp.rules import Profile, Purpose, RuleWarning
from ists_asp.solver.batch import BATCH, batches

F = TypeVar("F")


def solve_frame(
    frame: F,
    first: str,
    second: str,
    system: System | str = "default",
    *,
    jobs: int = 1,
    explain: bool = False,
) -> F:
    """Decide the pairs of a frame, one a row; as ``ists-asp solve --table`` does with a file.

    A row without an answer has its ``error`` instead, and no other row suffers. Columns whose
    names the frame has already get ``ists_`` before theirs.

    Args:
        frame: one of pandas, polars, pyarrow or another library that narwhals knows.
        first: the name of the column of first sentences: texts, numbers or dates.
        second: that of second sentences.
        system: what decides, or the name of the profile to load.
        jobs: how many workers decide at the same time.
        explain: whether to add the ``explanation``, which takes about twice as long.

    Returns:
        A frame of the same kind with its columns and index, and behind them ``rating`` and its
        ``margin``, how often each label was given, ``explanation`` and ``error``.
    """
    try:
        narwhals = import_module("narwhals")
        table = narwhals.from_native(frame, eager_only=True)
    except ImportError:
        hint = "Install the extra: pip install 'ists-asp[frames]'"
        raise ResourceError("frames need narwhals, which is not installed", hint=hint) from None
    except TypeError:
        found, hint = f"{type(frame).__name__} is not a frame", "A lazy one needs frame.collect()"
        raise UsageError(found, expected="one of pandas or polars", hint=hint) from None
    for name in (first, second):
        if name not in table.columns:
            expected = shortened(", ".join(map(str, table.columns)), 200)
            raise UsageError(f"the frame has no column {name!r}", expected=expected)
    if type(jobs) is not int or jobs < 1:
        raise UsageError(f"jobs={jobs!r}", expected="how many workers, from 1")
    with ExitStack() as stack:
        if isinstance(system, str):
            system = stack.enter_context(System(Setup(system, cache=cache_dir(True))))
        if explain:
            system.setup.check_has(Purpose.EXPLANATION)
        files = sums(system.files.all_files if system.rates else system.files.deciding)
        setup = replace(system.setup, models=1, rated=system.rates, explained=explain, files=files)
        warned: dict[RuleWarning, None] = {}
        stages = Stages(setup, system, jobs, len(table), tell=warned.setdefault)
        stack.callback(stages.close)
        ours = [name for name in PAIRS if explain or name != "explanation"]
        rows: list[dict[str, Any]] = []
        for _, outcome in stages.decide(batches(_entries(table, (first, second), system.profile))):
            rows += pair_row(outcome) if isinstance(outcome, Outcome) else [{"error": str(outcome)}]
        system.stages = stages.times
    for warning in warned:
        warnings.warn(str(warning), stacklevel=2)
    text, number = narwhals.String, narwhals.Float64
    kinds = {"rating": number, "explanation": text, "error": text}
    new = (
        narwhals.new_series(
            name, [row.get(key) for row in rows], kinds.get(key), backend=table.implementation
        )
        for name, key in zip(added(table.columns, ours), ours, strict=True)
    )
    solved: F = table.with_columns(*new).to_native()
    return solved


def _entries(table: Any, names: Sequence[str], profile: Profile) -> Iterator[Entry]:  # noqa: ANN401
    """The rows of a frame as pairs of texts, or their faults; they are no rows of a file."""
    for number, cells in enumerate(zip(*(_cells(table[name]) for name in names), strict=True), 1):
        where, repairs = f"row {number}", Repairs()
        try:
            sent1, sent2 = (
                cell_sentence(cell, name, where, repairs)
                for cell, name in zip(cells, names, strict=True)
            )
            if fault := foreign((sent1, sent2), profile.language, profile.name, where):
                raise fault
        except DataError as fault:
            yield None, fault
        else:
            yield None, Pair(str(number), sent1, sent2).as_text()


def _cells(column: Any) -> Iterator[object]:  # noqa: ANN401
    """The cells of a column; None for one that is missing."""
    for start in range(0, len(column), BATCH):
        batch = column[start : start + BATCH]
        for cell, missing in zip(batch.to_list(), batch.is_null().to_list(), strict=True):
            yield None if missing else cell
