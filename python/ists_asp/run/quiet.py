"""Imported by the process that makes workers: keeps it quiet if its parent has ended."""

import sys

_tell = sys.excepthook

sys.excepthook = lambda kind, fault, trace: (
    None if issubclass(kind, OSError | EOFError) else _tell(kind, fault, trace)
)
