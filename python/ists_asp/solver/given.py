"""Facts on their way to a control object.

To add a fact takes Python longer than clingo takes to ground it. Where a predicate has many, clingo
fetches them itself, all at once: by a rule whose body calls a function.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clingo.ast import ASTType, parse_string

from ists_asp.syntax.ground import Atoms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clingo import Symbol
    from clingo.ast import AST

    from ists_asp.syntax.trees import Signature

FETCH = "____fetch"
"""The function that clingo calls: no rule has one of that name, see :mod:`.pairing`."""

_MANY = 10
"""Atoms of a predicate from which fetching them takes less time than adding them."""


class Given:
    """Facts, some of them ``added``, the others fetched by ``statements``.

    This object is the context in which clingo grounds. Where it fetches anything, clingo knows no
    functions of scripts.

    Args:
        facts: the facts of each predicate.
        added: facts to be added in any case.
    """

    def __init__(
        self, facts: Mapping[Signature, Sequence[Symbol]], added: Iterable[Symbol] = ()
    ) -> None:
        self.added: list[Symbol] = [*added]
        self._fetched: list[Sequence[Symbol]] = []
        self._rules: list[str] = []
        # Python would take a name with two underscores in a class for a private one.
        setattr(self, FETCH, self._fetch)
        for name, atoms in facts.items():
            if f"-{name.name}(" in Atoms.of(atoms).text:
                self.add(atoms)
            else:
                self.put(name, atoms)

    def add(self, atoms: Iterable[Symbol]) -> None:
        """Facts of any predicates."""
        self.added += atoms

    def put(self, name: Signature, atoms: Sequence[Symbol]) -> None:
        """The facts of a predicate, none of them negated."""
        if not name.arity or len(atoms) < _MANY:
            self.add(atoms)
            return
        variables = ",".join(f"A{number}" for number in range(name.arity))
        atom = f"{name.name}({variables})"
        self._rules.append(f"{atom} :- {atom} = @{FETCH}({len(self._fetched)}).")
        self._fetched.append(atoms)

    @cached_property
    def statements(self) -> Sequence[AST]:
        """Rules by which clingo fetches what is not added."""
        nodes: list[AST] = []
        parse_string("\n".join(self._rules), nodes.append)
        return [node for node in nodes if node.ast_type is not ASTType.Program]

    def _fetch(self, number: Symbol) -> Sequence[Symbol]:
        return self._fetched[number.number]
