"""Prices of chunks: the same objective in a form whose optimum is easy to prove.

Where many spans compete for the same chunks, clingo's core-guided search may not end. The
linear programme that allows fractions of alignments gives each chunk a price: what being
aligned is worth to it. A chunk that stays free then costs its price, and an alignment costs
the prices of its chunks less what it weighs, which is never negative. As each chunk is in one
alignment or free, that adds the same to every answer, and it is taken off again: no answer
becomes better or worse, but most of what is left to minimise is zero for the best one.

The programme is solved for one priority after the other, each time for the alignments that
the priorities before leave in question (complementary slackness; for assignments see
H. W. Kuhn, "The Hungarian method for the assignment problem", 1955).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from clingo import Observer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from clingo import Control, Symbol

__all__ = ["Prices"]

Chunk: TypeAlias = "tuple[int, int]"
"""A sentence and the number of one of its chunks."""

_FEW = 30
"""Possible alignments up to which the search needs no help."""

_SLACK = 1e-6
"""What counts as zero in the solution of a linear programme."""


@dataclass(frozen=True, slots=True)
class _Alignment:
    """A possible alignment: its chunks and, by priority, what it costs.

    Of each tuple of ``literals`` exactly one is true where the alignment is chosen: its own,
    those of its labels, those of its scores.
    """

    literals: tuple[tuple[int, ...], ...]
    chunks: tuple[Chunk, ...]
    costs: Mapping[int, int]

    def reduced(self, priority: int, prices: Mapping[Chunk, int]) -> int:
        return self.costs[priority] + sum(prices[chunk] for chunk in self.chunks)


class Prices(Observer):
    """Watches a program being grounded, then adds prices to its objective."""

    def __init__(self) -> None:
        self._weights: dict[int, dict[int, int]] = {}

    def minimize(self, priority: int, literals: Sequence[tuple[int, int]]) -> None:
        """Note a part of the objective; clingo calls this."""
        weights = self._weights.setdefault(priority, defaultdict(int))
        for literal, weight in literals:
            weights[literal] += weight

    def add_to(self, control: Control) -> None:
        """Add prices to the objective of the ground program, if it has many alignments."""
        possible = sum(1 for _ in control.symbolic_atoms.by_signature("aligned", 2))
        if possible <= _FEW or not self._weights:
            return
        # Below zero are the ties, one priority for each chunk.
        priorities = sorted((each for each in self._weights if each >= 0), reverse=True)
        alignments = self._alignments(control, priorities)
        remaining, covered = alignments, frozenset[Chunk]()
        for priority in priorities:
            prices = _prices(remaining, covered, priority)
            if prices is None:
                break
            self._charge(control, priority, prices, alignments)
            remaining = [
                each
                for each in remaining
                # Prices are rounded up, each by less than one.
                if each.reduced(priority, prices) < len(each.chunks)
            ]
            covered |= {chunk for chunk, price in prices.items() if price}

    def _alignments(self, control: Control, priorities: Sequence[int]) -> list[_Alignment]:
        """The possible alignments, each with its best label and score."""
        chunks: dict[tuple[int, Symbol], list[Chunk]] = defaultdict(list)
        for atom in control.symbolic_atoms.by_signature("span_chunk", 3):
            sentence, span, chunk = atom.symbol.arguments
            chunks[sentence.number, span].append((sentence.number, chunk.number))
        labels, scores = _choices(control, "label"), _choices(control, "score")
        found = []
        for atom in control.symbolic_atoms.by_signature("aligned", 2):
            first, second = atom.symbol.arguments
            choices: list[tuple[int, ...]] = [
                (atom.literal, label, score)
                for name, label in labels[first, second]
                for number, score in scores[first, second]
                if (name.name == "equi") == (number.number == 5)
            ]
            costs = [
                tuple(
                    sum(self._weights[priority].get(literal, 0) for literal in choice)
                    for priority in priorities
                )
                for choice in choices or [(atom.literal,)]
            ]
            found.append(
                _Alignment(
                    (
                        (atom.literal,),
                        tuple(literal for _, literal in labels[first, second]),
                        tuple(literal for _, literal in scores[first, second]),
                    ),
                    (*chunks[1, first], *chunks[2, second]),
                    dict(zip(priorities, min(costs), strict=True)),
                )
            )
        return found

    def _charge(
        self,
        control: Control,
        priority: int,
        prices: Mapping[Chunk, int],
        alignments: Sequence[_Alignment],
    ) -> None:
        """Add prices to the objective, and take off their sum: all answers cost the same."""
        weights = self._weights[priority]
        free = {
            (atom.symbol.arguments[0].number, atom.symbol.arguments[1].number): atom.literal
            for atom in control.symbolic_atoms.by_signature("free", 2)
        }
        with control.backend() as backend:
            true = backend.add_atom()
            backend.add_rule([true])
            terms = [(true, -sum(prices.values()))]
            terms += [(free[chunk], price) for chunk, price in prices.items() if chunk in free]
            for each in alignments:
                total = sum(prices.get(chunk, 0) for chunk in each.chunks)
                # Where a literal has a weight, the price makes up for it.
                charged = [group for group in each.literals if not weights.keys().isdisjoint(group)]
                literals = charged[0] if charged else each.literals[0]
                terms += [(literal, total) for literal in literals]
            backend.add_minimize(priority, [term for term in terms if term[1]])


def _choices(control: Control, name: str) -> dict[tuple[Symbol, Symbol], list[tuple[Symbol, int]]]:
    """The values that may be chosen for each pair of spans, with their literals."""
    found: dict[tuple[Symbol, Symbol], list[tuple[Symbol, int]]] = defaultdict(list)
    for atom in control.symbolic_atoms.by_signature(name, 3):
        first, second, value = atom.symbol.arguments
        found[first, second].append((value, atom.literal))
    return found


def _prices(
    alignments: Sequence[_Alignment], covered: Set[Chunk], priority: int
) -> dict[Chunk, int] | None:
    """The price of each chunk; None if the linear programme has no solution.

    Args:
        alignments: those in question.
        covered: the chunks that the best answers align.
        priority: which costs count.
    """
    # Taking a fifth of a second to load, and only long pairs need them.
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    chunks = sorted({chunk for each in alignments for chunk in each.chunks})
    rows = {chunk: row for row, chunk in enumerate(chunks)}
    entries = [
        (rows[chunk], column) for column, each in enumerate(alignments) for chunk in each.chunks
    ]
    uses = csr_array(
        (np.ones(len(entries)), tuple(zip(*entries, strict=True))),
        shape=(len(chunks), len(alignments)),
    )
    exact = np.array([chunk in covered for chunk in chunks])
    solved = linprog(
        [each.costs[priority] for each in alignments],
        A_ub=uses[~exact] if (~exact).any() else None,
        b_ub=np.ones((~exact).sum()) if (~exact).any() else None,
        A_eq=uses[exact] if exact.any() else None,
        b_eq=np.ones(exact.sum()) if exact.any() else None,
        method="highs",
    )
    if not solved.success:
        return None
    duals = np.zeros(len(chunks))
    if (~exact).any():
        duals[~exact] = -solved.ineqlin.marginals
    if exact.any():
        duals[exact] = -solved.eqlin.marginals
    prices = np.ceil(duals - _SLACK).astype(int)
    return {chunk: int(price) for chunk, price in zip(chunks, prices, strict=True)}
