"""The decisions of an answer, each with what it is worth and what came second.

These are the atoms that ``asp/`` shows: chunk boundaries, alignments, labels, scores, tags
and what is left over; in the trace of a rating, the rating.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from clingo import SymbolType

from ists_asp.errors import UsageError, shortened
from ists_asp.limits import MAX_TOKENS
from ists_asp.syntax.ground import Ground
from ists_asp.vocabulary import ALIC, ALIGNED, BOUNDARY, LABEL, NOALI, RATING, SCORE, TAG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.model import Answer, Pair
    from ists_asp.trace.trace import Term, Trace


class DecisionKind(StrEnum):
    """What is decided."""

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
    for predicate, kind in (
        (BOUNDARY, DecisionKind.BOUNDARY),
        (ALIGNED, DecisionKind.ALIGN),
        (LABEL, DecisionKind.LABEL),
        (SCORE, DecisionKind.SCORE),
        (TAG, DecisionKind.TAG),
        (NOALI, DecisionKind.NOALI),
        (ALIC, DecisionKind.ALIC),
        (RATING, DecisionKind.RATING),
    )
}
_DIGITS = len(str(MAX_TOKENS))
_ONE_SIDED = (DecisionKind.BOUNDARY, DecisionKind.NOALI, DecisionKind.ALIC)


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of an answer.

    ``tokens1`` and ``tokens2`` are the tokens that it is about, for a boundary the token that
    a chunk begins with; empty on the side that it is not about. ``terms`` are the terms of
    the objective that it brings in.
    """

    kind: DecisionKind
    atom: Ground
    text: str
    tokens1: tuple[int, ...]
    tokens2: tuple[int, ...]
    terms: tuple[Term, ...]

    @property
    def selector(self) -> str:
        """What selects it: ``label:3-5:3-5``, ``boundary:1:4``, ``noali:2:6``."""
        if self.kind is DecisionKind.RATING:
            return str(self.kind)
        if self.kind in _ONE_SIDED:
            side, tokens = (1, self.tokens1) if self.tokens1 else (2, self.tokens2)
            return f"{self.kind}:{side}:{tokens_text(tokens)}"
        return f"{self.kind}:{tokens_text(self.tokens1)}:{tokens_text(self.tokens2)}"

    @property
    def decided(self) -> Decided:
        """What is decided, by tokens."""
        valued = (DecisionKind.LABEL, DecisionKind.SCORE, DecisionKind.TAG)
        value = str(self.atom.arguments[2]).upper() if self.kind in valued else ""
        return self.kind, self.tokens1, self.tokens2, value

    @property
    def worth(self) -> dict[int, int]:
        """What it adds to the objective by priority: more is better."""
        found: dict[int, int] = {}
        for term in self.terms:
            found[term.priority] = found.get(term.priority, 0) - term.weight
        return found


def decisions(trace: Trace) -> tuple[Decision, ...]:
    """The decisions of an answer in the order of its tokens."""
    belonging: dict[Ground, list[Term]] = {}
    for term in trace.objective:
        for atom in {atom for firing in term.firings for atom in firing.positive}:
            belonging.setdefault(atom, []).append(term)
    found = []
    for atom, kind, arity in (
        (atom, kind, arity)
        for name, (kind, arity) in PREDICATES.items()
        for atom in trace.atoms(name)
    ):
        if len(atom.arguments) != arity or not atom.positive:
            continue
        sides = _sides(trace, kind, atom)
        if not (sides[0] or sides[1]):
            continue
        text = _text(trace, kind, atom, sides)
        found.append(Decision(kind, atom, text, *sides, tuple(belonging.get(atom, ()))))
    order = list(DecisionKind)
    return tuple(sorted(found, key=lambda one: _order(one, order)))


def select(found: Iterable[Decision], selector: str) -> tuple[Decision, ...]:
    """The decisions that a selector means.

    Raises:
        UsageError: it is malformed, or the answer has no such decision.
    """
    everything = tuple(found)
    kind, _, rest = selector.partition(":")
    parts = rest.split(":") if rest else []
    chosen = [one for one in everything if one.kind == kind] if kind in tuple(DecisionKind) else []
    if kind not in tuple(DecisionKind) or len(parts) not in (0, 2):
        raise UsageError(
            f"'{selector}' selects no decision",
            where="--only",
            expected="label:3-5:3-5 (or align, score, tag), boundary:1:4, noali:2:6, label, "
            "or rating",
        )
    if parts:
        wanted = f"{kind}:" + ":".join(tokens_text(numbers(part, selector)) for part in parts)
        chosen = [one for one in chosen if one.selector == wanted]
    if not chosen:
        known = [one.selector for one in everything if one.kind == kind]
        raise UsageError(
            f"the answer has no '{selector}'",
            where="--only",
            expected=", ".join(known) or "a decision of another kind",
            hint="For a decision that was not taken ask ists-asp why-not",
        )
    return tuple(chosen)


