"""From an answer set's atoms to an :class:`~ists_asp.model.Answer`, and the only check of answers.

The atoms are shown by ``asp/output.lp``, for ratings by ``asp/rate.lp``. This module decides
nothing but the order of the lines. People's answers and those of files pass the same check:

- the chunks of a sentence are numbered from 1 and cover it;
- each chunk is on exactly one line, whole; in the scheme of 2015 it has its side to itself;
- an alignment has both sides, one label and one score: 5 for EQUI, else 0 to 4.9999;
- NOALI and ALIC have one side, and neither score nor tags;
- a rating is on the scale and is the sum of its contributions.

Anything else is refused, never repaired.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple, NoReturn, TypeAlias, TypeVar

from ists_asp import vocabulary as v
from ists_asp.errors import AnswerError, DataError, of_pair, shortened
from ists_asp.model import (
    HIGHEST,
    Alignment,
    Answer,
    Chunk,
    Contribution,
    Label,
    Pair,
    Rating,
    Scheme,
    Sentence,
    Tag,
)
from ists_asp.syntax.ground import Ground

Parts: TypeAlias = "tuple[Ground, ...]"  # the arguments of an atom
Link: TypeAlias = Parts  # the spans of sentence 1 and 2 that an alignment joins, as terms
# Atoms with their arguments, by the name and the arity of their predicates.
ByPredicate: TypeAlias = "dict[tuple[str, int], list[tuple[Ground, Parts]]]"
_LABELS = {str(label.lower()): label for label in Label if label.aligned}
_UNALIGNED = {str(label.lower()): label for label in Label if not label.aligned}
_TAGS = {str(tag.lower()): tag for tag in Tag}
_SCORES = {str(score): float(score) for score in range(HIGHEST + 1)}

A = TypeVar("A")

Read: TypeAlias = "Callable[[Any, Iterable[Ground], tuple[int, ...], bool], A]"
"""Reads the shown atoms of an answer set about a subject, in any order, see :func:`read_answer`.

