"""A pair's best answer set, and the ground program to look for others in."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from clingo import Configuration

from ists_asp.solver.search import last_model
from ists_asp.syntax.ground import texts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from clingo import Control

    from ists_asp.solver.batch_model import BatchModel
    from ists_asp.solver.dual_values import Objective
    from ists_asp.solver.program import Program
    from ists_asp.solver.search import Found
    from ists_asp.syntax.ground import Ground

A = TypeVar("A")

Other = tuple[dict[int, int], frozenset["Ground"]]
"""Another answer set: the value of each priority, and the atoms that were looked at."""


class Best(Generic[A]):
    """The best answer set of a pair with all its atoms.

    Args:
        answer: what it says.
        found: the answer set, with all its atoms if it was found for this pair alone.
        program: what was grounded for the pair, and which facts hold for every pair.
        ground: grounds it for this pair alone, and notes its objective.
        together: what several pairs share, if they were solved together.
        number: the number of this pair among them.
    """

    def __init__(
        self,
        answer: A,
        found: Found,
        program: Program,
        ground: Callable[[], tuple[Control, Objective]],
        together: BatchModel | None = None,
        number: int = 0,
    ) -> None:
        self.answer = answer
        self.found = found
        self.program = program
        self.together = together
        self.number = number
        self._ground = ground

    @cached_property
    def _alone(self) -> tuple[Control, Objective]:
        return self._ground()

    @property
    def control(self) -> Control:
        """The ground program of this pair alone."""
        return self._alone[0]

    @property
    def shown(self) -> tuple[Ground, ...]:
        """The atoms that are shown."""
        return self.found.shown

    @cached_property
    def atoms(self) -> Mapping[str, Sequence[Ground]]:
        """The atoms by name, without the facts of the program."""
        if self.together is not None:
            return self.together.shares[self.number].atoms
        atoms: dict[str, list[Ground]] = {}
        for atom in texts(frozenset(self.found.true).difference(self.program.facts)):
            atoms.setdefault(atom.name, []).append(atom)
        return atoms

    def undecided(self, name: str, arity: int) -> Mapping[Ground, int]:
        """The atoms of a predicate that the solver decides, with their literals."""
        found = [
            atom
            for atom in self.control.symbolic_atoms.by_signature(name, arity)
            if not atom.is_fact
        ]
        written = texts(atom.symbol for atom in found)
        return dict(zip(written, (atom.literal for atom in found), strict=True))

    def other(
        self, assumptions: Sequence[int], looked_at: Mapping[Ground, int], time_limit: float
    ) -> Other | None:
        """Find the best answer set in which literals are true; None if there is none.

        So many should be given that branch and bound looks at the rest in no time.

        Args:
            assumptions: the literals.
            looked_at: the atoms that are wanted, with their literals.
            time_limit: seconds after which the best so far is good enough.
        """
        control, objective = self._alone
        solver = control.configuration.solver
        assert isinstance(solver, Configuration)
        solver.opt_strategy = "bb"
        return last_model(
            control,
            time_limit,
            lambda model: (
                dict(zip(model.priority, objective.cost(model), strict=True)),
                frozenset(atom for atom, literal in looked_at.items() if model.is_true(literal)),
            ),
            assumptions,
        )[0]
