"""The decisions of an answer, each with what it is worth.

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
from ists_asp.vocabulary import ALIC, ALIGNED, BOUNDARY, LABEL, NOALI, RATING, SCORE, TAG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ists_asp.model import Alignment, Answer, Pair
    from ists_asp.syntax.ground import Ground
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
    for predicate, kind in zip(
        (BOUNDARY, ALIGNED, LABEL, SCORE, TAG, NOALI, ALIC, RATING), DecisionKind, strict=True
    )
}
_DIGITS = len(str(MAX_TOKENS))
_ONE_SIDED = (DecisionKind.BOUNDARY, DecisionKind.NOALI, DecisionKind.ALIC)
_VALUED = {
    DecisionKind.LABEL: "is labelled",
    DecisionKind.SCORE: "scores",
    DecisionKind.TAG: "is marked",
}

Tokens: TypeAlias = "tuple[int, ...]"

Decided: TypeAlias = "tuple[DecisionKind, Tokens, Tokens, str]"
"""What is decided, about which tokens of both sentences, and a label, score or tag."""


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
    tokens1: Tokens
    tokens2: Tokens
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
        value = str(self.atom.arguments[2]).upper() if self.kind in _VALUED else ""
        return self.kind, self.tokens1, self.tokens2, value


def decisions(trace: Trace) -> tuple[Decision, ...]:
    """The decisions of an answer in the order of its tokens."""
    belonging: dict[Ground, list[Term]] = {}
    for term in trace.objective:
        for atom in {atom for firing in term.firings for atom in firing.positive}:
            belonging.setdefault(atom, []).append(term)
    found = [
        Decision(kind, atom, text, *sides, tuple(belonging.get(atom, ())))
        for name in PREDICATES
        for atom in trace.atoms(name)
        if atom.positive
        for kind, sides, text in _read(trace, atom)
    ]
    kinds = list(DecisionKind)

    def order(one: Decision) -> tuple[object, ...]:
        rank = kinds.index(one.kind)
        return rank > 0, not one.tokens1, one.tokens1, one.tokens2, rank

    return tuple(sorted(found, key=order))


def told(trace: Trace, atoms: Iterable[Ground]) -> Iterator[str]:
    """Decisions of another answer in words."""
    return (text for atom in atoms for _, _, text in _read(trace, atom))


def _read(trace: Trace, atom: Ground) -> Iterator[tuple[DecisionKind, tuple[Tokens, Tokens], str]]:
    """The kind, the tokens and the words of a decision, if an atom is one."""
    kind, arity = PREDICATES.get(atom.name, (None, 0))
    if kind is None or len(atom.arguments) != arity:
        return
    pair, words = trace.answer.pair, trace.words
    one = atom.arguments[0]
    if kind is DecisionKind.RATING:
        tokens1, tokens2 = (
            tuple(token.index for token in sent.tokens) for sent in (pair.sent1, pair.sent2)
        )
        yield kind, (tokens1, tokens2), f"the pair is rated {one.number / 1000:.3f}"
        return
    two = atom.arguments[1]
    sides: tuple[Tokens, Tokens] = (), ()
    if kind not in _ONE_SIDED:
        sides = words.tokens("span", 1, one), words.tokens("span", 2, two)
    elif one.type is SymbolType.Number:
        what = "token" if kind is DecisionKind.BOUNDARY else "chunk"
        tokens = words.tokens(what, one.number, two)
        sides = (tokens, ()) if one.number == 1 else ((), tokens)
    if any(sides):
        yield kind, sides, _words(pair, kind, "".join(atom.arguments[2:]), sides)


def _words(pair: Pair, kind: DecisionKind, value: str, sides: tuple[Tokens, Tokens]) -> str:
    words1, words2 = f'"{pair.sent1.words(sides[0])}"', f'"{pair.sent2.words(sides[1])}"'
    if kind in _ONE_SIDED:
        side, words = (1, words1) if sides[0] else (2, words2)
        if kind is DecisionKind.BOUNDARY:
            return f"a chunk of sentence {side} begins at {words}"
        return f"{words} of sentence {side} is {kind.upper()}"
    if kind is DecisionKind.ALIGN:
        return f"{words1} is aligned with {words2}"
    return f"{words1} ~ {words2} {_VALUED[kind]} {value.upper()}"


def decided(answer: Answer) -> Mapping[Decided, str]:
    """The decisions of an answer by what they are about, in words.

    Answers with other chunks have other numbers for them, so that atoms cannot be compared.
    """
    made: list[Decided] = []
    made += [(DecisionKind.BOUNDARY, (chunk.first,), (), "") for chunk in answer.chunks1]
    made += [(DecisionKind.BOUNDARY, (), (chunk.first,), "") for chunk in answer.chunks2]
    made += decided_lines(answer.alignments)
    return {
        (kind, one, two, value): _words(answer.pair, kind, value, (one, two))
        for kind, one, two, value in made
    }


def decided_lines(alignments: Iterable[Alignment]) -> Iterator[Decided]:
    """The decisions of alignments, of an answer or of gold."""
    for line in alignments:
        sides = line.tokens1, line.tokens2
        if not line.label.aligned:
            yield DecisionKind(line.label.lower()), *sides, ""
            continue
        yield DecisionKind.ALIGN, *sides, ""
        yield DecisionKind.LABEL, *sides, str(line.label)
        if line.score is not None:
            yield DecisionKind.SCORE, *sides, f"{line.score:g}"
        yield from ((DecisionKind.TAG, *sides, str(tag)) for tag in sorted(line.tags))


def select(found: Iterable[Decision], selector: str) -> tuple[Decision, ...]:
    """The decisions that a selector means.

    Raises:
        UsageError: it is malformed, or the answer has no such decision.
    """
    kind, _, rest = selector.partition(":")
    parts = rest.split(":") if rest else []
    if kind not in tuple(DecisionKind) or len(parts) not in (0, 2):
        raise UsageError(
            f"'{selector}' selects no decision",
            where="--only",
            expected="label:3-5:3-5 (or align, score, tag), boundary:1:4, noali:2:6, label, "
            "or rating",
        )
    alike = [one for one in found if one.kind == kind]
    wanted = ":".join((kind, *(tokens_text(numbers(part, selector)) for part in parts)))
    chosen = tuple(one for one in alike if wanted in (kind, one.selector))
    if not chosen:
        raise UsageError(
            f"the answer has no '{selector}'",
            where="--only",
            expected=", ".join(one.selector for one in alike) or "a decision of another kind",
            hint="For a decision that was not taken ask ists-asp why-not",
        )
    return chosen


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
