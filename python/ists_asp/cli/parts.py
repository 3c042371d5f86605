"""Pairs decided and written, all or a part: the one way, whatever the engine.

A worker of a cluster cuts files into parts, and makes what is written of a part.

See :mod:`ists_asp.cli.cluster`. Files have addresses of fsspec, such as ``s3://bucket/pairs``.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from hashlib import file_digest
from multiprocessing import current_process
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeAlias

from ists_asp.cli import console
from ists_asp.cli.inputs import Attached, PairSource
from ists_asp.errors import DataError, FormatError, IstsError, brief, of_pair
from ists_asp.io.files import file_system, place
from ists_asp.io.formats import Written, writing_rows
from ists_asp.io.text import LONGEST
from ists_asp.run.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ists_asp.cli.inputs import Inputs
    from ists_asp.engine import Setup, System, Timings
    from ists_asp.engine.answer import Provenance
    from ists_asp.io.formats import Format
    from ists_asp.io.tables import Text
    from ists_asp.rules import RuleWarning
    from ists_asp.run.pool import Inline
    from ists_asp.run.worker import Outcome

RECORDS = "_records"
"""The folder of what is recorded of parts, beside them."""

_TOLD = 100
"""Warnings, and pairs without an answer, that are told one by one of a part."""

Made: TypeAlias = tuple[int, Sequence[tuple[str, str]], Sequence[str]]
"""How many pairs a part has, which failed for what reason, and what to warn of."""

Write: TypeAlias = Callable[["Inputs", "Held", TextIO, TextIO | None], Made]
"""Writes what is made of the pairs of a part, and traces."""


@dataclass(frozen=True, slots=True)
class Task:
    """How pairs are decided and written: a table gets ``columns``, a ``strict`` one ends early."""

    setup: Setup
    shape: Format
    columns: tuple[str, ...] = ()
    strict: bool = False

    def write(
        self,
        source: PairSource,
        system: System,
        deciding: Inline | Pool,
        target: Text,
        traces: Text | None,
        stages: Timings,
        tell: Callable[[RuleWarning], None],
    ) -> Iterator[Outcome]:
        """Decide and write pairs; yield what became of each when it is written."""
        from ists_asp.run.pool import run

        shape, table = self.shape, source.inputs.table
        record, first = system.provenance.to_dict(), not source.inputs.before
        pairs = source.inputs.tokenized(system, source.pairs())
        with ExitStack() as stack:
            if self.columns:
                rows = writing_rows(shape, target, self.columns, table)
                put_rows = stack.enter_context(rows)
            for outcome in run(pairs, system, deciding, stages, tell):
                pair, failure = outcome.pair, outcome.failure
                if failure is not None and self.strict:
                    failure.where = of_pair(pair.id)
                    raise failure
                for faulty, fault in source.faulty():
                    if self.columns:
                        put_rows(fault, faulty)
                row = source.rows.popleft()[0] if table is not None else None
                written = Written(
                    pair,
                    outcome.answers,
                    failure.found if failure else None,
                    outcome.knowledge,
                    record,
                    ranked=self.setup.models > 1,
                    alone=source.inputs.one,
                    explanation=outcome.explanation,
                    others=source.others(row),
                )
                if self.columns:
                    put_rows(written, row)
                else:
                    target.write(shape.between * (not first) + shape.write(written))
                first = False
                if traces is not None:
                    traces.write(outcome.trace)
                yield outcome
            for faulty, fault in source.faulty():
                if self.columns:
                    put_rows(fault, faulty)
        stages.merge(system.stages)


class Part(NamedTuple):
    """Rows of a file, or of two with a sentence a line: those between ``bounds`` in each.

    Bounds are bytes, or rows in a ``group`` of a Parquet file. So many lines or rows of the file
    are ``before`` them, so many in the files before. Files must keep their ``states``.
    """

    files: tuple[str, ...]
    states: tuple[str, ...]
    bounds: tuple[tuple[int, int], ...] = ()
    before: int = 0
    group: int | None = None
    number: int = 0
    files_before: int = 0


Cut: TypeAlias = tuple[list[Part], int, list[str]]
"""The parts of files, how many lines or rows they have, and the keys of objects in order."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to do with all parts; the ``key`` stands for all that their bytes depend on."""

    setup: Setup
    write: Write
    inputs: Inputs
    output: str | Path | None
    ending: str
    traces: str | Path | None = None
    key: str = ""

    def targets(self, part: Part) -> list[tuple[str, str]]:
        """The folder and name of each file of a part."""
        name, traces = f"part-{part.number:05d}", self.traces
        more = [] if traces is None else [(str(traces), f"{name}.jsonl")]
        return [(str(self.output), f"{name}{self.ending}"), *more]


