"""The application: pages, the manual, routes, errors as one line of JSON; and its server.

Pages are templates that scripts bring to life. The server listens on this machine alone, but any
site in this browser may send requests here. Hence a token, first in the address and then in a
cookie; a list of host names, as foreign ones may resolve to this machine; and a check of origins.

The server is uvicorn, with limits on connections before a request is parsed. A connection without a
request may be closed after :data:`IDLE` seconds, or for a new one where :data:`CONNECTIONS` are
open: the address with most loses its oldest.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import mimetypes
import posixpath
import re
import secrets
import socket
from asyncio import CancelledError, wait_for
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from time import monotonic
from typing import NamedTuple
from urllib.parse import urlencode

import uvicorn
from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, Request, responses
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from markdown_it import MarkdownIt
from markdown_it.token import Token
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from ists_asp._version import __version__
from ists_asp.errors import IstsError, brief, shortened
from ists_asp.lang import texts_of
from ists_asp.resources import data_dir, docs_dir, template
from ists_asp.rules import list_profiles, load_profile
from ists_asp.run.pool import SupersededError
from ists_asp.terminal import one_line, visible
from ists_asp.workbench import (
    api,
    corrections,
    effects,
    feedback,
    fixes,
    learning,
    report,
    rules,
    words,
)
from ists_asp.workbench.desk import Bench, EndingError
from ists_asp.workbench.folder import ReadOnlyError
from ists_asp.workbench.project import ConflictError

CONNECTIONS = 256  # that are open at once
IDLE = 10.0  # seconds until a connection must have sent the whole head of a request
QUESTIONS = 100  # requests other than pages that are under way at once
_THREADS = QUESTIONS + 20  # those of questions, and some that pages need
_BACKLOG = 64  # connections that are accepted in one go
_HEAD = 16 << 10  # bytes of the head of a request
# In the order of the work.
VIEWS = ("try", "words", "rules", "effects", "correct", "learn", "report", "feedback")

_STATUS = {SupersededError: 409, ConflictError: 409, ReadOnlyError: 403, EndingError: 503}


def make_app(bench: Bench, token: str, port: int, warn: Callable[[str], object]) -> Guard:
    """The ASGI application of a project at a port; ``warn`` is told of requests that failed."""
    app = FastAPI(
        title="ists-asp",
        version=__version__,
        description="Interpretable semantic textual similarity, decided by rules.",
        docs_url=None,
        redoc_url=None,
    )
    folder, project = data_dir() / "workbench", bench.project
    mimetypes.add_type("text/javascript", ".js")
    app.mount("/static", StaticFiles(directory=folder / "static"))
    app.mount("/shared", StaticFiles(directory=data_dir() / "report"))
    for view in (api, rules, words, effects, corrections, learning, report, feedback, fixes):
        app.include_router(view.router(bench))

    def page(view: str, request: Request, **details: object) -> responses.HTMLResponse:
        profiles = {name: load_profile(name) for name in list_profiles()}
        texts = texts_of(project.language)
        text = template("workbench", f"{view}.html").render(
            gettext=lambda text: texts.get(text, text),
            language=project.language,
            texts=texts,
            view=view,
            views=VIEWS,
            nonce=request.state.nonce,
            folder=project.root.name,
            profile=project.profile,
            profiles=profiles,
            corpora=project.corpora(),
            read_only=not project.folder.writable,
            second=project.second and project.second.root.name,
            **details,
        )
        return responses.HTMLResponse(text)

    for name in VIEWS:
        app.add_route(f"/{name}", partial(page, name))
    app.mount("/help/pictures", StaticFiles(directory=docs_dir() / "pictures"))

    @app.get("/help/{name:path}", include_in_schema=False)
    def help_page(name: str, request: Request) -> responses.Response:
        pages = manual_pages()
        if name not in pages:
            return responses.RedirectResponse(f"/help/{next(iter(pages))}")
        return page("help", request, parts=PARTS, pages=pages, page=pages[name])

    app.add_route("/", lambda _request: responses.RedirectResponse("/try"))
    app.add_route("/docs", lambda _request: responses.FileResponse(folder / "docs.html"))

    @app.exception_handler(IstsError)
    def expected(_request: Request, error: IstsError) -> responses.JSONResponse:
        error = EndingError() if bench.desks.closed else error
        body = {"error": bench.told(error)}
        if isinstance(error, ConflictError):
            body["text"] = error.text
        return responses.JSONResponse(body, _STATUS.get(type(error), 400))

    @app.exception_handler(RequestValidationError)
    def malformed(_request: Request, error: RequestValidationError) -> responses.JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        text = f"{place or 'the request'}: {first['msg']}. See /docs"
        return responses.JSONResponse({"error": visible(text)}, 422)

    @app.exception_handler(HTTPException)
    def refused(_request: Request, error: HTTPException) -> responses.JSONResponse:
        return responses.JSONResponse({"error": f"{error.detail}. See /docs"}, error.status_code)

    @app.exception_handler(Exception)
    def failed(_request: Request, error: Exception) -> responses.JSONResponse:
        hint = "The terminal of the server has it in a line. Try again, or start the server again."
        return responses.JSONResponse({"error": f"{visible(_reason(error))}. {hint}"}, 500)

    return Guard(app, token, port, warn)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {shortened(str(error.filename))}"
    return brief(error)


LARGEST = 8 << 20  # bytes of a request at most
SECONDS = 30.0  # until the whole of a request must have arrived

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; "
    "img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_YEAR = 365 * 86400  # seconds
_PRINTED = "that ists-asp serve printed"


class Guard:
    """Lets requests through that may come, around an ASGI application, and secures responses."""

    def __init__(self, app: ASGIApp, token: str, port: int, warn: Callable[[str], object]) -> None:
        self._app, self._warn = app, warn
        self._questions = 0
        self._token = token
        self._cookie = f"ists-asp-{port}"
        self._hosts = {f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        scope.setdefault("state", {})["nonce"] = secrets.token_urlsafe(16)
        secured, bounded = _secured(send, scope["state"]), _bounded(receive)
        if refused := self._answer(Request(scope)):
            await refused(scope, receive, secured)
            return
        question = scope["path"].startswith(("/api", "/project"))
        if question and self._questions >= QUESTIONS:
            found = f"{QUESTIONS} questions are waiting already: ask again later"
            busy = responses.JSONResponse({"error": found}, 503, {"retry-after": "5"})
            await busy(scope, receive, secured)
            return
        self._questions += question
        try:
            await self._app(scope, bounded, secured)
        except ClientDisconnect:
            pass
        except CancelledError:
            # The server ends, and waits no longer: a stream has that as its last line.
            last = responses.JSONResponse({"error": "the server is ending. Start it again"}, 503)
            if not scope["state"].get("begun"):
                await last(scope, receive, secured)
            elif scope["state"]["begun"] == "application/x-ndjson":
                await send({"type": "http.response.body", "body": bytes(last.body) + b"\n"})
        except Exception as error:
            self._warn(f"{scope['method']} {scope['path']}: {_reason(error)}")
        finally:
            self._questions -= question

    def _answer(self, request: Request) -> responses.Response | None:
        headers, token = request.headers, request.query_params.get("token")
        refusal, status = None, 403
        if headers.get("host") not in self._hosts:
            refusal = f"This name does not lead here. Use the address {_PRINTED}."
        elif not self._is_own_page(headers):
            refusal = "Requests of other sites are refused."
        elif token is not None and request.method == "GET":
            if self._is_token(token):
                return self._enter(request)
            refusal = f"This token is wrong. Use the address {_PRINTED}."
        elif not self._has_token(request):
            refusal = f"Open the address {_PRINTED}, with its token."
        elif int(headers.get("content-length") or 0) > LARGEST:
            refusal, status = f"A request may have {LARGEST} bytes at most.", 413
        return responses.PlainTextResponse(f"{refusal}\n", status) if refusal else None

    def _is_token(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self._token.encode())

    def _is_own_page(self, headers: Headers) -> bool:
        """Whether a request comes from a page of ours, or from no page at all."""
        origins = {None, *(f"http://{host}" for host in self._hosts)}
        site = headers.get("sec-fetch-site", "none")
        return headers.get("origin") in origins and site in ("none", "same-origin")

    def _has_token(self, request: Request) -> bool:
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        token = bearer if scheme.lower() == "bearer" else request.cookies.get(self._cookie)
        return token is not None and self._is_token(token)

    def _enter(self, request: Request) -> responses.Response:
        """Take the token from the address into a cookie."""
        left = [item for item in request.query_params.multi_items() if item[0] != "token"]
        # Two slashes at the beginning would lead to another site.
        target = "/" + request.scope["path"].lstrip("/") + (f"?{urlencode(left)}" if left else "")
        cookie = f"{self._cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/; "
        cookie += f"Max-Age={_YEAR}"
        return responses.RedirectResponse(target, 303, {"set-cookie": cookie})


def _bounded(receive: Receive) -> Receive:
    """The same, with an error for a body that is too large or takes too long to arrive."""
    left, arrived = LARGEST, False
    until = monotonic() + SECONDS

    async def bounded() -> Message:
        nonlocal left, arrived
        try:
            message = await wait_for(receive(), None if arrived else max(0.0, until - monotonic()))
        except TimeoutError:
            found = f"the request took more than {SECONDS:g} s to arrive"
            raise HTTPException(408, found) from None
        arrived = arrived or not message.get("more_body", False)
        left -= len(message.get("body", b""))
        if left < 0:
            raise HTTPException(413, "the request is too large")
        return message

    return bounded


def _secured(send: Send, state: dict[str, str]) -> Send:
    """The same, with headers for strict browsers, the nonce and the kind that has ``begun``."""

    async def secured(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            policy = _POLICY.format(nonce=state["nonce"])
            headers.update({"content-security-policy": policy, **_HEADERS})
            headers.setdefault("cache-control", "no-store")
            state["begun"] = headers.get("content-type", "-")
        await send(message)

    return secured


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
            idle = (connection for connection in self._open if connection._idle)
            max(idle, key=lambda connection: share[self._open[connection]], default=self)._leave()
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
        """Print a record of an error; invalid requests are their senders' business."""
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
    """Serve an application until a signal ends it; ``tell`` prints a line about what failed."""

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            current_default_thread_limiter().total_tokens = _THREADS
            await super().startup(sockets)

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            # Only clients are told that questions have no answer any more.
            logger.handlers = [logging.NullHandler()]
            ending()
            await super().shutdown(sockets)

    for name in ("asyncio", "uvicorn.error"):
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


