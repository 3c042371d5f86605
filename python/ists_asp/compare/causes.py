"""Which rules are responsible for a decision that differs between two sets of rules.

An atom that holds by one set of rules and not by the other is traced back: to the rule that
derived it, if the other set lacks that rule, or to the atoms in its conditions, aggregates
and negations that differ in turn. A decision is chosen by weight, so that the search begins
with the atoms that weigh it: what the sums there add up differently is what moved it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import compress, islice, zip_longest

from clingo import SymbolType
from clingo.ast import ASTType

from ists_asp.compare.comparison import Answered, Cause, Change, ChangeKind, Moved, find_changes
from ists_asp.engine import System
from ists_asp.model import Label, Pair
from ists_asp.rules import NamedRule, RuleSet
from ists_asp.solver.batch import BATCH
from ists_asp.syntax.ground import Ground
from ists_asp.trace import Decision, Trace
from ists_asp.trace.decisions import Decided, DecisionKind, contributed, decided, decisions
from ists_asp.trace.effects import (
    Effect,
    bearing,
    changing,
    look,
    places,
    sentence_of,
    verdict,
    with_said,
)
from ists_asp.trace.grounding import Element, RuleInstance
from ists_asp.vocabulary import ARGUES, CALLED, CLOSENESS, WEIGHTS, WORTH

_WEIGHTS = tuple(f"{weight.name}(" for weight in WEIGHTS)
_DEPTH = 60
LOOKED = 30  # pairs, and new rules, of which it is found out what a rule did that changed nothing


@dataclass(frozen=True, slots=True)
class Edit:
    """A rule that only one set has, or whose text differs; ``did`` is for an idle new one."""

    old: NamedRule | None
    new: NamedRule | None
    did: str = ""

    @property
    def kind(self) -> str:
        """Added, changed or removed."""
        return "added" if self.old is None else "changed" if self.new else "removed"

    @property
    def rule(self) -> NamedRule:
        """The rule as it is, or as it was."""
        rule = self.new or self.old
        assert rule is not None
        return rule


@dataclass(frozen=True, slots=True)
class WeightEdits:
    """How many weights were added, removed and changed."""

    added: int
    removed: int
    changed: int


def texts(rules: RuleSet) -> Mapping[str, NamedRule]:
    """The rules by their texts, without what blanks and line ends they have."""
    kinds = (ASTType.Rule, ASTType.Minimize)
    return {_text(rule): rule for node, rule in rules.both if node.ast_type in kinds}


def _text(rule: NamedRule) -> str:
    return " ".join(rule.text.split())


def find_edits(old: RuleSet, new: RuleSet) -> tuple[tuple[Edit, ...], WeightEdits]:
    """The rules that differ, named weights too, and how many weights do, wherever they stand."""
    before, after = texts(old), texts(new)
    sides = [
        {text: rule for text, rule in ours.items() if text not in theirs}
        for ours, theirs in ((before, after), (after, before))
    ]
    weights = [
        {text.rpartition(",")[0] for text in only if text.startswith(_WEIGHTS)} for only in sides
    ]
    gone, come = (
        {
            rule.name: rule
            for text, rule in only.items()
            if rule.sentence is not None or not text.startswith(_WEIGHTS)
        }
        for only in sides
    )
    edits = [Edit(gone.get(name), come.get(name)) for name in {**gone, **come}]
    # What has changed comes first, and what is new last.
    edits.sort(key=lambda edit: (edit.old is None, edit.new is None))
    both = len(weights[0] & weights[1])
    return tuple(edits), WeightEdits(len(weights[1]) - both, len(weights[0]) - both, both)


class _Side:
    def __init__(self, name: str, trace: Trace, others: Iterable[str]) -> None:
        self.name, self.trace, self.others = name, trace, others
        self.decided: dict[object, list[Decision]] = defaultdict(list)
        for decision in decisions(trace):
            self.decided[_key(decision)].append(decision)

    def lacks(self, rule: NamedRule) -> bool:
        return _text(rule) not in self.others

    def restraining(self) -> Iterator[tuple[_Side, NamedRule, list[Decided]]]:
        """The rules that restrain the answer and that the other set lacks, with their decisions."""
        ours = decided(self.trace.answer).keys()
        rules = (rule for rule in bearing(self.trace) if self.lacks(rule[1]))
        for rule, theirs in changing(self.trace, rules):
            yield self, rule, list(theirs.keys() ^ ours)


def find_causes(old: Trace, new: Trace, changes: Sequence[Change]) -> tuple[tuple[Cause, ...], ...]:
    """The causes of each change: rules, then weights, weightiest first.

    Where chunks differ, only boundaries are traced back: all else is about other chunks. A
    score that comes or goes with EQUI has no causes of its own.
    """
    before, after = (texts(trace.reified.rules) for trace in (old, new))
    sides = _Side("old", old, after), _Side("new", new, before)
    cut = any(change.kind is ChangeKind.BOUNDARY for change in changes)
    equal = {
        (change.tokens1, change.tokens2)
        for change in changes
        if change.kind is ChangeKind.LABEL and Label.EQUI in (change.old, change.new)
    }
    restraining = [restraint for side in sides for restraint in side.restraining()]

    def causes(change: Change) -> tuple[Cause, ...]:
        if change.kind is ChangeKind.SCORE and (change.tokens1, change.tokens2) in equal:
            return ()
        if cut and change.kind is not ChangeKind.BOUNDARY:
            return ()
        return _Search(*sides).causes(change, restraining)

    return tuple(map(causes, changes))


class _Search:
    def __init__(self, old: _Side, new: _Side) -> None:
        self._sides = (old, new)
        self._seen: set[tuple[str, Ground]] = set()
        self._roots: dict[tuple[str, str], RuleInstance] = {}
        self._moved: dict[tuple[str, str], dict[tuple[str, str], int]] = defaultdict(dict)

    def causes(
        self, change: Change, restraining: Sequence[tuple[_Side, NamedRule, list[Decided]]]
    ) -> tuple[Cause, ...]:
        for side, other in (self._sides, self._sides[::-1]):
            for decision in side.decided[_key(change)]:
                for atom in _weighing(decision, side.trace):
                    self._diagnose(atom, side, other, None)
        # A hard rule is told by what it says of these words, rather than of others.
        rules: dict[tuple[str, str], Cause] = {}
        for side, rule, changed in restraining:
            if about := [decision for decision in changed if _about(decision) == _key(change)]:
                text = sentence_of(side.trace, rule, about)
                cause = Cause(rule.name, rule.file, rule.line, side.name, text, ())
                rules.setdefault((cause.rule, cause.only), cause)
        derivers, weights = self._roots_as_causes()
        for cause in derivers:
            rules.setdefault((cause.rule, cause.only), cause)
        return (*sorted(rules.values(), key=_heaviest), *sorted(weights, key=_heaviest))

    def _diagnose(
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
            if side.lacks(firing.probe.rule):
                root = side.name, firing.probe.rule.name
                self._roots.setdefault(root, firing)
                if moved is not None:
                    self._moved[root][moved.evidence, moved.decision] = moved.by
                continue
            for needed in firing.positive:
                self._diagnose(needed, side, other, moved, depth + 1)
            for forbidden in other.trace.matching(firing.negative):
                self._diagnose(forbidden, other, side, moved, depth + 1)
            self._groups(firing, side, other, moved, depth)

    def _groups(
        self, firing: RuleInstance, side: _Side, other: _Side, moved: Moved | None, depth: int
    ) -> None:
        """Trace back what aggregates and conditions count on one side only."""
        ours = side.trace.groups(firing)
        if not ours:
            return
        twins = (
            twin
            for twin in other.trace.firings.by_rule.get(firing.probe.rule.name, ())
            if twin.positive == firing.positive
            and twin.head.name == firing.head.name
            # What an aggregate counts is the last argument.
            and twin.head.arguments[:-1] == firing.head.arguments[:-1]
        )
        for groups in zip_longest(ours, next((other.trace.groups(twin) for twin in twins), ())):
            mine, its = (
                {
                    (element.terms, element.positive, element.negative): element
                    for element in (group.elements if group else ())
                }
                for group in groups
            )
            for having, lacking, elements in (
                (side, other, [mine[key] for key in mine if key not in its]),
                (other, side, [its[key] for key in its if key not in mine]),
            ):
                for element in elements:
                    inner = moved or _weight(element, having)
                    for atom in element.positive:
                        self._diagnose(atom, having, lacking, inner, depth + 1)
                    for atom in lacking.trace.matching(element.negative):
                        self._diagnose(atom, lacking, having, inner, depth + 1)

    def _roots_as_causes(self) -> tuple[list[Cause], list[Cause]]:
        """The roots as causes: rules, and weights, of which the two ends are one."""
        rules: list[Cause] = []
        weights: dict[tuple[str, ...], dict[str, RuleInstance]] = defaultdict(dict)
        sides = {side.name: side for side in self._sides}
        for (name, rule), firing in self._roots.items():
            if f"{firing.head.name}(" in _WEIGHTS and not firing.positive:
                *key, _ = map(str, firing.head.arguments)
                weights[firing.head.name, *key][name] = firing
                continue
            place = firing.probe.rule
            text = sides[name].trace.says(firing) if place.sentence else place.text
            moved = [Moved(*subject, by) for subject, by in self._moved[name, rule].items()]
            moved.sort(key=lambda move: -abs(move.by))
            rules.append(Cause(rule, place.file, place.line, name, text, tuple(moved)))
        return rules, [_weight_cause(key, ends) for key, ends in weights.items()]


def _weight_cause(key: tuple[str, ...], ends: Mapping[str, RuleInstance]) -> Cause:
    """A weight or correction that has changed, by what derives it on each side that has it."""
    predicate, evidence, decision = key
    both = [ends.get("old"), ends.get("new")]
    values = [end.head.arguments[2].number if end else 0 for end in both]
    change = " -> ".join(str(end.head.arguments[2]) if end else "none" for end in both)
    place = (both[1] or next(iter(ends.values()))).probe.rule
    only = "both" if len(ends) == 2 else next(iter(ends))
    text = f"{predicate}({evidence},{decision}): {change}"
    moved = Moved(evidence, decision, values[1] - values[0])
    return Cause(place.name, place.file, place.line, only, text, (moved,))


def _key(of: Change | Decision) -> object:
    return str(of.kind), of.tokens1, of.tokens2


def _about(decision: Decided) -> object:
    kind, tokens1, tokens2, _ = decision
    lone = kind in (DecisionKind.NOALI, DecisionKind.ALIC)
    return str(ChangeKind.UNALIGNED if lone else kind), tokens1, tokens2


def _weighing(decision: Decision, trace: Trace) -> Iterator[Ground]:
    """The atom of a decision, and those that its terms of the objective rest on."""
    yield decision.atom
    if decision.kind is DecisionKind.SCORE:
        spans = decision.atom.arguments[:2]
        yield from trace.beginning(CLOSENESS, *spans, trace.label_of(spans))
    for term in decision.terms:
        for firing in term.firings:
            yield from firing.positive


def _weight(element: Element, side: _Side) -> Moved | None:
    """The weight of an element of a sum, if it is weighed evidence."""
    weights = [atom for atom in element.positive if atom.name == WORTH.name]
    first = element.terms[0] if element.terms else None
    if not weights or first is None or first.type is not SymbolType.Number:
        return None
    evidence, decision, _ = map(str, weights[0].arguments)
    sign = 1 if side.name == "new" else -1
    return Moved(evidence, decision, sign * round(contributed(element)))


def _heaviest(cause: Cause) -> tuple[int, str]:
    return -sum(abs(move.by) for move in cause.moved), cause.rule


@dataclass(frozen=True, slots=True)
class Both:
    """The answers of a pair by both sets of rules, causes of changes, and new rules' effects."""

    old: Answered
    new: Answered
    causes: tuple[tuple[Cause, ...], ...] = ()
    effects: Mapping[str, Effect] | None = None


