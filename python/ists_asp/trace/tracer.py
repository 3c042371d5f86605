"""From a pair to the trace of its answer.

1. The program as it is gives the best answer set.
2. The rewritten program (:mod:`ists_asp.trace.probes`) is grounded over its atoms, which
   says what fired; tables, which are the same for all pairs, are looked at once, and the
   elements of aggregates when somebody asks for them.
   Pairs that were solved together are looked at together as well.
3. The trace must account for the answer: :mod:`ists_asp.trace.invariants`.
"""

from __future__ import annotations

import time
from collections import defaultdict
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from clingo.ast import ASTType

from ists_asp.collector import paused
from ists_asp.errors import IstsError, TraceError
from ists_asp.rules.constants import constants_in
from ists_asp.solver.batching import in_batches
from ists_asp.syntax.ground import texts
from ists_asp.syntax.signatures import functions
from ists_asp.trace.firings import Firings
from ists_asp.trace.grounding import Alone, Grounding, ground_probes
from ists_asp.trace.invariants import check
from ists_asp.trace.places import Places
from ists_asp.trace.probes import Kind, Probe
from ists_asp.trace.reach import reach
from ists_asp.trace.rewriting import probes_of
from ists_asp.trace.rewritten import Rewritten
from ists_asp.trace.shared import Shared
from ists_asp.trace.strata import Strata
from ists_asp.trace.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from clingo import Control, Symbol
    from clingo.ast import AST

    from ists_asp.model import Pair
    from ists_asp.rules import RuleSet
    from ists_asp.solver import Best, Solver
    from ists_asp.solver.program import Program
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.firing import Firing
    from ists_asp.trace.queries import Query

