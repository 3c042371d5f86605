"""A rule set made ready to be grounded with the facts of any pair."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ists_asp.rules.messages import Messages, RuleWarning
from ists_asp.rules.programs import check_kinds
from ists_asp.solver.options import SolverOptions, constant_arguments
from ists_asp.solver.program import Program, prepared
from ists_asp.solver.search import CORE_GUIDED, ground
from ists_asp.syntax.trees import signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clingo import Control, Symbol

    from ists_asp.rules.loader import RuleSet
    from ists_asp.solver.dual_values import Objective
    from ists_asp.solver.shapes import Shapes


class Grounder:
    """Grounds a rule set for one pair at a time.

    ``program`` is what is grounded for a pair, and what holds for every pair; ``arguments`` are
    clingo's command line arguments, without those that choose a strategy.

    Args:
        rules: the parsed rules.
        options: the values of constants.
        shapes: what is known of the statements.

    Raises:
        UsageError: a constant is not an ASP term.
        RuleError: clingo cannot ground the facts and tables among the rules.
    """

    def __init__(self, rules: RuleSet, options: SolverOptions, shapes: Shapes) -> None:
        self._messages = Messages(rules.names)
        check_kinds(options.constants, rules)
        self.arguments = tuple(constant_arguments(options.constants))
        self._rules = rules
        self._shapes = shapes
        self.program = self._prepared(tables=True)

    @cached_property
    def _plain(self) -> Program:
        """The program with its tables left to clingo: few pairs ask for it."""
        return self._prepared(tables=False)

    def _prepared(self, *, tables: bool) -> Program:
        return prepared(
            self._rules, self.arguments, self._messages, tables=tables, shapes=self._shapes
        )

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What clingo has warned about so far, such as atoms that no rule derives."""
        return self._messages.warnings

    def ground(
        self,
        facts: Sequence[Symbol],
        strategy: str = CORE_GUIDED,
        objective: Objective | None = None,
    ) -> Control:
        """Ground the rules for a pair.

        Args:
            facts: those of the pair.
            strategy: clingo's argument for how to optimise.
            objective: is told the weights of the objective; prices are added to it.

        Raises:
            RuleError: clingo could not ground the rules.
        """
        program = self.program_for(facts)
        arguments = (strategy, *self.arguments)
        return ground(
            program.statements,
            facts,
            arguments,
            self._messages,
            objective,
            program.given,
        )

    def program_for(self, facts: Iterable[Symbol]) -> Program:
        """The program, its tables left to clingo where a pair's facts add to them."""
        tables = self.program.tables
        if self.program.derived and any(signature(fact) in tables for fact in facts):
            return self._plain
        return self.program
