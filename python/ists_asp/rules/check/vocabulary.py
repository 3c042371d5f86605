"""The predicates that the machine documents: what rules may use, and what they are for."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING

from ists_asp.resources import asp_dir
from ists_asp.vocabulary import RENAMED

if TYPE_CHECKING:
    from collections.abc import Iterable

_DOCUMENTED = re.compile(
    r"^%\*!\s+(?P<name>[a-z_][A-Za-z0-9_']*)(?:\((?P<arguments>[^)]*)\))?", re.M
)

_Predicate = tuple[str, int]


@cache
def documented() -> frozenset[_Predicate]:
    """The predicates, name and number of arguments, that comments ``%*! p(X)`` in ``asp/`` tell.

    Raises:
        ResourceError: the installation lacks the encodings.
    """
    return frozenset(
        (match["name"], match["arguments"].count(",") + 1 if match["arguments"] else 0)
        for file in sorted(asp_dir().glob("*.lp"))
        for match in _DOCUMENTED.finditer(file.read_text("utf-8"))
    )


def suggestion(predicate: _Predicate, known: Iterable[_Predicate]) -> str:
    """What was probably meant by an unknown predicate, as a question; empty if nothing is near.

    Args:
        predicate: the unknown predicate.
        known: those to choose from, beside the documented ones.
    """
    name, arity = predicate
    if predicate in RENAMED:
        return f"It is called {RENAMED[predicate]}/{arity} now"
    arities: dict[str, set[int]] = {}
    for other, size in {*known, *documented()} - {predicate}:
        arities.setdefault(other, set()).add(size)
    if name in arities:
        sizes = " or ".join(f"{name}/{size}" for size in sorted(arities[name]))
        return f"Did you mean {sizes}? It has {arity} argument{'' if arity == 1 else 's'} here"
    near = get_close_matches(name, sorted(arities), n=3, cutoff=0.75)
    # Of names that are as near, one with as many arguments was meant.
    near.sort(key=lambda other: arity not in arities[other])
    if not near:
        return ""
    known_sizes = arities[near[0]]
    return f"Did you mean {near[0]}/{arity if arity in known_sizes else min(known_sizes)}?"
