"""``ists-asp serve``: a project folder in, pages for the browser out."""

from __future__ import annotations

import errno
import os
import re
import secrets
import socket
import threading
import webbrowser
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import click
from platformdirs import user_state_path

from ists_asp.cli import options
from ists_asp.cli.console import error, note
from ists_asp.cli.files import READ, command
from ists_asp.errors import IstsError, ResourceError, UsageError

if TYPE_CHECKING:
    from ists_asp.engine import Setup

ADDRESS = "127.0.0.1"
_PORTS = range(20000, 32000)  # below the ephemeral ports of systems


@command("""
  ists-asp serve my-project
  ists-asp serve my-project --port 8080 --no-browser
  ists-asp serve my-project --new-token
  ists-asp serve my-project --profile headlines --read-only
  ists-asp serve new-project --open bus-accident.json
  ists-asp serve my-project --second her-project/corrections
""")
@click.argument("folder", type=READ, default="ists-project")
@options.option(
    "--open FILE",
    "Begin a new project with the pair and rules of a file saved by Share on the Try page.",
    name="sent",
    type=READ,
)
@options.option(
    "--second DIR",
    "Corrections of a second annotator. The Correct page compares them with yours, so that you can "
    "settle disagreements.",
    type=READ,
)
@options.with_setup
@options.option(
    "--profile NAME",
    "Profile for the kind of text; see ists-asp profiles.  [default: the project's]",
    default="",
)
@options.reader_option(None)
@options.cache_option
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Local port; 0: any free one.  [default: the folder's own]",
)
@options.option("--new-token", "Replace the folder's token: earlier addresses stop working.")
@options.option("--no-browser", "Only print the URL.")
@options.option("--read-only", "Allow no changes, for demonstrations.")
@options.quiet_option
def serve(
    folder: Path,
    sent: Path | None,
    second: Path | None,
    setup: Setup,
    port: int | None,
    new_token: bool,
    no_browser: bool,
    read_only: bool,
    quiet: bool,
) -> None:
    """Edit rules and words in the browser and see their effects at once.

    In: a project folder; a missing one is created with samples. rules/ holds your rule files and
    word tables, corpora/ pairs with or without gold.

    Out: pages at a local URL, which is printed with its access token, and your changes in the
    folder. Port and token stay the same for a folder, so that bookmarks keep working; the token
    lies in your state folder, not in the project. Ctrl-C stops the server.
    """
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        hint = "Install the extra: pip install 'ists-asp[serve]'"
        raise ResourceError("the workbench needs FastAPI and uvicorn", hint=hint)
    from ists_asp.workbench.desk import Desks
    from ists_asp.workbench.project import Project, Shared

    shared = Shared.read(sent) if sent else None
    profile = setup.profile or (shared.project if shared else None)
    rules = shared.rules if shared else None
    project = Project(folder, profile, note, read_only=read_only, rules=rules, second=second)
    project.lock()
    name = sha256(os.fsencode(project.root)).hexdigest()
    listening = _listening(name, port)
    port = listening.getsockname()[1]
    token = _token(name, new=new_token, save=not read_only)
    page = "/?"
    if shared:
        query = {"1": shared.sent1, "2": shared.sent2, "profile": shared.profile}
        page = f"/try?{urlencode(query, errors='replace')}&"
    address = f"http://{ADDRESS}:{port}{page}token={token}"
    with Desks(project, replace(setup, incremental=False)) as desks:
        # Workers begin before any thread does.
        desks.begin()
        from ists_asp.workbench.app import make_app, run
        from ists_asp.workbench.desk import Bench

        bench = Bench(project, desks)
        app = make_app(bench, token, port, error)

        def ready() -> None:
            if not quiet:
                note(f"{project.root}: profile {project.profile}; Ctrl-C ends")
            click.echo(address)
            if not no_browser and not webbrowser.open(address):
                note("there is no browser to open: open the address yourself")
            with suppress(IstsError):
                # Faulty rules are reported on the pages.
                desks.desk().warm()

        def end() -> None:
            # Questions that wait for a worker end at once.
            desks.close()
            bench.closing.close()

        with bench.closing:
            # Who comes before the server is ready waits.
            threading.Thread(target=ready, daemon=True).start()
            run(app, listening, end, error)


def _listening(name: str, port: int | None) -> socket.socket:
    """A socket at a port of this machine: the one given, or that of a folder of this name.

    Where the folder's is taken, it is any that is free. A UsageError where the one given is taken,
    or nobody may listen.
    """
    default = _PORTS[int(name[:8], 16) % len(_PORTS)]
    try:
        return socket.create_server((ADDRESS, default if port is None else port))
    except OSError as fault:
        in_use = fault.errno == errno.EADDRINUSE
        if in_use and port is None:
            note(f"port {default} of this folder is taken: another one is used this time")
            return _listening(name, 0)
        found = f"port {port} is taken" if in_use else f"port {port or default}: {fault.strerror}"
        hint = "Choose another one, or leave --port out"
        raise UsageError(found, where="--port", hint=hint) from None


def _token(name: str, *, new: bool, save: bool) -> str:
    """The token of a folder of this name, kept in the user's state folder if that can be."""
    file = user_state_path("ists-asp", appauthor=False) / "serve" / name
    with suppress(OSError, UnicodeError):
        if not new and re.fullmatch(r"[\w-]{32}", token := file.read_text("ascii")):
            return token
    token = secrets.token_urlsafe(24)
    if save:
        with suppress(OSError):
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.unlink(missing_ok=True)
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
                out.write(token)
    return token
