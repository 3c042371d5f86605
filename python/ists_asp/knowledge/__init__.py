"""What is known about the words of a pair: meanings, nearness, spelling and numbers.

Only what the pair's own words need is collected, in an order that does not vary.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from ists_asp.knowledge.acronyms import acronyms, initials
from ists_asp.knowledge.lexicon import Lexicon, Relation, pos_class
from ists_asp.knowledge.nearness import Near, Nearness, Norm, Product
from ists_asp.knowledge.numbers import decimal, from_spanish, measure, numeral
from ists_asp.knowledge.spelling import Glued, glued, shared_letters, similar_spelling
from ists_asp.knowledge.stems import stems
from ists_asp.knowledge.thesaurus import Thesaurus
from ists_asp.knowledge.vectors import Vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ists_asp.knowledge.semantic import ContextEncoder
    from ists_asp.knowledge.universal import UniversalEncoder
    from ists_asp.model import Pair, Sentence, Token

__all__ = [
    "Acronym",
    "Decimal",
    "Glued",
    "Initials",
    "Knowledge",
    "Measure",
    "Multiword",
    "Near",
    "Nearness",
    "Norm",
    "Numeral",
    "PairKnowledge",
    "Product",
    "Relation",
    "Spelling",
    "Stem",
    "VerbUsage",
    "WordClass",
]

_LEXICONS = {"en": "wordnet.sqlite", "es": "spanish.sqlite"}

MAX_WORDS = 3
"""Multiword entries are sought with so many tokens at most (``prime minister``)."""


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
    repeat that a lemma equals itself. ``nearness`` compares words by their static vectors,
    ``nearness_in_context`` by what an encoder makes of them in their sentences; both are
    empty where there are no vectors.
    """

    relations: tuple[Relation, ...] = ()
    classes: tuple[WordClass, ...] = ()
    verbs: tuple[VerbUsage, ...] = ()
    spellings: tuple[Spelling, ...] = ()
    stems: tuple[Stem, ...] = ()
    glued: tuple[Glued, ...] = ()
    numerals: tuple[Numeral, ...] = ()
    measures: tuple[Measure, ...] = ()
    decimals: tuple[Decimal, ...] = ()
    acronyms: tuple[Acronym, ...] = ()
    initials: tuple[Initials, ...] = ()
    multiwords: tuple[Multiword, ...] = ()
    shared_letters: int = 0
    nearness: Nearness = field(default_factory=Nearness)
    nearness_in_context: Nearness = field(default_factory=Nearness)