_ORDER = """
Tutorials: tutorials/ workbench first-hour feedback rules tables
How to: howto/ small-edits learn ratings spanish many-pairs python programs
Reference: reference/ commands formats vocabulary evidence kinds findings
Explanation: explanation/ design traces accuracy limits scaling reader
"""
PARTS = {
    part: [folder + name for name in names]
    for part, _, rest in (line.partition(": ") for line in _ORDER.strip().splitlines())
    for folder, *names in [rest.split()]
}
"""The names of the pages of each part, in the order of reading; a release alone has some."""
PARTS["Reference"].append("glossary")
_TERM = re.compile(r"^(\S.*)\n((?:[ ]+\S.*\n?)+)", re.MULTILINE)


class Page(NamedTuple):
    """A page: the name in its address, its title, and its text as HTML."""

    name: str
    title: str
    html: str


@cache
def manual_pages() -> dict[str, Page]:
    """The pages that are there by their names, such as ``tutorials/rules``."""
    files = {name: docs_dir() / f"{name}.md" for names in PARTS.values() for name in names}
    existing = {name: file for name, file in files.items() if file.is_file()}
    return {
        name: _parsed(name, file.read_text("utf-8"), existing) for name, file in existing.items()
    }


def _parsed(name: str, text: str, existing: Iterable[str]) -> Page:
    # HTML is shown, not obeyed; these are marks between which tables are written.
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    glossary = re.search(r"```\{glossary\}\n(.*?)```", text, re.DOTALL)
    if glossary:
        # Terms, each above its text.
        terms = _TERM.sub(lambda at: f"**{at[1]}** – {' '.join(at[2].split())}\n\n", glossary[1])
        text = text.replace(glossary[0], terms)
    tokens = parser.parse(text)
    _relink(tokens, name, set(existing))
    title = next(line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))
    return Page(name, title.partition(":")[0], parser.renderer.render(tokens, parser.options, {}))


def _relink(tokens: Sequence[Token], name: str, existing: set[str]) -> None:
    """Let links lead to pages here; headings have the anchors that links to them have."""
    for number, token in enumerate(tokens):
        # Alignment of cells, which the policy for styles forbids.
        token.attrs.pop("style", None)
        if token.type == "heading_open":
            words = re.sub(r"[^\w -]", "", tokens[number + 1].content.lower())
            token.attrs["id"] = words.strip().replace(" ", "-")
        _relink(token.children or (), name, existing)
        for key in token.attrs.keys() & {"href", "src"}:
            address = str(token.attrs[key])
            target, mark, anchor = address.partition("#")
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            if path.removesuffix(".md") in existing and target:
                token.attrs[key] = f"/help/{path.removesuffix('.md')}{mark}{anchor}"
            elif path.startswith("pictures/"):
                token.attrs[key] = f"/help/{path}"
            elif target and not target.startswith(("http:", "https:")):
                # A file of the repository, which a wheel does not have.
                del token.attrs[key]
