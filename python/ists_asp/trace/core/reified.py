"""The rules of a program as facts about what they do: reified, once for all pairs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from clingo.ast import ASTType

from ists_asp.rules.constants import constants_in
from ists_asp.rules.copy import shipped_texts
from ists_asp.syntax.signatures import functions
from ists_asp.trace.core.argument_types import ArgumentTypes
from ists_asp.trace.core.grounding import Alone, ground_probes
from ists_asp.trace.core.instances import RuleInstances
from ists_asp.trace.core.kept import as_data, from_data
from ists_asp.trace.core.reified_rule import Kind, ReifiedRule
from ists_asp.trace.core.rewriting import probes_of
from ists_asp.trace.core.rewritten import Rewritten
from ists_asp.trace.core.strata import Strata

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from clingo.ast import AST

    from ists_asp.model import Answer
    from ists_asp.rules import RuleSet
    from ists_asp.solver import Solver
    from ists_asp.solver.program import Program
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.instance import RuleInstance
    from ists_asp.trace.core.queries import Query


class ReifiedRules:
    """Rules with the probes that say when they fire.

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
        self.rules = rules
        self.solver = solver
        self.knowledge = tuple(knowledge)
        constants = frozenset((*solver.options.constants, *constants_in(rules.statements)))
        self._options = sorted(constants)
        self._probes = self._made(constants)
        self.strata = self._strata()
        self._rewritten: dict[int, Rewritten] = {}
        self.queries: dict[str, tuple[Query, ...]] = {}
        self._weighing: tuple[list[ReifiedRule], list[AST]] | None = None
        self._without: dict[int, Solver[Answer]] = {}

    def _made(self, constants: frozenset[str]) -> Sequence[tuple[ReifiedRule, ...]]:
        """The probes of each statement."""

        def work() -> list[tuple[ReifiedRule, ...]]:
            return [
                probes_of(statement, rule, number, constants)
                for number, (statement, rule) in enumerate(
                    zip(self.rules.statements, self.rules.rules, strict=True)
                )
            ]

        remembered = self.rules.remembered
        if remembered.store is None:
            return work()
        kept = remembered.recall("probes", self._options, lambda: as_data(work()))
        return work() if kept is None else from_data(kept, self.rules)

    def _strata(self) -> Strata:
        remembered = self.rules.remembered
        if remembered.store is None:
            return Strata(self.probes)
        return Strata.recalled(
            remembered.recall("strata", self._options, lambda: Strata(self.probes).kept)
        )

    @cached_property
    def places(self) -> ArgumentTypes:
        """What the variables of the rules stand for."""
        remembered = self.rules.remembered
        if remembered.store is None:
            return ArgumentTypes(self.probes)
        return ArgumentTypes.recalled(
            remembered.recall("places", self._options, lambda: ArgumentTypes(self.probes).kept)
        )

    def solver_without(self, place: int) -> Solver[Answer]:
        """A solver of the same rules but for the one at a place, made once."""
        if place not in self._without:
            rules = self.rules
            less: RuleSet = replace(
                rules,
                statements=(*rules.statements[:place], *rules.statements[place + 1 :]),
                rules=(*rules.rules[:place], *rules.rules[place + 1 :]),
            )
            self._without[place] = self.solver.with_rules(less)
        return self._without[place]

    @cached_property
    def own(self) -> frozenset[int]:
        """The identities of the rules that did not come along: those of the user."""
        texts = {file.name: shipped_texts(file.path) for file in self.rules.files}
        return frozenset(
            id(rule)
            for rule in self.rules.rules
            if (known := texts.get(rule.file)) is not None
            and not any(rule.text in text for text in known)
        )

    @property
    def probes(self) -> tuple[ReifiedRule, ...]:
        """All probes of the rule set, in the order of the rules."""
        return tuple(chain.from_iterable(self._probes))

    @cached_property
    def deriving(self) -> Mapping[tuple[str, int], tuple[ReifiedRule, ...]]:
        """The probes that may derive the atoms of a predicate; ``-p`` is called so."""
        found: dict[tuple[str, int], list[ReifiedRule]] = defaultdict(list)
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

    def weigh(self, atoms: Collection[Ground]) -> list[RuleInstance]:
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
        return RuleInstances(probes, grounding, self.strata, known, known).objective

    def rewritten(self, program: Program) -> Rewritten:
        """A program rewritten, each program once."""
        if id(program) not in self._rewritten:
            open_ = {id(statement) for statement in program.statements}
            definitions = [
                node for node in self.rules.statements if node.ast_type is ASTType.Definition
            ]
            once: list[ReifiedRule] = []
            each: list[ReifiedRule] = []
            for statement, probes in zip(self.rules.statements, self._probes, strict=True):
                (each if id(statement) in open_ else once).extend(probes)
            self._rewritten[id(program)] = Rewritten(
                program,
                once,
                each,
                definitions,
                self.strata,
                self.solver.arguments,
                self.rules.remembered,
            )
        return self._rewritten[id(program)]
