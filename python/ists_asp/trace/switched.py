"""What would be without a rule: what hard rules and constraints change, and what they forbid.

What forbids, and what is weighed beside the evidence, leaves no trace in the sums of a decision.
So the pair is decided once more without each such rule of ``lp_rules/`` or of the user's that
bears on it; where the decision is another one then, the rule is a reason.

For a decision that no answer has, constraints are switched off but for one at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ists_asp.errors import IstsError
from ists_asp.rules.catalogue import HARD, is_core
from ists_asp.syntax.changes import off
from ists_asp.syntax.ground import Atoms
from ists_asp.trace.decisions import decided
from ists_asp.trace.evidence import RulePlace

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from clingo import Symbol

    from ists_asp.rules import NamedRule
    from ists_asp.trace.decisions import Decided, Decision
    from ists_asp.trace.trace import Trace

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

    Asked about are some ``decisions``, by default all, and some that the answer does not have.
    """
    ours = decided(trace.answer)
    wanted = ours.keys() if decisions is None else {one.decided for one in decisions}
    found = []
    for place, rule in list(bearing(trace))[:MOST]:
        other = without(trace, place)
        if other is not None:
            about = (wanted - other.keys()) | (other.keys() & absent)
            if about or (decisions is None and other != ours):
                instead = tuple(text for key, text in other.items() if key not in ours)
                found.append(Restraint(said(trace, rule, about), RulePlace.of(rule), instead))
    return tuple(found)


def bearing(trace: Trace) -> Iterator[tuple[int, NamedRule]]:
    """The rules that may have restrained the answer, with their places among the statements."""
    fired = {
        firing.probe.rule.name
        for firing in trace.firings.deriving
        if (firing.head.name, len(firing.head.arguments)) in HARD
    }
    every, unconditional = trace.reified.restraining
    for place in sorted(every | unconditional):
        rule = trace.reified.rules.rules[place]
        if not is_core(rule) and (place in unconditional or rule.name in fired):
            yield place, rule


def without(trace: Trace, place: int) -> Mapping[Decided, str] | None:
    """The decisions of the best answer without a rule; None if there is no answer then."""
    facts = Atoms.of(trace.facts).with_more([off(place)])
    try:
        solution = trace.reified.switched.solve(trace.answer.pair, facts)
    except IstsError:
        # Whatever has no answer without the rule says nothing about it.
        return None
    return decided(solution.answers[0])


def said(trace: Trace, rule: NamedRule, about: Iterable[Decided] = ()) -> str:
    """What a rule says where it fired, or its own words.

    ``about`` are the decisions in question: of what fired, that counts which is about their tokens.
    """
    wanted = {
        (side, token)
        for _, *sides, _ in about
        for side, tokens in enumerate(sides, start=1)
        for token in tokens
    }
    fired = [firing for firing in trace.firings.deriving if firing.probe.rule is rule]
    if fired:
        return trace.says(max(fired, key=lambda one: len(wanted & trace.words.about(one.head))))
    return rule.sentence or " ".join(rule.text.split())


def forbidding(trace: Trace, wanted: Sequence[tuple[Symbol, bool]]) -> list[NamedRule]:
    """The constraints of which each leaves no answer with some atoms, or all do together.

    None does if there is no answer without them either: no rule derives the atoms then.
    """
    rules, (every, _) = trace.reified.rules, trace.reified.restraining
    bars = {
        place
        for place in every
        if not is_core(rules.rules[place]) and str(rules.statements[place]).startswith((":-", "#f"))
    }

    def leaves(off_: Iterable[int]) -> bool:
        facts = Atoms.of(trace.facts).with_more(map(off, off_))
        return trace.reified.switched.with_atoms(facts, wanted)[0] is not None

    if not bars or not leaves(bars):
        return []
    alone = [place for place in sorted(bars) if not leaves(bars - {place})]
    return [rules.rules[place] for place in alone or sorted(bars)]
