"""The rules of a program rewritten as probes, once for all pairs; tables are looked at once."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from clingo.ast import AST, ASTType, Program, parse_string
from msgspec import convert, to_builtins

from ists_asp.rules.catalogue import is_core, restraining, shipped_texts
from ists_asp.rules.constants import constants_in
from ists_asp.solver.pairing import Pairing
from ists_asp.syntax.ground import by_name, texts
from ists_asp.syntax.trees import functions
from ists_asp.trace.argument_types import ArgumentTypes, argument_types
from ists_asp.trace.grounding import LATER, Alone, ground_probes, later_statements
from ists_asp.trace.instances import RuleInstances
from ists_asp.trace.probes import Kind, Probe, probe_of_fact
from ists_asp.trace.rewriting import probes_of
from ists_asp.trace.strata import Strata, find_strata

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from clingo import Control

    from ists_asp.model import Answer
    from ists_asp.rules import NamedRule, RuleSet
    from ists_asp.solver import Solver
    from ists_asp.solver.program import Program as SolverProgram
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.instances import RuleInstance
    from ists_asp.trace.rewriting import Query

_Found = TypeVar("_Found")


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
        self.definitions = [
            node for node in rules.statements if node.ast_type is ASTType.Definition
        ]
        self._constants = frozenset((*solver.options.constants, *constants_in(rules.statements)))
        self.by_statement = self._recalled_probes()
        self.probes = tuple(chain.from_iterable(self.by_statement))
        self.strata = self._recalled("strata", Strata, lambda: find_strata(self.probes))
        self.queries: dict[str, tuple[Query, ...]] = {}
        self._rewritten: dict[int, Rewritten] = {}

    def _recalled_probes(self) -> Sequence[tuple[Probe, ...]]:
        """The probes of each statement; those of facts are made anew, which is faster."""
        statements, rules = self.rules.statements, self.rules.rules

        def work() -> list[tuple[Probe, ...]]:
            return [
                probes_of(statement, rule, number, self._constants)
                for number, (statement, rule) in enumerate(zip(statements, rules, strict=True))
            ]

        def data() -> object:
            trees: list[AST] = []

            def place(tree: AST) -> int:
                trees.append(tree)
                return len(trees) - 1

            made = [
                [
                    probe.name if probe.text else to_builtins(probe, enc_hook=place)[1:]
                    for probe in each
                ]
                for each in work()
            ]
            text = _as_text(trees)
            return None if text is None else {"probes": made, "trees": text}

        remembered = self.rules.remembered
        if remembered.store is None:
            return work()
        kept = remembered.recall("probes", sorted(self._constants), data)
        if kept is None:
            return work()
        trees = _parsed(kept["trees"])

        def read(statement: AST, rule: NamedRule, probe: Any) -> Probe:  # noqa: ANN401 (JSON)
            if isinstance(probe, str):
                return probe_of_fact(statement, rule, probe)
            return convert([rule, *probe], Probe, dec_hook=lambda _type, place: trees[place])

        return [
            tuple(read(statement, rule, probe) for probe in each)
            for statement, rule, each in zip(statements, rules, kept["probes"], strict=True)
        ]

    def _recalled(self, what: str, kind: type[_Found], work: Callable[[], _Found]) -> _Found:
        """What was found out about the probes, now or before."""
        remembered = self.rules.remembered
        if remembered.store is None:
            return work()
        kept = remembered.recall(what, sorted(self._constants), lambda: to_builtins(work()))
        return convert(kept, kind)

    @cached_property
    def places(self) -> ArgumentTypes:
        """What the variables of the rules stand for."""
        return self._recalled("places", ArgumentTypes, lambda: argument_types(self.probes))

    @cached_property
    def restraining(self) -> tuple[frozenset[int], frozenset[int]]:
        """The places of the statements that restrain answers, and of the unconditional ones."""
        return restraining(self.rules)

    @cached_property
    def switched(self) -> Solver[Answer]:
        """A solver of the same rules, with a switch for each that may restrain an answer."""
        every, unconditional = self.restraining
        rules = self.rules.rules
        return self.solver.switched(
            {place for place in every | unconditional if not is_core(rules[place])}
        )

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

    @cached_property
    def deriving(self) -> Mapping[tuple[str, int], tuple[Probe, ...]]:
        """The probes that may derive the atoms of a predicate; ``-p`` is called so."""
        found: dict[tuple[str, int], list[Probe]] = defaultdict(list)
        for probe in self.probes:
            if probe.head is not None:
                term, sign = probe.head.atom.symbol, ""
                if term.ast_type is ASTType.UnaryOperation:
                    term, sign = term.argument, "-"
                for name, arity in {
                    (sign + one.name, len(one.arguments)) for one in functions(term)
                }:
                    found[name, arity].append(probe)
        return {key: tuple(probes) for key, probes in found.items()}

    def weigh(self, atoms: Collection[Ground]) -> list[RuleInstance]:
        """What counts in the objective of an answer set.

        Args:
            atoms: its atoms, those of other predicates than the objective's may lack.
        """
        probes = [probe for probe in self.probes if probe.kind is Kind.OBJECTIVE]
        statements = [*self.definitions, *(probe.statement for probe in probes if probe.statement)]
        control = ground_probes(statements, "", atoms, self.solver.arguments)
        known = frozenset(atoms)
        return RuleInstances(probes, Alone(control), self.strata, known, known).objective

    def rewritten(self, program: SolverProgram) -> Rewritten:
        """A program rewritten, each program once."""
        if id(program) not in self._rewritten:
            self._rewritten[id(program)] = Rewritten(self, program)
        return self._rewritten[id(program)]


class Rewritten:
    """A program rewritten: the probes of its tables, and those for a pair."""

    def __init__(self, reified: ReifiedRules, program: SolverProgram) -> None:
        self._reified = reified
        self.program = program
        open_ = {id(statement) for statement in program.statements}
        once: list[Probe] = []
        each: list[Probe] = []
        for statement, probes in zip(reified.rules.statements, reified.by_statement, strict=True):
            (each if id(statement) in open_ else once).extend(probes)
        self.probes = tuple(each)
        self._once = once
        self.table_probes = frozenset(probe.name for probe in once)
        self._statements = self._grounded(each)
        self._text = "\n".join(probe.text for probe in each)
        self._facts = texts(program.facts)
        self.known = frozenset(self._facts)
        self.known_by_name = by_name(self._facts)

    @cached_property
    def tables(self) -> RuleInstances:
        """What derives the facts that hold for every pair."""
        control = ground_probes(
            self._grounded(self._once),
            "\n".join(probe.text for probe in self._once),
            self._facts,
            self._reified.solver.arguments,
        )
        strata = self._reified.strata
        return RuleInstances(self._once, Alone(control), strata, self.known, frozenset())

    def _grounded(self, probes: Sequence[Probe]) -> list[AST]:
        """The statements of probes, those of elements for later."""
        first = [probe.statement for probe in probes if probe.statement is not None]
        later = [element.statement for probe in probes for element in probe.elements]
        if later:
            later.insert(0, Program(later[0].location, LATER, []))
        return [*self._reified.definitions, *first, *later]

    def ground(self, atoms: Mapping[str, Sequence[Ground]]) -> Control:
        """Ground the probes over the atoms of an answer set, without those that are known."""
        facts = chain(self._facts, *atoms.values())
        arguments = self._reified.solver.arguments
        return ground_probes(self._statements, self._text, facts, arguments)

    @cached_property
    def paired(self) -> tuple[AST, ...]:
        """The probes for several pairs."""

        def work() -> list[AST]:
            pairing = Pairing(self.program.tables)
            written = (probe.statement for probe in self.probes)
            return [pairing.statement(each) for each in written if each is not None]

        return self._recalled("traced pairs", work)

    @cached_property
    def later(self) -> tuple[AST, ...]:
        """What finds elements for several pairs."""
        return self._recalled(
            "traced elements",
            lambda: list(later_statements(self.probes, Pairing(self.program.tables))),
        )

    def _recalled(self, what: str, work: Callable[[], list[AST]]) -> tuple[AST, ...]:
        """Statements that may have been worked out before; they are kept as text."""
        remembered = self._reified.rules.remembered
        if remembered.store is None:
            return tuple(work())
        arguments = list(self._reified.solver.arguments)
        options = [arguments, sorted(map(list, self.program.tables))]
        kept = remembered.recall(what, options, lambda: _as_text(work()))
        return tuple(work() if kept is None else _parsed(kept))


def _as_text(trees: list[AST]) -> str | None:
    """Statements as text, which clingo parses in no time; None if it would read others."""
    text = "\n".join(map(str, trees))
    return text if _parsed(text) == trees else None


def _parsed(text: str) -> list[AST]:
    trees: list[AST] = []
    parse_string(text, trees.append)
    # The parser puts an empty #program base in front.
    return trees[1:]
