"""What speaks for a line of an answer: the rules that fired for its decisions, weightiest first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.trace.view.contributions import contributed
from ists_asp.trace.view.decisions import DecisionKind, decisions
from ists_asp.vocabulary import WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.instance import RuleInstance
    from ists_asp.trace.core.trace import Trace
    from ists_asp.trace.view.decisions import Decision

__all__ = ["SHOWN", "Evidence", "Fired", "Line", "evidence"]

SHOWN = 12
"""Rules that are told for a decision; of the others only the number and the sum."""

Line = tuple[tuple[int, ...], tuple[int, ...]]
"""The token numbers of both sides: they identify a line of an answer."""

_DEPTH = 3
_SUMS = ("#sum", "#sum+")


@dataclass(frozen=True, slots=True)
class Fired:
    """A rule that fired: its name, what it says of these words, its place, what it weighs.

    ``weight`` is None where it is a condition rather than something that is weighed.
    """

    name: str
    text: str
    file: str
    line: int
    weight: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for and against one decision of a line.

    ``worth`` are its terms in the objective, ``fired`` the weightiest features, or, where
    nothing is weighed, the rules that derive the decision. ``more`` features that are left
    out weigh ``rest`` together.
    """

    text: str
    worth: tuple[Fired, ...]
    fired: tuple[Fired, ...]
    more: int = 0
    rest: int = 0


def evidence(trace: Trace, shown: int = SHOWN) -> Mapping[Line, tuple[Evidence, ...]]:
    """The evidence for each line of an answer, one for each of its decisions.

    Args:
        trace: the trace of the answer.
        shown: how many rules to tell for a decision.
    """
    found: dict[Line, list[Evidence]] = {}
    for decision in decisions(trace):
        if decision.kind is not DecisionKind.BOUNDARY:
            line = decision.tokens1, decision.tokens2
            found.setdefault(line, []).append(_of_decision(trace, decision, shown))
    return {line: tuple(parts) for line, parts in found.items()}


def _of_decision(trace: Trace, decision: Decision, shown: int) -> Evidence:
    worth = tuple(
        _fired(trace, term.firings[0], -term.weight) for term in decision.terms if term.weight
    )
    features = [
        feature
        for term in decision.terms
        for atom in term.firings[0].positive
        if atom != decision.atom
        for firing in trace.reasons(atom)[:1]
        for feature in _features(trace, firing)
    ]
    features = sorted(dict.fromkeys(features), key=lambda one: -abs(one.weight or 0))
    told, left = features[:shown], features[shown:]
    fired = tuple(told) or tuple(dict.fromkeys(_conditions(trace, decision.atom)))[:shown]
    return Evidence(decision.text, worth, fired, len(left), sum(one.weight or 0 for one in left))


def _features(trace: Trace, firing: RuleInstance) -> Iterator[Fired]:
    """What the sums of a firing add up."""
    for group in trace.groups(firing):
        if group.companion.function in _SUMS:
            # Elements with the same tuple count once.
            for element in {element.terms: element for element in group.elements}.values():
                weight = round(contributed(element))
                reasons = [
                    reason
                    for atom in element.positive
                    if not _is_weight(atom)
                    for reason in trace.reasons(atom)[:1]
                ]
                if weight and reasons:
                    detail = f" ({element.terms[1]})" if len(element.terms) > 1 else ""
                    yield _fired(trace, reasons[0], weight, detail)


def _conditions(trace: Trace, atom: Ground, depth: int = _DEPTH) -> Iterator[Fired]:
    """The rules that derive an atom, and below them those that derive what they need."""
    for reason in trace.reasons(atom)[:1]:
        yield _fired(trace, reason)
        if depth > 1:
            for needed in reason.positive:
                yield from _conditions(trace, needed, depth - 1)


def _fired(
    trace: Trace, firing: RuleInstance, weight: int | None = None, detail: str = ""
) -> Fired:
    rule = firing.probe.rule
    return Fired(rule.name, trace.says(firing) + detail, rule.file, rule.line, weight)


def _is_weight(atom: Ground) -> bool:
    return (atom.name, len(atom.arguments)) == WEIGHT.signature