It is told the value of each priority of the objective, highest first, and whether the solver proved
that no answer set is better.
"""


def read_answer(
    pair: Pair,
    atoms: Iterable[Ground],
    cost: tuple[int, ...],
    optimal: bool,
    scheme: Scheme = Scheme.Y2016,
    with_atoms: bool = False,
) -> Answer:
    """Read the decisions for a pair, as :class:`Read` has it; ``with_atoms`` adds the atoms.

    Alignments are sorted by their tokens, those of sentence 2 without a counterpart last.
    """
    atoms_of = _by_predicate(atoms)
    firsts, tokens = (_by_side(atoms_of[name.signature]) for name in (v.FIRST, v.SPAN_TOKEN))
    sides = tuple(
        _Side(sentence, number, firsts[number], tokens[number])
        for number, sentence in zip("12", pair.sentences, strict=True)
    )
    links = (v.ALIGNED, v.GRANTED, v.LABEL, v.SCORE, v.TAG)
    aligned, granted, labels, scores, tags = (_by_link(atoms_of[name.signature]) for name in links)
    lines: list[tuple[Alignment, Ground]] = []
    for link, (atom,) in aligned.items():
        label = _LABELS.get(_only(atom, labels.get(link, ()), "label"))
        if label is None:
            _refuse("an alignment has no such label", labels[link], f"one of {', '.join(_LABELS)}")
        score = _SCORES.get(_only(atom, scores.get(link, ()), "score"), math.nan)
        tokens1, tokens2 = (side.span(span) for side, span in zip(sides, link, strict=True))
        marks = _tags(tags.get(link, ()))
        spans, grant = (str(link[0]), str(link[1])), label is Label.EQUI and link in granted
        line = Alignment(tokens1, tokens2, label, score, marks, spans=spans, granted=grant)
        lines.append((line, atom))
    for name, decisions in (("label", labels), ("score", scores), ("tag", tags)):
        if stray := decisions.keys() - aligned.keys():
            strays = chain.from_iterable(decisions[link] for link in sorted(stray))
            _refuse(f"a {name} is given to spans that are not aligned", strays, "aligned spans")
    # Pairs without a label, of which neither side is aligned with something else.
    busy1 = {token for line, _ in lines for token in line.tokens1}
    busy2 = {token for line, _ in lines for token in line.tokens2}
    barred = (map(_Side.span, sides, link) for _, link in atoms_of[v.NO_LABEL.signature])
    free = ((x, y) for x, y in barred if busy1.isdisjoint(x) and busy2.isdisjoint(y))
    unlabelled = tuple(sorted(free))
    for name, label in _UNALIGNED.items():
        alone = _by_side(atoms_of[name, 2])
        for atom, (_, chunk) in alone["1"]:
            lines.append((Alignment(sides[0].chunk(atom, chunk), (), label, None), atom))
        for atom, (_, chunk) in alone["2"]:
            lines.append((Alignment((), sides[1].chunk(atom, chunk), label, None), atom))
    lines.sort(key=lambda line: (not line[0].tokens1, line[0].tokens1, line[0].tokens2))
    all_atoms = chain.from_iterable(atoms_of.values() if with_atoms else ())
    texts = tuple(str(atom) for atom, _ in all_atoms)
    chunks1, chunks2 = (side.chunks for side in sides)
    alignments = tuple(line for line, _ in lines)
    answer = Answer(
        pair, chunks1, chunks2, alignments, cost, optimal, atoms=texts, unlabelled=unlabelled
    )
    if (fault := _fault(answer, scheme)) is not None:
        by = [atom for line, atom in lines if any(line is other for other in fault.lines)]
        if fault.side is None:
            _refuse(fault.found, scores[by[0].arguments[:2]], fault.expected)
        _refuse(fault.found, [*by, *sides[fault.side].behind(fault.tokens)], fault.expected)
    return answer


def check_answer(answer: Answer, scheme: Scheme = Scheme.Y2016) -> Answer:
    """An answer from any source, or a rating alone; a DataError if it is none."""
    is_rating = not (answer.chunks1 or answer.chunks2 or answer.alignments)
    if not is_rating and (fault := _fault(answer, scheme)) is not None:
        lines = (f"{[*line.tokens1]} and {[*line.tokens2]}" for line in fault.lines[-1:])
        found = "".join([fault.found, *(f", tokens {shortened(line)}" for line in lines)])
        raise DataError(found, where=of_pair(answer.pair.id), expected=fault.expected)
    if answer.rating is not None and (odd := _odd_rating(answer.rating)) is not None:
        raise DataError(odd[0], where=of_pair(answer.pair.id), expected=odd[1])
    return answer


class _Fault(NamedTuple):
    """Why an answer is none: lines, and tokens of a side; without a side it is about a score."""

    found: str
    expected: str
    lines: tuple[Alignment, ...] = ()
    side: int | None = None
    tokens: tuple[int, ...] = ()


def _fault(answer: Answer, scheme: Scheme) -> _Fault | None:
    sides, chunk_of = answer.chunks, []
    for side, (chunks, size) in enumerate(zip(sides, answer.pair.sizes, strict=True)):
        places = _places(chunks, size)
        if places is None:
            found, expected = _uncovered(side + 1, size)
            return _Fault(found, expected, (), side)
        chunk_of.append(places)
    users: tuple[dict[int, Alignment], ...] = {}, {}
    for line in answer.alignments:
        label, both = line.label, line.sides
        if (odd := _odd_score(line)) is not None:
            return _Fault(f"a score of {label} is out of range", odd, (line,))
        if not label.aligned and (all(both) or not any(both) or line.tags):
            return _Fault(f"{label} is odd", "a chunk of one sentence, without tags", (line,), 0)
        for side, tokens in enumerate(both):
            if not tokens and not label.aligned:
                continue
            of_side = chunk_of[side]
            valid = all(1 <= token <= len(of_side) for token in tokens)
            places = sorted({of_side[token - 1] for token in tokens}) if valid else []
            chunk_tokens = chain.from_iterable(sides[side][place].tokens for place in places)
            if not places or tokens != tuple(chunk_tokens):
                found = "an aligned span is not made of chunks"
                return _Fault(found, "whole chunks", (line,), side, tokens)
            if len(places) > 1 and (scheme is Scheme.Y2015 or not label.aligned):
                found = "an aligned span has several chunks"
                return _Fault(found, "one, as in the task of 2015", (line,), side)
            for place in places:
                if (user := users[side].setdefault(place, line)) is not line:
                    found, tokens = "a chunk is on two lines", sides[side][place].tokens
                    return _Fault(found, "one line for each chunk", (user, line), side, tokens)
    for side, chunks in enumerate(sides):
        left = [chunk.first for place, chunk in enumerate(chunks) if place not in users[side]]
        if left:
            found = "a chunk is neither aligned nor NOALI nor ALIC"
            return _Fault(found, "one of them", (), side, tuple(left))
    return None


def _places(chunks: Sequence[Chunk], size: int) -> list[int] | None:
    """For each token the place of its chunk, if the chunks cover a sentence in their order."""
    places: list[int] = []
    for place, chunk in enumerate(chunks):
        if not len(places) + 1 == chunk.first <= chunk.last <= size:
            return None
        places += [place] * (chunk.last - chunk.first + 1)
    return places if len(places) == size else None


def _uncovered(number: int | str, size: int) -> tuple[str, str]:
    expected = f"chunks numbered from 1, in the order of its {size} tokens"
    return f"the chunks do not cover sentence {number}", expected


def _odd_score(line: Alignment) -> str | None:
    """The score that a line should have, if its own is none."""
    label, score = line.label, line.score
    if not label.aligned:
        return None if score is None else "none"
    if label is Label.EQUI:
        return None if score == HIGHEST else f"{HIGHEST}"
    # Files have four decimals.
    fits = score is not None and 0 <= score < HIGHEST - 0.00005
    return None if fits else f"0 to {HIGHEST - 0.0001:.4f}"


def read_rating(
    pair: Pair,
    atoms: Iterable[Ground],
    cost: tuple[int, ...],
    optimal: bool,
    highest: int = HIGHEST,
) -> Answer:
    """Read the rating of a pair, ``highest`` at best; an AnswerError if the atoms are none."""
    atoms_of = _by_predicate(atoms)
    ratings = [atom for atom, _ in atoms_of[v.RATING.signature]]
    if len(ratings) != 1:
        _refuse(f"there are {len(ratings)} ratings", ratings, "one, as asp/rate.lp derives it")
    parts = [
        Contribution(str(name), _integer(atom, value))
        for atom, (name, value) in atoms_of[v.CONTRIBUTION.signature]
    ]
    parts.sort(key=lambda part: (-abs(part.thousandths), part.name))
    margins = [_integer(atom, margin) for atom, (margin, *_) in atoms_of[v.MARGIN.signature]]
    value = _integer(ratings[0], ratings[0].arguments[0])
    rating = Rating(value, tuple(parts), *margins[:1])
    if (odd := _odd_rating(rating, highest)) is not None:
        _refuse(odd[0], ratings, odd[1])
    return Answer(pair, (), (), (), cost, optimal, rating)


def _odd_rating(rating: Rating, highest: int = HIGHEST) -> tuple[str, str] | None:
    """Why a rating is none, and what is expected."""
    if not 0 <= rating.thousandths <= 1000 * highest:
        return "the rating is not on the scale", f"0 to {1000 * highest} thousandths"
    if sum(part.thousandths for part in rating.contributions) != rating.thousandths:
        return "the rating is not the sum of its contributions", "their sum"
    return None


class _Side:
    """A sentence of the pair: its chunks, and the tokens of its spans."""

    def __init__(
        self,
        sentence: Sentence,
        number: str,
        firsts: Sequence[tuple[Ground, Parts]],
        tokens: Sequence[tuple[Ground, Parts]],
    ) -> None:
        size = len(sentence.tokens)
        self._starts = sorted(
            (_integer(atom, chunk), _integer(atom, begin), atom)
            for atom, (_, chunk, begin) in firsts
        )
        begins = [begin for _, begin, _ in self._starts]
        self.chunks = tuple(map(Chunk, begins, [*(begin - 1 for begin in begins[1:]), size]))
        numbered = all(chunk == place for place, (chunk, _, _) in enumerate(self._starts, 1))
        if not numbered or _places(self.chunks, size) is None:
            found, expected = _uncovered(number, size)
            _refuse(found, [atom for _, _, atom in self._starts], expected)
        self._spans: dict[str, list[int]] = defaultdict(list)
        self._tokens = tokens
        indices = {str(token): token for token in range(1, size + 1)}
        for atom, (_, span, token) in tokens:
            if token not in indices:
                _refuse(f"sentence {number} has no such token", [atom], f"1 to {size}")
            self._spans[span].append(indices[token])

    def span(self, span: Ground) -> tuple[int, ...]:
        return tuple(sorted(self._spans.get(span, ())))

    def chunk(self, atom: Ground, number: Ground) -> tuple[int, ...]:
        """The tokens of a chunk that an atom says to have no counterpart."""
        place = _integer(atom, number) - 1
        if not 0 <= place < len(self.chunks):
            _refuse("there is no such chunk", [atom], f"1 to {len(self.chunks)}")
        return self.chunks[place].tokens

    def behind(self, tokens: Sequence[int]) -> list[Ground]:
        """The atoms by which spans have tokens, and chunks begin at them."""
        names = set(map(str, tokens))
        spans = [atom for atom, (_, _, token) in self._tokens if token in names]
        return [*spans, *(atom for _, begin, atom in self._starts if begin in tokens)]


def too_large(atoms: Iterable[Ground]) -> AnswerError:
    """The error for numbers that clingo cannot add up."""
    found = "arithmetic overflow: a number is too large to be added up"
    return AnswerError(found, sorted(atoms), "numbers within the limits that asp/limits.lp has")


def _by_predicate(atoms: Iterable[Ground]) -> ByPredicate:
    """The atoms by predicate; ``-p`` is another one than ``p``. None may tell of an overflow."""
    groups: ByPredicate = defaultdict(list)
    # A #show statement may repeat what another one shows.
    for atom in dict.fromkeys(atoms):
        arguments = atom.arguments
        groups[atom.partition("(")[0], len(arguments)].append((atom, arguments))
    if overflows := groups[v.BEYOND_LIMITS.signature]:
        raise too_large(parts[0] for _, parts in overflows)
    return groups


def _by_side(atoms: Iterable[tuple[Ground, Parts]]) -> dict[str, list[tuple[Ground, Parts]]]:
    sides: dict[str, list[tuple[Ground, Parts]]] = {"1": [], "2": []}
    for atom, parts in atoms:
        if parts[0] not in sides:
            _refuse("there is something of a third sentence", [atom], "sentence 1 or 2")
        sides[parts[0]].append((atom, parts))
    return sides


def _by_link(atoms: Iterable[tuple[Ground, Parts]]) -> dict[Link, list[Ground]]:
    links: dict[Link, list[Ground]] = defaultdict(list)
    for atom, parts in atoms:
        links[parts[:2]].append(atom)
    return links


def _only(aligned: Ground, atoms: Sequence[Ground], name: str) -> Ground:
    """The value in the only atom about an alignment."""
    if len(atoms) != 1:
        values = ", ".join(sorted(atom.arguments[2] for atom in atoms))
        found = f"{len(atoms)} {name}s: {values}" if atoms else f"no {name}"
        _refuse(f"an alignment has {found}", [*atoms, aligned], f"one {name}")
    return atoms[0].arguments[2]


def _tags(atoms: Sequence[Ground]) -> frozenset[Tag]:
    names = {atom.arguments[2] for atom in atoms}
    if not _TAGS.keys() >= names:
        _refuse("an alignment has no such tag", atoms, f"one of {', '.join(_TAGS)}")
    return frozenset(map(_TAGS.__getitem__, names))


def _integer(atom: Ground, term: Ground) -> int:
    try:
        return int(term)
    except ValueError:
        _refuse("a term stands where a number belongs", [atom], "an integer")


def _refuse(found: str, atoms: Iterable[Ground], expected: str) -> NoReturn:
    raise AnswerError(found, atoms, expected)
