"""Which rules are responsible for a decision that differs between two sets of rules.

An atom that holds by one set of rules and not by the other is traced back: to the rule that
derived it, if the other set lacks that rule, or to the atoms in its conditions, aggregates
and negations that differ in turn. A decision is chosen by weight, so that the search begins
with the atoms that weigh it: what the sums there add up differently is what moved it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from clingo import SymbolType
from clingo.ast import ASTType

from ists_asp.compare.changes import ChangeKind
from ists_asp.model import Label
from ists_asp.syntax.changes import ANY
from ists_asp.trace.decisions import DecisionKind, decided, decisions
from ists_asp.trace.evidence import contributed, label_of
from ists_asp.trace.switched import bearing, said, without
from ists_asp.vocabulary import CLOSENESS, WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.compare.changes import Change
    from ists_asp.rules import NamedRule, RuleSet
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace import Decision, Trace
    from ists_asp.trace.decisions import Decided
    from ists_asp.trace.grounding import Element, RuleInstance

_KINDS = (ASTType.Rule, ASTType.Minimize)
_WEIGHT = f"{WEIGHT.name}("


class EditKind(StrEnum):
    """What happened to a rule."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Edit:
    """A rule that only one rule set has, or whose text is another; at least one is not None."""

    kind: EditKind
    old: NamedRule | None
    new: NamedRule | None


@dataclass(frozen=True, slots=True)
class WeightEdits:
    """How many weights were added, removed and changed."""

    added: int
    removed: int
    changed: int


def texts(rules: RuleSet) -> Mapping[str, NamedRule]:
    """The rules by their texts, without what blanks and line ends they have."""
    return {
        " ".join(rule.text.split()): rule
        for node, rule in zip(rules.statements, rules.rules, strict=True)
        if node.ast_type in _KINDS
    }


def find_edits(old: RuleSet, new: RuleSet) -> tuple[tuple[Edit, ...], WeightEdits]:
    """The rules that differ, and how many weights do; where a rule stands does not matter.

    Weights that have a name are among the rules as well.
    """
    before, after = texts(old), texts(new)
    gone = {text: rule for text, rule in before.items() if text not in after}
    come = {text: rule for text, rule in after.items() if text not in before}
    old_weights, new_weights = (
        {text.rpartition(",")[0] for text in found if text.startswith(_WEIGHT)}
        for found in (gone, come)
    )
    old_names, new_names = (
        {
            rule.name: rule
            for text, rule in found.items()
            if rule.sentence is not None or not text.startswith(_WEIGHT)
        }
        for found in (gone, come)
    )
    edits = [
        Edit(EditKind.CHANGED, rule, new_names[name])
        for name, rule in old_names.items()
        if name in new_names
    ]
    edits += [
        Edit(EditKind.REMOVED, rule, None)
        for name, rule in old_names.items()
        if name not in new_names
    ]
    edits += [
        Edit(EditKind.ADDED, None, rule)
        for name, rule in new_names.items()
        if name not in old_names
    ]
    both = len(old_weights & new_weights)
    return tuple(edits), WeightEdits(len(new_weights) - both, len(old_weights) - both, both)


_DEPTH = 60

_NAMED_OTHERWISE = {
    DecisionKind.NOALI: ChangeKind.UNALIGNED,
    DecisionKind.ALIC: ChangeKind.UNALIGNED,
}
"""What changes of decisions are called that have another name there."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A weight that only one side has: what is weighed, for which decision, by how much.

    ``by`` is the weight by the new rules less that by the old ones, in hundredths of
    log-odds.
    """

    evidence: str
    decision: str
    by: int


@dataclass(frozen=True, slots=True)
class Cause:
    """A rule that is responsible for a change.

    ``rule`` is its name (``file:line`` if it has none) and ``text`` what it says where it
    fired, or a fact itself. ``only`` is ``old`` or ``new``, whose rules have it, or ``both``
    for a weight that has changed. ``moved`` are the weights that it moves, heaviest first.
    """

    rule: str
    file: str
    line: int
    only: str
    text: str
    moved: tuple[Moved, ...]


