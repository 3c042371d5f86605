"""The facts of a batch, on their way to clingo.

To add a fact to a control object takes Python longer than clingo takes to ground it. What a pair
has hundreds of, clingo fetches itself, all at once: by a rule whose body calls a function.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clingo.ast import parse_string

from ists_asp.solver.pairing import OWN, PREFIX
from ists_asp.syntax.ground import symbols
from ists_asp.vocabulary import IN_CONTEXT, STATIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clingo import Symbol
    from clingo.ast import AST

__all__ = ["MANY", "Given"]

MANY = {
    predicate.name: predicate.arity
    for vectors in (STATIC, IN_CONTEXT)
    for predicate in (vectors.near, vectors.product, vectors.norm)
}
"""The predicates that clingo fetches, with their arguments."""

_FETCH = f"{OWN}fetch"


class Given:
    """Facts of pairs, each of which has the number of its pair as its first argument."""

    def __init__(self) -> None:
        self._added: list[str] = []
        self._fetched: dict[str, list[str]] = {}
        # A name that no rule has, as it begins like those that are ours.
        setattr(self, _FETCH, self._fetch)

    def add(self, atom: str) -> None:
        """An atom to be added."""
        self._added.append(atom)

    def fetch(self, name: str, arguments: str) -> None:
        """An atom to be fetched: its predicate without the prefix, and its arguments."""
        self._fetched.setdefault(name, []).append(arguments)

    @property
    def facts(self) -> Sequence[Symbol]:
        """The atoms to be added."""
        return symbols(self._added)

    @property
    def statements(self) -> Sequence[AST]:
        """Rules by which clingo fetches the rest from this object."""
        nodes: list[AST] = []
        parse_string("\n".join(map(_rule, self._fetched)), nodes.append)
        return nodes[1:]

    def _fetch(self, name: Symbol) -> Sequence[Symbol]:
        return symbols(self._fetched[name.name])


def _rule(name: str) -> str:
    arguments = ",".join(f"A{number}" for number in range(1 + MANY[name]))
    return f"{PREFIX}{name}({arguments}) :- ({arguments}) = @{_FETCH}({name})."
