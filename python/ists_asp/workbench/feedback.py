"""The view of feedback: tables to judge by ``/api/feedback``, and verdicts that teachers correct.

``feedback.jsonl`` is a log of the corrected answers, each with its question and model answers.
"""

from __future__ import annotations

from io import BytesIO
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Body, Response
from pydantic import Field

from ists_asp.errors import DataError
from ists_asp.explain.feedback import COLUMNS
from ists_asp.io.columns import USUAL, usual
from ists_asp.io.tables import Table, added
from ists_asp.terminal import visible
from ists_asp.vocabulary import VERDICTS, Verdict
from ists_asp.workbench.api import GivenAnswer
from ists_asp.workbench.desk import Bench
from ists_asp.workbench.project import Project

MARKS = "feedback.jsonl"
CORRECTED = "corrected"  # the column of the teacher's verdicts
_MOST = 5000  # rows that a page shows
_ROLES = {role: USUAL[role] for role in ("question", "answer", "reference", "id")}
_ROLES["id"] = [*_ROLES["id"], *USUAL["student"]]


class Mark(GivenAnswer):
    """The teacher's verdict on an answer; without one the mark is removed."""

    verdict: Verdict | None


class _Marked(msgspec.Struct):
    """A record of the log."""

    answer: str
    references: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=20)]
    verdict: Verdict | None
    question: str = ""


class Marks:
    """The corrected verdicts of a project."""

    def __init__(self, project: Project) -> None:
        self._folder = project.folder

    def read(self) -> list[_Marked]:
        """The marks that stand: the last one for each answer beside the same model answers."""
        records = self._folder.records(MARKS, msgspec.json.Decoder(_Marked).decode)
        last = {(row.question, row.answer, row.references): row for row in records}
        return [row for row in last.values() if row.verdict is not None]

    def put(self, mark: Mark) -> None:
        """Add, change or remove a mark, on disk."""
        self._folder.commit({}, MARKS, mark.model_dump(exclude={"id"}))


def router(bench: Bench) -> APIRouter:
    """The routes of the view."""
    routes = APIRouter(prefix="/project/feedback", include_in_schema=False)
    marks = Marks(bench.project)

    @routes.post("/table")
    def table(
        name: Annotated[str, Field(max_length=300)],
        data: Annotated[bytes, Body(media_type="application/octet-stream")],
    ) -> dict[str, Any]:
        """The texts of a table, and the columns of each role by their usual names."""
        notes = list[str]()
        sheet = Table(BytesIO(data), name=name, header=True, long=True, warn=notes.append)
        roles = {role: usual(sheet.columns, names) for role, names in _ROLES.items()}
        sheet.tell_of(*roles.values())
        rows = list[list[str]]()
        for row in sheet.rows():
            if row.fault is not None:
                raise row.fault
            if len(rows) == _MOST:
                found, hint = f"more than {_MOST} rows", "Use the command ists-asp feedback"
                raise DataError(found, where=name, hint=hint)
            rows.append([row.text(place) for place in range(len(row.cells))])
        if not rows:
            expected = "a row of titles, and below it a row for each answer"
            raise DataError("the table has no answers", where=name, expected=expected)
        return {
            "titles": sheet.titles,
            "rows": rows,
            "roles": roles,
            "added": added(sheet.titles, [*COLUMNS, CORRECTED]),
            "notes": list(map(visible, notes)),
        }

    @routes.get("/marks")
    def marked() -> Response:
        found = {"columns": COLUMNS, "verdicts": VERDICTS, "marks": marks.read()}
        return Response(msgspec.json.encode(found), media_type="application/json")

    @routes.put("/marks")
    def mark(corrected: Mark) -> None:
        bench.project.folder.check_writable()
        marks.put(corrected)

    return routes
