"""What a decision rests on: the evidence that is weighed for it, and the rules behind that."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec
from clingo import SymbolType

from ists_asp import vocabulary as v
from ists_asp.syntax.ground import Ground
from ists_asp.trace.decisions import Decision, DecisionKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ists_asp.rules import NamedRule
    from ists_asp.trace.grounding import Element, RuleInstance
    from ists_asp.trace.trace import Trace

WHOLE = 100
"""The value of evidence that has the whole of its weight; hundredths of a point in a point."""

SUMS = ("#sum", "#sum+")


class RulePlace(msgspec.Struct, frozen=True):
    """A rule: its name (``file:line`` if it has none), and where it stands."""

    name: str
    file: str
    line: int

    @classmethod
    def of(cls, rule: NamedRule) -> RulePlace:
        """The place of a rule."""
        return cls(rule.name, rule.file, rule.line)

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}"
        return where if self.name == where else f"{self.name} {where}"


class Because(msgspec.Struct, frozen=True):
    """A rule that fired, and what it says of these words."""

    sentence: str
    rule: RulePlace

    @classmethod
    def of(cls, trace: Trace, firing: RuleInstance) -> Because:
        """What a rule says that fired."""
        return cls(trace.says(firing), RulePlace.of(firing.probe.rule))


def behind(trace: Trace, firings: Iterable[RuleInstance]) -> Iterator[RuleInstance]:
    """Firings, and the primary ones of all atoms that they rest on: the nearest first."""
    left = deque(firings)
    seen: set[Ground] = set()
    while left:
        firing = left.popleft()
        yield firing
        for atom in trace.rests_on(firing):
            if atom not in seen:
                seen.add(atom)
                left += trace.reasons(atom)[:1]


def own_rules(
    trace: Trace, evidence: Iterable[Ground | None], firings: Iterable[RuleInstance] = ()
) -> Iterator[Because]:
    """The user's rules that evidence and other rules rest on, each once."""
    own = trace.reified.own
    if not own:
        return
    first = [one for atom in evidence if atom is not None for one in trace.reasons(atom)[:1]]
    found: dict[str, RuleInstance] = {}
    for firing in behind(trace, [*firings, *first]):
        if id(firing.probe.rule) in own:
            found.setdefault(firing.probe.rule.name, firing)
    yield from (Because.of(trace, firing) for firing in found.values())


@dataclass(frozen=True, slots=True)
class Contribution:
    """What evidence adds to a decision's sum, or takes from it.

    ``amount`` is in hundredths of log-odds, or of a point for a score; for a label it is what
    the evidence gives to the one that was chosen less what it gives to the runner-up.
    ``firing`` is the rule that found the evidence; where a sum begins, it is the weight's.
    ``alone`` is the amount of the stronger side where both have such evidence; where a score
    begins, that point in hundredths. ``also`` is what fired for the other side. ``worths`` are
    the atoms that say what the evidence is worth.
    """

    name: str
    amount: float
    evidence: Ground | None
    firing: RuleInstance | None
    alone: float
    also: tuple[RuleInstance, ...] = ()
    worths: tuple[Ground, ...] = ()

    @property
    def is_base(self) -> bool:
        """Whether it is where a sum begins, which there is for every decision of a kind."""
        return self.name in v.BASES.values() or self.evidence is None

    @property
    def value(self) -> int | None:
        """How much of the evidence there is, 0 to 100; None where a sum begins."""
        return None if self.evidence is None else self.evidence.arguments[2].number


