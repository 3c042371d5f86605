"""The best answer sets of several pairs that were found together, one share for each pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clingo import Function, SymbolType

from ists_asp.solver.pairing import COST, OWN, PREFIX, PRIORITY
from ists_asp.solver.texts import Ground, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clingo import Control, Symbol

    from ists_asp.solver.search import Found

__all__ = ["Share", "Together", "costs", "shown"]


class Share:
    """The part of one pair in an answer set.

    ``shown`` are its shown atoms, ``cost`` has the value of each priority, highest first.
    ``extra`` has the arguments, as text, of atoms that no rule derives, by name: of those that
    somebody has added to the program.
    """

    def __init__(self, shown: Sequence[Symbol], cost: Mapping[int, int]) -> None:
        self.shown = tuple(shown)
        self.cost = cost
        self.extra: dict[str, list[str]] = {}
        self._atoms: dict[str, list[Ground]] = {}

    def add(self, name: str, atom: Ground) -> None:
        """Add an atom without the number of the pair, and the name of its predicate."""
        self._atoms.setdefault(name, []).append(atom)

    @property
    def atoms(self) -> Mapping[str, Sequence[Ground]]:
        """The pair's atoms, without those of tables, by the names of their predicates."""
        return self._atoms


class Together:
    """The best answer set of several pairs.

    Args:
        control: the ground program.
        shares: the share of each pair; the numbers of pairs begin with 1.
    """

    def __init__(self, control: Control, shares: Mapping[int, Share]) -> None:
        self.control = control
        self.shares = shares

    @classmethod
    def of(cls, control: Control, found: Found, size: int) -> Together:
        """Give each pair its share.

        Args:
            control: the ground program.
            found: the answer set with all its atoms.
            size: how many pairs there are.
        """
        symbols, cost = shown(found.shown, size), costs(found.shown, control, size)
        shares = {number: Share(symbols[number], cost[number]) for number in symbols}
        by_number = {str(number): share for number, share in shares.items()}
        own = OWN.removeprefix(PREFIX)
        signed = f"-{PREFIX}"
        for atom in written(found.true):
            sign = "-" if atom.startswith(signed) else ""
            if not sign and not atom.startswith(PREFIX):
                # The atoms of tables do not depend on the pair.
                continue
            name, _, arguments = atom[len(PREFIX) + len(sign) :].partition("(")
            number, _, rest = arguments[:-1].partition(",")
            share = by_number[number]
            if name.startswith(own):
                share.extra.setdefault(name, []).append(rest)
            else:
                share.add(name, Ground(f"{sign}{name}({rest})" if rest else sign + name))
        return cls(control, shares)


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
