"""Rules made ready for a pair: tables worked out, the rest ground, answer sets found.

A predicate is a table if nothing but facts, and rules over tables, define it.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import chain
from typing import TypeVar

from clingo import Control, Symbol
from clingo.ast import AST, ASTType

from ists_asp import vocabulary as v
from ists_asp.confidence import WEIGHTS, Weights
from ists_asp.errors import RuleError, UnsatisfiableError, too_late
from ists_asp.rules.loader import RuleSet
from ists_asp.rules.parsing import Messages, RuleWarning
from ists_asp.rules.profiles import check_kinds
from ists_asp.solver import search
from ists_asp.solver.bounds import Objective
from ists_asp.solver.statements import FactLoader, Shape, Shapes, quick, slow
from ists_asp.syntax.ground import Atoms, Later, split, symbols, written
from ists_asp.syntax.trees import Signature, parse, reached, signature

A = TypeVar("A")

NAMING = {ASTType.Definition, ASTType.Minimize, ASTType.Rule, ASTType.ShowSignature}
KINDS = {*NAMING, ASTType.Defined}
_PLAIN = {*KINDS, ASTType.ShowTerm}
# Statements that all others may refer to, or that name predicates for clingo.
_EVERYWHERE = frozenset({ASTType.Defined, ASTType.Definition, ASTType.Script})


@dataclass(frozen=True)
class PreparedRules:
    """A rule set made ready: what is grounded for each pair, no facts, and what holds for each."""

    statements: Sequence[AST]
    by_predicate: Mapping[Signature, Sequence[Symbol]]  # atoms that hold, of tables and others
    tables: frozenset[Signature]
    derived: bool  # some table has rules: more facts could have consequences
    calls: bool  # some statement calls a function, such as @f(X), which is not there
    # What clingo sees of some statements, by the number of a statement: see quick.
    written: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def grounded(self) -> tuple[Sequence[AST], Sequence[Symbol]]:
        """The statements as clingo grounds them in the least time, and facts for them."""
        # Several rules may have the same pool; a fact takes less time than a rule.
        lines = dict.fromkeys("\n".join(self.written.values()).split("\n"))
        left = [node for place, node in enumerate(self.statements) if place not in self.written]
        pools = (line[:-2].split("(", 1) for line in lines if ":-" not in line)
        facts = symbols(f"{name}({part})" for name, pool in pools for part in split(pool, ";"))
        return [*left, *parse("\n".join(line for line in lines if ":-" in line))], facts

    @cached_property
    def facts(self) -> tuple[Symbol, ...]:
        """Atoms that hold for each pair, predicate by predicate."""
        return tuple(chain.from_iterable(self.by_predicate.values()))

    @cached_property
    def loader(self) -> FactLoader:
        """The same, on their way to a control object."""
        return FactLoader({} if self.calls else self.by_predicate, self.facts if self.calls else ())


def prepared(
    rules: RuleSet,
    arguments: Sequence[str],
    messages: Messages,
    shapes: Shapes,
    *,
    tables: bool = True,
) -> PreparedRules:
    """As :func:`prepare`, but remembered, unless clingo has warned of something."""

    def compute() -> dict[str, object]:
        program = prepare(rules.statements, arguments, messages, shapes, tables=tables)
        _refuse_two_weights(program, rules)
        written = _quick(program.statements, shapes)
        shapes.keep()
        open_ = {id(node) for node in program.statements}
        return {
            "places": [place for place, node in enumerate(rules.statements) if id(node) in open_],
            "facts": [[*name, Atoms.of(its).text] for name, its in program.by_predicate.items()],
            "tables": sorted(map(list, program.tables)),
            "derived": program.derived,
            "calls": program.calls,
            "written": [*written.items()],
        }

    about, before = [list(arguments), tables], messages.warnings
    stored = rules.memo.recall("program", about, compute, lambda: messages.warnings == before)
    return PreparedRules(
        Later(lambda: (rules.statements[place] for place in stored["places"])),
        {Signature(*name): Atoms(text) for *name, text in stored["facts"]},
        frozenset(Signature(*name) for name in stored["tables"]),
        stored["derived"],
        stored["calls"],
        dict(stored["written"]),
    )


def _quick(statements: Sequence[AST], shapes: Shapes) -> dict[int, str]:
    """Slow rules as quick ones."""
    above: dict[Signature, set[Signature]] = defaultdict(set)
    for shape in map(shapes.of, statements):
        for name in shape.predicates:
            above[name] |= shape.head

    rest_on = cache(partial(reached, above))

    def quickly(node: AST) -> str:
        shape = shapes.of(node)
        own = shape.body.intersection(set().union(*map(rest_on, shape.head)))
        return str(shapes.recall(node, "quick", partial(quick, node, own), sorted(map(list, own))))

    return {place: quickly(node) for place, node in enumerate(statements) if slow(node)}


def _refuse_two_weights(program: PreparedRules, rules: RuleSet) -> None:
    """Refuse two weights for one name and class, however rules come by them: both would count."""
    for predicate in v.WEIGHTS:
        values: dict[str, Symbol] = {}
        for symbol in program.by_predicate.get(predicate.signature, ()):
            name, decision, value = symbol.arguments
            about = f"{predicate.name}({name},{decision},"
            if values.setdefault(about, value) != value:
                # Those of the user come last.
                start = f"{predicate.name}("
                *_, rule = (rule for rule in rules.rules if rule.text.startswith(start))
                found = f"{about}…) is given as {values[about]} and as {value}"
                hint = f"Give one; {v.CORRECTION.name}({name},{decision},N) adds N to a weight"
                raise RuleError(found, where=f"{rule.file}:{rule.line}", hint=hint)


def prepare(
    statements: Sequence[AST],
    arguments: Sequence[str],
    messages: Messages,
    shapes: Shapes,
    *,
    tables: bool = True,
) -> PreparedRules:
    """Find the tables of a rule set and evaluate them; without ``tables`` only its facts.

    Statements that make a predicate known in other ways, such as ``#external``, prevent it, too.
    """
    shaped = [(node, shapes.of(node)) for node in statements]
    base = "#program base."
    used = [
        (node, at) for node, at in shaped if at.kind is not ASTType.Program or str(node) != base
    ]
    closed: set[Signature] = set()
    if tables and all(shape.kind in _PLAIN for _, shape in used):
        closed = _tables(shape for _, shape in used)
    definitions = [node for node, shape in used if shape.kind in _EVERYWHERE]
    while True:
        once = [(node, at) for node, at in used if at.fact or (at.derives and at.head <= closed)]
        nodes = (node for node, _ in once)
        control = search.ground([*definitions, *nodes], (), arguments, messages)
        by_predicate: dict[Signature, list[Symbol]] = {}
        open_ = set()
        ruled = {name for _, at in once if not at.fact for name in at.derived if name in closed}
        for name, arity, positive in control.symbolic_atoms.signatures:
            key = Signature(name, arity)
            for atom in control.symbolic_atoms.by_signature(name, arity, positive):
                by_predicate.setdefault(key, []).append(atom.symbol)
                if key in ruled and not atom.is_fact:
                    open_.add(key)
        if not open_:
            break
        # Tables that call one another through negation are for the solver to decide.
        closed = _closed((shape for _, shape in used), closed - open_)
    evaluated = {id(node) for node, _ in once}
    return PreparedRules(
        tuple(node for node, _ in used if id(node) not in evaluated),
        by_predicate,
        frozenset(closed),
        any(not shape.fact for _, shape in once),
        any(shape.calls for _, shape in shaped),
    )


def _tables(statements: Iterable[Shape]) -> set[Signature]:
    """Predicates that facts, or rules over other such predicates, define; always corrections."""
    rules = [shape for shape in statements if shape.kind is ASTType.Rule]
    defined, chosen = set[Signature](), set[Signature]()
    for shape in rules:
        # What a choice derives is among the atoms of its head, as are the conditions for it.
        (defined if shape.derives else chosen).update(shape.derived)
    if v.WEIGHT.signature in defined:
        defined.add(v.CORRECTION.signature)
    return _closed(rules, defined - chosen)


def _closed(statements: Iterable[Shape], tables: set[Signature]) -> set[Signature]:
    """The largest subset whose rules use no predicates outside it."""
    rules = [(shape.head, shape.body) for shape in statements if shape.derives and not shape.fact]
    tables = set(tables)
    while True:
        lost = {name for heads, body in rules if not body <= tables for name in heads} & tables
        if not lost:
            return tables
        tables -= lost


class Grounder:
    """Grounds the ``program`` of a rule set for one pair at a time, with clingo's ``arguments``."""

    def __init__(self, rules: RuleSet, options: search.SolverOptions, shapes: Shapes) -> None:
        self._messages = Messages(rules.names)
        check_kinds(options.constants, rules)
        self.arguments = tuple(search.constant_arguments(options.constants))
        self._prepared = partial(prepared, rules, self.arguments, self._messages, shapes)
        self.program = self._prepared(tables=True)
        self._warned = False

    @cached_property
    def _plain(self) -> PreparedRules:
        """The program with its tables left to clingo: few pairs ask for it."""
        return self._prepared(tables=False)

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """Warnings of clingo so far, such as about atoms that no rule derives."""
        return self._messages.warnings

    def ground(
        self,
        facts: Sequence[Symbol],
        strategy: str = search.CORE_GUIDED,
        objective: Objective | None = None,
    ) -> Control:
        """Ground the rules for a pair; see :func:`~ists_asp.solver.search.ground`."""
        program, arguments = self.program_for(facts), (strategy, *self.arguments)
        loader, objective = program.loader, objective or Objective()
        if program.written and not self._warned:
            heard, (rules, pools) = Messages(), program.grounded
            more = chain(facts, pools)
            with suppress(RuleError):
                control = search.ground(rules, more, arguments, heard, objective, loader)
                if not heard.warnings:
                    return control
            # What is wrong is said in the words of the rules.
            self._warned = True
            objective.clear()
        statements = program.statements
        return search.ground(statements, facts, arguments, self._messages, objective, loader)

    def program_for(self, facts: Iterable[Symbol]) -> PreparedRules:
        """The program, its tables left to clingo where a pair's facts add to them."""
        tables = self.program.tables
        if self.program.derived and any(signature(fact) in tables for fact in facts):
            return self._plain
        return self.program


