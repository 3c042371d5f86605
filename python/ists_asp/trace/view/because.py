"""The rules that a decision rests on: where they stand, and what they say of its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ists_asp.rules import NamedRule
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.instance import RuleInstance
    from ists_asp.trace.core.trace import Trace


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


def own_rules(
    trace: Trace, evidence: Iterable[Ground | None], firings: Iterable[RuleInstance] = ()
) -> Iterator[Because]:
    """The user's rules that evidence and other rules rest on, each once."""
    own = trace.reified.own
    if not own:
        return
    told: set[str] = set()
    seen: set[Ground] = set()
    atoms = [atom for atom in evidence if atom is not None]
    left = [*firings, *(one for atom in atoms for one in trace.reasons(atom)[:1])]
    while left:
        firing = left.pop(0)
        rule = firing.probe.rule
        if id(rule) in own and rule.name not in told:
            told.add(rule.name)
            yield Because.of(trace, firing)
        needed = [*firing.positive]
        for group in trace.groups(firing):
            needed += [atom for element in group.elements for atom in element.positive]
        for atom in needed:
            if atom not in seen:
                seen.add(atom)
                left += trace.reasons(atom)[:1]
