"""Who may talk to the workbench: only the browser that was given its address.

The server listens on this machine alone, but any page of any site that the same browser shows may
send requests here. Hence a token, which is in the address once and in a cookie then; the names
under which the server may be called (a foreign name may lead to this machine, too); and the sites
that may send requests: its own.
"""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping
    from typing import Any

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

LARGEST = 8 << 20
"""Bytes of a request at most."""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; "
    "img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_SAFE = ("GET", "HEAD", "OPTIONS")


class Guard:
    """Lets requests through that may come; a layer around an ASGI application.

    Each response gets a Content-Security-Policy without inline code. Its nonce, for the styles of
    the editor, is in ``scope["state"]["nonce"]``.
    """

    def __init__(self, app: App, token: str, port: int, *, read_only: bool = False) -> None:
        self._app = app
        self._token = token
        self._read_only = read_only
        self._cookie = f"ists-asp-{port}"
        self._hosts = {f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")}

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = dict(query).get("token")
        if headers.get("host") not in self._hosts:
            await _refuse(
                send,
                403,
                "This name does not lead here. Use the address that ists-asp serve printed.",
            )
        elif not self._own(headers):
            await _refuse(send, 403, "Requests of other sites are refused.")
        elif given is not None and scope["method"] == "GET":
            if self._same(given):
                rest = urlencode([(name, value) for name, value in query if name != "token"])
                await self._enter(send, scope["path"] + (f"?{rest}" if rest else ""))
            else:
                await _refuse(
                    send,
                    403,
                    "This token is wrong. Use the address that ists-asp serve printed.",
                )
        elif not self._known(headers):
            await _refuse(
                send, 403, "Open the address that ists-asp serve printed, with its token."
            )
        elif int(headers.get("content-length") or 0) > LARGEST:
            await _refuse(send, 413, f"A request may have {LARGEST} bytes at most.")
        else:
            nonce = secrets.token_urlsafe(16)
            scope.setdefault("state", {})["nonce"] = nonce
            await self._app(scope, _bounded(receive), _secured(send, nonce))

    def _same(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self._token.encode())

    def _own(self, headers: dict[str, str]) -> bool:
        """Whether a request comes from a page of ours, or from no page at all."""
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] not in self._hosts:
            return False
        return headers.get("sec-fetch-site", "none") in ("none", "same-origin")

    def _known(self, headers: dict[str, str]) -> bool:
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self._same(bearer)
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        return cookie is not None and self._same(cookie.value)

    async def _enter(self, send: Send, target: str) -> None:
        """Take the token from the address into a cookie."""
        cookie = f"{self._cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/"
        headers = [(b"location", target.encode()), (b"set-cookie", cookie.encode()), *_HEADERS]
        headers.append((b"cache-control", b"no-store"))
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


class TooLargeError(Exception):
    """A body is larger than its head said, or than may be."""


def _bounded(receive: Receive) -> Receive:
    """The same, with an error for what is too large, whatever its head says."""
    left = LARGEST

    async def bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        if left < 0:
            raise TooLargeError
        return message

    return bounded


def _secured(send: Send, nonce: str) -> Send:
    policy = _POLICY.format(nonce=nonce).encode()

    async def secured(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in message["headers"]}
            message["headers"] += [(b"content-security-policy", policy), *_HEADERS]
            if b"cache-control" not in own:
                message["headers"].append((b"cache-control", b"no-store"))
        await send(message)

    return secured


async def _refuse(send: Send, status: int, text: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *_HEADERS]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": f"{text}\n".encode()})
