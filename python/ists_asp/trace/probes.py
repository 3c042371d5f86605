"""Rules rewritten so that grounding them over an answer set says which of them fired.

A rule ``h :- b`` becomes a *probe* ``__f(h,(positive atoms),(negative atoms),(variables)) :- b``
over predicates that all are facts by then: clingo's grounder evaluates everything and there
is nothing to solve. What an aggregate counted and what a condition ranged over is found by
*companions*, which join a probe's firings with the elements.

A choice or a disjunction has a probe for each of its elements, in which the atom holds; the
bounds of a choice are a constraint, and so is a rule whose head cannot derive anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from clingo import Number
from clingo.ast import (
    AST,
    Aggregate,
    ASTType,
    BodyAggregate,
    BodyAggregateElement,
    Comparison,
    ComparisonOperator,
    ConditionalLiteral,
    Guard,
    Literal,
    Rule,
    Sign,
    SymbolicTerm,
    Variable,
)

from ists_asp.errors import RuleError
from ists_asp.solver.signatures import is_fact
from ists_asp.trace.terms import (
    PREFIX,
    Lifter,
    as_term,
    atom,
    has_theory,
    is_atom,
    names,
    rename,
    tuple_of,
    variable_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clingo.ast import Location

    from ists_asp.rules import NamedRule

__all__ = ["Companion", "Kind", "Probe", "probe"]


class Kind(StrEnum):
    """What a probe looks for."""

    RULE = "rule"
    CHOICE = "choice"
    DISJUNCTION = "disjunction"
    CONSTRAINT = "constraint"
    BOUND = "bound"
    OBJECTIVE = "objective"

    @property
    def derives(self) -> bool:
        """Whether a firing is a reason for an atom."""
        return self in (Kind.RULE, Kind.CHOICE, Kind.DISJUNCTION)

    @property
    def forbids(self) -> bool:
        """Whether a firing contradicts the answer set."""
        return self in (Kind.CONSTRAINT, Kind.BOUND)


@dataclass(frozen=True, slots=True)
class Companion:
    """Finds the elements of an aggregate, or the instances of a conditional literal.

    ``name(tuple,(positive),(negative),(variables of the firing))`` holds for each. ``text`` is
    the literal as written, ``function`` the aggregate's (``#sum``), empty for a condition, and
    ``supports`` whether the firing needs the elements' atoms to be derived before it.
    """

    name: str
    text: str
    function: str
    supports: bool


@dataclass(frozen=True, slots=True)
class Probe:
    """A rule, or one element of its head, as statements that find its firings.

    ``name(head,(positive),(negative),(variables))`` holds for each firing; an objective has
    ``(weight,priority,(tuple))`` for a head, a constraint ``0``. ``head`` and ``body`` are
    the rule's own literals, names given to what has none. The first of ``statements`` finds
    the firings, the others are the companions'. A fact has a ``text`` instead: there are many,
    and text takes clingo less time.
    """

    rule: NamedRule
    kind: Kind
    name: str
    variables: tuple[str, ...]
    double: int
    comparisons: tuple[str, ...]
    companions: tuple[Companion, ...]
    head: AST | None
    body: tuple[AST, ...]
    statements: tuple[AST, ...]
    text: str = ""


_FUNCTIONS = ("#count", "#sum", "#sum+", "#min", "#max")
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


def probe(statement: AST, rule: NamedRule, number: int) -> tuple[Probe, ...]:
    """The probes of a statement; none if it says nothing about atoms.

    Args:
        statement: a statement of a rule set.
        rule: its name and place.
        number: a number of its own.

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
        return (_fact(statement, rule, f"{PREFIX}f{number}_0"),)
    if any(name.startswith(PREFIX) for name in names(statement)):
        raise RuleError(
            f"a name begins with {PREFIX}",
            where=f"{rule.file}:{rule.line}",
            hint="Names that do are left to the trace; choose another",
        )
    found: list[Probe] = []
    for variant in statement.unpool():
        for kind, head, body in _parts(variant):
            name = f"{PREFIX}f{number}_{len(found)}"
            found.append(_Writer(rule, kind, name, statement.location, head, body).write())
    return tuple(found)


