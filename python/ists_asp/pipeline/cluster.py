"""A source of any size, part by part, on the workers of a Dask cluster.

First all workers are checked for what the run needs. They cut the files into parts of so many
pairs, at line ends or inside groups of rows, so that data goes from the storage straight to a
worker. A part is a source that passes the stages to a sink; its bytes are those of a local run. A
Dask worker annotates and lets a child decide: a limit of time or memory costs one pair.

A part is written atomically, then its record: counts, SHA-256, and the key of the run. A part with
a valid record is not made again. At the end the manifest lists all parts. Files have fsspec
URLs, such as ``s3://bucket/pairs``.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from hashlib import file_digest, sha256
from importlib import import_module
from importlib.metadata import version
from io import BytesIO
from itertools import islice
from multiprocessing import current_process
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, NamedTuple, TextIO, TypeAlias

from ists_asp.engine import Setup, System, Timings
from ists_asp.engine.answer import Provenance
from ists_asp.errors import DataError, FormatError, IstsError, ResourceError, UsageError, brief
from ists_asp.io.files import PREFIX, file_system, place
from ists_asp.io.formats import Outcome
from ists_asp.io.tables import Table, added
from ists_asp.io.text import LONGEST, Warn
from ists_asp.io.workbooks import READ, ending, kind_of, library, readable, unpacker
from ists_asp.limits import table_limits, warnings_of
from ists_asp.pipeline.source import Source
from ists_asp.pipeline.stages import Sink, Stages
from ists_asp.processes import deaf

Task: TypeAlias = "Callable[[Source, Stages, TextIO, TextIO | None, Warn], Iterator[Outcome]]"
"""Reads a part, and writes what becomes of its pairs, and traces; yields what it has written."""

Cut: TypeAlias = "tuple[list[Part], int, list[str]]"
"""The parts of files, how many lines or rows they have, and the keys of objects in order."""

Record: TypeAlias = "tuple[dict[str, Any], Timings | None]"
"""The record of a part that is made, and how long it took unless it was there."""

MANIFEST, RECORDS = "_manifest.json", "_records"
"""The file that tells of a folder of parts, and the folder of their records; readers of folders of
tables pass over names that begin so."""

_LISTED = 100  # warnings, and pairs without an answer, that are told one by one of a part


class Part(NamedTuple):
    """Rows of a file, or of two with a sentence a line: those between ``bounds`` in each."""

    files: tuple[str, ...]
    states: tuple[str, ...]  # which the files must keep
    bounds: tuple[tuple[int, int], ...] = ()  # bytes, or rows of the file or a group of Parquet
    before: int = 0  # lines or rows of the file before them
    group: int | None = None
    by_rows: bool = False  # of a file that has to be read from its beginning
    number: int = 0
    files_before: int = 0  # those in the files before


@dataclass(frozen=True, slots=True)
class Job:
    """The work on all parts; the ``key`` stands for all that their bytes depend on."""

    setup: Setup
    source: Source
    work: Task
    options: object
    output: str | Path | None
    ending: str
    traces: str | Path | None = None
    columns: Sequence[str] = ()
    key: str = ""

    def targets(self, part: Part) -> list[tuple[str, str]]:
        """The folder and name of each file of a part."""
        name = f"part-{part.number:05d}"
        traces = [] if self.traces is None else [(str(self.traces), f"{name}.jsonl")]
        return [(str(self.output), f"{name}{self.ending}"), *traces]


def pairs_job(source: Source, sink: Sink, setup: Setup) -> Job:
    """The job of deciding and writing pairs."""
    shape = sink.shape
    if shape.alone or shape.name in ("xlsx", "ods"):
        raise UsageError(f"{shape.name} cannot be written in parts", hint="Choose another --format")
    if source.single or source.links or source.identifier is not None:
        raise UsageError("--engine dask is for files of pairs", hint="Leave it out here")
    work, ends = partial(_write_pairs, sink), (sink.output, shape.ending, sink.traces, sink.columns)
    return Job(setup, source, work, [shape.name, sink.strict], *ends)


def _write_pairs(
    sink: Sink, source: Source, stages: Stages, target: TextIO, traces: TextIO | None, warn: Warn
) -> Iterator[Outcome]:
    with source.opened(warn, profile=stages.setup.load_profile()) as pairs:
        yield from sink.write(pairs, stages, target, traces)


@dataclass(frozen=True, slots=True)
class Engine:
    """Workers of a ``scheduler``, or some of your own, and how many pairs a part has."""

    # TLS certificates are those of Dask's configuration.

    scheduler: str | None = None
    partition: int = 1000

    def run(
        self,
        job: Job,
        system: System,
        jobs: int,
        open_table: Callable[[BinaryIO], object],
        progress: Callable[[int], AbstractContextManager[Callable[[], None]]],
    ) -> Iterator[Record]:
        """Make all parts, and yield the record of each as soon as it is made.

        There are so many ``jobs`` without a scheduler. ``open_table`` opens the table of the source
        by its head; ``progress`` gets the number of parts, and gives what to call after each.
        """
        if not job.output:
            raise UsageError("--engine dask writes a folder", hint="Name it with -o FOLDER")
        if self.scheduler is None and str(job.output).startswith("memory:"):
            found, hint = "the memory of workers ends with them", "Name a folder that stays"
            raise UsageError(found, where=f"-o {job.output}", hint=hint)
        source, setup = job.source, job.setup
        with self._connected(jobs, setup.limits.memory) as client, ExitStack() as claims:
            kind, groups = kind_of_parts(source), _files_of(source)
            texts = [path.read_bytes() for path in (setup.templates, setup.answers) if path]
            rules = "".join(setup.files).encode()
            made_by: dict[str, Any] = {
                "options": [job.options, str(replace(setup, cache=None, shared=None, files=()))],
                "reading": str(replace(source, quiet=False)),
                "system": system.provenance.to_dict(),
                "rules": sha256(b"".join((rules, *texts))).hexdigest(),
                "partition": self.partition,
                "input": [[file, state_of(file)] for group in groups for file in group],
            }
            made_by = json.loads(json.dumps(made_by))
            locations = (file_system(str(name)) for name in (job.output, job.traces) if name)
            folders = [str(files.unstrip_protocol(path)).rstrip("/") for files, path in locations]
            for folder in folders:
                _claim(folder, made_by, claims)
            key = sha256(json.dumps(made_by).encode()).hexdigest()
            job = replace(job, output=folders[0], traces=[*folders, None][1], key=key)
            _check_workers(client, job, system, groups[0])
            table = None
            if kind not in ("text", "jsonl"):
                system_of_file, path = file_system(groups[0][0])
                with system_of_file.open(path, "rb") as stream:
                    open_table(stream)
                if source.table is not None:
                    kind, table = source.table.kind, source.table.part(BytesIO(), source.table.name)
            with _one_line():
                how = kind, self.partition, table
                futures = [client.submit(cut, group, *how) for group in groups]
                cuts: list[Cut] = client.gather(futures)
            if kind == "jsonl":
                keys = {name: None for _, _, names in cuts for name in names}
                open_table(BytesIO(json.dumps(keys).encode() + b"\n"))
            schema: object = "explanation" if setup.explained else "answer"
            if (table := source.table) is not None:
                source.table = table.part(BytesIO(), table.name)
                if job.columns:
                    schema = [*table.titles, *added(table.titles, job.columns)]
            parts, before = list[Part](), 0
            for cut_parts, rows, _ in cuts:
                for part in cut_parts:
                    parts.append(part._replace(number=len(parts), files_before=before))
                before += rows
            claims.pop_all()
            records: dict[int, dict[str, Any]] = {}
            with progress(len(parts)) as step:
                for number, (record, times) in _run(client, job, parts):
                    records[number] = {name: record[name] for name in ("files", "pairs", "failed")}
                    yield record, times
                    step()
        for folder in folders:
            done = [
                dict(zip(("file", "bytes", "sha256"), record["files"][folder], strict=True))
                | {"pairs": record["pairs"], "failed": record["failed"]}
                for _, record in sorted(records.items())
            ]
            _finish(folder, {"complete": True, "schema": schema, "made": made_by, "parts": done})

    @contextmanager
    def _connected(self, jobs: int, memory: int | None) -> Iterator[Any]:
        """A client of the scheduler, or of workers that are made for it."""
        dask, distributed = _library("dask"), _library("distributed")
        with ExitStack() as stack:
            address: Any = self.scheduler
            try:
                if address is None:
                    folder = stack.enter_context(TemporaryDirectory(prefix="ists-asp-"))
                    # So many workers may die of a part: people kill them, too.
                    config = {"distributed.scheduler.allowed-failures": 10}
                    config |= {"distributed.worker.daemon": False}
                    stack.enter_context(dask.config.set(config))
                    with deaf():
                        address = distributed.LocalCluster(
                            n_workers=jobs,
                            threads_per_worker=1,
                            memory_limit=memory or 0,
                            local_directory=folder,
                            # For what they leave when they are killed. Paths of sockets are short.
                            env={"TMPDIR": folder} if len(folder) < 70 else {},
                            dashboard_address="127.0.0.1:0",
                            scheduler_kwargs={"dashboard": False},
                            silence_logs="CRITICAL",
                        )
                    stack.enter_context(address)
                client = distributed.Client(address, set_as_default=False)
                stack.enter_context(client)
                client.wait_for_workers(1, timeout=120)
            except (OSError, ValueError, TypeError) as error:
                where = self.scheduler or "127.0.0.1"
                hint = "Check the address, and that it has workers"
                found = f"there are no workers ({brief(error)})"
                raise ResourceError(found, where=where, hint=hint) from None
            yield client


def _library(name: str) -> Any:  # noqa: ANN401 (a module that may be absent)
    try:
        return import_module(name)
    except ImportError:
        hint = "Install the extra: pip install 'ists-asp[cluster]'"
        raise ResourceError(f"--engine dask needs {name}", hint=hint) from None


@contextmanager
def _one_line() -> Iterator[None]:
    """Make one line of whatever workers and their connections raise."""
    try:
        yield
    except (IstsError, KeyboardInterrupt):
        raise
    except Exception as error:
        hint = "Repeat the command: it goes on where it was"
        raise ResourceError(f"a worker failed: {brief(error)}", hint=hint) from error


# At the client.


def kind_of_parts(source: Source) -> str:
    """The kind of a source's files: a table that can be cut, or text."""
    flag = source.tabular
    if flag is None:
        return "text"
    name = Path(source.files[flag])
    if str(name) == "-" or flag == "--aligned" or name.suffix == ".wa":
        expected = "the name of a table, or --sent1 and --sent2"
        raise UsageError(f"{name} cannot be cut into parts", expected=expected)
    return (READ.get(ending(name)) or kind_of(name)) if flag == "--table" else flag.strip("-")