_LEAST = 1.0  # seconds for a search, if the limit for a pair is not less


class Alone:
    """The answer sets of a pair, the best first.

    ``control`` is the ground program, ``objective`` has watched it being grounded, and ``last`` is
    the answer set that was found last. ``grounding`` and ``solving`` are seconds. The time limit is
    for both, but the search has a second at least. All ``atoms`` are found where they are needed.
    """

    last: search.AnswerSet

    def __init__(
        self,
        grounder: Grounder,
        facts: Sequence[Symbol],
        time_limit: float,
        objective: Objective,
        *,
        atoms: bool,
    ) -> None:
        self._grounder, self._facts = grounder, facts
        self._time_limit, self._atoms, self.objective = time_limit, atoms, objective
        began = time.process_time()
        self._ends = began + time_limit
        self.control: Control = grounder.ground(facts, objective=objective)
        self.grounding = time.process_time() - began
        self.solving = 0.0

    @property
    def program(self) -> PreparedRules:
        """The rules and tables that were grounded for the pair."""
        return self._grounder.program_for(self._facts)

    def answers(
        self, read: Callable[[search.AnswerSet, Callable[[], Weights]], A], models: int
    ) -> list[A]:
        """Read so many answer sets, at least one, or as many as there is time for."""
        began = time.process_time()
        # Whether there is an answer set must not rest on milliseconds.
        least = min(self._time_limit, _LEAST)
        left = max(self._ends - began, least)
        answer_set, unsatisfiable = self._search(left, patience=left / 2)
        if answer_set is None and not unsatisfiable:
            self.objective = Objective()
            self.control = self._grounder.ground(self._facts, search.FALLBACK, self.objective)
            answer_set, unsatisfiable = self._search(max(self._ends - time.process_time(), least))
        if unsatisfiable:
            hint = "Look for a constraint (a rule without a head) that cannot hold"
            raise UnsatisfiableError("the rules admit no answer set", hint=hint)
        if answer_set is None:
            raise too_late(self._time_limit)
        answers: list[A] = []
        while answer_set is not None:
            self.last = answer_set
            answers.append(read(answer_set, partial(weights_of, self.control)))
            left = self._ends - time.process_time()
            if len(answers) == models or left <= 0:
                break
            search.exclude(self.control, answer_set)
            answer_set, _ = self._search(left)
        self.solving = time.process_time() - began
        return answers

    def _search(
        self, seconds: float, patience: float | None = None
    ) -> tuple[search.AnswerSet | None, bool]:
        return search.search(
            self.control, seconds, atoms=self._atoms, patience=patience, objective=self.objective
        )


def weights_of(control: Control) -> Weights:
    """The weights in a ground program."""
    return {name: argument_texts(control, name, arity) for name, arity in WEIGHTS}


def argument_texts(control: Control, name: str, arity: int) -> list[str]:
    """The arguments of the atoms of a predicate, as text."""
    atoms = [atom.symbol for atom in control.symbolic_atoms.by_signature(name, arity)]
    return [text[text.index("(") + 1 : -1] for text in written(atoms)] if atoms else []
