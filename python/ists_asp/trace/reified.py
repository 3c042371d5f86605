"""The rules of a program rewritten as probes, once for all pairs; tables are looked at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain, groupby, starmap
from typing import Any, TypeAlias, TypeVar

from clingo import Control
from clingo.ast import AST, ASTType
from msgspec import convert, to_builtins

from ists_asp.io.store import key_of, made_by
from ists_asp.model import Answer
from ists_asp.rules import NamedRule, RuleSet
from ists_asp.rules.arguments import ArgumentTypes, Read, argument_types
from ists_asp.rules.catalogue import is_core, restraining, shipped_texts
from ists_asp.rules.profiles import check_kinds
from ists_asp.solver import Solver
from ists_asp.solver.grounder import PreparedRules
from ists_asp.solver.pairing import for_pairs
from ists_asp.syntax.ground import Ground, texts
from ists_asp.syntax.terms import Bindings, Term, bind_all, read_atom
from ists_asp.syntax.trees import functions, parse
from ists_asp.trace.grounding import Grounding, ground_probes, later_statements
from ists_asp.trace.instances import RuleInstances, Strata, find_strata
from ists_asp.trace.probes import Probe, Query, probe_of_fact, probes_of, spoken_of
from ists_asp.vocabulary import documented

_Result = TypeVar("_Result")
Names: TypeAlias = "frozenset[str] | None"  # of the rules that are looked at; None for all


class ReifiedRules:
    """Rules with the probes that say when they fire; see :class:`ists_asp.trace.Tracer`."""

    def __init__(
        self, rules: RuleSet, solver: Solver[Answer], knowledge: Sequence[str] = ()
    ) -> None:
        self.rules, self.solver = rules, solver
        self.knowledge = tuple(knowledge)
        self._constants = frozenset((*solver.options.constants, *check_kinds({}, rules)))
        kind = ASTType.Definition
        self._definitions = [str(node) for node in rules.statements if node.ast_type is kind]
        self.by_statement = self._cached_probes()
        self.probes = tuple(chain.from_iterable(self.by_statement))
        self.queries: dict[str, tuple[Query, ...]] = {}
        self._rewritten: dict[tuple[int, Names], Rewritten] = {}

    def _cached_probes(self) -> Sequence[tuple[Probe, ...]]:
        """The probes of each statement; those of facts are made again, which is faster."""
        memo, constants = self.rules.memo, sorted(self._constants)
        if memo.store is None:
            each = enumerate(self.rules.both)
            return [probes_of(*rule, number, self._constants) for number, rule in each]

        def data(number: int, statement: AST, rule: NamedRule) -> object:
            probes = probes_of(statement, rule, number, self._constants)
            return [probe.name if probe.is_fact else to_builtins(probe)[1:] for probe in probes]

        def read(statement: AST, rule: NamedRule, probe: Any) -> Probe:  # noqa: ANN401 (JSON)
            if isinstance(probe, str):
                return probe_of_fact(statement, rule, probe)
            return convert([rule, *probe], Probe)

        stored = memo.recall("probes", constants, lambda: self._by_file("probes", data))
        written = zip(self.rules.both, stored, strict=True)
        return [tuple(read(*rule, probe) for probe in probes) for rule, probes in written]

    def _by_file(self, kind: str, data: Callable[[int, AST, NamedRule], _Result]) -> list[_Result]:
        """A result for each statement, stored by file: an edit leaves most files as they are."""
        files = groupby(enumerate(self.rules.both), lambda numbered: numbered[1][1].file)
        parts = [[(number, *rule) for number, rule in part] for _, part in files]
        about = kind, made_by(), sorted(self._constants)
        results = self.rules.memo.over(
            parts,
            lambda part: key_of(*about, *(f"{row[0]} {row[1]}" for row in part)),
            partial(map, lambda part: [*starmap(data, part)]),
            *[lambda _, result: result] * 2,
        )
        return [*chain.from_iterable(results)]

    def _cached(self, key: str, kind: type[_Result], work: Callable[[], _Result]) -> _Result:
        memo = self.rules.memo
        stored = memo.recall(key, sorted(self._constants), lambda: to_builtins(work()))
        return convert(stored, kind)

    @cached_property
    def strata(self) -> Strata:
        """The order in which predicates are derived."""
        return self._cached("strata", Strata, lambda: find_strata(self.probes))

    @cached_property
    def places(self) -> ArgumentTypes:
        """The types of the variables of the rules."""

        def data(number: int, *_: object) -> list[tuple[str, Any]]:
            return [(p.name, p.reading) for p in self.by_statement[number] if not p.is_fact]

        def work() -> ArgumentTypes:
            texts = chain.from_iterable(self._by_file("readings", data))
            reads = {name: Read.from_stored(text, frozenset()) for name, text in texts}
            return argument_types(reads)

        return self._cached("places", ArgumentTypes, work)

    @cached_property
    def restraining(self) -> tuple[frozenset[int], frozenset[int]]:
        """The places of the statements that restrain answers, and of the unconditional ones."""
        return restraining(self.rules)

    @cached_property
    def switched(self) -> Solver[Answer]:
        """A solver of the same rules, with a switch for each that may restrain an answer."""
        restraining, rules = frozenset[int]().union(*self.restraining), self.rules.rules
        return self.solver.switched({place for place in restraining if not is_core(rules[place])})

    @cached_property
    def user_rules(self) -> frozenset[int]:
        """The identities of the user's rules, those that are not shipped."""
        texts = {file.name: shipped_texts(file.path) for file in self.rules.files}
        return frozenset(
            id(rule)
            for rule in self.rules.rules
            if (shipped := texts.get(rule.file)) is not None
            and not any(rule.text in text for text in shipped)
        )

    @cached_property
    def docs(self) -> Mapping[str, str]:
        """The first sentence that comments in the rule files say of predicates as ``token/3``."""
        texts = (file.path.read_text("utf-8", "replace") for file in self.rules.files)
        docs = (doc for text in texts for doc in documented(text))
        return {doc.name: doc.text.partition(". ")[0].removesuffix(".") for doc in docs}

    @cached_property
    def deriving(self) -> Mapping[tuple[str, int], tuple[Probe, ...]]:
        """The probes that may derive the atoms of a predicate; ``-p`` is called so."""
        by_predicate: dict[tuple[str, int], list[Probe]] = defaultdict(list)
        for probe in self.probes:
            if probe.head is not None:
                term = probe.head.atom.symbol
                sign = "-" if term.ast_type is ASTType.UnaryOperation else ""
                for key in {(sign + head.name, len(head.arguments)) for head in functions(term)}:
                    by_predicate[key].append(probe)
        return {key: tuple(probes) for key, probes in by_predicate.items()}

    def matching(self, name: str, parts: Sequence[Term]) -> Iterator[tuple[Probe, Bindings]]:
        """The probes that may derive an atom of these arguments, and what these tell of it."""
        for probe in self.deriving.get((name, len(parts)), ()):
            bound: Bindings = {}
            assert probe.head is not None
            head = read_atom(next(functions(probe.head.atom.symbol)))
            if bind_all(head.arguments, parts, bound):
                yield probe, bound

    def ground(self, probes: Iterable[Probe], atoms: Iterable[Ground]) -> Control:
        """Ground probes over atoms."""
        # Of rules that are equally near a question the one grounded first is told: facts lead.
        ordered = sorted(probes, key=lambda probe: not probe.is_fact)
        text = "\n".join([*self._definitions, *(probe.statement for probe in ordered)])
        return ground_probes(text, atoms, self.solver.arguments)

    def rewritten(self, program: PreparedRules, names: Names = None) -> Rewritten:
        """A program rewritten, each program once; see :class:`Rewritten`."""
        key = id(program), names
        if key not in self._rewritten:
            self._rewritten[key] = Rewritten(self, program, names)
        return self._rewritten[key]


