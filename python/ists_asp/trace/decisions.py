"""The decisions of an answer, which are atoms that ``asp/`` shows, and what they rest on."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

import msgspec
from clingo import SymbolType

from ists_asp import vocabulary as v
from ists_asp.errors import UsageError, shortened
from ists_asp.lang import say
from ists_asp.limits import MAX_TOKENS
from ists_asp.model import Alignment, Answer, Pair
from ists_asp.rules import NamedRule
from ists_asp.syntax.ground import Ground
from ists_asp.trace.grounding import Element, RuleInstance
from ists_asp.trace.trace import Term, Trace
from ists_asp.vocabulary import ALIC, ALIGNED, BOUNDARY, LABEL, NOALI, RATING, SCORE, TAG


class DecisionKind(StrEnum):
    """The kind of a decision."""

    BOUNDARY = "boundary"
    ALIGN = "align"
    LABEL = "label"
    SCORE = "score"
    TAG = "tag"
    NOALI = "noali"
    ALIC = "alic"
    RATING = "rating"


PREDICATES = {
    predicate.name: (kind, predicate.arity)
    for predicate, kind in zip(
        (BOUNDARY, ALIGNED, LABEL, SCORE, TAG, NOALI, ALIC, RATING), DecisionKind, strict=True
    )
}
_ONE_SIDED = (DecisionKind.BOUNDARY, DecisionKind.NOALI, DecisionKind.ALIC)
_SPEAKS = (v.SPEAKS_FOR.name, v.SPEAKS_AGAINST.name)
_BASES = {*v.BASES.values(), "reader_asked", "reader_scores"}
_BOUNDS = (v.NOT_BELOW.name, v.NOT_ABOVE.name, v.SAME_SENTENCES.name)
_VALUED = {
    DecisionKind.LABEL: "{one} ~ {two} is labelled {value}",
    DecisionKind.SCORE: "{one} ~ {two} scores {value}",
    DecisionKind.TAG: "{one} ~ {two} is marked {value}",
}

Tokens: TypeAlias = "tuple[int, ...]"
Decided: TypeAlias = "tuple[DecisionKind, Tokens, Tokens, str]"
"""A kind of decision, the tokens of both sentences, and a label, score or tag."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of an answer."""

    kind: DecisionKind
    atom: Ground
    text: str
    tokens1: Tokens  # those that it is about; of a boundary the first of a chunk
    tokens2: Tokens  # empty where it is not about sentence 2
    terms: tuple[Term, ...]  # of the objective that it brings in

    @property
    def selector(self) -> str:
        """Its selector: ``label:3-5:3-5``, ``boundary:1:4``, ``noali:2:6``."""
        if self.kind is DecisionKind.RATING:
            return str(self.kind)
        if self.kind in _ONE_SIDED:
            side, tokens = (1, self.tokens1) if self.tokens1 else (2, self.tokens2)
            return f"{self.kind}:{side}:{tokens_text(tokens)}"
        return f"{self.kind}:{tokens_text(self.tokens1)}:{tokens_text(self.tokens2)}"

    @property
    def decided(self) -> Decided:
        """The decision by its tokens, without its atom."""
        value = str(self.atom.arguments[2]).upper() if self.kind in _VALUED else ""
        return self.kind, self.tokens1, self.tokens2, value


def decisions(trace: Trace) -> tuple[Decision, ...]:
    """The decisions of an answer in the order of its tokens."""
    belonging: dict[Ground, list[Term]] = {}
    for term in trace.objective:
        for atom in {atom for firing in term.firings for atom in firing.positive}:
            belonging.setdefault(atom, []).append(term)
    unsorted = [
        Decision(kind, atom, text, *sides, tuple(belonging.get(atom, ())))
        for name in PREDICATES
        for atom in trace.atoms(name)
        if atom.positive
        for kind, sides, text in _read_decision(trace, atom)
    ]

    def order(decision: Decision) -> tuple[object, ...]:
        # Of the same tokens the kinds stay in their order.
        tokens1, tokens2 = decision.tokens1, decision.tokens2
        return decision.kind is not DecisionKind.BOUNDARY, not tokens1, tokens1, tokens2

    return tuple(sorted(unsorted, key=order))


