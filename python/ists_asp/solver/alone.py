"""The answer sets of one pair that has a control object of its own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ists_asp.errors import TimeLimitError, UnsatisfiableError
from ists_asp.solver.dual_values import Objective
from ists_asp.solver.search import FALLBACK, exclude, search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clingo import Control, Symbol

    from ists_asp.solver.grounder import Grounder
    from ists_asp.solver.program import Program
    from ists_asp.solver.search import Found

_LEAST = 1.0
"""Seconds for a search, if the limit for a pair is not less."""


class Alone:
    """Finds the answer sets of a pair, the best first.

    ``control`` is the ground program, ``objective`` has watched it being grounded, and
    ``grounding`` is how many seconds that took.

    Args:
        grounder: grounds the rules.
        facts: those of the pair.
        time_limit: seconds of processor time, grounding included. If that takes nearly all of
            it, the search still has a second.
        objective: watches the objective, with prices or without.
        atoms: whether all true atoms are wanted, not only the shown ones.

    Raises:
        RuleError: clingo cannot ground the rules.
    """

    def __init__(
        self,
        grounder: Grounder,
        facts: Sequence[Symbol],
        time_limit: float,
        objective: Objective,
        *,
        atoms: bool,
    ) -> None:
        self._grounder = grounder
        self._facts = facts
        self._time_limit = time_limit
        self.objective = objective
        self._atoms = atoms
        began = time.process_time()
        self._ends = time.process_time() + time_limit
        self.control: Control = grounder.ground(facts, objective=objective)
        self.grounding = time.process_time() - began

    @property
    def program(self) -> Program:
        """What was grounded for the pair."""
        return self._grounder.program_for(self._facts)

    def first(self) -> Found:
        """The best answer set.

        Raises:
            UnsatisfiableError: the rules admit no answer set for the pair.
            TimeLimitError: there was no answer set within the time limit.
            RuleError: clingo cannot solve the program.
        """
        left = self._left_for_one()
        found, unsatisfiable = self._search(left, patience=left / 2)
        if found is None and not unsatisfiable:
            self.objective = Objective()
            self.control = self._grounder.ground(self._facts, FALLBACK, self.objective)
            found, unsatisfiable = self._search(self._left_for_one())
        if unsatisfiable:
            raise UnsatisfiableError(
                "the rules admit no answer set",
                hint="Look for a constraint (a rule without a head) that cannot hold",
            )
        if found is None:
            raise TimeLimitError(
                f"no answer within {self._time_limit:g} s",
                hint="Allow more time, or simplify the rules",
            )
        return found

    def after(self, found: Found) -> Found | None:
        """The best answer set but those before it, if there is one and time is left."""
        left = self._ends - time.process_time()
        if left <= 0:
            return None
        exclude(self.control, found)
        return self._search(left)[0]

    def _left_for_one(self) -> float:
        """Seconds for a first answer set: whether there is one must not rest on milliseconds."""
        return max(self._ends - time.process_time(), min(self._time_limit, _LEAST))

    def _search(self, seconds: float, patience: float | None = None) -> tuple[Found | None, bool]:
        return search(
            self.control,
            seconds,
            atoms=self._atoms,
            patience=patience,
            objective=self.objective,
        )
