"""The engine ``dask``: an input of any size, part by part, on the workers of a cluster.

1. The workers cut the files of the input into parts of so many pairs, at ends of lines or inside
   groups of rows; what is in them goes from the storage to a worker and nowhere else.
2. The client has a few parts under way for each worker, and holds a line about each that is done:
   its memory does not grow with the pairs.
3. A Dask worker annotates (Stanza is loaded once) and lets a child of its own decide, the pool of
   ``--jobs``: a limit of time or memory kills the child and costs one pair. Both engines write by
   :class:`~ists_asp.cli.parts.Task`, so that the bytes are the same.
4. A part is written beside its place and renamed; then a record of it is: counts, SHA-256, and the
   key of the run, which says what it was made by. A part that has its record and the bytes that
   this tells of is not made again, whoever stopped: a worker, the client or the machine.
5. Before any work one check asks all workers for what the run needs. At the end the manifest tells
   of all parts, and is the same for whoever runs it again.
"""

from __future__ import annotations

import json
import re
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ists_asp import cli
from ists_asp.cli import console
from ists_asp.cli.parts import RECORDS, Part, cut, lacking, make, state_of, write_pairs
from ists_asp.cli.parts import Job as Job
from ists_asp.errors import IstsError, ResourceError, UsageError, brief
from ists_asp.io.files import PREFIX, file_system, place
from ists_asp.io.tables import added, kind_of
from ists_asp.processes import deaf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

    from ists_asp.cli.inputs import Inputs
    from ists_asp.cli.parts import Cut, Task
    from ists_asp.engine import System, Timings

MANIFEST = "_manifest.json"
"""What tells of a folder of parts; readers of folders of tables pass over what begins so."""

_KINDS = ("csv", "tsv", "jsonl", "parquet")
"""Tables that can be cut."""

_AHEAD = 2
"""Parts under way for each thread of a worker."""

_PATIENCE = 120
"""Seconds to wait for the first worker."""

_HEAD = 1 << 20
"""Bytes that tell how a table is written."""

_CONFIG = {
    "distributed.worker.daemon": False,
    # How many workers may die of a part: people kill them, too.
    "distributed.scheduler.allowed-failures": 10,
}
_AGAIN = "Repeat the command: it goes on where it was"


