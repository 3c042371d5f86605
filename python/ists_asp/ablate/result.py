"""What an ablation finds."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from clingo import SymbolType

from ists_asp.evaluate.scorer import DECIMALS, IGNORED, Summed
from ists_asp.rules.catalogue import is_core
from ists_asp.trace import DecisionKind, decisions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ists_asp.evaluate.scorer import Scores
    from ists_asp.model import Alignment, Pair
    from ists_asp.rules import NamedRule
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace import Decision, Trace
    from ists_asp.trace.instances import Element


@dataclass(frozen=True, slots=True)
class Tally(Summed):
    """How often a rule fired, for how many pairs, and the decisions that rest on it.

    ``right`` and ``wrong`` are alignments, labels and scores that it supports, by whether gold
    has them.
    """

    fires: int = 0
    pairs: int = 0
    right: int = 0
    wrong: int = 0


@dataclass(frozen=True, slots=True)
class RuleWorth:
    """A rule, what it did, the measures without it, and for how many pairs they differ."""

    rule: NamedRule
    tally: Tally
    without: Scores
    changed: int


@dataclass(frozen=True, slots=True)
class Ablation:
    """The measures with all rules over ``pairs`` pairs, and each rule's worth, best first."""

    pairs: int
    scores: Scores
    rules: tuple[RuleWorth, ...]

    def worth(self, one: RuleWorth) -> tuple[tuple[str, float], ...]:
        """What F1 a rule adds, by the official name of the measure; negative if it harms."""
        pairs = zip(self.scores.named(), one.without.named(), strict=True)
        return tuple((name, full.f1 - less.f1) for (name, full), (_, less) in pairs)

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes; worth has six decimals."""
        return {
            "pairs": self.pairs,
            "f1": {name: round(measure.f1, DECIMALS) for name, measure in self.scores.named()},
            "rules": [
                {
                    "name": one.rule.name,
                    "file": one.rule.file,
                    "line": one.rule.line,
                    "fires": one.tally.fires,
                    "pairs": one.tally.pairs,
                    "right": one.tally.right,
                    "wrong": one.tally.wrong,
                    "changed": one.changed,
                    "worth": {name: round(value, 6) for name, value in self.worth(one)},
                }
                for one in self.rules
            ],
        }


_JUDGED = (DecisionKind.ALIGN, DecisionKind.LABEL, DecisionKind.SCORE)


def tally(trace: Trace, gold: Sequence[Alignment]) -> Mapping[str, Tally]:
    """Count by rule name what fired for an answer, and the decisions that rest on it.

    A decision rests on the rules for the features that speak for it, and on those that these
    rest on. It is right if gold aligns the same tokens (for a label or a score, with the same
    label or score); single punctuation marks do not count.
    """
    fires = Counter(
        firing.probe.rule.name
        for firing in chain(*trace.firings.by_head.values(), trace.firings.objective)
        if firing.probe.rule.sentence is not None and not is_core(firing.probe.rule)
    )
    known = {
        (_counted(line.tokens1, trace, 1), _counted(line.tokens2, trace, 2)): line
        for line in gold
        if line.label.aligned
    }
    support = _Support(trace)
    verdicts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for decision in decisions(trace):
        if decision.kind in _JUDGED:
            wrong = not _is_right(trace, decision, known)
            for name in support.of(decision):
                verdicts[name][wrong] += 1
    return {name: Tally(fires[name], 1, *verdicts[name]) for name in {*fires, *verdicts}}


class _Support:
    """The rules that the atoms of a trace rest on."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._names: dict[Ground, frozenset[str]] = {}

    def of(self, decision: Decision) -> frozenset[str]:
        """The rules that speak for a decision."""
        found: set[str] = set()
        for term in decision.terms:
            for atom in term.firings[0].positive:
                if atom == decision.atom:
                    continue
                for firing in self._trace.reasons(atom)[:1]:
                    for needed in firing.positive:
                        found |= self._of_atom(needed)
                    for group in self._trace.groups(firing):
                        for element in group.elements:
                            if _speaks_for(element):
                                for feature in element.positive:
                                    found |= self._of_atom(feature)
        return frozenset(found)

    def _of_atom(self, atom: Ground) -> frozenset[str]:
        known = self._names.get(atom)
        if known is not None:
            return known
        # Whatever leads back here is no reason for it.
        self._names[atom] = frozenset()
        found: set[str] = set()
        for firing in self._trace.reasons(atom)[:1]:
            if firing.probe.rule.sentence is not None:
                found.add(firing.probe.rule.name)
            for needed in firing.positive:
                found |= self._of_atom(needed)
            for group in self._trace.groups(firing):
                for element in group.elements:
                    for needed in element.positive:
                        found |= self._of_atom(needed)
        self._names[atom] = frozenset(found)
        return self._names[atom]


def _speaks_for(element: Element) -> bool:
    first = element.terms[0] if element.terms else None
    return first is not None and first.type is SymbolType.Number and first.number > 0


def _is_right(
    trace: Trace,
    decision: Decision,
    gold: Mapping[tuple[tuple[int, ...], tuple[int, ...]], Alignment],
) -> bool:
    key = _counted(decision.tokens1, trace, 1), _counted(decision.tokens2, trace, 2)
    line = gold.get(key)
    if line is None:
        return False
    if decision.kind is DecisionKind.ALIGN:
        return True
    value = decision.atom.arguments[2]
    if decision.kind is DecisionKind.LABEL:
        return str(value).upper() == line.label
    return line.score is not None and value.number == line.score


def _counted(tokens: Sequence[int], trace: Trace, side: int) -> tuple[int, ...]:
    return tuple(_spoken(tokens, trace.answer.pair, side))


def _spoken(tokens: Sequence[int], pair: Pair, side: int) -> Iterator[int]:
    words = (pair.sent1 if side == 1 else pair.sent2).tokens
    for token in tokens:
        if token > len(words) or words[token - 1].form not in IGNORED:
            yield token
