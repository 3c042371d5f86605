"""What a worker of a cluster does: cut files into parts, and make what is written of a part.

See :mod:`ists_asp.cli.cluster`. Files have addresses of fsspec, such as ``s3://bucket/pairs``.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import file_digest, sha256
from multiprocessing import current_process
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeAlias

from ists_asp.cli import console
from ists_asp.cli.inputs import Attached, PairSource
from ists_asp.errors import DataError, FormatError, IstsError, brief
from ists_asp.io.files import file_system, place
from ists_asp.io.text import LONGEST
from ists_asp.run.pool import Pool

if TYPE_CHECKING:
    from ists_asp.cli.inputs import Inputs
    from ists_asp.cli.writing import Task
    from ists_asp.engine import Setup, System, Timings
    from ists_asp.engine.answer import Provenance

RECORDS = "_records"
"""The folder of what is recorded of parts, beside them."""

TOLD = 100
"""Warnings, and pairs without an answer, that are told one by one of a part."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff")

Record: TypeAlias = dict[str, Any]
"""What is told of a part: how many pairs, files with their sums, what to tell people."""

Write: TypeAlias = Callable[["Inputs", "Held", TextIO, TextIO | None], Record]
"""Writes what is made of the pairs of a part, and traces, and tells of it."""


class Part(NamedTuple):
    """Rows of a file, or of two with a sentence a line: those between ``bounds`` in each.

    Bounds are bytes, or rows in a ``group`` of a Parquet file. So many lines, or rows, of the
    file are ``before`` them, so many in ``files_before``. The files' ``states`` must stay.
    """

    files: tuple[str, ...]
    states: tuple[str, ...]
    bounds: tuple[tuple[int, int], ...]
    before: int
    group: int | None = None
    number: int = 0
    files_before: int = 0


class Cut(NamedTuple):
    """The parts of files, how many lines or rows they have, and the keys of objects in order."""

    parts: list[Part]
    rows: int
    keys: dict[str, None]


@dataclass(frozen=True, slots=True)
class Job:
    """What to do with all parts: ``write`` makes of one what goes to a file with this ending.

    The ``key`` stands for all that the bytes of parts depend on.
    """

    setup: Setup
    write: Write
    inputs: Inputs
    output: str
    ending: str
    traces: str | None = None
    key: str = ""

    def targets(self, part: Part) -> list[tuple[str, str]]:
        """The folder and name of each file of a part."""
        name = f"part-{part.number:05d}"
        traces = [] if self.traces is None else [(self.traces, f"{name}.jsonl")]
        return [(self.output, f"{name}{self.ending}"), *traces]


@dataclass(slots=True)
class Held:
    """What a worker has loaded for a run: what annotates, a child that decides; a part's times."""

    key: str
    system: System
    pool: Pool
    stages: Timings = field(init=False)


_held: list[Held] = []
_alone = threading.Lock()
"""Held by whoever works on a part: Stanza is not made for threads."""


def make(job: Job, part: Part) -> tuple[Record, Timings | None]:
    """Make a part, and tell how long it took, unless it is there: its record."""
    with _alone, _told(part.files[0]):
        if (found := _recorded(job, part)) is not None:
            return found, None
        began, held = time.process_time(), _loaded(job)
        if tuple(map(state_of, part.files)) != part.states:
            raise DataError("the input has changed while it was read", where=part.files[0])
        record: Record = {"key": job.key, "files": {}}
        with TemporaryDirectory(prefix="ists-asp-") as name, ExitStack() as stack:
            folder, targets = Path(name), job.targets(part)
            drafts = [folder / one for one in ("answers", "traces")[: len(targets)]]
            streams = [
                stack.enter_context(draft.open("w", encoding="utf-8", newline="\n"))
                for draft in drafts
            ]
            inputs = _inputs(job.inputs, part, folder, stack)
            record |= job.write(inputs, held, streams[0], streams[1] if job.traces else None)
            for (where, called), draft, stream in zip(targets, drafts, streams, strict=True):
                stream.close()
                with draft.open("rb") as written:
                    digest = file_digest(written, "sha256").hexdigest()
                record["files"][where] = [called, draft.stat().st_size, digest]
                place(where, called, draft)
        text = json.dumps(record, ensure_ascii=False)
        place(f"{job.output}/{RECORDS}", f"{part.number:05d}.json", text.encode())
        held.stages.elsewhere += time.process_time() - began
        return record, held.stages