@dataclass(frozen=True, slots=True)
class Engine:
    """Workers: those of a ``scheduler``, or else some of one's own; and how many pairs a part has.

    Certificates, for whoever wants TLS, are those of Dask's configuration.
    """

    scheduler: str | None = None
    partition: int = 1000

    def solve(
        self,
        inputs: Inputs,
        task: Task,
        system: System,
        output: str | Path | None,
        traces: str | Path | None,
        jobs: int,
    ) -> None:
        """Decide and write the pairs of an input."""
        shape = task.shape
        if shape.alone or shape.name in ("xlsx", "ods"):
            found = f"{shape.name} cannot be written in parts"
            raise UsageError(found, hint="Choose another --format")
        if inputs.single or inputs.identifier is not None:
            raise UsageError("--engine dask is for files of pairs", hint="Leave it out here")
        write = partial(write_pairs, task)
        job = Job(task.setup, write, inputs, output, shape.ending, traces)
        with console.reader_warnings() as warn:
            ready = partial(inputs.ready, warn)
            self.run(job, [shape.name, task.strict], task.columns, system, ready, jobs)

    def run(
        self,
        job: Job,
        options: object,
        columns: Sequence[str],
        system: System,
        ready: Callable[[BinaryIO], Inputs],
        jobs: int,
    ) -> None:
        """Do a job; a table gets ``columns``, and is ``ready`` when its head was read."""
        from ists_asp.engine import Timings

        if not job.output:
            raise UsageError("--engine dask writes a folder", hint="Name it with -o FOLDER")
        if self.scheduler is None and str(job.output).startswith("memory:"):
            found, hint = "the memory of workers ends with them", "Name a folder that stays"
            raise UsageError(found, where=f"-o {job.output}", hint=hint)
        began, stages, failures = time.perf_counter(), Timings(), console.Failures()
        with self._connected(jobs, job.setup.limits.memory) as client:
            kind, groups, setup = kind_of_parts(job.inputs), _found(job.inputs), job.setup
            texts = [one.read_bytes() for one in (setup.templates, setup.answers) if one]
            rules = "".join(setup.files).encode()
            made: dict[str, Any] = {
                "options": [options, str(replace(setup, cache=None, shared=None, files=()))],
                "reading": str(replace(job.inputs, quiet=False)),
                "system": system.provenance.to_dict(),
                "rules": sha256(b"".join((rules, *texts))).hexdigest(),
                "partition": self.partition,
                "input": [[one, state_of(one)] for group in groups for one in group],
            }
            made = json.loads(json.dumps(made))
            folders = [_absolute(str(one)) for one in (job.output, job.traces) if one]
            for folder in folders:
                _claim(folder, made)
            key = sha256(json.dumps(made).encode()).hexdigest()
            job = replace(job, output=folders[0], traces=[*folders, None][1], key=key)
            _check_workers(client, job, system, groups[0])
            inputs, titled, quoted = job.inputs, False, False
            if kind not in ("text", "jsonl"):
                inputs = ready(_head(groups[0][0], kind))
                if inputs.table is not None:
                    titled, quoted = inputs.table.header, inputs.table.dialect.quoted
            with _failing():
                told = kind, self.partition, titled, quoted
                cuts: list[Cut] = client.gather([client.submit(cut, one, *told) for one in groups])
            if kind == "jsonl":
                keys = {key: None for _, _, found in cuts for key in found}
                inputs = ready(BytesIO(json.dumps(keys).encode() + b"\n"))
            schema: object = "explanation" if setup.explained else "answer"
            if (table := inputs.table) is not None:
                inputs = replace(inputs, table=table.part(BytesIO(), table.name))
                schema = [*table.titles, *added(table.titles, columns)] if columns else schema
            records, there = _run(client, replace(job, inputs=inputs), cuts, stages, failures)
        for folder in folders:
            parts = [
                dict(zip(("file", "bytes", "sha256"), one["files"][folder], strict=True))
                | {"pairs": one["pairs"], "failed": one["failed"]}
                for one in records
            ]
            _finish(folder, {"complete": True, "schema": schema, "made": made, "parts": parts})
        pairs = sum(one["pairs"] for one in records)
        if not job.inputs.quiet:
            summary = console.summary(pairs, time.perf_counter() - began, stages)
            console.note(f"{summary}; {len(records)} parts, of which {there} were there")
            console.note(str(system.provenance))
        failures.end(pairs)

    @contextmanager
    def _connected(self, jobs: int, memory: int | None) -> Iterator[Any]:
        """A client of the scheduler, or of workers that are made for it."""
        dask, distributed = _library("dask"), _library("distributed")
        with ExitStack() as stack:
            address: Any = self.scheduler
            try:
                if address is None:
                    folder = stack.enter_context(TemporaryDirectory(prefix="ists-asp-"))
                    stack.enter_context(dask.config.set(_CONFIG))
                    with deaf():
                        address = distributed.LocalCluster(
                            n_workers=jobs,
                            threads_per_worker=1,
                            memory_limit=memory or 0,
                            local_directory=folder,
                            dashboard_address="127.0.0.1:0",
                            scheduler_kwargs={"dashboard": False},
                            silence_logs="CRITICAL",
                        )
                    stack.enter_context(address)
                client = distributed.Client(address, set_as_default=False)
                stack.enter_context(client)
                client.wait_for_workers(1, timeout=_PATIENCE)
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
def _failing() -> Iterator[None]:
    """Make one line of whatever workers and their connections raise."""
    try:
        yield
    except (IstsError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise ResourceError(f"a worker failed: {brief(error)}", hint=_AGAIN) from error


def kind_of_parts(inputs: Inputs) -> str:
    """What the files of an input are: a kind of table that can be cut, or text."""
    flag = inputs.tabular
    if flag is None:
        return "text"
    name = Path(inputs.files[flag])
    kind = kind_of(name) if flag == "--table" else flag.strip("-")
    if kind not in _KINDS or name.suffix in (".gz", ".bz2", ".xz") or str(name) == "-":
        found = f"{name} cannot be cut into parts"
        raise UsageError(found, expected=", ".join(_KINDS), hint="Unpack it, or save it as one")
    return kind


def _found(inputs: Inputs) -> list[tuple[str, ...]]:
    """The files of an input, those that a name with stars stands for in their order."""
    found = []
    for name in inputs.files.values():
        system, path = file_system(name)
        files = sorted(system.glob(path)) if set("*?[") & set(path) else [path]
        if not files or not system.exists(files[0]):
            raise UsageError("there is no such file", where=name)
        found.append([system.unstrip_protocol(file) for file in files])
    if len(found) == 2 and len(found[0]) + len(found[1]) > 2:
        raise UsageError("--sent1 and --sent2 name one file each", hint="Use --table for many")
    return list(zip(*found, strict=True))


def _absolute(address: str) -> str:
    system, path = file_system(address)
    return str(system.unstrip_protocol(path)).rstrip("/")


def _head(file: str, kind: str) -> BinaryIO:
    """The head of a table; Parquet as a whole, of which little is read."""
    system, path = file_system(file)
    if kind == "parquet":
        stream: BinaryIO = system.open(path, "rb")
        return stream
    head = system.cat_file(path, 0, _HEAD)
    return BytesIO(head[: head.rfind(b"\n") + 1] if len(head) == _HEAD else head)


def _claim(folder: str, made: dict[str, Any]) -> None:
    """Take a folder that is empty, or has parts that were made by the same."""
    system, path = file_system(f"{folder}/{MANIFEST}")
    try:
        old = json.loads(system.cat_file(path))["made"]
        other = [what for what in made if old.get(what) != made[what]]
        found = f"it has parts of a run with another {' and another '.join(other)}"
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        root = file_system(folder)[1]
        other = system.ls(root, detail=False) if system.exists(root) else []
        found = "it has files that are no parts of ours"
    if other:
        raise UsageError(found, where=f"-o {folder}", hint="Choose another folder, or remove it")
    _finish(folder, {"complete": False, "made": made})


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
    """Refuse to begin where a worker lacks something."""
    lacks: dict[str, list[str]] = {}
    with _failing():
        for name in ("ists-asp", "clingo"):
            for worker, found in client.run(version, name, on_error="return").items():
                if found != version(name):
                    lacks.setdefault(worker, []).append(f"{name} {version(name)} (it has {found})")
        if not lacks:
            lacks = client.run(lacking, job, system.provenance, files)
    told = "; ".join(f"{worker} lacks {', '.join(one)}" for worker, one in lacks.items() if one)
    if told:
        raise ResourceError(told, where="workers", hint="Start them where they have all of it")


def _run(
    client: Any,  # noqa: ANN401 (of the library)
    job: Job,
    cuts: Sequence[Cut],
    stages: Timings,
    failures: console.Failures,
) -> tuple[list[dict[str, Any]], int]:
    """Make all parts, a few at a time: their records, and how many were there."""
    waiting, before = list[Part](), 0
    for parts, rows, _ in cuts:
        for part in parts:
            waiting.append(part._replace(number=len(waiting), files_before=before))
        before += rows
    total, there, told = len(waiting), 0, set[str]()
    records: dict[int, dict[str, Any]] = {}
    waiting.reverse()
    running = _library("distributed").as_completed(loop=client.loop)
    with console.progress(total, shown=not job.inputs.quiet) as step, _failing():
        while len(records) < total:
            room = _AHEAD * max(1, sum(client.ncores().values())) - running.count()
            for part in [waiting.pop() for _ in range(min(room, len(waiting)))]:
                running.add(client.submit(make, job, part, key=(job.key, part.number)))
            future = next(running)
            (_, number), (record, times) = future.key, future.result()
            del future
            if cli.interrupted:
                raise KeyboardInterrupt
            for warning in (one for one in record["warnings"] if one not in told):
                console.warn(warning)
            told.update(record["warnings"])
            for identifier, reason in record["failures"]:
                failures.add(identifier, reason)
            failures.count += record["failed"] - len(record["failures"])
            records[number] = {name: record[name] for name in ("files", "pairs", "failed")}
            there += times is None
            if times is not None:
                stages.merge(times)
            step()
    return [records[number] for number in range(total)], there
