"""Hard rules, constraints and preferences that changed a decision: it is decided without each.

What forbids, and what is weighed beside the evidence, leaves no trace in the sums of a decision.
So the pair is decided once more without each such rule of ``lp_rules/`` or of the user's that
bears on it; where the decision is another one then, the rule is a reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from clingo import SymbolType

from ists_asp.errors import IstsError
from ists_asp.rules.restraints import HARD, is_core, restraining
from ists_asp.trace.view.because import RulePlace
from ists_asp.trace.view.decisions import decided
from ists_asp.vocabulary import MUST_JOIN, MUST_SPLIT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from ists_asp.rules import NamedRule
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.trace import Trace
    from ists_asp.trace.view.decisions import Decided, Decision

MOST = 20
"""So many rules are tried at most."""


class Restraint(msgspec.Struct, frozen=True):
    """A rule without which decisions would be others: its words, its place, what would be."""

    sentence: str
    rule: RulePlace
    instead: tuple[str, ...]


def restraints(
    trace: Trace,
    decisions: Sequence[Decision] | None = None,
    absent: Collection[Decided] = (),
) -> tuple[Restraint, ...]:
    """The hard rules, constraints and weak constraints that changed decisions.

    Args:
        trace: the trace of the answer.
        decisions: those that are asked about; all by default.
        absent: decisions that are asked about, and that the answer does not have.
    """
    ours = decided(trace.answer)
    wanted = ours.keys() if decisions is None else {one.decided for one in decisions}
    found = []
    for place, rule in list(bearing(trace))[:MOST]:
        other = without(trace, place)
        if other is None:
            continue
        about = (wanted - other.keys()) | (other.keys() & absent)
        if not about and not (decisions is None and other != ours):
            continue
        instead = tuple(text for key, text in other.items() if key not in ours)
        found.append(Restraint(said(trace, rule, about), RulePlace.of(rule), instead))
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
    every, unconditional = restraining(rules)
    for place in sorted(every | unconditional):
        rule = rules.rules[place]
        if not is_core(rule) and (place in unconditional or rule.name in fired):
            yield place, rule


def without(trace: Trace, place: int) -> Mapping[Decided, str] | None:
    """The decisions of the best answer without a rule; None if there is no answer then."""
    solver = trace.reified.solver_without(place)
    try:
        best = solver.best(trace.answer.pair, trace.facts)
    except IstsError:
        # Whatever has no answer without the rule says nothing about it.
        return None
    return decided(best.answer)


def said(trace: Trace, rule: NamedRule, about: Iterable[Decided] = ()) -> str:
    """What a rule says where it fired, or its own words.

    Args:
        trace: the trace of the answer.
        rule: the rule.
        about: the decisions in question: of what fired, that counts which is about their tokens.
    """
    wanted = {
        (side, token)
        for _, *sides, _ in about
        for side, tokens in enumerate(sides, start=1)
        for token in tokens
    }
    fired = [
        firing
        for firings in trace.firings.by_head.values()
        for firing in firings
        if firing.probe.rule is rule
    ]
    if fired:
        return trace.says(max(fired, key=lambda one: len(wanted & _tokens(trace, one.head))))
    return rule.sentence or " ".join(rule.text.split())


def _tokens(trace: Trace, head: Ground) -> set[tuple[int, int]]:
    """The tokens that a hard rule is about, with their sentences."""
    one, two, *_ = (*head.arguments, head, head)
    if (head.name, len(head.arguments)) in (MUST_SPLIT.signature, MUST_JOIN.signature):
        return {(one.number, two.number)} if one.type is two.type is SymbolType.Number else set()
    return {
        (side, token)
        for side, span in ((1, one), (2, two))
        for token in trace.words.tokens("span", side, span)
    }
