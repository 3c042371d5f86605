"""Stanza behind a typed adapter: tokens in, tokens with tagged words out.

Stanza, torch and the models load when an :class:`Annotator` first needs something that its cache
lacks. Memory is bounded: sentences are tagged in windows, words in batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import TypeVar

from msgspec import ValidationError, convert

from ists_asp.annotate.stanza import Reading, StanzaAdapter, Text, find
from ists_asp.annotate.subtokens import UNSEEN, cut, cut_text, spellings
from ists_asp.errors import DataError, shortened
from ists_asp.io.store import ANNOTATIONS, AnyStore, Memo, key_of
from ists_asp.io.text import make_sentence
from ists_asp.lang import PLURAL_ACRONYM, language
from ists_asp.limits import LONGEST_WORD
from ists_asp.model import Token, Word
from ists_asp.terminal import one_line

_Input = TypeVar("_Input", str, list[str])
_Output = TypeVar("_Output", str, Reading)

WINDOW = 200  # words of a window at most; longer sentences are tagged piece by piece
BATCH = 10_000  # words of a batch at most
_CONTROLS = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000)), " ")


class Annotator:
    """Tags and lemmatises tokens with Stanza, from models on disk, never over a network.

    A sentence's annotation does not depend on the others of a call, but many sentences in one call
    are ten times as fast. Models load on first use, and only for what the store lacks.
    """

    def __init__(
        self, code: str = "en", stanza_dir: Path | None = None, store: AnyStore | None = None
    ) -> None:
        self._words = language(code).words
        self.models = find(language(code).stanza or code, stanza_dir)
        self._stanza = StanzaAdapter(self.models, language(code))
        self._memo = Memo(store).of(ANNOTATIONS)

    def annotate(self, sentences: Sequence[Sequence[Token]]) -> list[tuple[Token, ...]]:
        """Fill in the words of every token; a DataError if Stanza loses or makes up a word.

        ``connected.`` has two words, see :mod:`ists_asp.annotate.subtokens`; their forms, joined,
        are the token's form. Lemmas are lower-cased, so that a word has the same one in a headline
        and in a sentence. An empty sentence stays empty.
        """
        cuts = []
        for tokens in sentences:
            forms = [token.form for token in tokens]
            followed = zip(forms, [*forms[1:], None], strict=False)
            cuts.append([cut(form, self._words, after) for form, after in followed])
        readings = self._tag([list(chain.from_iterable(parts)) for parts in cuts])
        remaining = chain.from_iterable(readings)
        return [
            tuple(
                replace(token, words=tuple(_word(form, next(remaining)) for form in forms))
                for token, forms in zip(tokens, parts, strict=True)
            )
            for tokens, parts in zip(sentences, cuts, strict=True)
        ]

    def tokenize(self, texts: Sequence[str]) -> list[tuple[Token, ...]]:
        """Cut raw texts, one sentence each, into tokens without words, by :func:`cut_text`."""
        clean = [" ".join(text.translate(_CONTROLS).split()) for text in texts]
        forms = self._stored("tokens", clean, self._tokens)
        return [
            make_sentence(list(cut_text(text, tokens, self._words)), text).tokens
            for text, tokens in zip(clean, forms, strict=True)
        ]

    def _tokens(self, texts: list[str]) -> list[list[str]]:
        cut_texts = self._stanza.tokenize("\n\n".join(texts))
        if len(cut_texts) != len(texts):
            found = f"Stanza returned {len(cut_texts)} sentences for {len(texts)} texts"
            hint = "Tokenise the texts yourself and separate the tokens by spaces"
            raise DataError(found, where=shortened(texts[0]), hint=hint)
        return [[part for form in forms for part in form.split()] for forms in cut_texts]

    def _tag(self, sentences: list[list[str]]) -> list[list[Reading]]:
        """Tag sentences of words in windows and batches; return them in their order."""
        spelt_sentences = [spellings(words, self._words) for words in sentences]
        pieces = [
            (number, spelt[start:end])
            for number, spelt in enumerate(spelt_sentences)
            for start, end in windows(spelt)
        ]
        tagged = self._stored("tags", [words for _, words in pieces], self._stanza.tag)
        result: list[list[Reading]] = [[] for _ in sentences]
        for (number, words), readings in zip(pieces, tagged, strict=True):
            if len(words) != len(readings):
                found = f"Stanza tagged {len(readings)} of {len(words)} words"
                where = f"sentence '{shortened(' '.join(sentences[number]))}'"
                hint = "Remove unusual characters from the sentence"
                raise DataError(found, where=where, hint=hint)
            result[number] += (Reading(*reading) for reading in readings)
        return result

    def _stored(
        self,
        kind: str,
        inputs: Sequence[_Input],
        ask: Callable[[list[_Input]], Sequence[Sequence[_Output]]],
    ) -> list[Sequence[_Output]]:
        """The output of Stanza for each input, stored or else in batches; nothing for nothing."""

        def ask_stanza(missing: list[_Input]) -> list[Sequence[_Output]]:
            outputs: list[Sequence[_Output]] = [()] * len(missing)
            for batch in batches(list(map(len, missing))):
                output = ask([missing[number] for number in batch])
                # Callers notice lost outputs; tuples are not stored.
                form = list if len(output) == len(batch) else tuple
                for number, value in zip(batch, output, strict=False):
                    outputs[number] = form(value)
            return outputs

        def fitting(item: _Input, output: Sequence[_Output]) -> Sequence[_Output] | None:
            return output if fits(output, item) else None

        unique = {str(item): item for item in inputs if item}
        outputs = self._memo.over(
            list(unique.values()),
            lambda item: key_of(self.key, kind, item),
            ask_stanza,
            fitting,
            fitting,
        )
        by_input = dict(zip(unique, outputs, strict=True))
        return [by_input.get(str(item), ()) for item in inputs]

    @cached_property
    def key(self) -> str:
        """The identity of the models."""
        return self.models.key


def _word(form: str, reading: Reading) -> Word:
    # The lemma of a word that the tagger saw only in part is not the word's.
    if PLURAL_ACRONYM.fullmatch(form):
        return Word(form, form[:-1].lower(), reading.upos, reading.xpos)
    lemma = form if reading.lemma == UNSEEN or len(form) > LONGEST_WORD else reading.lemma
    return Word(form, lemma.lower(), reading.upos, reading.xpos)


def windows(words: Sequence[str]) -> list[tuple[int, int]]:
    """Cut a sentence into windows ``[start, end)`` of :data:`WINDOW` words, best after a mark."""
    bounds = [0]
    while len(words) - bounds[-1] > WINDOW:
        full = bounds[-1] + WINDOW
        ends = range(full, full - WINDOW // 2, -1)
        bounds.append(next((e for e in ends if not any(map(str.isalnum, words[e - 1]))), full))
    return list(pairwise([*bounds, len(words)] if words else bounds))


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Group positions by length, longest first, into batches of at most :data:`BATCH` words."""
    batch: list[int] = []
    total = 0
    for position in sorted(range(len(lengths)), key=lambda position: -lengths[position]):
        if batch and total + lengths[position] > BATCH:
            yield batch
            batch, total = [], 0
        batch.append(position)
        total += lengths[position]
    if batch:
        yield batch


def fits(value: object, source: str | list[str]) -> bool:
    """Whether a value can be Stanza's tokens of a text, or lemma and tags of each word."""
    if not isinstance(value, list):
        return False
    with suppress(ValidationError):
        if isinstance(source, str):
            return "".join(convert(value, list[Text])) == source.replace(" ", "")
        lemmas = [reading.lemma for reading in convert(value, list[Reading])]
        return len(lemmas) == len(source) and list(map(one_line, lemmas)) == lemmas
    return False