__all__ = ["Tracer"]


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

    def __init__(self, rules: RuleSet, solver: Solver, knowledge: Sequence[str] = ()) -> None:
        self.rules = rules
        self.solver = solver
        self.knowledge = tuple(knowledge)
        constants = frozenset((*solver.options.constants, *constants_in(rules.statements)))
        self._probes = tuple(
            probes_of(statement, rule, number, constants)
            for number, (statement, rule) in enumerate(
                zip(rules.statements, rules.rules, strict=True)
            )
        )
        self.strata = Strata(self.probes)
        self._rewritten: dict[int, Rewritten] = {}
        self.queries: dict[str, tuple[Query, ...]] = {}
        self._weighing: tuple[list[Probe], list[AST]] | None = None

    @cached_property
    def places(self) -> Places:
        """What the variables of the rules stand for."""
        return Places(self.probes)

    @property
    def probes(self) -> tuple[Probe, ...]:
        """All probes of the rule set, in the order of the rules."""
        return tuple(chain.from_iterable(self._probes))

    @cached_property
    def deriving(self) -> Mapping[tuple[str, int], tuple[Probe, ...]]:
        """The probes that may derive the atoms of a predicate; ``-p`` is called so."""
        found: dict[tuple[str, int], list[Probe]] = defaultdict(list)
        for probe_ in self.probes:
            if probe_.head is not None:
                term, sign = probe_.head.atom.symbol, ""
                if term.ast_type is ASTType.UnaryOperation:
                    term, sign = term.argument, "-"
                for name, arity in {
                    (sign + one.name, len(one.arguments)) for one in functions(term)
                }:
                    found[name, arity].append(probe_)
        return {key: tuple(probes) for key, probes in found.items()}

    def trace(self, pair: Pair, facts: Sequence[Symbol]) -> Trace:
        """Decide a pair and trace the answer.

        Raises:
            SolveError: there is no answer for the pair.
            TraceError: the trace does not account for the answer.
        """
        with paused():
            return self._alone(facts, self.solver.best(pair, facts))

    def trace_all(self, items: Iterable[tuple[Pair, Sequence[Symbol]]]) -> Iterator[Trace]:
        """Decide and trace pairs lazily, in their order; several share their grounding.

        Raises:
            SolveError: there is no answer for a pair.
            TraceError: a trace does not account for its answer.
        """
        return in_batches(items, self._some)

    def _some(self, items: Sequence[tuple[Pair, Sequence[Symbol]]]) -> Iterator[Trace]:
        """The traces of the pairs of a batch; what came before an error is told first."""
        made: list[Trace] = []
        failure: IstsError | None = None
        sharing: dict[int, tuple[Shared, list[Trace]]] = {}
        began = time.perf_counter()
        with paused():
            try:
                for trace, shared in self._each(items):
                    made.append(trace)
                    if shared is not None:
                        sharing.setdefault(id(shared), (shared, []))[1].append(trace)
            except IstsError as error:
                failure = error
            for shared, traces in sharing.values():
                reach(shared, traces)
        elapsed = time.perf_counter() - began
        for trace in made:
            trace.seconds = elapsed / len(made)
        yield from made
        if failure is not None:
            raise failure

    def _each(
        self, items: Sequence[tuple[Pair, Sequence[Symbol]]]
    ) -> Iterator[tuple[Trace, Shared | None]]:
        """The traces of pairs, with what they share where they were decided together."""
        rewritten = self._rewrite(self.solver.program)
        shared: dict[int, Shared] = {}
        best_of_all = self.solver.best_of_all(items, rewritten.paired)
        for (pair, facts), best in zip(items, best_of_all, strict=True):
            together = best.together
            if together is None:
                yield self._alone(facts, best), None
                continue
            share = shared.setdefault(id(together), Shared(together, rewritten.later))
            trace = self._of_shared(facts, best, share)
            # What goes wrong is said in the words of the pair alone.
            yield (trace, share) if trace else (self.trace(pair, facts), None)

    def _of_shared(self, facts: Sequence[Symbol], best: Best, shared: Shared) -> Trace | None:
        try:
            return self._make(facts, best, shared.take(best.number))
        except TraceError:
            return None

    def _alone(self, facts: Sequence[Symbol], best: Best) -> Trace:
        control = self._rewrite(best.program).ground(best.atoms)
        return self._make(facts, best, Alone(control), control)

    def _make(
        self,
        facts: Sequence[Symbol],
        best: Best,
        grounding: Grounding,
        control: Control | None = None,
    ) -> Trace:
        """A trace that accounts for its answer."""
        rewritten = self._rewrite(best.program)
        given = frozenset(texts(facts))
        every = rewritten.known | given
        true = every.union(*best.atoms.values())
        firings = Firings(rewritten.probes, grounding, self.strata, true, every)
        trace = Trace(
            self, best.answer, best, tuple(facts), firings, rewritten, true, given, control
        )
        check(trace)
        return trace

    def weigh(self, atoms: Collection[Ground]) -> list[Firing]:
        """What counts in the objective of an answer set.

        Args:
            atoms: its atoms, those of other predicates than the objective's may lack.
        """
        if self._weighing is None:
            probes = [found for found in self.probes if found.kind is Kind.OBJECTIVE]
            definitions = [
                node for node in self.rules.statements if node.ast_type is ASTType.Definition
            ]
            written = [found.statement for found in probes if found.statement is not None]
            self._weighing = (probes, [*definitions, *written])
        probes, statements = self._weighing
        control = ground_probes(statements, "", atoms, self.solver.arguments)
        known = frozenset(atoms)
        grounding = Alone(control)
        return Firings(probes, grounding, self.strata, known, known).objective

    def _rewrite(self, program: Program) -> Rewritten:
        if id(program) not in self._rewritten:
            open_ = {id(statement) for statement in program.statements}
            definitions = [
                node for node in self.rules.statements if node.ast_type is ASTType.Definition
            ]
            once: list[Probe] = []
            each: list[Probe] = []
            for statement, probes in zip(self.rules.statements, self._probes, strict=True):
                (each if id(statement) in open_ else once).extend(probes)
            self._rewritten[id(program)] = Rewritten(
                program, once, each, definitions, self.strata, self.solver.arguments
            )
        return self._rewritten[id(program)]
