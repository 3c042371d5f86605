"""From a pair to the trace of its answer.

1. The program as it is gives the best answer set.
2. The rewritten program (:mod:`ists_asp.trace.core.reified_rule`) is grounded over its atoms, which
   says what fired; tables, which are the same for all pairs, are looked at once, and the
   elements of aggregates when somebody asks for them.
   Pairs that were solved together are looked at together as well.
3. The trace must account for the answer: :mod:`ists_asp.trace.core.invariants`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ists_asp.errors import IstsError, TraceError
from ists_asp.gc_control import gc_paused
from ists_asp.solver.batching import in_batches
from ists_asp.syntax.ground import texts
from ists_asp.trace.asked import AskedTrace
from ists_asp.trace.core.grounding import Alone, Grounding
from ists_asp.trace.core.instances import RuleInstances
from ists_asp.trace.core.invariants import check
from ists_asp.trace.core.reified import ReifiedRules
from ists_asp.trace.core.shared import Shared
from ists_asp.trace.reach import reach

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clingo import Control, Symbol

    from ists_asp.model import Answer, Pair
    from ists_asp.rules import RuleSet
    from ists_asp.solver import Best, Solver
    from ists_asp.trace.core.reified_rule import ReifiedRule


class Tracer:
    """Says why answers are as they are.

    Args:
        rules: the parsed rules.
        solver: a solver made of the same rules.
        knowledge: what words are compared by, as
            :attr:`ists_asp.engine.System.knowledge` has it.

    Raises:
        RuleError: the rules have a statement that cannot be traced.
    """

    def __init__(
        self, rules: RuleSet, solver: Solver[Answer], knowledge: Sequence[str] = ()
    ) -> None:
        self.solver = solver
        self.reified = ReifiedRules(rules, solver, knowledge)

    @property
    def probes(self) -> tuple[ReifiedRule, ...]:
        """All probes of the rule set, in the order of the rules."""
        return self.reified.probes

    def trace(self, pair: Pair, facts: Sequence[Symbol]) -> AskedTrace:
        """Decide a pair and trace the answer.

        Raises:
            SolveError: there is no answer for the pair.
            TraceError: the trace does not account for the answer.
        """
        with gc_paused():
            return self._alone(facts, self.solver.best(pair, facts))

    def trace_all(self, items: Iterable[tuple[Pair, Sequence[Symbol]]]) -> Iterator[AskedTrace]:
        """Decide and trace pairs lazily, in their order; several share their grounding.

        Raises:
            SolveError: there is no answer for a pair.
            TraceError: a trace does not account for its answer.
        """
        return in_batches(items, self._some)

    def _some(self, items: Sequence[tuple[Pair, Sequence[Symbol]]]) -> Iterator[AskedTrace]:
        """The traces of the pairs of a batch; what came before an error is told first."""
        made: list[AskedTrace] = []
        failure: IstsError | None = None
        sharing: dict[int, tuple[Shared, list[AskedTrace]]] = {}
        began = time.process_time()
        with gc_paused():
            try:
                for trace, shared in self._each(items):
                    made.append(trace)
                    if shared is not None:
                        sharing.setdefault(id(shared), (shared, []))[1].append(trace)
            except IstsError as error:
                failure = error
            for shared, traces in sharing.values():
                reach(shared, traces)
        elapsed = time.process_time() - began
        for trace in made:
            trace.seconds = elapsed / len(made)
        yield from made
        if failure is not None:
            raise failure

    def _each(
        self, items: Sequence[tuple[Pair, Sequence[Symbol]]]
    ) -> Iterator[tuple[AskedTrace, Shared | None]]:
        """The traces of pairs, with what they share where they were decided together."""
        rewritten = self.reified.rewritten(self.solver.program)
        shared: dict[int, Shared] = {}
        best_of_all = self.solver.best_of_all(items, lambda: rewritten.paired)
        for (pair, facts), best in zip(items, best_of_all, strict=True):
            together = best.together
            if together is None:
                yield self._alone(facts, best), None
                continue
            share = shared.setdefault(id(together), Shared(together, rewritten.later))
            trace = self._of_shared(facts, best, share)
            # What goes wrong is said in the words of the pair alone.
            yield (trace, share) if trace else (self.trace(pair, facts), None)

    def _of_shared(
        self, facts: Sequence[Symbol], best: Best[Answer], shared: Shared
    ) -> AskedTrace | None:
        try:
            return self._make(facts, best, shared.take(best.number))
        except TraceError:
            return None

    def _alone(self, facts: Sequence[Symbol], best: Best[Answer]) -> AskedTrace:
        control = self.reified.rewritten(best.program).ground(best.atoms)
        return self._make(facts, best, Alone(control), control)

    def _make(
        self,
        facts: Sequence[Symbol],
        best: Best[Answer],
        grounding: Grounding,
        control: Control | None = None,
    ) -> AskedTrace:
        """A trace that accounts for its answer."""
        rewritten = self.reified.rewritten(best.program)
        given = frozenset(texts(facts))
        every = rewritten.known | given
        true = every.union(*best.atoms.values())
        firings = RuleInstances(rewritten.probes, grounding, self.reified.strata, true, every)
        trace = AskedTrace(
            self.reified, best.answer, best, tuple(facts), firings, rewritten, true, given, control
        )
        check(trace)
        return trace
