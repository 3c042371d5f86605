"""Pairs decided lazily, each with what it was made of."""

from __future__ import annotations

from itertools import tee
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from clingo import Symbol

    from ists_asp.model import Answer, Pair
    from ists_asp.solver import Solution, Solver
    from ists_asp.solver.kept import Keeping

S = TypeVar("S")
T = TypeVar("T")

Decided = tuple["Solution[Answer]", "Sequence[Symbol]"]
"""The solution of a pair, and the facts that it was found for."""


class Known(NamedTuple):
    """An answer, and the facts that it was found for."""

    answer: Answer
    facts: Sequence[Symbol]


def beside(items: Iterable[S], work: Callable[[Iterator[S]], Iterator[T]]) -> Iterator[tuple[T, S]]:
    """What a lazy function makes of items, in their order, each result beside its item."""
    given, again = tee(items)
    # The results come first: an error that work keeps until its place is raised there.
    return zip(work(given), again, strict=True)


def solutions(
    solver: Solver[Answer] | Keeping, items: Iterable[tuple[Pair, Sequence[Symbol]]]
) -> Iterator[Decided]:
    """Solve pairs with their facts, lazily and in their order.

    Raises:
        SolveError: there is no answer for a pair.
    """
    for solution, (_, facts) in beside(items, solver.solve_all):
        yield solution, facts
