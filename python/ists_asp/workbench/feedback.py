"""The view of feedback: tables to judge by ``/api/feedback``, and verdicts that teachers correct.

``feedback.jsonl`` has a line for each corrected answer, by its question and model answers.
"""

from __future__ import annotations

import threading
from io import BytesIO
from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import Field

from ists_asp.errors import DataError
from ists_asp.explain.feedback import COLUMNS
from ists_asp.io.columns import USUAL, usual
from ists_asp.io.tables import Table, added
from ists_asp.terminal import visible
from ists_asp.vocabulary import VERDICTS
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

    verdict: Annotated[str, Field(pattern=f"^({'|'.join(VERDICTS)})$")] | None

    @property
    def key(self) -> tuple[str, ...]:
        """Equal for the same answers beside the same model answers."""
        return self.question, self.answer, *self.references


class Marks:
    """The corrected verdicts of a project."""

    def __init__(self, project: Project) -> None:
        self._folder = project.folder
        self._lock = threading.Lock()

    def read(self) -> dict[tuple[str, ...], Mark]:
        """All marks; a DataError names a faulty line, which is never written over."""
        marks = dict[tuple[str, ...], Mark]()
        exists = self._folder.stamps(MARKS)
        lines = self._folder.read(MARKS).rstrip("\n").split("\n") if exists else []
        for number, line in enumerate(filter(None, lines), 1):
            try:
                mark = Mark.model_validate_json(line)
            except ValueError:
                where, hint = f"{MARKS}:{number}", "Correct or remove the line"
                raise DataError("this is not a corrected verdict", where=where, hint=hint) from None
            marks[mark.key] = mark
        return marks

    def put(self, mark: Mark) -> None:
        """Add, change or remove a mark, on disk."""
        with self._lock:
            marks = self.read()
            marks.pop(mark.key, None)
            if mark.verdict is not None:
                marks[mark.key] = mark
            lines = (row.model_dump_json(exclude={"id"}) for row in marks.values())
            self._folder.commit({MARKS: "".join(f"{line}\n" for line in lines)})


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
    def marked() -> dict[str, Any]:
        records = [mark.model_dump(exclude={"id"}) for mark in marks.read().values()]
        return {"columns": COLUMNS, "verdicts": VERDICTS, "marks": records}

    @routes.put("/marks")
    def mark(corrected: Mark) -> None:
        bench.project.folder.check_writable()
        marks.put(corrected)

    return routes