def contributions(
    trace: Trace, decision: Decision, other: Ground | Sequence[Ground] | None
) -> tuple[Contribution, ...]:
    """What the evidence does for a decision, the largest contribution first.

    For a label against its runner-up; for an alignment against leaving both sides free; for a
    chunk without a counterpart against its best one; for a score against the point halfway to
    the runner-up. Empty where no evidence is weighed. ``other`` is the label or the score that
    came second; of a chunk without a counterpart the spans of the best pair.
    """
    found: dict[tuple[str, ...], tuple[float, list[Element]]] = {}
    for sign, atom in _sums(trace, decision, other):
        for element in _elements(trace, atom):
            # Where a label begins, only the weight has a name.
            named = (one.arguments[0] for one in element.positive if one.name == v.WORTH.name)
            key = tuple(map(str, element.terms[1:] or [next(named, "")]))
            amount, known = found.get(key, (0.0, []))
            found[key] = amount + sign * contributed(element), [*known, element]
    by_name: dict[str, list[Contribution]] = defaultdict(list)
    for (name, *_), (amount, elements) in found.items():
        atoms = [atom for element in elements for atom in element.positive]
        evidence = next((atom for atom in atoms if atom.name == v.EVIDENCE.name), None)
        worths = [atom for atom in atoms if atom.name == v.WORTH.name]
        weights = (atom for one in worths for atom in trace.reasons(one)[0].positive)
        found_by = evidence or next(weights, None)
        firing = None if found_by is None else next(iter(trace.reasons(found_by)), None)
        one = Contribution(name, amount, evidence, firing, amount, worths=tuple(worths))
        if decision.kind is DecisionKind.SCORE and isinstance(other, Ground):
            one = _scored(one, decision.atom.arguments[2].number, other.number)
        if round(one.amount):
            by_name[name].append(one)
    merged = (_merged(several) for several in by_name.values())
    return tuple(sorted(merged, key=lambda one: (-abs(one.amount), one.name)))


def contributed(element: Element) -> float:
    """What an element of a sum adds: of weighed evidence as much as its value is of a whole."""
    first = element.terms[0] if element.terms else None
    if first is None or first.type is not SymbolType.Number:
        return 0.0
    names = {atom.name for atom in element.positive}
    weighed = {v.EVIDENCE.name, v.WORTH.name} <= names
    return first.number / WHOLE if weighed else float(first.number)


def label_of(trace: Trace, spans: Sequence[Ground]) -> Ground | None:
    """The label of an alignment."""
    return next((atom.arguments[2] for atom in trace.beginning(v.LABEL, *spans)), None)


def _sums(
    trace: Trace, decision: Decision, other: Ground | Sequence[Ground] | None
) -> Iterator[tuple[int, Ground]]:
    """The atoms that sum the evidence up, those of the runner-up with a minus."""
    arguments, kind = decision.atom.arguments, decision.kind
    found: list[tuple[int, Iterable[Ground]]] = []
    if kind is DecisionKind.BOUNDARY:
        found.append((1, (decision.atom,)))
    elif kind is DecisionKind.ALIGN:
        found.append((1, trace.beginning(v.ALIGN_WEIGHT, *arguments)))
    elif kind is DecisionKind.NOALI and isinstance(other, tuple):
        found.append((-1, trace.beginning(v.ALIGN_WEIGHT, *other)))
    elif kind is DecisionKind.LABEL:
        found.append((1, trace.beginning(v.LABEL_WEIGHT, *arguments)))
        if isinstance(other, Ground):
            found.append((-1, trace.beginning(v.LABEL_WEIGHT, *arguments[:2], other)))
    elif kind is DecisionKind.SCORE:
        spans = arguments[:2]
        found.append((1, trace.beginning(v.CLOSENESS, *spans, label_of(trace, spans))))
    return ((sign, atom) for sign, atoms in found for atom in atoms)


def _scored(one: Contribution, own: int, its: int) -> Contribution:
    """What evidence does for a score rather than the one that came second.

    What makes both sides closer speaks for the higher of both. Where the label begins counts by
    how far it lies on the right side of the point halfway between them.
    """
    sign = 1 if own > its else -1
    if one.evidence is None:
        return replace(one, amount=sign * (one.amount - WHOLE * (own + its) / 2))
    return replace(one, amount=sign * one.amount, alone=sign * one.alone)


def _elements(trace: Trace, atom: Ground, depth: int = 2) -> Iterator[Element]:
    """What the sums behind an atom add up, each tuple once; behind closeness lies another sum."""
    for firing in trace.reasons(atom)[:1]:
        for group in trace.groups(firing):
            if group.companion.function in SUMS:
                yield from {element.terms: element for element in group.elements}.values()
        for needed in firing.positive if depth > 1 else ():
            if needed.name.startswith("_"):
                yield from _elements(trace, needed, depth - 1)


def _merged(several: Sequence[Contribution]) -> Contribution:
    """One contribution a name: that of the stronger side, with what the other side adds."""
    strongest = max(several, key=lambda one: abs(one.amount))
    also = tuple(one.firing for one in several if one is not strongest and one.firing is not None)
    worths = tuple(dict.fromkeys(worth for one in several for worth in one.worths))
    return replace(strongest, amount=sum(one.amount for one in several), also=also, worths=worths)
