"""What the machine decides by, in few facts: one piece of evidence for each sum of weights.

Only the sums count in the objective, so that all evidence about a pair can be added up before it
is grounded: for each target and class of decision what it weighs together.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from clingo import Function, Number

from ists_asp.vocabulary import EVIDENCE, TARGETS, WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clingo import Symbol

_ALIGN = Function("align")
_SIDE = TARGETS["side"].name
_ABOUT_SPANS = frozenset({TARGETS["pair"].name, TARGETS["link"].name, _SIDE})
_SUM = "sum"

_Spans = tuple["Symbol", ...]
_Found = set[tuple["Symbol", int]]


class Sums:
    """The summed weights of the evidence about a pair of sentences.

    Args:
        atoms: the evidence, and whatever else holds.
        weights: the weights of evidence, by name and decision.
    """

    def __init__(
        self, atoms: Iterable[Symbol], weights: Mapping[Symbol, Mapping[Symbol, int]]
    ) -> None:
        self._weights = weights
        self._others: list[Symbol] = []
        self._known: dict[Symbol, _Found] = defaultdict(set)
        for atom in atoms:
            if is_evidence(atom):
                target, name, value = atom.arguments
                self._known[target].add((name, value.number))
            else:
                self._others.append(atom)
        self._facts = {
            target: list(self._added(target, found)) for target, found in self._known.items()
        }

    def facts(self, gone: Iterable[Symbol] = (), come: Iterable[Symbol] = ()) -> Sequence[Symbol]:
        """What holds, but for atoms that have gone and with those that have come."""
        changed: dict[Symbol, _Found] = {}
        others = dict.fromkeys(self._others)
        for atom in gone:
            if is_evidence(atom):
                target, name, value = atom.arguments
                self._changed(changed, target).discard((name, value.number))
            else:
                others.pop(atom, None)
        for atom in come:
            if is_evidence(atom):
                target, name, value = atom.arguments
                self._changed(changed, target).add((name, value.number))
            else:
                others[atom] = None
        found = list(others)
        for target in dict.fromkeys((*self._facts, *changed)):
            known = changed.get(target)
            found += self._facts[target] if known is None else self._added(target, known)
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
                if not is_evidence(atom):
                    return True
                target, name, value = atom.arguments
                weights = self._weights.get(name, {})
                spans = tuple(target.arguments[-2:])
                if spans in aligned and weights.keys() - {_ALIGN}:
                    return True
                if target.name == TARGETS["pair"].name:
                    moved[spans] += sign * weights.get(_ALIGN, 0) * value.number
        return any(by < 0 if spans in aligned else by > 0 for spans, by in moved.items())

    def _changed(self, changed: dict[Symbol, _Found], target: Symbol) -> _Found:
        """The evidence about a target, to be changed."""
        if target not in changed:
            changed[target] = set(self._known.get(target, ()))
        return changed[target]

    def _added(self, target: Symbol, found: _Found) -> Iterator[Symbol]:
        """The sums of the weights of the evidence about a target, as evidence of their own."""
        sums: dict[Symbol, int] = defaultdict(int)
        for name, value in found:
            for decision, weight in self._weights.get(name, {}).items():
                sums[decision] += weight * value
        for decision, weight in sums.items():
            name = Function(_SUM, [decision, Number(weight)])
            yield EVIDENCE(target, name, Number(1))
            yield WEIGHT(name, decision, Number(weight))


def is_evidence(atom: Symbol) -> bool:
    """Whether an atom is evidence for a decision about spans."""
    return (atom.name, len(atom.arguments)) == EVIDENCE.signature and (
        atom.arguments[0].name in _ABOUT_SPANS
    )
