"""What takes longer than a page waits: done pair by pair, told while it is done.

Each line of the response is a record of JSON. Whoever closes the connection ends the job.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from fastapi.responses import StreamingResponse

from ists_asp.errors import IstsError, UsageError
from ists_asp.terminal import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ists_asp.model import Pair
    from ists_asp.workbench.bench import Bench
    from ists_asp.workbench.desk import Desk


def streamed(records: Iterable[dict[str, Any]]) -> StreamingResponse:
    """Records as they come; an error is the last of them."""

    def lines() -> Iterator[bytes]:
        try:
            for record in records:
                yield orjson.dumps(record) + b"\n"
        except IstsError as error:
            yield orjson.dumps({"error": visible(str(error))}) + b"\n"

    return StreamingResponse(lines(), media_type="application/x-ndjson")


def annotated(bench: Bench, desk: Desk, pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Pairs ready for the worker of a desk, for as long as the rules are what they are.

    Raises:
        UsageError: they were changed.
    """
    state = bench.project.state.digest
    for pair in pairs:
        if bench.project.state.digest != state:
            raise UsageError("the rules were changed meanwhile", hint="Ask again")
        yield desk.pair(pair.sent1, pair.sent2, pair.id)
