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
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from clingo import Control, Function, Model, Number, Observer, Symbol

from ists_asp.errors import MOST
from ists_asp.rules import RuleSet
from ists_asp.solver.statements import Shapes, of_core
from ists_asp.vocabulary import ALIGNED, CHUNK, FREE, LABEL, SCORE, SPAN_CHUNK, Predicate

Chunk: TypeAlias = "tuple[Symbol, Symbol]"  # A sentence and one of its chunks, by their numbers
_FEW = 30  # possible alignments up to which the search needs no help
_SLACK = 1e-6  # largest value that counts as zero in the solution of a linear programme
_SURE = {predicate.signature for predicate in (ALIGNED, CHUNK, FREE, LABEL, SCORE, SPAN_CHUNK)}
_EQUI = Function("equi")
_BEST = Number(5)


@dataclass(frozen=True, slots=True)
class _Alignment:
    """A possible alignment: its chunks and, by priority, what it costs."""

    literals: tuple[tuple[int, ...], ...]  # of each tuple exactly one is true where it is chosen
    chunks: tuple[Chunk, ...]
    costs: Mapping[int, int]  # by priority


class Objective(Observer):
    """Watches a program being grounded and notes the weights of its objective."""

    def __init__(self) -> None:
        self._weights: dict[int, dict[int, int]] = {}

    def clear(self) -> None:
        """Forget a program, for another one to be watched."""
        self._weights.clear()
        self.__dict__.pop("largest", None)

    def minimize(self, priority: int, literals: Sequence[tuple[int, int]]) -> None:
        """Note a part of the objective; clingo calls this."""
        weights = self._weights.setdefault(priority, defaultdict(int))
        for literal, weight in literals:
            weights[literal] += weight

    @cached_property
    def largest(self) -> int:
        """The most that the weights of a priority can add up to, whatever their sign."""
        sums = (sum(map(abs, weights.values())) for weights in self._weights.values())
        return max(sums, default=0)

    def cost(self, model: Model) -> tuple[int, ...]:
        """The value of each priority, highest first: clingo tells only its last 32 bits."""
        if self.largest <= MOST:
            return tuple(model.cost)
        return tuple(
            sum(weight for literal, weight in weights.items() if model.is_true(literal))
            for weights in map(self._weights.__getitem__, model.priority)
        )


def objective_for(rules: RuleSet, shapes: Shapes) -> Callable[[], Objective]:
    """The class of objective for a program: with prices where they are sure to be right."""
    # That is so as long as nothing but the core encoding derives alignments, labels and scores.

    def is_priced() -> bool:
        return all(
            ours or _SURE.isdisjoint(shapes.of(node).derived)
            for node, ours in zip(rules.statements, of_core(rules), strict=True)
        )

    return DualValues if rules.memo.recall("prices", [], is_priced) else Objective