def run_both(
    old: System,
    new: System,
    pairs: Iterable[Pair],
    looked: Collection[str] | None = None,
    *,
    wholes: bool = False,
) -> Iterator[Both]:
    """Decide pairs by two sets of rules, lazily and in their order; trace where answers differ.

    With ``wholes`` they are rated and explained, too, as far as there are rules for that.

    Sentences are annotated once. The effects of new rules are looked at in all pairs, or in those
    with the ids ``looked``, as that takes long.
    """
    rules = (edit.new for edit in find_edits(old.rules, new.rules)[0])
    # Weights count without firing, and what evidence may argue for is for ists-asp learn.
    idle = (f"{ARGUES.name}(", f"{CALLED.name}(", *_WEIGHTS)
    names = (rule.name for rule in rules if rule and not rule.text.startswith(idle))
    edits = [*islice(names, LOOKED)]
    switched = cache(lambda: new.solver.switched(places(new.rules, edits)))
    annotated = old.annotate(pairs)
    while batch := list(islice(annotated, BATCH)):
        decided = list(map(Both, _answered(old, batch, wholes), _answered(new, batch, wholes)))
        differing = (find_changes(result.old, result.new) for result in decided)
        changed = [
            tuple(change for change in changes if change.kind not in _WHOLES)
            for changes in differing
        ]
        wanted = [bool(edits) and (looked is None or pair.id in looked) for pair in batch]
        traced = [bool(changes) or wants for changes, wants in zip(changed, wanted, strict=True)]
        before = old.trace_annotated(compress(batch, changed))
        after = new.trace_annotated(compress(batch, traced))
        for index, (result, changes) in enumerate(zip(decided, changed, strict=True)):
            if not traced[index]:
                yield result
                continue
            trace = next(after)
            causes = find_causes(next(before), trace, changes) if changes else ()
            groups = {name: [name] for name in edits}
            effects = next(look([trace], groups, switched)).effects if wanted[index] else None
            if effects is not None and result.old.explanation != result.new.explanation:
                (explained,) = new.where_said([batch[index]], edits)
                effects = with_said(effects, explained.effects)
            yield replace(result, causes=causes, effects=effects)


