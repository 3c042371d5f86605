"""The domain: tokens, sentences, pairs, chunks, alignments, answers.

Everything is immutable. Token and chunk numbers start at 1, as in ``.wa`` files;
sentence numbers are 1 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

HIGHEST = 5  # the best score, and the best rating in English

Subject: TypeAlias = "Pair | Answer"
"""The subject of a decision."""


class Label(StrEnum):
    """The alignment types of SemEval-2016 Task 2, and ALIC of the 2015 pilot."""

    EQUI = "EQUI"
    OPPO = "OPPO"
    SPE1 = "SPE1"
    SPE2 = "SPE2"
    SIMI = "SIMI"
    REL = "REL"
    NOALI = "NOALI"
    ALIC = "ALIC"

    @property
    def aligned(self) -> bool:
        """Whether a chunk with this label has a counterpart on its line."""
        return self not in (Label.NOALI, Label.ALIC)


class Scheme(StrEnum):
    """The year of the task: 2016, or the one-to-one pilot of 2015 with ALIC and its own scorer."""

    Y2016 = "2016"
    Y2015 = "2015"


class Tag(StrEnum):
    """Optional marks on an alignment: factuality or polarity differs."""

    FACT = "FACT"
    POL = "POL"


@dataclass(frozen=True, slots=True)
class Word:
    """A word or punctuation mark, with the tagger's annotation.

    A whitespace token has one word or several (``connected.`` is ``connected`` and ``.``).
    ``upos`` and ``xpos`` are the tags as Stanza writes them (``NOUN``, ``NNS``).
    """

    form: str
    lemma: str
    upos: str
    xpos: str

    # Millions are sent to workers: the pickles of dataclasses with slots take five times as long.
    def __reduce__(self) -> tuple[type[Word], tuple[str, str, str, str]]:
        return Word, (self.form, self.lemma, self.upos, self.xpos)


APOSTROPHES = dict.fromkeys("‘’‚‛`´ʼ′＇ˋˊʽ", "'")
_STRAIGHT = str.maketrans(APOSTROPHES)


def straight(form: str) -> str:
    """A word as words are compared: its apostrophes are straight; marks stay as they are."""
    return form.translate(_STRAIGHT) if any(map(str.isalnum, form)) else form


@dataclass(frozen=True, slots=True)
class Token:
    """A token that ``.wa`` files count: ``index`` from 1, ``form`` as in the input.

    ``words`` is empty until the sentence has been annotated. ``glued`` says that text has no blank
    before it, as before a comma.
    """

    index: int
    form: str
    words: tuple[Word, ...] = ()
    glued: bool = False

    def __reduce__(self) -> tuple[type[Token], tuple[int, str, tuple[Word, ...], bool]]:
        return Token, (self.index, self.form, self.words, self.glued)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of tokens, ``first`` to ``last`` inclusive.

    ``line`` is the number, from 1, of the alignment that it belongs to where these are given, 0
    where it belongs to none.
    """

    first: int
    last: int
    line: int | None = None

    def __reduce__(self) -> tuple[type[Chunk], tuple[int, int, int | None]]:
        return Chunk, (self.first, self.last, self.line)

    @property
    def tokens(self) -> tuple[int, ...]:
        """The token numbers, ascending."""
        return tuple(range(self.first, self.last + 1))


@dataclass(frozen=True, slots=True)
class Sentence:
    """A tokenised sentence; ``chunks`` is None where they are still to be found."""

    tokens: tuple[Token, ...]
    chunks: tuple[Chunk, ...] | None = None

    @property
    def text(self) -> str:
        """The sentence as it was written; what its tokens are is in :attr:`spaced`."""
        return self.words(tuple(range(1, len(self.tokens) + 1)))

    @property
    def spaced(self) -> str:
        """The tokens' forms, separated by one blank."""
        return " ".join(token.form for token in self.tokens)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.text!r}>"

    def words(self, numbers: tuple[int, ...], gap: str = "") -> str:
        """The tokens as they were written, with ``gap`` between those that are no neighbours."""
        text = ""
        for place, number in enumerate(numbers):
            token = self.tokens[number - 1]
            near = place and numbers[place - 1] == number - 1
            blank = f" {gap} " if gap and not near else " "
            text += ("" if near and token.glued else blank) * bool(place) + token.form
        return text


class Text(Sentence):
    """A sentence as people write it: its tokens are no more than what blanks separate."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences to compare; ``id`` is the ``sentence id`` of the ``.wa`` file."""

    id: str
    sent1: Sentence
    sent2: Sentence

    @property
    def sentences(self) -> tuple[Sentence, Sentence]:
        """Both sentences."""
        return self.sent1, self.sent2

    @property
    def sizes(self) -> tuple[int, int]:
        """How many tokens the sentences have; alignments of others are about other sentences."""
        return len(self.sent1.tokens), len(self.sent2.tokens)

    def as_text(self) -> Pair:
        """The pair as text, which has no tokens yet; unchanged if it has chunks."""
        chunked = any(side.chunks is not None for side in self.sentences)
        return self if chunked else Pair(self.id, *(Text(side.tokens) for side in self.sentences))

    def with_chunks(
        self, chunks1: tuple[Chunk, ...] | None, chunks2: tuple[Chunk, ...] | None
    ) -> Pair:
        """The pair with other chunks."""
        sent1, sent2 = replace(self.sent1, chunks=chunks1), replace(self.sent2, chunks=chunks2)
        return Pair(self.id, sent1, sent2)


