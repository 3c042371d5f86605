"""A decision as a contrast: what was decided, what came second, the reasons for and against.

Reasons are pieces of evidence, or, where nothing is weighed, the rules that derive the decision.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from os.path import commonprefix

import msgspec
from clingo import SymbolType, parse_term

from ists_asp import vocabulary as v
from ists_asp.lang import by_degree
from ists_asp.solver.search import AnswerSet
from ists_asp.syntax.ground import Ground
from ists_asp.trace.decisions import (
    PREDICATES,
    WHOLE,
    Because,
    Contribution,
    Decision,
    DecisionKind,
    RulePlace,
    by_label,
    contributions,
    lead,
    own_rules,
)
from ists_asp.trace.grounding import RuleInstance
from ists_asp.trace.trace import Trace
from ists_asp.vocabulary import Predicate

_ONE_LINK = (v.ALIGNED.name, v.LABEL.name, v.SCORE.name)  # the decisions about a link, in order
_SUMMED = (DecisionKind.ALIGN, DecisionKind.BOUNDARY, DecisionKind.RATING)  # without a rival
_DEPTH = 3  # how many rules deep a decision is accounted for where nothing is weighed


class Reason(msgspec.Struct, frozen=True):
    """A piece of evidence for a decision, or against it.

    Points are hundredths of log-odds, or of a point for scores and ratings; for a label, what it
    gives to the one that was chosen less what it gives to the runner-up. Value and weight are those
    of the stronger side where both sides have such evidence.
    """

    name: str
    sentence: str
    value: int | None  # how much of it there is, 0 to 100; None where a sum begins
    weight: int | None  # what the whole would be worth; None where a sum begins
    points: int  # what it adds to the decision's sum or takes from it
    rule: RulePlace | None


class Contrast(msgspec.Struct, frozen=True):
    """A decision, what came second, and why."""

    kind: str
    selector: str
    text: str  # the decision
    sentence: str  # all of it in one sentence
    runner_up: str | None = None  # the label or score that came second, or what else would be
    by: int | None = None  # the sum of pros and cons; None where no evidence is weighed
    pros: tuple[Reason, ...] = ()  # sorted by size
    cons: tuple[Reason, ...] = ()
    because: tuple[Because, ...] = ()  # rules that permit the decision, for a label its licences
    forbidding: tuple[Because, ...] = ()  # rules that forbid what weighs more
    own: tuple[Because, ...] = ()  # the user's rules among all that it rests on


class Contrasted:
    """The ``contrast`` of a decision, and what fired for its parts, called like them."""

    # What came second, unless an ``other`` label is asked for, is read off sums, without a search;
    # :func:`runner_up` may find another one.

    def __init__(self, trace: Trace, decision: Decision, other: Ground | None = None) -> None:
        self._trace, self._decision = trace, decision
        self._kind = decision.kind
        self._spans = decision.atom.arguments[:2]
        self._own = decision.atom.arguments[-1]
        self._side = 1 if decision.tokens1 else 2
        self._other = rival = other or self._second()
        alone = rival is None and self._kind not in _SUMMED
        pieces = () if alone else contributions(trace, decision, rival)
        self._barred = self._heavier()
        self.pros = tuple(piece for piece in pieces if piece.amount > 0)
        self.cons = tuple(piece for piece in pieces if piece.amount < 0)
        permitting = self._permitting(weighed=bool(pieces))
        firings = {Because.of(trace, firing): firing for firing in permitting}
        self.because = tuple(firings.values())
        second = None if rival is None else str(rival).upper()
        if self._kind is DecisionKind.ALIGN:
            second = trace.tell("both sides left free")
        elif isinstance(rival, tuple):
            second = trace.tell("aligned with {words}", words=self._quoted(3 - self._side, rival))
        by, points = lead(trace, decision, rival, (*self.pros, *self.cons))
        bars = (firing for atom in self._barred for firing in trace.reasons(atom))
        forbidding = {Because.of(trace, firing): firing for firing in bars}
        self.forbidding = tuple(forbidding.values())
        self.contrast = Contrast(
            str(self._kind),
            decision.selector,
            decision.text,
            self._sentence(self.pros, tuple(firings)),
            second,
            by,
            tuple(map(self._reason, self.pros, points)),
            tuple(map(self._reason, self.cons, points[len(self.pros) :])),
            tuple(firings),
            tuple(forbidding),
            tuple(own_rules(trace, [piece.evidence for piece in pieces], self.because)),
        )

    def _second(self) -> Ground | tuple[Ground, ...] | None:
        """The label or the score that came second; of what is left over the best pair's spans."""
        if self._kind is DecisionKind.LABEL:
            weighed = self._weighed(v.LABEL_WEIGHT)
            possible = self._values(v.LICENSED) - self._values(v.FORBIDDEN_LABEL)
            return _best(weighed, possible - {self._own})
        if self._kind is DecisionKind.SCORE:
            weighed = self._weighed(v.SCORE_WEIGHT, self._trace.label_of(self._spans))
            return _best(weighed, weighed.keys() - {self._own})
        if self._kind is DecisionKind.NOALI:
            tokens = self._decision.tokens1 or self._decision.tokens2
            pairs = [
                (atom.arguments[2].number, atom.arguments[:2])
                for atom in self._trace.beginning(v.ALIGN_WEIGHT)
                if self._tokens(self._side, atom) == tokens
            ]
            return max(pairs)[1] if pairs else None
        return None

    def _heavier(self) -> list[Ground]:
        """Prohibitions of the labels, scores or counterparts with more evidence, best first."""
        beginning, value = self._trace.beginning, self._own
        if self._kind is DecisionKind.NOALI and isinstance(self._other, tuple):
            bars = [*beginning(v.FORBIDDEN_PAIR, *self._other)]
            if any(beginning(v.NO_LABEL, *self._other)):
                bars += beginning(v.FORBIDDEN_LABEL, *self._other)
            return bars if self._weight_of(self._other) > 0 else []
        if self._kind is DecisionKind.LABEL:
            weighs, licensed = self._weighed(v.LABEL_WEIGHT), self._values(v.LICENSED)
            rivalled = value in licensed and self._other is not None
            least = weighs.get(value, 0) if rivalled else min(weighs.values(), default=0) - 1
            bars = [
                atom
                for atom in beginning(v.FORBIDDEN_LABEL, *self._spans)
                if atom.arguments[2] in licensed and weighs.get(atom.arguments[2], 0) > least
            ]
            return sorted(bars, key=lambda atom: -weighs[atom.arguments[2]])
        if self._kind is not DecisionKind.SCORE:
            return []
        for worth in beginning(v.CLOSENESS, *self._spans, self._trace.label_of(self._spans)):
            closeness = worth.arguments[-1].number

            def off(score: Ground, closeness: int = closeness) -> int:
                return abs(WHOLE * score.number - closeness)

            scores = beginning(v.FORBIDDEN_SCORE, *self._spans)
            return [atom for atom in scores if off(atom.arguments[2]) < off(value)]
        return []

    def _weight_of(self, spans: Sequence[Ground]) -> int:
        weights = self._trace.beginning(v.ALIGN_WEIGHT, *spans)
        return sum(atom.arguments[2].number for atom in weights)

    def _weighed(self, predicate: Predicate, *start: Ground | None) -> dict[Ground, int]:
        """The weights of the spans by what is weighed: the last two arguments."""
        return {
            atom.arguments[-2]: atom.arguments[-1].number
            for atom in self._trace.beginning(predicate, *self._spans, *start)
        }

    def _values(self, predicate: Predicate) -> set[Ground]:
        return {atom.arguments[2] for atom in self._trace.beginning(predicate, *self._spans)}

    def _permitting(self, *, weighed: bool) -> Iterator[RuleInstance]:
        """The firings that permit a decision; if nothing is weighed, all that it follows from."""
        if self._kind is DecisionKind.LABEL:
            atoms = self._trace.beginning(v.LICENSED, *self._decision.atom.arguments)
            licences = chain.from_iterable(self._trace.reasons(atom)[:1] for atom in atoms)
            # The user's rules first; in a file the first is the strongest.
            users, place = self._trace.reified.user_rules, attrgetter("rule.file", "rule.line")
            placed = sorted(licences, key=lambda firing: place(firing.probe))
            yield from sorted(placed, key=lambda firing: id(firing.probe.rule) not in users)
        elif not weighed:
            depth = 1 if self._kind in (DecisionKind.SCORE, DecisionKind.NOALI) else _DEPTH
            yield from self._rules(self._decision.atom, depth)

    def _rules(self, atom: Ground, depth: int) -> Iterator[RuleInstance]:
        for firing in self._trace.reasons(atom)[:1]:
            yield firing
            for needed in firing.positive if depth > 1 else ():
                yield from self._rules(needed, depth - 1)

    def _quoted(self, side: int, spans: Sequence[Ground]) -> str:
        return self._trace.words.quoted("span", side, spans[side - 1]) or spans[side - 1]

    def _tokens(self, side: int, atom: Ground) -> tuple[int, ...]:
        return self._trace.words.tokens("span", side, atom.arguments[side - 1])

    def _sentence(self, pros: Sequence[Contribution], because: Sequence[Because]) -> str:
        """The decision, the second, what is forbidden, and the two strongest reasons."""
        tell = self._trace.tell
        if self._kind is DecisionKind.RATING:
            # A bound alone says where the rating ends up; else the weightier side is told.
            bounds = [piece for piece in (*self.cons, *pros) if piece.bounds]
            sides = ([piece for piece in side if not piece.is_base] for side in (pros, self.cons))
            heavier = max(sides, key=lambda side: max([0, *(abs(part.amount) for part in side)]))
            pros = bounds or heavier or self.cons or pros
        fit = [pro for pro in pros if not (self._harder(pro) or self._marks_second(pro))]
        # Where a sum begins is a reason if nothing weighs more, and is told last.
        telling = [pro for pro in fit if not pro.is_base or (self._other and pro is pros[0])]
        quoted = sorted((telling or fit)[:2], key=lambda pro: pro.is_base)
        reasons = self._in_words(quoted)
        if self._kind is DecisionKind.ALIGN:
            fixed = any(self._trace.beginning(v.GIVEN_PAIR, *self._spans))
            if fixed:
                return tell("aligned, as is given")
            return tell("aligned, not left free: {reasons}", reasons=reasons)
        if self._kind is DecisionKind.NOALI:
            return self._left_over()
        if self._kind is DecisionKind.RATING:
            return f"{round(self._own.number / 10) / WHOLE:.2f}: {reasons}"
        if self._kind not in (DecisionKind.LABEL, DecisionKind.SCORE):
            return reasons or (because[0].sentence if because else self._decision.text)
        text = str(self._own).upper()
        bars = ", ".join(dict.fromkeys(atom.arguments[2].upper() for atom in self._barred))
        if self._other is not None:
            text = tell("{own}, not {other}", own=text, other=str(self._other).upper())
            forbids = tell("rules forbid {labels}, for which more speaks", labels=bars)
            text += f" ({forbids})" if bars else ""
            reasons = tell("as much speaks for either") if self._is_even() else reasons
            return f"{text}: {reasons}" if reasons else text
        if self._kind is DecisionKind.LABEL:
            licensed = self._values(v.LICENSED)
            if self._own not in licensed:
                forbids = tell("rules forbid all labels that have a licence: {labels}", labels=bars)
                return f"{text}: {forbids}"
            if licensed - {self._own}:
                text = tell("{own}, as rules forbid the others", own=text)
            else:
                text = tell("{own}, as no other label has a licence", own=text)
        elif self._values(v.FORBIDDEN_SCORE):
            return tell("{own}, as rules forbid the others", own=text)
        return f"{text}: {because[0].sentence}" if because else text

    def _in_words(self, pieces: Sequence[Contribution]) -> str:
        """The two strongest of some reasons, in words of degree."""
        says = "; ".join(map(self._says, pieces[:2]))
        return by_degree(self._trace.reified.rules.language, says)

    def _is_even(self) -> bool:
        """Whether another label weighs the same, as SPE1 and SPE2 do where both sides add alike."""
        if self._kind is not DecisionKind.LABEL or not isinstance(self._other, Ground):
            return False
        weights = self._weighed(v.LABEL_WEIGHT)
        return self._own in weights and weights[self._own] == weights.get(self._other)

    def _left_over(self) -> str:
        other, tell = self._other, self._trace.tell
        if not isinstance(other, tuple):
            return tell("no counterpart: no rule proposes one")
        across = 3 - self._side
        words = self._quoted(across, other)
        best = tell("no counterpart: the best would be {words}", words=words)
        if self._weight_of(other) <= 0:
            if reasons := self._in_words([piece for piece in self.cons if not piece.is_base]):
                return tell(
                    "{best}, and too little speaks for it: {reasons}", best=best, reasons=reasons
                )
            return tell("{best}, and nothing speaks for it", best=best)
        if any(self._trace.beginning(v.FORBIDDEN_PAIR, *other)):
            return tell("{best}, which a rule forbids", best=best)
        if self._barred:
            return tell("{best}, but rules forbid all labels of that pair", best=best)
        # The words that the other side is aligned with, if it is.
        wanted = set(self._trace.words.tokens("span", across, other[across - 1]))
        for atom in self._trace.beginning(v.ALIGNED):
            if not wanted.isdisjoint(self._tokens(across, atom)):
                words = self._quoted(self._side, atom.arguments)
                return tell("{best}, which is aligned with {words}", best=best, words=words)
        return tell("{best}, but a constraint or preference is against it", best=best)

    def _reason(self, piece: Contribution, points: int) -> Reason:
        weight = round(piece.alone * WHOLE / piece.value) if piece.value else None
        rule = None if piece.firing is None else RulePlace.of(piece.firing.probe.rule)
        return Reason(piece.name, self._says(piece), piece.value, weight, points, rule)

    def _harder(self, piece: Contribution) -> list[RuleInstance]:
        """The firings by which evidence of a label is stronger for others, such as the reader's."""
        labels = self._kind is DecisionKind.LABEL and by_label(piece.name)
        if not labels or piece.evidence is None:
            return []
        family, spans = piece.name.partition("(")[0], self._spans
        stronger = [
            atom
            for atom in self._trace.beginning(v.EVIDENCE)
            if atom.arguments[0].arguments[-2:] == spans and atom.arguments[1].name == family
            if atom.arguments[2].number > piece.evidence.arguments[2].number
        ]
        stronger.sort(key=lambda atom: -atom.arguments[2].number)
        return [firing for atom in stronger for firing in self._trace.reasons(atom)[:1]]

    def _marks_second(self, piece: Contribution) -> bool:
        """Whether evidence is what the label that came second is known by."""
        if self._kind is not DecisionKind.LABEL or piece.evidence is None:
            return False
        about, decisions = piece.evidence.arguments[0], {str(self._other)}
        if about.name == "side" and not piece.also:  # what both sides have is no mark of either
            same_side = self._other == f"spe{about.arguments[0]}"
            decisions.add("this_spe" if same_side else "other_spe")
        marks = (atom.arguments for atom in self._trace.beginning(v.MARKS))
        return any(name == piece.name and label in decisions for name, label in marks)

    def _says(self, piece: Contribution) -> str:
        tell = self._trace.tell
        if self._kind is DecisionKind.SCORE and piece.evidence is None:
            label = str(self._trace.label_of(self._spans)).upper()
            score = f"{piece.alone / WHOLE:.2f}"
            return tell("{label} has a base score of {score}", label=label, score=score)
        if self._kind is DecisionKind.LABEL and piece.is_base:
            label = str(self._own).upper()
            if piece.amount > 0:
                return tell("{label} has the higher base weight", label=label)
            return tell("{label} has the lower base weight", label=label)
        firings = filter(None, (*self._harder(piece), piece.firing, *piece.also))
        sentences = tuple(dict.fromkeys(map(self._trace.says, firings)))
        if not by_label(piece.name):
            return self._joined(sentences)
        start = commonprefix(sentences).rpartition(" ")[0]  # noqa: RUF071 (cut at a blank)
        return start + ",".join(text.removeprefix(start) for text in sentences)

    def _joined(self, sentences: Sequence[str]) -> str:
        """The sentences of both sides, as one where they are the same."""
        both = [self._trace.tell("side 1"), self._trace.tell("side 2")]
        if len(sentences) == 2:
            for side, other in (both, both[::-1]):
                if re.sub(rf"\b{side}\b", other, sentences[0]) == sentences[1]:
                    return re.sub(rf"\b{side}\b", self._trace.tell("each side"), sentences[0])
        return "; ".join(sentences)


