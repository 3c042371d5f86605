"""A trace as a tree for people: a decision, the rules that fired for it, the facts below.

A decision that evidence is weighed for is told as a contrast: first in a sentence, then what it
has over the runner-up, pros and cons apart, the largest first. What has been shown is not repeated.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from ists_asp.syntax.trees import PREFIX
from ists_asp.terminal import unbroken
from ists_asp.trace.contrast import Contrasted, Reason, RunnerUp, runner_up
from ists_asp.trace.decisions import SUMS, WHOLE, DecisionKind, RulePlace, contributed, in_words
from ists_asp.vocabulary import ALIGNED, CLOSENESS, CORRECTION, NOALI, RATING, WEIGHT, WORTH

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.decisions import Because, Contribution, Decision
    from ists_asp.trace.grounding import Element, Group, RuleInstance
    from ists_asp.trace.trace import Term, Trace

_SHOWN = 5  # elements of a sum, pros, and cons that are shown unless all are asked for
_TIES = 1  # priorities up to this one only order what is equally good (asp/tie.lp)
_FLAT = 2  # so deep a tree shows evidence without what it rests on
_WEIGHTS = (WEIGHT.signature, CORRECTION.signature, WORTH.signature)
"""The predicates that evidence is weighed by."""

_TOLD = (DecisionKind.ALIGN, DecisionKind.LABEL, DecisionKind.SCORE, DecisionKind.NOALI)
"""Decisions that one sentence sums up, whether or not evidence is weighed."""

_SIDES = ("for it", "against it")
_TITLES = {DecisionKind.NOALI: ("against that pair", "for that pair")}
"""The titles of pros and cons."""


class Branch(msgspec.Struct):
    """A line of a tree: what it says, where that comes from, what it is worth, what is below."""

    text: str
    where: str = ""
    weight: int | None = None
    below: list[Branch] = []


def fired(trace: Trace, firing: RuleInstance) -> Branch:
    """The sentence of a rule that fired, and its place."""
    return Branch(trace.says(firing), str(RulePlace.of(firing.probe.rule)))


def own(found: Iterable[Because]) -> list[Branch]:
    """The branch of the user's rules among what something rests on, if there are any."""
    below = [Branch(one.sentence, str(one.rule)) for one in found]
    return [Branch("rests on rules of your own", below=below)] if below else []


