"""Frames of pandas, polars and whatever else narwhals knows: pairs in, columns of ours behind."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from ists_asp.engine import Setup, System
from ists_asp.engine.preparation import BATCH, sums
from ists_asp.errors import ResourceError, UsageError, shortened
from ists_asp.io.formats import PAIRS, Written, pair_row
from ists_asp.io.tables import added
from ists_asp.io.text import Repairs, clean, make_sentence, split_words
from ists_asp.model import Pair, Text
from ists_asp.resources import cache_dir
from ists_asp.rules import Purpose
from ists_asp.run.pool import executor, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ists_asp.model import Sentence

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
        first: the name of the column of first sentences, which are text.
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
        what, hint = f"{type(frame).__name__} is no frame", "A lazy one needs frame.collect()"
        raise UsageError(what, expected="one of pandas or polars", hint=hint) from None
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
        files = system.files
        setup = replace(
            system.setup,
            models=1,
            rated=system.rates,
            explained=explain,
            files=sums(files.every if system.rates else files.deciding),
        )
        deciding = executor(setup, jobs, len(table))
        stack.callback(deciding.close)
        told = dict.fromkeys((*system.models_warnings, *deciding.warnings))
        ours = [name for name in PAIRS if explain or name != "explanation"]
        found: dict[str, list[Any]] = {name: [] for name in ours}
        pairs = system.tokenized(_pairs(table, first, second))
        for one in run(pairs, system, deciding, system.stages, lambda new: told.setdefault(new)):
            failure = None if one.failure is None else one.failure.found
            written = Written(one.pair, one.answers, failure, explanation=one.explanation)
            (row,) = pair_row(written)
            for name, values in found.items():
                values.append(row.get(name))
    for warning in told:
        warnings.warn(str(warning), stacklevel=2)
    text, number = narwhals.String, narwhals.Float64
    kinds = {"rating": number, "explanation": text, "error": text}
    new = (
        narwhals.new_series(name, found[own], kinds.get(own), backend=table.implementation)
        for name, own in zip(added(table.columns, ours), ours, strict=True)
    )
    solved: F = table.with_columns(*new).to_native()
    return solved


def _pairs(table: Any, first: str, second: str) -> Iterator[Pair]:  # noqa: ANN401
    for start in range(0, len(table), BATCH):
        part = table[start : start + BATCH]
        ids = map(str, range(start + 1, start + 1 + len(part)))
        yield from map(Pair, ids, _texts(part[first]), _texts(part[second]))


def _texts(cells: Any) -> Iterator[Sentence]:  # noqa: ANN401
    """What cells hold, each as one line; what is missing as nothing."""
    for cell, missing in zip(cells.to_list(), cells.is_null().to_list(), strict=True):
        text = "" if missing else " ".join(str(cell).splitlines())
        yield Text(make_sentence(split_words(clean(text, "a cell", Repairs()))).tokens)
