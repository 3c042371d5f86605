"""Imported by the process that makes workers: no threads, and quiet if its parent has ended."""

import os
import sys

# Of numpy, which is imported later.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
_tell = sys.excepthook

sys.excepthook = lambda kind, fault, trace: (
    None if issubclass(kind, OSError | EOFError) else _tell(kind, fault, trace)
)
