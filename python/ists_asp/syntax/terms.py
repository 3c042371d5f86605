"""Terms of rules, and what they may stand for.

A term is read once (:func:`read`), as syntax trees are slow to look into. It is

- a :class:`Variable`;
- a :class:`Call`, which is a function or an atom with its arguments;
- a :class:`~ists_asp.syntax.ground.Ground`, the text of a number, a string or a constant;
- None where it may be anything: ``_``, and a constant that ``#const`` gives a value to.

A pattern is a term without variables: what a term is where some variables have values. An atom is
a call, with or without arguments; its sign for classical negation is left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias, TypeGuard, cast

from clingo.ast import AST, ASTType, BinaryOperator, UnaryOperator

from ists_asp.syntax.ground import MEMORY, Ground, split
from ists_asp.syntax.trees import Signature

_signature = lru_cache(MEMORY)(Signature)  # in a fraction of the time


class Variable(str):
    """The name of a variable that has to have the same value wherever it stands."""

    __slots__ = ()


class Call(NamedTuple):
    """A function or an atom with its arguments; a tuple is a function without a name."""

    name: str
    arguments: tuple[Term, ...]

    @property
    def signature(self) -> Signature:
        """The predicate of an atom."""
        return _signature(self.name, len(self.arguments))


Term: TypeAlias = "Variable | Call | Ground | None"
Bindings: TypeAlias = "dict[str, Term]"  # values of variables
NUMBER = Call("#number", ())  # the result of arithmetic that is not solved here
_SUMS = {BinaryOperator.Plus: "+", BinaryOperator.Minus: "-"}
_COMPUTED = frozenset({NUMBER.name, *_SUMS.values()})
_COMPUTES = re.compile(r"[-+*/\\|&?^~@;]|\.\.")  # more than variables, constants and functions


def read(node: AST, constants: Collection[str] = ()) -> Term:
    """Read a term without pools; ``constants`` are the names that ``#const`` gives values to."""
    kind = node.ast_type
    if kind is ASTType.Variable:
        return None if node.name == "_" else Variable(node.name)
    if kind is ASTType.SymbolicTerm:
        return None if str(node) in constants else parsed(str(node))
    if kind is ASTType.Function:
        if node.external:
            return None
        if not node.arguments and node.name:
            return None if node.name in constants else Ground(node.name)
        return read_atom(node, constants)
    if kind is ASTType.UnaryOperation and node.operator_type == UnaryOperator.Minus:
        # Before anything but a number it is the sign of classical negation.
        inner = read(node.argument, constants)
        return Ground(f"-{inner}") if _is_number(inner) and isinstance(inner, Ground) else None
    if kind is ASTType.BinaryOperation and node.operator_type in _SUMS:
        sides = read(node.left, constants), read(node.right, constants)
        return Call(_SUMS[node.operator_type], sides)
    return NUMBER


def read_atom(node: AST, constants: Collection[str] = ()) -> Call:
    """Read the function ``p(...)`` of an atom."""
    # To look into a syntax tree takes far longer.
    if call := read_text(str(node), constants):
        return call
    return Call(node.name, tuple(read(part, constants) for part in node.arguments))


def read_text(text: str, constants: Collection[str] = ()) -> Call | None:
    """Read an atom from its text; None if that takes more than a look at it."""
    if _COMPUTES.search(text):
        return None
    return cast("Call", reread(text if text[-1] == ")" else f"{text}()", frozenset(constants)))


@lru_cache(MEMORY)
def parsed(text: str) -> Call | Ground:
    """The pattern of a ground term."""
    return cast("Call | Ground", reread(text, frozenset()))


def variables(term: Term) -> Iterator[Variable]:
    """The variables in a term; one that occurs twice comes twice."""
    if isinstance(term, Variable):
        yield term
    elif isinstance(term, Call):
        for part in term.arguments:
            yield from variables(part)


