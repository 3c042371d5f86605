"""What must be derived before what: the strata of a rule set's predicates.

Where a predicate does not depend on itself, every derivation of its atoms rests on lower
strata and none can lead in a circle; only atoms of the other predicates need an order of
their own. Predicates are told apart by their first argument's function as well, since
``feature(link(..),..)`` rests on ``feature(pair(..),..)``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from clingo import SymbolType
from clingo.ast import AST, ASTType, Sign

from ists_asp.syntax.changes import PREFIX, is_atom
from ists_asp.syntax.ground import MEMORY
from ists_asp.syntax.remembering import remembered_by_identity
from ists_asp.syntax.trees import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from clingo import Symbol

    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.reified_rule import ReifiedRule


class Node(NamedTuple):
    """A predicate, and the function of its first argument (empty where it may be any)."""

    name: str
    arity: int
    function: str


class Strata:
    """The strata of the predicates of a rule set.

    Args:
        probes: all probes of the rule set.
    """

    def __init__(self, probes: Sequence[ReifiedRule]) -> None:
        heads: dict[str, Node] = {}
        bodies: dict[str, set[Node]] = {}
        for probe in probes:
            # A fact rests on nothing, and its predicate is known from the rules if there are any.
            if probe.head is not None and not probe.text:
                heads[probe.name] = _node(probe.head.atom.symbol)
                bodies[probe.name] = set(_rests_on(probe))
        whole = {(node.name, node.arity) for node in heads.values() if not node.function}
        self._whole = whole
        self._found = lru_cache(MEMORY)(self._find)
        refined: dict[tuple[str, int], set[Node]] = {}
        for node in heads.values():
            refined.setdefault((node.name, node.arity), set()).add(self._coarse(node))
        edges: dict[Node, set[Node]] = {}
        for name, head in heads.items():
            below = edges.setdefault(self._coarse(head), set())
            for node in bodies[name]:
                below |= self._meant(node, refined)
        order = list(_components(edges))
        self._stratum = {node: index for index, part in enumerate(order) for node in part}
        recursive = {
            node for part in order for node in part if len(part) > 1 or node in edges.get(node, ())
        }
        self.recursive_companions = frozenset(
            element.name
            for probe in probes
            if probe.name in heads and self._coarse(heads[probe.name]) in recursive
            for element in probe.elements
            if any(
                self._stratum.get(node) == self._stratum[self._coarse(heads[probe.name])]
                for used in _positive([element.statement])
                for node in self._meant(used, refined)
            )
        )
        self.recursive_places = {
            probe.name: tuple(
                place
                for place, used in enumerate(_atoms(probe))
                if any(
                    self._stratum.get(node) == self._stratum[self._coarse(heads[probe.name])]
                    for node in self._meant(used, refined)
                )
            )
            for probe in probes
            if probe.name in heads
        }
        self.recursive_probes = frozenset(
            name for name, head in heads.items() if self._coarse(head) in recursive
        )

    @property
    def kept(self) -> dict[str, object]:
        """The strata as whatever JSON can write, for :meth:`recalled`."""
        return {
            "whole": sorted(self._whole),
            "strata": [(*node, number) for node, number in self._stratum.items()],
            "companions": sorted(self.recursive_companions),
            "places": self.recursive_places,
            "probes": sorted(self.recursive_probes),
        }

    @classmethod
    def recalled(cls, kept: Any) -> Strata:  # noqa: ANN401 (whatever JSON can write)
        """The strata that were kept."""
        found = cls.__new__(cls)
        found._whole = {(name, arity) for name, arity in kept["whole"]}
        found._found = lru_cache(MEMORY)(found._find)
        found._stratum = {Node(*node): number for *node, number in kept["strata"]}
        found.recursive_companions = frozenset(kept["companions"])
        found.recursive_places = {name: tuple(each) for name, each in kept["places"].items()}
        found.recursive_probes = frozenset(kept["probes"])
        return found

    def stratum(self, atom: Ground) -> int:
        """The number of an atom's stratum; it rests on the same or on lower ones. -1: input."""
        return self._found(atom)

    def _find(self, atom: Ground) -> int:
        return self._stratum.get(self._coarse(_ground_node(atom)), -1)

    def _coarse(self, node: Node) -> Node:
        if node.function and (node.name, node.arity) in self._whole:
            return node._replace(function="")
        return node

    def _meant(self, node: Node, refined: Mapping[tuple[str, int], set[Node]]) -> set[Node]:
        if node.function:
            return {self._coarse(node)}
        return refined.get((node.name, node.arity), set())


def _node(term: AST) -> Node:
    sign = ""
    while term.ast_type is ASTType.UnaryOperation:
        term, sign = term.argument, "-"
    return Node(sign + term.name, len(term.arguments), _function(term.arguments))


def _function(arguments: Iterable[AST]) -> str:
    for first in arguments:
        if first.ast_type is ASTType.Function:
            # A name without arguments may be a #const, and anything then.
            return f"{first.name}/{len(first.arguments)}" if first.arguments else ""
        if first.ast_type is ASTType.SymbolicTerm:
            return "" if first.symbol.type is SymbolType.Function else _kind(first.symbol)
        break
    return ""


def _kind(symbol: Symbol | Ground) -> str:
    if symbol.type is SymbolType.Function:
        return f"{symbol.name}/{len(symbol.arguments)}"
    return str(symbol.type)


def _ground_node(atom: Ground) -> Node:
    arguments = atom.arguments
    sign = "" if atom.positive else "-"
    return Node(sign + atom.name, len(arguments), _kind(arguments[0]) if arguments else "")


def _statements(probe: ReifiedRule) -> Iterator[AST]:
    if probe.statement is not None:
        yield probe.statement
    for element in probe.elements:
        yield element.statement


def _positive(statements: Iterable[AST]) -> Iterator[Node]:
    """The predicates of the positive atoms in bodies, those of aggregates included."""
    for statement in statements:
        for part in statement.body:
            for node in walk(part):
                if (
                    node.ast_type is ASTType.Literal
                    and node.sign == Sign.NoSign
                    and node.atom.ast_type is ASTType.SymbolicAtom
                ):
                    found = _node(node.atom.symbol)
                    if not found.name.startswith(PREFIX):
                        yield found


@remembered_by_identity
def _rests_on(probe: ReifiedRule) -> frozenset[Node]:
    return frozenset(_positive(_statements(probe)))


@remembered_by_identity
def _atoms(probe: ReifiedRule) -> tuple[Node, ...]:
    """The predicates of the positive literals of its body."""
    found = (part.atom.symbol for part in probe.body if is_atom(part, Sign.NoSign))
    return tuple(map(_node, found))


def _components(edges: Mapping[Node, Set[Node]]) -> Iterator[list[Node]]:
    """Strongly connected components, those that others rest on first."""
    # Imported here: whoever only asks for help or an answer need not wait for it.
    from networkx import DiGraph, strongly_connected_components

    graph: DiGraph[Node] = DiGraph()
    # Sorted: the order of sets, and so the numbers of strata, would change from run to run.
    graph.add_nodes_from(sorted(edges))
    graph.add_edges_from((node, below) for node in sorted(edges) for below in sorted(edges[node]))
    return map(sorted, strongly_connected_components(graph))