def _files_of(source: Source) -> list[tuple[str, ...]]:
    """The files of a source, those that a name with stars stands for in their order."""
    sides = []
    for name in source.files.values():
        system, path = file_system(name)
        files = sorted(system.glob(path)) if set("*?[") & set(path) else [path]
        if not files or not system.exists(files[0]):
            raise UsageError("there is no such file", where=name)
        sides.append([system.unstrip_protocol(file) for file in files])
    if len(sides) == 2 and len(sides[0]) + len(sides[1]) > 2:
        raise UsageError("--sent1 and --sent2 name one file each", hint="Use --table for many")
    return list(zip(*sides, strict=True))


def _claim(folder: str, made_by: dict[str, Any], claims: ExitStack) -> None:
    """Take a folder with parts that were made by the same, or an empty one until ``claims`` end."""
    system, path = file_system(f"{folder}/{MANIFEST}")
    try:
        old = json.loads(system.cat_file(path))["made"]
        other = [name for name in made_by if old.get(name) != made_by[name]]
        found = f"it has parts of a run with another {' and another '.join(other)}"
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        root = file_system(folder)[1]
        other = system.ls(root, detail=False) if system.exists(root) else []
        found = "it has files that are not parts of ours"
        if not other:
            claims.callback(system.rm, root, recursive=True)
    if other:
        raise UsageError(found, where=f"-o {folder}", hint="Choose another folder, or remove it")
    _finish(folder, {"complete": False, "made": made_by})


