"""The application: routes, static files, and errors as one line of JSON."""

from __future__ import annotations

import mimetypes
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles

from ists_asp._version import __version__
from ists_asp.errors import IstsError
from ists_asp.resources import data_dir
from ists_asp.terminal import visible
from ists_asp.workbench import (
    api,
    corrections,
    effects,
    learning,
    pages,
    report,
    rules,
    words,
)
from ists_asp.workbench.bench import ReadOnlyError
from ists_asp.workbench.desk import SupersededError
from ists_asp.workbench.project import ConflictError
from ists_asp.workbench.security import Guard, TooLargeError

if TYPE_CHECKING:
    from ists_asp.workbench.bench import Bench

_STATUS = {SupersededError: 409, ConflictError: 409, ReadOnlyError: 403}


def make_app(bench: Bench, token: str, port: int) -> Guard:
    """The ASGI application of a project, for a server on a port of this machine."""
    app = FastAPI(
        title="ists-asp",
        version=__version__,
        description="Interpretable semantic textual similarity, decided by rules.",
        docs_url=None,
        redoc_url=None,
    )
    mimetypes.add_type("text/javascript", ".js")
    app.mount("/static", StaticFiles(directory=data_dir() / pages.FOLDER / "static"))
    app.mount("/shared", StaticFiles(directory=data_dir() / "report"))
    app.include_router(pages.router(bench))
    for view in (api, rules, words, effects, corrections, learning, report):
        app.include_router(view.router(bench))

    @app.exception_handler(IstsError)
    def expected(_request: Request, error: IstsError) -> JSONResponse:
        body = {"error": visible(str(error))}
        if isinstance(error, ConflictError):
            body["text"] = error.text
        return JSONResponse(body, _STATUS.get(type(error), 400))

    @app.exception_handler(RequestValidationError)
    def malformed(_request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"][1:])
        return JSONResponse({"error": visible(f"{place}: {first['msg']}")}, 422)

    @app.exception_handler(TooLargeError)
    def too_large(_request: Request, _error: TooLargeError) -> JSONResponse:
        return JSONResponse({"error": "the request is too large"}, 413)

    @app.get("/docs", include_in_schema=False)
    def docs() -> HTMLResponse:
        return HTMLResponse((data_dir() / pages.FOLDER / "docs.html").read_text("utf-8"))

    return Guard(app, token, port, read_only=bench.read_only)