@dataclass(slots=True)
class Held:
    """What a worker has loaded for a run: what annotates, a child that decides; a part's times."""

    setup: Setup
    system: System
    pool: Pool
    stages: Timings = field(init=False)


_held: list[Held] = []
_alone = threading.Lock()
"""Held by whoever works on a part: Stanza is not made for threads."""


def make(job: Job, part: Part) -> tuple[dict[str, Any], Timings | None]:
    """Make a part, and tell how long it took, unless it is there: its record."""
    with _alone:
        if (found := _recorded(job, part)) is not None:
            return found, None
        began, held = time.process_time(), _loaded(job)
        if tuple(map(state_of, part.files)) != part.states:
            raise DataError("the input has changed while it was read", where=part.files[0])
        files = {}
        with TemporaryDirectory(prefix="ists-asp-") as name, ExitStack() as stack:
            folder, targets = Path(name), job.targets(part)
            drafts = [folder / one for one in ("answers", "traces")[: len(targets)]]
            streams = [
                stack.enter_context(draft.open("w", encoding="utf-8", newline="\n"))
                for draft in drafts
            ]
            inputs = _inputs(job.inputs, part, folder, stack)
            made = job.write(inputs, held, streams[0], streams[1] if job.traces else None)
            for (where, called), draft, stream in zip(targets, drafts, streams, strict=True):
                stream.close()
                with draft.open("rb") as written:
                    digest = file_digest(written, "sha256").hexdigest()
                files[where] = [called, draft.stat().st_size, digest]
                place(where, called, draft)
        pairs, failed, warned = made
        record = {"key": job.key, "files": files, "pairs": pairs, "failed": len(failed)}
        record |= {"failures": [*failed[:_TOLD]], "warnings": [*warned[:_TOLD]]}
        text = json.dumps(record, ensure_ascii=False).encode()
        place(f"{job.output}/{RECORDS}", f"{part.number:05d}.json", text)
        held.stages.elsewhere += time.process_time() - began
        return record, held.stages


