"""The command line: arguments to calls, nothing else.

One module a command. Everything that takes long to import (clingo, Stanza, rich) is
imported by the functions that need it, so that ``--help`` answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ists_asp.cli.app import main

__all__ = ["main"]


def __getattr__(name: str) -> object:
    # Imported when asked for: whoever runs the command wants to hear Ctrl-C before that.
    if name == "main":
        from ists_asp.cli import app

        return app.main
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
