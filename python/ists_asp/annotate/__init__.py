"""Stanza behind a typed adapter: tokens in, tokens with tagged words out.

Stanza, torch and the models load when an :class:`Annotator` first needs something that its cache
lacks. Memory is bounded: sentences are tagged in windows, words in batches.

``connected.`` is one token of a ``.wa`` file but two words to a tagger. :func:`cut` makes
the words; put together again they always give the token. In this order:

1. A token without a letter or digit stays whole (``--``, ``...``, ``:-)``).
2. Quotes, brackets and ``. , ; : ! ?`` are cut off at both ends; a run of one mark, or
   of ``!`` and ``?``, is one word (``...``, ``?!``). So are a currency sign before a
   digit and a percent sign after one, which the treebanks cut off too, and the dashes of
   a Spanish insertion (``-dijo-``).
3. What looks like a mark but is part of the word stays: the period of ``U.S.``, ``p.m.``,
   ``Dr.`` and of initials before another name (``W. Bush``), ``.5``, ``'90s``, ``'em``.
4. Clitics are cut off: ``do|n't``, ``it|'s``, ``should|n't|'ve``, ``can|not``.

:func:`spelling` is what the tagger is shown for a word: plain quotes and hyphens,
nothing invisible, no blank. :func:`spellings` also lowers the voice of a sentence THAT IS
ALL CAPITALS, as taggers take each of its words for a name, and makes Spanish dashes hyphens.

:func:`cut_text` makes tokens of a text, where a person would see them: the marks at the ends of
what blanks separate, and some clitics, as in the data of the task (``Anna|'s``, ``$|5.99``,
``10|%``). A tokeniser is asked only about periods (``No. 5``) and about marks within (``yes,no``);
hyphens, other apostrophes, digits, addresses, emoji, ``isn't`` and ``doesnt`` are never cut.

The words that are looked up for that are those of a language (:class:`~ists_asp.lang.Words`).
English clitics are cut as the English treebanks of Universal Dependencies cut them. Spanish ones
(``del``, ``hacerlo``) stay whole: no cut would leave two words, and the models know them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, chain, pairwise, takewhile
from pathlib import Path
from typing import TypeVar

from msgspec import ValidationError, convert

from ists_asp.annotate.stanza import Reading, StanzaAdapter, Text, find
from ists_asp.errors import DataError, shortened
from ists_asp.io.store import ANNOTATIONS, AnyStore, Memo, key_of
from ists_asp.io.text import make_sentence
from ists_asp.lang import PLURAL_ACRONYM, Words, language
from ists_asp.limits import LONGEST_WORD
from ists_asp.model import APOSTROPHES, Token, Word
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
        self.asked = False  # whether Stanza was asked: something was not stored

    def annotate(self, sentences: Sequence[Sequence[Token]]) -> list[tuple[Token, ...]]:
        """Fill in the words of every token; a DataError if Stanza loses or makes up a word.

        ``connected.`` has two words, see :func:`cut`; their forms, joined, are the token's form.
        Lemmas are lower-cased, so that a word has the same one in a headline and in a sentence. An
        empty sentence stays empty.
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
            self.asked = True
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


# Marks, or runs of one mark, cut off at each end of a token; the train sets have up to 3.
MOST_MARKS = 8
UNSEEN = "_"  # the stand-in for a word that has nothing visible, for the tagger
_SHOUTED = 3  # fewer words in capitals, with nothing in small letters beside them, may be acronyms
_ACRONYM = re.compile(r"(?:[^\W\d_]{1,2}\.){2,}")
_INITIAL = re.compile(r"[^\W\d_]\.")
_DECIMAL = re.compile(r"[.,]\d")
_AMOUNT = re.compile(r"[$€£¥][.,]?\d")
_PERCENTAGE = re.compile(r".*\d%", re.DOTALL)
_UNITS = "%‰€$£¥"  # may stand apart from their number, and marks behind them
_YEAR = re.compile(r"'\d\ds?(?!\w)")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zs", "Zl", "Zp"})

