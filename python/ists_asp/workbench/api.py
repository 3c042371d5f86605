"""The HTTP API for programs, and for the page that tries pairs: JSON in, JSON out."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ists_asp.engine import System
from ists_asp.engine.answer import SolvedAnswer
from ists_asp.errors import DataError, IstsError
from ists_asp.explain.feedback import COLUMNS, Feedback, Submission, has_words
from ists_asp.explain.templates import load_templates
from ists_asp.io.formats import rating_record
from ists_asp.io.pairs import given_chunks
from ists_asp.io.text import given_tokens, make_sentence
from ists_asp.lang import foreign
from ists_asp.model import Pair, Sentence
from ists_asp.report.picture import picture, punctuation, svg_file
from ists_asp.rules import Purpose, load_profile
from ists_asp.run import worker as questions
from ists_asp.run.pool import ask_each
from ists_asp.solver.batch import batches
from ists_asp.workbench.desk import Bench, Desk

_TOGETHER = 10  # answers that are judged together, while others wait

_Text = Annotated[str, Field(max_length=2000)]
_Token = Annotated[str, Field(min_length=1, max_length=200)]
_Tokens = Annotated[list[_Token], Field(max_length=300)]


class GivenPair(BaseModel):
    """Two sentences: as text, or as tokens, with chunks where they are known."""

    model_config = ConfigDict(extra="forbid")

    sent1: _Text = Field("", description="The first sentence, as text.")
    sent2: _Text = Field("", description="The second sentence, as text.")
    id: Annotated[str, Field(max_length=200)] = "1"
    tokens1: _Tokens | None = Field(None, description="Its tokens, in place of text.")
    tokens2: _Tokens | None = None
    chunks1: list[list[int]] | None = Field(
        None, description="Chunks of the first sentence, [first, last] token each, from 1."
    )
    chunks2: list[list[int]] | None = None
    profile: Annotated[str, Field(max_length=100)] | None = Field(
        None, description="Whose rules decide; by default the project's."
    )
    tab: Annotated[str, Field(max_length=100)] = Field("", description="Who asks.")
    number: int = Field(0, ge=0, description="A newer question of a tab ends older ones.")


class Asked(GivenPair):
    """A pair, and a decision about it."""

    decision: Annotated[list[_Text], Field(min_length=1, max_length=4)] = Field(
        ..., description='As ists-asp why takes it: ["4 5 <==> 3 4"], ["power", "bulb", "EQUI"].'
    )


class GivenAnswer(BaseModel):
    """A student's answer, and the model answers to compare it with."""

    model_config = ConfigDict(extra="forbid")

    answer: _Text
    references: Annotated[list[_Text], Field(min_length=1, max_length=20)] = Field(
        ..., description="Model answers; one may have points, between semicolons or one a line."
    )
    question: _Text = Field("", description="Its words do not count as an answer.")
    id: Annotated[str, Field(max_length=200)] = "1"


