"""Hard rules, constraints and preferences that changed a decision: it is decided without each.

What forbids, and what is weighed beside the evidence, leaves no trace in the sums of a decision.
So the pair is decided once more without each such rule of ``lp_rules/`` or of the user's that
bears on it; where the decision is another one then, the rule is a reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ists_asp.errors import IstsError
from ists_asp.rules.restraints import HARD, is_core, is_unconditional, restrains
from ists_asp.trace.view.contrast import RulePlace
from ists_asp.trace.view.decisions import PREDICATES, told

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ists_asp.rules import NamedRule
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.trace import Trace
    from ists_asp.trace.view.decisions import Decision

__all__ = ["Restraint", "bearing", "restraints", "said", "without"]

MOST = 20
"""So many rules are tried at most."""


class Restraint(msgspec.Struct, frozen=True):
    """A rule without which decisions would be others: its words, its place, what would be."""

    sentence: str
    rule: RulePlace
    instead: tuple[str, ...]


def restraints(trace: Trace, decisions: Sequence[Decision] | None = None) -> tuple[Restraint, ...]:
    """The hard rules, constraints and weak constraints that changed decisions.

    Args:
        trace: the trace of the answer.
        decisions: those that are asked about; all by default.
    """
    ours = _decided(trace.best.shown)
    wanted = ours if decisions is None else {one.atom for one in decisions}
    found = []
    for place, rule in list(bearing(trace))[:MOST]:
        other = without(trace, place)
        if other is not None and (wanted - other or (decisions is None and other - ours)):
            instead = tuple(told(trace, sorted(other - ours)))
            found.append(Restraint(said(trace, rule), RulePlace.of(rule), instead))
    return tuple(found)


def bearing(trace: Trace) -> Iterator[tuple[int, NamedRule]]:
    """The rules that may have restrained the answer, with their places among the statements."""
    fired = {
        firing.probe.rule.name
        for firings in trace.firings.by_head.values()
        for firing in firings
        if (firing.head.name, len(firing.head.arguments)) in HARD
    }
    rules = trace.reified.rules
    for place, (node, rule) in enumerate(zip(rules.statements, rules.rules, strict=True)):
        if is_core(rule):
            continue
        if is_unconditional(node) or (rule.name in fired and restrains(node)):
            yield place, rule


def without(trace: Trace, place: int) -> set[Ground] | None:
    """The decisions of the best answer without a rule; None if there is no answer then."""
    solver = trace.reified.solver_without(place)
    try:
        best = solver.best(trace.answer.pair, trace.facts)
    except IstsError:
        # Whatever has no answer without the rule says nothing about it.
        return None
    return _decided(best.shown)


def said(trace: Trace, rule: NamedRule) -> str:
    """What a rule says where it fired, or its own words."""
    for firings in trace.firings.by_head.values():
        for firing in firings:
            if firing.probe.rule is rule:
                return trace.says(firing)
    return rule.sentence or " ".join(rule.text.split())


def _decided(shown: Sequence[Ground]) -> set[Ground]:
    return {atom for atom in shown if atom.name in PREDICATES}
