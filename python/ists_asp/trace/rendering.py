"""A trace as a tree for people, and as JSON.

A tree has a decision, the rules that fired for it, and the facts below. A decision that evidence is
weighed for is told as a contrast: first in a sentence, then what it has over the runner-up, pros
and cons apart, the largest first. What has been shown is not repeated.

JSON has a graph of atoms and firings in which nothing leads in a circle. Its shape is described by
``data/schema/trace.schema.json``; :data:`VERSION` changes when something is renamed or removed, not
when something is added. Numbers are places, from 0, in the lists ``rules``, ``atoms``, ``firings``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import clingo
import msgspec
from msgspec import json, to_builtins

from ists_asp import vocabulary as v
from ists_asp.resources import gc_paused
from ists_asp.rules import NamedRule
from ists_asp.syntax.ground import Ground, plain
from ists_asp.terminal import unbroken
from ists_asp.trace.contrast import Contrasted, Reason, RunnerUp, runner_up
from ists_asp.trace.decisions import (
    SUMS,
    WHOLE,
    Because,
    Contribution,
    Decision,
    DecisionKind,
    RulePlace,
    contributed,
    decisions,
    in_words,
)
from ists_asp.trace.effects import restraints
from ists_asp.trace.grounding import Element, Group, RuleInstance
from ists_asp.trace.probes import Kind, Probe
from ists_asp.trace.trace import Term, Trace

_ORDER = re.compile(r"-?\d+ [<>]=? -?\d+")
_SHOWN = 5  # elements of a sum, pros, and cons that are shown unless all are asked for
_TIES = 1  # priorities up to this one only order what is equally good (asp/tie.lp)
_FLAT = 2  # so deep a tree shows evidence without what it rests on
_WEIGHTS = (v.WEIGHT.signature, v.CORRECTION.signature, v.WORTH.signature)
_UNTOLD = ("_class", "_side_class")  # which weights count for a label
_TOLD = (DecisionKind.ALIGN, DecisionKind.LABEL, DecisionKind.SCORE, DecisionKind.NOALI)
"""Decisions that one sentence sums up, whether or not evidence is weighed."""

_SIDES = ("for it", "against it")
_TITLES = {
    DecisionKind.NOALI: ("against that pair", "for that pair"),
    DecisionKind.RATING: ("hundredths of a point raise it", "hundredths of a point lower it"),
}


class Branch(msgspec.Struct):
    """A line of a tree: what it says, where that comes from, what it is worth, what is below.

    A reason for the sentence above the tree ``says`` what the text has behind an introduction.
    """

    text: str
    where: str = ""
    weight: int | None = None
    below: list[Branch] = []
    says: str = ""


def fired(trace: Trace, firing: RuleInstance) -> Branch:
    """The sentence of a rule that fired, and its place."""
    return Branch(trace.says(firing), str(RulePlace.of(firing.probe.rule)))


def user_branch(trace: Trace, reasons: Iterable[Because]) -> list[Branch]:
    """The branch of the user's rules among what something rests on, if there are any."""
    below = [Branch(rule.sentence, str(rule.rule)) for rule in reasons]
    return [Branch(trace.tell("rests on rules of your own"), below=below)] if below else []


