"""The engine ``dask``: an input of any size, part by part, on the workers of a cluster.

1. The workers cut the files of the input into parts of so many pairs, at ends of lines or inside
   groups of rows; what is in them goes from the storage to a worker and nowhere else.
2. The client has a few parts under way for each worker, and holds a line about each that is done:
   its memory does not grow with the pairs.
3. A Dask worker annotates (Stanza is loaded once) and lets a child of its own decide, the pool of
   ``--jobs``: a limit of time or memory kills the child and costs one pair. Both engines write by
   :class:`~ists_asp.cli.writing.Task`, so that the bytes are the same.
4. A part is written beside its place and renamed; then a record of it is: counts, SHA-256, and the
   key of the run, which says what it was made by. A part that has its record and the bytes that
   this tells of is not made again, whoever stopped: a worker, the client or the machine.
5. Before any work one check asks all workers for what the run needs. At the end the manifest tells
   of all parts, and is the same for whoever runs it again.
"""

from __future__ import annotations

import json
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from io import BytesIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from ists_asp import cli
from ists_asp.cli import console
from ists_asp.cli.parts import RECORDS, Job, cut, lacking, make, state_of, write_pairs
from ists_asp.errors import IstsError, ResourceError, UsageError, brief
from ists_asp.io.files import PREFIX, file_system, place
from ists_asp.io.tables import added, kind_of
from ists_asp.processes import deaf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

    from ists_asp.cli.inputs import Inputs
    from ists_asp.cli.parts import Cut, Part, Record
    from ists_asp.cli.writing import Task
    from ists_asp.engine import System, Timings

MANIFEST = "_manifest.json"
"""What tells of a folder of parts; readers of folders of tables pass over what begins so."""

_KINDS = ("csv", "tsv", "jsonl", "parquet")
"""Tables that can be cut."""

_WHOLE = ("xlsx", "ods")
"""Formats of tables that nobody reads in parts."""

_TRIES = 10
"""How often a part is begun whose workers end; each time Dask gives it to some of them."""

_AHEAD = 2
"""Parts under way for each thread of a worker."""

_PATIENCE = 120
"""Seconds to wait for the first worker."""

_HEAD = 1 << 20
"""Bytes that tell how a table is written."""

_SAME = ("ists-asp", "clingo", "stanza")
"""Packages that workers have in the version of the client."""


