"""Which rules fired in an answer set, in which order, and what their aggregates counted.

What must be derived before what is told by the strata of a rule set's predicates. Where a
predicate does not depend on itself, every derivation of its atoms rests on lower strata and none
can lead in a circle; only atoms of the other predicates need an order of their own. Predicates are
told apart by their first argument's function as well, since ``feature(link(..),..)`` rests on
``feature(pair(..),..)``.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from itertools import chain
from typing import NamedTuple

import msgspec
from clingo import SymbolType

from ists_asp.errors import TraceError
from ists_asp.syntax import trees
from ists_asp.syntax.ground import MEMORY, Ground, split
from ists_asp.syntax.terms import agree, parsed, reread
from ists_asp.syntax.trees import ANY, PREFIX, fill
from ists_asp.trace.grounding import Element, Grounding, Group, RuleInstance
from ists_asp.trace.probes import Companion, ElementRule, Kind, Probe


class Strata(msgspec.Struct, dict=True):
    """The strata of the predicates of a rule set."""

    numbers: dict[str, int]  # by the texts of nodes
    recursive_probes: frozenset[str]  # rest on atoms of the head's stratum
    recursive_elements: frozenset[str]  # the same of elements
    recursive_places: dict[str, tuple[int, ...]]  # which positive atoms of a probe's body these are

    @cached_property
    def stratum(self) -> Callable[[Ground], int]:
        """The number of an atom's stratum; it rests on the same or on lower ones. -1: input."""
        return lru_cache(MEMORY)(self._find)

    def _find(self, atom: Ground) -> int:
        arguments = atom.arguments
        function = _kind(arguments[0]) if arguments else ""
        node = _Node(atom.partition("(")[0], len(arguments), function)
        # A predicate is either told apart by functions or not.
        return self.numbers.get(node.text, self.numbers.get(node._replace(function="").text, -1))


class _Node(NamedTuple):
    """A predicate, and the function of its first argument (empty where it may be any)."""

    name: str
    arity: int
    function: str

    @property
    def text(self) -> str:
        return f"{self.name}/{self.arity} {self.function}"


def find_strata(probes: Sequence[Probe]) -> Strata:
    """The strata of all probes of a rule set."""
    # A fact rests on nothing, and its predicate is known from the rules if there are any.
    rules = [probe for probe in probes if probe.kind.derives and not probe.is_fact]
    heads = {probe.name: _own(probe)[0] for probe in rules}
    whole = {node[:2] for node in heads.values() if not node.function}

    def coarse(node: _Node) -> _Node:
        return node._replace(function="") if node[:2] in whole else node

    heads = {name: coarse(node) for name, node in heads.items()}
    refined: dict[tuple[str, int], set[_Node]] = defaultdict(set)
    for node in heads.values():
        refined[node[:2]].add(node)

    def meant(node: _Node) -> set[_Node]:
        return {coarse(node)} if node.function else refined.get(node[:2], set())

    edges: dict[_Node, set[_Node]] = defaultdict(set)
    for probe in rules:
        edges[heads[probe.name]].update(*map(meant, _rests_on(probe)))
    order = list(_components(edges))
    numbers = {node: index for index, part in enumerate(order) for node in part}
    recursive = {node for part in order for node in part if len(part) > 1 or node in edges[node]}

    def level(probe: Probe, body: Iterable[_Node]) -> tuple[int, ...]:
        """The places of those atoms of a body that are of the stratum of the head."""
        stratum = numbers[heads[probe.name]]
        strata = [{numbers.get(used) for used in meant(node)} for node in body]
        return tuple(place for place, levels in enumerate(strata) if stratum in levels)

    looping = [probe for probe in rules if heads[probe.name] in recursive]
    elements = ((probe, element) for probe in looping for element in probe.elements)
    return Strata(
        {node.text: number for node, number in numbers.items()},
        frozenset(probe.name for probe in looping),
        frozenset(part.name for probe, part in elements if level(probe, _rests_on(part))),
        {probe.name: level(probe, _own(probe)[1]) for probe in rules},
    )


def _nodes(atom: trees.AtomWord) -> Iterator[_Node]:
    """The predicates of one of the words of atoms: several in a pool."""
    for inside in split(atom[3] or "", ";") or ("",):
        arguments = split(inside)
        first = arguments[0] if arguments else ""
        parts, kind = trees.function(first), ""
        # A name without arguments may be a #const, and anything.
        if parts and parts[1]:
            kind = f"{parts[0]}/{len(parts[1])}"
        elif not parts and first and trees.is_symbol(first) and not first.isidentifier():
            kind = _kind(Ground(first))
        yield _Node(atom[1] + atom[2], len(arguments), kind)


def _kind(symbol: Ground) -> str:
    is_function = symbol.type is SymbolType.Function
    return f"{symbol.name}/{len(symbol.arguments)}" if is_function else str(symbol.type)


@trees.cached_by_identity
def _rests_on(probe: Probe | ElementRule) -> frozenset[_Node]:
    """The predicates of the positive atoms in the body, those of aggregates included."""
    words = trees.words(probe.statement)
    atoms = ((words[n - 1], atom) for n, atom, _ in trees.words_of_atoms(words) if n)
    nodes = (node for before, atom in atoms if before != "not" for node in _nodes(atom))
    own = frozenset(node for node in nodes if not node.name.startswith(PREFIX))
    return own.union(*map(_rests_on, getattr(probe, "elements", ())))