@dataclass(slots=True)
class _Side:
    """One trace, and what is looked up in it."""

    name: str
    sign: int
    trace: Trace
    others: frozenset[str]
    by_rule: dict[str, list[RuleInstance]] = field(default_factory=dict)
    decided: dict[tuple[object, ...], list[Decision]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for firing in chain.from_iterable(self.trace.firings.by_head.values()):
            self.by_rule.setdefault(firing.probe.rule.name, []).append(firing)
        for decision in decisions(self.trace):
            key = str(decision.kind), decision.tokens1, decision.tokens2
            self.decided.setdefault(key, []).append(decision)

    def lacks(self, firing: RuleInstance) -> bool:
        """Whether the other rules lack the rule of a firing."""
        return " ".join(firing.probe.rule.text.split()) not in self.others


def find_causes(
    old: Trace, new: Trace, changes: Sequence[Change], rules: tuple[RuleSet, RuleSet]
) -> tuple[tuple[Cause, ...], ...]:
    """The causes of each change: rules, then weights, weightiest first.

    Where chunks differ, only boundaries are traced back: all else is about other chunks. A
    score that comes or goes with EQUI has no causes of its own.
    """
    first, second = (frozenset(texts(one)) for one in rules)
    sides = _Side("old", -1, old, second), _Side("new", 1, new, first)
    cut = any(change.kind is ChangeKind.BOUNDARY for change in changes)
    equal = {
        (change.tokens1, change.tokens2)
        for change in changes
        if change.kind is ChangeKind.LABEL and Label.EQUI in (change.old, change.new)
    }

    def follows(change: Change) -> bool:
        if change.kind is ChangeKind.SCORE and (change.tokens1, change.tokens2) in equal:
            return True
        return cut and change.kind is not ChangeKind.BOUNDARY

    restraining = [
        *_restraining(sides[0], second),
        *_restraining(sides[1], first),
    ]
    return tuple(
        () if follows(change) else _Search(*sides).causes(change, restraining) for change in changes
    )


@dataclass(frozen=True, slots=True)
class Restraining:
    """A hard rule, constraint or preference of one side, and the decisions that it changed."""

    side: _Side
    rule: NamedRule
    changed: tuple[Decided, ...]

    def cause(self, change: Change) -> Cause | None:
        """The rule as the cause of a change; None if that is none of its."""
        about = [one for one in self.changed if _about(one) == _key(change)]
        if not about:
            return None
        rule = self.rule
        text = said(self.side.trace, rule, about)
        return Cause(rule.name, rule.file, rule.line, self.side.name, text, ())


def _restraining(side: _Side, others: frozenset[str]) -> Iterator[Restraining]:
    """What restrains the answer of a side and is not among the other's rules."""
    ours = decided(side.trace.answer)
    for place, rule in bearing(side.trace):
        if " ".join(rule.text.split()) not in others:
            found = without(side.trace, place)
            if found is not None and found != ours:
                yield Restraining(side, rule, tuple(found.keys() ^ ours.keys()))


def _about(one: Decided) -> tuple[object, ...]:
    """What a decision is about, as the key of a change."""
    kind, tokens1, tokens2, _ = one
    return str(_NAMED_OTHERWISE.get(kind, kind)), tokens1, tokens2


class _Search:
    """The search for the causes of one change."""

    def __init__(self, old: _Side, new: _Side) -> None:
        self._sides = (old, new)
        self._seen: set[tuple[str, Ground]] = set()
        self._roots: dict[tuple[str, str], RuleInstance] = {}
        self._moved: dict[tuple[str, str], dict[tuple[str, str], int]] = defaultdict(dict)

    def causes(self, change: Change, restraining: Sequence[Restraining]) -> tuple[Cause, ...]:
        for side, other in (self._sides, self._sides[::-1]):
            for decision in side.decided.get(_key(change), ()):
                for atom in _weighing(decision, side.trace):
                    self._blame(atom, side, other, None)
        rules, weights = self._found()
        found = [cause for one in restraining if (cause := one.cause(change)) is not None]
        # A hard rule is told by what it says of these words, rather than of others.
        better = {(one.rule, one.only) for one in found}
        rules = [*found, *(one for one in rules if (one.rule, one.only) not in better)]
        return (*sorted(rules, key=_heaviest), *sorted(weights, key=_heaviest))

    def _blame(
        self, atom: Ground, side: _Side, other: _Side, moved: Moved | None, depth: int = 0
    ) -> None:
        """Trace back why an atom holds on one side only."""
        if atom in other.trace.true or depth > _DEPTH:
            return
        key = side.name, atom
        if key in self._seen and moved is None:
            return
        self._seen.add(key)
        for firing in side.trace.reasons(atom):
            if side.lacks(firing):
                self._root(firing, side, moved)
                continue
            for needed in firing.positive:
                self._blame(needed, side, other, moved, depth + 1)
            for forbidden in _matching(firing.negative, other):
                self._blame(forbidden, other, side, moved, depth + 1)
            self._groups(firing, side, other, moved, depth)

    def _groups(
        self, firing: RuleInstance, side: _Side, other: _Side, moved: Moved | None, depth: int
    ) -> None:
        """Trace back what aggregates and conditions count on one side only."""
        ours = side.trace.groups(firing)
        if not ours:
            return
        twin = next(
            (
                one
                for one in other.by_rule.get(firing.probe.rule.name, ())
                if one.positive == firing.positive and _alike(one.head, firing.head)
            ),
            None,
        )
        theirs = () if twin is None else other.trace.groups(twin)
        for one, two in zip_longest(ours, theirs):
            mine = {_content(element): element for element in (one.elements if one else ())}
            its = {_content(element): element for element in (two.elements if two else ())}
            for content, element in mine.items():
                if content not in its:
                    self._element(element, side, other, moved, depth)
            for content, element in its.items():
                if content not in mine:
                    self._element(element, other, side, moved, depth)

    def _element(
        self, element: Element, side: _Side, other: _Side, moved: Moved | None, depth: int
    ) -> None:
        inner = moved or _weight(element, side.sign)
        for atom in element.positive:
            self._blame(atom, side, other, inner, depth + 1)
        for atom in _matching(element.negative, other):
            self._blame(atom, other, side, inner, depth + 1)

    def _root(self, firing: RuleInstance, side: _Side, moved: Moved | None) -> None:
        key = side.name, firing.probe.rule.name
        self._roots.setdefault(key, firing)
        if moved is not None:
            self._moved[key][moved.evidence, moved.decision] = moved.by

    def _found(self) -> tuple[list[Cause], list[Cause]]:
        """The roots as causes: rules, and weights, of which the two ends are one."""
        rules: list[Cause] = []
        weights: dict[tuple[str, str], dict[str, RuleInstance]] = defaultdict(dict)
        sides = {side.name: side for side in self._sides}
        for (name, rule), firing in self._roots.items():
            if firing.head.name == WEIGHT.name and not firing.positive:
                evidence, decision, _ = map(str, firing.head.arguments)
                weights[evidence, decision][name] = firing
                continue
            place = firing.probe.rule
            text = sides[name].trace.says(firing) if place.sentence else place.text
            moved = [Moved(*what, by) for what, by in self._moved[name, rule].items()]
            moved.sort(key=lambda one: -abs(one.by))
            rules.append(Cause(rule, place.file, place.line, name, text, tuple(moved)))
        return rules, [_weight_cause(*key, ends) for key, ends in weights.items()]


def _weight_cause(evidence: str, decision: str, ends: Mapping[str, RuleInstance]) -> Cause:
    """A weight that has changed, by what derives it on each side that has it."""
    both = [ends.get("old"), ends.get("new")]
    values = [one.head.arguments[2].number if one else 0 for one in both]
    told = " -> ".join(str(one.head.arguments[2]) if one else "none" for one in both)
    place = (both[1] or next(iter(ends.values()))).probe.rule
    return Cause(
        place.name,
        place.file,
        place.line,
        "both" if len(ends) == 2 else next(iter(ends)),
        f"weight({evidence},{decision}): {told}",
        (Moved(evidence, decision, values[1] - values[0]),),
    )


def _key(change: Change) -> tuple[object, ...]:
    return str(change.kind), change.tokens1, change.tokens2


def _weighing(decision: Decision, trace: Trace) -> Iterator[Ground]:
    """The atom of a decision, and those that its terms of the objective rest on.

    The nearest score costs nothing, so that it has no such term: it rests on how close both
    sides are.
    """
    yield decision.atom
    if decision.kind is DecisionKind.SCORE:
        spans = decision.atom.arguments[:2]
        start = (*spans, label_of(trace, spans))
        for atom in trace.atoms(CLOSENESS.name):
            if tuple(atom.arguments[: len(start)]) == start:
                yield atom
    for term in decision.terms:
        for firing in term.firings:
            yield from firing.positive


def _matching(patterns: Iterable[Ground], side: _Side) -> Iterator[Ground]:
    """The atoms of a side that negated atoms speak of."""
    for pattern in patterns:
        if not any(str(part) == ANY for part in pattern.arguments):
            if pattern in side.trace.true:
                yield pattern
            continue
        for atom in side.trace.atoms(pattern.name):
            if len(atom.arguments) == len(pattern.arguments) and all(
                str(one) == ANY or one == two
                for one, two in zip(pattern.arguments, atom.arguments, strict=True)
            ):
                yield atom


def _alike(one: Ground, two: Ground) -> bool:
    """Whether heads differ in no more than what an aggregate counts, their last argument."""
    return one.name == two.name and one.arguments[:-1] == two.arguments[:-1]


def _content(element: Element) -> tuple[object, ...]:
    return tuple(element.terms), tuple(element.positive), tuple(element.negative)


def _weight(element: Element, sign: int) -> Moved | None:
    """What an element of a sum weighs, if it is a weighed evidence."""
    weights = [atom for atom in element.positive if atom.name == WEIGHT.name]
    first = element.terms[0] if element.terms else None
    if not weights or first is None or first.type is not SymbolType.Number:
        return None
    evidence, decision, _ = map(str, weights[0].arguments)
    return Moved(evidence, decision, sign * round(contributed(element)))


def _heaviest(cause: Cause) -> tuple[int, str]:
    return -sum(abs(one.by) for one in cause.moved), cause.rule
