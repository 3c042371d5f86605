"""The HTTP server: uvicorn, with limits on connections before anybody looks at a request.

A connection that has no request under way may be closed at any time: after :data:`IDLE` seconds,
or, where :data:`CONNECTIONS` are open, for a new one: the address with most loses its oldest.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

import uvicorn
from anyio.to_thread import current_default_thread_limiter
from uvicorn.protocols.http.h11_impl import H11Protocol

from ists_asp.errors import brief
from ists_asp.terminal import one_line

if TYPE_CHECKING:
    import asyncio
    import socket
    from collections.abc import Callable

    from starlette.types import ASGIApp

CONNECTIONS = 256  # that are open at once
IDLE = 10.0  # seconds until a connection must have sent the whole head of a request
QUESTIONS = 100  # requests other than pages that are under way at once
_THREADS = QUESTIONS + 20  # those of questions, and some that pages need
_BACKLOG = 64  # connections that are accepted in one go
_HEAD = 16 << 10  # bytes of the head of a request


class Connection(H11Protocol):
    """A connection that holds no place for long without a request."""

    _open: dict[Connection, str] = {}  # noqa: RUF012 (all of the process, oldest first)
    _timer: asyncio.TimerHandle | None = None

    @property
    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place, which another connection may have to leave."""
        super().connection_made(transport)
        self._open[self] = self.client[0] if self.client else ""
        if len(self._open) > CONNECTIONS:
            share = Counter(self._open.values())
            idle = (one for one in self._open if one._idle)
            max(idle, key=lambda one: share[self._open[one]], default=self)._leave()
        self._wait()

    def on_response_complete(self) -> None:
        """Wait for another request."""
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        super().connection_lost(exc)
        self._open.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(IDLE, self._leave_if_idle)

    def _leave_if_idle(self) -> None:
        if self._idle:
            self._leave()

    def _leave(self) -> None:
        self._open.pop(self, None)
        self.transport.abort()


class _Line(logging.Handler):
    """Prints what a library logs as one line, without a traceback."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        super().__init__(logging.WARNING)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record; invalid requests are the business of whoever sent them."""
        if record.levelno >= logging.ERROR:
            error = record.exc_info and record.exc_info[1]
            reason = f": {brief(error)}" if isinstance(error, Exception) else ""
            self._tell(one_line(record.getMessage().split("\n")[0] + reason))


def run(
    app: ASGIApp,
    listening: socket.socket,
    ending: Callable[[], object],
    tell: Callable[[str], object],
) -> None:
    """Serve an application until a signal ends it.

    ``ending`` is called first then; ``tell`` prints a line about what failed.
    """

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            current_default_thread_limiter().total_tokens = _THREADS
            await super().startup(sockets)

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            ending()
            await super().shutdown(sockets)

    for name in ("uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [_Line(tell)], False
    config = uvicorn.Config(
        app,
        http=Connection,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        backlog=_BACKLOG,
        h11_max_incomplete_event_size=_HEAD,
        timeout_graceful_shutdown=5,
    )
    Server(config).run(sockets=[listening])
