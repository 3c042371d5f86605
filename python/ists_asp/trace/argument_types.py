"""Which variables of a rule stand for tokens, chunks and spans, and of which sentence.

Known for the predicates of ``asp/`` and found for all others by following the variables
through the rules, so that a trace can say the words where a rule has numbers. Where rules
disagree about an argument, it is taken for nothing special.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec
from clingo.ast import AST, AggregateFunction, ASTType, BinaryOperator, ComparisonOperator, Sign

from ists_asp.syntax.changes import is_atom
from ists_asp.syntax.terms import Call, Term, Variable, read_atom
from ists_asp.syntax.trees import Signature, functions, remembered_by_identity, walk
from ists_asp.vocabulary import TARGETS, Argument, all_predicates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from ists_asp.trace.probes import Probe

TOKEN, CHUNK, SPAN = "token", "chunk", "span"

Meaning: TypeAlias = tuple[str, int | tuple[str, int]]
"""What an argument is, and of which sentence.

That is its number, or ``("is", K)`` or ``("other", K)`` where argument K has it.
"""

_MEANINGS: dict[Argument, Meaning] = {
    Argument.TOKEN: (TOKEN, ("is", 0)),
    Argument.OTHER_TOKEN: (TOKEN, ("other", 0)),
    Argument.TOKEN1: (TOKEN, 1),
    Argument.TOKEN2: (TOKEN, 2),
    Argument.CHUNK: (CHUNK, ("is", 0)),
    Argument.SPAN: (SPAN, ("is", 0)),
    Argument.SPAN1: (SPAN, 1),
    Argument.SPAN2: (SPAN, 2),
}
_SEEDS = {
    one.signature: [_MEANINGS.get(argument) for argument in one.arguments]
    for one in (*all_predicates(), *TARGETS.values())
    if not _MEANINGS.keys().isdisjoint(one.arguments)
}
_INSIDE = frozenset(one.signature for one in TARGETS.values())
"""Functions in ``feature/2`` that have the meaning of a predicate of their name."""

_SIDES: dict[object, int] = {"1": 1, "2": 2}
_ROUNDS = 6
_EXTREMES = (AggregateFunction.Min, AggregateFunction.Max)
_SHIFTS = (BinaryOperator.Plus, BinaryOperator.Minus)


class Place(msgspec.Struct, array_like=True, frozen=True):
    """What a variable stands for.

    ``side`` is a sentence, or the name of a variable that has its number; ``other`` says that
    it is the sentence other than that.
    """

    kind: str
    side: int | str
    other: bool = False


class ArgumentTypes(msgspec.Struct):
    """What the variables of probes, and the arguments of predicates, stand for where it is known.

    ``variables`` are by the name of the probe, ``arguments`` by ``name/arity``.
    """

    variables: dict[str, dict[str, Place]]
    arguments: dict[str, list[Meaning | None]]

    def of(self, probe: Probe) -> Mapping[str, Place]:
        """What the variables of a probe stand for."""
        return self.variables.get(probe.name, {})


_Known: TypeAlias = dict[Signature, dict[int, set[Meaning]]]
"""What the arguments of predicates may be, by their places."""

_Outline: TypeAlias = tuple[tuple[Call, ...], tuple[Call, ...], tuple[tuple[str, str], ...]]
"""Of a rule only what matters here: the atoms of its head and of its body, and variables of which
the first is a place of the same kind and sentence as the second."""


def argument_types(probes: Sequence[Probe]) -> ArgumentTypes:
    """Follow the variables through all rules, each time with what is known from the time before."""
    outlines = {probe.name: _outline(probe) for probe in probes if not probe.is_fact}
    derived = {head.signature for heads, _, _ in outlines.values() for head in heads}
    known: _Known = {
        key: {index: {meaning} for index, meaning in enumerate(places) if meaning}
        for key, places in _SEEDS.items()
    }
    # First what can be known; then without what some rule does not agree with.
    for strict in (False, True):
        for _ in range(_ROUNDS):
            found = _followed(outlines.values(), known, derived, strict=strict)
            if found == known:
                break
            known = found
    return ArgumentTypes(
        {
            name: places
            for name, (heads, body, same) in outlines.items()
            if (places := _variables((*body, *heads), same, known))
        },
        {
            f"{name}/{arity}": [
                min(places[index], key=str) if index in places else None for index in range(arity)
            ]
            for (name, arity), places in known.items()
            if places
        },
    )


def _followed(
    outlines: Iterable[_Outline], known: _Known, derived: Set[Signature], *, strict: bool
) -> _Known:
    """What is known after the variables have been followed through all rules once more."""
    found: _Known = {}
    for heads, body, same in outlines:
        variables = _variables(body, same, known)
        open_ = {
            argument
            for atom in body
            if atom.signature not in derived and atom.signature not in _SEEDS
            for argument in atom.arguments
            if isinstance(argument, Variable)
        }
        for head in heads:
            places = found.setdefault(head.signature, {})
            for index, argument in enumerate(head.arguments):
                if not isinstance(argument, Variable):
                    continue
                place = variables.get(argument)
                if place is None and (not strict or argument in open_):
                    continue
                meanings = set() if place is None else set(_meanings(place, head.arguments))
                places[index] = places[index] & meanings if index in places else meanings
    agreed = {
        key: {index: meanings for index, meanings in places.items() if meanings}
        for key, places in found.items()
    }
    return agreed | {key: known[key] for key in _SEEDS}


def _variables(
    atoms: Iterable[Call], same: Iterable[tuple[str, str]], known: _Known
) -> dict[str, Place]:
    found: dict[str, Place] = {}
    for atom in atoms:
        _read(atom, known, found)
    for name, other in same:
        if other in found:
            found.setdefault(name, found[other])
    return found


def _read(atom: Call, known: _Known, found: dict[str, Place]) -> None:
    meant = known.get(atom.signature, {})
    for index, argument in enumerate(atom.arguments):
        if isinstance(argument, Call):
            if argument.signature in _INSIDE:
                _read(argument, known, found)
        elif isinstance(argument, Variable):
            for meaning in sorted(meant.get(index, ()), key=str):
                place = _place(meaning, atom.arguments)
                if place is not None:
                    found.setdefault(str(argument), place)


def _place(meaning: Meaning, arguments: Sequence[Term]) -> Place | None:
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
            if argument in _SIDES:
                yield place.kind, ("is" if _SIDES[argument] == place.side else "other", index)
        elif argument == place.side:
            yield place.kind, ("other" if place.other else "is", index)


@remembered_by_identity
def _outline(probe: Probe) -> _Outline:
    heads = () if probe.head is None else tuple(map(read_atom, functions(probe.head.atom.symbol)))
    body = (
        read_atom(function)
        for part in probe.body
        for node in walk(part)
        if is_atom(node, Sign.NoSign)
        for function in functions(node.atom.symbol)
    )
    same = (pair for part in probe.body for pair in _assigned(part))
    return heads, tuple(body), tuple(same)


def _assigned(part: AST) -> Iterator[tuple[str, str]]:
    """Follow ``J = I+1``, ``J = I..K`` and ``J = #min{I : ...}``."""
    if part.ast_type is not ASTType.Literal or part.sign != Sign.NoSign:
        return
    atom = part.atom
    if atom.ast_type is ASTType.Comparison:
        guard, term = atom.guards[0], atom.term
        if len(atom.guards) == 1 and guard.comparison == ComparisonOperator.Equal:
            other = _shifted(guard.term)
            if term.ast_type is ASTType.Variable and other is not None:
                yield term.name, other
    elif atom.ast_type is ASTType.BodyAggregate and atom.function in _EXTREMES:
        guard = atom.left_guard
        firsts = {str(element.terms[0]) for element in atom.elements if element.terms}
        if guard is None or guard.comparison != ComparisonOperator.Equal:
            return
        if guard.term.ast_type is ASTType.Variable and len(firsts) == 1:
            yield guard.term.name, firsts.pop()


def _shifted(term: AST) -> str | None:
    if term.ast_type is ASTType.Variable:
        return str(term.name)
    if term.ast_type is ASTType.Interval:
        return _shifted(term.left) or _shifted(term.right)
    if term.ast_type is not ASTType.BinaryOperation or term.operator_type not in _SHIFTS:
        return None
    return _shifted(term.left) if term.right.ast_type is ASTType.SymbolicTerm else None
