"""What is known about one pair, fact by fact."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ists_asp.knowledge.nearness import Nearness

if TYPE_CHECKING:
    from ists_asp.knowledge.relation import Relation
    from ists_asp.knowledge.spelling import Glued, Prefixed


@dataclass(frozen=True, slots=True, order=True)
class WordClass:
    """A lemma is commonly used for something of this broad class."""

    lemma: str
    name: str


@dataclass(frozen=True, slots=True, order=True)
class VerbUsage:
    """A lemma is a verb in so many of a hundred of its uses (1 to 100)."""

    lemma: str
    percent: int


@dataclass(frozen=True, slots=True, order=True)
class Spelling:
    """Lower-cased forms of sentence 1 and 2 that are spelt alike, with 70 to 99 percent."""

    word1: str
    word2: str
    similarity: int


@dataclass(frozen=True, slots=True, order=True)
class Stem:
    """A token without its endings; see :mod:`ists_asp.knowledge.stems`."""

    sentence: int
    token: int
    stem: str


@dataclass(frozen=True, slots=True, order=True)
class Numeral:
    """The value of a token in digits; see :func:`ists_asp.knowledge.numbers.numeral`."""

    sentence: int
    token: int
    value: str


@dataclass(frozen=True, slots=True, order=True)
class Measure:
    """A token of a number and letters; see :func:`ists_asp.knowledge.numbers.measure`."""

    sentence: int
    token: int
    value: str
    unit: str


@dataclass(frozen=True, slots=True, order=True)
class Decimal:
    """A value from 1000 as a smaller one; see :func:`ists_asp.knowledge.numbers.decimal`."""

    value: str
    number: str
    zeros: int


@dataclass(frozen=True, slots=True, order=True)
class Acronym:
    """A token written like an acronym, and its letters in lower case."""

    sentence: int
    token: int
    letters: str


@dataclass(frozen=True, slots=True, order=True)
class Initials:
    """Tokens ``first`` to ``last`` have the initials that an acronym of the other sentence is."""

    sentence: int
    first: int
    last: int
    letters: str


@dataclass(frozen=True, slots=True, order=True)
class Multiword:
    """Tokens ``first`` to ``last`` are one entry of the lexicon, a lemma with blanks."""

    sentence: int
    first: int
    last: int
    lemma: str


@dataclass(frozen=True, slots=True)
class PairKnowledge:
    """What is known about one pair; every tuple is sorted, lemmas are lower-cased.

    Relations and classes speak of lemmas, also of those of ``multiwords``; they do not
    repeat that a lemma equals itself. ``nearness`` compares words by their vectors;
    it is empty where there are none.
    """

    relations: tuple[Relation, ...] = ()
    classes: tuple[WordClass, ...] = ()
    verbs: tuple[VerbUsage, ...] = ()
    spellings: tuple[Spelling, ...] = ()
    stems: tuple[Stem, ...] = ()
    glued: tuple[Glued, ...] = ()
    prefixed: tuple[Prefixed, ...] = ()
    numerals: tuple[Numeral, ...] = ()
    measures: tuple[Measure, ...] = ()
    decimals: tuple[Decimal, ...] = ()
    acronyms: tuple[Acronym, ...] = ()
    initials: tuple[Initials, ...] = ()
    multiwords: tuple[Multiword, ...] = ()
    shared_letters: int = 0
    nearness: Nearness = field(default_factory=Nearness)