def _fact(statement: AST, rule: NamedRule, name: str) -> Probe:
    text = f"{name}({statement.head},(),(),())."
    return Probe(rule, Kind.RULE, name, (), 0, (), (), statement.head, (), (), text)


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


class _Writer:
    """Writes the statements of one probe."""

    def __init__(
        self,
        rule: NamedRule,
        kind: Kind,
        name: str,
        place: Location,
        head: AST | None,
        body: Sequence[AST],
    ) -> None:
        self._rule = rule
        self._kind = kind
        self._name = name
        self._lifter = Lifter()
        self._place = place
        self._body = [self._lifter.literal(part) for part in body]
        self._head = head
        if head is not None and kind is not Kind.OBJECTIVE:
            self._head = self._lifter.positive(head)
        self._body += self._lifter.take()
        literals = [*self._body, self._head] if self._head is not None else self._body
        self._variables = sorted(set().union(*map(variable_names, literals)))

    def write(self) -> Probe:
        """Write the probe and its companions."""
        place = self._place
        positive = [part for part in self._body if is_atom(part, Sign.NoSign)]
        negative = [part for part in self._body if is_atom(part, Sign.Negation)]
        double = [part for part in self._body if is_atom(part, Sign.DoubleNegation)]
        body = list(self._body)
        head: AST = SymbolicTerm(place, Number(0))
        if self._head is not None:
            derives = self._kind.derives
            head = self._head.atom.symbol if derives else self._head
            if self._kind in (Kind.CHOICE, Kind.DISJUNCTION):
                body.append(self._head)
        variables = tuple_of(place, [Variable(place, name) for name in self._variables])
        arguments = [
            head,
            tuple_of(place, map(as_term, positive)),
            tuple_of(place, map(as_term, (*negative, *double))),
            variables,
        ]
        statements = [Rule(place, atom(place, self._name, arguments), body)]
        companions = []
        for number, part in enumerate(self._body):
            written = self._companion(part, f"{self._name}_{number}", variables)
            if written is not None:
                companions.append(written[0])
                statements += written[1]
        return Probe(
            self._rule,
            self._kind,
            self._name,
            tuple(self._variables),
            len(double),
            tuple(str(part) for part in self._body if _is_comparison(part)),
            tuple(companions),
            self._head if self._kind.derives else None,
            tuple(self._body),
            tuple(statements),
        )

    def _companion(
        self, part: AST, name: str, variables: AST
    ) -> tuple[Companion, list[AST]] | None:
        place = part.location
        if part.ast_type is ASTType.ConditionalLiteral:
            found = Companion(name, str(part), "", part.literal.sign == Sign.NoSign)
            conditions = [part.literal, *part.condition]
            return found, [self._element(name, place, (), conditions, variables)]
        if part.ast_type is not ASTType.Literal:
            return None
        aggregate = part.atom
        supports = part.sign == Sign.NoSign
        if aggregate.ast_type is ASTType.BodyAggregate:
            found = Companion(name, str(part), _FUNCTIONS[aggregate.function], supports)
            return found, [
                self._element(name, place, element.terms, element.condition, variables)
                for element in aggregate.elements
            ]
        if aggregate.ast_type is ASTType.Aggregate:
            return Companion(name, str(part), "#count", supports), [
                self._element(name, place, (), [element.literal, *element.condition], variables)
                for element in aggregate.elements
            ]
        return None

    def _element(
        self,
        name: str,
        place: Location,
        terms: Sequence[AST],
        conditions: Sequence[AST],
        variables: AST,
    ) -> AST:
        named = [self._lifter.literal(part) for part in conditions]
        named += self._lifter.take()
        positive = [as_term(part) for part in named if is_atom(part, Sign.NoSign)]
        negative = [as_term(part) for part in named if is_atom(part) and part.sign != Sign.NoSign]
        firing = [Variable(place, f"{PREFIX}F{number}") for number in range(3)]
        arguments = [
            tuple_of(place, terms),
            tuple_of(place, positive),
            tuple_of(place, negative),
            variables,
        ]
        body = [atom(place, self._name, [*firing, variables]), *named]
        return Rule(place, atom(place, name, arguments), body)


def _is_comparison(part: AST) -> bool:
    return part.ast_type is ASTType.Literal and part.atom.ast_type is ASTType.Comparison
