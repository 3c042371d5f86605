"""Probes: what finds the firings of a rule when it is grounded over an answer set.

A rule ``h :- b`` becomes a *probe* ``__f(variables) :- b``, from whose instances the atoms of
``h`` and ``b`` are put together. A choice or a disjunction has a probe for each of its elements, in
which the atom holds; the bounds of a choice are a constraint, and so is a rule whose head cannot
derive anything. What an aggregate counted and what a condition ranged over is found by
*companions*, which join a probe's firings with the elements.

Terms of a rule are kept as formats, ``pair({0},{2})``, to be filled with the values of a firing.
Statements are kept as text, which clingo takes in less time than syntax trees.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import msgspec
from clingo import ast
from clingo.ast import AST, ASTType, ComparisonOperator, Literal, Sign

from ists_asp.errors import RuleError
from ists_asp.rules import NamedRule
from ists_asp.rules.arguments import read_statement
from ists_asp.syntax import trees
from ists_asp.syntax.trees import ANY, PREFIX, is_atom, parse, tuple_of, variable_names

_FUNCTIONS = ("#count", "#sum", "#sum+", "#min", "#max")


class Kind(StrEnum):
    """The kind of statement that a probe stands for."""

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


class Literals(msgspec.Struct, array_like=True, frozen=True):
    """The atoms of a body as formats, by how they are negated."""

    positive: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()
    double: tuple[str, ...] = ()


class ElementRule(msgspec.Struct, array_like=True, frozen=True):
    """Finds the instances of one element, or of one condition."""

    name: str  # name(variables of the firing, others) holds for each
    arity: int  # how many arguments it has
    outer: int  # how many of them are of the firing
    terms: tuple[str, ...]  # the tuple
    atoms: Literals
    statement: str  # the first literal of its body is the firing


class Companion(msgspec.Struct, array_like=True, frozen=True):
    """Finds the elements of an aggregate, or the instances of a conditional literal."""

    elements: tuple[ElementRule, ...]
    text: str  # the literal as written
    function: str  # the aggregate's (#sum); empty for a condition
    supports: bool  # the firing needs the elements' atoms derived before it


class Probe(msgspec.Struct, array_like=True, frozen=True, dict=True):
    """A rule, or one element of its head, as a statement that finds its firings."""

    rule: NamedRule
    kind: Kind
    name: str  # name(variables, evaluated terms) holds for each firing
    own: str  # the rule itself, names given to what has none
    statement: str
    variables: tuple[str, ...] = ()
    arity: int = 1  # how many arguments it has
    derived: str = "{0}"  # the head, made of them; of an objective (weight,priority,(tuple))
    atoms: Literals = Literals()
    comparisons: tuple[str, ...] = ()
    companions: tuple[Companion, ...] = ()

    @property
    def is_fact(self) -> bool:
        """Whether it has nothing but an atom, as facts have, of which there are many."""
        return self.derived == "{0}"

    @cached_property
    def _parsed(self) -> AST:
        return parse(self.own)[0]

    @property
    def reading(self) -> Sequence[Sequence[Any]]:
        """Its head and its body as text, for :meth:`Read.from_stored`."""
        derived, *others = read_statement(self._parsed)[0]
        return [derived if self.kind.derives else [], *others]

    @property
    def head(self) -> AST | None:
        """The literal that it derives, if it derives one."""
        return self._parsed.head if self.kind.derives else None

    @property
    def body(self) -> Sequence[AST]:
        """The literals of its body."""
        return () if self.is_fact else self._parsed.body

    @property
    def predicate(self) -> str:
        """The name of the predicate that it derives."""
        return (self.own if self.is_fact else self.derived).partition("(")[0].rstrip(".")

    @cached_property
    def needs(self) -> frozenset[str]:
        """The names of the predicates of the positive atoms of its body."""
        return frozenset(text.partition("(")[0] for text in self.atoms.positive)

    @property
    def elements(self) -> Iterator[ElementRule]:
        """The rules that find the elements of its aggregates and conditions."""
        return (element for companion in self.companions for element in companion.elements)


def spoken_of(probes: Iterable[Probe]) -> frozenset[str]:
    """The names of the predicates that bodies of rules speak of."""
    rules = (trees.words(probe.statement) for probe in probes)
    words = chain.from_iterable(map(trees.words_of_atoms, rules))
    return frozenset(atom[2] for number, atom, _ in words if number)


def probe_of_fact(statement: AST, rule: NamedRule, name: str) -> Probe:
    """The probe of a fact, which is called ``name``."""
    return Probe(rule, Kind.RULE, name, str(statement), f"{name}({statement.head}).")


class ProbeWriter:
    """Writes a probe and its companions; ``constants`` are the names that ``#const`` defines."""

    def __init__(self, constants: Collection[str]) -> None:
        self._constants = constants
        self._lifter = trees.Lifter()
        self._variables: list[str] = []

    def write(
        self, rule: NamedRule, kind: Kind, name: str, head: AST | None, body: Sequence[AST]
    ) -> Probe:
        """Write a probe, called ``name``, of literals; ``head`` may be the term of an objective."""
        body = [self._lifter.literal(part) for part in body]
        if head is not None and kind.derives:
            head = self._lifter.positive(head)
        body += self._lifter.take()
        literals = body if head is None else [*body, head]
        self._variables = sorted(set().union(*map(variable_names, literals)))
        formats = _Formats(self._variables, self._constants)
        atoms = formats.literals(body)
        literal, needed, derived = "#false", body, "0"
        if head is not None and kind.derives:
            literal = str(head)
            derived = formats.atom(literal)
            needed = body if kind is Kind.RULE else [*body, head]
        elif head is not None:
            derived = formats.term(str(head))
        arguments = [*self._variables, *formats.evaluated]
        plain = (part for part in body if part.ast_type is ASTType.Literal)
        compared = (part for part in plain if part.atom.ast_type is ASTType.Comparison)
        size = len(formats.evaluated)
        companions = (self._companion(part, f"{name}_{n}", size) for n, part in enumerate(body))
        return Probe(
            rule,
            kind,
            name,
            _rule(literal, body),
            _rule(trees.written(name, arguments), needed),
            tuple(self._variables),
            len(arguments),
            derived,
            atoms,
            tuple(map(str, compared)),
            tuple(filter(None, companions)),
        )

    def _companion(self, part: AST, name: str, evaluated: int) -> Companion | None:
        parts: list[tuple[Sequence[AST], list[AST]]]
        if part.ast_type is ASTType.ConditionalLiteral:
            function, sign = "", part.literal.sign
            parts = [((), [part.literal, *part.condition])]
        elif part.ast_type is not ASTType.Literal:
            return None
        elif part.atom.ast_type is ASTType.BodyAggregate:
            function, sign = _FUNCTIONS[part.atom.function], part.sign
            parts = [(element.terms, list(element.condition)) for element in part.atom.elements]
        elif part.atom.ast_type is ASTType.Aggregate:
            function, sign = "#count", part.sign
            parts = [((), [element.literal, *element.condition]) for element in part.atom.elements]
        else:
            return None
        elements = (
            self._element(f"{name}_{number}", terms, conditions, evaluated)
            for number, (terms, conditions) in enumerate(parts)
        )
        return Companion(tuple(elements), str(part), function, sign == Sign.NoSign)

    def _element(
        self, name: str, terms: Sequence[AST], conditions: Sequence[AST], evaluated: int
    ) -> ElementRule:
        named = [self._lifter.literal(part) for part in conditions]
        named += self._lifter.take()
        used = set().union(*(variable_names(part) for part in (*terms, *named)))
        variables = [*self._variables, *sorted(used.difference(self._variables))]
        formats = _Formats(variables, self._constants)
        tuple_ = tuple(formats.term(str(term)) for term in terms)
        atoms = formats.literals(named)
        arguments = [*variables, *formats.evaluated]
        outer = [*self._variables, *["_"] * evaluated]
        firing = trees.written(name.rsplit("_", 2)[0], outer)
        statement = _rule(trees.written(name, arguments), [firing, *named])
        return ElementRule(name, len(arguments), len(self._variables), tuple_, atoms, statement)