def _recorded(job: Job, part: Part) -> dict[str, Any] | None:
    """The record of a part that is there, whole and made by the same."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        system, path = file_system(f"{job.output}/{RECORDS}/{part.number:05d}.json")
        record: dict[str, Any] = json.loads(system.cat_file(path))
        same = record["key"] == job.key
        for where, called in job.targets(part):
            system, path = file_system(f"{where}/{called}")
            with system.open(path, "rb") as stream:
                found = file_digest(stream, "sha256").hexdigest()
            same = same and record["files"][where][2] == found
        return record if same else None
    return None


def _loaded(job: Job) -> Held:
    from ists_asp.engine import System, Timings

    if not (_held and _held[0].setup == job.setup):
        for old in _held:
            old.pool.close()
            old.system.close()
        _held.clear()
        # A Dask worker is one that may be killed, and so may have no children: ours end with it.
        vars(current_process())["_config"]["daemon"] = False
        _held.append(Held(job.setup, System(job.setup), Pool(job.setup, 1)))
    (held,) = _held
    held.stages, held.system.stages = Timings(), Timings()
    return held


def _inputs(inputs: Inputs, part: Part, folder: Path, stack: ExitStack) -> Inputs:
    """The input with nothing but a part."""
    sources: dict[str, Any] = {}
    for at, (file, bounds) in enumerate(zip(part.files, part.bounds, strict=True)):
        system, path = file_system(file)
        if part.group is not None:
            sources[file] = stack.enter_context(system.open(path, "rb"))
        else:
            sources[file] = folder / f"lines{at}"
            sources[file].write_bytes(system.cat_file(path, *bounds))
    table, (first, *_) = inputs.table, part.files
    if table is not None:
        within = None if part.group is None else (part.group, slice(*part.bounds[0]))
        table = table.part(sources[first], first, part.before, part.files_before, within)
    files = dict(zip(inputs.files, part.files, strict=True))
    before = part.before + part.files_before
    return replace(inputs, files=files, copies=sources, table=table, before=before)


def write_pairs(
    task: Task, inputs: Inputs, held: Held, target: TextIO, traces: TextIO | None
) -> Made:
    """Decide and write the pairs of a part."""
    warned: list[str] = []
    failed: list[tuple[str, str]] = []
    pairs = sum(1 for _ in inputs.checked(warned.append, sized=False))
    source = PairSource(inputs, pairs, True, Attached(), None)
    told = (source, held.system, held.pool, target, traces, held.stages)
    for outcome in task.write(*told, lambda warning: warned.append(str(warning))):
        if outcome.failure is not None:
            failed.append((outcome.pair.id, outcome.failure.found))
        elif task.setup.answers is None and not outcome.answers[0].optimal:
            warned.append(console.unproven(outcome.answers[0], task.setup.limits.seconds))
    return pairs, failed, list(dict.fromkeys(warned))


def cut(files: Sequence[str], kind: str, size: int, titled: bool, quoted: bool) -> Cut:
    """Cut a file, or two with a sentence a line, into parts of so many pairs.

    A table may be ``titled``; rows of one that is ``quoted`` may have ends of lines in them.
    """
    part = Part(tuple(files), tuple(map(state_of, files)))
    parts, keys = [], dict[str, None]()
    with ExitStack() as stack:
        opened = (system.open(path, "rb") for system, path in map(file_system, files))
        streams = [stack.enter_context(stream) for stream in opened]
        if kind == "parquet":
            return _cut_groups(part, streams[0], size)
        starts = ends = (0,) * len(files)
        lines, before, pairs, inside = 0, 0, -int(titled), False
        while any(found := [stream.readline(LONGEST + 1) for stream in streams]):
            if max(map(len, found)) > LONGEST or found[0][:2] in (b"\xff\xfe", b"\xfe\xff"):
                expected = f"UTF-8, lines of at most {LONGEST >> 20} MB"
                raise FormatError("this cannot be cut", where=files[0], expected=expected)
            if not all(found):
                expected = "as many sentences in both files"
                raise DataError(f"one has {lines} lines", where=files[0], expected=expected)
            ends = tuple(end + len(line) for end, line in zip(ends, found, strict=True))
            lines += 1
            inside ^= quoted and found[0].count(b'"') % 2 == 1
            if kind == "jsonl":
                with suppress(ValueError, RecursionError):
                    row = json.loads(found[0])
                    keys.update(dict.fromkeys(row if isinstance(row, dict) else ()))
            pairs += not inside
            # Empty lines at the end are no rows, and those before rows are faults.
            if pairs >= size and not inside and found[0].strip():
                bounds = tuple(zip(starts, ends, strict=True))
                parts.append(part._replace(bounds=bounds, before=before))
                starts, before, pairs = ends, lines, 0
        if starts != ends:
            bounds = tuple(zip(starts, ends, strict=True))
            parts.append(part._replace(bounds=bounds, before=before))
    return parts, lines, list(keys)


def _cut_groups(part: Part, stream: Any, size: int) -> Cut:  # noqa: ANN401 (a file of fsspec)
    from pyarrow.parquet import ParquetFile

    found, parts, rows = ParquetFile(stream).metadata, [], 0
    for group in range(found.num_row_groups):
        count = found.row_group(group).num_rows
        for start in range(0, count, size):
            bounds = ((start, min(start + size, count)),)
            parts.append(part._replace(bounds=bounds, before=rows + start, group=group))
        rows += count
    return parts, rows, []


def lacking(job: Job, made_by: Provenance, files: Sequence[str]) -> list[str]:
    """What this worker lacks for a run: what is made, read or written where the client is."""
    from ists_asp.engine import System

    lacks = []
    try:
        with System(job.setup) as system:
            mine, theirs = system.provenance.to_dict(), made_by.to_dict()
        lacks += [f"the {name} {theirs[name]}" for name in mine if mine[name] != theirs[name]]
        for file in files:
            state_of(file)
        place(f"{job.output}/{RECORDS}", "probe", b"")
    except (OSError, IstsError) as error:
        lacks.append(str(error) if isinstance(error, IstsError) else brief(error))
    return lacks


def state_of(file: str) -> str:
    """What tells a file from what it is when somebody has changed it."""
    system, path = file_system(file)
    return f"{system.size(path)} bytes, {system.checksum(path)}"
