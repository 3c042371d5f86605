"""uvicorn, told to be quiet and to end as people expect."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from ists_asp.workbench.security import Guard

_PATIENCE = 5
"""Seconds that requests have to end when the server does."""


class _Server(uvicorn.Server):
    """A server that does something more when it is ready, and serves meanwhile."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say so."""
        await super().startup(sockets)
        threading.Thread(target=self._ready, daemon=True).start()


def run(app: Guard, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until somebody interrupts; ``ready`` is called once pages can be had."""
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=_PATIENCE,
    )
    _Server(config, ready).run(sockets=[listening])