class Grower:
    """Grows the branches of a trace, ``depth`` rules deep.

    With ``everything`` they show all features, and all firings that derive an atom.
    """

    def __init__(self, trace: Trace, depth: int = 3, *, everything: bool = False) -> None:
        self._trace = trace
        self._depth = depth
        self._everything = everything
        self._shown: set[Ground] = set()

    def decision(self, decision: Decision) -> Branch:
        """A decision: its terms in the objective, the runner-up, what permits it."""
        branch = Branch(decision.text, decision.selector)
        made = Contrasted(self._trace, decision)
        found = made.contrast
        second = runner_up(self._trace, decision)
        weighed = bool(found.pros or found.cons)
        if weighed or decision.kind in _TOLD:
            branch.below.append(Branch(found.sentence))
            pros, cons = _TITLES.get(decision.kind, _SIDES)
            branch.below += self._side(pros, found.pros, made.pros)
            branch.below += self._side(cons, found.cons, made.cons)
        if decision.kind in (*_TOLD, DecisionKind.BOUNDARY):
            branch.below += own(found.own)
        # What only the order of ties tells apart is no contrast.
        if second is not None and (self._everything or (second.by and second.by[0][0] > _TIES)):
            branch.below.append(Branch(_beats(self._trace, decision, second)))
        if self._everything:
            branch.below += [self._term(term, decision.atom) for term in decision.terms]
        if self._everything or not (weighed or decision.kind in _TOLD):
            branch.below += self.atom(decision.atom)
        elif not weighed:
            branch.below += [
                self._firing(one, 0) if self._depth > _FLAT else fired(self._trace, one)
                for one in made.because
            ]
        return branch

    def _side(
        self, title: str, found: Sequence[Reason], by: Sequence[Contribution]
    ) -> Iterator[Branch]:
        if not found:
            return
        branch = Branch(title, weight=sum(one.points for one in found))
        limit = len(found) if self._everything else _SHOWN
        for one, contribution in zip(found[:limit], by, strict=False):
            line = Branch(f"{one.sentence} ({one.name})", str(one.rule or ""), one.points)
            weights = map(self._weighed, contribution.worths)
            line.where += "".join(weight for weight in weights if CORRECTION.name in weight)
            if contribution.firing is not None and self._depth > _FLAT:
                line.below = self._firing(contribution.firing, 0).below
            branch.below.append(line)
        if rest := found[limit:]:
            total = sum(one.points for one in rest)
            branch.below.append(Branch(f"… and {len(rest)} more, {total:+} together"))
        yield branch

    def atom(self, atom: Ground, level: int = 0) -> list[Branch]:
        """An atom with the firings that derive it: one branch, unless everything is shown."""
        reasons = self._trace.reasons(atom)
        if not reasons:
            return [Branch(f"input: {self._trace.words.atom(atom)}")]
        first, *others = reasons
        branch = self._firing(first, level)
        if atom in self._shown:
            branch.below = [Branch("(see above)")] if branch.below else []
            return [branch]
        if level < self._depth:
            self._shown.add(atom)
        found = [branch]
        if self._everything:
            found += (self._firing(other, level) for other in others)
            for again in found[1:]:
                again.text = f"also: {again.text}"
        elif rules := {other.probe.rule.name for other in others} - {first.probe.rule.name}:
            branch.below.append(Branch(f"(also by {', '.join(sorted(rules))})"))
        return found

    def _firing(self, firing: RuleInstance, level: int) -> Branch:
        branch = fired(self._trace, firing)
        if level >= self._depth:
            return branch
        if comparisons := [text for text in firing.comparisons if not text.startswith(PREFIX)]:
            branch.below.append(Branch(", ".join(comparisons)))
        for atom in firing.positive:
            if not self._is_weight(atom):
                branch.below += self.atom(atom, level + 1)
        for group in self._trace.groups(firing):
            branch.below += self._group(firing, group, level + 1)
        branch.below += map(self._absent, firing.negative)
        return branch

    def _group(self, firing: RuleInstance, group: Group, level: int) -> Iterator[Branch]:
        counted = group.companion.function in SUMS
        elements = sorted(group.elements, key=lambda one: (-abs(contributed(one)), str(one.terms)))
        whole = self._everything or not group.companion.function or firing.head.name == RATING.name
        limit = len(elements) if whole else _SHOWN
        for element in elements[:limit]:
            yield self._element(group, element, level)
        if rest := elements[limit:]:
            total = round(sum(contributed(element) for element in rest))
            note = f", {total:+} together" if counted else ""
            yield Branch(f"… and {len(rest)} more{note}")

    def _element(self, group: Group, element: Element, level: int) -> Branch:
        weight = round(contributed(element)) if group.companion.function in SUMS else None
        weights = [atom for atom in element.positive if self._is_weight(atom)]
        atoms = (self.atom(atom, level) for atom in element.positive if atom not in weights)
        branches = [*chain.from_iterable(atoms), *map(self._absent, element.negative)]
        first, *others = branches or [Branch(", ".join(element.terms) or group.text)]
        first.weight = weight
        if weight is not None and len(element.terms) > 1:
            first.text += f" ({element.terms[1]})"
        first.below = [*first.below, *others]
        first.where += "".join(map(self._weighed, weights))
        return first

    def _weighed(self, worth: Ground) -> str:
        """Where the weight stands that evidence has, and its correction, with what each adds."""
        found = ""
        for reason in self._trace.reasons(worth)[:1]:
            for atom in reason.positive:
                rule = self._trace.reasons(atom)[0].probe.rule
                value = f" {atom.arguments[2].number:+}" if len(reason.positive) > 1 else ""
                found += f", {atom.name}{value} {rule.file}:{rule.line}"
        return found

    def _term(self, term: Term, chosen: Ground) -> Branch:
        firing = term.firings[0]
        branch = fired(self._trace, firing)
        branch.weight = -term.weight
        if self._depth:
            for atom in firing.positive:
                if atom != chosen and not self._is_weight(atom):
                    branch.below += self.atom(atom, 1)
        return branch

    def _absent(self, atom: Ground) -> Branch:
        return Branch(f"not {self._trace.words.atom(atom)}")

    @staticmethod
    def _is_weight(atom: Ground) -> bool:
        return (atom.name, len(atom.arguments)) in _WEIGHTS


def render(branch: Branch) -> list[str]:
    """A tree as lines of text."""
    weight = "" if branch.weight is None else f"{branch.weight:+} "
    where = f"  [{branch.where}]" if branch.where else ""
    found = [f"{weight}{unbroken(branch.text)}{unbroken(where)}"]
    for number, below in enumerate(branch.below, start=1):
        stem, more = ("└─ ", "   ") if number == len(branch.below) else ("├─ ", "│  ")
        first, *rest = render(below)
        found += [stem + first, *(more + line for line in rest)]
    return found


def _beats(trace: Trace, decision: Decision, second: RunnerUp) -> str:
    if not second.by:
        return "without it the objective would be the same"
    priority, gain = second.by[0]
    share = f"by {gain}" + (" (a tie)" if priority <= _TIES else "")
    if decision.kind in (DecisionKind.LABEL, DecisionKind.SCORE):
        name, own = decision.atom.name, decision.atom.arguments[2]
        others = [atom.arguments[2] for atom in second.come if atom.name == name]
        if len(others) == 1:
            nearer = _nearer(trace, decision, others[0], gain)
            return nearer or f"{own.upper()} beats {others[0].upper()} {share}"
    come = [atom for atom in second.come if atom.name in (ALIGNED.name, NOALI.name)]
    instead = "; ".join(in_words(trace, come))
    return f"the answer is better with it {share}" + (f"; without it {instead}" if instead else "")


def _nearer(trace: Trace, decision: Decision, other: Ground, gain: int) -> str:
    """By how much a score is nearer than another one; empty where something else had a say."""
    if decision.kind is not DecisionKind.SCORE:
        return ""
    *spans, own = decision.atom.arguments
    for atom in trace.beginning(CLOSENESS, *spans, trace.label_of(spans)):
        worth = atom.arguments[-1].number
        if abs(WHOLE * other.number - worth) - abs(WHOLE * own.number - worth) == gain:
            total = f"the sum is {worth / WHOLE:.2f} points"
            return f"{total}: {own} is nearer than {other} by {gain} hundredths"
    return ""
