"""Which rules fired in an answer set: the second grounding, and what it says.

Symbols of clingo are costly to take apart, so that a firing reads its parts when asked.
"""

from __future__ import annotations

from collections import defaultdict, deque
from functools import cached_property
from typing import TYPE_CHECKING

from clingo import Control, SymbolType
from clingo.ast import ProgramBuilder

from ists_asp.errors import TraceError
from ists_asp.trace.symbols import arguments, text
from ists_asp.trace.terms import fill

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from clingo import Symbol
    from clingo.ast import AST

    from ists_asp.trace.grounding import Grounding
    from ists_asp.trace.probes import Companion, Probe
    from ists_asp.trace.strata import Strata

__all__ = ["Element", "Firing", "Firings", "Group", "ground_probes"]


class Element:
    """What an aggregate counted, or an instance of a condition: tuple and atoms."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Sequence[Symbol]) -> None:
        self._parts = parts

    @property
    def terms(self) -> tuple[Symbol, ...]:
        """The tuple; empty for conditions."""
        return arguments(self._parts[0])

    @property
    def positive(self) -> tuple[Symbol, ...]:
        """The atoms that hold."""
        return arguments(self._parts[1])

    @property
    def negative(self) -> tuple[Symbol, ...]:
        """The negated atoms; ``__any`` in them stands for anything."""
        return arguments(self._parts[2])


class Group:
    """An aggregate, or a conditional literal, of a firing with its elements."""

    __slots__ = ("companion", "elements", "text")

    def __init__(self, companion: Companion, text: str, elements: tuple[Element, ...]) -> None:
        self.companion = companion
        self.text = text
        self.elements = elements


class Firing:
    """A rule with values for its variables, whose body holds.

    ``head`` is the atom that it derives; for an objective the term
    ``(weight,priority,(tuple))``.
    """

    def __init__(self, probe: Probe, parts: Sequence[Symbol]) -> None:
        self.probe = probe
        self._parts = parts
        self.head = parts[0]

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Firing) and self.key == other.key

    @property
    def key(self) -> tuple[str, Symbol, Symbol]:
        """Identifies the firing: a fact may stand for several atoms."""
        return self.probe.name, self.head, self._parts[3]

    @property
    def instance(self) -> Symbol:
        """The tuple of the values of the rule's variables."""
        return self._parts[3]

    @cached_property
    def positive(self) -> Sequence[Symbol]:
        """The positive atoms of the body, in its order."""
        return arguments(self._parts[1])

    @property
    def negative(self) -> Sequence[Symbol]:
        """The atoms under ``not``; ``__any`` in them stands for anything."""
        atoms = arguments(self._parts[2])
        return atoms[: len(atoms) - self.probe.double]

    @property
    def double(self) -> Sequence[Symbol]:
        """The atoms under ``not not``."""
        atoms = arguments(self._parts[2])
        return atoms[len(atoms) - self.probe.double :]

    @cached_property
    def values(self) -> dict[str, Symbol]:
        """The values of the rule's variables."""
        return dict(zip(self.probe.variables, arguments(self._parts[3]), strict=True))

    @property
    def comparisons(self) -> tuple[str, ...]:
        """The comparisons of the body with their values."""
        values = self.values
        return tuple(fill(text, values) for text in self.probe.comparisons)


def ground_probes(
    statements: Iterable[AST], text: str, facts: Iterable[Symbol], arguments: Sequence[str]
) -> Control:
    """Ground rewritten rules over the atoms of an answer set; nothing is solved.

    Args:
        statements: rewritten rules; those of :data:`~ists_asp.trace.grounding.LATER` are left.
        text: more of them.
        facts: the atoms.
        arguments: clingo's command line arguments.

    Raises:
        TraceError: clingo cannot ground them, or leaves something open.
    """
    errors: list[str] = []
    control = Control(list(arguments), logger=lambda _code, text: errors.append(text))
    with control.backend() as backend:
        for symbol in facts:
            backend.add_rule([backend.add_atom(symbol)])
    with ProgramBuilder(control) as builder:
        for node in statements:
            builder.add(node)
    # Unless it is said again, text goes where the last statement went.
    control.add("base", [], f"#program base.\n{text}")
    try:
        control.ground([("base", [])])
    except RuntimeError as error:
        text = errors[-1] if errors else str(error)
        raise TraceError(f"the rules cannot be traced: {' '.join(text.split())}") from None
    return control


