"""The sources of knowledge, opened: what they say about a pair, as facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.closing import Closing
from ists_asp.knowledge.lexicon import POS_CLASSES, Lexicon, Thesaurus
from ists_asp.knowledge.numbers import from_spanish, numbers
from ists_asp.knowledge.vectors import Vectors, nearness
from ists_asp.knowledge.words import (
    acronyms,
    glued,
    knowable,
    plain_form,
    prefixed,
    shared_letters,
    spellings,
    spoken,
    stems,
)
from ists_asp.syntax.ground import quoted
from ists_asp.vocabulary import MULTIWORD

if TYPE_CHECKING:
    from collections.abc import Iterator, Set
    from pathlib import Path

    from ists_asp.knowledge.lexicon import Lemma
    from ists_asp.model import Pair, Sentence

MAX_WORDS = 3
"""Multiword entries are sought with so many tokens at most (``prime minister``)."""


class Sources(Closing):
    """Lexicon and vectors, opened; see :class:`ists_asp.knowledge.Knowledge`.

    Raises:
        ResourceError: if the lexicon or the vectors are missing, or the lexicon is damaged.
    """

    def __init__(
        self, lexicon: Path, vectors: Path | None, phrases: Set[str], *, spanish: bool
    ) -> None:
        self._vectors = None if vectors is None else Vectors(vectors)
        self._phrases = phrases
        self._longest = max((MAX_WORDS, *(len(phrase.split()) for phrase in phrases)))
        self._spanish = spanish
        self._lexicon = Thesaurus(lexicon) if spanish else Lexicon(lexicon)

    def close(self) -> None:
        """Close the lexicon; the object cannot be used afterwards."""
        self._lexicon.close()

    def facts(self, pair: Pair) -> Iterator[str]:
        """What is known about the words of a pair: atoms of ``asp/input.lp`` as text."""
        pair = knowable(pair)
        sentences = (pair.sent1, pair.sent2)
        entries = [self._multiwords(sentence) for sentence in sentences]
        lemmas1, lemmas2 = map(_lemmas, sentences, entries)
        forms1, forms2 = ([plain_form(token) for token in side.tokens] for side in sentences)
        spoken1, spoken2 = ([spoken(token) for token in side.tokens] for side in sentences)
        yield from self._lexicon.facts(lemmas1, lemmas2)
        yield from spellings(forms1, forms2, folded=self._spanish)
        if self._spanish:
            yield from stems(1, forms1)
            yield from stems(2, forms2)
        yield from shared_letters(spoken1, spoken2)
        yield from glued(forms1, forms2)
        yield from prefixed(
            {*forms1, *(lemma for lemma, _ in lemmas1)}, {*forms2, *(lemma for lemma, _ in lemmas2)}
        )
        yield from numbers(pair, from_spanish if self._spanish else str)
        yield from acronyms(forms1, forms2)
        for number, side in enumerate(entries, 1):
            for first, last, lemma in side:
                yield MULTIWORD.text(number, first, last, quoted(lemma))
        if self._vectors is not None:
            vectors = self._vectors
            yield from nearness(vectors.matrix(spoken1), vectors.matrix(spoken2), pair)

    def _multiwords(self, sentence: Sentence) -> list[tuple[int, int, str]]:
        """First and last token of each entry of several words, and the entry.

        It may be written as it is or have the last word's lemma, and has nothing inside that was
        split from a token.
        """
        tokens = sentence.tokens
        plain = [plain_form(token).lower() for token in tokens]
        whole = [plain_form(token) == token.form for token in tokens]
        found = []
        for start in range(len(tokens) - 1):
            for end in range(start + 1, min(start + self._longest, len(tokens))):
                if not whole[end - 1]:
                    break
                before = " ".join(plain[start:end])
                short = end - start < MAX_WORDS
                ends = [plain[end], *(word.lemma.lower() for word in tokens[end].words[:1])]
                for lemma in (f"{before} {last}" for last in ends):
                    if lemma in self._phrases or (short and lemma in self._lexicon):
                        found.append((start + 1, end + 1, lemma))
                        break
        return found


def _lemmas(sentence: Sentence, entries: list[tuple[int, int, str]]) -> set[Lemma]:
    """Lemma and part of speech of the content words and multiword entries of a sentence."""
    single = {
        (word.lemma.lower(), POS_CLASSES[word.upos])
        for token in sentence.tokens
        for word in token.words
        if word.upos in POS_CLASSES
    }
    return single | {(lemma, "") for _, _, lemma in entries}
