"""From a pair to the trace of its answer.

1. The program as it is gives the best answer set.
2. The rewritten program (:mod:`ists_asp.trace.probes`) is grounded over its atoms, which
   says what fired; tables, which are the same for all pairs, are looked at once, and the
   elements of aggregates when somebody asks for them.
3. The trace must account for the answer: :mod:`ists_asp.trace.invariants`.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from clingo.ast import ASTType
from clingo.ast import Program as ASTProgram

from ists_asp.answers import read_answer
from ists_asp.collector import paused
from ists_asp.solver.signatures import functions
from ists_asp.trace.firings import LATER, Firings, ground_probes
from ists_asp.trace.invariants import check
from ists_asp.trace.places import Places
from ists_asp.trace.probes import Kind, Probe, probe
from ists_asp.trace.strata import Strata
from ists_asp.trace.trace import Trace, by_name

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from clingo import Symbol
    from clingo.ast import AST

    from ists_asp.model import Pair
    from ists_asp.rules import RuleSet
    from ists_asp.solver import Solver
    from ists_asp.solver.program import Program
    from ists_asp.trace.firings import Firing
    from ists_asp.trace.nearest import Query

__all__ = ["Rewritten", "Tracer"]


class Rewritten:
    """A program rewritten: the probes of its tables, and those for a pair.

    Args:
        program: the program for a pair.
        once: the probes of statements that are not grounded for each pair.
        each: the probes of those that are.
        definitions: the ``#const`` statements.
        strata: the strata of all.
        arguments: clingo's command line arguments.
    """

    def __init__(
        self,
        program: Program,
        once: Sequence[Probe],
        each: Sequence[Probe],
        definitions: Sequence[AST],
        strata: Strata,
        arguments: Sequence[str],
    ) -> None:
        self.program = program
        self.probes = tuple(each)
        self.statements = (*definitions, *_statements(each, strata))
        self.table_probes = frozenset(probe.name for probe in once)
        self.known = frozenset(program.facts)
        self.known_by_name = by_name(program.facts)
        # Text takes clingo half the time of symbols.
        known = (f"{fact}." for fact in program.facts)
        self.text = "\n".join((*known, *(probe.text for probe in each)))
        self._once = once
        self._definitions = definitions
        self._strata = strata
        self._arguments = arguments

    @cached_property
    def tables(self) -> Firings:
        """What derives the facts that hold for every pair."""
        control = ground_probes(
            [*self._definitions, *_statements(self._once, self._strata)],
            "\n".join(probe.text for probe in self._once),
            self.program.facts,
            self._arguments,
        )
        return Firings(self._once, control, self._strata, self.known, frozenset())


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
        self.solver = solver
        self._probes = tuple(
            probe(statement, rule, number)
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
            best = self.solver.best(pair, facts)
            found = best.found
            rewritten = self._rewrite(best.program)
            true = frozenset(found.true)
            control = ground_probes(
                rewritten.statements, rewritten.text, true - rewritten.known, self.solver.arguments
            )
            given = rewritten.known.union(facts)
            firings = Firings(rewritten.probes, control, self.strata, true, given)
            answer = read_answer(pair, found.shown, found.cost, found.optimal)
            trace = Trace(self, answer, best, tuple(facts), firings, rewritten, control)
            check(trace)
            return trace

    def weigh(self, atoms: Collection[Symbol]) -> list[Firing]:
        """What counts in the objective of an answer set.

        Args:
            atoms: its atoms, those of other predicates than the objective's may lack.
        """
        if self._weighing is None:
            probes = [found for found in self.probes if found.kind is Kind.OBJECTIVE]
            definitions = [
                node for node in self.rules.statements if node.ast_type is ASTType.Definition
            ]
            first = [found.statements[0] for found in probes]
            self._weighing = (probes, [*definitions, *first])
        probes, statements = self._weighing
        control = ground_probes(statements, "", atoms, self.solver.arguments)
        known = frozenset(atoms)
        return Firings(probes, control, self.strata, known, known).objective

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


def _statements(probes: Sequence[Probe], strata: Strata) -> list[AST]:
    """The statements of probes; companions come last, most of them for later."""
    first: list[AST] = []
    later: list[AST] = []
    for found in probes:
        first += found.statements[:1]
        for statement in found.statements[1:]:
            early = statement.head.atom.symbol.name in strata.recursive_companions
            (first if early else later).append(statement)
    if later:
        later.insert(0, ASTProgram(later[0].location, LATER, []))
    return [*first, *later]
