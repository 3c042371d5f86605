"""The answer sets of one pair that has a control object of its own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ists_asp.errors import TimeLimitError, UnsatisfiableError
from ists_asp.solver.prices import Objective
from ists_asp.solver.search import FALLBACK, exclude, search

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clingo import Control, Symbol

    from ists_asp.solver.grounder import Grounder
    from ists_asp.solver.program import Program
    from ists_asp.solver.search import Found

__all__ = ["Alone"]


class Alone:
    """Finds the answer sets of a pair, the best first.

    ``control`` is the ground program; ``grounding`` is how many seconds that took.

    Args:
        grounder: grounds the rules.
        facts: those of the pair.
        time_limit: seconds for the search for one answer set.
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
        self._objective = objective
        self._atoms = atoms
        began = time.perf_counter()
        self.control: Control = grounder.ground(facts, objective=objective)
        self.grounding = time.perf_counter() - began

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
        found, unsatisfiable = self._search()
        if found is None and not unsatisfiable:
            self._objective = Objective()
            self.control = self._grounder.ground(self._facts, FALLBACK, self._objective)
            found, unsatisfiable = self._search()
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
        """The best answer set but those before it, if there is one."""
        exclude(self.control, found)
        return self._search()[0]

    def _search(self) -> tuple[Found | None, bool]:
        return search(self.control, self._time_limit, atoms=self._atoms, objective=self._objective)
