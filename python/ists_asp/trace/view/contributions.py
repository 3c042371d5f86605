"""What each piece of evidence does for a decision: for a label, what it has over the runner-up."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo import SymbolType

from ists_asp.trace.view.decisions import DecisionKind
from ists_asp.vocabulary import (
    ALIGN_WEIGHT,
    BASES,
    CLOSENESS,
    EVIDENCE,
    LABEL,
    LABEL_WEIGHT,
    WEIGHT,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.instance import Element, RuleInstance
    from ists_asp.trace.core.trace import Trace
    from ists_asp.trace.view.contrast import RunnerUp
    from ists_asp.trace.view.decisions import Decision

__all__ = ["Contribution", "contributed", "contributions", "other_value"]

_WHOLE = 100
"""The value of evidence that has the whole of its weight."""

_SUMS = ("#sum", "#sum+")


@dataclass(frozen=True, slots=True)
class Contribution:
    """What evidence adds to a decision's sum, or takes from it.

    ``amount`` is in hundredths of log-odds, or of a point for a score; for a label it is what
    the evidence gives to the one that was chosen less what it gives to the runner-up.
    ``firing`` is the rule that found the evidence, None where something else is weighed.
    """

    name: str
    amount: float
    evidence: Ground | None
    firing: RuleInstance | None

    @property
    def is_base(self) -> bool:
        """Whether it is where a sum begins, which there is for every decision of a kind."""
        return self.name in BASES.values() or self.firing is None


def contributions(
    trace: Trace, decision: Decision, second: RunnerUp | None
) -> tuple[Contribution, ...]:
    """What the evidence does for a decision, the largest contribution first.

    For a label against its runner-up; for an alignment against leaving both sides free; for a
    score, what it adds to where the label begins. Empty where no evidence is weighed.
    """
    found: dict[tuple[str, ...], tuple[float, Element]] = {}
    for sign, atom in _sums(trace, decision, second):
        for element in _elements(trace, atom):
            key = tuple(map(str, element.terms[1:])) or (_weighed(element),)
            amount, known = found.get(key, (0.0, element))
            found[key] = amount + sign * contributed(element), known
    by_name: dict[str, list[Contribution]] = defaultdict(list)
    for (name, *_), (amount, element) in found.items():
        if round(amount):
            by_name[name].append(_contribution(trace, name, amount, element))
    return tuple(
        sorted(
            (one for several in by_name.values() for one in _merged(several)),
            key=lambda one: (-abs(one.amount), one.name),
        )
    )


def contributed(element: Element) -> float:
    """What an element of a sum adds: of weighed evidence as much as its value is of a whole."""
    first = element.terms[0] if element.terms else None
    if first is None or first.type is not SymbolType.Number:
        return 0.0
    names = {atom.name for atom in element.positive}
    weighed = {EVIDENCE.name, WEIGHT.name} <= names
    return first.number / _WHOLE if weighed else float(first.number)


def other_value(decision: Decision, second: RunnerUp | None) -> str | None:
    """The label or the score that came second, if another one did."""
    if second is None or decision.kind not in (DecisionKind.LABEL, DecisionKind.SCORE):
        return None
    name = decision.atom.name
    others = [str(atom.arguments[2]) for atom in second.come if atom.name == name]
    return others[0] if len(others) == 1 else None


def _sums(
    trace: Trace, decision: Decision, second: RunnerUp | None
) -> Iterator[tuple[int, Ground]]:
    """The atoms that sum the evidence up, those of the runner-up with a minus."""
    arguments = decision.atom.arguments
    if decision.kind is DecisionKind.ALIGN:
        wanted: list[tuple[int, str, tuple[str, ...]]] = [(1, ALIGN_WEIGHT.name, arguments[:2])]
    elif decision.kind is DecisionKind.LABEL:
        wanted = [(1, LABEL_WEIGHT.name, arguments[:3])]
        other = other_value(decision, second)
        if other is not None:
            wanted.append((-1, LABEL_WEIGHT.name, (*arguments[:2], other)))
    elif decision.kind is DecisionKind.SCORE:
        wanted = [(1, CLOSENESS.name, (*arguments[:2], _label(trace, arguments[:2])))]
    else:
        return
    for sign, name, start in wanted:
        for atom in trace.atoms(name):
            if tuple(map(str, atom.arguments[: len(start)])) == tuple(map(str, start)):
                yield sign, atom


def _label(trace: Trace, spans: Sequence[Ground]) -> str:
    """The label of an alignment."""
    labels = [
        str(atom.arguments[2])
        for atom in trace.atoms(LABEL.name)
        if len(atom.arguments) == 3 and tuple(atom.arguments[:2]) == tuple(spans)
    ]
    return labels[0] if labels else ""


def _elements(trace: Trace, atom: Ground, depth: int = 2) -> Iterator[Element]:
    """What the sums behind an atom add up, each tuple once; behind closeness lies another sum."""
    for firing in trace.reasons(atom)[:1]:
        for group in trace.groups(firing):
            if group.companion.function in _SUMS:
                yield from {element.terms: element for element in group.elements}.values()
        for needed in firing.positive if depth > 1 else ():
            if needed.name.startswith("_"):
                yield from _elements(trace, needed, depth - 1)


def _weighed(element: Element) -> str:
    """The name that a weight is of, where the tuple does not say it."""
    return next((str(one.arguments[0]) for one in element.positive if one.name == WEIGHT.name), "")


def _contribution(trace: Trace, name: str, amount: float, element: Element) -> Contribution:
    for atom in element.positive:
        if atom.name == EVIDENCE.name:
            return Contribution(name, amount, atom, next(iter(trace.reasons(atom)), None))
    return Contribution(name, amount, None, None)


def _merged(several: Sequence[Contribution]) -> Iterator[Contribution]:
    """One contribution a name: that of the stronger side, with what the other side adds."""
    strongest = max(several, key=lambda one: abs(one.amount))
    yield Contribution(
        strongest.name,
        sum(one.amount for one in several),
        strongest.evidence,
        strongest.firing,
    )