_WHOLES = (ChangeKind.RATING, ChangeKind.EXPLANATION)
"""Changes that are about a pair as a whole, which follow from the others."""


def _answered(system: System, batch: Sequence[Pair], wholes: bool) -> Iterator[Answered]:
    """Decide annotated pairs; rate and explain them, too, if ``wholes`` are asked for."""
    answers = [best for best, *_ in system.decide(batch, rated=wholes and system.rates)]
    if not wholes or system.profile.explanation is None:
        return map(Answered.of, answers)
    texts = (explanation.text for explanation in system.explain_many(answers))
    return map(Answered.of, answers, texts)


def with_effects(edits: Sequence[Edit], results: Sequence[Both]) -> tuple[Edit, ...]:
    """Edits with what new rules did, of those to which no change is due."""
    due = {cause.rule for result in results for causes in result.causes for cause in causes}
    looked = [result.effects for result in results if result.effects]
    where = f" in the first {len(looked)} pairs" if len(looked) < len(results) else ""

    def judged(edit: Edit) -> Edit:
        name = edit.rule.name
        effects = [by_rule[name] for by_rule in looked if name in by_rule]
        idle = effects and name not in due and not any(effect.instead for effect in effects)
        return replace(edit, did=verdict(effects) + where) if idle else edit

    return tuple(map(judged, edits))
