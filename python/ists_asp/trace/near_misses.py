"""Why an atom cannot be derived: the rule that comes nearest, and what it lacks.

Each rule that could derive the atom is tried without one literal of its body, then without
two. Where it would fire then, these literals are what fails: shown with their values, and
for an atom that is missing the rule that comes nearest to *that*.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from clingo import Control, Function, Number, SymbolType, parse_term
from clingo.ast import AST, ASTType, BinaryOperator, Id, Program, ProgramBuilder, Sign

from ists_asp.syntax.changes import ANY, PREFIX, as_term, fill, is_atom, variable_names
from ists_asp.syntax.ground import Ground, texts
from ists_asp.trace.evidence import RulePlace, own_rules
from ists_asp.trace.rewriting import NUMBER, Query, queries_of
from ists_asp.trace.tree import Branch, own, reason_tree, render

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

    from clingo import Symbol

    from ists_asp.trace.probes import Probe
    from ists_asp.trace.trace import Trace


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


def pattern_of(literal: AST, values: Mapping[str, Ground]) -> Pattern:
    """An atom of a body with values for its variables; None for what has no value."""
    term, sign = as_term(literal), ""
    while term.ast_type is ASTType.UnaryOperation:
        term, sign = term.argument, "-"
    return Pattern(sign + term.name, tuple(_value(part, values) for part in term.arguments))


def may_agree(term: Ground, written: AST) -> bool:
    """Whether a term with gaps may be what a term of a rule stands for, as far as one can see."""
    if str(term) == ANY:
        return True
    if written.ast_type is ASTType.SymbolicTerm and written.symbol.type is not SymbolType.Function:
        return term == Ground(written.symbol)
    if written.ast_type is not ASTType.Function or not written.arguments:
        return True
    return (
        term.type is SymbolType.Function
        and term.name == written.name
        and len(term.arguments) == len(written.arguments)
        and all(map(may_agree, term.arguments, written.arguments))
    )


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


_DROPPED = 2
"""Literals left out at most."""

_RULES = 3
"""Rules shown at most."""


class _Miss(NamedTuple):
    """A query with values for its variables: the rule would fire but for what it lacks."""

    query: Query
    values: Mapping[str, Ground]
    gap: int

    @classmethod
    def of(cls, query: Query, symbol: Symbol) -> _Miss:
        """What an instance of a query says."""
        variables, sides, _ = symbol.arguments
        gap = -1
        if len(sides.arguments) == 2:
            left, right = sides.arguments
            if SymbolType.Number is left.type is right.type:
                gap = abs(left.number - right.number)
        values = zip(query.bound, texts(variables.arguments), strict=True)
        return cls(query, dict(values), gap)

    @property
    def order(self) -> tuple[int, int, int, str, int]:
        rule = self.query.probe.rule
        lacking = len(self.query.dropped) + len(self.query.unknown)
        return lacking, self.gap < 0, self.gap, rule.file, rule.line


class NearMisses:
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

    def explain(self, pattern: Pattern, depth: int = 6, term: Ground | None = None) -> list[Branch]:
        """Branches for the rules that come nearest, the nearest first.

        Args:
            pattern: what is missing.
            depth: how many rules deep the branches go.
            term: what is missing, in more detail: with what is not known inside its arguments.
        """
        self._asked = set()
        return self._explain(pattern, depth, term)

    def _explain(self, pattern: Pattern, depth: int, term: Ground | None = None) -> list[Branch]:
        if pattern in self._asked:
            return [Branch("(see above)")]
        self._asked.add(pattern)
        probes = self._deriving(pattern)
        if term is not None:
            probes = tuple(
                probe
                for probe in probes
                if probe.head is None or may_agree(term, as_term(probe.head))
            )
        if not any(probe.body for probe in probes):
            kinds = "rules list" if probes else "input has"
            return [Branch(f"it is none of those that the {kinds}")]
        probes = tuple(probe for probe in probes if probe.body)
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
        return self._trace.reified.deriving.get((pattern.name, len(pattern.arguments)), ())

    def _misses(self, pattern: Pattern, probes: Sequence[Probe], size: int) -> list[_Miss]:
        """The best instance of each rule, without ``size`` of its literals."""
        part, queries = self._queries(pattern, size)
        chosen = {id(probe) for probe in probes}
        queries = tuple(query for query in queries if id(query.probe) in chosen)
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
                miss = _Miss.of(query, found.symbol)
                rule = query.probe.rule
                key = (rule.file, rule.line)
                if key not in best or miss.order < best[key].order:
                    best[key] = miss
        return sorted(best.values(), key=lambda miss: miss.order)

    def _queries(self, pattern: Pattern, size: int) -> tuple[str, tuple[Query, ...]]:
        """The part of the program that looks for misses, ready in the control, and its queries.

        Parts are written once for a rule set and the known arguments of a predicate.
        """
        are_known = [part is not None for part in pattern.arguments]
        known = "".join("x" if one else "_" for one in are_known)
        sign = "n" if pattern.name.startswith("-") else ""
        part = f"{PREFIX}near{size}_{known}{sign}_{pattern.name.removeprefix('-')}"
        written = self._trace.reified.queries
        if part not in written:
            written[part] = tuple(
                query
                for probe in self._deriving(pattern)
                if probe.body
                for query in queries_of(probe, are_known, part, size)
            )
        queries = written[part]
        if queries and part not in self._parts:
            self._parts.add(part)
            place = queries[0].statement.location
            with ProgramBuilder(self._control) as builder:
                builder.add(Program(place, part, [Id(place, NUMBER)]))
                for query in queries:
                    builder.add(query.statement)
        return part, queries

    def _is_hopeless(self, miss: _Miss) -> bool:
        """Whether a rule lacks what nothing derives and the input has nothing of."""
        for literal in miss.query.dropped:
            if is_atom(literal, Sign.NoSign):
                pattern = pattern_of(literal, {})
                if not self._deriving(pattern) and not self._matching(pattern):
                    return True
        return False

    def _branch(self, miss: _Miss, depth: int) -> Branch:
        probe = miss.query.probe
        says = self._trace.words.sentence(probe, miss.values)
        branch = Branch(f"would follow from: {says}", str(RulePlace.of(probe.rule)))
        branch.below = [self._failure(literal, miss, depth) for literal in miss.query.dropped]
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
        pattern = pattern_of(literal, values)
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
            branch.below += reason_tree(self._trace, min(holding), depth=min(depth, 2))
            shown = "\n".join(render(branch))
            branch.below += own(
                one
                for one in own_rules(self._trace, [min(holding)])
                if f"[{one.rule}]" not in shown
            )
        return branch

    def _origins(self, literal: AST, miss: _Miss, depth: int) -> Iterator[Branch]:
        """Where the numbers of a comparison come from."""
        wanted = variable_names(literal)
        for part in miss.query.probe.body:
            if is_atom(part, Sign.NoSign) and part not in miss.query.dropped:
                pattern = pattern_of(part, miss.values)
                symbols = self._matching(pattern)
                if not wanted & variable_names(part) or len(symbols) != 1 or depth <= 1:
                    continue
                if symbols[0] in self._trace.true and self._trace.reasons(symbols[0]):
                    yield from reason_tree(self._trace, symbols[0], depth=2)

    def _told(self, pattern: Pattern) -> str:
        if None in pattern.arguments:
            return self._trace.words.pattern(pattern.name, pattern.arguments)
        arguments = [part for part in pattern.arguments if part is not None]
        inside = f"({','.join(arguments)})" if arguments else ""
        return self._trace.words.atom(Ground(f"{pattern.name}{inside}"))


_NUMBERS = count(1)