class Rewritten:
    """A program rewritten: the probes of its tables, and those for a pair.

    With the ``names`` of rules only their probes and, of tables, those of what rests on them.
    """

    def __init__(self, reified: ReifiedRules, program: PreparedRules, names: Names = None) -> None:
        self._reified, self.program, self._names = reified, program, names
        open_ = {id(statement) for statement in program.statements}
        once: list[Probe] = []
        per_pair: list[Probe] = []
        for statement, probes in zip(reified.rules.statements, reified.by_statement, strict=True):
            (per_pair if id(statement) in open_ else once).extend(probes)
        self.strata = reified.strata if names is None else Strata({}, frozenset(), frozenset(), {})
        if names is not None:
            derived: set[str] = set()
            added = {probe.predicate for probe in once if probe.rule.name in names}
            while added:
                derived |= added
                resting = (probe for probe in once if not derived.isdisjoint(probe.needs))
                added = {probe.predicate for probe in resting} - derived

            def wanted(probe: Probe) -> bool:
                return probe.rule.name in names or not derived.isdisjoint(probe.needs)

            once, per_pair = [*filter(wanted, once)], [*filter(wanted, per_pair)]
        self.probes = tuple(per_pair)
        self.once = once
        self.table_probes = frozenset(probe.name for probe in once)
        self.known_by_name: dict[str, list[Ground]] = defaultdict(list)
        for predicate, symbols in program.by_predicate.items():
            self.known_by_name[predicate.name] += texts(symbols)
        self.known = frozenset(chain.from_iterable(self.known_by_name.values()))

    @cached_property
    def tables(self) -> RuleInstances:
        """The firings that derive the facts of every pair."""
        looked_at = Grounding(self._ground(self.once, {}), lambda: later_statements(self.once))
        return RuleInstances(self.once, looked_at, self.strata, self.known, frozenset())

    def live(self, atoms: Mapping[str, Sequence[Ground]]) -> list[Probe]:
        """The probes that may fire: there are atoms of all predicates that they need."""
        names = {f"{sign}{name}" for name in (*self.known_by_name, *atoms) for sign in ("", "-")}
        return [probe for probe in self.probes if probe.needs <= names]

    def ground(self, atoms: Mapping[str, Sequence[Ground]]) -> Control:
        """Ground the probes over the atoms of an answer set, without those that are known."""
        return self._ground(self.live(atoms), atoms)

    def _ground(self, probes: Sequence[Probe], atoms: Mapping[str, Sequence[Ground]]) -> Control:
        every = dict.fromkeys((*self.known_by_name, *atoms))
        used = every if self._names is None else spoken_of(probes)
        both = (part.get(name, ()) for part in (self.known_by_name, atoms) for name in used)
        return self._reified.ground(probes, chain.from_iterable(both))

    @cached_property
    def paired(self) -> Sequence[AST]:
        """The probes for several pairs."""

        def work() -> str:
            tables = self.program.tables
            return "\n".join(for_pairs(probe.statement, tables) for probe in self.probes)

        return parse(self._cached("traced pairs", work))

    @cached_property
    def later(self) -> str:
        """The statements that find elements for a pair."""
        return self._cached("elements", lambda: later_statements(self.probes))

    @cached_property
    def paired_later(self) -> str:
        """The statements that find elements for several pairs."""
        tables = self.program.tables
        return self._cached("traced elements", lambda: later_statements(self.probes, tables))

    def _cached(self, key: str, work: Callable[[], str]) -> str:
        options = [list(self._reified.solver.arguments), sorted(map(list, self.program.tables))]
        options += [] if self._names is None else [sorted(self._names)]
        return str(self._reified.rules.memo.recall(key, options, work))