def _recorded(job: Job, part: Part) -> Record | None:
    """The record of a part that is there, whole and made by the same."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        system, path = file_system(f"{job.output}/{RECORDS}/{part.number:05d}.json")
        record: Record = json.loads(system.cat_file(path))
        if record["key"] != job.key:
            return None
        for where, called in job.targets(part):
            system, path = file_system(f"{where}/{called}")
            digest = sha256()
            with system.open(path, "rb") as stream:
                while block := stream.read(1 << 20):
                    digest.update(block)
            if record["files"][where][2] != digest.hexdigest():
                return None
        return record
    return None


def _loaded(job: Job) -> Held:
    from ists_asp.engine import System, Timings

    if not (_held and _held[0].key == job.key):
        for old in _held:
            old.pool.close()
            old.system.close()
        _held.clear()
        # A Dask worker is one that may be killed, and so may have no children: ours end with it.
        vars(current_process())["_config"]["daemon"] = False
        _held.append(Held(job.key, System(job.setup), Pool(job.setup, 1)))
    (held,) = _held
    held.stages, held.system.stages = Timings(), Timings()
    return held


def _inputs(inputs: Inputs, part: Part, folder: Path, stack: ExitStack) -> Inputs:
    """The input with nothing but a part."""
    before, (first, *_) = part.before + part.files_before, part.files
    if inputs.table is not None and part.group is not None:
        system, path = file_system(first)
        stream, within = stack.enter_context(system.open(path)), slice(*part.bounds[0])
        table = inputs.table.part(
            stream, first, part.before, part.files_before, (part.group, within)
        )
        return replace(inputs, table=table, before=before)
    copies = {}
    for at, (file, bounds) in enumerate(zip(part.files, part.bounds, strict=True)):
        system, path = file_system(file)
        copies[file] = folder / f"lines{at}"
        copies[file].write_bytes(system.cat_file(path, *bounds))
    if inputs.table is not None:
        table = inputs.table.part(copies[first], first, part.before, part.files_before)
        return replace(inputs, table=table, before=before)
    files = dict(zip(inputs.files, part.files, strict=True))
    return replace(inputs, files=files, copies=copies, before=before)


def write_pairs(
    task: Task, inputs: Inputs, held: Held, target: TextIO, traces: TextIO | None
) -> Record:
    """Decide and write the pairs of a part."""
    warned: dict[str, None] = {}
    failed: list[tuple[str, str]] = []

    def tell(warning: object) -> None:
        warned[str(warning)] = None

    pairs = sum(1 for _ in inputs.checked(tell, sized=False))
    source = PairSource(inputs, pairs, True, Attached(), None)
    work = task.write(source, held.system, held.pool, target, traces, held.stages, tell)
    for outcome in work:
        if outcome.failure is not None:
            failed.append((outcome.pair.id, outcome.failure.found))
        elif task.setup.answers is None and not outcome.answers[0].optimal:
            tell(console.unproven(outcome.answers[0], task.setup.limits.seconds))
    return tally(pairs, failed, warned)


def tally(pairs: int, failed: Sequence[tuple[str, str]], warned: Iterable[str]) -> Record:
    """What is recorded of so many pairs, of which some failed."""
    return {
        "pairs": pairs,
        "failed": len(failed),
        "failures": failed[:TOLD],
        "warnings": list(warned)[:TOLD],
    }


def cut(files: Sequence[str], kind: str, size: int, skipped: int, quoted: bool) -> Cut:
    """Cut a file, or two with a sentence a line, into parts of so many pairs.

    Rows of a ``quoted`` table may have ends of lines in them, and its first lines may be
    ``skipped``.
    """
    with _told(files[0]), ExitStack() as stack:
        states = tuple(map(state_of, files))
        opened = (system.open(path, "rb") for system, path in map(file_system, files))
        streams = [stack.enter_context(stream) for stream in opened]
        part = Part(tuple(files), states, (), 0)
        if kind == "parquet":
            return _cut_groups(part, streams[0], size)
        keys: dict[str, None] = {}
        parts, starts, ends = [], [0] * len(files), [0] * len(files)
        lines = before = 0
        pairs, inside = -skipped, False
        while any(found := [stream.readline(LONGEST + 1) for stream in streams]):
            if len(max(found)) > LONGEST or (not lines and found[0].startswith(_UTF16)):
                expected = f"UTF-8, lines of at most {LONGEST >> 20} MB"
                raise FormatError("this cannot be cut", where=files[0], expected=expected)
            if not all(found):
                text = "as many sentences in both files"
                raise DataError(f"one has {lines} lines", where=files[0], expected=text)
            ends = [end + len(line) for end, line in zip(ends, found, strict=True)]
            lines += 1
            if quoted and found[0].count(b'"') % 2:
                inside = not inside
            if inside:
                continue
            if kind == "jsonl":
                with suppress(ValueError, RecursionError):
                    keys.update(dict.fromkeys(json.loads(found[0])))
            pairs += 1
            # Empty lines at the end are no rows, and those before rows are faults.
            if pairs >= size and found[0].strip():
                parts.append(part._replace(bounds=_pairs(starts, ends), before=before))
                starts, before, pairs = ends, lines, 0
        if starts != ends:
            parts.append(part._replace(bounds=_pairs(starts, ends), before=before))
        return Cut(parts, lines, keys)


def _pairs(starts: Sequence[int], ends: Sequence[int]) -> tuple[tuple[int, int], ...]:
    return tuple(zip(starts, ends, strict=True))


def _cut_groups(part: Part, stream: Any, size: int) -> Cut:  # noqa: ANN401 (a file of fsspec)
    from pyarrow.parquet import ParquetFile

    found, parts, rows = ParquetFile(stream).metadata, [], 0
    for group in range(found.num_row_groups):
        count = found.row_group(group).num_rows
        for start in range(0, count, size):
            bounds = ((start, min(start + size, count)),)
            parts.append(part._replace(bounds=bounds, before=rows + start, group=group))
        rows += count
    return Cut(parts, rows, {})


def lacking(job: Job, made_by: Provenance, files: Sequence[str]) -> list[str]:
    """What this worker lacks for a run: what is made, read or written where the client is."""
    from ists_asp.engine import System

    lacks = []
    try:
        with System(job.setup) as system:
            mine, theirs = system.provenance.to_dict(), made_by.to_dict()
        lacks += [f"the {name} {theirs[name]}" for name in mine if mine[name] != theirs[name]]
    except IstsError as error:
        lacks.append(str(error))
    for file in files:
        try:
            state_of(file)
        except (OSError, IstsError) as error:
            lacks.append(f"the file {file} ({brief(error)})")
    for folder in filter(None, (job.output, job.traces)):
        try:
            place(f"{folder}/{RECORDS}", "probe", b"")
        except (OSError, IstsError) as error:
            lacks.append(f"a way to write to {folder} ({brief(error)})")
    return lacks


def state_of(file: str) -> str:
    """What tells a file from what it is when somebody has changed it."""
    system, path = file_system(file)
    return f"{system.size(path)} bytes, {system.checksum(path)}"


@contextmanager
def _told(where: str) -> Iterator[None]:
    """Make what goes wrong with files one line."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or brief(error)
        raise DataError(f"cannot be read, or its part written: {reason}", where=where) from error
