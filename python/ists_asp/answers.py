"""From an answer set's atoms to an :class:`~ists_asp.model.Answer`.

The atoms are those that ``asp/output.lp`` shows, and for ratings ``asp/rate.lp``. Nothing is
decided here: the order of the lines is the only thing that this module adds.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ists_asp.errors import RuleError
from ists_asp.model import Alignment, Answer, Chunk, Contribution, Label, Rating, Tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ists_asp.model import Pair, Sentence
    from ists_asp.solver.texts import Ground

__all__ = ["read_answer"]

Parts: TypeAlias = "tuple[Ground, ...]"
"""The arguments of an atom."""


class _Link(NamedTuple):
    """The spans of sentence 1 and 2 that an alignment joins, as terms."""

    span1: Ground
    span2: Ground


def read_answer(
    pair: Pair, atoms: Iterable[Ground], cost: tuple[int, ...], optimal: bool
) -> Answer:
    """Read the decisions for a pair.

    Args:
        pair: the pair that the answer set is about.
        atoms: the shown atoms of the answer set, in any order.
        cost: the value of each priority of the objective, highest priority first.
        optimal: whether the solver proved that no answer set is better.

    Returns:
        The answer; its alignments are sorted by their tokens, those of sentence 2 that have
        no counterpart last.

    Raises:
        RuleError: the atoms are no answer, such as a label that does not exist.
    """
    try:
        return _read(pair, atoms, cost, optimal)
    except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError):
        raise RuleError(
            "what the rules show is no answer",
            where=f"pair {pair.id}",
            expected="the atoms that asp/output.lp shows, for chunks that there are",
            hint="Look for rules or #show statements of yours about aligned, label, score or tag",
        ) from None


def _read(pair: Pair, atoms: Iterable[Ground], cost: tuple[int, ...], optimal: bool) -> Answer:
    shown: dict[str, list[Parts]] = defaultdict(list)
    for atom in atoms:
        shown[atom.name].append(atom.arguments)

    if shown["rating"]:
        rating = _rating(shown["rating"], shown["contribution"])
        return Answer(pair, (), (), (), cost, optimal, rating)
    chunks1 = _chunks(pair.sent1, 1, shown["first"])
    chunks2 = _chunks(pair.sent2, 2, shown["first"])
    tokens: dict[tuple[int, Ground], list[int]] = defaultdict(list)
    for side, span, index in shown["span_token"]:
        tokens[side.number, span].append(index.number)
    labels = {_Link(x, y): Label(label.name.upper()) for x, y, label in shown["label"]}
    scores = {_Link(x, y): float(score.number) for x, y, score in shown["score"]}
    tags: dict[_Link, set[Tag]] = defaultdict(set)
    for x, y, tag in shown["tag"]:
        tags[_Link(x, y)].add(Tag(tag.name.upper()))

    alignments = []
    for x, y in shown["aligned"]:
        link = _Link(x, y)
        tokens1 = tuple(sorted(tokens[1, x]))
        tokens2 = tuple(sorted(tokens[2, y]))
        marks = frozenset(tags[link])
        alignments.append(Alignment(tokens1, tokens2, labels[link], scores[link], marks))
    for label in (Label.NOALI, Label.ALIC):
        for side, number in shown[label.name.lower()]:
            if side.number == 1:
                chunk = chunks1[number.number - 1]
                alignments.append(Alignment(chunk.tokens, (), label, None))
            else:
                chunk = chunks2[number.number - 1]
                alignments.append(Alignment((), chunk.tokens, label, None))
    sizes = len(pair.sent1.tokens), len(pair.sent2.tokens)
    if not all(_within(line, *sizes) for line in alignments):
        raise ValueError("tokens that the sentences do not have")
    alignments.sort(key=_order)
    return Answer(pair, chunks1, chunks2, tuple(alignments), cost, optimal)


def _rating(rating: Iterable[Parts], contributions: Iterable[Parts]) -> Rating:
    parts = [Contribution(str(name), value.number) for name, value in contributions]
    parts.sort(key=lambda part: (-abs(part.thousandths), part.name))
    ((value,),) = rating
    return Rating(value.number, tuple(parts))


def _chunks(sentence: Sentence, side: int, first: Iterable[Parts]) -> tuple[Chunk, ...]:
    starts = sorted(index.number for number, _, index in first if number.number == side)
    size = len(sentence.tokens)
    if starts != sorted({1, *starts} & set(range(1, size + 1))):
        raise ValueError("chunks that do not cover the sentence")
    ends = [start - 1 for start in starts[1:]] + [size]
    return tuple(Chunk(start, end) for start, end in zip(starts, ends, strict=True))


def _within(line: Alignment, size1: int, size2: int) -> bool:
    sides = ((line.tokens1, size1), (line.tokens2, size2))
    return all(1 <= number <= size for numbers, size in sides for number in numbers)


def _order(alignment: Alignment) -> tuple[bool, tuple[int, ...], tuple[int, ...]]:
    return (not alignment.tokens1, alignment.tokens1, alignment.tokens2)
