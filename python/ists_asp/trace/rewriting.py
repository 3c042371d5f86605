"""Statements of a rule set rewritten: as probes, and without some of their literals.

A choice or a disjunction has a probe for each of its elements, in which the atom holds; the
bounds of a choice are a constraint, and so is a rule whose head cannot derive anything.
A query is a rule without some literals: what would it need to derive an atom?
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import TYPE_CHECKING, NamedTuple

from clingo import ast
from clingo.ast import AST, ASTType, ComparisonOperator, Literal, Sign

from ists_asp.errors import RuleError
from ists_asp.syntax import trees
from ists_asp.syntax.trees import PREFIX, functions, is_atom, is_fact, tuple_of, variable_names
from ists_asp.trace.probes import Kind, Probe, ProbeWriter, probe_of_fact

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

    from ists_asp.rules import NamedRule

_IGNORED = (
    *(ASTType.Defined, ASTType.Definition, ASTType.Heuristic, ASTType.ProjectAtom),
    *(ASTType.ProjectSignature, ASTType.ShowSignature, ASTType.ShowTerm),
)
"""Statements that make no difference to what is an answer set."""

_SUMS = (ast.BinaryOperator.Plus, ast.BinaryOperator.Minus)


@trees.remembered_by_identity
def probes_of(
    statement: AST, rule: NamedRule, number: int, constants: frozenset[str] = frozenset()
) -> tuple[Probe, ...]:
    """The probes of a statement; none if it says nothing about atoms.

    ``number`` is its own, and ``constants`` are the names that ``#const`` defines. What is of a
    kind whose effect cannot be traced is refused.
    """
    if statement.ast_type in _IGNORED:
        return ()
    if statement.ast_type is ASTType.Program and (statement.name, *statement.parameters) == (
        "base",
    ):
        return ()
    text, where = str(statement), f"{rule.file}:{rule.line}"
    theory = "&" in text and any(
        one.ast_type is ASTType.TheoryAtom for one in trees.walk(statement)
    )
    if theory or statement.ast_type not in (ASTType.Rule, ASTType.Minimize):
        found = "a theory atom" if theory else text.split(" ", 1)[0].rstrip(".")
        raise RuleError(
            f"{found} cannot be traced",
            where=where,
            expected="rules, constraints, #minimize, #maximize and #show",
            hint="Solve without a trace, or express it as rules",
        )
    if PREFIX not in text:
        if is_fact(statement):
            return (probe_of_fact(statement, rule, f"{PREFIX}f{number}_0"),)
    elif any(name.startswith(PREFIX) for name in trees.names(statement)):
        raise RuleError(
            f"a name begins with {PREFIX}",
            where=where,
            hint="Names that do are left to the trace; choose another",
        )
    parts = chain.from_iterable(map(_parts, statement.unpool()))
    return tuple(
        ProbeWriter(statement.location, constants).write(
            rule, kind, f"{PREFIX}f{number}_{place}", head, body
        )
        for place, (kind, head, body) in enumerate(parts)
    )


def _parts(statement: AST) -> Iterator[tuple[Kind, AST | None, list[AST]]]:
    """What to look for: kind, head (a literal, or the objective's term) and body."""
    body = list(statement.body)
    place = statement.location
    if statement.ast_type is ASTType.Minimize:
        term = tuple_of(
            place, (statement.weight, statement.priority, tuple_of(place, statement.terms))
        )
        yield Kind.OBJECTIVE, term, body
        return
    head = statement.head
    if head.ast_type is ASTType.Literal:
        if is_atom(head, Sign.NoSign):
            yield Kind.RULE, head, body
        elif head.sign == Sign.Negation:
            yield Kind.CONSTRAINT, None, [*body, head.update(sign=Sign.DoubleNegation)]
        elif head.atom.ast_type is ASTType.BooleanConstant and not head.atom.value:
            # As clingo's parser writes `not #false`.
            true = Literal(head.location, Sign.NoSign, ast.BooleanConstant(1))
            yield Kind.CONSTRAINT, None, [*body, true]
        else:
            yield Kind.CONSTRAINT, None, [*body, head.update(sign=Sign.Negation)]
    elif head.ast_type is ASTType.Disjunction:
        yield from _disjunction(head, body)
    else:
        yield from _choice(head, body)


def _choice(head: AST, body: list[AST]) -> Iterator[tuple[Kind, AST | None, list[AST]]]:
    for element in head.elements:
        choice = element.condition if head.ast_type is ASTType.HeadAggregate else element
        if is_atom(choice.literal, Sign.NoSign):
            yield Kind.CHOICE, choice.literal, [*_apart(body, choice), *choice.condition]
    if head.left_guard is not None or head.right_guard is not None:
        yield Kind.BOUND, None, [*body, Literal(head.location, Sign.Negation, _counted(head))]


def _counted(head: AST) -> AST:
    """The bounds of a choice as an aggregate for a body."""
    if head.ast_type is ASTType.Aggregate:
        return ast.Aggregate(head.location, head.left_guard, head.elements, head.right_guard)
    elements = [
        ast.BodyAggregateElement(
            element.terms, [element.condition.literal, *element.condition.condition]
        )
        for element in head.elements
    ]
    return ast.BodyAggregate(
        head.location, head.left_guard, head.function, elements, head.right_guard
    )


def _disjunction(head: AST, body: list[AST]) -> Iterator[tuple[Kind, AST | None, list[AST]]]:
    """An atom of a disjunction has a reason in it where all its other atoms are false."""
    for element in head.elements:
        if not is_atom(element.literal, Sign.NoSign):
            continue
        others = []
        outer = set().union(*(variable_names(part) for part in body))
        for other in head.elements:
            inner = variable_names(other, local=True) - outer
            fresh = {name: f"{PREFIX}L_{name}" for name in inner}
            literal = trees.rename(other.literal, fresh)
            conditions = [trees.rename(part, fresh) for part in other.condition]
            if is_atom(literal, Sign.NoSign):
                different = ast.Comparison(
                    literal.atom.symbol,
                    [ast.Guard(ComparisonOperator.NotEqual, element.literal.atom.symbol)],
                )
                conditions.append(Literal(head.location, Sign.NoSign, different))
            others.append(ast.ConditionalLiteral(head.location, _negated(literal), conditions))
        kept = _apart(body, element)
        yield Kind.DISJUNCTION, element.literal, [*kept, *element.condition, *others]
    # A disjunction may have no element that is an atom, or none whose condition holds.
    failing = [
        ast.ConditionalLiteral(head.location, _negated(part.literal), part.condition)
        for part in head.elements
    ]
    yield Kind.CONSTRAINT, None, [*body, *failing]


def _apart(body: Sequence[AST], element: AST) -> list[AST]:
    """A body whose aggregates and conditions share no local variables with a head's element.

    The element's variables become those of the whole probe.
    """
    outer = set().union(*map(variable_names, body))
    inner = variable_names(element, local=True) - outer
    return [trees.rename(part, {name: f"{PREFIX}B_{name}" for name in inner}) for part in body]


def _negated(literal: AST) -> AST:
    negated = literal.sign == Sign.Negation
    return literal.update(sign=Sign.DoubleNegation if negated else Sign.Negation)


NUMBER = f"{PREFIX}number"
"""The parameter of the statements: the number of a question."""


class Query(NamedTuple):
    """A rule without some literals: which are left out, and which cannot be looked at then."""

    name: str
    probe: Probe
    dropped: tuple[AST, ...]
    unknown: tuple[AST, ...]
    bound: tuple[str, ...]
    statement: str


def queries_of(probe: Probe, known: Sequence[bool], goal: str, size: int) -> Iterator[Query]:
    """The ways to leave ``size`` literals out of a rule.

    ``goal`` is the predicate that has the number of a question, and those arguments of the head
    that are ``known``.
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
    inner, sides = part.atom, []
    if inner.ast_type is ASTType.Comparison and len(inner.guards) == 1:
        (guard,) = inner.guards
        sides = [(inner.term, guard.term), (guard.term, inner.term)]
    elif inner.ast_type in (ASTType.BodyAggregate, ASTType.Aggregate):
        guard = inner.left_guard
        sides = [(guard.term, None)] if guard is not None else []
    for term, other in sides:
        known = other is None or variable_names(other) <= bound
        if known and guard.comparison == ComparisonOperator.Equal:
            return _matched(term)
    return set()


def _matched(term: AST) -> set[str]:
    """The variables of a term that matching it gives values to."""
    kind = term.ast_type
    parts: Sequence[AST] = ()
    if kind is ASTType.Variable:
        return {term.name}
    if kind is ASTType.Function:
        parts = term.arguments
    elif kind is ASTType.UnaryOperation:
        parts = (term.argument,)
    elif kind is ASTType.BinaryOperation and term.operator_type in _SUMS:
        sides = (term.left, term.right)
        parts = sides if any(one.ast_type is ASTType.SymbolicTerm for one in sides) else ()
    return set().union(*map(_matched, parts))


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
