"""What all routes share: the project, the desks, and answers that take longer than a page waits.

These are streams: each line is a record of JSON. Whoever closes the connection ends the job.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastapi.responses import StreamingResponse
from msgspec import json

from ists_asp.errors import IstsError, UsageError
from ists_asp.terminal import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ists_asp.model import Pair
    from ists_asp.workbench.desk import Desk, Desks
    from ists_asp.workbench.project import Project


class ReadOnlyError(UsageError):
    """Something was to be changed where nothing may be."""


@dataclass(frozen=True, slots=True)
class Bench:
    """A project at work; what is ``closing`` ends with the server."""

    project: Project
    desks: Desks
    read_only: bool = False
    closing: ExitStack = field(default_factory=ExitStack)

    def check_writable(self) -> None:
        """Refuse changes, by a ReadOnlyError, where the server was begun with ``--read-only``."""
        if self.read_only:
            hint = "The server was started with --read-only"
            raise ReadOnlyError("nothing can be changed here", hint=hint)

    def annotated(self, desk: Desk, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Pairs ready for the worker of a desk, for as long as the rules are what they are.

        Raises:
            UsageError: they were changed.
        """
        state = self.project.state.digest
        for pair in pairs:
            if self.project.state.digest != state:
                raise UsageError("the rules were changed meanwhile", hint="Ask again")
            yield desk.pair(pair.sent1, pair.sent2, pair.id)


def streamed(records: Iterable[dict[str, Any]]) -> StreamingResponse:
    """Records as they come; an error is the last of them."""

    def lines() -> Iterator[bytes]:
        try:
            for record in records:
                yield json.encode(record) + b"\n"
        except IstsError as error:
            yield json.encode({"error": visible(str(error))}) + b"\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson")