class Knowledge:
    """The sources of knowledge; use it as a context manager, or call :meth:`close`.

    Args:
        lexicon_path: the SQLite file of the lexicon; the shipped one of the language if None.
        language: code of the language. Spanish has a thesaurus for its lexicon, stems, points
            of thousands and words that differ in accents only; any other is read as English.
        vectors_path: the file of word vectors, read when the first pair needs it; words are
            not compared by vectors if None. See :func:`ists_asp.knowledge.vectors.shipped`.
        encoder: compares words in context as well; not if None.

    Raises:
        ResourceError: if the lexicon or the vectors are missing, or the lexicon is damaged.
    """

    def __init__(
        self,
        lexicon_path: Path | None = None,
        *,
        language: str = "en",
        vectors_path: Path | None = None,
        encoder: ContextEncoder | UniversalEncoder | None = None,
    ) -> None:
        if lexicon_path is None:
            # Only the default needs the data folder: a caller's own file works without it.
            from ists_asp.resources import data_dir

            lexicon_path = data_dir() / "lexicon" / _LEXICONS.get(language, _LEXICONS["en"])
        self._vectors = None if vectors_path is None else Vectors(vectors_path)
        self._encoder = encoder
        self._spanish = language == "es"
        self._lexicon = Thesaurus(lexicon_path) if self._spanish else Lexicon(lexicon_path)

    @property
    def sources(self) -> tuple[str, ...]:
        """What words are compared by: ``lexicon``, ``vectors``, ``context``."""
        return (
            "lexicon",
            *(() if self._vectors is None else ("vectors",)),
            *(() if self._encoder is None else ("context",)),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the lexicon; the object cannot be used afterwards."""
        self._lexicon.close()

    def prepare(self, pairs: Sequence[Pair]) -> None:
        """Encode the sentences of pairs together, which is faster than one by one.

        Nothing happens without an encoder, and no answer depends on it.
        """
        if self._encoder is not None:
            self._encoder.prepare([s for pair in pairs for s in (pair.sent1, pair.sent2)])

    def relations(self, pair: Pair) -> PairKnowledge:
        """Collect what is known about the words of an annotated pair.

        Relations and classes are sought for nouns, verbs, adjectives and adverbs, and for
        multiword entries.

        Raises:
            ResourceError: if the lexicon or the vectors turn out to be damaged.
        """
        multiwords = tuple(
            multiword
            for number, sentence in ((1, pair.sent1), (2, pair.sent2))
            for multiword in self._multiwords(number, sentence)
        )
        lemmas1 = _lemmas(1, pair.sent1, multiwords)
        lemmas2 = _lemmas(2, pair.sent2, multiwords)
        classes = {
            WordClass(lemma, name)
            for lemma, pos in lemmas1 | lemmas2
            for name in self._lexicon.classes(lemma, pos)
        }
        forms1 = [_plain_form(token) for token in pair.sent1.tokens]
        forms2 = [_plain_form(token) for token in pair.sent2.tokens]
        written = from_spanish if self._spanish else str
        numerals = (*_numerals(1, pair.sent1, written), *_numerals(2, pair.sent2, written))
        measures = (*_measures(1, pair.sent1, written), *_measures(2, pair.sent2, written))
        short = tuple(
            Acronym(number, *found)
            for number, forms in ((1, forms1), (2, forms2))
            for found in acronyms(forms)
        )
        return PairKnowledge(
            relations=tuple(self._lexicon.relations(lemmas1, lemmas2)),
            classes=tuple(sorted(classes)),
            verbs=self._verbs(lemmas1 | lemmas2),
            spellings=tuple(
                Spelling(*found) for found in similar_spelling(forms1, forms2, folded=self._spanish)
            ),
            stems=(*_stems(1, forms1), *_stems(2, forms2)) if self._spanish else (),
            glued=tuple(glued(forms1, forms2)),
            numerals=numerals,
            measures=measures,
            decimals=_decimals({n.value for n in numerals} | {m.value for m in measures}),
            acronyms=short,
            initials=(*_initials(1, forms1, short), *_initials(2, forms2, short)),
            multiwords=multiwords,
            shared_letters=shared_letters(*_all_spoken(pair)),
            nearness=self._nearness(pair),
            nearness_in_context=self._nearness_in_context(pair),
        )

    def _nearness(self, pair: Pair) -> Nearness:
        if self._vectors is None:
            return Nearness()
        texts1, texts2 = _all_spoken(pair)
        return Nearness.of(self._vectors.matrix(texts1), self._vectors.matrix(texts2))

    def _nearness_in_context(self, pair: Pair) -> Nearness:
        if self._encoder is None:
            return Nearness()
        encoder, sents = self._encoder, (pair.sent1, pair.sent2)
        first, second = map(encoder.matrix, sents)
        return Nearness.of(first, second, (encoder.whole(sents[0]), encoder.whole(sents[1])))

    def _verbs(self, lemmas: set[tuple[str, str]]) -> tuple[VerbUsage, ...]:
        percents = {lemma: self._lexicon.usage(lemma, "v") for lemma, _ in lemmas}
        return tuple(VerbUsage(lemma, n) for lemma, n in sorted(percents.items()) if n)

    def _multiwords(self, number: int, sentence: Sentence) -> Iterator[Multiword]:
        tokens = sentence.tokens
        for first in range(1, len(tokens)):
            for last in range(first + 1, min(first + MAX_WORDS, len(tokens) + 1)):
                run = tokens[first - 1 : last]
                lemma = self._entry_of(run)
                if lemma is not None:
                    yield Multiword(number, first, last, lemma)

    def _entry_of(self, run: tuple[Token, ...]) -> str | None:
        """The entry that these tokens make, as written or with the last word's lemma."""
        *start, end = run
        if not all(_plain_form(token) == token.form for token in start):
            return None
        before = [token.form.lower() for token in start]
        ends = [_plain_form(end).lower()]
        if end.words:
            ends.append(end.words[0].lemma.lower())
        for final in ends:
            lemma = " ".join([*before, final])
            if lemma in self._lexicon:
                return lemma
        return None


def _lemmas(
    number: int, sentence: Sentence, multiwords: tuple[Multiword, ...]
) -> set[tuple[str, str]]:
    """Lemma and part of speech of the content words and multiword entries of a sentence."""
    single = {
        (word.lemma.lower(), pos)
        for token in sentence.tokens
        for word in token.words
        if (pos := pos_class(word.upos)) is not None
    }
    return single | {(entry.lemma, "") for entry in multiwords if entry.sentence == number}


def _plain_form(token: Token) -> str:
    """The token without what was split from it, such as a full stop."""
    return token.words[0].form if token.words else token.form


def _all_spoken(pair: Pair) -> tuple[list[str], list[str]]:
    """What is spoken of the tokens of both sentences."""
    first = [_spoken(token) for token in pair.sent1.tokens]
    return first, [_spoken(token) for token in pair.sent2.tokens]


def _spoken(token: Token) -> str:
    """The token without the punctuation that was split from it; empty if it is nothing else."""
    forms = [word.form for word in token.words] or [token.form]
    return " ".join(form for form in forms if any(map(str.isalnum, form)))


def _stems(number: int, forms: Sequence[str]) -> Iterator[Stem]:
    for found in stems(forms):
        yield Stem(number, *found)


def _numerals(number: int, sentence: Sentence, written: Callable[[str], str]) -> Iterator[Numeral]:
    for token in sentence.tokens:
        value = _value(token, written)
        if value is not None:
            yield Numeral(number, token.index, value)


def _value(token: Token, written: Callable[[str], str]) -> str | None:
    """The token's value, as a whole or without the punctuation that was split from it."""
    whole = numeral(written(token.form))
    if whole is not None:
        return whole
    parts = [word.form for word in token.words if any(map(str.isalnum, word.form))]
    return numeral(written(parts[0])) if len(parts) == 1 else None


def _measures(number: int, sentence: Sentence, written: Callable[[str], str]) -> Iterator[Measure]:
    for token in sentence.tokens:
        parts = [written(word.form) for word in token.words if any(map(str.isalnum, word.form))]
        found = measure(written(token.form)) or (measure(parts[0]) if len(parts) == 1 else None)
        if found is not None:
            yield Measure(number, token.index, *found)


def _decimals(values: set[str]) -> tuple[Decimal, ...]:
    found = (Decimal(value, *decimal(value)) for value in sorted(values))
    return tuple(entry for entry in found if entry.zeros)


def _initials(number: int, forms: Sequence[str], short: tuple[Acronym, ...]) -> Iterator[Initials]:
    wanted = {entry.letters for entry in short if entry.sentence != number}
    for found in initials(forms, wanted):
        yield Initials(number, *found)
