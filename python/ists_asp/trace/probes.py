"""Rules rewritten so that grounding them over an answer set says which of them fired.

A rule ``h :- b`` becomes a *probe* ``__f(variables) :- b``, from whose instances the atoms of
``h`` and ``b`` are put together. What an aggregate counted and what a condition ranged over is
found by *companions*, which join a probe's firings with the elements.

A choice or a disjunction has a probe for each of its elements, in which the atom holds; the
bounds of a choice are a constraint, and so is a rule whose head cannot derive anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

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
    Variable,
)

from ists_asp.errors import RuleError
from ists_asp.solver.signatures import is_fact
from ists_asp.trace.shapes import Shape, Slots
from ists_asp.trace.terms import (
    PREFIX,
    Lifter,
    atom,
    has_theory,
    is_atom,
    names,
    rename,
    tuple_of,
    variable_names,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from clingo.ast import Location

    from ists_asp.rules import NamedRule

__all__ = ["Companion", "ElementProbe", "Kind", "Probe", "probe"]


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
class ElementProbe:
    """Finds the instances of one element, or of one condition.

    ``name(variables of the firing, others)`` holds for each; there are ``arity`` arguments,
    ``outer`` of them of the firing, from which ``terms``, the tuple, and the atoms are put
    together. The first literal in the body of the ``statement`` is the firing.
    """

    name: str
    arity: int
    outer: int
    terms: tuple[Shape, ...]
    positive: tuple[Shape, ...]
    negative: tuple[Shape, ...]
    double: tuple[Shape, ...]
    statement: AST


@dataclass(frozen=True, slots=True)
class Companion:
    """Finds the elements of an aggregate, or the instances of a conditional literal.

    ``text`` is the literal as written, ``function`` the aggregate's (``#sum``), empty for a
    condition, and ``supports`` whether the firing needs the elements' atoms to be derived
    before it.
    """

    elements: tuple[ElementProbe, ...]
    text: str
    function: str
    supports: bool


@dataclass(frozen=True, slots=True)
class Probe:
    """A rule, or one element of its head, as a statement that finds its firings.

    ``name(variables, evaluated terms)`` holds for each firing; there are ``arity`` arguments,
    from which ``derived`` and the atoms of the body are put together. What an objective
    derives is ``(weight,priority,(tuple))``, a constraint ``0``. ``head`` and ``body`` are the
    rule's own literals, names given to what has none. A fact has a ``text`` instead of a
    ``statement``: there are many, and text takes clingo less time.
    """

    rule: NamedRule
    kind: Kind
    name: str
    variables: tuple[str, ...]
    arity: int
    derived: Shape
    positive: tuple[Shape, ...]
    negative: tuple[Shape, ...]
    double: tuple[Shape, ...]
    comparisons: tuple[str, ...]
    companions: tuple[Companion, ...]
    head: AST | None
    body: tuple[AST, ...]
    statement: AST | None
    text: str = ""

    @property
    def elements(self) -> Iterator[ElementProbe]:
        """What finds the elements of its aggregates and conditions."""
        return (element for companion in self.companions for element in companion.elements)


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


def probe(
    statement: AST, rule: NamedRule, number: int, constants: Collection[str] = ()
) -> tuple[Probe, ...]:
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
        return (_fact(statement, rule, f"{PREFIX}f{number}_0"),)
    if PREFIX in str(statement) and any(name.startswith(PREFIX) for name in names(statement)):
        raise RuleError(
            f"a name begins with {PREFIX}",
            where=f"{rule.file}:{rule.line}",
            hint="Names that do are left to the trace; choose another",
        )
    found: list[Probe] = []
    for variant in statement.unpool():
        for kind, head, body in _parts(variant):
            name = f"{PREFIX}f{number}_{len(found)}"
            writer = _Writer(rule, kind, name, statement.location, head, body, constants)
            found.append(writer.write())
    return tuple(found)


def _fact(statement: AST, rule: NamedRule, name: str) -> Probe:
    head = statement.head
    text = f"{name}({head})."
    shape = Shape("%s", (0,))
    return Probe(rule, Kind.RULE, name, (), 1, shape, (), (), (), (), (), head, (), None, text)


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

    def write(self) -> Probe:
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
        return Probe(
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
    ) -> ElementProbe:
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
        return ElementProbe(
            name, len(arguments), outer, tuple_, positive, negative, double, statement
        )

    @staticmethod
    def _shapes(slots: Slots, body: Sequence[AST], sign: Sign) -> tuple[Shape, ...]:
        return tuple(slots.shape(part.atom.symbol) for part in body if is_atom(part, sign))


def _variables(place: Location, names: Iterable[str]) -> list[AST]:
    return [Variable(place, name) for name in names]


def _is_comparison(part: AST) -> bool:
    return part.ast_type is ASTType.Literal and part.atom.ast_type is ASTType.Comparison