def _finish(folder: str, manifest: dict[str, Any]) -> None:
    """Write the manifest, and remove what workers left that were killed while they wrote."""
    text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
    place(folder, MANIFEST, text.encode())
    drafts = re.compile(rf"{re.escape(PREFIX)}(part-\d{{5}}|{re.escape(MANIFEST)}|probe)\..*|probe")
    for where in (folder, f"{folder}/{RECORDS}"):
        system, root = file_system(where)
        for path in system.ls(root, detail=False) if system.exists(root) else ():
            mine = drafts.fullmatch(path.rpartition("/")[2]) and system.isfile(path)
            if mine and (where != folder or not path.endswith("/probe")):
                system.rm_file(path)


def _check_workers(client: Any, job: Job, system: System, files: Sequence[str]) -> None:  # noqa: ANN401
    lacks: dict[str, list[str]] = {}
    with _one_line():
        for name in ("ists-asp", "clingo"):
            for worker, actual in client.run(version, name, on_error="return").items():
                if actual != version(name):
                    lacks.setdefault(worker, []).append(f"{name} {version(name)} (it has {actual})")
        if not lacks:
            lacks = client.run(_lacking, job, system.provenance, files)
    texts = (f"{worker} lacks {', '.join(lines)}" for worker, lines in lacks.items() if lines)
    if text := "; ".join(texts):
        raise ResourceError(text, where="workers", hint="Start them where they have all of it")


