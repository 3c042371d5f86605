"""Rules without some of their literals: what would they need to derive an atom?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from clingo.ast import (
    AST,
    ASTType,
    BinaryOperator,
    ComparisonOperator,
    Function,
    Rule,
    Sign,
    Variable,
)

from ists_asp.syntax.changes import PREFIX, atom, is_atom, tuple_of, variable_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

    from ists_asp.trace.core.patterns import Pattern
    from ists_asp.trace.core.reified_rule import ReifiedRule

NUMBER = f"{PREFIX}number"
"""The parameter of the statements: the number of a question."""


@dataclass(frozen=True, slots=True)
class Query:
    """A rule without some literals: which are left out, and which cannot be looked at then."""

    name: str
    probe: ReifiedRule
    dropped: tuple[AST, ...]
    unknown: tuple[AST, ...]
    bound: tuple[str, ...]
    statement: AST


def queries_of(probe: ReifiedRule, pattern: Pattern, goal: str, size: int) -> Iterator[Query]:
    """The ways to leave ``size`` literals out of a rule.

    Args:
        probe: the rule.
        pattern: which arguments of its head are known.
        goal: the predicate that has a question's number and these arguments.
        size: how many literals.
    """
    assert probe.head is not None
    place = probe.head.location
    term = probe.head.atom.symbol
    while term.ast_type is ASTType.UnaryOperation:
        term = term.argument
    number = Function(place, NUMBER, [], 0)
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
