"""A corpus of the project as a report: decided in the background, shown as ``ists-asp report``."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import APIRouter, Response

from ists_asp.engine import System, Timings
from ists_asp.errors import IstsError, UsageError, shortened
from ists_asp.report import Entry, Report, compare
from ists_asp.report.differences import token_counts
from ists_asp.report.page import GOLD, encoded
from ists_asp.run.pool import Pool, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.run.worker import Outcome
    from ists_asp.workbench.bench import Bench
    from ists_asp.workbench.project import Corpus

T = TypeVar("T")

_KEPT = 2
"""Corpora whose reports are held."""


class Job:
    """A corpus that is being decided, or has been; ``error`` says why it is not."""

    def __init__(self, bench: Bench, corpus: Corpus, state: str) -> None:
        self.state, self.total, self.done, self.cancelled = state, len(corpus.pairs), 0, False
        self.error: IstsError | None = None
        self.report: Report | None = None
        threading.Thread(target=self._work, args=(bench, corpus), daemon=True).start()

    def _work(self, bench: Bench, corpus: Corpus) -> None:
        setup = replace(bench.desks.setup(), incremental=True)
        entries: list[Entry] = []
        failed: list[str] = []
        try:
            with System(setup) as system:
                explained = system.profile.explanation is not None
                setup = replace(setup, rated=system.rates, explained=explained)
                pairs = system.tokenized(corpus.pairs)
                with closing(Pool(setup, 1)) as pool:
                    for outcome in run(pairs, system, pool, Timings()):
                        if self.cancelled:
                            return
                        self.done += 1
                        if outcome.failure is None:
                            entries.append(_entry(outcome, corpus))
                        else:
                            failed.append(shortened(outcome.pair.id))
                told = [str(system.provenance)]
                if failed:
                    told.append(f"no answer for {len(failed)} pairs, such as {failed[0]}")
                odd = [e for e in entries if not e.beside and e.answer.pair.id in corpus.gold]
                if odd:
                    told.append(f"the gold of {len(odd)} pairs has other tokens and is left out")
                scheme = system.profile.scheme
            self.report = Report(entries, corpus.name, "; ".join(told), scheme=scheme)
        except IstsError as error:
            self.error = error


def _entry(outcome: Outcome, corpus: Corpus) -> Entry:
    answer, gold = outcome.answers[0], corpus.gold.get(outcome.pair.id)
    words = "" if outcome.explanation is None else outcome.explanation["text"]
    beside = {}
    if gold and token_counts(gold.pair) == token_counts(answer.pair):
        beside[GOLD] = compare(answer, gold.alignments)
    return Entry(answer, words, beside=beside)


def router(bench: Bench) -> APIRouter:
    """The routes of the view; pairs and lines are counted from 0."""
    routes = APIRouter(prefix="/project/report", include_in_schema=False)
    jobs: OrderedDict[str, Job] = OrderedDict()
    lock = threading.Lock()

    def ready(name: str) -> Report:
        job = jobs.get(name)
        if job is None or job.report is None:
            raise UsageError("this corpus is not decided", hint="Show it again")
        return job.report

    def json(value: object) -> Response:
        return Response(encoded(value), media_type="application/json")

    @routes.post("/start")
    def start(corpus: str) -> None:
        given, state = bench.project.corpus(corpus), bench.project.notice().digest
        with lock:
            job = jobs.get(corpus)
            if job is None or job.state != state or job.error or job.cancelled:
                cancel(corpus)
                jobs[corpus] = Job(bench, given, state)
            jobs.move_to_end(corpus)
            while len(jobs) > _KEPT:
                jobs.popitem(last=False)[1].cancelled = True

    @routes.post("/cancel")
    def cancel(corpus: str) -> None:
        if corpus in jobs:
            jobs[corpus].cancelled = True

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
        return json(ready(corpus).overview())

    @routes.get("/pair")
    def pair(corpus: str, pair: int) -> Response:
        return json(ready(corpus).detail(_at(ready(corpus).entries, pair)))

    @routes.get("/why")
    def why(corpus: str, pair: int, line: int) -> dict[str, Any]:
        answer = _at(ready(corpus).entries, pair).answer
        if jobs[corpus].state != bench.project.notice().digest:
            hint = "Show the corpus again"
            raise UsageError("the rules have changed since this was decided", hint=hint)
        found = _at(answer.alignments, line)
        sides = (" ".join(map(str, side)) or "0" for side in (found.tokens1, found.tokens2))
        return bench.desks.desk().why(answer.pair, " <==> ".join(sides))

    return routes


def _at(found: Sequence[T], number: int) -> T:
    if not 0 <= number < len(found):
        raise UsageError(f"there is no number {number}", expected=f"0 to {len(found) - 1}")
    return found[number]