_EMOJI = (
    "[\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
    "[\u200d\u20e3\ufe0f\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\U000e0020-\U000e007f]*"
)
_SOLID = re.compile(
    rf"({_EMOJI}|^[:;=]['’]?-?[)(\]\[DPpOo/|*]+$|^<3+$"
    r"|(?:https?://|www\.)(?:\([^\s()]*\)|[^\s()<>\"“”«»])+(?<![.,;:!?'’…])"
    r"|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
)
"""Emoji, emoticons, addresses of pages and of people: what no mark in it cuts."""

_WITHIN = re.compile(r"""(?<=[^\W\d_"”»’)\]])([.:]|[,;!?…—]+|--+|\.\.+)(?=[^\W\d_"“«‘(\[¿¡])""")
_ENCLOSING = (("(", ")"), ("[", "]"), ("{", "}"))
_PRICE = re.compile(r"(?<=[$€£¥])(?=[.,]?\d)|(?<=\d)(?=[€$£¥]$)")
_RUN = re.compile(r"[!?]+|(.)\1*")

# Cut off at the front of a token, where at least one letter or digit follows.
OPENERS = frozenset("\"'`´“”„«»‘’‚‹›([{<¡¿.,;:!?…")
CLOSERS = frozenset("\"'`´“”«»‘’‹›)]}>.,;:!?…")  # cut off at the end of a token
STAND_INS = str.maketrans(
    APOSTROPHES
    | dict.fromkeys("“”„‟«»″＂", '"')
    | dict.fromkeys("‐‑‒−－", "-")
    | {"‹": "<", "›": ">", "…": "...", "ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"}
)
"""Replacements, for the tagger, of characters that its treebanks hardly have."""

BRACKETS = {
    **{"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"},
    **{"``": '"', "''": '"'},
}
"""Brackets and quotes as the Penn Treebank writes them."""


def cut(form: str, language: Words, following: str | None = None) -> tuple[str, ...]:
    """Cut a token into words."""
    if not any(sign.isalnum() or sign in _UNITS for sign in form):
        return (form,)
    front: list[str] = []
    back: list[str] = []
    while len(front) < MOST_MARKS and (width := _opening(form, language)):
        front.append(form[:width])
        form = form[width:]
    while len(back) < MOST_MARKS and (width := _closing(form, language, following)):
        back.insert(0, form[-width:])
        form, following = form[:-width], None
    return (*front, *_clitics(form, language), *back)


def cut_text(text: str, coarse: Iterable[str], language: Words) -> Iterator[str]:
    """The tokens of a text; ``coarse`` are those of a tokeniser, without the blanks of the text."""
    ends, start, pieces = set(accumulate(map(len, coarse))), 0, text.split()
    language = language.in_text
    for piece, following in zip(pieces, [*pieces[1:], None], strict=False):
        if piece.isascii() and piece.isalpha() and len(_clitics(piece, language)) == 1:
            yield piece
            start += len(piece)
            continue
        for number, part in enumerate(_SOLID.split(piece)):
            if number % 2:
                yield part
            elif part:
                last = following if piece.endswith(part) else None
                yield from _cut_piece(part, start, ends, language, last)
            start += len(part)


def _cut_piece(
    piece: str, start: int, ends: AbstractSet[int], language: Words, following: str | None
) -> Iterator[str]:
    """The tokens of a piece without blanks, which begins at ``start`` of the text."""
    bounds = [0]
    for mark in _WITHIN.finditer(piece):
        first, last = mark.span()
        ended = mark[0] != "." or (piece[first - 1].islower() and piece[last].isupper())
        if ended and ends & {start + first, start + last}:
            bounds += first, last
    for first, last in pairwise([*bounds, len(piece)]):
        part, words = piece[first:last], list[str]()
        if not set(part) <= OPENERS | CLOSERS:
            next_token = following if last == len(piece) else None
            for word in chain.from_iterable(map(_PRICE.split, cut(part, language, next_token))):
                ended = not next_token or (
                    start + first in ends and part[:-1].lower() not in language.stopped
                )
                if words and _belongs(word, words[-1], ended=ended):
                    words[-1] += word
                else:
                    words.append(word)
                first += len(word)
        yield from words or (run[0] for run in _RUN.finditer(part))


