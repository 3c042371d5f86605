"""What must be derived before what: the strata of a rule set's predicates.

Where a predicate does not depend on itself, every derivation of its atoms rests on lower
strata and none can lead in a circle; only atoms of the other predicates need an order of
their own. Predicates are told apart by their first argument's function as well, since
``feature(link(..),..)`` rests on ``feature(pair(..),..)``.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from clingo import Symbol, SymbolType
from clingo.ast import AST, ASTType, Sign

from ists_asp.syntax.changes import PREFIX, is_atom
from ists_asp.syntax.ground import MEMORY, Ground
from ists_asp.syntax.trees import functions, parse, remembered_by_identity, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence, Set

    from ists_asp.trace.probes import Probe


class Strata(msgspec.Struct, dict=True):
    """The strata of the predicates of a rule set.

    ``numbers`` are by the texts of nodes. Probes and elements that rest on atoms of the stratum
    of the head are in ``recursive_probes`` and ``recursive_elements``; ``recursive_places`` has
    which positive atoms of a probe's body these are.
    """

    numbers: dict[str, int]
    recursive_probes: frozenset[str]
    recursive_elements: frozenset[str]
    recursive_places: dict[str, tuple[int, ...]]

    @cached_property
    def stratum(self) -> Callable[[Ground], int]:
        """The number of an atom's stratum; it rests on the same or on lower ones. -1: input."""
        return lru_cache(MEMORY)(self._find)

    def _find(self, atom: Ground) -> int:
        arguments = atom.arguments
        sign = "" if atom.positive else "-"
        function = _kind(arguments[0]) if arguments else ""
        node = _Node(sign + atom.name, len(arguments), function)
        # A predicate is either told apart by functions or not.
        whole = node._replace(function="")
        return self.numbers.get(node.text, self.numbers.get(whole.text, -1))


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
    rules = [probe for probe in probes if probe.head is not None and not probe.is_fact]
    heads = {probe.name: _node(probe.head.atom.symbol) for probe in rules if probe.head}
    whole = {(node.name, node.arity) for node in heads.values() if not node.function}

    def coarse(node: _Node) -> _Node:
        is_whole = node.function and (node.name, node.arity) in whole
        return node._replace(function="") if is_whole else node

    heads = {name: coarse(node) for name, node in heads.items()}
    refined: dict[tuple[str, int], set[_Node]] = {}
    for node in heads.values():
        refined.setdefault((node.name, node.arity), set()).add(node)

    def meant(node: _Node) -> set[_Node]:
        return {coarse(node)} if node.function else refined.get((node.name, node.arity), set())

    edges: dict[_Node, set[_Node]] = {}
    for probe in rules:
        below = edges.setdefault(heads[probe.name], set())
        for node in _rests_on(probe):
            below |= meant(node)
    order = list(_components(edges))
    numbers = {node: index for index, part in enumerate(order) for node in part}
    recursive = {
        node for part in order for node in part if len(part) > 1 or node in edges.get(node, ())
    }

    def is_level(used: _Node, head: _Node) -> bool:
        """Whether an atom of a body is of the stratum of the head."""
        return any(numbers.get(node) == numbers[head] for node in meant(used))

    return Strata(
        {node.text: number for node, number in numbers.items()},
        frozenset(name for name, head in heads.items() if head in recursive),
        frozenset(
            element.name
            for probe in rules
            if (head := heads[probe.name]) in recursive
            for element in probe.elements
            if any(is_level(used, head) for used in _positive(element.statement))
        ),
        {
            probe.name: tuple(
                place
                for place, used in enumerate(_atoms(probe))
                if is_level(used, heads[probe.name])
            )
            for probe in rules
        },
    )


def _node(term: AST) -> _Node:
    sign = "-" if term.ast_type is ASTType.UnaryOperation else ""
    (term,) = functions(term)
    return _Node(sign + term.name, len(term.arguments), _function(term.arguments))


def _function(arguments: Sequence[AST]) -> str:
    if not arguments:
        return ""
    first = arguments[0]
    if first.ast_type is ASTType.Function and first.arguments:
        # A name without arguments may be a #const, and anything.
        return f"{first.name}/{len(first.arguments)}"
    is_value = first.ast_type is ASTType.SymbolicTerm
    return _kind(first.symbol) if is_value and first.symbol.type is not SymbolType.Function else ""


def _kind(symbol: Symbol | Ground) -> str:
    is_function = symbol.type is SymbolType.Function
    return f"{symbol.name}/{len(symbol.arguments)}" if is_function else str(symbol.type)


def _positive(text: str) -> Iterator[_Node]:
    """The predicates of the positive atoms in bodies, those of aggregates included."""
    for statement in parse(text):
        for part in statement.body:
            for node in walk(part):
                if is_atom(node, Sign.NoSign):
                    found = _node(node.atom.symbol)
                    if not found.name.startswith(PREFIX):
                        yield found


@remembered_by_identity
def _rests_on(probe: Probe) -> frozenset[_Node]:
    texts = (probe.statement, *(element.statement for element in probe.elements))
    return frozenset(_positive("\n".join(texts)))


@remembered_by_identity
def _atoms(probe: Probe) -> tuple[_Node, ...]:
    """The predicates of the positive literals of its body."""
    found = (part.atom.symbol for part in probe.body if is_atom(part, Sign.NoSign))
    return tuple(map(_node, found))


def _components(edges: Mapping[_Node, Set[_Node]]) -> Iterator[list[_Node]]:
    """Strongly connected components, those that others rest on first."""
    # Imported here: whoever only asks for help or an answer need not wait for it.
    from networkx import DiGraph, strongly_connected_components

    graph: DiGraph[_Node] = DiGraph()
    # Sorted: the order of sets, and so the numbers of strata, would change from run to run.
    graph.add_nodes_from(sorted(edges))
    graph.add_edges_from((node, below) for node in sorted(edges) for below in sorted(edges[node]))
    return map(sorted, strongly_connected_components(graph))