class Firings:
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
        probes: Iterable[Probe],
        grounding: Grounding,
        strata: Strata,
        true: Set[Symbol],
        given: Set[Symbol],
    ) -> None:
        self._grounding = grounding
        self._strata = strata
        self._given = given
        self.by_head: dict[Symbol, list[Firing]] = {}
        self.objective: list[Firing] = []
        self.forbidding: list[Firing] = []
        recursive: list[Firing] = []
        by_head = self.by_head
        for probe in probes:
            kind = probe.kind
            if kind.derives:
                rests = probe.name in strata.recursive_probes
                for parts in grounding.firings(probe):
                    firing = Firing(probe, parts)
                    by_head.setdefault(firing.head, []).append(firing)
                    if rests:
                        recursive.append(firing)
                continue
            for parts in grounding.firings(probe):
                firing = Firing(probe, parts)
                if kind.forbids:
                    self.forbidding.append(firing)
                elif _is_weight(firing.head):
                    self.objective.append(firing)
        untrue = by_head.keys() - true
        if untrue:
            raise TraceError(
                f"{_some(untrue)} is derived, but not in the answer", hint="Report this"
            )
        self._levels: dict[Symbol, int] = {}
        self._early: set[int] = set()
        self._order(recursive)

    def groups(self, firing: Firing) -> tuple[Group, ...]:
        """The aggregates and conditional literals of a firing, in the order of its body."""
        if not firing.probe.companions:
            return ()
        values = firing.values
        found = []
        for companion in firing.probe.companions:
            elements = self._elements(companion, firing)
            found.append(Group(companion, fill(companion.text, values), elements))
        return tuple(found)

    def firings(self, atom: Symbol) -> list[Firing]:
        """The firings that derive an atom, the first in the order of derivation in front."""
        found = self.by_head.get(atom, [])
        return sorted(found, key=self._place) if len(found) > 1 else found

    def rank(self, atom: Symbol) -> tuple[int, int]:
        """Where an atom stands in the order of derivation: stratum, and level within it."""
        if atom in self._given:
            return -1, 0
        return self._strata.stratum(atom), self._levels.get(atom, 0)

    def _place(self, firing: Firing) -> tuple[object, ...]:
        """Where a firing stands among those that derive the same atom."""
        late = firing.head in self._levels and id(firing) not in self._early
        height = max(map(self.rank, firing.positive), default=(-1, 0))
        return late, height, firing.probe.rule.line, firing.probe.name, text(firing.instance)

    def _elements(self, companion: Companion, firing: Firing) -> tuple[Element, ...]:
        found = self._grounding.elements(companion.name).get(firing.instance, ())
        return tuple(map(Element, sorted(found)))

    def _order(self, firings: Sequence[Firing]) -> None:
        """Find an order in which the atoms of predicates that rest on themselves are derived."""
        waiting: dict[Symbol, list[int]] = defaultdict(list)
        missing = [0] * len(firings)
        heights = [0] * len(firings)
        ready: deque[int] = deque()
        derived: set[Symbol] = set()
        for number, firing in enumerate(firings):
            needed = self._needed(firing)
            missing[number] = len(needed)
            for atom in needed:
                waiting[atom].append(number)
            if not needed:
                ready.append(number)
        while ready:
            number = ready.popleft()
            firing = firings[number]
            # What is ready comes in the order of its height.
            level = heights[number] + 1
            known = self._levels.setdefault(firing.head, level)
            if level == known:
                self._early.add(id(firing))
            if firing.head in derived:
                continue
            derived.add(firing.head)
            for other in waiting.get(firing.head, ()):
                missing[other] -= 1
                heights[other] = max(heights[other], level)
                if not missing[other]:
                    ready.append(other)
        for firing in firings:
            if firing.head not in self._levels and firing.head not in self._given:
                rule = firing.probe.rule
                raise TraceError(
                    f"{firing.head} has no derivation that does not rest on itself",
                    where=f"{rule.file}:{rule.line}",
                    expected="no recursion through aggregates or disjunctions",
                )

    def _needed(self, firing: Firing) -> set[Symbol]:
        """The atoms of the same stratum that must be derived before a firing derives its head."""
        places = self._strata.recursive_places[firing.probe.name]
        positive = firing.positive if places else ()
        atoms = [positive[place] for place in places]
        for companion in firing.probe.companions:
            if companion.supports and companion.name in self._strata.recursive_companions:
                for element in self._elements(companion, firing):
                    atoms += element.positive
        if not atoms:
            return set()
        stratum = self._strata.stratum(firing.head)
        return {
            atom
            for atom in atoms
            if atom not in self._given and self._strata.stratum(atom) == stratum
        }


def _is_weight(head: Symbol) -> bool:
    weight, priority, _ = head.arguments
    return SymbolType.Number is weight.type is priority.type


def _some(atoms: Iterable[Symbol]) -> str:
    return str(min(atoms))
