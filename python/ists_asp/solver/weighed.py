"""What the decisions of pairs weigh, read from the ground program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.confidence import WEIGHTS
from ists_asp.solver.pairing import PREFIX
from ists_asp.syntax.ground import written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clingo import Control

    from ists_asp.confidence import Weights
    from ists_asp.syntax.ground import Ground


def weights_of(control: Control) -> Weights:
    """The weights in the ground program of a pair alone."""
    return {name: _arguments(control, name, arity) for name, arity in WEIGHTS}


def weights_of_all(control: Control, size: int) -> list[Weights]:
    """The weights of each pair in the ground program of several."""
    found: list[dict[str, list[str]]] = [{name: [] for name, _ in WEIGHTS} for _ in range(size)]
    for name, arity in WEIGHTS:
        for text in _arguments(control, PREFIX + name, arity + 1):
            number, _, rest = text.partition(",")
            found[int(number) - 1][name].append(rest)
    return list(found)


def weights_of_atoms(atoms: Mapping[str, Sequence[Ground]]) -> Weights:
    """The weights among all atoms of a pair, which are given by their names."""
    return {name: [_inside(atom) for atom in atoms.get(name, ())] for name, _ in WEIGHTS}


def _arguments(control: Control, name: str, arity: int) -> list[str]:
    atoms = [atom.symbol for atom in control.symbolic_atoms.by_signature(name, arity)]
    return [_inside(text) for text in written(atoms)] if atoms else []


def _inside(atom: str) -> str:
    """The arguments of an atom, as text."""
    return atom[atom.index("(") + 1 : -1]
