"""The best answer sets of several pairs that were found together, one share for each pair."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clingo import SymbolType

from ists_asp.solver.pairing import COST, OWN, PREFIX, PRIORITY
from ists_asp.syntax.ground import Ground, written

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clingo import Control

    from ists_asp.solver.search import Found

_COSTS = f"{COST}("
_COST = re.compile(rf"{COST}\((\d+),(-?\d+),(-?\d+),")


class PairModel:
    """The part of one pair in an answer set.

    ``shown`` are its shown atoms, ``cost`` has the value of each priority, highest first.
    ``extra`` has the arguments, as text, of atoms that no rule derives, by name: of those that
    somebody has added to the program.
    """

    def __init__(self, shown: Sequence[Ground], cost: Mapping[int, int]) -> None:
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


class BatchModel:
    """The best answer set of several pairs.

    Args:
        control: the ground program.
        shares: the share of each pair; the numbers of pairs begin with 1.
    """

    def __init__(self, control: Control, shares: Mapping[int, PairModel]) -> None:
        self.control = control
        self.shares = shares

    @classmethod
    def of(cls, control: Control, found: Found, size: int) -> BatchModel:
        """Give each pair its share.

        Args:
            control: the ground program.
            found: the answer set with all its atoms.
            size: how many pairs there are.
        """
        atoms, cost = shown(found.shown, size), costs(found.shown, control, size)
        shares = {number: PairModel(atoms[number], cost[number]) for number in atoms}
        by_number = {str(number): share for number, share in shares.items()}
        own = OWN.removeprefix(PREFIX)
        for atom in written(found.true):
            number, plain = _parted(atom)
            if not number:
                continue
            name, _, arguments = plain.removeprefix("-").partition("(")
            if name.startswith(own):
                by_number[number].extra.setdefault(name, []).append(arguments[:-1])
            else:
                by_number[number].add(name, plain)
        return cls(control, shares)


def shown(atoms: Iterable[Ground], size: int) -> dict[int, list[Ground]]:
    """Each pair's shown atoms, by the number of the pair."""
    found: dict[int, list[Ground]] = {number: [] for number in range(1, size + 1)}
    for atom in atoms:
        if atom.startswith(_COSTS):
            continue
        number, plain = _parted(atom)
        if number:
            found[int(number)].append(plain)
        else:
            for share in found.values():
                share.append(plain)
    return found


def costs(atoms: Iterable[Ground], control: Control, size: int) -> dict[int, dict[int, int]]:
    """The value of each priority, highest first, by the number of the pair."""
    found: dict[int, dict[int, int]] = {number: {} for number in range(1, size + 1)}
    # clingo reports a value for each priority that some element has, true or not.
    for known in control.symbolic_atoms.by_signature(PRIORITY, 2):
        number, priority = known.symbol.arguments
        if priority.type is SymbolType.Number:
            found[number.number][priority.number] = 0
    for atom in atoms:
        # Elements without numbers do not count.
        if cost := _COST.match(atom):
            pair, level, weight = map(int, cost.groups())
            found[pair][level] += weight
    return {number: dict(sorted(cost.items(), reverse=True)) for number, cost in found.items()}


def _parted(atom: str) -> tuple[str, Ground]:
    """The number of the pair that an atom is about, and the atom without it.

    The number is empty for the atoms of tables, which do not depend on the pair.
    """
    sign = "-" if atom.startswith("-") else ""
    name, _, rest = atom[len(sign) :].partition("(")
    if not name.startswith(PREFIX):
        return "", Ground(atom)
    number, _, arguments = rest[:-1].partition(",")
    plain = sign + name.removeprefix(PREFIX)
    return number, Ground(f"{plain}({arguments})" if arguments else plain)
