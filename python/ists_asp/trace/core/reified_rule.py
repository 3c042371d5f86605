"""What finds the firings of a rule: grounded over an answer set, it says which of them fired.

A rule ``h :- b`` becomes a *probe* ``__f(variables) :- b``, from whose instances the atoms of
``h`` and ``b`` are put together. What an aggregate counted and what a condition ranged over is
found by *companions*, which join a probe's firings with the elements.
:mod:`ists_asp.trace.core.rewriting` makes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clingo.ast import AST

    from ists_asp.rules import NamedRule
    from ists_asp.trace.core.shapes import Shape


class Kind(StrEnum):
    """What a probe looks for."""

    RULE = "rule"
    CHOICE = "choice"
    DISJUNCTION = "disjunction"
    CONSTRAINT = "constraint"
    BOUND = "bound"
    OBJECTIVE = "objective"

    @property
    def derives(self) -> bool:
        """Whether a firing is a reason for an atom."""
        return self in (Kind.RULE, Kind.CHOICE, Kind.DISJUNCTION)

    @property
    def forbids(self) -> bool:
        """Whether a firing contradicts the answer set."""
        return self in (Kind.CONSTRAINT, Kind.BOUND)


@dataclass(frozen=True, slots=True)
class ElementRule:
    """Finds the instances of one element, or of one condition.

    ``name(variables of the firing, others)`` holds for each; there are ``arity`` arguments,
    ``outer`` of them of the firing, from which ``terms``, the tuple, and the atoms are put
    together. The first literal in the body of the ``statement`` is the firing.
    """

    name: str
    arity: int
    outer: int
    terms: tuple[Shape, ...]
    positive: tuple[Shape, ...]
    negative: tuple[Shape, ...]
    double: tuple[Shape, ...]
    statement: AST


@dataclass(frozen=True, slots=True)
class Companion:
    """Finds the elements of an aggregate, or the instances of a conditional literal.

    ``text`` is the literal as written, ``function`` the aggregate's (``#sum``), empty for a
    condition, and ``supports`` whether the firing needs the elements' atoms to be derived
    before it.
    """

    elements: tuple[ElementRule, ...]
    text: str
    function: str
    supports: bool


@dataclass(frozen=True, slots=True)
class ReifiedRule:
    """A rule, or one element of its head, as a statement that finds its firings.

    ``name(variables, evaluated terms)`` holds for each firing; there are ``arity`` arguments,
    from which ``derived`` and the atoms of the body are put together. What an objective
    derives is ``(weight,priority,(tuple))``, a constraint ``0``. ``head`` and ``body`` are the
    rule's own literals, names given to what has none. A fact has a ``text`` instead of a
    ``statement``: there are many, and text takes clingo less time.
    """

    rule: NamedRule
    kind: Kind
    name: str
    variables: tuple[str, ...]
    arity: int
    derived: Shape
    positive: tuple[Shape, ...]
    negative: tuple[Shape, ...]
    double: tuple[Shape, ...]
    comparisons: tuple[str, ...]
    companions: tuple[Companion, ...]
    head: AST | None
    body: tuple[AST, ...]
    statement: AST | None
    text: str = ""

    @property
    def elements(self) -> Iterator[ElementRule]:
        """What finds the elements of its aggregates and conditions."""
        return (element for companion in self.companions for element in companion.elements)
