"""Knowledge of the words of a pair, as facts: meanings, nearness, spelling and numbers.

Facts are about the pair's own words, in a fixed order. Lexicon and vectors open on first use.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ists_asp.knowledge import words
from ists_asp.knowledge.words import Phrases
from ists_asp.lang import language
from ists_asp.model import Pair, Sentence
from ists_asp.resources import Closing, data_dir
from ists_asp.syntax.ground import quoted
from ists_asp.vocabulary import fact

if TYPE_CHECKING:
    from ists_asp.knowledge.lexicon import Lexicon, Thesaurus
    from ists_asp.knowledge.vectors import Vectors

# ONNX Runtime would tell its maker what it is used for, and keep a file for that: nothing here
# asks anything of a network. It looks when it is imported.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

MAX_WORDS = 3  # entries of the lexicon are sought with so many tokens at most (``prime minister``)
_POS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r"}
"""The lexicon's parts of speech for the universal tags of words that it may have."""


class Knowledge(Closing):
    """The sources of knowledge; use it as a context manager, or call :meth:`close`.

    ``code`` is the language's. ``phrases`` are entries of word tables of more than one plain word.
    UsageError: there is no such language; ResourceError: lexicon or vectors are missing or damaged.
    """

    def __init__(
        self, code: str = "en", vectors_path: Path | None = None, phrases: Iterable[str] = ()
    ) -> None:
        self._language = language(code)
        lexicon = self._language.lexicon
        self._lexicon_path = data_dir() / "lexicon" / lexicon if lexicon else None
        self._vectors_path = vectors_path
        self._phrases = Phrases(phrases)
        if not all(path.is_file() for path in self._paths):
            # Opening them says what is missing.
            self.close()
            _ = self._lexicon, self._vectors

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that words are compared by: ``lexicon``, ``vectors``."""
        paths = (("lexicon", self._lexicon_path), ("vectors", self._vectors_path))
        return tuple(name for name, path in paths if path is not None)

    @property
    def key(self) -> str:
        """The identity of these sources: language, files and phrases."""
        stats = [(path.name, path.stat()) for path in self._paths]
        states = [(name, stat.st_size, stat.st_mtime_ns) for name, stat in stats]
        return f"{self._language.code} {states} {self._phrases.entries}"

    def close(self) -> None:
        """Close the lexicon; the object cannot be used afterwards."""
        if (lexicon := self.__dict__.get("_lexicon")) is not None:
            lexicon.close()

    def facts(self, pair: Pair) -> Iterator[str]:
        """Facts about the words of an annotated pair, in a fixed order: atoms as text.

        Relations and classes are looked up for content words and multiword entries, but for tokens
        of at most :data:`~ists_asp.limits.LONGEST_WORD` characters only.
        """
        pair = words.within_limits(pair)
        sentences = pair.sentences
        entries = [self._multiwords(sentence) for sentence in sentences]
        lemmas1, lemmas2 = map(_lemmas, sentences, entries)
        forms1, forms2 = ([words.plain_form(token) for token in side.tokens] for side in sentences)
        bare1, bare2 = ([words.unpunctuated(token) for token in side.tokens] for side in sentences)
        if self._lexicon is not None:
            yield from self._lexicon.facts(lemmas1, lemmas2)
        yield from words.spellings(forms1, forms2, self._language.plain)
        if (stem := self._language.stem) is not None:
            yield from (*words.stems(1, forms1, stem), *words.stems(2, forms2, stem))
        if self._language.has_endings:
            yield from words.endings((*forms1, *forms2, *(lemma for lemma, _ in lemmas1 | lemmas2)))
        yield from words.shared_letters(bare1, bare2)
        yield from words.glued(forms1, forms2)
        sides = ((forms1, lemmas1), (forms2, lemmas2))
        yield from words.prefixed(*({*forms, *dict(lemmas)} for forms, lemmas in sides))
        yield from words.numbers(pair, self._language.digits)
        yield from words.acronyms(forms1, forms2)
        for number, (sentence, side) in enumerate(zip(sentences, entries, strict=True), 1):
            joined, split = self._phrases.find(sentence.tokens)
            for first, last, entry in sorted({*joined, *side}):
                yield fact("multiword", number, first, last, quoted(entry))
            for first, rest, last, entry in split:
                yield fact("split_multiword", number, first, rest, last, quoted(entry))
        if self._vectors is not None:
            yield from self._vectors.facts(bare1, bare2, pair)

    @property
    def _paths(self) -> list[Path]:
        return [path for path in (self._lexicon_path, self._vectors_path) if path is not None]

    @cached_property
    def _lexicon(self) -> Lexicon | Thesaurus | None:
        from ists_asp.knowledge.lexicon import Lexicon, Thesaurus

        form = Thesaurus if self._language.thesaurus else Lexicon
        return None if self._lexicon_path is None else form(self._lexicon_path)

    @cached_property
    def _vectors(self) -> Vectors | None:
        # It takes NumPy, a tenth of a second.
        from ists_asp.knowledge.vectors import Vectors

        return None if self._vectors_path is None else Vectors(self._vectors_path)

    def _multiwords(self, sentence: Sentence) -> list[tuple[int, int, str]]:
        """First and last token of each multiword entry, by form or last lemma, and the entry."""
        tokens, lexicon = sentence.tokens, self._lexicon or ()
        plain = [words.plain_form(token).lower() for token in tokens]
        entries = []
        for start in range(len(tokens) - 1):
            for end in range(start + 1, min(start + MAX_WORDS, len(tokens))):
                if words.plain_form(tokens[end - 1]) != tokens[end - 1].form:
                    break
                before = " ".join(plain[start:end])
                ends = [plain[end], *(word.lemma.lower() for word in tokens[end].words[:1])]
                matches = (lemma for last in ends if (lemma := f"{before} {last}") in lexicon)
                entries += [(start + 1, end + 1, lemma) for lemma in islice(matches, 1)]
        return entries


def _lemmas(sentence: Sentence, entries: list[tuple[int, int, str]]) -> set[tuple[str, str]]:
    """Lemma and part of speech of the content words and multiword entries of a sentence."""
    single = {
        (word.lemma.lower(), _POS[word.upos])
        for token in sentence.tokens
        for word in token.words
        if word.upos in _POS
    }
    return single | {(lemma, "") for _, _, lemma in entries}
