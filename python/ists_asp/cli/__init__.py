"""The command line: arguments to calls, nothing else.

One module a command. Everything that takes long to import (clingo, Stanza, rich) is
imported by the functions that need it, so that ``--help`` answers at once.
"""

INTERRUPTED = 130  # the exit code after an interrupt, as shells have it
interrupted = 0  # the signal by which the command was interrupted while it worked