class Grower:
    """Grows branches, ``depth`` rules deep; with ``everything`` all features and firings."""

    def __init__(self, trace: Trace, depth: int = 3, *, everything: bool = False) -> None:
        self._trace, self._depth, self._everything = trace, depth, everything
        self._shown: set[Ground] = set()

    def decision(self, decision: Decision) -> Branch:
        """A decision: its terms in the objective, the runner-up, what permits it."""
        branch, tell = Branch(decision.text, decision.selector), self._trace.tell
        contrasted = Contrasted(self._trace, decision)
        contrast = contrasted.contrast
        second = runner_up(self._trace, decision)
        weighed = bool(contrast.pros or contrast.cons)
        if weighed or decision.kind in _TOLD:
            depth = max(0, self._depth - 1)
            bars = [self._firing(firing, depth) for firing in contrasted.forbidding]
            branch.below.append(Branch(contrast.sentence))
            branch.below += [Branch(tell("forbidden by"), below=bars)] if bars else []
            pros, cons = map(tell, _TITLES.get(decision.kind, _SIDES))
            whole = self._everything or decision.kind is DecisionKind.RATING
            branch.below += self._side(pros, contrast.pros, contrasted.pros, whole=whole)
            branch.below += self._side(cons, contrast.cons, contrasted.cons, whole=whole)
        if weighed or decision.kind in (*_TOLD, DecisionKind.BOUNDARY):
            branch.below += user_branch(self._trace, contrast.own)
        # What only the order of ties tells apart is no contrast.
        if second is not None and (self._everything or (second.by and second.by[0][0] > _TIES)):
            branch.below.append(Branch(_beats(self._trace, decision, second)))
        if self._everything:
            branch.below += [self._term(term, decision.atom) for term in decision.terms]
        if self._everything or not (weighed or decision.kind in _TOLD):
            branch.below += self.atom(decision.atom)
        elif not weighed:
            branch.below += [
                self._firing(firing, 0) if self._depth > _FLAT else fired(self._trace, firing)
                for firing in contrasted.because
            ]
        return branch

    def _side(
        self, title: str, reasons: Sequence[Reason], by: Sequence[Contribution], *, whole: bool
    ) -> Iterator[Branch]:
        if not reasons:
            return
        branch = Branch(title, weight=sum(reason.points for reason in reasons))
        limit = len(reasons) if whole else _SHOWN
        for reason, contribution in zip(reasons[:limit], by, strict=False):
            text = f"{reason.sentence} ({reason.name})"
            line = Branch(text, str(reason.rule or ""), reason.points)
            several = len(contribution.worths) > 1
            weights = "".join(self._weighed(each, of_each=several) for each in contribution.worths)
            line.where += weights if v.CORRECTION.name in weights else ""
            if contribution.firing is not None and self._depth > _FLAT:
                line.below = self._firing(contribution.firing, 0).below
            branch.below.append(line)
        if hidden := reasons[limit:]:
            total = sum(reason.points for reason in hidden)
            branch.below.append(Branch(self._more(len(hidden), total)))
        yield branch

    def _more(self, n: int, total: int | None = None) -> str:
        if total is None:
            return self._trace.tell("… and {n} more", n=n)
        return self._trace.tell("… and {n} more, {total} together", n=n, total=f"{total:+}")

    def atom(self, atom: Ground, level: int = 0) -> list[Branch]:
        """An atom with its firings: one branch, or where everything is shown one a sentence."""
        reasons, tell = self._trace.reasons(atom), self._trace.tell
        if not reasons:
            return [Branch(tell("input: {text}", text=self._trace.words.atom(atom)))]
        first, *others = reasons
        branch = self._firing(first, level)
        if atom in self._shown:
            branch.below = [Branch(tell("(see above)"))] if branch.below else []
            return [branch]
        if level < self._depth:
            self._shown.add(atom)
        branches = [branch]
        if self._everything:
            says = [(self._trace.says(firing), firing.probe.rule.name) for firing in reasons]
            distinct = dict(zip(reversed(says), reversed(reasons), strict=True))
            repeated = {*others}.difference(distinct.values())
            branches += (self._firing(other, level) for other in others if other not in repeated)
            for again in branches[1:]:
                again.text = tell("also: {text}", text=again.text)
        elif rules := {other.probe.rule.name for other in others} - {first.probe.rule.name}:
            branch.below.append(Branch(tell("(also by {rules})", rules=", ".join(sorted(rules)))))
        return branches

    def _firing(self, firing: RuleInstance, level: int) -> Branch:
        branch = fired(self._trace, firing)
        if level >= self._depth:
            return branch
        # That something equals or differs is seen from the words; the sentence tells the rest.
        comparisons = list(filter(_ORDER.fullmatch, firing.comparisons))
        if comparisons and self._everything:
            branch.below.append(Branch(", ".join(comparisons)))
        for atom in firing.positive:
            if not self._is_weight(atom) and self._tells(atom):
                branch.below += self.atom(atom, level + 1)
        for group in self._trace.groups(firing):
            branch.below += self._group(firing, group, level + 1)
        branch.below += self._absent(firing.negative)
        return branch

    def _group(self, firing: RuleInstance, group: Group, level: int) -> Iterator[Branch]:
        counted = group.companion.function in SUMS
        elements = sorted(group.elements, key=lambda one: (-abs(contributed(one)), str(one.terms)))
        rates = firing.head.name == v.RATING.name
        whole = self._everything or rates or not group.companion.function
        limit = len(elements) if whole else _SHOWN
        for element in elements[:limit]:
            yield self._element(group, element, level)
        if rest := elements[limit:]:
            shown = sum(round(contributed(element)) for element in elements[:limit])
            total = int(sum(map(contributed, elements))) - shown  # clingo cuts the sum
            yield Branch(self._more(len(rest), total if counted else None))

    def _element(self, group: Group, element: Element, level: int) -> Branch:
        weight = round(contributed(element)) if group.companion.function in SUMS else None
        weights = [atom for atom in element.positive if self._is_weight(atom)]
        shown = (atom for atom in element.positive if atom not in weights and self._tells(atom))
        atoms = (self.atom(atom, level) for atom in shown)
        branches = [*chain.from_iterable(atoms), *self._absent(element.negative)]
        named = [str(weight.arguments[0]) for weight in weights] or element.terms
        first, *others = branches or [Branch(", ".join(named) or group.text)]
        first.weight, first.says = weight, first.text
        if weight is not None and len(element.terms) > 1:
            first.text += f" ({element.terms[1]})"
        first.below = [*first.below, *others]
        first.where += "".join(map(self._weighed, weights))
        return first

    def _weighed(self, worth: Ground, *, of_each: bool = False) -> str:
        """Where the weight stands that evidence has, and its correction, with what each adds.

        Of several labels ``of_each`` says which of them it is for.
        """
        text, label = "", f" {worth.arguments[1].upper()}" if of_each else ""
        for reason in self._trace.reasons(worth)[:1]:
            for atom in reason.positive:
                rule = self._trace.reasons(atom)[0].probe.rule
                several = of_each or len(reason.positive) > 1
                value = f" {atom.arguments[2].number:+}" if several else ""
                text += f", {atom.name}{label}{value} {rule.file}:{rule.line}"
        return text

    def _term(self, term: Term, chosen: Ground) -> Branch:
        firing = term.firings[0]
        branch = fired(self._trace, firing)
        branch.weight = -term.weight
        if self._depth:
            for atom in firing.positive:
                if atom != chosen and not self._is_weight(atom):
                    branch.below += self.atom(atom, 1)
        return branch

    def _absent(self, atoms: Iterable[Ground]) -> Iterator[Branch]:
        sentences = dict.fromkeys(map(self._trace.deriving, atoms))
        tell = self._trace.tell
        return (Branch(tell("not so: {text}", text=text)) for text in sentences if text)

    def _tells(self, atom: Ground) -> bool:
        return self._everything or bool(atom.name not in _UNTOLD and self._trace.reasons(atom))

    @staticmethod
    def _is_weight(atom: Ground) -> bool:
        return (atom.name, len(atom.arguments)) in _WEIGHTS


