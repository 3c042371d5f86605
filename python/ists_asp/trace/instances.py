"""Which rules fired in an answer set, in which order, and what their aggregates counted."""

from __future__ import annotations

from collections import defaultdict, deque
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from clingo import SymbolType

from ists_asp.errors import TraceError
from ists_asp.syntax.changes import ANY, fill
from ists_asp.trace.grounding import Element, Grounding, Group, RuleInstance
from ists_asp.trace.probes import Companion, Kind, Probe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.strata import Strata


class RuleInstances:
    """All firings of a set of probes in one answer set, of which all atoms are ``true``.

    Those that are ``given``, the facts of a pair, need no reason. ``number`` is that of the pair,
    of those that were decided together.
    """

    def __init__(
        self,
        probes: Iterable[Probe],
        grounding: Grounding,
        strata: Strata,
        true: Set[Ground],
        given: Set[Ground],
        number: int = 0,
    ) -> None:
        self.grounding = grounding
        self._strata = strata
        self._true = true
        self._given = given
        self.by_head: dict[Ground, list[RuleInstance]] = {}
        self.objective: list[RuleInstance] = []
        self.violated: list[RuleInstance] = []
        recursive: list[RuleInstance] = []
        for probe in probes:
            found = [
                RuleInstance(probe, parts, number) for parts in grounding.firings(number, probe)
            ]
            if probe.kind.derives:
                for firing in found:
                    self.by_head.setdefault(firing.head, []).append(firing)
                if probe.name in strata.recursive_probes:
                    recursive += found
            elif probe.kind is Kind.OBJECTIVE:
                self.objective += filter(_is_weighed, found)
            else:
                self.violated += found
        untrue = self.by_head.keys() - true
        if untrue:
            raise TraceError(f"{min(untrue)} is derived, but not in the answer", hint="Report this")
        self._levels: dict[Ground, int] = {}
        self._early: set[int] = set()
        self._negated: dict[str, bool] = {}
        self._elements: dict[tuple[RuleInstance, int], tuple[Element, ...]] = {}
        self.grounding.want(filter(self._rests_on_elements, recursive))
        self._order(recursive)

    @property
    def deriving(self) -> Iterator[RuleInstance]:
        """The firings that derive an atom."""
        return chain.from_iterable(self.by_head.values())

    @cached_property
    def by_rule(self) -> Mapping[str, Sequence[RuleInstance]]:
        """The firings that derive atoms or count in the objective, by the names of their rules."""
        found: dict[str, list[RuleInstance]] = defaultdict(list)
        for firing in chain(self.deriving, self.objective):
            found[firing.probe.rule.name].append(firing)
        return found

    def groups(self, firing: RuleInstance) -> tuple[Group, ...]:
        """The aggregates and conditional literals of a firing, in the order of its body."""
        return tuple(
            Group(companion, fill(companion.text, firing.values), self._counted(companion, firing))
            for companion in firing.probe.companions
        )

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
        values = ",".join(firing.parts[: len(firing.probe.variables)])
        return late, height, firing.probe.rule.line, firing.probe.name, values

    def _counted(self, companion: Companion, firing: RuleInstance) -> tuple[Element, ...]:
        key = firing, id(companion)
        if key not in self._elements:
            if not self.grounding.knows(firing):
                # Whoever asks for what no decision rests on asks for more of that.
                self.grounding.want(chain([firing], self.deriving, self.objective))
            found = (
                Element(probe, parts)
                for probe in companion.elements
                for parts in sorted(self.grounding.elements(firing, probe), key=list)
            )
            self._elements[key] = tuple(filter(self._holds, found))
        return self._elements[key]

    def _holds(self, element: Element) -> bool:
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
            self._negated[atom] = any(agrees(atom, other) for other in alike)
        return self._negated[atom]

    def _order(self, firings: Sequence[RuleInstance]) -> None:
        """Derive atoms that rest on others of their stratum as early as can be (Kahn, 1962).

        A firing derives its head once what it needs has been derived, at a level above that.
        """
        needed = [self._needed(firing) for firing in firings]
        heights = [0] * len(firings)
        waiting: dict[Ground, list[int]] = defaultdict(list)
        for number, atoms in enumerate(needed):
            for atom in atoms:
                waiting[atom].append(number)
        ready = deque(number for number, atoms in enumerate(needed) if not atoms)
        while ready:
            # What is ready comes in the order of its height.
            number = ready.popleft()
            head, level = firings[number].head, heights[number] + 1
            is_new = head not in self._levels
            if self._levels.setdefault(head, level) == level:
                self._early.add(id(firings[number]))
            for other in waiting[head] if is_new else ():
                needed[other].discard(head)
                heights[other] = max(heights[other], level)
                if not needed[other]:
                    ready.append(other)
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
        names = self._strata.recursive_elements
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
        stratum = self._strata.stratum(firing.head) if atoms else -1
        return {
            atom
            for atom in atoms
            if atom not in self._given and self._strata.stratum(atom) == stratum
        }


def agrees(pattern: Ground, atom: Ground) -> bool:
    """Whether an atom is one of those that a pattern with :data:`ANY` in it stands for."""
    if pattern == ANY or ANY not in pattern:
        return pattern in (ANY, atom)
    mine, theirs = pattern.arguments, atom.arguments
    return (
        (pattern.name, pattern.positive) == (atom.name, atom.positive)
        and len(mine) == len(theirs)
        and all(map(agrees, mine, theirs))
    )


def _is_weighed(firing: RuleInstance) -> bool:
    weight, priority, _ = firing.head.arguments
    return SymbolType.Number is weight.type is priority.type
