"""The second grounding of one pair, and what the probes found in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from clingo import Control

from ists_asp.errors import TraceError
from ists_asp.solver.search import ground_statements
from ists_asp.syntax.ground import split, texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clingo.ast import AST

    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.instance import RuleInstance
    from ists_asp.trace.core.reified_rule import ElementRule, ReifiedRule

LATER = "later"
"""The part of a rewritten program that finds elements, grounded when somebody asks for them."""


class Grounding(Protocol):
    """The instances of probes, each a list of its arguments.

    Those of elements may be of other answers as well: their atoms are to be looked at.
    """

    def firings(self, probe: ReifiedRule) -> Iterable[Sequence[str]]:
        """The firings of a probe."""

    def knows(self, firing: RuleInstance) -> bool:
        """Whether the elements of a firing have been looked for."""

    def want(self, firings: Iterable[RuleInstance]) -> None:
        """Look for the elements of firings, which is faster for many of them at once."""

    def elements(self, firing: RuleInstance, probe: ElementRule) -> Iterable[Sequence[str]]:
        """The instances of an element of a firing that is known."""


class Alone:
    """The instances in a control object of one pair.

    Args:
        control: a rewritten program, ground over an answer set.
    """

    def __init__(self, control: Control) -> None:
        self._control = control
        self._later = True
        self._elements: dict[str, dict[str, list[Sequence[str]]]] = {}

    def firings(self, probe: ReifiedRule) -> Iterator[Sequence[str]]:
        """See :class:`Grounding`."""
        return (split(inside(atom)) for atom in _atoms(self._control, probe.name, probe.arity))

    def knows(self, firing: RuleInstance) -> bool:  # noqa: ARG002 (all are looked for at once)
        """See :class:`Grounding`."""
        return not self._later

    def want(self, firings: Iterable[RuleInstance]) -> None:
        """See :class:`Grounding`."""
        if any(firing.probe.companions for firing in firings) and self._later:
            # Most traces are asked about some of their firings only, and some about none.
            self._control.ground([(LATER, [])])
            self._later = False

    def elements(self, firing: RuleInstance, probe: ElementRule) -> Iterable[Sequence[str]]:
        """See :class:`Grounding`."""
        if probe.name not in self._elements:
            found = self._elements[probe.name] = {}
            for atom in _atoms(self._control, probe.name, probe.arity):
                parts = split(inside(atom))
                found.setdefault(",".join(parts[: probe.outer]), []).append(parts)
        return self._elements[probe.name].get(firing.instance, ())


def ground_probes(
    statements: Iterable[AST], text: str, facts: Iterable[str], arguments: Sequence[str]
) -> Control:
    """Ground rewritten rules over the atoms of an answer set; nothing is solved.

    Args:
        statements: rewritten rules; those of :data:`LATER` are left.
        text: more of them.
        facts: the atoms.
        arguments: clingo's command line arguments.

    Raises:
        TraceError: clingo cannot ground them, or leaves something open.
    """
    errors: list[str] = []
    control = Control(list(arguments), logger=lambda _code, text: errors.append(text))
    # Text takes clingo half the time of symbols.
    control.add("base", [], "".join(f"{fact}.\n" for fact in facts) + text)
    ground_statements(control, statements, errors, _untraced)
    return control


def _untraced(text: str) -> TraceError:
    return TraceError(f"the rules cannot be traced: {text}")


def _atoms(control: Control, name: str, arity: int) -> list[Ground]:
    """The atoms of a probe, all of them facts."""
    found = list(control.symbolic_atoms.by_signature(name, arity))
    if not all(atom.is_fact for atom in found):
        raise TraceError("clingo leaves open whether a rule fired", hint="Report this")
    return texts(atom.symbol for atom in found)


def inside(atom: Ground) -> str:
    """The arguments of an atom, as text."""
    return atom.partition("(")[2][:-1]
