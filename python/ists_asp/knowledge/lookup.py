"""What the sources of knowledge say about a pair, word by word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.closing import Closing
from ists_asp.knowledge.acronyms import acronyms, initials
from ists_asp.knowledge.amounts import as_decimals, find_measures, find_numerals
from ists_asp.knowledge.forms import all_spoken, knowable, plain_form
from ists_asp.knowledge.lexicon import Lexicon, pos_class
from ists_asp.knowledge.nearness import Nearness
from ists_asp.knowledge.numbers import from_spanish
from ists_asp.knowledge.pair_knowledge import (
    Acronym,
    Initials,
    Multiword,
    PairKnowledge,
    Spelling,
    Stem,
    VerbUsage,
    WordClass,
)
from ists_asp.knowledge.spelling import glued, prefixed, shared_letters, similar_spelling
from ists_asp.knowledge.stems import stems
from ists_asp.knowledge.thesaurus import Thesaurus
from ists_asp.knowledge.vectors import Vectors

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence, Set
    from pathlib import Path

    from ists_asp.model import Pair, Sentence, Token

MAX_WORDS = 3
"""Multiword entries are sought with so many tokens at most (``prime minister``)."""


class Lookup(Closing):
    """The sources, opened; use it as a context manager, or call :meth:`close`.

    Args:
        lexicon_path: the SQLite file of the lexicon.
        spanish: whether it is the Spanish thesaurus.
        vectors_path: the file of word vectors, read when the first pair needs it; None for none.
        phrases: more multiword entries, in lower case.

    Raises:
        ResourceError: if the lexicon or the vectors are missing, or the lexicon is damaged.
    """

    def __init__(
        self,
        lexicon_path: Path,
        *,
        spanish: bool,
        vectors_path: Path | None,
        phrases: Set[str],
    ) -> None:
        self._vectors = None if vectors_path is None else Vectors(vectors_path)
        self._phrases = phrases
        self._longest = max((MAX_WORDS, *(len(phrase.split()) for phrase in phrases)))
        self._spanish = spanish
        self._lexicon = Thesaurus(lexicon_path) if spanish else Lexicon(lexicon_path)

    def close(self) -> None:
        """Close the lexicon; the object cannot be used afterwards."""
        self._lexicon.close()

    def relations(self, pair: Pair) -> PairKnowledge:
        """Collect what is known about a pair; see :meth:`Knowledge.relations`."""
        pair = knowable(pair)
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
        forms1 = [plain_form(token) for token in pair.sent1.tokens]
        forms2 = [plain_form(token) for token in pair.sent2.tokens]
        written = from_spanish if self._spanish else str
        numerals = (*find_numerals(1, pair.sent1, written), *find_numerals(2, pair.sent2, written))
        measures = (*find_measures(1, pair.sent1, written), *find_measures(2, pair.sent2, written))
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
            prefixed=tuple(prefixed(_words(forms1, lemmas1), _words(forms2, lemmas2))),
            numerals=numerals,
            measures=measures,
            decimals=as_decimals({n.value for n in numerals} | {m.value for m in measures}),
            acronyms=short,
            initials=(*_initials(1, forms1, short), *_initials(2, forms2, short)),
            multiwords=multiwords,
            shared_letters=shared_letters(*all_spoken(pair)),
            nearness=self._nearness(pair),
        )

    def _nearness(self, pair: Pair) -> Nearness:
        if self._vectors is None:
            return Nearness()
        texts1, texts2 = all_spoken(pair)
        return Nearness.of(self._vectors.matrix(texts1), self._vectors.matrix(texts2))

    def _verbs(self, lemmas: set[tuple[str, str]]) -> tuple[VerbUsage, ...]:
        percents = {lemma: self._lexicon.usage(lemma, "v") for lemma, _ in lemmas}
        return tuple(VerbUsage(lemma, n) for lemma, n in sorted(percents.items()) if n)

    def _multiwords(self, number: int, sentence: Sentence) -> Iterator[Multiword]:
        tokens = sentence.tokens
        for first in range(1, len(tokens)):
            for last in range(first + 1, min(first + self._longest, len(tokens) + 1)):
                run = tokens[first - 1 : last]
                lemma = self._entry_of(run)
                if lemma is not None:
                    yield Multiword(number, first, last, lemma)

    def _entry_of(self, run: tuple[Token, ...]) -> str | None:
        """The entry that these tokens make, as written or with the last word's lemma."""
        *start, end = run
        if not all(plain_form(token) == token.form for token in start):
            return None
        before = [token.form.lower() for token in start]
        ends = [plain_form(end).lower()]
        if end.words:
            ends.append(end.words[0].lemma.lower())
        for final in ends:
            lemma = " ".join([*before, final])
            if lemma in self._phrases or (len(run) <= MAX_WORDS and lemma in self._lexicon):
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


def _words(forms: Sequence[str], lemmas: Iterable[tuple[str, str]]) -> set[str]:
    """The words of a sentence and their lemmas."""
    return {*forms, *(lemma for lemma, _ in lemmas)}


def _stems(number: int, forms: Sequence[str]) -> Iterator[Stem]:
    for found in stems(forms):
        yield Stem(number, *found)


def _initials(number: int, forms: Sequence[str], short: tuple[Acronym, ...]) -> Iterator[Initials]:
    wanted = {entry.letters for entry in short if entry.sentence != number}
    for found in initials(forms, wanted):
        yield Initials(number, *found)
