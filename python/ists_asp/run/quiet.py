"""Imported by the process that makes workers, for whom it keeps quiet where nobody listens.

A worker that begins while its parent ends finds what it was to share with it gone.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

_tell = sys.excepthook


def _hook(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
    """Tell of a fault, unless it is that the parent has gone."""
    if not isinstance(fault, OSError | EOFError):
        _tell(kind, fault, trace)


sys.excepthook = _hook
