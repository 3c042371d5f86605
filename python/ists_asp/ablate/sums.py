"""What the machine decides by, in few facts: one feature for each sum of weights.

Only the sums count in the objective, so that a pair's hundreds of features for each decision
can be added up before they are grounded. As ``asp/`` has it, the features of a pair of spans
count for its alignment, those of the pair and of its link for the label and the score.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from clingo import Function, Number

from ists_asp.vocabulary import FEATURE, WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clingo import Symbol

__all__ = ["Sums", "is_feature"]

_ALIGN = Function("align")
_LINK = "link"
_PAIR = "pair"
_SUM = "sum"

_Spans = tuple["Symbol", ...]


class _Names(NamedTuple):
    """The names of the features of two spans."""

    pair: set[Symbol]
    link: set[Symbol]

    def of(self, target: Symbol) -> set[Symbol]:
        return self.pair if target.name == _PAIR else self.link

    def copy(self) -> _Names:
        return _Names(set(self.pair), set(self.link))


class Sums:
    """The summed weights of a pair's features.

    Args:
        atoms: the features, and whatever else holds.
        weights: the weights of features, by name and decision.
    """

    def __init__(
        self, atoms: Iterable[Symbol], weights: Mapping[Symbol, Mapping[Symbol, int]]
    ) -> None:
        self._weights = weights
        self._others: list[Symbol] = []
        self._names: dict[_Spans, _Names] = defaultdict(lambda: _Names(set(), set()))
        for atom in atoms:
            if not is_feature(atom):
                self._others.append(atom)
            elif (target := atom.arguments[0]).name in (_PAIR, _LINK):
                self._names[tuple(target.arguments)].of(target).add(atom.arguments[1])
        self._facts = {spans: self._added(spans, names) for spans, names in self._names.items()}

    def facts(self, gone: Iterable[Symbol] = (), come: Iterable[Symbol] = ()) -> Sequence[Symbol]:
        """What holds, but for atoms that have gone and with those that have come."""
        changed: dict[_Spans, _Names] = {}
        others = dict.fromkeys(self._others)
        for atom in gone:
            if is_feature(atom):
                self._changed(changed, atom).discard(atom.arguments[1])
            else:
                others.pop(atom, None)
        for atom in come:
            if is_feature(atom):
                self._changed(changed, atom).add(atom.arguments[1])
            else:
                others[atom] = None
        found = list(others)
        for spans in dict.fromkeys((*self._facts, *changed)):
            names = changed.get(spans)
            found += self._facts[spans] if names is None else self._added(spans, names)
        return found

    def matters(
        self, gone: Iterable[Symbol], come: Iterable[Symbol], aligned: frozenset[_Spans]
    ) -> bool:
        """Whether another answer may be the best where atoms have gone and come.

        Args:
            gone: the atoms that have gone.
            come: the atoms that have come.
            aligned: the spans that the best answer aligns.
        """
        moved: dict[_Spans, int] = defaultdict(int)
        for sign, atoms in ((-1, gone), (1, come)):
            for atom in atoms:
                if not is_feature(atom):
                    return True
                target, name = atom.arguments
                weights = self._weights.get(name, {})
                spans = tuple(target.arguments)
                if spans in aligned and weights.keys() - {_ALIGN}:
                    return True
                if target.name == _PAIR:
                    moved[spans] += sign * weights.get(_ALIGN, 0)
        return any(by < 0 if spans in aligned else by > 0 for spans, by in moved.items())

    def _changed(self, changed: dict[_Spans, _Names], feature: Symbol) -> set[Symbol]:
        """The names of the features of the same target, to be changed."""
        target = feature.arguments[0]
        spans = tuple(target.arguments)
        if spans not in changed:
            known = self._names.get(spans)
            changed[spans] = known.copy() if known else _Names(set(), set())
        return changed[spans].of(target)

    def _added(self, spans: _Spans, names: _Names) -> list[Symbol]:
        """The sums of the weights of two spans' features, as features of their own."""
        worth = sum(self._weights.get(name, {}).get(_ALIGN, 0) for name in names.pair)
        found = [*_sum(_PAIR, spans, _ALIGN, worth)]
        # Nobody asks for the label of what is not worth aligning.
        if worth > 0:
            sums: dict[Symbol, int] = defaultdict(int)
            for name in names.pair | names.link:
                for decision, weight in self._weights.get(name, {}).items():
                    sums[decision] += weight
            sums.pop(_ALIGN, None)
            for decision, weight in sums.items():
                found += _sum(_LINK, spans, decision, weight)
        return found


def is_feature(atom: Symbol) -> bool:
    """Whether an atom is a feature of something."""
    return (atom.name, len(atom.arguments)) == FEATURE.signature


def _sum(target: str, spans: _Spans, decision: Symbol, weight: int) -> Iterator[Symbol]:
    name = Function(_SUM, [decision, Number(weight)])
    yield FEATURE(Function(target, spans), name)
    yield WEIGHT(name, decision, Number(weight))
