"""Why an atom cannot be derived: the rule that comes nearest, and what it lacks.

Each rule that could derive the atom is tried without one literal of its body, then without
two. Where it would fire then, these literals are what fails: shown with their values, and
for an atom that is missing the rule that comes nearest to *that*.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations, count
from typing import TYPE_CHECKING, NamedTuple

from clingo import Control, Function, Number, SymbolType, parse_term
from clingo.ast import (
    AST,
    ASTType,
    BinaryOperator,
    ComparisonOperator,
    Id,
    Program,
    ProgramBuilder,
    Rule,
    Sign,
    Variable,
)
from clingo.ast import Function as Function_

from ists_asp.solver.texts import Ground, texts
from ists_asp.trace.terms import (
    PREFIX,
    as_term,
    atom,
    fill,
    is_atom,
    tuple_of,
    variable_names,
)
from ists_asp.trace.tree import Branch, reason_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

    from clingo import Symbol

    from ists_asp.trace.probes import Probe
    from ists_asp.trace.trace import Trace

__all__ = ["Nearest", "Pattern", "Query"]

_DROPPED = 2
"""Literals left out at most."""

_RULES = 3
"""Rules shown at most."""


class Pattern(NamedTuple):
    """An atom, or all atoms that agree in the arguments that are not None."""

    name: str
    arguments: tuple[Ground | None, ...]

    @classmethod
    def of(cls, atom: Ground) -> Pattern:
        """The pattern of one atom."""
        sign = "" if atom.positive else "-"
        return cls(sign + atom.name, atom.arguments)

    @property
    def signature(self) -> tuple[str, int, bool]:
        """Name, number of arguments and sign, as clingo wants them."""
        name = self.name.removeprefix("-")
        return name, len(self.arguments), name == self.name

    def matches(self, atom: Ground) -> bool:
        """Whether an atom is one of these."""
        other = Pattern.of(atom)
        return (
            self.name == other.name
            and len(self.arguments) == len(other.arguments)
            and all(
                mine is None or mine == theirs
                for mine, theirs in zip(self.arguments, other.arguments, strict=True)
            )
        )


@dataclass(frozen=True, slots=True)
class Query:
    """A rule without some literals: which are left out, and which cannot be looked at then."""

    name: str
    probe: Probe
    dropped: tuple[AST, ...]
    unknown: tuple[AST, ...]
    bound: tuple[str, ...]
    statement: AST


@dataclass(frozen=True, slots=True)
class _Miss:
    """A query with values for its variables: the rule would fire but for what it lacks."""

    query: Query
    values: Mapping[str, Ground]
    gap: int

    @property
    def order(self) -> tuple[int, int, int, str, int]:
        rule = self.query.probe.rule
        lacking = len(self.query.dropped) + len(self.query.unknown)
        return lacking, self.gap < 0, self.gap, rule.file, rule.line


class Nearest:
    """Looks for the rules that come nearest to deriving an atom.

    Args:
        trace: the trace whose answer lacks the atom.
        control: a control in which the atoms of an answer set are facts; those of the
            trace's by default.
        true: these atoms.
    """

    def __init__(
        self, trace: Trace, control: Control | None = None, true: Set[Ground] | None = None
    ) -> None:
        self._trace = trace
        self._control = control or trace.control
        self._true = true if true is not None else trace.true
        self._asked: set[Pattern] = set()
        self._parts: set[str] = set()
        self._by_name: defaultdict[str, list[Ground]] | None = None

    def explain(self, pattern: Pattern, depth: int = 6) -> list[Branch]:
        """Branches for the rules that come nearest, the nearest first."""
        self._asked = set()
        return self._explain(pattern, depth)

    def _explain(self, pattern: Pattern, depth: int) -> list[Branch]:
        if pattern in self._asked:
            return [Branch("(see above)")]
        self._asked.add(pattern)
        probes = self._deriving(pattern)
        rules = tuple(probe for probe in probes if probe.body)
        if not rules:
            kinds = "rules list" if probes else "input has"
            return [Branch(f"it is none of those that the {kinds}")]
        probes = rules
        for size in range(1, _DROPPED + 1):
            misses = self._misses(pattern, probes, size)
            hopeful = [miss for miss in misses if not self._is_hopeless(miss)]
            if misses:
                return [self._branch(miss, depth) for miss in (hopeful or misses)[:_RULES]]
        names = sorted({probe.rule.name for probe in probes})
        return [Branch(f"no rule comes near; it could come from {', '.join(names)}")]

    def _matching(self, pattern: Pattern) -> list[Ground]:
        """The atoms of the answer set that a pattern stands for."""
        if self._by_name is None:
            self._by_name = defaultdict(list)
            for symbol in self._true:
                self._by_name[symbol.name].append(symbol)
        name = pattern.name.removeprefix("-")
        return [symbol for symbol in self._by_name[name] if pattern.matches(symbol)]

    def _deriving(self, pattern: Pattern) -> tuple[Probe, ...]:
        return self._trace.tracer.deriving.get((pattern.name, len(pattern.arguments)), ())

    def _misses(self, pattern: Pattern, probes: Sequence[Probe], size: int) -> list[_Miss]:
        """The best instance of each rule, without ``size`` of its literals."""
        part, queries = self._queries(pattern, probes, size)
        if not queries:
            return []
        number = Number(next(_NUMBERS))
        given = [parse_term(part) for part in pattern.arguments if part is not None]
        with self._control.backend() as backend:
            backend.add_rule([backend.add_atom(Function(part, [number, *given]))])
        self._control.ground([(part, [number])])
        best: dict[tuple[str, int], _Miss] = {}
        for query in queries:
            for found in self._control.symbolic_atoms.by_signature(query.name, 3):
                if found.symbol.arguments[2] != number:
                    continue
                miss = _miss(query, found.symbol)
                rule = query.probe.rule
                key = (rule.file, rule.line)
                if key not in best or miss.order < best[key].order:
                    best[key] = miss
        return sorted(best.values(), key=lambda miss: miss.order)

    def _queries(
        self, pattern: Pattern, probes: Sequence[Probe], size: int
    ) -> tuple[str, tuple[Query, ...]]:
        """The part of the program that looks for misses, ready in the control, and its queries.

        Parts are written once for a rule set and the known arguments of a predicate.
        """
        known = "".join("_" if part is None else "x" for part in pattern.arguments)
        sign = "n" if pattern.name.startswith("-") else ""
        part = f"{PREFIX}near{size}_{known}{sign}_{pattern.name.removeprefix('-')}"
        written = self._trace.tracer.queries
        if part not in written:
            written[part] = tuple(
                query for probe in probes for query in _queries(probe, pattern, part, size)
            )
        queries = written[part]
        if queries and part not in self._parts:
            self._parts.add(part)
            place = queries[0].statement.location
            with ProgramBuilder(self._control) as builder:
                builder.add(Program(place, part, [Id(place, _NUMBER)]))
                for query in queries:
                    builder.add(query.statement)
        return part, queries

    def _is_hopeless(self, miss: _Miss) -> bool:
        """Whether a rule lacks what nothing derives and the input has nothing of."""
        for literal in miss.query.dropped:
            if is_atom(literal, Sign.NoSign):
                pattern = _pattern(literal, {})
                if not self._deriving(pattern) and not self._matching(pattern):
                    return True
        return False

    def _branch(self, miss: _Miss, depth: int) -> Branch:
        rule = miss.query.probe.rule
        says = self._trace.words.sentence(miss.query.probe, miss.values)
        where = f"{rule.file}:{rule.line}"
        branch = Branch(
            f"would follow from: {says}", where if rule.name == where else f"{rule.name} {where}"
        )
        for literal in miss.query.dropped:
            branch.below.append(self._failure(literal, miss, depth))
        if miss.query.unknown:
            texts = ", ".join(fill(str(part), miss.values) for part in miss.query.unknown)
            branch.below.append(Branch(f"for which then holds: {texts}"))
        return branch

    def _failure(self, literal: AST, miss: _Miss, depth: int) -> Branch:
        values = miss.values
        if not is_atom(literal):
            branch = Branch(f"fails: {fill(str(literal), values)}")
            branch.below += self._origins(literal, miss, depth)
            return branch
        pattern = _pattern(literal, values)
        if literal.sign == Sign.NoSign:
            branch = Branch(f"missing: {self._told(pattern)}")
            atoms = self._trace.best.control.symbolic_atoms.by_signature(*pattern.signature)
            if any(not found.is_fact and pattern.matches(Ground(found.symbol)) for found in atoms):
                branch.below.append(Branch("it is possible, but not in this answer"))
            elif depth > 1:
                branch.below += self._explain(pattern, depth - 1)
            return branch
        holding = self._matching(pattern)
        if not holding:
            return Branch(f"missing: {self._told(pattern)}")
        shown = self._trace.words.atom(min(holding))
        branch = Branch(f"fails: not {self._told(pattern)}, for there is {shown}")
        if min(holding) in self._trace.true:
            branch.below.append(reason_tree(self._trace, min(holding), depth=min(depth, 2)))
        return branch

    def _origins(self, literal: AST, miss: _Miss, depth: int) -> Iterator[Branch]:
        """Where the numbers of a comparison come from."""
        wanted = variable_names(literal)
        for part in miss.query.probe.body:
            if is_atom(part, Sign.NoSign) and part not in miss.query.dropped:
                pattern = _pattern(part, miss.values)
                symbols = self._matching(pattern)
                if not wanted & variable_names(part) or len(symbols) != 1 or depth <= 1:
                    continue
                if symbols[0] in self._trace.true and self._trace.reasons(symbols[0]):
                    yield reason_tree(self._trace, symbols[0], depth=2)

    def _told(self, pattern: Pattern) -> str:
        if None in pattern.arguments:
            return self._trace.words.pattern(pattern.name, pattern.arguments)
        arguments = [part for part in pattern.arguments if part is not None]
        inside = f"({','.join(arguments)})" if arguments else ""
        return self._trace.words.atom(Ground(f"{pattern.name}{inside}"))


_NUMBERS = count(1)
_NUMBER = f"{PREFIX}number"


def _pattern(literal: AST, values: Mapping[str, Ground]) -> Pattern:
    """An atom of a body with values for its variables; None for what has no value."""
    term, sign = as_term(literal), ""
    while term.ast_type is ASTType.UnaryOperation:
        term, sign = term.argument, "-"
    return Pattern(sign + term.name, tuple(_value(part, values) for part in term.arguments))


def _value(term: AST, values: Mapping[str, Ground]) -> Ground | None:
    if term.ast_type is ASTType.SymbolicTerm:
        return Ground(term.symbol)
    if term.ast_type is ASTType.Variable:
        return values.get(term.name)
    if term.ast_type is ASTType.Function:
        parts = [_value(part, values) for part in term.arguments]
        if term.name.startswith(PREFIX) or any(part is None for part in parts):
            return None
        inside = ",".join(part for part in parts if part is not None)
        return Ground(f"{term.name}({inside}{',' if not term.name and len(parts) == 1 else ''})")
    if term.ast_type is ASTType.BinaryOperation:
        left, right = _value(term.left, values), _value(term.right, values)
        if left is None or right is None:
            return None
        if SymbolType.Number is left.type is right.type:
            if term.operator_type == BinaryOperator.Plus:
                return Ground(left.number + right.number)
            if term.operator_type == BinaryOperator.Minus:
                return Ground(left.number - right.number)
    return None


def _queries(probe: Probe, pattern: Pattern, goal: str, size: int) -> Iterator[Query]:
    assert probe.head is not None
    place = probe.head.location
    term = probe.head.atom.symbol
    while term.ast_type is ASTType.UnaryOperation:
        term = term.argument
    number = Function_(place, _NUMBER, [], 0)
    closed = [
        part
        for part, value in zip(term.arguments, pattern.arguments, strict=True)
        if value is not None
    ]
    wanted = atom(place, goal, [number, *closed])
    for chosen in combinations(range(len(probe.body)), size):
        dropped = tuple(probe.body[index] for index in chosen)
        rest = [part for index, part in enumerate(probe.body) if index not in chosen]
        used, bound = _usable(wanted, rest, set(probe.variables))
        if wanted not in used:
            continue
        unknown = tuple(part for part in rest if part not in used)
        names = tuple(sorted(bound))
        sides = tuple_of(place, _sides(dropped, bound))
        label = f"{goal}_{probe.name}_{'_'.join(map(str, chosen))}"
        variables = tuple_of(place, [Variable(place, name) for name in names])
        head = atom(place, label, [variables, sides, number])
        yield Query(label, probe, dropped, unknown, names, Rule(place, head, used))


def _usable(wanted: AST, rest: Sequence[AST], variables: set[str]) -> tuple[list[AST], set[str]]:
    """The literals that still have values for all their variables, and the variables."""
    bound: set[str] = set()
    used: list[AST] = []
    waiting = [wanted, *rest]
    while True:
        for part in waiting:
            given = _provides(part, bound)
            if (variable_names(part, local=True) & variables) <= bound | given:
                bound |= given
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
    inner = part.atom
    if inner.ast_type is ASTType.Comparison and len(inner.guards) == 1:
        guard = inner.guards[0]
        if guard.comparison == ComparisonOperator.Equal:
            if variable_names(guard.term) <= bound:
                return _matched(inner.term)
            if variable_names(inner.term) <= bound:
                return _matched(guard.term)
    if inner.ast_type in (ASTType.BodyAggregate, ASTType.Aggregate):
        guard = inner.left_guard
        if guard is not None and guard.comparison == ComparisonOperator.Equal:
            return _matched(guard.term)
    return set()


def _matched(term: AST) -> set[str]:
    """The variables of a term that matching it gives values to."""
    if term.ast_type is ASTType.Variable:
        return {term.name}
    if term.ast_type is ASTType.Function:
        return set().union(*map(_matched, term.arguments)) if term.arguments else set()
    if term.ast_type is ASTType.UnaryOperation:
        return _matched(term.argument)
    if term.ast_type is ASTType.BinaryOperation and term.operator_type in (
        BinaryOperator.Plus,
        BinaryOperator.Minus,
    ):
        sides = (term.left, term.right)
        fixed = [side for side in sides if side.ast_type is ASTType.SymbolicTerm]
        if len(fixed) == 1:
            return set().union(*(_matched(side) for side in sides if side is not fixed[0]))
    return set()


def _sides(dropped: Sequence[AST], bound: Set[str]) -> list[AST]:
    """Both sides of a comparison that is left out, to see by how much it fails."""
    if len(dropped) != 1 or dropped[0].ast_type is not ASTType.Literal:
        return []
    comparison = dropped[0].atom
    if comparison.ast_type is not ASTType.Comparison or len(comparison.guards) != 1:
        return []
    sides = [comparison.term, comparison.guards[0].term]
    if any(side.ast_type is ASTType.Interval for side in sides):
        return []
    if any(not variable_names(side) <= bound for side in sides):
        return []
    return sides


def _miss(query: Query, symbol: Symbol) -> _Miss:
    variables, sides, _ = symbol.arguments
    values = dict(zip(query.bound, texts(variables.arguments), strict=True))
    gap = -1
    if len(sides.arguments) == 2:
        left, right = sides.arguments
        if SymbolType.Number is left.type is right.type:
            gap = abs(left.number - right.number)
    return _Miss(query, values, gap)
