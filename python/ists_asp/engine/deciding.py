"""Pairs decided and rated lazily, each with what it was made of."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, tee
from typing import TYPE_CHECKING, TypeVar

from ists_asp.engine.rating import Known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from clingo import Symbol

    from ists_asp.engine.rating import Rater
    from ists_asp.model import Answer, Pair
    from ists_asp.solver import Solution, Solver
    from ists_asp.solver.kept import Keeping

__all__ = ["Decided", "beside", "rated", "solutions"]

S = TypeVar("S")
T = TypeVar("T")

Decided = tuple["Solution[Answer]", "Sequence[Symbol]"]
"""The solution of a pair, and the facts that it was found for."""


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


def rated(decided: Iterable[Decided], rater: Rater) -> Iterator[Solution[Answer]]:
    """Rate all answers of solutions, lazily and in their order; the times grow accordingly.

    Raises:
        RuleError: the rules do not rate an answer.
        SolveError: there is no answer for a pair, or none with a rating.
    """
    given, again = tee(decided)
    ratings = rater.rate_all(
        Known(answer, facts) for solution, facts in given for answer in solution.answers
    )
    for first in ratings:
        solution, _ = next(again)
        found = [first, *islice(ratings, len(solution.answers) - 1)]
        yield replace(
            solution,
            answers=tuple(
                replace(answer, rating=one.rating)
                for answer, one in zip(solution.answers, found, strict=True)
            ),
            grounding=solution.grounding + sum(one.grounding for one in found),
            solving=solution.solving + sum(one.solving for one in found),
        )
