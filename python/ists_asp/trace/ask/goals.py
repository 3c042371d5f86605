"""From a decision that somebody asks about to the atoms that it stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.syntax.ground import Ground
from ists_asp.trace.view.decisions import boundary, tokens_text
from ists_asp.vocabulary import ALIGNED, LABEL, SCORE, SPAN, TAG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ists_asp.trace.ask.question import Question
    from ists_asp.trace.core.trace import Trace


@dataclass(frozen=True, slots=True)
class Goal:
    """An atom that a decision wants true, or false; ``text`` says it in words."""

    atom: Ground
    true: bool
    text: str


def goals(trace: Trace, question: Question) -> tuple[Goal, ...]:
    """What a decision wants, in the order in which it is decided.

    Chunks come first, whatever is asked about: there is no alignment of tokens that are no
    chunks.
    """
    if question.is_chunk:
        return tuple(_chunk(trace, question.side, question.tokens1))
    found: list[Goal] = []
    sides = [
        (side, tokens) for side, tokens in ((1, question.tokens1), (2, question.tokens2)) if tokens
    ]
    for side, tokens in sides:
        found += _chunks(trace, side, tokens)
    if not all(holds(trace, goal) for goal in found):
        return tuple(found)
    if len(sides) == 1:
        ((side, tokens),) = sides
        name = str(question.label).lower()
        for number, chunk in _chunks_of(trace, side, tokens):
            atom = Ground(f"{name}({side},{number})")
            words = _words(trace, side, chunk)
            found.append(Goal(atom, True, f"{words} of sentence {side} is {question.label}"))
        return tuple(found)
    spans = [_span(trace, side, tokens) for side, tokens in sides]
    first, second = spans
    words = f"{_words(trace, 1, question.tokens1)} ~ {_words(trace, 2, question.tokens2)}"
    for name, value in ((ALIGNED.name, None), *_more(question)):
        arguments = f"{first},{second}" if value is None else f"{first},{second},{value}"
        words = words if value is None else f"{words} // {value.upper()}"
        found.append(Goal(Ground(f"{name}({arguments})"), True, words))
    return tuple(found)


def _more(question: Question) -> Iterator[tuple[str, str]]:
    if question.label is not None:
        yield LABEL.name, str(question.label).lower()
    if question.score is not None:
        yield SCORE.name, str(question.score)
    for tag in sorted(question.tags):
        yield TAG.name, str(tag).lower()


def holds(trace: Trace, goal: Goal) -> bool:
    """Whether the answer has what a goal wants."""
    return (goal.atom in trace.true) == goal.true


def _chunk(trace: Trace, side: int, tokens: tuple[int, ...]) -> Iterator[Goal]:
    """The boundaries that make one chunk of neighbouring tokens."""
    size = len((trace.answer.pair.sent1, trace.answer.pair.sent2)[side - 1].tokens)
    for token in (tokens[0], tokens[-1] + 1):
        if token <= size:
            text = f"a chunk of sentence {side} begins at {_words(trace, side, (token,))}"
            yield Goal(boundary(side, token), True, text)
    for token in tokens[1:]:
        text = f"no chunk of sentence {side} begins at {_words(trace, side, (token,))}"
        yield Goal(boundary(side, token), False, text)


def _chunks(trace: Trace, side: int, tokens: tuple[int, ...]) -> Iterator[Goal]:
    """The boundaries without which the tokens are not whole chunks.

    Within a run of tokens there may be boundaries or not: several chunks may be one side.
    """
    size = len((trace.answer.pair.sent1, trace.answer.pair.sent2)[side - 1].tokens)
    for token in tokens:
        if token - 1 not in tokens:
            text = f"a chunk of sentence {side} begins at {_words(trace, side, (token,))}"
            yield Goal(boundary(side, token), True, text)
        if token + 1 not in tokens and token < size:
            text = f"a chunk of sentence {side} ends with {_words(trace, side, (token,))}"
            yield Goal(boundary(side, token + 1), True, text)


def _chunks_of(
    trace: Trace, side: int, tokens: tuple[int, ...]
) -> list[tuple[int, tuple[int, ...]]]:
    """The numbers and tokens of the chunks that tokens belong to."""
    chunks = trace.answer.chunks1 if side == 1 else trace.answer.chunks2
    return [
        (number, chunk.tokens)
        for number, chunk in enumerate(chunks, start=1)
        if set(chunk.tokens) & set(tokens)
    ]


def _span(trace: Trace, side: int, tokens: tuple[int, ...]) -> Ground:
    """The term of the span that has these tokens, whether the rules propose it or not."""
    for atom in trace.atoms(SPAN.name):
        if (
            len(atom.arguments) == 2
            and atom.arguments[0] == str(side)
            and trace.words.tokens("span", side, atom.arguments[1]) == tokens
        ):
            return atom.arguments[1]
    numbers = [number for number, _ in _chunks_of(trace, side, tokens)]
    if numbers == list(range(numbers[0], numbers[-1] + 1)):
        return Ground(f"run({numbers[0]},{numbers[-1]})")
    # asp/ knows spans of two chunks round a gap; others have a term that no rule derives.
    return Ground(f"gap({','.join(map(str, numbers))})")


def _words(trace: Trace, side: int, tokens: tuple[int, ...]) -> str:
    sentence = trace.answer.pair.sent1 if side == 1 else trace.answer.pair.sent2
    return f'"{sentence.words(tokens)}" ({tokens_text(tokens)})'