def _run(client: Any, job: Job, parts: Sequence[Part]) -> Iterator[tuple[int, Record]]:  # noqa: ANN401
    waiting = iter(parts)
    running = _library("distributed").as_completed(loop=client.loop)
    for _ in parts:
        with _one_line():
            # Two parts for each thread of a worker, so that none waits.
            room = 2 * max(1, sum(client.ncores().values())) - running.count()
            for part in islice(waiting, max(room, 0)):
                running.add(client.submit(make, job, part, key=(job.key, part.number)))
            future = next(running)
            (_, number), record = future.key, future.result()
            del future
        yield number, record


# At a worker.

_loaded: list[Stages] = []
_alone = threading.Lock()  # held for a part: Stanza is not thread-safe


def state_of(file: str) -> str:
    """The size and checksum of a file, which tell whether it has changed."""
    system, path = file_system(file)
    return f"{system.size(path)} bytes, {system.checksum(path)}"


def _lacking(job: Job, made_by: Provenance, files: Sequence[str]) -> list[str]:
    """The things that this worker lacks of those made, read or written by the client."""
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


def cut(files: Sequence[str], kind: str, size: int, table: Table | None = None) -> Cut:
    """Cut a file, or two with a sentence a line, into parts of so many pairs."""
    part = Part(tuple(files), tuple(map(state_of, files)))
    parts, start, before = [], (0,) * len(files), 0
    with ExitStack() as stack:
        opened = (system.open(path, "rb") for system, path in map(file_system, files))
        streams = [stack.enter_context(stream) for stream in opened]
        if kind == "parquet":
            return _cut_groups(part, streams[0], size)
        if kind == "text":
            ends = _ends_of_lines(files, streams, size)
        else:
            head = streams[0].read(16)
            in_bytes = kind in ("csv", "tsv", "jsonl") and not unpacker(head)
            by_rows = not in_bytes or head[:2] in (b"\xff\xfe", b"\xfe\xff")
            part = part._replace(by_rows=by_rows)
            table = Table(streams[0], kind) if table is None else table
            table = table.part(streams[0], files[0])
            ends = (((end,), lines) for end, lines in table.cuts(size, by_rows=by_rows))
        for end, lines in ends:
            if end != start:
                bounds = tuple(zip(start, end, strict=True))
                parts.append(part._replace(bounds=bounds, before=before))
                start, before = end, lines
    return parts, before, list(table.columns) if table is not None and kind == "jsonl" else []


def _ends_of_lines(
    files: Sequence[str], streams: Sequence[BinaryIO], size: int
) -> Iterator[tuple[tuple[int, ...], int]]:
    """The bytes and lines of files up to each place where so many lines end, and their ends."""
    ends, lines = (0,) * len(files), 0
    while any(texts := [stream.readline(LONGEST + 1) for stream in streams]):
        if max(map(len, texts)) > LONGEST or texts[0][:2] in (b"\xff\xfe", b"\xfe\xff"):
            expected = f"UTF-8, lines of at most {LONGEST >> 20} MB"
            raise FormatError("this cannot be cut", where=files[0], expected=expected)
        if not all(texts):
            expected = "as many sentences in both files"
            raise DataError(f"one has {lines} lines", where=files[0], expected=expected)
        ends = tuple(end + len(text) for end, text in zip(ends, texts, strict=True))
        lines += 1
        if lines % size == 0:
            yield ends, lines
    yield ends, lines


def _cut_groups(part: Part, stream: Any, size: int) -> Cut:  # noqa: ANN401 (a file of fsspec)
    with readable("parquet", where := part.files[0]):
        metadata = library("parquet", ".parquet").ParquetFile(stream).metadata
    parts, rows = [], 0
    for group in range(metadata.num_row_groups):
        count = metadata.row_group(group).num_rows
        table_limits.check("rows", count, f"{count} rows in a group", where)
        for start in range(0, count, size):
            bounds = ((start, min(start + size, count)),)
            parts.append(part._replace(bounds=bounds, before=rows + start, group=group))
        rows += count
    return parts, rows, []


