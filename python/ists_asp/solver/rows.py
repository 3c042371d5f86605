"""Atoms of pairs and of tables, to be found by patterns of their arguments.

What is true of pairs is told for many at a time: a set of pairs is an integer with a bit for each.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from ists_asp.syntax.ground import split, written
from ists_asp.syntax.terms import agree, parsed
from ists_asp.vocabulary import NORM, PRODUCT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

    from ists_asp.solver.program import Program
    from ists_asp.syntax.terms import Term
    from ists_asp.syntax.trees import Signature

_MEASURED = frozenset((NORM.name, PRODUCT.name))
"""Predicates of most of a pair's facts, which have nothing but numbers."""


Arguments: TypeAlias = "tuple[Term, ...]"


class Rows:
    """Atoms of a predicate, each with the pairs that have it, to be found by their arguments."""

    def __init__(self) -> None:
        self._every: list[tuple[Arguments, int]] = []
        self._places: dict[tuple[int, str | None], list[int]] = defaultdict(list)

    def add(self, arguments: Arguments, bits: int) -> None:
        """Add an atom."""
        for place, term in enumerate(arguments):
            self._places[place, term if isinstance(term, str) else None].append(len(self._every))
        self._every.append((arguments, bits))

    def matching(self, wanted: Arguments) -> Iterator[tuple[Arguments, int]]:
        """The atoms that a pattern may stand for."""
        best: Sequence[int] = range(len(self._every))
        for place, term in enumerate(wanted):
            if isinstance(term, str):
                found = self._places.get((place, term), [])
                found = found + self._places.get((place, None), [])
                if len(found) < len(best):
                    best = found
        for number in best:
            arguments, bits = self._every[number]
            if all(map(agree, arguments, wanted)):
                yield arguments, bits


class Indexed:
    """The facts of pairs, to be found by their arguments.

    Args:
        texts: those of each pair, as clingo writes a tuple of them.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._rows: dict[Signature, Rows] = {}
        self.whole = (1 << len(texts)) - 1

    def rows(self, name: Signature) -> Rows:
        """The facts of a predicate."""
        found = self._rows.get(name)
        if found is None:
            found = self._rows[name] = Rows()
            for arguments, bits in self._by_name.get(name.name, {}).items():
                if name.name in _MEASURED:
                    found.add((None,) * name.arity, bits)
                    continue
                terms = tuple(map(parsed, split(arguments)))
                if len(terms) == name.arity:
                    found.add(terms, bits)
        return found

    @property
    def names(self) -> Set[str]:
        """The names of the predicates that have facts."""
        return self._by_name.keys()

    @cached_property
    def _by_name(self) -> Mapping[str, Mapping[str, int]]:
        found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for place, text in enumerate(self._texts):
            bit = 1 << place
            for atom in split(text[1:-1].removesuffix(",")):
                name, _, rest = atom.partition("(")
                # No statement has a constant there: their arguments may be anything.
                found[name.removeprefix("-")]["" if name in _MEASURED else rest[:-1]] |= bit
        return found


class Tables:
    """The facts of a program, and what an edit adds to them or takes from them."""

    def __init__(self, program: Program) -> None:
        self._facts = program.by_predicate
        self._rows: dict[Signature, Rows] = {}

    def rows(self, name: Signature) -> Rows:
        """The facts of a predicate."""
        found = self._rows.get(name)
        if found is None:
            found = self._rows[name] = Rows()
            for fact in written(self._facts.get(name, ())):
                found.add(tuple(map(parsed, split(fact.partition("(")[2][:-1]))), 1)
        return found
