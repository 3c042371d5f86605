"""Atoms of rules, derived and used, and the kinds of their arguments.

Which of them are tokens, chunks and spans, and of which sentence: known for the predicates of
``asp/`` and found for all others by following the variables through the rules, so that a trace
can say the words where a rule has numbers, and a check what was mixed up. Where rules disagree
about an argument, it is taken for nothing special.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import count
from typing import Any, NamedTuple, Self, TypeAlias, cast

import msgspec
from clingo.ast import AST, AggregateFunction, ASTType, ComparisonOperator, Sign

from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Call, Term, Variable, read, read_atom, read_text, reread, written
from ists_asp.syntax.trees import (
    Signature,
    cached_by_identity,
    children,
    functions,
    head_elements,
    signed_atom,
    words,
)
from ists_asp.vocabulary import Meaning, all_predicates, targets


class Atom(NamedTuple):
    """An atom of a statement: whether nothing negates it, whether it must, or must not, hold.

    ``key`` is its predicate.
    """

    call: Call
    key: Signature
    positive: bool = True
    needed: bool = False
    denied: bool = False
    element: int = 0  # the element with a condition that it stands in, from 1
    guards: bool = False  # this element counts only where the atom holds

    @property
    def arguments(self) -> tuple[Term, ...]:
        """Its arguments."""
        return self.call.arguments


class Read(NamedTuple):
    """The atoms that a statement derives, and those that it asks for.

    ``compared`` are the comparisons of its body that must hold: two terms and what is between;
    ``..`` where the first is one of an interval that the other bounds, ``#min`` where it is the
    least or the greatest of what the other may be.
    """

    derived: list[Atom]
    used: list[Atom]
    compared: list[tuple[Term, str, Term]]

    @classmethod
    def from_stored(cls, stored: Sequence[Sequence[Any]], constants: frozenset[str]) -> Self:
        """Read stored text; ``constants`` are the names with values of their own."""

        def atoms(rows: Sequence[Any]) -> list[Atom]:
            calls = [cast("Call", reread(text, constants)) for text, *_ in rows]
            both = zip(calls, rows, strict=True)
            return [Atom(call, call.signature, *flags) for call, (_, *flags) in both]

        derived, used, rows = stored
        compared = [(reread(a, constants), sign, reread(b, constants)) for a, sign, b in rows]
        return cls(atoms(derived), atoms(used), compared)

    @property
    def positive(self) -> list[Atom]:
        """The atoms of the body that nothing negates."""
        return [atom for atom in self.used if atom.positive]

    @property
    def needed(self) -> list[Call]:
        """The atoms of the body that must hold."""
        return [atom.call for atom in self.used if atom.needed]

    def beside(self, atom: Atom) -> list[Call]:
        """The other atoms that must hold for one of the atoms to matter."""
        return [
            used.call
            for used in self.used
            if used is not atom and (used.needed or (used.guards and used.element == atom.element))
        ]


_EXTREMES = (AggregateFunction.Min, AggregateFunction.Max)
_SIGNS = {
    ComparisonOperator.Equal: "=",
    ComparisonOperator.NotEqual: "!=",
    ComparisonOperator.LessThan: "<",
    ComparisonOperator.GreaterThan: ">",
    ComparisonOperator.LessEqual: "<=",
    ComparisonOperator.GreaterEqual: ">=",
}


@cached_by_identity
def read_statement(node: AST) -> list[list[list[Any]]]:
    """The atoms and comparisons of a statement as text, once for each choice from its pools."""
    pooled = node.ast_type in (ASTType.Rule, ASTType.Minimize)
    try:
        return [_read_variant(variant) for variant in (node.unpool() if pooled else (node,))]
    except RecursionError:
        # It is nested more deeply than anything that a rule can mean.
        return []


def _read_variant(node: AST) -> list[list[Any]]:
    derived, used, compared = list[Any](), list[Any](), list[Any]()
    numbers = count(1)
    [word, *others] = words(str(node))
    if not others and word[0] != "#" and (fact := read_text(word[:-1])):
        return [[(written(fact), True, False, False, next(numbers), False)], used, compared]

    def note(
        part: AST, into: list[Any], element: int = 0, *, guards: bool = False, sign: int = 0
    ) -> None:
        """Note the atoms in a part; of those in a literal of the body itself what must be."""
        kind = part.ast_type
        if kind is ASTType.Literal and (signed := signed_atom(part)):
            sign, text = signed
            if call := read_text(text):
                into.append((written(call), *flags(sign, element, guards=guards)))
                return
        if kind is ASTType.SymbolicAtom:
            own = flags(sign, element, guards=guards)
            into += [(written(read_atom(term)), *own) for term in functions(part.symbol)]
        elif kind is ASTType.ConditionalLiteral:
            note_element([part.literal], part.condition, into)
        elif kind in (ASTType.BodyAggregateElement, ASTType.TheoryAtomElement):
            note_element([], part.condition, into)
        else:
            if kind is ASTType.Literal:
                sign = part.sign
                if not (element or sign):
                    compared.extend(
                        (written(read(left)), operator, written(read(right)))
                        for left, operator, right in _comparisons(part.atom)
                    )
            for child in children(part):
                note(child, into, element, guards=guards, sign=sign)

    def flags(sign: int, element: int, *, guards: bool) -> tuple[bool, bool, bool, int, bool]:
        positive, negative, outer = sign == Sign.NoSign, sign == Sign.Negation, not element
        return positive, outer and positive, outer and negative, element, guards and positive

    def note_element(literals: list[AST], condition: Iterable[AST], into: list[Any]) -> None:
        number = next(numbers)
        for literal in literals:
            note(literal, into, number)
        for literal in condition:
            note(literal, used, number, guards=True)

    if node.ast_type is ASTType.Rule:
        for literal, condition in head_elements(node.head):
            note_element([literal], condition, derived)
    elif (atom := getattr(node, "atom", None)) is not None:
        note_element([atom], [], derived if node.ast_type is ASTType.External else used)
    for part in getattr(node, "body", ()):
        note(part, used)
    return [derived, used, compared]


def _comparisons(atom: AST) -> Iterator[tuple[AST, str, AST]]:
    if atom.ast_type is ASTType.Comparison:
        left = atom.term
        for guard in atom.guards:
            operator, right = _SIGNS.get(guard.comparison, ""), guard.term
            yield left, operator, right
            if operator == "=" and right.ast_type is ASTType.Interval:
                yield left, "..", right.left
                yield left, "..", right.right
            left = right
    elif atom.ast_type is ASTType.BodyAggregate and atom.function in _EXTREMES:
        guard = atom.left_guard
        firsts = {str(part.terms[0]): part.terms[0] for part in atom.elements if part.terms}
        if guard and guard.comparison == ComparisonOperator.Equal and len(firsts) == 1:
            yield guard.term, "#min", *firsts.values()


_PLACES = TOKEN, CHUNK, SPAN = "token", "chunk", "span"

Meanings: TypeAlias = Mapping[Signature, Sequence[Meaning | None]]
"""The meanings of the arguments of predicates."""


@cache
def _seeds() -> Meanings:
    """The arguments that are tokens, chunks and spans by the comments of ``asp/``."""
    places = {
        entry.signature: [kind if kind and kind[0] in _PLACES else None for kind in entry.meanings]
        for entry in (*all_predicates(), *targets().values())
    }
    return {key: meanings for key, meanings in places.items() if any(meanings)}


_SIDES: dict[object, int] = {"1": 1, "2": 2}
_ROUNDS = 6


class Place(msgspec.Struct, array_like=True, frozen=True):
    """The kind of a variable and its sentence."""

    kind: str
    side: int | str  # a sentence, or the name of a variable that has its number
    other: bool = False  # it is the sentence other than that


class ArgumentTypes(msgspec.Struct):
    """The kinds of ``variables``, by probe, and of predicates' ``arguments``, by ``name/arity``."""

    variables: dict[str, dict[str, Place]]
    arguments: dict[str, list[Meaning | None]]