class DualValues(Objective):
    """Watches a program being grounded, then adds prices to its objective.

    They assume that an alignment has one label and one score, and that each chunk is aligned or
    free: :func:`objective_for` says whether that is sure.
    """

    def add_to(self, control: Control) -> None:
        """Add prices to the objective of the ground program, if it has many alignments."""
        possible = sum(1 for _ in control.symbolic_atoms.by_signature(*ALIGNED.signature))
        if possible <= _FEW or not 0 < self.largest <= MOST // 2:
            return
        # Below zero are the ties, one priority for each chunk.
        priorities = sorted((level for level in self._weights if level >= 0), reverse=True)
        alignments = self._alignments(control, priorities)
        remaining, covered = alignments, frozenset[Chunk]()
        for priority in priorities:
            prices = _prices(remaining, covered, priority)
            if prices is None:
                break
            self._charge(control, priority, prices, alignments)
            remaining = [
                alignment
                for alignment in remaining
                # Prices are rounded up, each by less than one.
                if alignment.costs[priority] + sum(map(prices.__getitem__, alignment.chunks))
                < len(alignment.chunks)
            ]
            covered |= {chunk for chunk, price in prices.items() if price}

    def _alignments(self, control: Control, priorities: Sequence[int]) -> list[_Alignment]:
        """The possible alignments, each with its best label and score."""
        # Users' spans may hold chunks that there are not, or not for sure: those have no price.
        sure = {
            tuple(atom.symbol.arguments)
            for atom in control.symbolic_atoms.by_signature(*CHUNK.signature)
            if atom.is_fact
        }
        chunks: dict[tuple[Symbol, Symbol], list[Chunk]] = defaultdict(list)
        for atom in control.symbolic_atoms.by_signature(*SPAN_CHUNK.signature):
            sentence, span, chunk = atom.symbol.arguments
            if (sentence, chunk) in sure:
                chunks[sentence, span].append((sentence, chunk))
        labels, scores = _choices(control, LABEL), _choices(control, SCORE)
        alignments = []
        for atom in control.symbolic_atoms.by_signature(*ALIGNED.signature):
            first, second = atom.symbol.arguments
            choices: list[tuple[int, ...]] = [
                (atom.literal, label, score)
                for name, label in labels[first, second]
                for number, score in scores[first, second]
                if (name == _EQUI) == (number == _BEST)
            ]
            costs = [
                tuple(
                    sum(self._weights[priority].get(literal, 0) for literal in choice)
                    for priority in priorities
                )
                for choice in choices or [(atom.literal,)]
            ]
            values = (labels[first, second], scores[first, second])
            literals = (tuple(literal for _, literal in choice) for choice in values)
            spanned = (*chunks[Number(1), first], *chunks[Number(2), second])
            cost = dict(zip(priorities, min(costs), strict=True))
            alignments.append(_Alignment(((atom.literal,), *literals), spanned, cost))
        return alignments

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
            tuple(atom.symbol.arguments): atom.literal
            for atom in control.symbolic_atoms.by_signature(*FREE.signature)
        }
        with control.backend() as backend:
            true = backend.add_atom()
            backend.add_rule([true])
            terms = [(true, -sum(prices.values()))]
            terms += [(free[chunk], price) for chunk, price in prices.items() if chunk in free]
            for alignment in alignments:
                total = sum(prices.get(chunk, 0) for chunk in alignment.chunks)
                # Where a literal has a weight, the price makes up for it.
                charged = (group for group in alignment.literals if weights.keys() & group)
                terms += [(literal, total) for literal in next(charged, alignment.literals[0])]
            backend.add_minimize(priority, [term for term in terms if term[1]])


def _choices(
    control: Control, predicate: Predicate
) -> dict[tuple[Symbol, Symbol], list[tuple[Symbol, int]]]:
    choices: dict[tuple[Symbol, Symbol], list[tuple[Symbol, int]]] = defaultdict(list)
    for atom in control.symbolic_atoms.by_signature(*predicate.signature):
        first, second, value = atom.symbol.arguments
        choices[first, second].append((value, atom.literal))
    return choices


def _prices(
    alignments: Sequence[_Alignment], covered: Set[Chunk], priority: int
) -> dict[Chunk, int] | None:
    """The price of each chunk; None if the linear programme has no solution."""
    # Taking a fifth of a second to load, and only long pairs need them.
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    chunks = sorted({chunk for alignment in alignments for chunk in alignment.chunks})
    if not chunks:
        return None
    rows = {chunk: row for row, chunk in enumerate(chunks)}
    entries = [
        (rows[chunk], column)
        for column, alignment in enumerate(alignments)
        for chunk in alignment.chunks
    ]
    ones, places = np.ones(len(entries)), tuple(zip(*entries, strict=True))
    uses = csr_array((ones, places), shape=(len(chunks), len(alignments)))
    exact = np.array([chunk in covered for chunk in chunks])
    solved = linprog(
        [alignment.costs[priority] for alignment in alignments],
        A_ub=uses[~exact],
        b_ub=np.ones((~exact).sum()),
        A_eq=uses[exact],
        b_eq=np.ones(exact.sum()),
        method="highs",
    )
    if not solved.success:
        return None
    duals = np.zeros(len(chunks))
    duals[~exact] = -solved.ineqlin.marginals
    duals[exact] = -solved.eqlin.marginals
    prices = np.ceil(duals - _SLACK).astype(int)
    return {chunk: int(price) for chunk, price in zip(chunks, prices, strict=True)}
