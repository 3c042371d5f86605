"""The application: pages, routes, static files, and errors as one line of JSON.

Pages are shells that the server fills with what is there, and that scripts bring to life.
"""

from __future__ import annotations

import mimetypes
from functools import partial

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from ists_asp._version import __version__
from ists_asp.errors import IstsError
from ists_asp.resources import data_dir, template
from ists_asp.rules import list_profiles, load_profile
from ists_asp.run.pool import SupersededError
from ists_asp.terminal import visible
from ists_asp.workbench import api, corrections, effects, learning, report, rules, words
from ists_asp.workbench.bench import Bench, ReadOnlyError
from ists_asp.workbench.project import ConflictError
from ists_asp.workbench.security import Guard

VIEWS = ("try", "words", "rules", "effects", "correct", "learn", "report")
"""The views, in the order of the work."""

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
    folder, project = data_dir() / "workbench", bench.project
    mimetypes.add_type("text/javascript", ".js")
    app.mount("/static", StaticFiles(directory=folder / "static"))
    app.mount("/shared", StaticFiles(directory=data_dir() / "report"))
    for view in (api, rules, words, effects, corrections, learning, report):
        app.include_router(view.router(bench))

    def page(view: str, request: Request) -> HTMLResponse:
        text = template("workbench", f"{view}.html").render(
            view=view,
            views=VIEWS,
            nonce=request.state.nonce,
            folder=project.root.name,
            profile=project.profile,
            profiles={name: load_profile(name) for name in list_profiles()},
            corpora=project.corpora(),
            read_only=bench.read_only,
        )
        return HTMLResponse(text)

    for name in VIEWS:
        app.add_route(f"/{name}", partial(page, name))
    app.add_route("/", lambda _request: RedirectResponse("/try"))
    app.add_route("/docs", lambda _request: FileResponse(folder / "docs.html"))

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

    @app.exception_handler(HTTPException)
    def refused(_request: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": str(error.detail)}, error.status_code)

    return Guard(app, token, port)