def render(branch: Branch) -> list[str]:
    """A tree as lines of text."""
    weight = "" if branch.weight is None else f"{branch.weight:+} "
    where = f"  [{branch.where}]" if branch.where else ""
    lines = [f"{weight}{unbroken(branch.text)}{unbroken(where)}"]
    for number, below in enumerate(branch.below, start=1):
        stem, indent = ("└─ ", "   ") if number == len(branch.below) else ("├─ ", "│  ")
        first, *rest = render(below)
        lines += [stem + first, *(indent + line for line in rest)]
    return lines


def _beats(trace: Trace, decision: Decision, second: RunnerUp) -> str:
    if not second.by:
        return trace.tell("without it the objective would be the same")
    priority, gain = second.by[0]
    share = trace.tell("by {n} (a tie)" if priority <= _TIES else "by {n}", n=gain)
    if decision.kind in (DecisionKind.LABEL, DecisionKind.SCORE):
        name, value = decision.atom.name, decision.atom.arguments[2]
        others = [atom.arguments[2] for atom in second.come if atom.name == name]
        if len(others) == 1:
            nearer = _nearer(trace, decision, others[0], gain)
            values = {"own": value.upper(), "other": others[0].upper(), "share": share}
            return nearer or trace.tell("{own} beats {other} {share}", **values)
    for count in trace.beginning(v.TOKEN_COUNT, *decision.atom.arguments[:2]):
        number = count.arguments[2].number
        if number > 1 and not gain % number:
            share = trace.tell("by {gain} for each of {n} tokens", gain=gain // number, n=number)
    come = [atom for atom in second.come if atom.name in (v.ALIGNED.name, v.NOALI.name)]
    instead = "; ".join(in_words(trace, come))
    better = trace.tell("the answer is better with it {share}", share=share)
    return better + (trace.tell("; without it {instead}", instead=instead) if instead else "")


def _nearer(trace: Trace, decision: Decision, other: Ground, gain: int) -> str:
    """By how much a score is nearer than another one; empty where something else had a say."""
    if decision.kind is not DecisionKind.SCORE:
        return ""
    *spans, score = decision.atom.arguments
    for atom in trace.beginning(v.CLOSENESS, *spans, trace.label_of(spans)):
        worth, half = atom.arguments[-1].number, WHOLE * (score.number + other.number) // 2
        off, apart = abs(half - worth), WHOLE * abs(score.number - other.number)
        # Beyond the score itself it is nearer by no more than both are apart.
        if gain == min(2 * off, apart) and (half < worth) == (score.number > other.number):
            above = "the sum is {sum}: {off} points above {half}, the border to {other}"
            below = "the sum is {sum}: {off} points below {half}, the border to {other}"
            points = {"sum": worth, "off": off, "half": half}
            values = {name: f"{value / WHOLE:.2f}" for name, value in points.items()}
            return trace.tell(above if half < worth else below, other=other, **values)
    return ""


VERSION = 1
Json = dict[str, Any]


def trace_line(trace: Trace) -> str:
    """A trace as one line of JSON, with its end; decisions are not compared with others."""
    with gc_paused():
        line = json.encode(document(trace, compare=False), enc_hook=str.__str__).decode()
    return f"{line}\n"


def document(
    trace: Trace,
    chosen: Iterable[Decision] | None = None,
    *,
    everything: bool = False,
    compare: bool = True,
) -> Json:
    """A trace as JSON, of all decisions or of those that are ``chosen``.

    With ``everything`` it follows all firings that derive an atom, not the first only. To
    ``compare`` is to look for what came second to each decision, which takes a search each.
    """
    decided = decisions(trace) if chosen is None else tuple(chosen)
    return _Document(trace, everything, compare).write(decided, whole=chosen is None)


class _Document:
    """Numbers what the decisions rest on."""

    def __init__(self, trace: Trace, everything: bool, compare: bool) -> None:
        self._trace, self._compare, self._everything = trace, compare, everything
        self._rules: dict[tuple[NamedRule, Kind], int] = {}
        self._atoms: dict[Ground, int] = {}
        self._numbers: dict[int, int] = {}
        self._firings: list[Json] = []
        self._open: list[Ground] = []

    def write(self, decided: Iterable[Decision], *, whole: bool) -> Json:
        trace = self._trace
        records = [self._decision(decision) for decision in decided]
        own_terms = chain.from_iterable(decision.terms for decision in decided)
        terms = {id(term): term for term in (trace.objective if whole else own_terms)}
        numbers = {key: number for number, key in enumerate(terms)}
        for decision, record in zip(decided, records, strict=True):
            record["objective"] = [numbers[id(term)] for term in decision.terms]
        objective = [
            {
                "rule": self._rule(term.firings[0].probe),
                "priority": term.priority,
                "weight": term.weight,
                "tuple": list(term.terms),
                "atoms": list(map(self._atom, term.firings[0].positive)),
                "text": trace.says(term.firings[0]),
            }
            for term in terms.values()
        ]
        # Rules and firings are numbered while atoms are followed.
        atoms = self._follow()
        pair, files = trace.answer.pair, trace.reified.rules.files
        record = {
            "version": VERSION,
            "program": [{"path": file.name, "sha256": file.sha256} for file in files],
            "solver": {
                "clingo": clingo.__version__,
                "arguments": list(trace.reified.solver.arguments),
                "exhausted": trace.best.found.optimal,
            },
            "pair": {
                "id": pair.id,
                "tokens1": [token.form for token in pair.sent1.tokens],
                "tokens2": [token.form for token in pair.sent2.tokens],
            },
            "cost": [{"priority": level, "value": cost} for level, cost in trace.cost.items()],
            "knowledge": list(trace.reified.knowledge),
            "decisions": records,
            "rules": [
                {key: getattr(rule, key) for key in ("name", "file", "line", "column")}
                | {"kind": str(kind), "text": rule.text, "template": rule.sentence}
                for rule, kind in self._rules
            ],
            "atoms": atoms,
            "firings": self._firings,
            "objective": objective,
        }
        if whole:
            record["restraints"] = to_builtins(list(restraints(trace)))
        if trace.rating is not None and whole:
            rating = _Document(trace.rating, self._everything, self._compare)
            record["rating"] = rating.write(decisions(trace.rating), whole=True)
        return record

    def _decision(self, decision: Decision) -> Json:
        second = runner_up(self._trace, decision) if self._compare else None
        return {
            "kind": str(decision.kind),
            "selector": decision.selector,
            "text": decision.text,
            "atom": self._atom(decision.atom),
            "tokens1": list(decision.tokens1),
            "tokens2": list(decision.tokens2),
            "runner_up": second
            and {
                "by": [{"priority": priority, "gain": gain} for priority, gain in second.by],
                "gone": list(in_words(self._trace, second.gone)),
                "come": list(in_words(self._trace, second.come)),
            },
        }

    def _follow(self) -> list[Json]:
        records: dict[Ground, Json] = {}
        while self._open:
            atom = self._open.pop()
            reasons = self._trace.reasons(atom)
            followed = reasons if self._everything else reasons[:1]
            numbers = [self._firing(firing) for firing in followed]
            stratum, level = self._trace.rank(atom)
            records[atom] = {
                "text": atom,
                "source": "derived" if reasons else "input",
                "rank": [stratum, level],
                "primary": numbers[0] if numbers else None,
                "others": numbers[1:],
                "reasons": len(reasons),
            }
        return [records[atom] for atom in self._atoms]

    def _atom(self, atom: Ground) -> int:
        if atom not in self._atoms:
            self._atoms[atom] = len(self._atoms)
            self._open.append(atom)
        return self._atoms[atom]

    def _rule(self, probe: Probe) -> int:
        return self._rules.setdefault((probe.rule, probe.kind), len(self._rules))

    def _firing(self, firing: RuleInstance) -> int:
        # The trace has one object for a firing, and holds it.
        if id(firing) in self._numbers:
            return self._numbers[id(firing)]
        number = self._numbers[id(firing)] = len(self._numbers)
        probe = firing.probe
        # Most rules have nothing of the last kinds.
        self._firings.append(
            {
                "rule": self._rule(probe),
                "text": self._trace.says(firing),
                "bindings": firing.values,
                "head": self._atom(firing.head),
                "positive": list(map(self._atom, firing.positive)),
                "negative": list(map(plain, firing.negative)) if probe.atoms.negative else [],
                "double_negative": list(map(plain, firing.double)) if probe.atoms.double else [],
                "comparisons": list(firing.comparisons) if probe.comparisons else [],
                "groups": self._groups(firing) if probe.companions else [],
            }
        )
        return number

    def _groups(self, firing: RuleInstance) -> list[Json]:
        return [
            {
                "function": group.companion.function or None,
                "text": group.text,
                "elements": [
                    {
                        "terms": list(element.terms),
                        "positive": list(map(self._atom, element.positive)),
                        "negative": list(map(plain, element.negative)),
                    }
                    for element in group.elements
                ],
            }
            for group in self._trace.groups(firing)
        ]
