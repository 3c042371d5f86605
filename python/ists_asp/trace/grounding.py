"""What the probes found, for one pair or for several at once."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Protocol

from ists_asp.errors import TraceError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Set

    from clingo import Control, Symbol, SymbolicAtom

    from ists_asp.trace.probes import Probe

__all__ = ["LATER", "Alone", "Grounding", "Shared"]

LATER = "later"
"""The part of a rewritten program that is grounded when somebody asks for it."""


class Grounding(Protocol):
    """The instances of probes and companions in one answer set."""

    def firings(self, probe: Probe) -> Iterable[list[Symbol]]:
        """The firings of a probe: head, positive atoms, negative atoms, values of variables."""

    def elements(self, companion: str) -> Mapping[Symbol, list[list[Symbol]]]:
        """What a companion found, by the values of the variables of its firing."""


class Alone:
    """The instances in a control object of one pair.

    Args:
        control: a ground rewritten program.
        early: the names of the companions that are not in :data:`LATER`.
    """

    def __init__(self, control: Control, early: Set[str]) -> None:
        self._control = control
        self._early = early
        self._later = True
        self._elements: dict[str, Mapping[Symbol, list[list[Symbol]]]] = {}

    def firings(self, probe: Probe) -> Iterator[list[Symbol]]:
        """See :class:`Grounding`."""
        for atom in self._control.symbolic_atoms.by_signature(probe.name, 4):
            yield _parts(atom, probe)

    def elements(self, companion: str) -> Mapping[Symbol, list[list[Symbol]]]:
        """See :class:`Grounding`."""
        if self._later and companion not in self._early:
            # Most traces are asked about some of their firings only, and some about none.
            self._control.ground([(LATER, [])])
            self._later = False
        if companion not in self._elements:
            found: dict[Symbol, list[list[Symbol]]] = defaultdict(list)
            for atom in self._control.symbolic_atoms.by_signature(companion, 4):
                parts = atom.symbol.arguments
                found[parts[3]].append(parts)
            self._elements[companion] = found
        return self._elements[companion]


class Shared:
    """The instances in a control object of several pairs, which have numbers.

    Args:
        control: a ground program, rewritten for several pairs.
        probes: its probes.
        prefix: what the names of probes begin with in it.
        early: the names of the companions that are not in :data:`LATER`.
    """

    def __init__(
        self, control: Control, probes: Iterable[Probe], prefix: str, early: Set[str]
    ) -> None:
        self._control = control
        self._prefix = prefix
        self._early = early
        self._later = True
        self._elements: dict[str, dict[int, dict[Symbol, list[list[Symbol]]]]] = {}
        self._firings: dict[int, dict[str, list[list[Symbol]]]] = defaultdict(dict)
        for probe in probes:
            for atom in control.symbolic_atoms.by_signature(prefix + probe.name, 5):
                number, *parts = _parts(atom, probe)
                self._firings[number.number].setdefault(probe.name, []).append(parts)

    def take(self, number: int) -> Grounding:
        """The instances of one pair; to be taken once."""
        return _Share(self, number, self._firings.pop(number, {}))

    def elements(self, companion: str, number: int) -> Mapping[Symbol, list[list[Symbol]]]:
        """What a companion found for a pair."""
        if self._later and companion not in self._early:
            self._control.ground([(LATER, [])])
            self._later = False
        if companion not in self._elements:
            found: dict[int, dict[Symbol, list[list[Symbol]]]] = {}
            for atom in self._control.symbolic_atoms.by_signature(self._prefix + companion, 5):
                pair, *parts = atom.symbol.arguments
                found.setdefault(pair.number, {}).setdefault(parts[3], []).append(parts)
            self._elements[companion] = found
        return self._elements[companion].get(number, {})


class _Share:
    def __init__(
        self, shared: Shared, number: int, firings: Mapping[str, list[list[Symbol]]]
    ) -> None:
        self._shared = shared
        self._number = number
        self._firings = firings

    def firings(self, probe: Probe) -> Iterable[list[Symbol]]:
        return self._firings.get(probe.name, ())

    def elements(self, companion: str) -> Mapping[Symbol, list[list[Symbol]]]:
        return self._shared.elements(companion, self._number)


def _parts(atom: SymbolicAtom, probe: Probe) -> list[Symbol]:
    if not atom.is_fact:
        raise TraceError(
            "clingo leaves open whether a rule fired",
            where=f"{probe.rule.file}:{probe.rule.line}",
            hint="Report this",
        )
    return atom.symbol.arguments
