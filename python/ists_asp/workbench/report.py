"""A corpus of the project as a report: decided pair by pair, shown as ``ists-asp report``."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, TypeVar

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse

from ists_asp.engine import System
from ists_asp.errors import UsageError, shortened
from ists_asp.io.formats import Outcome, alignment_record
from ists_asp.pipeline.stages import Stages
from ists_asp.report import Entry, Report, compare
from ists_asp.report.page import GOLD, encoded
from ists_asp.solver.batch import batches
from ists_asp.workbench.desk import Bench
from ists_asp.workbench.project import Corpus

T = TypeVar("T")

_CACHED = 2  # corpora whose reports are held


def router(bench: Bench) -> APIRouter:
    """The routes of the view; pairs and lines are counted from 0."""
    routes = APIRouter(prefix="/project/report", include_in_schema=False)
    reports: dict[str, tuple[str, Corpus, Report]] = {}

    def ready(name: str) -> Report:
        if name not in reports:
            raise UsageError("this corpus is not decided", hint="Show it again")
        return reports[name][-1]

    def json(value: object) -> Response:
        return Response(encoded(value), media_type="application/json")

    @routes.get("/decide")
    def decide(corpus: str) -> StreamingResponse:
        loaded, state = bench.project.corpus(corpus), bench.project.notice().digest

        def steps() -> Iterator[dict[str, Any]]:
            if reports.get(corpus, ())[:2] != (state, loaded):
                report = yield from _decided(bench, loaded)
                reports.pop(corpus, None)
                reports[corpus] = state, loaded, report
                for name in list(reports)[:-_CACHED]:
                    del reports[name]

        return bench.streamed(steps())

    @routes.get("/overview")
    def overview(corpus: str) -> Response:
        return json(ready(corpus).overview())

    @routes.get("/pair")
    def pair(corpus: str, pair: int) -> Response:
        return json(ready(corpus).detail(_at(ready(corpus).entries, pair)))

    @routes.get("/why")
    def why(corpus: str, pair: int, line: int) -> dict[str, Any]:
        answer = _at(ready(corpus).entries, pair).answer
        if reports[corpus][0] != bench.project.notice().digest:
            hint = "Show the corpus again"
            raise UsageError("the rules have changed since this was decided", hint=hint)
        alignment = _at(answer.alignments, line)
        sides = (" ".join(map(str, side)) or "0" for side in alignment.sides)
        reasons = bench.desks.desk().why(answer.pair, " <==> ".join(sides))
        return {**reasons, "line": alignment_record(answer.pair, alignment)}

    return routes


def _decided(bench: Bench, corpus: Corpus) -> Generator[dict[str, Any], None, Report]:
    entries, failed, odd, count = list[Entry](), list[str](), 0, len(corpus.pairs)
    setup = replace(bench.desks.setup(), incremental=True)
    with System(setup) as system:
        explained = system.profile.explanation is not None
        setup = replace(setup, rated=system.rates, explained=explained)
        with closing(Stages(setup, system, long=True)) as stages:
            outcomes = stages.decide(batches((None, pair) for pair in corpus.pairs))
            for done, (_, outcome) in enumerate(outcomes, 1):
                assert isinstance(outcome, Outcome)
                yield {"done": done, "of": count}
                if outcome.failure is not None:
                    failed.append(shortened(outcome.pair.id))
                    continue
                answer, beside = outcome.answers[0], {}
                if gold := corpus.gold.get(outcome.pair.id):
                    if gold.pair.sizes == answer.pair.sizes:
                        beside[GOLD] = compare(answer, gold.alignments)
                    odd += not beside
                words = outcome.explanation["text"] if outcome.explanation else ""
                entries.append(Entry(answer, words, beside=beside))
        notes = [str(system.provenance)]
        if failed:
            notes.append(f"no answer for {len(failed)} pairs, such as {failed[0]}")
        if odd:
            notes.append(f"the gold of {odd} pairs has other tokens and is left out")
        return Report(entries, corpus.name, "; ".join(notes), scheme=system.profile.scheme)


def _at(items: Sequence[T], number: int) -> T:
    if not 0 <= number < len(items):
        raise UsageError(f"there is no number {number}", expected=f"0 to {len(items) - 1}")
    return items[number]
