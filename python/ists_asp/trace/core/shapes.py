"""The terms of a rule as formats, to be filled with the values that a firing has."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from clingo import SymbolType
from clingo.ast import AST, ASTType

from ists_asp.syntax.changes import ANY
from ists_asp.syntax.ground import Ground

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence


class Shape:
    """A term with gaps: ``pair(%s,%s)`` and which values go there."""

    __slots__ = ("_pick", "_text", "kept")

    def __init__(self, text: str, places: Sequence[int]) -> None:
        self.kept = text, list(places)
        """What the term was made of."""
        self._text = text if places else text % ()
        self._pick: Callable[[Sequence[str]], object] | None = (
            itemgetter(*places) if places else None
        )

    def fill(self, values: Sequence[str]) -> Ground:
        """The term with values in it."""
        return Ground(self._text % self._pick(values) if self._pick else self._text)


class Slots:
    """What the instances of a rewritten rule have to say, so that all its terms can be filled.

    ``terms`` are the variables, and behind them what clingo has to evaluate: arithmetic and
    constants that ``#const`` defines.

    Args:
        variables: names of variables.
        constants: names that ``#const`` defines.
    """

    def __init__(self, variables: Iterable[str], constants: Collection[str]) -> None:
        self._places = {name: number for number, name in enumerate(variables)}
        self._constants = constants
        self.evaluated: list[AST] = []

    def shape(self, atom: AST) -> Shape:
        """An atom of the rule as a format."""
        places: list[int] = []
        return Shape(self._write(atom, places, atom=True), places)

    def term(self, term: AST) -> Shape:
        """A term of the rule as a format."""
        places: list[int] = []
        return Shape(self._write(term, places), places)

    def tuple_of(self, terms: Sequence[AST]) -> Shape:
        """Terms of the rule as the format of a tuple."""
        places: list[int] = []
        return Shape(self._arguments("", terms, places), places)

    def _write(self, term: AST, places: list[int], *, atom: bool = False) -> str:
        if term.ast_type is ASTType.Variable:
            if term.name == "_":
                return ANY
            places.append(self._places[term.name])
            return "%s"
        if term.ast_type is ASTType.UnaryOperation and atom:
            # At the top it is classical negation, elsewhere arithmetic.
            return "-" + self._write(term.argument, places, atom=True)
        if term.ast_type is ASTType.Function and not term.external:
            if term.arguments or not term.name:
                return self._arguments(term.name, term.arguments, places)
            if atom or term.name not in self._constants:
                return str(term.name)
        if term.ast_type is ASTType.SymbolicTerm:
            symbol = term.symbol
            if symbol.type is not SymbolType.Function or atom or symbol.name not in self._constants:
                return str(symbol).replace("%", "%%")
        places.append(len(self._places) + len(self.evaluated))
        self.evaluated.append(term)
        return "%s"

    def _arguments(self, name: str, terms: Sequence[AST], places: list[int]) -> str:
        parts = ",".join(self._write(part, places) for part in terms)
        return f"{name}({parts}{',' if not name and len(terms) == 1 else ''})"