_Possible: TypeAlias = dict[Signature, dict[int, set[Meaning]]]
"""The possible meanings of the arguments of predicates, by their places."""


def argument_types(reads: Mapping[str, Read], seeds: Meanings | None = None) -> ArgumentTypes:
    """Follow the variables through all rules, each time with what is known from the time before."""
    seeds = _seeds() if seeds is None else seeds
    derived = {head.key for rule in reads.values() for head in rule.derived}
    rules = [
        (rule, rule.positive, heads)
        for rule in reads.values()
        if (heads := [head for head in rule.derived if _is_open(head, seeds)])
    ]
    possible: _Possible = {
        key: {index: {meaning} for index, meaning in enumerate(places) if meaning}
        for key, places in seeds.items()
    }
    # First what can be known; then without what some rule does not agree with.
    for strict in (False, True):
        for _ in range(_ROUNDS):
            updated = _followed(rules, possible, derived, seeds, strict=strict)
            if updated == possible:
                break
            possible = updated
    variables = {
        name: places
        for name, rule in reads.items()
        if (places := _variables(rule, possible, (*rule.positive, *rule.derived)))
    }
    arguments = {
        str(key): [min(places[at], key=str) if at in places else None for at in range(key.arity)]
        for key, places in possible.items()
        if places
    }
    return ArgumentTypes(variables, arguments)


