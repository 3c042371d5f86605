"""From an answer set's atoms to an :class:`~ists_asp.model.Answer`, and the only check of it.

The atoms are those that ``asp/output.lp`` shows, and for ratings ``asp/rate.lp``. Nothing is
decided here: the order of the lines is the only thing that this module adds. Whoever gets an
answer can rely on this:

- the chunks of a sentence are numbered from 1 and cover it;
- each is on exactly one line, as a whole; in the scheme of 2015 it has its side to itself;
- an alignment has both sides, one label and one score: 5 where it is EQUI, else 0 to 5;
- NOALI and ALIC have one side, and neither score nor tags;
- a rating lies within the scale and is the sum of its contributions.

Atoms that say anything else are no answer: they are refused, never mended.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar

from ists_asp import vocabulary as v
from ists_asp.errors import AnswerError
from ists_asp.model import Alignment, Answer, Chunk, Contribution, Label, Rating, Scheme, Tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ists_asp.model import Pair, Sentence
    from ists_asp.syntax.ground import Ground

Parts: TypeAlias = "tuple[Ground, ...]"  # the arguments of an atom
Link: TypeAlias = Parts  # the spans of sentence 1 and 2 that an alignment joins, as terms
# Atoms with their arguments, by the name and the arity of their predicates.
Shown: TypeAlias = "dict[tuple[str, int], list[tuple[Ground, Parts]]]"
HIGHEST = 5  # the best score, and the best rating in English
_LABELS = {str(label.lower()): label for label in Label if label.aligned}
_UNALIGNED = {str(label.lower()): label for label in Label if not label.aligned}
_TAGS = {str(tag.lower()): tag for tag in Tag}
_SCORES = {str(score): float(score) for score in range(HIGHEST + 1)}

A = TypeVar("A")

Read: TypeAlias = "Callable[[Any, Iterable[Ground], tuple[int, ...], bool], A]"
"""Reads the shown atoms of an answer set about a subject, in any order, as does
:func:`read_answer`.