@dataclass(frozen=True, slots=True)
class Confidence:
    """Probabilities that people decide as a line does, from 0 to 1.

    ``alignment``: that they align just these tokens, or leave the chunk of a one-sided line
    unaligned. ``label`` and ``score``: that they choose these, given the alignment, or None.
    """

    alignment: float | None
    label: float | None = None
    score: float | None = None

    @property
    def line(self) -> float | None:
        """How probable it is that alignment and label are right; None if either is unknown."""
        if self.alignment is None:
            return None
        return self.alignment if self.label is None else self.alignment * self.label


@dataclass(frozen=True, slots=True)
class Alignment:
    """One line of a ``.wa`` alignment section.

    ``tokens1`` and ``tokens2`` are token numbers; an empty side is *not aligned* (``0``). ``score``
    is None for ``NIL``. Lines are compared without the rest: ``confidence``, where the rules have a
    table for it; ``spans``, the rules' terms for the two sides; and ``granted``, whether a licence
    that is not shipped makes them EQUI.
    """

    tokens1: tuple[int, ...]
    tokens2: tuple[int, ...]
    label: Label
    score: float | None
    tags: frozenset[Tag] = frozenset()
    confidence: Confidence | None = field(default=None, compare=False)
    spans: tuple[str, str] | None = field(default=None, compare=False, repr=False)
    granted: bool = field(default=False, compare=False, repr=False)

    @property
    def sides(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The tokens of both sides."""
        return self.tokens1, self.tokens2

    @property
    def doubts(self) -> tuple[bool, bool]:
        """Whether its alignment, and its label, are more likely wrong than right."""
        confidence = self.confidence or Confidence(None)
        shares = confidence.alignment, confidence.label
        alignment, label = (share is not None and share < 0.5 for share in shares)
        return alignment, label


@dataclass(frozen=True, slots=True)
class Contribution:
    """Thousandths that one named piece of evidence adds to a rating, or takes from it."""

    name: str
    thousandths: int

    @property
    def value(self) -> float:
        """The same in points of the scale."""
        return self.thousandths / 1000


@dataclass(frozen=True, slots=True)
class Rating:
    """How similar two sentences are as a whole: 0 to 5, in Spanish 0 to 4.

    ``thousandths`` is the sum of the contributions, which are sorted, the largest first. Two of
    three pairs rated like this one were rated by people within ``margin`` thousandths of that.
    """

    thousandths: int
    contributions: tuple[Contribution, ...]
    margin: int | None = None

    @property
    def value(self) -> float:
        """The rating in points of the scale."""
        return self.thousandths / 1000

    def __repr__(self) -> str:
        return f"<Rating {self.value:.3f} of {len(self.contributions)} contributions>"

    def __str__(self) -> str:
        parts = (f"  {part.value:+.3f} {part.name}" for part in self.contributions)
        return "\n".join([f"{self.value:.3f}", *parts])


@dataclass(frozen=True, slots=True)
class Answer:
    """The decisions of the rules about a pair.

    ``chunks1`` and ``chunks2`` are given or found. ``cost`` has the value of each ``#minimize``
    priority, highest first; ``optimal`` says whether the solver proved the answer best. ``rating``
    and ``atoms``, those that rules show, are optional. ``boundaries1`` and ``boundaries2`` have for
    each token but the first the probability that the answer is right about a chunk beginning
    there; they are empty for given chunks or without a table. ``unlabelled`` are tokens of both
    sides that are unaligned only because rules forbid all labels.
    """

    pair: Pair
    chunks1: tuple[Chunk, ...]
    chunks2: tuple[Chunk, ...]
    alignments: tuple[Alignment, ...]
    cost: tuple[int, ...]
    optimal: bool
    rating: Rating | None = None
    boundaries1: tuple[float, ...] = field(default=(), compare=False)
    boundaries2: tuple[float, ...] = field(default=(), compare=False)
    atoms: tuple[str, ...] = field(default=(), compare=False)
    unlabelled: tuple[tuple[tuple[int, ...], ...], ...] = field(default=(), compare=False)

    @property
    def id(self) -> str:
        """That of its pair."""
        return self.pair.id

    @property
    def sizes(self) -> tuple[int, int]:
        """Those of its pair."""
        return self.pair.sizes

    @property
    def chunks(self) -> tuple[tuple[Chunk, ...], tuple[Chunk, ...]]:
        """The chunks of both sentences."""
        return self.chunks1, self.chunks2

    @property
    def pair_in_chunks(self) -> Pair:
        """Its pair, in the chunks that it has."""
        return self.pair.with_chunks(*self.chunks)

    def __repr__(self) -> str:
        pair = self.pair
        texts = (sentence.text for sentence in pair.sentences)
        text1, text2 = (text if len(text) <= 40 else f"{text[:39]}…" for text in texts)
        rating = "" if self.rating is None else f", rated {self.rating.value:.3f}"
        head = f"{type(self).__name__} {pair.id!r}: {text1!r} / {text2!r}"
        return f"<{head}, {len(self.alignments)} lines{rating}>"
