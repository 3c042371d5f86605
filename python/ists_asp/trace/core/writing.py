"""One probe and its companions, written from a rule's head and body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clingo.ast import (
    AST,
    ASTType,
    Rule,
    Sign,
    Variable,
)

from ists_asp.syntax.changes import (
    Lifter,
    atom,
    is_atom,
    variable_names,
)
from ists_asp.trace.core.reified_rule import Companion, ElementRule, Kind, ReifiedRule
from ists_asp.trace.core.shapes import Shape, Slots

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from clingo.ast import Location

    from ists_asp.rules import NamedRule

_FUNCTIONS = ("#count", "#sum", "#sum+", "#min", "#max")


def write(
    rule: NamedRule,
    kind: Kind,
    name: str,
    place: Location,
    head: AST | None,
    body: Sequence[AST],
    constants: Collection[str],
) -> ReifiedRule:
    """Write a probe.

    Args:
        rule: the name and place of the rule.
        kind: what to look for.
        name: a name of its own.
        place: where the statement is.
        head: a literal, or the term of an objective.
        body: literals.
        constants: the names that ``#const`` defines.
    """
    return _Writer(rule, kind, name, place, head, body, constants).write()


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
        constants: Collection[str],
    ) -> None:
        self._rule = rule
        self._kind = kind
        self._name = name
        self._lifter = Lifter()
        self._place = place
        self._constants = constants
        self._body = [self._lifter.literal(part) for part in body]
        self._head = head
        if head is not None and kind is not Kind.OBJECTIVE:
            self._head = self._lifter.positive(head)
        self._body += self._lifter.take()
        literals = [*self._body, self._head] if self._head is not None else self._body
        self._variables = sorted(set().union(*map(variable_names, literals)))

    def write(self) -> ReifiedRule:
        """Write the probe and its companions."""
        place = self._place
        slots = Slots(self._variables, self._constants)
        positive = self._shapes(slots, self._body, Sign.NoSign)
        negative = self._shapes(slots, self._body, Sign.Negation)
        double = self._shapes(slots, self._body, Sign.DoubleNegation)
        body = list(self._body)
        derived = Shape("0", ())
        if self._head is not None and self._kind.derives:
            derived = slots.shape(self._head.atom.symbol)
            if self._kind in (Kind.CHOICE, Kind.DISJUNCTION):
                body.append(self._head)
        elif self._head is not None:
            derived = slots.tuple_of(self._head.arguments)
        arguments = [*_variables(place, self._variables), *slots.evaluated]
        companions = []
        for number, part in enumerate(self._body):
            written = self._companion(part, f"{self._name}_{number}", len(slots.evaluated))
            if written is not None:
                companions.append(written)
        return ReifiedRule(
            self._rule,
            self._kind,
            self._name,
            tuple(self._variables),
            len(arguments),
            derived,
            positive,
            negative,
            double,
            tuple(str(part) for part in self._body if _is_comparison(part)),
            tuple(companions),
            self._head if self._kind.derives else None,
            tuple(self._body),
            Rule(place, atom(place, self._name, arguments), body),
        )

    def _companion(self, part: AST, name: str, evaluated: int) -> Companion | None:
        if part.ast_type is ASTType.ConditionalLiteral:
            function, supports = "", part.literal.sign == Sign.NoSign
            parts: list[tuple[Sequence[AST], list[AST]]] = [((), [part.literal, *part.condition])]
        elif part.ast_type is not ASTType.Literal:
            return None
        else:
            aggregate, supports = part.atom, part.sign == Sign.NoSign
            if aggregate.ast_type is ASTType.BodyAggregate:
                function = _FUNCTIONS[aggregate.function]
                parts = [(one.terms, list(one.condition)) for one in aggregate.elements]
            elif aggregate.ast_type is ASTType.Aggregate:
                function = "#count"
                parts = [((), [one.literal, *one.condition]) for one in aggregate.elements]
            else:
                return None
        elements = tuple(
            self._element(f"{name}_{number}", part.location, terms, conditions, evaluated)
            for number, (terms, conditions) in enumerate(parts)
        )
        return Companion(elements, str(part), function, supports)

    def _element(
        self,
        name: str,
        place: Location,
        terms: Sequence[AST],
        conditions: Sequence[AST],
        evaluated: int,
    ) -> ElementRule:
        named = [self._lifter.literal(part) for part in conditions]
        named += self._lifter.take()
        used = set().union(*(variable_names(part) for part in (*terms, *named)))
        variables = [*self._variables, *sorted(used.difference(self._variables))]
        slots = Slots(variables, self._constants)
        tuple_ = tuple(slots.term(term) for term in terms)
        positive = self._shapes(slots, named, Sign.NoSign)
        negative = self._shapes(slots, named, Sign.Negation)
        double = self._shapes(slots, named, Sign.DoubleNegation)
        arguments = [*_variables(place, variables), *slots.evaluated]
        any_ = [Variable(place, "_")] * evaluated
        firing = atom(place, self._name, [*_variables(place, self._variables), *any_])
        statement = Rule(place, atom(place, name, arguments), [firing, *named])
        outer = len(self._variables)
        return ElementRule(
            name, len(arguments), outer, tuple_, positive, negative, double, statement
        )

    @staticmethod
    def _shapes(slots: Slots, body: Sequence[AST], sign: Sign) -> tuple[Shape, ...]:
        return tuple(slots.shape(part.atom.symbol) for part in body if is_atom(part, sign))


def _variables(place: Location, names: Iterable[str]) -> list[AST]:
    return [Variable(place, name) for name in names]


def _is_comparison(part: AST) -> bool:
    return part.ast_type is ASTType.Literal and part.atom.ast_type is ASTType.Comparison