def _rule(head: str, body: Sequence[AST | str]) -> str:
    return f"{head} :- {'; '.join(map(str, body))}." if body else f"{head}."


class _Formats:
    """The arguments of instances: ``variables``, then what clingo evaluates, to fill all terms."""

    def __init__(self, variables: Sequence[str], constants: Collection[str]) -> None:
        self._places = {name: f"{{{number}}}" for number, name in enumerate(variables)}
        self._places["_"] = ANY
        self._constants, self._first = constants, len(variables)
        self.evaluated: list[str] = []

    def literals(self, body: Sequence[AST]) -> Literals:
        """The atoms of a body; those of a sign are numbered together."""
        signed = [trees.signed_atom(part) for part in body]
        atoms = ([atom for sign, atom in filter(None, signed) if sign == n] for n in range(3))
        return Literals(*(tuple(map(self.atom, of_sign)) for of_sign in atoms))

    def atom(self, atom: str) -> str:
        """An atom of the rule; a minus says here that it is negated, elsewhere to subtract."""
        text = atom.removeprefix("-")
        sign = "-" * (text != atom)
        return sign + (self.term(text) if "(" in text else text)

    def term(self, term: str) -> str:
        if place := self._places.get(term):
            return place
        if parts := trees.function(term):
            name, terms = parts
            listed = ",".join(map(self.term, terms))
            return f"{name}({listed}{',' if not name and len(terms) == 1 else ''})"
        if term not in self._constants and trees.is_symbol(term):
            return term.replace("{", "{{").replace("}", "}}")
        self.evaluated.append(term)
        return f"{{{self._first + len(self.evaluated) - 1}}}"