def filled(term: Term, bound: Bindings) -> Term:
    """A term with the values of its variables; those without one may be anything."""
    if isinstance(term, Variable):
        return bound.get(term)
    if isinstance(term, Call):
        parts = tuple(filled(part, bound) for part in term.arguments)
        if len(parts) == 2 and term.name in _COMPUTED and all(map(is_written_number, parts)):
            left, right = map(int, parts)  # type: ignore[arg-type]
            return Ground(left + right if term.name == "+" else left - right)
        return Call(term.name, parts)
    return term


def filled_atom(atom: Call, bound: Bindings) -> Call:
    """An atom with the values of its variables."""
    return Call(atom.name, tuple(filled(part, bound) for part in atom.arguments))


def bind(term: Term, value: Term, bound: Bindings) -> bool:
    """Whether a term can stand for what a pattern can, such as a ground term; binds its variables.

    ``bound`` are the values of variables; on failure it may have more than before.
    """
    if isinstance(term, Variable):
        previous = bound.get(term)
        if previous is not None:
            return agree(previous, value)
        if value is not None:
            bound[term] = value
        return True
    if isinstance(term, Call) and isinstance(value, Call) and term.name not in _COMPUTED:
        return (
            term.name == value.name
            and len(term.arguments) == len(value.arguments)
            and bind_all(term.arguments, value.arguments, bound)
        )
    return agree(term, value)


def bind_all(terms: Sequence[Term], values: Sequence[Term], bound: Bindings) -> bool:
    """Whether terms, one by one, can stand for what patterns can, see :func:`bind`."""
    return all(bind(term, value, bound) for term, value in zip(terms, values, strict=True))


def agree(term: Term, other: Term) -> bool:
    """Whether two terms can stand for the same, where their variables may be anything."""
    if term is None or other is None or term == other:
        return True
    if isinstance(term, Call) and isinstance(other, Call):
        if term.name in _COMPUTED or other.name in _COMPUTED:
            return _is_number(term) and _is_number(other)
        return (
            term.name == other.name
            and len(term.arguments) == len(other.arguments)
            and all(map(agree, term.arguments, other.arguments))
        )
    if isinstance(term, Variable) or isinstance(other, Variable):
        return True
    if isinstance(term, Call) or isinstance(other, Call):
        return _is_number(term) and _is_number(other)
    return False


def shape(term: Term) -> object:
    """A constant, or the name and arity of a function; None of what may be anything or is computed.

    Terms that have others never agree.
    """
    if isinstance(term, Call):
        return None if term.name in _COMPUTED else (term.name, len(term.arguments))
    return term if isinstance(term, Ground) else None


def is_ground(term: Term) -> bool:
    """Whether a term can stand for one thing only."""
    if isinstance(term, Call):
        return term.name not in _COMPUTED and all(map(is_ground, term.arguments))
    return isinstance(term, Ground)


def _is_number(term: Term) -> bool:
    return term.name in _COMPUTED if isinstance(term, Call) else is_written_number(term)


def is_written_number(term: Term) -> TypeGuard[Ground]:
    """Whether a term is a number as it stands."""
    return isinstance(term, Ground) and term.removeprefix("-").isdecimal()


def written(term: Term) -> str:
    """A term as text; an atom always has brackets."""
    if isinstance(term, Call):
        end = "," if not term.name and len(term.arguments) == 1 else ""
        return f"{term.name}({','.join(map(written, term.arguments))}{end})"
    return "_" if term is None else term


@lru_cache(MEMORY)
def reread(text: str, constants: frozenset[str]) -> Term:
    """The term that was written so."""
    if text == "_" or text in constants:
        return None
    if text.lstrip("_")[:1].isupper():
        return Variable(text)
    if text[0] == '"' or text[-1] != ")":
        return Ground(text)
    name, _, rest = text.partition("(")
    return Call(name, tuple(reread(part, constants) for part in split(rest[:-1].removesuffix(","))))