def make(job: Job, part: Part) -> Record:
    """Make a part, unless it is there."""
    with _alone:
        if (record := _recorded(job, part)) is not None:
            return record, None
        began, stages = time.process_time(), _stages(job.setup)
        if tuple(map(state_of, part.files)) != part.states:
            raise DataError("the input has changed while it was read", where=part.files[0])
        warnings, failures, pairs, files = dict[str, None](), list[tuple[str, str]](), 0, {}
        stages.tell = lambda warning: warnings.setdefault(str(warning))
        with TemporaryDirectory(prefix="ists-asp-") as name, ExitStack() as stack:
            folder, targets = Path(name), job.targets(part)
            drafts = [folder / draft for draft in ("answers", "traces")[: len(targets)]]
            opened = (draft.open("w", encoding="utf-8", newline="\n") for draft in drafts)
            streams = list(map(stack.enter_context, opened))
            source = _source(job.source, part, folder, stack, warnings.setdefault)
            written = streams[0], streams[1] if job.traces else None
            for outcome in job.work(source, stages, *written, warnings.setdefault):
                pairs += 1
                if outcome.failure is not None:
                    failures.append((outcome.pair.id, outcome.failure.found))
                elif outcome.answers:
                    messages = warnings_of(outcome.answers[0], job.setup.limits.seconds)
                    warnings |= dict.fromkeys(messages)
            for (where, target), draft, output in zip(targets, drafts, streams, strict=True):
                output.close()
                with draft.open("rb") as stream:
                    digest = file_digest(stream, "sha256").hexdigest()
                files[where] = [target, draft.stat().st_size, digest]
                place(where, target, draft)
        data = {"key": job.key, "files": files, "pairs": pairs, "failed": len(failures)}
        data |= {"failures": failures[:_LISTED], "warnings": [*warnings][:_LISTED]}
        text = json.dumps(data, ensure_ascii=False).encode()
        place(f"{job.output}/{RECORDS}", f"{part.number:05d}.json", text)
        stages.times.elsewhere += time.process_time() - began
        return data, stages.times


def _recorded(job: Job, part: Part) -> dict[str, Any] | None:
    with suppress(OSError, ValueError, LookupError, TypeError):
        system, path = file_system(f"{job.output}/{RECORDS}/{part.number:05d}.json")
        record: dict[str, Any] = json.loads(system.cat_file(path))
        valid = record["key"] == job.key
        for where, target in job.targets(part):
            system, path = file_system(f"{where}/{target}")
            with system.open(path, "rb") as stream:
                digest = file_digest(stream, "sha256").hexdigest()
            valid = valid and record["files"][where][2] == digest
        return record if valid else None
    return None


def _stages(setup: Setup) -> Stages:
    if not (_loaded and _loaded[0].setup == setup):
        for old in _loaded:
            old.close()
            old.system.close()
        _loaded.clear()
        # A Dask worker is one that may be killed, and so may have no children: ours end with it.
        vars(current_process())["_config"]["daemon"] = False
        _loaded.append(Stages(setup, System(setup), long=True))
    (stages,) = _loaded
    stages.times, stages.system.stages = Timings(), Timings()
    return stages


def _source(source: Source, part: Part, folder: Path, stack: ExitStack, warn: Warn) -> Source:
    streams: dict[str, Any] = {}
    for at, (file, bounds) in enumerate(zip(part.files, part.bounds, strict=True)):
        system, path = file_system(file)
        if part.by_rows or part.group is not None:
            streams[file] = stack.enter_context(system.open(path, "rb"))
        else:
            streams[file] = folder / f"lines{at}"
            streams[file].write_bytes(system.cat_file(path, *bounds))
    table, (first, *_) = source.table, part.files
    if table is not None:
        in_bytes = part.group is None and not part.by_rows
        rows = slice(None) if in_bytes else slice(*part.bounds[0])
        before = 0 if part.by_rows else part.before - (rows.start or 0)
        about = before, part.files_before, part.group, rows
        table = table.part(streams[first], first, *about, warn=warn)
    files = dict(zip(source.files, part.files, strict=True))
    before = part.before + part.files_before
    return replace(source, files=files, streams=streams, table=table, before=before)
