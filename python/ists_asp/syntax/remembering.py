"""What was worked out about syntax trees, kept as long as the process has use for it."""

from __future__ import annotations

import atexit
from functools import wraps
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST = 1 << 13
"""Objects that are remembered: some programs have a thousand statements."""

_Thing = TypeVar("_Thing")
_Result = TypeVar("_Result")
_Options = ParamSpec("_Options")


def remembered_by_identity(
    work: Callable[Concatenate[_Thing, _Options], _Result],
) -> Callable[Concatenate[_Thing, _Options], _Result]:
    """Work something out once about an object and options that can be hashed.

    Objects are told apart by identity: clingo takes two statements of different places for
    equal, and comparing them takes time. Files are parsed once in a process, so that rule sets
    that differ in one file share the statements of all others.
    """
    known: dict[object, tuple[_Thing, _Result]] = {}
    # At the very end of a process clingo is gone before its syntax trees.
    atexit.register(known.clear)

    @wraps(work)
    def recall(thing: _Thing, /, *args: _Options.args, **kwargs: _Options.kwargs) -> _Result:
        key = id(thing), args, *kwargs.items()
        found = known.get(key)
        if found is None:
            if len(known) >= _MOST:
                known.clear()
            # The object is kept, too, so that no other gets its identity.
            known[key] = found = thing, work(thing, *args, **kwargs)
        return found[1]

    return recall
