"""The pages: shells that the server fills with what is there, and that scripts bring to life."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ists_asp._version import __version__
from ists_asp.resources import data_dir
from ists_asp.rules import list_profiles, load_profile

if TYPE_CHECKING:
    from ists_asp.workbench.bench import Bench

FOLDER = "workbench"

VIEWS = {
    "try": "Try",
    "words": "Words",
    "rules": "Rules",
    "effects": "Effects",
    "correct": "Correct",
    "learn": "Learn",
    "report": "Report",
}
"""The views, in the order of the work, and what they are called."""


@cache
def _environment() -> Environment:
    # A misspelt name in a template is an error; everything is escaped but what is marked safe.
    return Environment(
        loader=FileSystemLoader(data_dir() / FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


def router(bench: Bench) -> APIRouter:
    """The routes of the pages."""
    routes = APIRouter(include_in_schema=False)

    def page(view: str, request: Request) -> HTMLResponse:
        project = bench.project
        return HTMLResponse(
            _environment()
            .get_template(f"{view}.html")
            .render(
                view=view,
                views=VIEWS,
                title=VIEWS[view],
                nonce=request.state.nonce,
                version=__version__,
                folder=project.root.name,
                profile=project.profile,
                profiles={name: load_profile(name) for name in list_profiles()},
                corpora=project.corpora(),
                read_only=bench.read_only,
            )
        )

    @routes.get("/")
    def start() -> RedirectResponse:
        return RedirectResponse("/try")

    for view in VIEWS:
        routes.add_route(f"/{view}", partial(page, view))
    return routes