def router(bench: Bench) -> APIRouter:
    """The routes of the API."""
    routes = APIRouter(prefix="/api", tags=["pairs"])

    def at(query: GivenPair) -> tuple[Desk, Pair]:
        desk = bench.desks.desk(query.profile)
        return desk, desk.pair(_side(query, 1), _side(query, 2), query.id)

    def decided(query: GivenPair) -> tuple[Desk, SolvedAnswer]:
        desk, pair = at(query)
        return desk, desk.decide(pair, tab=query.tab, number=query.number)

    def rating(desk: Desk, answer: SolvedAnswer) -> object:
        return rating_record(desk.ask(partial(questions.rate, answer=answer)))

    @routes.post("/solve", summary="Chunks, alignments, labels and scores, with a picture")
    def solve(query: GivenPair) -> dict[str, Any]:
        _, answer = decided(query)
        drawn = picture(answer, active=True, folded=punctuation(answer))
        profile = load_profile(bench.desks.setup(query.profile).profile)
        note = foreign(answer.pair.sentences, profile.language, profile.name)
        return {**answer.to_dict(), "picture": drawn, "note": bench.told(note or "")}

    @routes.post("/picture", summary="The alignment as an SVG file with its own style")
    def drawn(query: GivenPair) -> dict[str, str]:
        return {"svg": svg_file(decided(query)[1])}

    @routes.post("/explain", summary="The answer in words")
    def explain(query: GivenPair) -> dict[str, Any]:
        desk, answer = decided(query)
        return dict(desk.ask(partial(questions.explain, answer=answer), worker=0))

    @routes.post("/rate", summary="How similar the sentences are as wholes")
    def rate(query: GivenPair) -> dict[str, Any]:
        desk, answer = decided(query)
        return {"id": query.id, "rating": rating(desk, answer)}

    @routes.post("/why", summary="Why a decision was taken")
    def why(query: Asked) -> dict[str, Any]:
        desk, pair = at(query)
        return desk.why(pair, *query.decision)

    @routes.post("/why-not", summary="Why a decision was not taken")
    def why_not(query: Asked) -> dict[str, Any]:
        desk, pair = at(query)
        return desk.why(pair, *query.decision, negative=True)

    @routes.post("/feedback", summary="Students' answers beside model answers: one, or a list")
    def feedback(
        body: GivenAnswer | Annotated[list[GivenAnswer], Field(max_length=1000)],
        profile: str = "default",
        language: str | None = None,
    ) -> dict[str, Any] | list[dict[str, Any]]:
        bench.desks.setup(profile).check_has(Purpose.FEEDBACK)
        desk, code = bench.desks.desk(profile), load_profile(profile).language
        templates = load_templates(language or code)
        submissions = [
            Submission(item.id, item.question, item.answer, (*filter(has_words, item.references),))
            for item in (body if isinstance(body, list) else [body])
        ]
        groups = batches((each for each in submissions if each.references), _TOGETHER)
        results = ask_each(desk.ask, groups, partial(System.judge_many, templates=templates))

        def record(submission: Submission) -> dict[str, Any]:
            result: Feedback | IstsError = DataError("no model answer", expected="one with words")
            if submission.references:
                _, result = next(results)
            if isinstance(result, IstsError):
                return {"id": submission.id, "error": bench.told(result)}
            words = result.answer.pair.sent1
            if (fault := foreign((words, words), code, profile)) is not None:
                return {"id": submission.id, "error": bench.told(fault)}
            return {"id": submission.id} | {name: result.cell(name) for name in COLUMNS}

        records = list(map(record, submissions))
        return records if isinstance(body, list) else records[0]

    @routes.post("/batch", summary="Many pairs, as JSON Lines in and out")
    async def batch(request: Request) -> StreamingResponse:
        lines = enumerate((await request.body()).splitlines(), 1)

        def reply(number: int, line: bytes) -> dict[str, Any]:
            name = str(number)
            try:
                record = {"id": name, **msgspec.json.decode(line, type=dict[str, Any])}
                name = record["id"] if isinstance(record["id"], str) else name
                desk, answer = decided(GivenPair.model_validate(record))
                return {**answer.to_dict(), "rating": rating(desk, answer)}
            except ValidationError as error:
                first = error.errors()[0]
                found = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
            except (IstsError, msgspec.MsgspecError, ValueError, RecursionError) as error:
                found = str(error)
            return {"id": name, "error": f"line {number}: {found}"}

        return bench.streamed(reply(number, line) for number, line in lines if line)

    return routes


def _side(query: GivenPair, side: int) -> str | Sentence:
    names = (f"{name}{side}" for name in ("sent", "tokens", "chunks"))
    text, tokens, chunks = (getattr(query, name) for name in names)
    if tokens is None and chunks is None:
        return " ".join(text.split())
    if tokens is None:
        raise DataError(f"chunks{side} without tokens{side}", expected="tokens as well")
    spans = given_chunks(chunks, len(tokens), str(side), f"chunks{side}")
    words = given_tokens(tokens, f"tokens{side}")
    return replace(make_sentence(words, text), chunks=spans)