@dataclass(frozen=True, slots=True)
class Engine:
    """Workers: those of a ``scheduler``, or else some of one's own; and how many pairs a part has.

    The folder ``tls`` has ``ca.pem``, ``cert.pem`` and ``key.pem``.
    """

    scheduler: str | None = None
    tls: Path | None = None
    size: int = 1000

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
        if task.shape.alone or task.shape.name in _WHOLE:
            found = f"{task.shape.name} cannot be written in parts"
            raise UsageError(found, hint="Choose another --format")
        if inputs.single or inputs.identifier is not None:
            raise UsageError("--engine dask is for files of pairs", hint="Leave it out here")
        made = {
            "format": [task.shape.name, *task.columns],
            "options": [inputs.chunked, inputs.text, inputs.strict, inputs.skip_bad, task.strict],
        }
        write = partial(write_pairs, task)
        job = Job(task.setup, write, inputs, str(output or ""), task.shape.ending)
        job = replace(job, traces=None if traces is None else str(traces))
        with console.reader_warnings() as warn:
            self.run(job, made, task.columns, system, partial(inputs.ready, warn), jobs)

    def run(
        self,
        job: Job,
        made: dict[str, Any],
        columns: Sequence[str],
        system: System,
        ready: Callable[[BinaryIO | None], Inputs],
        jobs: int,
    ) -> None:
        """Do a job, on a table that is ``ready`` once somebody has read its head.

        Its parts depend on all that is in ``made``; a table gets these ``columns``.
        """
        from ists_asp.engine import Timings

        if not job.output:
            raise UsageError("--engine dask writes a folder", hint="Name it with -o FOLDER")
        began, stages, failures = time.perf_counter(), Timings(), console.Failures()
        with self._connected(jobs, job.setup.limits.memory) as client:
            groups, kind = _found(job.inputs), _kind(job.inputs)
            folders = {name: _absolute(name) for name in (job.output, job.traces) if name}
            setup = job.setup
            others = [
                None if one is None else sha256(one.read_bytes()).hexdigest()
                for one in (setup.templates, setup.answers)
            ]
            values = [setup.constants, setup.models, setup.limits.seconds, setup.limits.memory]
            made = {
                **made,
                "system": system.provenance.to_dict(),
                "rules": sha256("".join(setup.files).encode()).hexdigest(),
                "limits and answers": [*values, setup.rated, setup.language, others],
                "partition": self.size,
                "input": [[one, state_of(one)] for group in groups for one in group],
            }
            made = json.loads(json.dumps(made))
            key = sha256(json.dumps([made, setup.traced]).encode()).hexdigest()
            output, *traces = folders.values()
            job = replace(job, output=output, traces=traces[0] if traces else None, key=key)
            for name, folder in folders.items():
                _claim(name, folder, made)
            _check_workers(client, job, system, groups[0])
            inputs, dialect = job.inputs, (0, False)
            if kind not in ("text", "jsonl"):
                inputs = ready(_head(groups[0][0], kind))
                assert inputs.table is not None
                dialect = int(inputs.table.header), inputs.table.dialect.quoted
            cutting = [client.submit(cut, each, kind, self.size, *dialect) for each in groups]
            cuts: list[Cut] = _results(client, cutting)
            del cutting
            if kind == "jsonl":
                keys = {key: None for each in cuts for key in each.keys}
                inputs = ready(BytesIO(json.dumps(keys).encode() + b"\n"))
            schema: object = "explanation" if setup.explained else "answer"
            if (table := inputs.table) is not None:
                inputs = replace(inputs, table=table.part(BytesIO(), table.name))
                schema = [*table.titles, *added(table.titles, columns)] if columns else schema
            job = replace(job, inputs=inputs)
            records, there = _run(client, job, cuts, stages, failures)
        for folder in folders.values():
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
        security = None
        if self.tls is not None:
            names = ("client", "scheduler", "worker")
            ca, cert, own = (str(self.tls / f"{name}.pem") for name in ("ca", "cert", "key"))
            pairs = {f"tls_{name}_cert": cert for name in names}
            pairs |= {f"tls_{name}_key": own for name in names}
            security = distributed.Security(require_encryption=True, tls_ca_file=ca, **pairs)
        with ExitStack() as stack:
            try:
                address = self.scheduler
                if address is None:
                    folder = stack.enter_context(TemporaryDirectory(prefix="ists-asp-"))
                    stack.enter_context(dask.config.set(_CONFIG))
                    with deaf():
                        address = stack.enter_context(
                            distributed.LocalCluster(
                                n_workers=jobs,
                                threads_per_worker=1,
                                memory_limit=memory or 0,
                                local_directory=folder,
                                dashboard_address=None,
                                scheduler_kwargs={"http_prefix": None},
                                security=security,
                                silence_logs="CRITICAL",
                            )
                        )
                client = stack.enter_context(
                    distributed.Client(address, security=security, set_as_default=False)
                )
                client.wait_for_workers(1, timeout=_PATIENCE)
            except (OSError, ValueError, TypeError) as error:
                where = self.scheduler or "127.0.0.1"
                hint = "Check the address, that it runs, has workers and takes your --tls"
                raise ResourceError(
                    f"no workers ({brief(error)})", where=where, hint=hint
                ) from None
            yield client


_CONFIG = {"distributed.worker.daemon": False, "distributed.scheduler.worker-ttl": None}


def _library(name: str) -> Any:  # noqa: ANN401 (a module that may be absent)
    try:
        return import_module(name)
    except ImportError as error:
        hint = "Install the extra: pip install 'ists-asp[cluster]'"
        raise ResourceError(f"--engine dask needs {error.name}", hint=hint) from None


def _kind(inputs: Inputs) -> str:
    """What the files are: a kind of table, or text."""
    flag = inputs.tabular
    if flag is None:
        return "text"
    kind = kind_of(Path(inputs.files[flag])) if flag == "--table" else flag.strip("-")
    if kind not in _KINDS or not inputs.files[flag].lower().endswith((*_KINDS, "ndjson")):
        found = f"{inputs.files[flag]} cannot be read in parts"
        raise UsageError(found, expected=", ".join(_KINDS), hint="Unpack it, or save it as one")
    return kind


def _found(inputs: Inputs) -> list[tuple[str, ...]]:
    """The files of each part of the input: those that a name with stars stands for, in order."""
    found = []
    for name in inputs.files.values():
        system, path = file_system(name)
        files = sorted(system.glob(path)) if any(sign in path for sign in "*?[") else [path]
        if not files or not system.exists(files[0]):
            raise UsageError("there is no such file", where=name)
        found.append([system.unstrip_protocol(file) for file in files])
    if len(found) == 2 and {len(files) for files in found} != {1}:
        raise UsageError("--sent1 and --sent2 name one file each", hint="Use --table for many")
    return list(zip(*found, strict=True))


def _absolute(address: str) -> str:
    system, path = file_system(address)
    return str(system.unstrip_protocol(path)).rstrip("/")


def _head(file: str, kind: str) -> BinaryIO:
    """The head of a table; Parquet as a whole, of which nothing but the end is read."""
    system, path = file_system(file)
    if kind == "parquet":
        stream: BinaryIO = system.open(path, "rb")
        return stream
    head = system.cat_file(path, 0, _HEAD)
    return BytesIO(head[: head.rfind(b"\n") + 1] if len(head) == _HEAD else head)


