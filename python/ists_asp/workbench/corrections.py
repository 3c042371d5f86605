"""Answers that people mend: gold of their own, to measure and to learn from.

``corrections/.log.jsonl`` has a record of each action: the answer that it has made of a pair, or
that the action before was taken back. For each corpus the pairs that were mended follow from it:
``CORPUS.jsonl`` as of ``solve --format jsonl``, ``CORPUS.wa`` for ``evaluate`` and ``learn``.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from fastapi import APIRouter
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field

from ists_asp.errors import DataError, UsageError
from ists_asp.io.files import atomic_writer
from ists_asp.io.formats import answer_record, read_record
from ists_asp.io.wa import HIGHEST, write_pair
from ists_asp.model import Alignment, Answer, Label, Tag
from ists_asp.report.picture import picture
from ists_asp.workbench.project import CORRECTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ists_asp.model import Pair
    from ists_asp.workbench.desk import Bench
    from ists_asp.workbench.project import Project

LOG, _UNDO = ".log.jsonl", "undo"

_NEW = Label.SIMI, 3.0  # label and score of an alignment that nobody has judged yet

_Tokens = Annotated[list[Annotated[int, Field(ge=1, le=1000)]], Field(max_length=1000)]


class Action(BaseModel):
    """A user's action on the answer to a pair; tokens are those of a line, or of chunks."""

    id: Annotated[str, Field(max_length=200)]
    do: Literal["accept", "join", "part", "label", "score", "tag"]
    tokens1: _Tokens = []
    tokens2: _Tokens = []
    label: Label | None = None
    score: Annotated[float, Field(ge=0, le=HIGHEST)] | None = None
    tag: Tag | None = None
    several: bool = Field(False, description="Whether a chunk joins the alignments that there are.")


def act(answer: Answer, action: Action) -> Answer:
    """The answer after an action; chunks without an alignment are as they were, or NOALI."""
    sides = tuple(action.tokens1), tuple(action.tokens2)
    aligned = [line for line in answer.alignments if line.label.aligned]
    if action.do == "accept":
        return _complete(answer, aligned)
    if action.do == "join":
        if not all(sides):
            raise UsageError("an alignment needs a chunk of each sentence")
        one, two = map(set, sides)
        met = [line for line in aligned if one & {*line.tokens1} or two & {*line.tokens2}]
        new = Alignment(*sides, *_NEW)
        if action.several and met:
            tokens1 = tuple(sorted(one.union(*(line.tokens1 for line in met))))
            tokens2 = tuple(sorted(two.union(*(line.tokens2 for line in met))))
            new = replace(met[0], tokens1=tokens1, tokens2=tokens2)
        return _complete(answer, [new, *(line for line in aligned if line not in met)])
    line = next((line for line in aligned if (line.tokens1, line.tokens2) == sides), None)
    if line is None:
        raise UsageError("this is not an alignment", hint="Choose one first")
    others = [other for other in aligned if other is not line]
    return _complete(answer, others if action.do == "part" else [*others, _judged(line, action)])


def _judged(line: Alignment, action: Action) -> Alignment:
    """An alignment with another label, score or tag; EQUI scores 5, and nothing else does."""
    if action.tag is not None:
        return replace(line, tags=line.tags ^ {action.tag})
    label, score = action.label or line.label, action.score or line.score or _NEW[1]
    if action.label is not None:
        score = float(HIGHEST) if label is Label.EQUI else min(score, HIGHEST - 1.0)
    if not label.aligned or (label is Label.EQUI) != (score == HIGHEST):
        expected = "a score from 1 to 4, or EQUI"
        raise UsageError("EQUI scores 5, and nothing else does", expected=expected)
    return replace(line, label=label, score=score)


def _complete(answer: Answer, aligned: list[Alignment]) -> Answer:
    """The answer with these alignments, each side a number of chunks, and lines for the others."""
    lines = [replace(line, confidence=None) for line in aligned]
    known = {(line.tokens1, line.tokens2): line for line in answer.alignments}
    for side, chunks in enumerate((answer.chunks1, answer.chunks2)):
        used = [token for line in aligned for token in (line.tokens1, line.tokens2)[side]]
        left = [chunk.tokens for chunk in chunks if not {*chunk.tokens} & {*used}]
        whole = sum(len(chunk.tokens) for chunk in chunks) - sum(map(len, left))
        if not len(used) == len({*used}) == whole:
            raise UsageError("chunks stay as they are", expected="whole chunks, each on one line")
        for tokens in left:
            one, two = (tokens, ()) if side == 0 else ((), tokens)
            lines.append(known.get((one, two)) or Alignment(one, two, Label.NOALI, None))
    lines.sort(key=lambda line: (not line.tokens1, line.tokens1, line.tokens2))
    return Answer(answer.pair, answer.chunks1, answer.chunks2, tuple(lines), (), optimal=True)


