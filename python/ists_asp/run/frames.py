"""Frames of pandas, polars and whatever else narwhals knows: pairs in, columns of ours behind."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from ists_asp.engine import Setup, System
from ists_asp.engine.preparation import read_pair, sums
from ists_asp.errors import DataError, ResourceError, SolveError, UsageError, shortened
from ists_asp.io.formats import PAIRS, Written, pair_row
from ists_asp.io.tables import added
from ists_asp.limits import fits
from ists_asp.model import Pair, Sentence
from ists_asp.resources import cache_dir
from ists_asp.rules import Purpose
from ists_asp.run.pool import executor, run
from ists_asp.run.worker import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

F = TypeVar("F")

_BATCH = 200
"""Rows that are read at a time."""


def solve_frame(
    frame: F,
    first: str,
    second: str,
    system: System | str = "default",
    *,
    id: str | None = None,
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
        id: the column of ids, which errors of several pairs name; they are numbered by default.
        jobs: how many workers decide at the same time.
        explain: whether to add the ``explanation``, which takes about twice as long.

    Returns:
        A frame of the same kind with its columns and index, and behind them ``rating``, how often
        each label was given, ``explanation`` and ``error``.

    Raises:
        UsageError: it is no frame, or has no such column; there are no such profile and rules.
        ResourceError: narwhals is not installed, or what a system needs is missing.
        RuleError: the rules are faulty.
    """
    table = _opened(frame)
    for name in filter(None, (first, second, id)):
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
        found: dict[str, list[Any]] = {
            name: [] for name in PAIRS if explain or name != "explanation"
        }
        pairs = _pairs(table, first, second, id, system)
        for one in run(pairs, system, deciding, system.stages, lambda new: told.setdefault(new)):
            failure = None if one.failure is None else one.failure.found
            row = pair_row(Written(one.pair, one.answers, failure, explanation=one.explanation))
            for name, values in found.items():
                values.append(row.get(name))
    for warning in told:
        warnings.warn(str(warning), stacklevel=2)
    narwhals = import_module("narwhals")
    text, number = narwhals.String, narwhals.Float64
    kinds = {"rating": number, "explanation": text, "error": text}
    names = added(table.columns, list(found))
    new = (
        narwhals.new_series(name, values, kinds.get(ours), backend=table.implementation)
        for name, (ours, values) in zip(names, found.items(), strict=True)
    )
    solved: F = table.with_columns(*new).to_native()
    return solved


def _opened(frame: object) -> Any:  # noqa: ANN401 (narwhals may be absent)
    try:
        narwhals = import_module("narwhals")
    except ImportError:
        hint = "Install the extra: pip install 'ists-asp[frames]'"
        raise ResourceError("frames need narwhals, which is not installed", hint=hint) from None
    try:
        return narwhals.from_native(frame, eager_only=True)
    except TypeError:
        hint = "Collect a lazy frame first: frame.collect()"
        raise UsageError(
            f"{type(frame).__name__} is no frame", expected="one of pandas or polars", hint=hint
        ) from None


def _pairs(
    table: Any,  # noqa: ANN401
    first: str,
    second: str,
    identifier: str | None,
    system: System,
) -> Iterator[Pair | Outcome]:
    """The pairs of the rows, tokenised; what is wrong with a row in its place."""
    for start in range(0, len(table), _BATCH):
        part = table[start : start + _BATCH]
        ids = range(start + 1, start + 1 + len(part)) if identifier is None else part[identifier]
        read = list(map(_read, ids, _texts(part[first]), _texts(part[second])))
        bare = {at: one for at, one in enumerate(read) if isinstance(one, Pair) and fits(one)}
        texts = [side.text for pair in bare.values() for side in (pair.sent1, pair.sent2)]
        sentences = iter(system.tokenize(texts))
        for at, pair in bare.items():
            read[at] = Pair(pair.id, next(sentences), next(sentences))
        yield from read


def _read(identifier: object, one: str, two: str) -> Pair | Outcome:
    try:
        return read_pair(one, two, str(identifier))
    except DataError as error:
        failure = SolveError(f"{error.where}: {error.found}", hint=error.hint)
        return Outcome(Pair(str(identifier), Sentence(()), Sentence(())), (), failure)


def _texts(cells: Any) -> Iterator[str]:  # noqa: ANN401
    """What cells hold, each as one line; what is missing as nothing."""
    for cell, missing in zip(cells.to_list(), cells.is_null().to_list(), strict=True):
        yield "" if missing else " ".join(str(cell).splitlines())
