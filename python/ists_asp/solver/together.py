"""The best answer sets of several pairs that were found together, one share for each pair."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from clingo import Function, SymbolType, parse_term

from ists_asp.solver.pairing import COST, OWN, PREFIX, PRIORITY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from clingo import Control, Symbol

    from ists_asp.solver.search import Found

__all__ = ["Share", "Together", "costs", "shown"]

_ATOM = re.compile(r'(?:^|,)(-?)__([\w\']+)\(([0-9]+),?((?:[^",]+|"(?:[^"\\]|\\.)*"|,(?!-?__))+)')
"""In a text of atoms, whose terms have no names that begin with ``__``: sign, name, pair, rest."""


class Share:
    """The part of one pair in an answer set.

    ``shown`` are its shown atoms, ``cost`` has the value of each priority, highest first.
    """

    def __init__(self, shown: Sequence[Symbol], cost: Mapping[int, int]) -> None:
        self.shown = tuple(shown)
        self.cost = cost
        self._texts: dict[str, list[str]] = {}

    def add(self, name: str, text: str) -> None:
        """Add an atom: its name and, as text, the atom without the number of the pair."""
        self._texts.setdefault(name, []).append(text)

    @cached_property
    def atoms(self) -> dict[str, list[Symbol]]:
        """The pair's atoms, without those of tables, by the names of their predicates."""
        texts = ",".join(text for named in self._texts.values() for text in named)
        # Parsing one tuple of all takes a fraction of the time of making them one by one.
        found = iter(parse_term(f"({texts},)").arguments if texts else ())
        return {name: list(islice(found, len(named))) for name, named in self._texts.items()}


class Together:
    """The best answer set of several pairs.

    Args:
        control: the ground program.
        found: the answer set with all its atoms.
        atoms: those that depend on the pair, with the numbers of pairs, which begin with 1.
        shares: the share of each pair.
    """

    def __init__(
        self,
        control: Control,
        found: Found,
        atoms: tuple[Symbol, ...],
        shares: Mapping[int, Share],
    ) -> None:
        self.control = control
        self.atoms = atoms
        self.shares = shares
        self.cost = dict(zip(found.priorities, found.cost, strict=True))
        self._undecided: dict[tuple[str, int], dict[int, dict[Symbol, int]]] = {}
        self._kept: dict[int, int] = {}

    @classmethod
    def of(cls, control: Control, found: Found, tables: Set[Symbol], size: int) -> Together | None:
        """Give each pair its share; None if that is impossible.

        Args:
            control: the ground program.
            found: the answer set with all its atoms.
            tables: the atoms that do not depend on the pair.
            size: how many pairs there are.
        """
        symbols, cost = shown(found.shown, size), costs(found.shown, control, size)
        shares = {number: Share(symbols[number], cost[number]) for number in symbols}
        atoms = tuple(symbol for symbol in found.true if symbol not in tables)
        # The text of all atoms takes clingo less time than to take a few of them apart.
        texts = _ATOM.findall(str(Function("", atoms))[1:-1])
        if len(texts) != len(atoms):
            return None
        own = OWN.removeprefix(PREFIX)
        for sign, name, number, rest in texts:
            if not name.startswith(own):
                plain = f"{sign}{name}" if rest == ")" else f"{sign}{name}({rest}"
                shares[int(number)].add(name, plain)
        return cls(control, found, atoms, shares)

    def undecided(self, name: str, arity: int) -> Mapping[int, Mapping[Symbol, int]]:
        """The atoms of a predicate that the solver decides, with their literals, by pair."""
        key = name, arity
        if key not in self._undecided:
            found: dict[int, dict[Symbol, int]] = {number: {} for number in self.shares}
            for atom in self.control.symbolic_atoms.by_signature(PREFIX + name, arity + 1):
                if not atom.is_fact:
                    number, *arguments = atom.symbol.arguments
                    found[number.number][Function(name, arguments)] = atom.literal
            self._undecided[key] = found
        return self._undecided[key]

    def others(self, number: int, names: Iterable[tuple[str, int]]) -> list[int]:
        """Literals that keep what is decided about other pairs, one for each of them.

        Args:
            number: the pair that stays open.
            names: the predicates that say what is decided, always the same.
        """
        if not self._kept:
            true = frozenset(self.atoms)
            decided = [
                (atom.symbol.arguments[0].number, atom.literal, atom.symbol in true)
                for name, arity in names
                for atom in self.control.symbolic_atoms.by_signature(PREFIX + name, arity + 1)
                if not atom.is_fact
            ]
            with self.control.backend() as backend:
                self._kept = {pair: backend.add_atom() for pair in self.shares}
                backend.add_rule(list(self._kept.values()), choice=True)
                for pair, literal, holds in decided:
                    backend.add_rule([], [self._kept[pair], -literal if holds else literal])
        return [kept for pair, kept in self._kept.items() if pair != number]


def shown(symbols: Iterable[Symbol], size: int) -> dict[int, list[Symbol]]:
    """Each pair's shown atoms, by the number of the pair."""
    atoms: dict[int, list[Symbol]] = {number: [] for number in range(1, size + 1)}
    for symbol in symbols:
        name = symbol.name
        if name == COST:
            continue
        if name.startswith(PREFIX):
            number, *arguments = symbol.arguments
            plain = Function(name.removeprefix(PREFIX), arguments, symbol.positive)
            atoms[number.number].append(plain)
        else:
            for share in atoms.values():
                share.append(symbol)
    return atoms


def costs(symbols: Iterable[Symbol], control: Control, size: int) -> dict[int, dict[int, int]]:
    """The value of each priority, highest first, by the number of the pair."""
    found: dict[int, dict[int, int]] = {number: {} for number in range(1, size + 1)}
    # clingo reports a value for each priority that some element has, true or not.
    for atom in control.symbolic_atoms.by_signature(PRIORITY, 2):
        number, priority = atom.symbol.arguments
        if priority.type is SymbolType.Number:
            found[number.number][priority.number] = 0
    for symbol in symbols:
        if symbol.name == COST:
            number, priority, weight, _ = symbol.arguments
            if SymbolType.Number is priority.type is weight.type:
                found[number.number][priority.number] += weight.number
    return {number: dict(sorted(cost.items(), reverse=True)) for number, cost in found.items()}