def _claim(name: str, folder: str, made: dict[str, Any]) -> None:
    """Take a folder that is empty, or has parts that were made by the same."""
    system, path = file_system(f"{folder}/{MANIFEST}")
    try:
        old = json.loads(system.cat_file(path))["made"]
        other = [what for what in made if old.get(what) != made[what]]
        found = f"it has parts of a run with another {' and another '.join(other)}"
    except FileNotFoundError:
        root = file_system(folder)[1]
        other = system.ls(root, detail=False) if system.exists(root) else []
        found = "it has files that are no parts"
    except (ValueError, LookupError, TypeError, AttributeError):
        other, found = [MANIFEST], f"its {MANIFEST} is none of ours"
    if other:
        raise UsageError(found, where=f"-o {name}", hint="Choose another folder, or remove this")
    _finish(folder, {"complete": False, "made": made})


def _finish(folder: str, manifest: dict[str, Any]) -> None:
    """Write the manifest, and remove what workers left that were killed while they wrote."""
    text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
    place(folder, MANIFEST, text.encode())
    for where in (folder, f"{folder}/{RECORDS}"):
        system, root = file_system(where)
        for path in system.ls(root, detail=False) if system.exists(root) else ():
            if path.rpartition("/")[2].startswith(f"{PREFIX}part-"):
                system.rm_file(path)


def _check_workers(client: Any, job: Job, system: System, files: Sequence[str]) -> None:  # noqa: ANN401
    """Refuse to begin where a worker lacks something."""
    lacks: dict[str, list[str]] = {}
    for name in _SAME:
        for worker, found in client.run(version, name, on_error="return").items():
            if found != version(name):
                lacks.setdefault(worker, []).append(f"{name} {version(name)} (found: {found})")
    if not lacks:
        asked = client.run(lacking, job, system.provenance, files, on_error="return")
        for worker, found in asked.items():
            if found:
                told = [brief(found)] if isinstance(found, Exception) else found
                lacks.setdefault(worker, []).extend(told)
    if lacks:
        told = "; ".join(f"{worker} lacks {', '.join(one)}" for worker, one in lacks.items())
        raise ResourceError(told, where="workers", hint="Start them where they have all of it")


def _results(client: Any, futures: Sequence[Any]) -> Any:  # noqa: ANN401 (of the library)
    try:
        return client.gather(futures)
    except IstsError:
        raise
    except Exception as error:
        raise ResourceError(f"a worker failed: {brief(error)}") from error


def _run(
    client: Any,  # noqa: ANN401 (of the library)
    job: Job,
    cuts: Sequence[Cut],
    stages: Timings,
    failures: console.Failures,
) -> tuple[list[Record], int]:
    """Make all parts, a few at a time: their records, and how many were there."""
    distributed = _library("distributed")

    numbers, before, waiting = count(), 0, list[tuple["Part", int]]()
    for one in cuts:
        for part in one.parts:
            waiting.append((part._replace(number=next(numbers), files_before=before), 0))
        before += one.rows
    records: dict[int, Record] = {}
    total, there, told = len(waiting), 0, set[str]()
    waiting.reverse()
    under_way: dict[str, tuple[Part, int]] = {}
    running = distributed.as_completed(loop=client.loop)
    with console.progress(total, shown=not job.inputs.quiet) as step:
        while len(records) < total:
            room = _AHEAD * max(1, sum(client.ncores().values())) - len(under_way)
            for _ in range(min(room, len(waiting))):
                part, tries = waiting.pop()
                key = f"ists-asp-{job.key}-{part.number}-{tries}"
                future = client.submit(make, job, part, key=key)
                under_way[key] = part, tries + 1
                running.add(future)
                del future
            future = next(running)
            part, tries = under_way.pop(future.key)
            try:
                record, times = future.result()
            except distributed.KilledWorker as error:
                if tries == _TRIES:
                    found = f"part {part.number} has cost too many workers their lives"
                    raise ResourceError(found, where=part.files[0]) from error
                waiting.append((part, tries))
                continue
            except IstsError:
                raise
            except Exception as error:
                found = f"a worker failed: {brief(error)}"
                hint = "Repeat the command: it goes on where it was"
                raise ResourceError(found, where=part.files[0], hint=hint) from error
            finally:
                del future
            if cli.interrupted:
                raise KeyboardInterrupt
            for warning in set(record["warnings"]) - told:
                console.warn(warning)
            told |= set(record["warnings"])
            for identifier, reason in record["failures"]:
                failures.add(identifier, reason)
            failures.count += record["failed"] - len(record["failures"])
            records[part.number] = {**record, "failures": (), "warnings": ()}
            if times is None:
                there += 1
            else:
                stages.merge(times)
            step()
    return [records[number] for number in range(total)], there
