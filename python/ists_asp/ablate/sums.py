"""What the machine decides by, in few facts: one feature for each sum of weights.

Only the sums count in the objective, so that a pair's hundreds of features for each decision
can be added up before they are grounded.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from clingo import Function, Number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clingo import Symbol

__all__ = ["Sums", "is_feature"]

_ALIGN = Function("align")
_FEATURE = "feature"
_PAIR = "pair"
_SUM = "sum"
_WEIGHT = "weight"

_Weights = dict["Symbol", int]


class Sums:
    """The summed weights of a pair's features.

    Args:
        atoms: the features, and whatever else holds.
        weights: the weights of features, by name and decision.
    """

    def __init__(self, atoms: Iterable[Symbol], weights: Mapping[Symbol, _Weights]) -> None:
        self._known = weights
        self._others: list[Symbol] = []
        self._sums: dict[Symbol, _Weights] = {}
        for atom in atoms:
            if is_feature(atom):
                self._add(self._sums, atom, 1)
            else:
                self._others.append(atom)
        self._facts = {target: _facts(target, sums) for target, sums in self._sums.items()}
        self._pairs = {target: Function(_PAIR, target.arguments) for target in self._sums}

    def facts(self, gone: Iterable[Symbol] = (), come: Iterable[Symbol] = ()) -> Sequence[Symbol]:
        """What holds, but for atoms that have gone and with those that have come."""
        changed: dict[Symbol, _Weights] = {}
        others = self._others
        for sign, atoms in ((-1, gone), (1, come)):
            for atom in atoms:
                if is_feature(atom):
                    self._add(changed, atom, sign)
                elif sign < 0:
                    others = [other for other in others if other != atom]
                else:
                    others = [*others, atom]
        found = list(others)
        for target in dict.fromkeys((*self._sums, *changed)):
            pair = self._pairs.get(target) or Function(_PAIR, target.arguments)
            sums = changed.get(pair) or self._sums.get(pair, {})
            # Nobody asks for the label of what is not worth aligning.
            if target == pair or sums.get(_ALIGN, 0) > 0:
                found += (
                    _facts(target, changed[target]) if target in changed else self._facts[target]
                )
        return found

    def matters(
        self,
        gone: Iterable[Symbol],
        come: Iterable[Symbol],
        aligned: frozenset[tuple[Symbol, ...]],
    ) -> bool:
        """Whether another answer may be the best where atoms have gone and come.

        Args:
            gone: the atoms that have gone.
            come: the atoms that have come.
            aligned: the spans that the best answer aligns.
        """
        moved: dict[tuple[Symbol, ...], int] = defaultdict(int)
        for sign, atoms in ((-1, gone), (1, come)):
            for atom in atoms:
                if not is_feature(atom):
                    return True
                target, name = atom.arguments
                weights = self._known.get(name, {})
                spans = tuple(target.arguments)
                if target.name == _PAIR:
                    moved[spans] += sign * weights.get(_ALIGN, 0)
                elif spans in aligned and weights.keys() - {_ALIGN}:
                    return True
        return any(by < 0 if spans in aligned else by > 0 for spans, by in moved.items())

    def _add(self, sums: dict[Symbol, _Weights], feature: Symbol, sign: int) -> None:
        target, name = feature.arguments
        weights = self._known.get(name)
        if not weights:
            return
        mine = sums.get(target)
        if mine is None:
            mine = sums[target] = dict(self._sums.get(target, {}))
        for decision, weight in weights.items():
            mine[decision] = mine.get(decision, 0) + sign * weight


def is_feature(atom: Symbol) -> bool:
    """Whether an atom is a feature of something."""
    return atom.name == _FEATURE and len(atom.arguments) == 2


def _facts(target: Symbol, sums: _Weights) -> list[Symbol]:
    found = []
    for decision, weight in sums.items():
        name = Function(_SUM, [decision, Number(weight)])
        found.append(Function(_FEATURE, [target, name]))
        found.append(Function(_WEIGHT, [name, decision, Number(weight)]))
    return found