def tokens_text(tokens: Sequence[int]) -> str:
    """Token numbers as people write them: ``3-5``, or ``3-4,7`` round a gap."""
    runs: list[list[int]] = []
    for token in tokens:
        if runs and token == runs[-1][-1] + 1:
            runs[-1].append(token)
        else:
            runs.append([token])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def numbers(text: str, where: str) -> tuple[int, ...]:
    """Token numbers from text: ``3-5``, ``3,4,7`` or ``3 4 7``.

    Raises:
        UsageError: it is something else.
    """
    found: set[int] = set()
    for part in text.replace(",", " ").split():
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise UsageError(
                f"'{shortened(text.strip())}' is no list of tokens",
                where=where,
                expected="3 4 7, or 3-5",
            )
        ends = [first, last or first]
        if max(map(len, ends)) > _DIGITS:
            raise UsageError(
                f"no sentence has a token {shortened(max(ends, key=len))}",
                where=where,
                expected=f"1 to {MAX_TOKENS}",
            )
        found.update(range(int(ends[0]), int(ends[1]) + 1))
    return tuple(sorted(found))


def _sides(
    trace: Trace, kind: DecisionKind, atom: Ground
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    words = trace.words
    if kind is DecisionKind.RATING:
        sentences = trace.answer.pair.sent1, trace.answer.pair.sent2
        first, second = (tuple(token.index for token in sent.tokens) for sent in sentences)
        return first, second
    one, two = atom.arguments[:2]
    if kind not in _ONE_SIDED:
        return words.tokens("span", 1, one), words.tokens("span", 2, two)
    if one.type is not SymbolType.Number:
        return (), ()
    what = "token" if kind is DecisionKind.BOUNDARY else "chunk"
    tokens = words.tokens(what, one.number, two)
    return (tokens, ()) if one.number == 1 else ((), tokens)


def _text(
    trace: Trace,
    kind: DecisionKind,
    atom: Ground,
    sides: tuple[tuple[int, ...], tuple[int, ...]],
) -> str:
    if kind is DecisionKind.RATING:
        return f"the pair is rated {atom.arguments[0].number / 1000:.3f}"
    value = str(atom.arguments[2]) if len(atom.arguments) > len(sides) else ""
    return _words(trace.answer.pair, kind, value, sides)


def _words(
    pair: Pair, kind: DecisionKind, value: str, sides: tuple[tuple[int, ...], tuple[int, ...]]
) -> str:
    """A decision in words."""
    words1, words2 = f'"{pair.sent1.words(sides[0])}"', f'"{pair.sent2.words(sides[1])}"'
    if kind in _ONE_SIDED:
        side = 1 if sides[0] else 2
        words = words1 if side == 1 else words2
        if kind is DecisionKind.BOUNDARY:
            return f"a chunk of sentence {side} begins at {words}"
        return f"{words} of sentence {side} is {kind.upper()}"
    if kind is DecisionKind.ALIGN:
        return f"{words1} is aligned with {words2}"
    verb = {"label": "is labelled", "score": "scores", "tag": "is marked"}[kind]
    return f"{words1} ~ {words2} {verb} {value.upper()}"


def _order(one: Decision, order: Sequence[DecisionKind]) -> tuple[object, ...]:
    if one.kind is DecisionKind.BOUNDARY:
        return 0, not one.tokens1, one.tokens1, one.tokens2, 0
    return 1, not one.tokens1, one.tokens1, one.tokens2, order.index(one.kind)


Decided: TypeAlias = tuple[DecisionKind, tuple[int, ...], tuple[int, ...], str]
"""What is decided, about which tokens of both sentences, and a label, score or tag."""


def decided(answer: Answer) -> Mapping[Decided, str]:
    """The decisions of an answer by what they are about, in words.

    Answers with other chunks have other numbers for them, so that atoms cannot be compared.
    """
    pair = answer.pair
    found: dict[Decided, str] = {}

    def add(
        kind: DecisionKind, tokens1: tuple[int, ...], tokens2: tuple[int, ...], value: object = ""
    ) -> None:
        text = _words(pair, kind, str(value), (tokens1, tokens2))
        found[kind, tokens1, tokens2, str(value)] = text

    for chunk in answer.chunks1:
        add(DecisionKind.BOUNDARY, (chunk.first,), ())
    for chunk in answer.chunks2:
        add(DecisionKind.BOUNDARY, (), (chunk.first,))
    for line in answer.alignments:
        sides = line.tokens1, line.tokens2
        if not line.label.aligned:
            add(DecisionKind(line.label.lower()), *sides)
            continue
        add(DecisionKind.ALIGN, *sides)
        add(DecisionKind.LABEL, *sides, line.label)
        if line.score is not None:
            add(DecisionKind.SCORE, *sides, f"{line.score:g}")
        for tag in sorted(line.tags):
            add(DecisionKind.TAG, *sides, tag)
    return found


def boundary(side: int, token: int) -> Ground:
    """The atom of a chunk boundary."""
    return Ground(f"{BOUNDARY.name}({side},{token})")


def told(trace: Trace, atoms: Iterable[Ground]) -> Iterator[str]:
    """Decisions of another answer in words."""
    for atom in atoms:
        kind, arity = PREDICATES.get(atom.name, (None, 0))
        if kind is not None and len(atom.arguments) == arity:
            sides = _sides(trace, kind, atom)
            if sides[0] or sides[1]:
                yield _text(trace, kind, atom, sides)
