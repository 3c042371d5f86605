"""The domain: tokens, sentences, pairs, chunks, alignments, answers.

Everything is immutable. Token and chunk numbers start at 1, as in ``.wa`` files;
sentence numbers are 1 and 2.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from ists_asp.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ists_asp.trace import Trace
    from ists_asp.trace.answers import Why
    from ists_asp.trace.refusals import WhyNot

__all__ = [
    "Alignment",
    "Answer",
    "Chunk",
    "Contribution",
    "Label",
    "Pair",
    "Rating",
    "Scheme",
    "Sentence",
    "Tag",
    "Token",
    "Word",
]


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
    """The task of which year: that of 2016, or the one-to-one pilot of 2015 with ALIC.

    It decides which answers are well formed and which official scorer measures them.
    """

    Y2016 = "2016"
    Y2015 = "2015"


class Tag(StrEnum):
    """Optional marks on an alignment: factuality or polarity differs."""

    FACT = "FACT"
    POL = "POL"


@dataclass(frozen=True, slots=True)
class Word:
    """What the tagger saw: one word or punctuation mark, with its annotation.

    A whitespace token has one word or several (``connected.`` is ``connected`` and ``.``).
    ``upos`` and ``xpos`` are the tags as Stanza writes them (``NOUN``, ``NNS``).
    """

    form: str
    lemma: str
    upos: str
    xpos: str


@dataclass(frozen=True, slots=True)
class Token:
    """A token that ``.wa`` files count: ``index`` from 1, ``form`` as in the input.

    ``words`` is empty until the sentence has been annotated.
    """

    index: int
    form: str
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of tokens, ``first`` to ``last`` inclusive."""

    first: int
    last: int

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
        """The tokens' forms, separated by one blank."""
        return " ".join(token.form for token in self.tokens)

    def words(self, numbers: tuple[int, ...]) -> str:
        """The forms of the tokens with these numbers, separated by one blank."""
        return " ".join(self.tokens[number - 1].form for number in numbers)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences to compare; ``id`` is the ``sentence id`` of the ``.wa`` file."""

    id: str
    sent1: Sentence
    sent2: Sentence


@dataclass(frozen=True, slots=True)
class Alignment:
    """One line of a ``.wa`` alignment section.

    ``tokens1`` and ``tokens2`` are token numbers; an empty side means *not aligned*
    (written ``0``). ``score`` is None where the file has ``NIL``.
    """

    tokens1: tuple[int, ...]
    tokens2: tuple[int, ...]
    label: Label
    score: float | None
    tags: frozenset[Tag] = frozenset()


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one named piece of evidence adds to a rating, or takes from it, in thousandths."""

    name: str
    thousandths: int

    @property
    def value(self) -> float:
        """The same in points of the scale."""
        return self.thousandths / 1000


@dataclass(frozen=True, slots=True)
class Rating:
    """How similar two sentences are as a whole: 0 to 5, in Spanish 0 to 4.

    ``thousandths`` is the sum of the contributions, which are sorted, the largest first.
    """

    thousandths: int
    contributions: tuple[Contribution, ...]

    @property
    def value(self) -> float:
        """The rating in points of the scale."""
        return self.thousandths / 1000


@dataclass(frozen=True, slots=True)
class Answer:
    """What the rules decided for a pair.

    ``cost`` has the value of each ``#minimize`` priority of the answer set, highest
    priority first; ``optimal`` says whether the solver proved that none is better.
    ``chunks1`` and ``chunks2`` are the chunks of both sentences, given or found. ``rating`` is
    there if it was asked for.

    ``tracing`` makes the trace of the answer. The best answer of a pair has it as long as its
    :class:`~ists_asp.engine.System` is open: ask :meth:`why` and :meth:`why_not`. The first
    question traces the answer, and the answer then holds the trace in memory.
    """

    pair: Pair
    chunks1: tuple[Chunk, ...]
    chunks2: tuple[Chunk, ...]
    alignments: tuple[Alignment, ...]
    cost: tuple[int, ...]
    optimal: bool
    rating: Rating | None = None
    tracing: Callable[[], Trace] | None = field(default=None, compare=False, repr=False)

    def trace(self) -> Trace:
        """Which rules fired for this answer, for which words, with what weights.

        Raises:
            UsageError: nothing can trace the answer: it is not the best of its pair, was not
                made by a system, comes from another process, or its system is closed.
            RuleError: a rule cannot be traced.
        """
        if self.tracing is None:
            raise UsageError(
                "this answer cannot be traced",
                where=f"pair {self.pair.id}",
                expected="the best answer that an open system gave",
                hint="Ask the answer of system.solve(sentence1, sentence2)",
            )
        return self.tracing()

    def why(self, decision: str) -> Why:
        """Why a decision of the answer was taken; see :meth:`ists_asp.trace.Trace.why`.

        Args:
            decision: as a line of a ``.wa`` file, ``"4 5 <==> 3 4"``, with label and score or
                without, a chunk, ``"1: 3 4 5"``, or ``"rating"``.

        Raises:
            UsageError: it is malformed, the answer has no such decision, or the answer cannot
                be traced, see :meth:`trace`.
        """
        return self.trace().why(decision)

    def why_not(self, decision: str) -> WhyNot:
        """Why a decision was not taken; see :meth:`ists_asp.trace.Trace.why_not`.

        Args:
            decision: as for :meth:`why`.

        Raises:
            UsageError: it is malformed, the answer has the decision, or the answer cannot be
                traced, see :meth:`trace`.
            TimeLimitError: there was no answer with it within the time limit.
        """
        return self.trace().why_not(decision)

    def _repr_html_(self) -> str:
        """The answer as a picture: how notebooks show it."""
        # The domain imports nothing that shows it until somebody looks.
        from ists_asp.report.picture import static_picture

        return static_picture(self)
