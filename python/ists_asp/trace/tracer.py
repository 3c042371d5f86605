"""From a pair to the trace of its answer.

1. The program as it is gives the best answer set.
2. The rewritten program (:mod:`ists_asp.trace.probes`) is grounded over its atoms, which
   says what fired; tables, which are the same for all pairs, are looked at once, and the
   elements of aggregates when somebody asks for them.
   Pairs that were solved together are looked at together as well.
3. The trace must account for the answer: :mod:`ists_asp.trace.invariants`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from clingo.ast import ASTType

from ists_asp.answers import read_answer
from ists_asp.collector import paused
from ists_asp.errors import TraceError
from ists_asp.solver.signatures import functions
from ists_asp.solver.solver import in_batches
from ists_asp.solver.texts import texts
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
    from ists_asp.solver.texts import Ground
    from ists_asp.solver.together import Together
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
        constants = frozenset(_constants(rules.statements, solver.options.constants))
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
            return self._alone(pair, facts, self.solver.best(pair, facts))

    def trace_all(self, items: Iterable[tuple[Pair, Sequence[Symbol]]]) -> Iterator[Trace]:
        """Decide and trace pairs lazily, in their order; several share their grounding.

        Raises:
            SolveError: there is no answer for a pair.
            TraceError: a trace does not account for its answer.
        """
        return in_batches(self._each(items), _reached)

    def _each(
        self, items: Iterable[tuple[Pair, Sequence[Symbol]]]
    ) -> Iterator[tuple[Trace, Shared | None]]:
        waiting: deque[tuple[Pair, Sequence[Symbol]]] = deque()

        def seen() -> Iterator[tuple[Pair, Sequence[Symbol]]]:
            for item in items:
                waiting.append(item)
                yield item

        before: Together | None = None
        shared: Shared | None = None
        paired = self._rewrite(self.solver.program).paired
        for best in self.solver.best_of_all(seen(), paired):
            pair, facts = waiting.popleft()
            together = best.together
            if together is None:
                yield self._alone(pair, facts, best), None
                continue
            with paused():
                if shared is None or together is not before:
                    before, shared = together, Shared(together, self._rewrite(best.program).later)
                trace = self._of_shared(pair, facts, best, shared)
            # What goes wrong is said in the words of the pair alone.
            yield (trace, shared) if trace else (self.trace(pair, facts), None)

    def _of_shared(
        self, pair: Pair, facts: Sequence[Symbol], best: Best, shared: Shared
    ) -> Trace | None:
        try:
            return self._make(pair, facts, best, shared.take(best.number))
        except TraceError:
            return None

    def _alone(self, pair: Pair, facts: Sequence[Symbol], best: Best) -> Trace:
        with paused():
            control = self._rewrite(best.program).ground(best.atoms)
            grounding = Alone(control)
            return self._make(pair, facts, best, grounding, control)

    def _make(
        self,
        pair: Pair,
        facts: Sequence[Symbol],
        best: Best,
        grounding: Grounding,
        control: Control | None = None,
    ) -> Trace:
        """A trace that accounts for its answer."""
        found = best.found
        rewritten = self._rewrite(best.program)
        given = frozenset(texts(facts))
        every = rewritten.known | given
        true = every.union(*best.atoms.values())
        firings = Firings(rewritten.probes, grounding, self.strata, true, every)
        answer = read_answer(pair, found.shown, found.cost, found.optimal)
        trace = Trace(self, answer, best, tuple(facts), firings, rewritten, true, given, control)
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


def _reached(traced: Sequence[tuple[Trace, Shared | None]]) -> Iterator[Trace]:
    """Traces, after a look at all that the decisions rest on in those that share a grounding."""
    sharing: dict[int, tuple[Shared, list[Trace]]] = {}
    for trace, shared in traced:
        if shared is not None:
            sharing.setdefault(id(shared), (shared, []))[1].append(trace)
    with paused():
        for shared, traces in sharing.values():
            reach(shared, traces)
    return (trace for trace, _ in traced)


def _constants(statements: Iterable[AST], given: Iterable[str]) -> Iterator[str]:
    """The names that ``#const``, or somebody, defines."""
    yield from given
    for node in statements:
        if node.ast_type is ASTType.Definition:
            yield node.name