_IGNORED = (
    *(ASTType.Defined, ASTType.Definition, ASTType.Heuristic, ASTType.ProjectAtom),
    *(ASTType.ProjectSignature, ASTType.ShowSignature, ASTType.ShowTerm),
)
"""Statements that make no difference to what is an answer set."""


@trees.cached_by_identity
def probes_of(
    statement: AST, rule: NamedRule, number: int, constants: frozenset[str] = frozenset()
) -> tuple[Probe, ...]:
    """The probes of a statement; none if it says nothing about atoms.

    ``number`` is its own, and ``constants`` are the names that ``#const`` defines. What is of a
    kind whose effect cannot be traced is refused.
    """
    text, where = str(statement), f"{rule.file}:{rule.line}"
    if statement.ast_type in _IGNORED or text == "#program base.":
        return ()
    kinds = (node.ast_type for node in trees.walk(statement))
    theory = "&" in text and ASTType.TheoryAtom in kinds
    if theory or statement.ast_type not in (ASTType.Rule, ASTType.Minimize):
        found = "a theory atom" if theory else text.split(" ", 1)[0].rstrip(".")
        expected = "rules, constraints, #minimize, #maximize and #show"
        hint = "Solve without a trace, or express it as rules"
        raise RuleError(f"{found} cannot be traced", where=where, expected=expected, hint=hint)
    if PREFIX not in text:
        if trees.is_fact(statement):
            return (probe_of_fact(statement, rule, f"{PREFIX}f{number}_0"),)
    elif any(name.startswith(PREFIX) for name in trees.names(statement)):
        hint = "Names that do are left to the trace; choose another"
        raise RuleError(f"a name begins with {PREFIX}", where=where, hint=hint)
    # To clingo, a pool at the head of a condition is "one of these", anew for each case; unpooled,
    # it would be the same one in all cases.
    conditions = (one for one in statement.body if one.ast_type is ASTType.ConditionalLiteral)
    pools = ((one, (part.ast_type for part in trees.walk(one.literal))) for one in conditions)
    whole = [one for one, kinds in pools if ASTType.Pool in kinds]
    rest = statement.update(body=[one for one in statement.body if one not in whole])
    variants = (part.update(body=[*part.body, *whole]) for part in rest.unpool())
    parts = chain.from_iterable(map(_parts, variants if whole else statement.unpool()))
    return tuple(
        ProbeWriter(constants).write(rule, kind, f"{PREFIX}f{number}_{place}", head, body)
        for place, (kind, head, body) in enumerate(parts)
    )


def _parts(statement: AST) -> Iterator[tuple[Kind, AST | None, list[AST]]]:
    """Kind, head (a literal, or the objective's term) and body of each probe of a statement."""
    body = list(statement.body)
    place = statement.location
    if statement.ast_type is ASTType.Minimize:
        terms = tuple_of(place, statement.terms)
        yield Kind.OBJECTIVE, tuple_of(place, (statement.weight, statement.priority, terms)), body
        return
    head = statement.head
    if head.ast_type is ASTType.Literal:
        if is_atom(head, Sign.NoSign):
            yield Kind.RULE, head, body
        elif head.sign == Sign.Negation:
            yield Kind.CONSTRAINT, None, [*body, head.update(sign=Sign.DoubleNegation)]
        elif trees.is_constraint(statement):
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
    parts = ((element.terms, element.condition) for element in head.elements)
    elements = [
        ast.BodyAggregateElement(terms, [choice.literal, *choice.condition])
        for terms, choice in parts
    ]
    guards = head.left_guard, head.right_guard
    return ast.BodyAggregate(head.location, guards[0], head.function, elements, guards[1])


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
                guard = ast.Guard(ComparisonOperator.NotEqual, element.literal.atom.symbol)
                different = ast.Comparison(literal.atom.symbol, [guard])
                conditions.append(Literal(head.location, Sign.NoSign, different))
            others.append(ast.ConditionalLiteral(head.location, _negated(literal), conditions))
        renamed = _apart(body, element)
        yield Kind.DISJUNCTION, element.literal, [*renamed, *element.condition, *others]
    # A disjunction may have no element that is an atom, or none whose condition holds.
    failing = [
        ast.ConditionalLiteral(head.location, _negated(part.literal), part.condition)
        for part in head.elements
    ]
    yield Kind.CONSTRAINT, None, [*body, *failing]


def _apart(body: Sequence[AST], element: AST) -> list[AST]:
    """A body whose aggregates and conditions share no local variables with a head's element."""
    inner = variable_names(element, local=True) - set().union(*map(variable_names, body))
    return [trees.rename(part, {name: f"{PREFIX}B_{name}" for name in inner}) for part in body]


def _negated(literal: AST) -> AST:
    negated = literal.sign == Sign.Negation
    return literal.update(sign=Sign.DoubleNegation if negated else Sign.Negation)


class Query(NamedTuple):
    """A rule without some literals: which are left out, and which cannot be looked at then."""

    name: str
    probe: Probe
    dropped: tuple[AST, ...]
    unknown: tuple[AST, ...]
    bound: tuple[str, ...]
    statement: str
