"""From a whitespace token to the words and marks that a tagger expects, and to its spelling.

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
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate, chain, pairwise, takewhile

from ists_asp.lang import Words
from ists_asp.limits import LONGEST_WORD
from ists_asp.model import APOSTROPHES

# Marks, or runs of one mark, cut off at each end of a token; the train sets have up to 3.
MOST_MARKS = 8
UNSEEN = "_"  # the stand-in for a word that has nothing visible, for the tagger
_SHOUTED = 3  # fewer words in capitals, with nothing in small letters beside them, may be acronyms
_ACRONYM = re.compile(r"(?:[^\W\d_]{1,2}\.){2,}")
_INITIAL = re.compile(r"[^\W\d_]\.")
_DECIMAL = re.compile(r"[.,]\d")
_AMOUNT = re.compile(r"[$€£¥][.,]?\d")
_PERCENTAGE = re.compile(r".*\d%", re.DOTALL)
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
    if not any(map(str.isalnum, form)):
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
    """The tokens of a text; ``known`` are those of a tokeniser, without the blanks of the text."""
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
