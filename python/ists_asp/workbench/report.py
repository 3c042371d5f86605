"""A corpus of the project as a report: decided in the background, shown as ``ists-asp report``."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from ists_asp.engine import System, Timings
from ists_asp.errors import IstsError, UsageError, shortened
from ists_asp.report import Entry, Report, compare
from ists_asp.report.page import encoded
from ists_asp.run.pool import Pool, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.model import Pair
    from ists_asp.run.worker import Outcome
    from ists_asp.workbench.bench import Bench
    from ists_asp.workbench.project import Corpus

T = TypeVar("T")

_KEPT = 2
"""Corpora whose reports are held."""

_NAMED = 5
"""Pairs without an answer that are named."""


class Wanted(BaseModel):
    """A corpus by its name."""

    corpus: Annotated[str, Field(max_length=200)]


class Line(Wanted):
    """A line of an answer by its number and that of its pair, from 0."""

    pair: int = Field(ge=0)
    line: int = Field(ge=0)


class Job:
    """A corpus that is being decided, or has been; ``error`` says why it is not."""

    def __init__(self, bench: Bench, corpus: Corpus, state: str) -> None:
        self.state = state
        self.total = len(corpus.pairs)
        self.done = 0
        self.error: IstsError | None = None
        self.report: Report | None = None
        self.cancelled = False
        self._notes: list[str] = []
        threading.Thread(target=self._work, args=(bench, corpus), daemon=True).start()

    def _work(self, bench: Bench, corpus: Corpus) -> None:
        try:
            self.report = self._decide(bench, corpus)
        except IstsError as error:
            self.error = error

    def _decide(self, bench: Bench, corpus: Corpus) -> Report | None:
        setup = replace(bench.desks.setup(), incremental=True)
        entries: list[Entry] = []
        failed: list[str] = []
        with ExitStack() as stack:
            system = stack.enter_context(System(setup))
            explained = system.profile.explanation is not None
            pool = Pool(replace(setup, rated=system.rates, explained=explained), 1)
            stack.callback(pool.close)
            pairs = system.tokenized(corpus.pairs)
            for outcome in run(pairs, system, pool, Timings()):
                if self.cancelled:
                    return None
                self.done += 1
                if outcome.failure is None:
                    entries.append(self._entry(outcome, corpus))
                else:
                    failed.append(shortened(outcome.pair.id))
            told = [str(system.provenance), *dict.fromkeys(self._notes)]
            if failed:
                named = ", ".join(failed[:_NAMED]) + ", …" * (len(failed) > _NAMED)
                told.append(f"no answer for {len(failed)} of {self.total} pairs: {named}")
            title = f"{corpus.name}: {system.profile.name}"
            return Report(entries, title, "; ".join(told), scheme=system.profile.scheme)

    def _entry(self, outcome: Outcome, corpus: Corpus) -> Entry:
        answer, gold = outcome.answers[0], corpus.gold.get(outcome.pair.id)
        words = "" if outcome.explanation is None else outcome.explanation["text"]
        beside = None
        if gold is not None and _sizes(gold.pair) == _sizes(answer.pair):
            beside = compare(answer, gold.alignments)
        elif gold is not None:
            self._notes.append("gold of sentences with other tokens is left out")
        return Entry(answer, words, None, beside)


def _sizes(pair: Pair) -> tuple[int, int]:
    return len(pair.sent1.tokens), len(pair.sent2.tokens)


def router(bench: Bench) -> APIRouter:
    """The routes of the view."""
    routes = APIRouter(prefix="/project/report", include_in_schema=False)
    jobs: OrderedDict[str, Job] = OrderedDict()
    lock = threading.Lock()

    def ready(name: str) -> Report:
        job = jobs.get(name)
        if job is None or job.report is None:
            raise UsageError("this corpus is not decided", hint="Show it again")
        return job.report

    @routes.post("/start")
    def start(wanted: Wanted) -> None:
        corpus, state = bench.project.corpus(wanted.corpus), bench.project.state.digest
        with lock:
            job = jobs.get(wanted.corpus)
            if job is None or job.state != state or job.error or job.cancelled:
                if job is not None:
                    job.cancelled = True
                jobs[wanted.corpus] = Job(bench, corpus, state)
            jobs.move_to_end(wanted.corpus)
            while len(jobs) > _KEPT:
                jobs.popitem(last=False)[1].cancelled = True

    @routes.post("/cancel")
    def cancel(wanted: Wanted) -> None:
        if wanted.corpus in jobs:
            jobs[wanted.corpus].cancelled = True

    @routes.get("/state")
    def state(corpus: str) -> dict[str, Any]:
        job = jobs.get(corpus)
        if job is None or job.cancelled:
            return {"cancelled": True}
        if job.error is not None:
            raise job.error
        return {"done": job.done, "total": job.total, "ready": job.report is not None}

    @routes.get("/overview")
    def overview(corpus: str) -> Response:
        return Response(encoded(ready(corpus).overview()), media_type="application/json")

    @routes.get("/pair")
    def pair(corpus: str, pair: int) -> Response:
        report = ready(corpus)
        return Response(
            encoded(report.detail(_at(report.entries, pair))), media_type="application/json"
        )

    @routes.post("/why")
    def why(asked: Line) -> dict[str, Any]:
        answer = _at(ready(asked.corpus).entries, asked.pair).answer
        if jobs[asked.corpus].state != bench.project.state.digest:
            hint = "Show the report again"
            raise UsageError("the rules have changed since this was decided", hint=hint)
        line = _at(answer.alignments, asked.line)
        sides = (" ".join(map(str, side)) or "0" for side in (line.tokens1, line.tokens2))
        return bench.desks.desk().why(answer.pair, " <==> ".join(sides))

    return routes


def _at(found: Sequence[T], number: int) -> T:
    if not 0 <= number < len(found):
        raise UsageError(f"there is no number {number}", expected=f"0 to {len(found) - 1}")
    return found[number]
