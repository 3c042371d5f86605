"""A pair's best answer set, and the ground program to look for others in.

The ground program is the pair's own, or one of several pairs that were solved together:
then all decisions about the others are kept while another answer of this pair is looked for.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clingo import Configuration

from ists_asp.solver.search import last_model

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clingo import Control, Symbol

    from ists_asp.solver.program import Program
    from ists_asp.solver.search import Found
    from ists_asp.solver.together import Together

__all__ = ["Best", "Other"]

Other = tuple[dict[int, int], frozenset["Symbol"]]
"""Another answer set: the value of each priority, and the atoms that were looked at."""

_CHOSEN = (("boundary", 2), ("aligned", 2), ("label", 3), ("score", 3))
"""What is kept of other pairs: all else follows from it, or is of no weight."""


class Best:
    """The best answer set of a pair with all its atoms.

    Args:
        found: the answer set, with all its atoms if it was found for this pair alone.
        program: what was grounded for the pair, and which facts hold for every pair.
        ground: grounds it for this pair alone.
        together: what several pairs share, if they were solved together.
        number: the number of this pair among them.
    """

    def __init__(
        self,
        found: Found,
        program: Program,
        ground: Callable[[], Control],
        together: Together | None = None,
        number: int = 0,
    ) -> None:
        self.found = found
        self.program = program
        self.together = together
        self.number = number
        self._ground = ground

    @cached_property
    def control(self) -> Control:
        """The ground program of this pair alone."""
        return self._ground()

    @cached_property
    def atoms(self) -> Mapping[str, Sequence[Symbol]]:
        """The atoms by name, without the facts of the program."""
        if self.together is not None:
            return self.together.shares[self.number].atoms
        atoms: dict[str, list[Symbol]] = {}
        for atom in frozenset(self.found.true).difference(self.program.facts):
            atoms.setdefault(atom.name, []).append(atom)
        return atoms

    def undecided(self, name: str, arity: int) -> Mapping[Symbol, int]:
        """The atoms of a predicate that the solver decides, with their literals."""
        if self.together is not None:
            return self.together.undecided(name, arity)[self.number]
        return {
            atom.symbol: atom.literal
            for atom in self.control.symbolic_atoms.by_signature(name, arity)
            if not atom.is_fact
        }

    def other(
        self, assumptions: Sequence[int], looked_at: Mapping[Symbol, int], time_limit: float
    ) -> Other | None:
        """Find the best answer set in which literals are true; None if there is none.

        So many should be given that branch and bound looks at the rest in no time.

        Args:
            assumptions: the literals.
            looked_at: the atoms that are wanted, with their literals.
            time_limit: seconds after which the best so far is good enough.
        """
        together = self.together
        control = self.control if together is None else together.control
        others = () if together is None else together.others(self.number, _CHOSEN)
        solver = control.configuration.solver
        assert isinstance(solver, Configuration)
        solver.opt_strategy = "bb"
        found = last_model(
            control,
            time_limit,
            lambda model: (
                dict(zip(model.priority, model.cost, strict=True)),
                frozenset(
                    symbol for symbol, literal in looked_at.items() if model.is_true(literal)
                ),
            ),
            (*others, *assumptions),
        )[0]
        if found is None or together is None:
            return found
        cost, symbols = found
        own = dict(zip(self.found.priorities, self.found.cost, strict=True))
        return {
            priority: own.get(priority, 0) + value - together.cost[priority]
            for priority, value in cost.items()
        }, symbols