def in_words(trace: Trace, atoms: Iterable[Ground]) -> Iterator[str]:
    """Decisions of another answer in words."""
    return (text for atom in atoms for _, _, text in _read_decision(trace, atom))


def _read_decision(
    trace: Trace, atom: Ground
) -> Iterator[tuple[DecisionKind, tuple[Tokens, Tokens], str]]:
    """The kind, the tokens and the words of a decision, if an atom is one."""
    kind, arity = PREDICATES.get(atom.name, (None, 0))
    if kind is None or len(atom.arguments) != arity:
        return
    pair, words = trace.answer.pair, trace.words
    first = atom.arguments[0]
    if kind is DecisionKind.RATING:
        tokens1, tokens2 = (tuple(range(1, size + 1)) for size in pair.sizes)
        rating = f"{round(first.number / 10) / WHOLE:.2f}"
        yield kind, (tokens1, tokens2), trace.tell("the pair is rated {rating}", rating=rating)
        return
    second = atom.arguments[1]
    sides: tuple[Tokens, Tokens] = (), ()
    if kind not in _ONE_SIDED:
        sides = words.tokens("span", 1, first), words.tokens("span", 2, second)
    elif first.type is SymbolType.Number:
        kind_of = "token" if kind is DecisionKind.BOUNDARY else "chunk"
        tokens = words.tokens(kind_of, first.number, second)
        sides = (tokens, ()) if first.number == 1 else ((), tokens)
    if any(sides):
        value, language = "".join(atom.arguments[2:]), trace.reified.rules.language
        yield kind, sides, _words(pair, (kind, *sides, value), language)


def _words(pair: Pair, decided: Decided, language: str) -> str:
    kind, tokens1, tokens2, value = decided
    words1, words2 = f'"{pair.sent1.words(tokens1)}"', f'"{pair.sent2.words(tokens2)}"'
    if kind in _ONE_SIDED:
        side, words = (1, words1) if tokens1 else (2, words2)
        if kind is DecisionKind.BOUNDARY:
            text = "a chunk of sentence {side} begins at {words}"
            return say(language, text, side=side, words=words)
        text = "{words} of sentence {side} is {label}"
        return say(language, text, side=side, words=words, label=kind.upper())
    if kind is DecisionKind.ALIGN:
        return say(language, "{one} is aligned with {two}", one=words1, two=words2)
    return say(language, _VALUED[kind], one=words1, two=words2, value=value.upper())


def decided(answer: Answer, language: str = "en") -> Mapping[Decided, str]:
    """The decisions of an answer by what they are about, in words."""
    # Answers with other chunks have other numbers for them, so that atoms cannot be compared.
    lines: list[Decided] = []
    lines += [(DecisionKind.BOUNDARY, (chunk.first,), (), "") for chunk in answer.chunks1]
    lines += [(DecisionKind.BOUNDARY, (), (chunk.first,), "") for chunk in answer.chunks2]
    lines += decided_lines(answer.alignments)
    return {line: _words(answer.pair, line, language) for line in lines}


def decided_lines(alignments: Iterable[Alignment]) -> Iterator[Decided]:
    """The decisions of alignments, of an answer or of gold."""
    for line in alignments:
        if not line.label.aligned:
            yield DecisionKind(line.label.lower()), *line.sides, ""
            continue
        yield DecisionKind.ALIGN, *line.sides, ""
        yield DecisionKind.LABEL, *line.sides, str(line.label)
        if line.score is not None:
            yield DecisionKind.SCORE, *line.sides, f"{line.score:g}"
        yield from ((DecisionKind.TAG, *line.sides, str(tag)) for tag in sorted(line.tags))


