"""Small changes to syntax trees: names for what has none, values filled in, and switches."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING

import clingo
from clingo import Number, Symbol, ast
from clingo.ast import AST, ASTType, Function, Literal, Sign, SymbolicAtom, Transformer, Variable

from ists_asp.syntax.trees import children, parse, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clingo.ast import Location

PREFIX = "__"
"""What the names of generated predicates and variables begin with; rules may not use it."""

ANY = f"{PREFIX}any"
"""Stands for ``_`` in a negative literal, where it means that there is nothing at all."""

_OFF = "_rule_is_off"
"""The name of switches; as a private name it is in no file of rules."""

_NAMES = re.compile(r"(\"(?:[^\"\\]|\\.)*\"|(?<![A-Za-z0-9_'])_*[A-Z][A-Za-z0-9_']*)")


_LOCAL = (ASTType.ConditionalLiteral, ASTType.BodyAggregateElement, ASTType.TheoryAtomElement)
"""What has variables of its own."""

_NAMELESS = re.compile(r"\.\.|\b_\b")
"""What texts of literals have that have intervals or anonymous variables."""


def is_atom(literal: AST, sign: Sign | None = None) -> bool:
    """Whether a body literal is a symbolic atom, with this sign if one is given."""
    return (
        literal.ast_type is ASTType.Literal
        and literal.atom.ast_type is ASTType.SymbolicAtom
        and (sign is None or literal.sign == sign)
    )


def atom(place: Location, name: str, arguments: Sequence[AST]) -> AST:
    """The literal ``name(arguments)``."""
    return Literal(place, Sign.NoSign, SymbolicAtom(Function(place, name, arguments, 0)))


def tuple_of(place: Location, parts: Iterable[AST]) -> AST:
    """The term ``(parts)``."""
    return Function(place, "", list(parts), 0)


def names(node: AST) -> Iterator[str]:
    """All names of predicates, functions and variables in a syntax tree."""
    for part in walk(node):
        if part.ast_type in (ASTType.Function, ASTType.Variable):
            yield part.name


def variable_names(node: AST, *, local: bool = False) -> set[str]:
    """The variables of a literal; those of conditions and aggregate elements only if ``local``."""

    def found(part: AST) -> Iterator[str]:
        if part.ast_type is ASTType.Variable:
            yield part.name
        elif local or part.ast_type not in _LOCAL:
            for below in children(part):
                yield from found(below)

    return {*found(node)} - {"_"}


def rename(node: AST, new: Mapping[str, str]) -> AST:
    """A syntax tree with other names for its variables."""
    return _Renamer(new).visit(node)


def fill(text: str, values: Mapping[str, str]) -> str:
    """Text of a rule with values for its variables; strings in it stay as they are."""
    parts = _split(text)
    return "".join(
        values[part] if number % 2 and part in values else part for number, part in enumerate(parts)
    )


@lru_cache(1 << 12)
def _split(text: str) -> tuple[str, ...]:
    """Text cut into what stays as it is, and between that variables and strings."""
    return tuple(_NAMES.split(text))


def off(number: int) -> Symbol:
    """The atom that says that a rule with a switch does not fire."""
    return clingo.Function(_OFF, [Number(number)])


def switched(rule: AST, number: int) -> AST:
    """A rule, constraint or ``#minimize`` with a switch: it fires unless :func:`off` holds."""
    place = rule.location
    atom = Function(place, _OFF, [ast.SymbolicTerm(place, Number(number))], 0)
    return rule.update(body=[*rule.body, Literal(place, Sign.Negation, SymbolicAtom(atom))])


def switches(count: int = 0) -> AST:
    """What makes switches known: as facts of pairs or, with a count, as externals from 1."""
    return parse(f"#external {_OFF}(1..{count})." if count else f"#defined {_OFF}/1.")[0]


class Lifter(Transformer):
    """Names intervals and anonymous variables in atoms, so that they have values to look at.

    ``extra`` gets the comparisons ``Name = 1..3`` that go with the names of intervals.
    """

    def __init__(self) -> None:
        self._number = count(1)
        self.extra: list[AST] = []

    def positive(self, literal: AST, *, anonymous: bool = True) -> AST:
        """Name intervals and anonymous variables in an atom."""
        if not _NAMELESS.search(str(literal)):
            return literal
        return _Naming(self, anonymous=anonymous).visit(literal)

    def literal(self, literal: AST) -> AST:
        """Name what has no name in a literal, if it is one with a symbolic atom."""
        # In a negated atom _ means something else.
        positive = is_atom(literal, Sign.NoSign)
        return self.positive(literal, anonymous=positive) if is_atom(literal) else literal

    def name(self, place: Location) -> AST:
        """A new variable."""
        return Variable(place, f"{PREFIX}V{next(self._number)}")

    def take(self) -> list[AST]:
        """The comparisons since this was last called."""
        taken, self.extra = self.extra, []
        return taken


class _Naming(Transformer):
    def __init__(self, lifter: Lifter, *, anonymous: bool) -> None:
        self._lifter = lifter
        self._anonymous = anonymous

    def visit_Interval(self, node: AST) -> AST:  # noqa: N802 (the name that clingo calls)
        name = self._lifter.name(node.location)
        comparison = ast.Comparison(name, [ast.Guard(ast.ComparisonOperator.Equal, node)])
        self._lifter.extra.append(Literal(node.location, Sign.NoSign, comparison))
        return name

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802
        return self._lifter.name(node.location) if self._anonymous and node.name == "_" else node


class _Renamer(Transformer):
    def __init__(self, new: Mapping[str, str]) -> None:
        self._new = new

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802
        return node.update(name=self._new.get(node.name, node.name))