def _belongs(word: str, before: str, *, ended: bool) -> bool:
    """Whether a word that was cut off belongs to the one before: ``No.``, ``.NET``, ``dog(s)``."""
    if "." in (word, before):
        return not ended and (before + word).strip(".").isalnum()
    return any(
        (word == close and before.count(open_) > before.count(close))
        or (before == open_ and word.count(close) > word.count(open_))
        for open_, close in _ENCLOSING
    )


def spelling(word: str) -> str:
    """Return what the tagger is shown for a word: never empty, never with a blank."""
    # Signs that combine may be many: to bring them into order takes the square of their number.
    normal = unicodedata.normalize("NFC", word[: 4 * LONGEST_WORD])
    plain = BRACKETS.get(word) or normal.translate(STAND_INS)
    visible = "".join(c for c in plain if unicodedata.category(c) not in _INVISIBLE)
    return visible[:LONGEST_WORD] or UNSEEN


def spellings(words: Sequence[str], language: Words) -> list[str]:
    """Return what the tagger is shown for the words of a sentence, one for each."""
    spelt = ["-" if word in language.dashes else spelling(word) for word in words]
    for at, (before, word) in enumerate(pairwise(spelt), 1):
        if (before + word).lower() in language.contractions and f"'{word}" in language.apart:
            spelt[at] = f"'{word}"
    long = [word for word in spelt if len(word) > 1 and word.isalpha()]
    if len(long) >= _SHOUTED and all(word.isupper() for word in long):
        return [word.lower() for word in spelt]
    return spelt


def _straight(text: str) -> str:
    return text.lower().translate(STAND_INS)


def _run(text: str, position: int, step: int) -> int:
    """Return how many marks from ``position`` on, in direction ``step``, are one word."""
    marks = "!?" if text[position] in "!?" else text[position]
    return sum(1 for _ in takewhile(marks.__contains__, text[position::step]))


def _opening(text: str, language: Words) -> int:
    """Return the width of the marks to cut off at the front, 0 for none."""
    if _AMOUNT.match(text):
        return 1
    if text[0] in language.dashes:
        width = _run(text, 0, 1)
        return 0 if text[width].isdigit() else width
    if text[0] not in OPENERS or _DECIMAL.match(text):
        return 0
    straight = _straight(text)
    elided = {straight, straight.rstrip('.,;:!?")')} & language.elisions
    return 0 if straight[0] == "'" and (_YEAR.match(straight) or elided) else _run(text, 0, 1)


def _closing(text: str, language: Words, following: str | None) -> int:
    """Return the width of the marks to cut off at the end, 0 for none."""
    if _PERCENTAGE.fullmatch(text):
        return 1
    if text[-1] in language.dashes:
        return _run(text, len(text) - 1, -1)
    if text[-1] not in CLOSERS or _straight(text) in language.elisions:
        return 0
    width = _run(text, len(text) - 1, -1)
    period = text[-1] == "." and width == 1 and _keeps_period(text, language, following)
    return 0 if period else width


def _keeps_period(text: str, language: Words, following: str | None) -> bool:
    if _ACRONYM.fullmatch(text) or text[:-1].lower() in language.abbreviations:
        return True
    # "George W. Bush", but not the "bulb A." that ends a sentence.
    name_follows = following is not None and following[:1].isupper()
    return name_follows and text[0].isupper() and _INITIAL.fullmatch(text) is not None


def _clitics(text: str, language: Words) -> tuple[str, ...]:
    straight = _straight(text)
    if len(straight) != len(text) or len(text) > LONGEST_WORD:
        # A character that becomes several would shift every cut.
        return (text,)
    if (first := language.contractions.get(straight)) is not None:
        return text[:first], text[first:]
    for clitic in language.clitics:
        if straight.endswith(clitic) and len(text) > len(clitic):
            place = len(text) - len(clitic)
            return (*_clitics(text[:place], language), text[place:])
    return (text,)