class Corrections:
    """The corrections of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._folder = project.root / CORRECTIONS
        self._lock = threading.Lock()

    def mended(self, corpus: str) -> dict[str, Answer]:
        """The pairs of a corpus that were mended, by their ids."""
        latest = {record["id"]: record for record in self._done(corpus)}
        try:
            return {name: read_record(record) for name, record in latest.items()}
        except DataError as fault:
            raise DataError(str(fault), where=f"{CORRECTIONS}/{LOG}: {corpus}") from None

    def change(
        self, corpus: str, identifier: str, made: Callable[[Answer | None], Answer], action: str
    ) -> Answer:
        """Mend a pair: make something of the correction that there is; it is on disk then."""
        with self._lock:
            after = made(self.mended(corpus).get(identifier))
            self._write(corpus, action, answer_record(after))
            return after

    def undo(self, corpus: str) -> dict[str, str]:
        """Take the last action back, on disk too: its pair, and what it was."""
        with self._lock:
            last = next(reversed(self._done(corpus)), None)
            if last is None:
                raise UsageError("there is nothing to take back")
            self._write(corpus, _UNDO, {"id": last["id"]})
            return {"id": last["id"], "action": last["action"]}

    def _done(self, corpus: str) -> list[dict[str, Any]]:
        """The actions on a corpus that were not taken back, in their order."""
        path, done = self._folder / LOG, list[dict[str, Any]]()
        for line in path.read_bytes().splitlines() if path.is_file() else ():
            # A line that was cut off when the machine stopped tells nothing.
            with suppress(msgspec.MsgspecError, ValueError, LookupError, TypeError):
                record = msgspec.json.decode(line)
                if record["corpus"] == corpus and record["action"] == _UNDO:
                    done.pop()
                elif record["corpus"] == corpus:
                    done.append(record | {name: str(record[name]) for name in ("id", "action")})
        return done

    def _write(self, corpus: str, action: str, about: Mapping[str, object]) -> None:
        """Add a record to the log, and write the files that follow from it."""
        order = {pair.id: place for place, pair in enumerate(self._project.corpus(corpus).pairs)}
        record = {"when": time.time(), "corpus": corpus, "action": action, **about}
        for name in (LOG, f"{corpus}.jsonl", f"{corpus}.wa"):
            if (self._folder / name).is_symlink():
                raise DataError("this is a link: remove it", where=f"{CORRECTIONS}/{name}")
        with (self._folder / LOG).open("ab+") as log:
            # Behind a line that was cut off, too, it has a line of its own.
            log.seek(max(0, log.tell() - 1))
            cut = log.read() not in (b"", b"\n")
            log.write(b"\n" * cut + msgspec.json.encode(record) + b"\n")
        mended = self.mended(corpus)
        ids = sorted(mended, key=lambda key: order.get(key, len(order)))
        answers = [mended[name] for name in ids]
        records = map(msgspec.json.encode, map(answer_record, answers))
        with atomic_writer(self._folder / f"{corpus}.jsonl") as stream:
            stream.writelines(f"{record.decode()}\n" for record in records)
        with atomic_writer(self._folder / f"{corpus}.wa") as stream:
            stream.writelines(write_pair(answer.pair, answer.alignments) for answer in answers)


def router(bench: Bench) -> APIRouter:
    """The routes of corrections."""
    routes = APIRouter(prefix="/project/corrections", tags=["corrections"])
    corrections = Corrections(bench.project)

    def pairs(name: str) -> dict[str, Pair]:
        return {pair.id: pair for pair in bench.project.corpus(name).pairs}

    def answered(name: str, identifier: str) -> Answer:
        """The answer of the current rules to a pair."""
        pair = pairs(name).get(identifier)
        if pair is None:
            raise DataError("there is no such pair", where=name)
        desk = bench.desks.desk()
        return desk.decide(desk.pair(pair.sent1, pair.sent2, pair.id))

    def shown(answer: Answer, mended: bool) -> dict[str, Any]:
        return {**answer_record(answer), "picture": picture(answer, active=True), "mended": mended}

    @routes.get("/{name}", summary="The pairs of a corpus, and which of them were corrected")
    def listed(name: str) -> dict[str, Any]:
        return {"ids": list(pairs(name)), "mended": list(corrections.mended(name))}

    @routes.get("/{name}/pair", summary="The correction of a pair so far, or its answer")
    def pair(name: str, id: str) -> dict[str, Any]:
        mended = corrections.mended(name).get(id)
        return shown(mended or answered(name, id), mended is not None)

    @routes.post("/{name}", summary="Correct a pair; it is then in the .wa file")
    def mend(name: str, action: Action) -> dict[str, Any]:
        bench.check_writable()
        said = action.model_dump(exclude_unset=True, exclude={"id"}, mode="json")
        done = " ".join(str(value) for value in said.values())
        made = corrections.change(
            name, action.id, lambda now: act(now or answered(name, action.id), action), done
        )
        return shown(made, mended=True)

    @routes.post("/{name}/undo", summary="Take the last action back")
    def undo(name: str) -> dict[str, Any]:
        bench.check_writable()
        pairs(name)
        return corrections.undo(name)

    @routes.get("/{name}/export", summary="The corrections as a .wa file")
    def export(name: str) -> PlainTextResponse:
        mended = corrections.mended(name).values()
        return PlainTextResponse("".join(write_pair(one.pair, one.alignments) for one in mended))

    return routes