It is told the value of each priority of the objective, highest first, and whether the solver proved
that no answer set is better.
"""


def read_answer(
    pair: Pair,
    atoms: Iterable[Ground],
    cost: tuple[int, ...],
    optimal: bool,
    scheme: Scheme = Scheme.Y2016,
    kept: bool = False,
) -> Answer:
    """Read the decisions for a pair, as :class:`Read` has it.

    The scheme says which answers are well formed, ``kept`` whether the answer has the atoms as
    well. Alignments are sorted by their tokens, those of sentence 2 without a counterpart last.
    """
    shown = _by_predicate(atoms)
    firsts, tokens = (_by_side(shown[name.signature]) for name in (v.FIRST, v.SPAN_TOKEN))
    sides = tuple(
        _Side(sentence, number, firsts[number], tokens[number], scheme)
        for number, sentence in (("1", pair.sent1), ("2", pair.sent2))
    )
    links = (v.ALIGNED, v.GRANTED, v.LABEL, v.SCORE, v.TAG)
    aligned, granted, labels, scores, tags = (_by_link(shown[name.signature]) for name in links)
    alignments = []
    for link, (atom,) in aligned.items():
        label = _LABELS.get(_only(atom, labels.get(link, ()), "label"))
        if label is None:
            _refuse("an alignment has no such label", labels[link], f"one of {', '.join(_LABELS)}")
        score = _SCORES.get(_only(atom, scores.get(link, ()), "score"))
        if score is None or (label is Label.EQUI and score != HIGHEST):
            expected = f"{HIGHEST}" if label is Label.EQUI else f"0 to {HIGHEST}"
            _refuse(f"a score of {label} is out of range", scores[link], expected)
        tokens1, tokens2 = (side.span(atom, span) for side, span in zip(sides, link, strict=True))
        marks = _tags(tags.get(link, ()))
        spans, grant = (str(link[0]), str(link[1])), label is Label.EQUI and link in granted
        line = Alignment(tokens1, tokens2, label, score, marks, spans=spans, granted=grant)
        alignments.append(line)
    for name, decisions in (("label", labels), ("score", scores), ("tag", tags)):
        if stray := decisions.keys() - aligned.keys():
            strays = chain.from_iterable(decisions[link] for link in sorted(stray))
            _refuse(f"a {name} is given to spans that are not aligned", strays, "aligned spans")
    for name, label in _UNALIGNED.items():
        alone = _by_side(shown[name, 2])
        for atom, (_, chunk) in alone["1"]:
            alignments.append(Alignment(sides[0].chunk(atom, chunk), (), label, None))
        for atom, (_, chunk) in alone["2"]:
            alignments.append(Alignment((), sides[1].chunk(atom, chunk), label, None))
    for side in sides:
        side.check_complete()
    alignments.sort(key=lambda line: (not line.tokens1, line.tokens1, line.tokens2))
    own = tuple(str(atom) for group in shown.values() for atom, _ in group) if kept else ()
    chunks = sides[0].chunks, sides[1].chunks
    return Answer(pair, *chunks, tuple(alignments), cost, optimal, atoms=own)


def read_rating(
    pair: Pair,
    atoms: Iterable[Ground],
    cost: tuple[int, ...],
    optimal: bool,
    highest: int = HIGHEST,
) -> Answer:
    """Read the rating of a pair, ``highest`` points at best, as an answer without lines.

    Raises:
        AnswerError: the atoms are no rating, such as two of them.
    """
    shown = _by_predicate(atoms)
    ratings = [atom for atom, _ in shown[v.RATING.signature]]
    if len(ratings) != 1:
        _refuse(f"there are {len(ratings)} ratings", ratings, "one, as asp/rate.lp derives it")
    rating = _integer(ratings[0], ratings[0].arguments[0])
    if not 0 <= rating <= 1000 * highest:
        _refuse("the rating is not on the scale", ratings, f"0 to {1000 * highest} thousandths")
    parts = [
        Contribution(str(name), _integer(atom, value))
        for atom, (name, value) in shown[v.CONTRIBUTION.signature]
    ]
    if sum(part.thousandths for part in parts) != rating:
        _refuse("the rating is not the sum of its contributions", ratings, "their sum")
    parts.sort(key=lambda part: (-abs(part.thousandths), part.name))
    margins = [_integer(atom, margin) for atom, (margin, *_) in shown[v.MARGIN.signature]]
    return Answer(pair, (), (), (), cost, optimal, Rating(rating, tuple(parts), *margins[:1]))


class _Side:
    """A sentence of the pair: its chunks, the tokens of its spans, and what is on a line."""

    def __init__(
        self,
        sentence: Sentence,
        number: str,
        firsts: Sequence[tuple[Ground, Parts]],
        tokens: Sequence[tuple[Ground, Parts]],
        scheme: Scheme,
    ) -> None:
        size = len(sentence.tokens)
        starts = sorted(
            (_integer(atom, chunk), _integer(atom, begin), atom)
            for atom, (_, chunk, begin) in firsts
        )
        self._firsts = [atom for _, _, atom in starts]
        begins = [begin for _, begin, _ in starts]
        ends = [begin - 1 for begin in begins[1:]] + [size]
        numbered = [chunk for chunk, _, _ in starts] == list(range(1, len(starts) + 1))
        if not numbered or begins[:1] != [1] or any(map(int.__gt__, begins, ends)):
            expected = f"chunks numbered from 1, in the order of its {size} tokens"
            _refuse(f"the chunks do not cover sentence {number}", self._firsts, expected)
        self.chunks = tuple(map(Chunk, begins, ends))
        self._one_to_one = scheme is Scheme.Y2015
        self._chunk_of = [place for place, chunk in enumerate(self.chunks) for _ in chunk.tokens]
        self._users: list[Ground | None] = [None] * len(self.chunks)
        self._spans: dict[str, list[int]] = defaultdict(list)
        self._tokens = tokens
        indices = {str(token): token for token in range(1, size + 1)}
        for atom, (_, span, token) in tokens:
            if token not in indices:
                _refuse(f"sentence {number} has no such token", [atom], f"1 to {size}")
            self._spans[span].append(indices[token])

    def span(self, atom: Ground, span: Ground) -> tuple[int, ...]:
        """The tokens of a span that an atom aligns: whole chunks that are on no other line."""
        tokens = tuple(sorted(self._spans.get(span, ())))
        places = {self._chunk_of[token - 1] for token in tokens}
        if not places or len(tokens) != sum(len(self.chunks[place].tokens) for place in places):
            made_of = (made for made, parts in self._tokens if parts[1] == span)
            _refuse("an aligned span is not made of chunks", [*made_of, atom], "whole chunks")
        if self._one_to_one and len(places) > 1:
            _refuse("an aligned span has several chunks", [atom], "one, as in the task of 2015")
        for place in places:
            self._use(atom, place)
        return tokens

    def chunk(self, atom: Ground, number: Ground) -> tuple[int, ...]:
        """The tokens of a chunk that an atom says to have no counterpart."""
        place = _integer(atom, number) - 1
        if not 0 <= place < len(self.chunks):
            _refuse("there is no such chunk", [atom], f"1 to {len(self.chunks)}")
        self._use(atom, place)
        return self.chunks[place].tokens

    def check_complete(self) -> None:
        users = zip(self._firsts, self._users, strict=True)
        if atoms := [atom for atom, user in users if user is None]:
            _refuse("a chunk is neither aligned nor NOALI nor ALIC", atoms, "one of them")

    def _use(self, atom: Ground, place: int) -> None:
        user = self._users[place]
        if user is not None:
            tokens = set(map(str, self.chunks[place].tokens))
            made_of = (made for made, parts in self._tokens if parts[2] in tokens)
            _refuse("a chunk is on two lines", [user, atom, *made_of], "one line for each chunk")
        self._users[place] = atom


def too_large(atoms: Iterable[Ground]) -> AnswerError:
    """The error for numbers that clingo cannot add up."""
    found = "arithmetic overflow: a number is too large to be added up"
    return AnswerError(found, sorted(atoms), "numbers within the limits that asp/limits.lp has")


def _by_predicate(atoms: Iterable[Ground]) -> Shown:
    """The atoms by predicate; ``-p`` is another one than ``p``. None may tell of an overflow."""
    shown: Shown = defaultdict(list)
    # A #show statement may repeat what another one shows.
    for atom in dict.fromkeys(atoms):
        arguments = atom.arguments
        shown[atom.partition("(")[0], len(arguments)].append((atom, arguments))
    if overflows := shown[v.BEYOND_LIMITS.signature]:
        raise too_large(parts[0] for _, parts in overflows)
    return shown


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
