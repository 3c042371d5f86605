"""Why an atom cannot be derived: the rule that comes nearest, and what it lacks.

Each rule that could derive the atom is tried without one literal of its body, then without
two. Where it would fire then, these literals are what fails: shown with their values, and
for an atom that is missing the rule that comes nearest to *that*.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import chain, combinations, count
from typing import NamedTuple

from clingo import Control, Function, Number, Symbol, SymbolType, ast, parse_term
from clingo.ast import AST, ASTType, ComparisonOperator, Sign

from ists_asp.rules.catalogue import is_core
from ists_asp.syntax import trees
from ists_asp.syntax.ground import Ground, by_name, texts
from ists_asp.syntax.terms import Term, filled_atom, is_ground, read_atom, reread, written
from ists_asp.syntax.trees import ANY, PREFIX, fill, functions, is_atom, tuple_of, variable_names
from ists_asp.trace.decisions import RulePlace, own_rules
from ists_asp.trace.instances import agrees
from ists_asp.trace.probes import Probe, Query, spoken_of
from ists_asp.trace.rendering import Branch, Grower, render, user_branch
from ists_asp.trace.trace import Trace

_COMPARED = re.compile(r"(?!not )([^<>=!]+) ([<>]=?) ([^<>=!.]+)")
_UNMET = {">": "is not more than", "<": "is not less than", ">=": "is below", "<=": "is above"}
_DROPPED = 2  # literals left out at most
_RULES = 3  # rules shown at most
_NUMBERS = count(1)
NUMBER = f"{PREFIX}number"  # the parameter of the statements: the number of a question
_SUMS = (ast.BinaryOperator.Plus, ast.BinaryOperator.Minus)


class _Miss(NamedTuple):
    """A query with values for its variables: the rule would fire but for what it lacks."""

    query: Query
    values: Mapping[str, Ground]
    gap: int

    @classmethod
    def of(cls, query: Query, symbol: Symbol) -> _Miss:
        """The miss of an instance of a query; two sides are those of a comparison that fails."""
        variables, sides, _ = symbol.arguments
        ends = [side.number for side in sides.arguments if side.type is SymbolType.Number]
        gap = abs(ends[0] - ends[1]) if len(ends) == 2 else -1
        return cls(query, dict(zip(query.bound, texts(variables.arguments), strict=True)), gap)

    @property
    def order(self) -> tuple[int | str, ...]:
        rule = self.query.probe.rule
        lacking = len(self.query.dropped) + len(self.query.unknown)
        denied = any(is_atom(literal, Sign.Negation) for literal in self.query.dropped)
        return lacking, is_core(rule), self.gap < 0, self.gap, not denied, rule.file, rule.line


class NearMisses:
    """Looks for the rules nearest to deriving an atom that this, or another, answer set lacks."""

    def __init__(
        self, trace: Trace, control: Control | None = None, true: Set[Ground] | None = None
    ) -> None:
        self._trace = trace
        self._control = control or trace.control
        self._true = true if true is not None else trace.true
        self._asked: set[Ground] = set()
        self._parts: set[str] = set()

    @cached_property
    def _by_name(self) -> dict[str, list[Ground]]:
        return by_name(self._true)

    def explain(self, wanted: Ground, depth: int = 6) -> list[Branch]:
        """Branches for rules nearest to an atom (:data:`ANY`: anything), ``depth`` rules deep."""
        self._asked = set()
        parts = tuple(reread(part, frozenset({ANY})) for part in wanted.arguments)
        arguments = [ANY if ANY in part else part for part in wanted.arguments]
        return self._explain(
            Ground(trees.written(wanted.partition("(")[0], arguments)), depth, parts
        )

    def of_rules(self, names: Collection[str]) -> Iterator[Branch]:
        """The literals that rules with some names lack to fire: of each the nearest instance."""
        return (self._branch(miss, 1) for miss in self._nearest(_with_body(self._trace, names)))

    def _nearest(self, probes: Iterable[Probe]) -> Iterator[_Miss]:
        for probe in probes:
            assert probe.head is not None
            head = next(functions(probe.head.atom.symbol))
            wanted = Ground(trees.written(head.name, [ANY] * len(head.arguments)))
            misses = (self._misses(wanted, [probe], size + 1) for size in range(_DROPPED))
            yield from next(filter(None, misses), [])

    @classmethod
    def any_of(cls, trace: Trace, names: Collection[str]) -> bool:
        """Whether some of the rules come near: to find out takes less than to say how."""
        probes = _with_body(trace, names)
        atoms = chain.from_iterable(map(trace.atoms, spoken_of(probes)))
        nearest = cls(trace, trace.reified.ground((), atoms))._nearest(probes)
        return next(nearest, None) is not None

    def _explain(
        self, wanted: Ground, depth: int, parts: Sequence[Term] | None = None
    ) -> list[Branch]:
        """``parts`` are the arguments in more detail: with what is known inside of them."""
        tell = self._trace.tell
        if wanted in self._asked:
            return [Branch(self._trace.tell("(see above)"))]
        self._asked.add(wanted)
        probes_ = [*self._deriving(wanted)]
        if parts is not None:
            matching = self._trace.reified.matching(wanted.partition("(")[0], parts)
            probes_ = [probe for probe, _ in matching]
        probes = [probe for probe in probes_ if probe.body]
        if not probes:
            lists = "it is none of those that the rules list"
            return [Branch(tell(lists if probes_ else "it is none of those that the input has"))]
        nearest: list[_Miss] = []
        for size in range(1, _DROPPED + 1):
            misses = self._misses(wanted, probes, size)
            if hopeful := [miss for miss in misses if not self._is_hopeless(miss)]:
                return [self._branch(miss, depth) for miss in hopeful[:_RULES]]
            nearest = nearest or misses
        names = ", ".join(sorted({probe.rule.name for probe in probes}))
        branches = [self._branch(miss, depth) for miss in nearest[:_RULES]]
        return branches or [Branch(tell("no rule comes near"), names)]

    def _matching(self, wanted: Ground) -> list[Ground]:
        return [atom for atom in self._by_name.get(wanted.name, ()) if agrees(wanted, atom)]

    def _deriving(self, wanted: Ground) -> tuple[Probe, ...]:
        key = wanted.partition("(")[0], len(wanted.arguments)
        return self._trace.reified.deriving.get(key, ())

    def _misses(self, wanted: Ground, probes: Sequence[Probe], size: int) -> list[_Miss]:
        """The best instance of each rule, without ``size`` of its literals."""
        part, queries = self._queries(wanted, probes, size)
        chosen = {id(probe) for probe in probes}
        queries = tuple(query for query in queries if id(query.probe) in chosen)
        if not queries:
            return []
        number = Number(next(_NUMBERS))
        arguments = [parse_term(part) for part in wanted.arguments if part != ANY]
        with self._control.backend() as backend:
            backend.add_rule([backend.add_atom(Function(part, [number, *arguments]))])
        self._control.ground([(part, [number])])
        misses = [
            _Miss.of(query, atom.symbol)
            for query in queries
            for atom in self._control.symbolic_atoms.by_signature(query.name, 3)
            if atom.symbol.arguments[2] == number
        ]
        best: dict[tuple[str, int], _Miss] = {}
        for miss in sorted(misses, key=lambda miss: miss.order):
            place = miss.query.probe.rule.file, miss.query.probe.rule.line
            absent = (literal for literal in miss.query.dropped if is_atom(literal, Sign.NoSign))
            # What holds is not missing: something that is unknown without it fails.
            holds = (self._matching(_wanted(literal, miss.values)) for literal in absent)
            if place not in best and not any(holds):
                best[place] = miss
        return list(best.values())

    def _queries(
        self, wanted: Ground, probes: Sequence[Probe], size: int
    ) -> tuple[str, tuple[Query, ...]]:
        """The part of the program that looks for misses, ready in the control, and its queries."""
        are_known = [part != ANY for part in wanted.arguments]
        pattern = "".join("x" if is_known else "_" for is_known in are_known)
        part = f"{PREFIX}near{size}_{pattern}{'' if wanted.positive else 'n'}_{wanted.name}"
        if len(probes) == 1:
            part += probes[0].name
        written = self._trace.reified.queries
        if part not in written:
            written[part] = tuple(
                query
                for probe in (probes if len(probes) == 1 else self._deriving(wanted))
                if probe.body
                for query in queries_of(probe, are_known, part, size)
            )
        queries = written[part]
        if queries and part not in self._parts:
            self._parts.add(part)
            self._control.add(part, [NUMBER], "\n".join(query.statement for query in queries))
        return part, queries

    def _is_hopeless(self, miss: _Miss) -> bool:
        """Whether a rule lacks what nothing can derive, or is for other rule sets than these."""
        denied = (part for part in miss.query.dropped if is_atom(part, Sign.Negation))
        denied_atoms = [self._matching(_wanted(literal, miss.values)) for literal in denied]
        if is_core(miss.query.probe.rule) and self._trace.rewritten.known & {*chain(*denied_atoms)}:
            return True
        for literal in (part for part in miss.query.dropped if is_atom(part, Sign.NoSign)):
            atom, exact = _wanted(literal, {}), _wanted(literal, miss.values)
            if not (self._trace.deriving(exact) if self._deriving(atom) else self._matching(atom)):
                return True
        return False

    def _branch(self, miss: _Miss, depth: int) -> Branch:
        probe = miss.query.probe
        says, tell = self._trace.words.sentence(probe, miss.values), self._trace.tell
        text, place = tell("would follow from: {says}", says=says), str(RulePlace.of(probe.rule))
        branch = Branch(text, place, says=says)
        branch.below = [self._failure(literal, miss, depth) for literal in miss.query.dropped]
        for literal in miss.query.unknown:
            denied = is_atom(literal, Sign.Negation)
            needs = "must not hold: {text}" if denied else "must also hold: {text}"
            branch.below.append(self._said(needs, literal, miss.values))
        return branch

    def _said(self, says: str, literal: AST, values: Mapping[str, Ground]) -> Branch:
        """A literal in words; behind them as code, where only that tells all."""
        text, code, tell = fill(str(literal), values), "", self._trace.tell
        if is_atom(literal):
            wanted = _wanted(literal, values)
            text = self._trace.deriving(wanted) or self._trace.described(wanted)
        elif trees.predicates(literal) or not variable_names(literal) <= values.keys():
            text, code = tell("a condition of this rule"), text
        return Branch(tell(says, text=text), code)

    def _failure(self, literal: AST, miss: _Miss, depth: int) -> Branch:
        values, tell = miss.values, self._trace.tell
        if not is_atom(literal):
            branch = self._said("fails: {text}", literal, values)
            if not branch.where and (match := _COMPARED.fullmatch(fill(str(literal), values))):
                branch.text = f"{match[1]} {tell(_UNMET[match[2]])} {match[3]}"
            branch.below = list(self._origins(literal, miss, depth))
            return branch
        wanted, branch = _wanted(literal, values), self._said("missing: {text}", literal, values)
        if literal.sign == Sign.NoSign:
            signature = wanted.name, len(wanted.arguments), wanted.positive
            atoms = self._trace.best.control.symbolic_atoms.by_signature(*signature)
            if any(agrees(wanted, Ground(atom.symbol)) for atom in atoms if not atom.is_fact):
                branch.below.append(Branch(tell("it is possible, but not in this answer")))
            elif depth > 1:
                branch.below += self._explain(wanted, depth - 1)
            return branch
        first = min(self._matching(wanted), default=None)
        if first is None:
            return branch
        branch = Branch(tell("fails, as this holds: {text}", text=self._trace.described(first)))
        if first in self._trace.true:
            branch = Branch(tell("fails, as this holds"))
            branch.below += Grower(self._trace, min(depth, 2)).atom(first)
            rendered = "\n".join(render(branch))
            users = own_rules(self._trace, [first])
            unseen = [reason for reason in users if f"[{reason.rule}]" not in rendered]
            branch.below += user_branch(self._trace, unseen)
        return branch

    def _origins(self, literal: AST, miss: _Miss, depth: int) -> Iterator[Branch]:
        """Where the numbers of a comparison come from."""
        wanted = variable_names(literal)
        for part in miss.query.probe.body if depth > 1 else ():
            used = is_atom(part, Sign.NoSign) and part not in miss.query.dropped
            if used and wanted & variable_names(part):
                atoms = self._matching(_wanted(part, miss.values))
                true = self._trace.true.issuperset(atoms)
                if len(atoms) == 1 and true and self._trace.reasons(atoms[0]):
                    yield from Grower(self._trace, 2).atom(atoms[0])


def _with_body(trace: Trace, names: Collection[str]) -> list[Probe]:
    """The probes of rules with some names that derive atoms from others."""
    probes = (probe for probe in trace.reified.probes if probe.rule.name in names)
    return [probe for probe in probes if probe.head is not None and probe.body]


def _wanted(literal: AST, values: Mapping[str, Ground]) -> Ground:
    """An atom of a body with values for its variables; an argument without one may be anything."""
    term = literal.atom.symbol
    sign = "-" if term.ast_type is ASTType.UnaryOperation else ""
    (term,) = functions(term)
    atom = filled_atom(read_atom(term), dict(values))
    arguments = [written(part) if is_ground(part) else ANY for part in atom.arguments]
    return Ground(trees.written(sign + atom.name, arguments))


def queries_of(probe: Probe, known: Sequence[bool], goal: str, size: int) -> Iterator[Query]:
    """The ways to leave ``size`` literals out of a rule.

    ``goal``, a predicate, has the number of a question, and the ``known`` arguments of the head.
    """
    assert probe.head is not None
    place = probe.head.location
    (term,) = functions(probe.head.atom.symbol)
    number = ast.Function(place, NUMBER, [], 0)
    closed = [part for part, is_known in zip(term.arguments, known, strict=True) if is_known]
    wanted = trees.atom(place, goal, [number, *closed])
    body = probe.body
    for chosen in combinations(range(len(body)), size):
        dropped = tuple(body[index] for index in chosen)
        rest = [part for index, part in enumerate(body) if index not in chosen]
        used, bound = _usable(wanted, rest, set(probe.variables))
        if wanted not in used:
            continue
        unknown = tuple(part for part in rest if part not in used)
        names = tuple(sorted(bound))
        label = f"{goal}_{probe.name}_{'_'.join(map(str, chosen))}"
        variables = tuple_of(place, [ast.Variable(place, name) for name in names])
        sides = tuple_of(place, _sides(dropped, bound))
        head = trees.atom(place, label, [variables, sides, number])
        yield Query(label, probe, dropped, unknown, names, str(ast.Rule(place, head, used)))


def _usable(wanted: AST, rest: Sequence[AST], variables: set[str]) -> tuple[list[AST], set[str]]:
    """The literals that still have values for all their variables, and the variables."""
    bound: set[str] = set()
    used: list[AST] = []
    waiting = [wanted, *rest]
    while True:
        for part in waiting:
            provided = _provides(part, bound)
            if (variable_names(part, local=True) & variables) <= bound | provided:
                bound |= provided
                used.append(part)
                waiting = [other for other in waiting if other is not part]
                break
        else:
            return used, bound & variables


def _provides(part: AST, bound: Set[str]) -> set[str]:
    """The variables that a literal gives values to, if those of ``bound`` have some."""
    if is_atom(part, Sign.NoSign):
        return _matched(part.atom.symbol)
    if part.ast_type is not ASTType.Literal or part.sign != Sign.NoSign:
        return set()
    inner, guard, sides = part.atom, None, []
    if inner.ast_type is ASTType.Comparison and len(inner.guards) == 1:
        (guard,) = inner.guards
        sides = [(inner.term, variable_names(guard.term)), (guard.term, variable_names(inner.term))]
    elif inner.ast_type in (ASTType.BodyAggregate, ASTType.Aggregate):
        guard = inner.left_guard
        sides = [(guard.term, set())] if guard is not None else []
    if guard is None or guard.comparison != ComparisonOperator.Equal:
        return set()
    return next((_matched(term) for term, needed in sides if needed <= bound), set())


def _matched(term: AST) -> set[str]:
    """The variables of a term that matching it gives values to."""
    kind, parts = term.ast_type, [*trees.children(term)]
    if kind is ASTType.Variable:
        return {term.name}
    if kind is ASTType.BinaryOperation and term.operator_type in _SUMS:
        matched = any(side.ast_type is ASTType.SymbolicTerm for side in parts)
    else:
        matched = kind in (ASTType.Function, ASTType.UnaryOperation)
    return set().union(*map(_matched, parts)) if matched else set()


def _sides(dropped: Sequence[AST], bound: Set[str]) -> list[AST]:
    """Both sides of a comparison that is left out, to see by how much it fails."""
    comparison = dropped[0].atom if dropped[0].ast_type is ASTType.Literal else dropped[0]
    if len(dropped) > 1 or comparison.ast_type is not ASTType.Comparison:
        return []
    sides = [comparison.term, *(guard.term for guard in comparison.guards)]
    usable = len(sides) == 2 and all(
        side.ast_type is not ASTType.Interval and variable_names(side) <= bound for side in sides
    )
    return sides if usable else []
