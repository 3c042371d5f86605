"""The command line: arguments to calls, nothing else.

One module a command. Everything that takes long to import (clingo, Stanza, rich) is
imported by the functions that need it, so that ``--help`` answers at once.
"""

from ists_asp.cli.app import main, run

__all__ = ["main", "run"]