@trees.cached_by_identity
def _own(probe: Probe) -> tuple[_Node, tuple[_Node, ...]]:
    """The predicate that a probe derives, and those of its body's positive literals."""
    words = trees.words(probe.own)
    (_, head, _), *body = trees.words_of_atoms(words)
    (node,) = _nodes(head)
    return node, tuple(node for _, atom, alone in body if alone for node in _nodes(atom))


def _components(edges: Mapping[_Node, Set[_Node]]) -> Iterator[list[_Node]]:
    """Strongly connected components, those that others rest on first (Gabow 2000)."""
    numbers: dict[_Node, int] = {}
    below: dict[_Node, Iterator[_Node]] = {}
    unfinished, roots, finished = list[_Node](), list[_Node](), set[_Node]()
    # Sorted: the order of sets, and so the numbers of strata, would change from run to run.
    for start in sorted(edges):
        path = [start]
        while path:
            node = path[-1]
            if node not in numbers:
                numbers[node] = len(numbers)
                below[node] = iter(sorted(edges.get(node, ())))
                unfinished.append(node)
                roots.append(node)
            for other in below[node]:
                if other not in numbers:
                    path.append(other)
                    break
                while other not in finished and numbers[roots[-1]] > numbers[other]:
                    roots.pop()
            else:
                path.pop()
                if roots and roots[-1] == node:
                    place = unfinished.index(roots.pop())
                    finished.update(unfinished[place:])
                    yield sorted(unfinished[place:])
                    del unfinished[place:]


class RuleInstances:
    """All firings of probes for a pair in one answer set, of which all atoms are ``true``."""

    def __init__(
        self,
        probes: Iterable[Probe],
        grounding: Grounding,
        strata: Strata,
        true: Set[Ground],
        facts: Set[Ground],
        number: int = 0,
    ) -> None:
        self.grounding, self._strata, self._true, self._given = grounding, strata, true, facts
        self.by_head: dict[Ground, list[RuleInstance]] = {}
        self.objective: list[RuleInstance] = []
        self.violated: list[RuleInstance] = []
        recursive: list[RuleInstance] = []
        for probe in probes:
            values = grounding.firings(number, probe)
            firings = [RuleInstance(probe, parts, number) for parts in values]
            if probe.kind.derives:
                for firing in firings:
                    self.by_head.setdefault(firing.head, []).append(firing)
                if probe.name in strata.recursive_probes:
                    recursive += firings
            elif probe.kind is Kind.OBJECTIVE:
                # Elements without numbers do not count.
                self.objective += (
                    firing
                    for firing in firings
                    if all(term.type is SymbolType.Number for term in firing.head.arguments[:2])
                )
            else:
                self.violated += firings
        if untrue := self.by_head.keys() - true:
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
        by_rule: dict[str, list[RuleInstance]] = defaultdict(list)
        for firing in chain(self.deriving, self.objective):
            by_rule[firing.probe.rule.name].append(firing)
        return by_rule

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
        firings = self.by_head.get(atom, [])
        return sorted(firings, key=self._place) if len(firings) > 1 else firings

    def rank(self, atom: Ground) -> tuple[int, int]:
        """Where an atom stands in the order of derivation: stratum, and level within it."""
        if atom in self._given:
            return -1, 0
        return self._strata.stratum(atom), self._levels.get(atom, 0)

    def _place(self, firing: RuleInstance) -> tuple[object, ...]:
        late = firing.head in self._levels and id(firing) not in self._early
        height = max(map(self.rank, firing.positive), default=(-1, 0))
        values = ",".join(firing.parts[: len(firing.probe.variables)])
        return late, height, firing.probe.rule.line, firing.probe.name, values

    def _counted(self, companion: Companion, firing: RuleInstance) -> tuple[Element, ...]:
        key = firing, id(companion)
        if key not in self._elements:
            if not self.grounding.knows(firing):
                # A request beyond what decisions rest on is followed by more of them.
                self.grounding.want(chain([firing], self.deriving, self.objective))
            elements = (
                Element(probe, parts)
                for probe in companion.elements
                for parts in sorted(self.grounding.elements(firing, probe), key=list)
            )
            self._elements[key] = tuple(filter(self._holds, elements))
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
        """Derive atoms that rest on others of their stratum as early as can be (Kahn, 1962)."""
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
                found = f"{firing.head} has no derivation that does not rest on itself"
                where = f"{firing.probe.rule.file}:{firing.probe.rule.line}"
                expected = "no recursion through aggregates or disjunctions"
                raise TraceError(found, where=where, expected=expected)

    def _rests_on_elements(self, firing: RuleInstance) -> bool:
        """Whether an aggregate or a condition has atoms of the stratum of the head."""
        names = self._strata.recursive_elements
        return any(element.name in names for element in firing.probe.elements)

    def _needed(self, firing: RuleInstance) -> set[Ground]:
        """The atoms of the same stratum that must be derived before a firing derives its head."""
        places = self._strata.recursive_places[firing.probe.name]
        atoms = [firing.positive[place] for place in places]
        if self._rests_on_elements(firing):
            for companion in firing.probe.companions:
                for element in self._counted(companion, firing) if companion.supports else ():
                    atoms += element.positive
        stratum = self._strata.stratum(firing.head) if atoms else -1
        return {
            atom
            for atom in atoms
            if atom not in self._given and self._strata.stratum(atom) == stratum
        }


def agrees(pattern: Ground, atom: Ground) -> bool:
    """Whether an atom is one of those that a pattern with :data:`ANY` in it stands for."""
    return agree(reread(pattern, frozenset({ANY})), parsed(atom))