def select(decisions: Iterable[Decision], selector: str) -> tuple[Decision, ...]:
    """The decisions that a selector means; a UsageError if it is malformed or means none."""
    kind, _, rest = selector.partition(":")
    parts = rest.split(":") if rest else []
    if kind not in tuple(DecisionKind) or len(parts) not in (0, 2):
        expected = "label:3-5:3-5 (or align, score, tag), boundary:1:4, noali:2:6, label, or rating"
        raise UsageError(f"'{selector}' selects no decision", where="--only", expected=expected)
    alike = [decision for decision in decisions if decision.kind == kind]
    wanted = ":".join((kind, *(tokens_text(numbers(part, selector)) for part in parts)))
    chosen = tuple(decision for decision in alike if wanted in (kind, decision.selector))
    if not chosen:
        selectors = [decision.selector for decision in alike]
        expected = ", ".join(selectors) or "a decision of another kind"
        hint = "For a decision that was not taken ask ists-asp why-not"
        fault = f"the answer has no '{selector}'"
        raise UsageError(fault, where="--only", expected=expected, hint=hint)
    return chosen


def tokens_text(tokens: Sequence[int]) -> str:
    """Token numbers as people write them: ``3-5``, or ``3-4,7`` round a gap."""
    runs: list[list[int]] = []
    for token in tokens:
        if not runs or token != runs[-1][-1] + 1:
            runs.append([])
        runs[-1].append(token)
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def numbers(text: str, where: str) -> tuple[int, ...]:
    """Token numbers from text: ``3-5``, ``3,4,7`` or ``3 4 7``; a UsageError for all else."""
    tokens: set[int] = set()
    for part in text.replace(",", " ").split():
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            fault = f"'{shortened(text.strip())}' is not a list of tokens"
            raise UsageError(fault, where=where, expected="3 4 7, or 3-5")
        ends = [first, last or first]
        if max(map(len, ends)) > len(str(MAX_TOKENS)):
            fault = f"no sentence has a token {shortened(max(ends, key=len))}"
            raise UsageError(fault, where=where, expected=f"1 to {MAX_TOKENS}")
        tokens.update(range(int(ends[0]), int(ends[1]) + 1))
    return tuple(sorted(tokens))


WHOLE = 100
"""The value of evidence that has the whole of its weight; hundredths of a point in a point."""
SUMS = ("#sum", "#sum+")


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
        """The sentence and place of a rule that fired."""
        return cls(trace.says(firing), RulePlace.of(firing.probe.rule))


def own_rules(
    trace: Trace, evidence: Iterable[Ground | None], firings: Iterable[RuleInstance] = ()
) -> Iterator[Because]:
    """The user's rules that evidence and other rules rest on, each once, the nearest first."""
    user_rules = trace.reified.user_rules
    if not user_rules:
        return
    left = deque(firings)
    left += (reason for atom in evidence if atom for reason in trace.reasons(atom)[:1])
    names, visited = set[str](), set[Ground]()
    while left:
        firing = left.popleft()
        rule = firing.probe.rule
        if id(rule) in user_rules and rule.name not in names:
            names.add(rule.name)
            yield Because.of(trace, firing)
        for atom in trace.rests_on(firing):
            if atom not in visited:
                visited.add(atom)
                left += trace.reasons(atom)[:1]


@dataclass(frozen=True, slots=True)
class Contribution:
    """The contribution of evidence to a decision's sum.

    Amounts are in hundredths of log-odds, or of a point for scores and ratings. For a label they
    are what the evidence gives to the one that was chosen less what it gives to the runner-up.
    """

    name: str
    amount: float
    evidence: Ground | None
    firing: RuleInstance | None  # the rule that found it; where a sum begins, the weight's
    alone: float  # the amount of the stronger side, or the point where a score begins
    also: tuple[RuleInstance, ...] = ()  # what fired for the other side
    worths: tuple[Ground, ...] = ()  # the atoms that say what the evidence is worth

    @property
    def is_base(self) -> bool:
        """Whether it is where a sum begins, which there is for every decision of a kind."""
        return self.name in _BASES or self.evidence is None

    @property
    def bounds(self) -> bool:
        """Whether it keeps a rating from being lower, or higher."""
        return self.evidence is not None and self.evidence.name in _BOUNDS

    @property
    def value(self) -> int | None:
        """How much of the evidence there is, 0 to 100; None where a sum begins."""
        if self.evidence is None or self.bounds:
            return None
        value = self.evidence.arguments[-1].number
        return value // 10 if self.evidence.name in _SPEAKS else value