def _is_open(head: Atom, seeds: Collection[Signature]) -> bool:
    return head.key not in seeds and any(isinstance(term, Variable) for term in head.arguments)


def _followed(
    rules: Iterable[tuple[Read, Sequence[Atom], Sequence[Atom]]],
    possible: _Possible,
    derived: Set[Signature],
    seeds: Collection[Signature],
    *,
    strict: bool,
) -> _Possible:
    """The meanings after the variables have been followed through all rules once more."""
    updated: _Possible = {}
    for rule, body, heads in rules:
        variables = _variables(rule, possible, body)
        open_ = {
            argument
            for atom in body
            if atom.key not in derived and atom.key not in seeds
            for argument in atom.arguments
            if isinstance(argument, Variable)
        }
        for head in heads:
            places = updated.setdefault(head.key, {})
            for index, argument in enumerate(head.arguments):
                place = variables.get(argument) if isinstance(argument, Variable) else None
                if place or (strict and isinstance(argument, Variable) and argument not in open_):
                    meanings = set(_meanings(place, head.arguments)) if place else set[Meaning]()
                    places[index] = places.get(index, meanings) & meanings
    agreed = {
        key: {index: meanings for index, meanings in places.items() if meanings}
        for key, places in updated.items()
    }
    return agreed | {key: possible[key] for key in seeds}


def _variables(rule: Read, possible: _Possible, atoms: Iterable[Atom]) -> dict[str, Place]:
    places: dict[str, Place] = {}
    for atom in atoms:
        _place_in(atom.key, atom.arguments, possible, places)
    for name, operator, term in rule.compared:
        # Such as J = I+1, J = I..K and J = #min{I : ...}.
        other = _shifted(term) if operator in ("=", "..", "#min") else None
        if isinstance(name, Variable) and other in places:
            places.setdefault(name, places[other])
    return places


def _place_in(
    key: Signature, arguments: Sequence[Term], possible: _Possible, places: dict[str, Place]
) -> None:
    meanings = possible.get(key, {})
    for index, argument in enumerate(arguments):
        if isinstance(argument, Call):
            if argument.name in targets() and argument.signature in possible:
                _place_in(argument.signature, argument.arguments, possible, places)
        elif isinstance(argument, Variable) and argument not in places:
            for meaning in sorted(meanings.get(index, ()), key=str):
                if place := placed(meaning, arguments):
                    places.setdefault(argument, place)


def placed(meaning: Meaning, arguments: Sequence[Term]) -> Place | None:
    """The place of an argument of this meaning beside the others; None if its sentence is open."""
    kind, side = meaning
    if isinstance(side, int):
        return Place(kind, side)
    how, index = side
    argument = arguments[index]
    if isinstance(argument, Variable):
        return Place(kind, str(argument), how == "other")
    if argument in _SIDES:
        return Place(kind, 3 - _SIDES[argument] if how == "other" else _SIDES[argument])
    return None


def _meanings(place: Place, arguments: Sequence[Term]) -> Iterator[Meaning]:
    """All ways to say which sentence a place is of, seen from the arguments of a head."""
    if isinstance(place.side, int):
        yield place.kind, place.side
    for index, argument in enumerate(arguments):
        if isinstance(place.side, int):
            if place.side and argument in _SIDES:
                yield place.kind, ("is" if _SIDES[argument] == place.side else "other", index)
        elif argument == place.side:
            yield place.kind, ("other" if place.other else "is", index)


def _shifted(term: Term) -> str | None:
    """The variable to which a number may be added."""
    match term:
        case Call("+" | "-", (shifted, Ground())):
            return _shifted(shifted)
        case Variable():
            return term
    return None
