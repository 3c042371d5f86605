"""Statements of a rule set rewritten as probes.

A choice or a disjunction has a probe for each of its elements, in which the atom holds; the
bounds of a choice are a constraint, and so is a rule whose head cannot derive anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clingo.ast import (
    AST,
    Aggregate,
    ASTType,
    BodyAggregate,
    BodyAggregateElement,
    BooleanConstant,
    Comparison,
    ComparisonOperator,
    ConditionalLiteral,
    Guard,
    Literal,
    Sign,
)

from ists_asp.errors import RuleError
from ists_asp.syntax.changes import (
    PREFIX,
    has_theory,
    is_atom,
    names,
    rename,
    tuple_of,
    variable_names,
)
from ists_asp.syntax.remembering import remembered_by_identity
from ists_asp.syntax.signatures import is_fact
from ists_asp.trace.core.reified_rule import Kind, ReifiedRule
from ists_asp.trace.core.shapes import Shape
from ists_asp.trace.core.writing import write

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ists_asp.rules import NamedRule

_IGNORED = frozenset(
    {
        ASTType.Defined,
        ASTType.Definition,
        ASTType.Heuristic,
        ASTType.ProjectAtom,
        ASTType.ProjectSignature,
        ASTType.ShowSignature,
        ASTType.ShowTerm,
    }
)
"""Statements that make no difference to what is an answer set."""


@remembered_by_identity
def probes_of(
    statement: AST, rule: NamedRule, number: int, constants: frozenset[str] = frozenset()
) -> tuple[ReifiedRule, ...]:
    """The probes of a statement; none if it says nothing about atoms.

    Args:
        statement: a statement of a rule set.
        rule: its name and place.
        number: a number of its own.
        constants: the names that ``#const`` defines.

    Raises:
        RuleError: the statement is of a kind whose effect cannot be traced.
    """
    if statement.ast_type in _IGNORED:
        return ()
    if statement.ast_type is ASTType.Program and (statement.name, *statement.parameters) == (
        "base",
    ):
        return ()
    traced = statement.ast_type in (ASTType.Rule, ASTType.Minimize)
    if not traced or ("&" in str(statement) and has_theory(statement)):
        raise _refused(rule, statement)
    if is_fact(statement) and PREFIX not in str(statement):
        return (probe_of_fact(statement, rule, f"{PREFIX}f{number}_0"),)
    if PREFIX in str(statement) and any(name.startswith(PREFIX) for name in names(statement)):
        raise RuleError(
            f"a name begins with {PREFIX}",
            where=f"{rule.file}:{rule.line}",
            hint="Names that do are left to the trace; choose another",
        )
    found: list[ReifiedRule] = []
    for variant in statement.unpool():
        for kind, head, body in _parts(variant):
            name = f"{PREFIX}f{number}_{len(found)}"
            found.append(write(rule, kind, name, statement.location, head, body, constants))
    return tuple(found)


def probe_of_fact(statement: AST, rule: NamedRule, name: str) -> ReifiedRule:
    """The probe of a fact, which is called ``name``."""
    head = statement.head
    text = f"{name}({head})."
    shape = Shape("%s", (0,))
    return ReifiedRule(
        rule, Kind.RULE, name, (), 1, shape, (), (), (), (), (), head, (), None, text
    )


def _refused(rule: NamedRule, statement: AST) -> RuleError:
    found = (
        "a theory atom" if has_theory(statement) else str(statement).split(" ", 1)[0].rstrip(".")
    )
    return RuleError(
        f"{found} cannot be traced",
        where=f"{rule.file}:{rule.line}",
        expected="rules, constraints, #minimize, #maximize and #show",
        hint="Solve without a trace, or express it as rules",
    )


def _parts(statement: AST) -> Iterator[tuple[Kind, AST | None, list[AST]]]:
    """What to look for: kind, head (a literal, or the objective's term) and body."""
    body = list(statement.body)
    place = statement.location
    if statement.ast_type is ASTType.Minimize:
        term = tuple_of(
            place,
            (statement.weight, statement.priority, tuple_of(place, statement.terms)),
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
            true = Literal(head.location, Sign.NoSign, BooleanConstant(1))
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
        return Aggregate(head.location, head.left_guard, head.elements, head.right_guard)
    elements = [
        BodyAggregateElement(
            element.terms, [element.condition.literal, *element.condition.condition]
        )
        for element in head.elements
    ]
    return BodyAggregate(head.location, head.left_guard, head.function, elements, head.right_guard)


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
            literal = rename(other.literal, fresh)
            conditions = [rename(part, fresh) for part in other.condition]
            if is_atom(literal, Sign.NoSign):
                different = Comparison(
                    literal.atom.symbol,
                    [Guard(ComparisonOperator.NotEqual, element.literal.atom.symbol)],
                )
                conditions.append(Literal(head.location, Sign.NoSign, different))
            others.append(ConditionalLiteral(head.location, _negated(literal), conditions))
        kept = _apart(body, element)
        yield Kind.DISJUNCTION, element.literal, [*kept, *element.condition, *others]
    # A disjunction may have no element that is an atom, or none whose condition holds.
    failing = [
        ConditionalLiteral(head.location, _negated(part.literal), part.condition)
        for part in head.elements
    ]
    yield Kind.CONSTRAINT, None, [*body, *failing]


def _apart(body: Sequence[AST], element: AST) -> list[AST]:
    """A body whose aggregates and conditions share no local variables with a head's element.

    The element's variables become those of the whole probe.
    """
    outer = set().union(*map(variable_names, body))
    inner = variable_names(element, local=True) - outer
    return [rename(part, {name: f"{PREFIX}B_{name}" for name in inner}) for part in body]


def _negated(literal: AST) -> AST:
    negated = literal.sign == Sign.Negation
    return literal.update(sign=Sign.DoubleNegation if negated else Sign.Negation)