def contributions(
    trace: Trace, decision: Decision, other: Ground | Sequence[Ground] | None
) -> tuple[Contribution, ...]:
    """The contributions of the evidence to a decision, the largest first.

    For a label against its runner-up; for an alignment against leaving both sides free; for a
    chunk without a counterpart against its best one; for a score against the point halfway to
    the runner-up. Empty where no evidence is weighed. ``other`` is the label or the score that
    came second; of a chunk without a counterpart the spans of the best pair.
    """
    if decision.kind is DecisionKind.RATING:
        return tuple(sorted(_rated(trace), key=lambda piece: (-abs(piece.amount), piece.name)))
    sums: dict[tuple[str, ...], tuple[float, list[Element]]] = {}
    for sign, atom in _sums(trace, decision, other):
        for element in _elements(trace, atom):
            # Where a label begins, only the weight has a name.
            named = (atom.arguments[0] for atom in element.positive if atom.name == v.WORTH.name)
            key = tuple(map(str, element.terms[1:] or [next(named, "")]))
            amount, elements = sums.get(key, (0.0, []))
            sums[key] = amount + sign * contributed(element), [*elements, element]
    by_name: dict[str, list[Contribution]] = defaultdict(list)
    for (name, *_), (amount, elements) in sums.items():
        atoms = [atom for element in elements for atom in element.positive]
        evidence = next((atom for atom in atoms if atom.name == v.EVIDENCE.name), None)
        worths = [atom for atom in atoms if atom.name == v.WORTH.name]
        weights = (atom for worth in worths for atom in trace.reasons(worth)[0].positive)
        found_by = evidence or next(weights, None)
        firing = None if found_by is None else next(iter(trace.reasons(found_by)), None)
        piece = Contribution(name, amount, evidence, firing, amount, worths=tuple(worths))
        if decision.kind is DecisionKind.SCORE and isinstance(other, Ground):
            piece = _scored(piece, decision.atom.arguments[2].number, other.number)
        if round(piece.amount):
            # What one source says of the labels is one reason.
            by_name[(decision.kind is DecisionKind.LABEL and by_label(name)) or name].append(piece)
    merged = (_merged(several) for several in by_name.values())
    return tuple(sorted(merged, key=lambda piece: (-abs(piece.amount), piece.name)))


def _rated(trace: Trace) -> Iterator[Contribution]:
    """The contributions that a rating is the sum of."""
    for atom in trace.beginning(v.CONTRIBUTION):
        name, thousandths = atom.arguments
        firing = trace.reasons(atom)[0]
        below = [*firing.positive]
        derived = [firing for atom in below for firing in trace.reasons(atom)[:1]]
        # A contribution is earned by evidence, which is worth something.
        earned = [step for step in derived if v.WORTH.name in {part.name for part in step.positive}]
        below += (atom for firing in earned for atom in firing.positive)
        sources = (atom for atom in below if atom.name in _SPEAKS or atom.name in _BOUNDS)
        evidence = next((atom for atom in sources if atom.arguments[:1] in ((), (name,))), None)
        source = trace.reasons(evidence) if evidence is not None else earned
        firing = next(iter(source), firing)
        worths = tuple(atom for atom in below if atom.name == v.WORTH.name)
        amount = thousandths.number / 10
        yield Contribution("".join(name), amount, evidence, firing, amount, worths=worths)


_BY_LABEL = re.compile(r"(\w+\()(?:equi|oppo|spe|simi|rel)\)")


def by_label(name: str) -> str:
    """Prefix of the names of evidence that differs by label; empty for others."""
    match = _BY_LABEL.fullmatch(name)
    return match[1] if match else ""


