"""From a pair to the trace of its answer.

1. The program as it is gives the best answer set.
2. The rewritten program (:mod:`ists_asp.trace.probes`) is grounded over its atoms, which
   says what fired; tables, which are the same for all pairs, are looked at once.
3. The trace must account for the answer: :mod:`ists_asp.trace.invariants`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from clingo.ast import ASTType

from ists_asp.answers import read_answer
from ists_asp.trace.firings import Firings, ground_probes
from ists_asp.trace.invariants import check
from ists_asp.trace.probes import Probe, probe
from ists_asp.trace.strata import Strata
from ists_asp.trace.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clingo import Symbol
    from clingo.ast import AST

    from ists_asp.model import Pair
    from ists_asp.rules import RuleSet
    from ists_asp.solver import Solver
    from ists_asp.solver.program import Program

__all__ = ["Tracer"]


@dataclass(frozen=True, slots=True)
class _Rewritten:
    """A program's probes: those of its tables, evaluated, and those for a pair."""

    tables: Firings
    probes: tuple[Probe, ...]
    statements: tuple[AST, ...]
    strata: Strata


class Tracer:
    """Says why answers are as they are.

    Args:
        rules: the parsed rules.
        solver: a solver made of the same rules.

    Raises:
        RuleError: the rules have a statement that cannot be traced.
    """

    def __init__(self, rules: RuleSet, solver: Solver) -> None:
        self.rules = rules
        self._solver = solver
        self._probes = tuple(
            probe(statement, rule, number)
            for number, (statement, rule) in enumerate(
                zip(rules.statements, rules.rules, strict=True)
            )
        )
        self.strata = Strata(tuple(chain.from_iterable(self._probes)))
        self._rewritten: dict[int, _Rewritten] = {}

    def trace(self, pair: Pair, facts: Sequence[Symbol]) -> Trace:
        """Decide a pair and trace the answer.

        Raises:
            SolveError: there is no answer for the pair.
            TraceError: the trace does not account for the answer.
        """
        best = self._solver.best(pair, facts)
        found = best.found
        answer = read_answer(pair, found.shown, found.cost, found.optimal)
        rewritten = self._rewrite(best.program)
        true = frozenset(found.true)
        control = ground_probes(rewritten.statements, found.true, self._solver.arguments)
        firings = Firings(rewritten.probes, control, self.strata, true, frozenset(facts))
        trace = Trace(self, answer, best, tuple(facts), firings, rewritten.tables, control)
        check(trace)
        return trace

    @property
    def probes(self) -> tuple[Probe, ...]:
        """All probes of the rule set, in the order of the rules."""
        return tuple(chain.from_iterable(self._probes))

    @property
    def solver(self) -> Solver:
        """The solver that decides."""
        return self._solver

    def _rewrite(self, program: Program) -> _Rewritten:
        if id(program) not in self._rewritten:
            open_ = {id(statement) for statement in program.statements}
            definitions = [
                node for node in self.rules.statements if node.ast_type is ASTType.Definition
            ]
            once: list[Probe] = []
            each: list[Probe] = []
            for statement, probes in zip(self.rules.statements, self._probes, strict=True):
                (each if id(statement) in open_ else once).extend(probes)
            control = ground_probes(
                [*definitions, *_statements(once)], program.facts, self._solver.arguments
            )
            tables = Firings(once, control, self.strata, frozenset(program.facts), frozenset())
            self._rewritten[id(program)] = _Rewritten(
                tables, tuple(each), (*definitions, *_statements(each)), self.strata
            )
        return self._rewritten[id(program)]


def _statements(probes: Sequence[Probe]) -> list[AST]:
    return [statement for found in probes for statement in found.statements]
