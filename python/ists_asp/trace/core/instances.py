"""Which rules fired in an answer set: the second grounding, and what it says."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from clingo import SymbolType

from ists_asp.errors import TraceError
from ists_asp.syntax.changes import ANY, fill
from ists_asp.trace.core.derivation import levels
from ists_asp.trace.core.instance import Element, Group, RuleInstance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence, Set

    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.grounding import Grounding
    from ists_asp.trace.core.reified_rule import Companion, ReifiedRule
    from ists_asp.trace.core.strata import Strata


class RuleInstances:
    """All firings of a set of probes in one answer set.

    Args:
        probes: the probes.
        grounding: what they found.
        strata: the strata of the rule set.
        true: all atoms of the answer set.
        given: the atoms that need no reason: the facts of a pair.
    """

    def __init__(
        self,
        probes: Iterable[ReifiedRule],
        grounding: Grounding,
        strata: Strata,
        true: Set[Ground],
        given: Set[Ground],
    ) -> None:
        self._grounding = grounding
        self._strata = strata
        self._true = true
        self._given = given
        self.by_head: dict[Ground, list[RuleInstance]] = {}
        self.objective: list[RuleInstance] = []
        self.violated: list[RuleInstance] = []
        recursive: list[RuleInstance] = []
        by_head = self.by_head
        for probe in probes:
            kind = probe.kind
            if kind.derives:
                rests = probe.name in strata.recursive_probes
                for parts in grounding.firings(probe):
                    firing = RuleInstance(probe, parts)
                    by_head.setdefault(firing.head, []).append(firing)
                    if rests:
                        recursive.append(firing)
                continue
            for parts in grounding.firings(probe):
                firing = RuleInstance(probe, parts)
                if kind.forbids:
                    self.violated.append(firing)
                elif _is_weight(firing.head):
                    self.objective.append(firing)
        untrue = by_head.keys() - true
        if untrue:
            raise TraceError(
                f"{_some(untrue)} is derived, but not in the answer", hint="Report this"
            )
        self._levels: dict[Ground, int] = {}
        self._early: set[int] = set()
        self._negated: dict[str, bool] = {}
        self._elements: dict[tuple[RuleInstance, str], tuple[Element, ...]] = {}
        self._grounding.want(filter(self._rests_on_elements, recursive))
        self._order(recursive)

    def groups(self, firing: RuleInstance) -> tuple[Group, ...]:
        """The aggregates and conditional literals of a firing, in the order of its body."""
        if not firing.probe.companions:
            return ()
        values = firing.values
        found = []
        for companion in firing.probe.companions:
            elements = self._counted(companion, firing)
            found.append(Group(companion, fill(companion.text, values), elements))
        return tuple(found)

    def counted(self, firing: RuleInstance) -> Iterator[Ground]:
        """The atoms that hold in the aggregates and conditional literals of a firing."""
        for companion in firing.probe.companions:
            for element in self._counted(companion, firing):
                yield from element.positive

    def firings(self, atom: Ground) -> list[RuleInstance]:
        """The firings that derive an atom, the first in the order of derivation in front."""
        found = self.by_head.get(atom, [])
        return sorted(found, key=self._place) if len(found) > 1 else found

    def rank(self, atom: Ground) -> tuple[int, int]:
        """Where an atom stands in the order of derivation: stratum, and level within it."""
        if atom in self._given:
            return -1, 0
        return self._strata.stratum(atom), self._levels.get(atom, 0)

    def _place(self, firing: RuleInstance) -> tuple[object, ...]:
        """Where a firing stands among those that derive the same atom."""
        late = firing.head in self._levels and id(firing) not in self._early
        height = max(map(self.rank, firing.positive), default=(-1, 0))
        return late, height, firing.probe.rule.line, firing.probe.name, firing.instance

    def _counted(self, companion: Companion, firing: RuleInstance) -> tuple[Element, ...]:
        key = firing, companion.elements[0].name if companion.elements else ""
        if key not in self._elements:
            if not self._grounding.knows(firing):
                # Whoever asks for what no decision rests on asks for more of that.
                self._grounding.want(chain([firing], *self.by_head.values(), self.objective))
            self._elements[key] = tuple(
                filter(
                    self._holds,
                    (
                        Element(probe, parts)
                        for probe in companion.elements
                        for parts in sorted(self._grounding.elements(firing, probe), key=list)
                    ),
                )
            )
        return self._elements[key]

    def _holds(self, element: Element) -> bool:
        """Whether what an element needs is in the answer."""
        return (
            all(atom in self._true for atom in element.positive)
            and all(map(self._is_true, element.double))
            and not any(map(self._is_true, element.negative))
        )

    def _is_true(self, atom: Ground) -> bool:
        if ANY not in atom:
            return atom in self._true
        if atom not in self._negated:
            begin = atom.partition(ANY)[0]
            alike = (other for other in self._true if other.startswith(begin))
            self._negated[atom] = any(_matches(atom, other) for other in alike)
        return self._negated[atom]

    def _order(self, firings: Sequence[RuleInstance]) -> None:
        """Find an order in which the atoms of predicates that rest on themselves are derived."""
        heads = [firing.head for firing in firings]
        self._levels, early = levels(heads, [self._needed(firing) for firing in firings])
        self._early = {id(firings[number]) for number in early}
        for firing in firings:
            if firing.head not in self._levels and firing.head not in self._given:
                rule = firing.probe.rule
                raise TraceError(
                    f"{firing.head} has no derivation that does not rest on itself",
                    where=f"{rule.file}:{rule.line}",
                    expected="no recursion through aggregates or disjunctions",
                )

    def _rests_on_elements(self, firing: RuleInstance) -> bool:
        """Whether an aggregate or a condition has atoms of the stratum of the head."""
        names = self._strata.recursive_companions
        return any(element.name in names for element in firing.probe.elements)

    def _needed(self, firing: RuleInstance) -> set[Ground]:
        """The atoms of the same stratum that must be derived before a firing derives its head."""
        places = self._strata.recursive_places[firing.probe.name]
        positive = firing.positive if places else ()
        atoms = [positive[place] for place in places]
        if self._rests_on_elements(firing):
            for companion in firing.probe.companions:
                if companion.supports:
                    for element in self._counted(companion, firing):
                        atoms += element.positive
        if not atoms:
            return set()
        stratum = self._strata.stratum(firing.head)
        return {
            atom
            for atom in atoms
            if atom not in self._given and self._strata.stratum(atom) == stratum
        }


def _matches(pattern: Ground, atom: Ground) -> bool:
    """Whether an atom is one of those that a pattern with :data:`ANY` in it stands for."""
    if pattern == ANY or ANY not in pattern:
        return pattern in (ANY, atom)
    mine, theirs = pattern.arguments, atom.arguments
    return (
        (pattern.name, pattern.positive) == (atom.name, atom.positive)
        and len(mine) == len(theirs)
        and all(map(_matches, mine, theirs))
    )


def _is_weight(head: Ground) -> bool:
    weight, priority, _ = head.arguments
    return SymbolType.Number is weight.type is priority.type


def _some(atoms: Iterable[Ground]) -> str:
    return min(atoms)
