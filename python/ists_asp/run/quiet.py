"""Imported by the process that makes workers, for whom it keeps quiet where nobody listens.

A worker that begins while its parent ends finds what it was to share with it gone.
"""

import sys

_tell = sys.excepthook

sys.excepthook = lambda kind, fault, trace: (
    None if issubclass(kind, OSError | EOFError) else _tell(kind, fault, trace)
)