def _best(weighed: Mapping[Ground, int], allowed: Set[Ground]) -> Ground | None:
    """The heaviest of what is allowed; of equals, as asp/tie.lp has it, the higher score."""
    possible = weighed.keys() & allowed
    if not possible:
        return None
    most = max(weighed[value] for value in possible)
    equal = sorted(value for value in possible if weighed[value] == most)
    return equal[-1] if equal[0].type is SymbolType.Number else equal[0]


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The best answer without a decision."""

    by: tuple[tuple[int, int], ...]  # the gain at each priority that differs, in their order
    gone: tuple[Ground, ...]  # decisions that differ
    come: tuple[Ground, ...]  # decisions in their place


def beside(trace: Trace, other: AnswerSet) -> RunnerUp:
    """The answer of a trace beside another one."""
    both = other.shown, trace.best.found.shown
    theirs, ours = ({atom for atom in atoms if atom.name in PREDICATES} for atoms in both)
    return _beside(trace, dict(zip(other.priorities, other.cost, strict=True)), ours, theirs)


def _beside(
    trace: Trace, cost: Mapping[int, int], ours: Set[Ground], theirs: Set[Ground]
) -> RunnerUp:
    gains = Counter(cost)
    gains.subtract(trace.cost)
    by = tuple((priority, gain) for priority, gain in sorted(gains.items(), reverse=True) if gain)
    return RunnerUp(by, tuple(sorted(ours - theirs)), tuple(sorted(theirs - ours)))


def runner_up(trace: Trace, decision: Decision) -> RunnerUp | None:
    """The best answer without a decision, all decisions before it kept.

    An alignment is compared with all answers without it, a label with other labels of the
    pair, a score with its other scores. None where there is no such answer, or no choice.
    """
    best, solver, name = trace.best, trace.reified.solver, decision.atom.name
    if decision.atom not in best.undecided(name, PREDICATES[name][1]):
        return None
    if decision.kind is DecisionKind.ALIGN:
        best_other, _ = solver.with_atoms(trace.facts, [(parse_term(decision.atom), False)])
        return None if best_other is None else beside(trace, best_other)
    if decision.kind in (DecisionKind.LABEL, DecisionKind.SCORE):
        assumptions, literals = _all_but(trace, decision)
        other = best.other(assumptions, literals, solver.options.time_limit)
        ours = literals.keys() & trace.true
        return None if other is None else _beside(trace, other[0], ours, other[1])
    return None


def _all_but(trace: Trace, decision: Decision) -> tuple[list[int], dict[Ground, int]]:
    """The literals of all decisions but a label, or a score, of a pair, and of what can differ."""
    link, name = decision.atom.arguments[:2], decision.atom.name
    open_ = {name: trace.best.undecided(name, arity) for name, (_, arity) in PREDICATES.items()}
    assumptions = [-open_[name][decision.atom]]
    earlier = _ONE_LINK[: _ONE_LINK.index(name)]
    for name in _ONE_LINK:
        for symbol, literal in open_[name].items():
            if name in earlier or symbol.arguments[:2] != link:
                assumptions.append(literal if symbol in trace.true else -literal)
    # Nothing else can differ when so much is kept.
    literals = {
        symbol: literal
        for name, symbols in open_.items()
        for symbol, literal in symbols.items()
        if name not in _ONE_LINK or symbol.arguments[:2] == link
    }
    return assumptions, literals