def lead(
    trace: Trace,
    decision: Decision,
    other: Ground | Sequence[Ground] | None,
    pieces: Sequence[Contribution],
) -> tuple[int | None, list[int]]:
    """How far a decision is ahead as clingo reckons it, and the points of each contribution.

    Both are whole hundredths: what rounding leaves is given to those that were rounded most.
    """
    points = [round(piece.amount) for piece in pieces]
    by = sum(piece.amount for piece in pieces)
    if decision.kind not in (DecisionKind.BOUNDARY, DecisionKind.RATING):
        sums = _sums(trace, decision, other)
        by = sum(sign * atom.arguments[-1].number for sign, atom in sums)
    if decision.kind is DecisionKind.SCORE and isinstance(other, Ground):
        score, other_score = decision.atom.arguments[2].number, other.number
        by = (1 if score > other_score else -1) * (by - WHOLE * (score + other_score) / 2)
    left = round(by) - sum(points)
    step = 1 if left > 0 else -1
    order = sorted(range(len(pieces)), key=lambda n: -step * (pieces[n].amount - points[n]))
    for number in order[: abs(left)]:
        points[number] += step
    return (round(by) if pieces else None), points


def contributed(element: Element) -> float:
    """The addend of an element of a sum: of weighed evidence as much as its value is of a whole."""
    first = element.terms[0] if element.terms else None
    if first is None or first.type is not SymbolType.Number:
        return 0.0
    weighed = {v.EVIDENCE.name, v.WORTH.name} <= {atom.name for atom in element.positive}
    return first.number / WHOLE if weighed else float(first.number)


def _sums(
    trace: Trace, decision: Decision, other: Ground | Sequence[Ground] | None
) -> Iterator[tuple[int, Ground]]:
    """The atoms that sum the evidence up, those of the runner-up with a minus."""
    arguments, kind = decision.atom.arguments, decision.kind
    sums: list[tuple[int, Iterable[Ground]]] = []
    if kind is DecisionKind.BOUNDARY:
        sums.append((1, (decision.atom,)))
    elif kind is DecisionKind.ALIGN:
        sums.append((1, trace.beginning(v.ALIGN_WEIGHT, *arguments)))
    elif kind is DecisionKind.NOALI and isinstance(other, tuple):
        sums.append((-1, trace.beginning(v.ALIGN_WEIGHT, *other)))
    elif kind is DecisionKind.LABEL:
        sums.append((1, trace.beginning(v.LABEL_WEIGHT, *arguments)))
        if isinstance(other, Ground):
            sums.append((-1, trace.beginning(v.LABEL_WEIGHT, *arguments[:2], other)))
    elif kind is DecisionKind.SCORE:
        spans = arguments[:2]
        sums.append((1, trace.beginning(v.CLOSENESS, *spans, trace.label_of(spans))))
    return ((sign, atom) for sign, atoms in sums for atom in atoms)


def _scored(piece: Contribution, score: int, other: int) -> Contribution:
    """The contribution of evidence to a score rather than the second.

    What makes both sides closer speaks for the higher of both. Where the label begins counts by
    how far it lies on the right side of the point halfway between them.
    """
    sign = 1 if score > other else -1
    if piece.evidence is None:
        return replace(piece, amount=sign * (piece.amount - WHOLE * (score + other) / 2))
    return replace(piece, amount=sign * piece.amount, alone=sign * piece.alone)


def _elements(trace: Trace, atom: Ground, depth: int = 2) -> Iterator[Element]:
    """The elements of sums behind an atom, each tuple once; behind closeness lies another sum."""
    for firing in trace.reasons(atom)[:1]:
        for group in trace.groups(firing):
            if group.companion.function in SUMS:
                yield from {element.terms: element for element in group.elements}.values()
        for needed in firing.positive if depth > 1 else ():
            if needed.name.startswith("_"):
                yield from _elements(trace, needed, depth - 1)


def _merged(pieces: Sequence[Contribution]) -> Contribution:
    """One contribution a name: that of the stronger side, with what the other side adds."""
    strongest = max(pieces, key=lambda piece: abs(piece.amount))
    others = (piece for piece in pieces if piece is not strongest)
    also = tuple(piece.firing for piece in others if piece.firing is not None)
    worths = tuple(dict.fromkeys(worth for piece in pieces for worth in piece.worths))
    amount = sum(piece.amount for piece in pieces)
    return replace(strongest, amount=amount, also=also, worths=worths)
