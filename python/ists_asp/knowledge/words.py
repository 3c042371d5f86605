"""Words as they are written: spelling, prefixes, acronyms, stems.

Each function gives atoms of ``asp/input.lp`` as text, in a fixed order; tokens count from 1.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from typing import TypeAlias
from unicodedata import normalize, numeric

from ists_asp import vocabulary as v
from ists_asp.lang import PLURAL_ACRONYM
from ists_asp.limits import LONGEST_WORD
from ists_asp.model import Pair, Token, Word, straight
from ists_asp.syntax.ground import quoted

_UNKNOWN = "_"  # stands for a word that nothing is known about: it has no letters and no digits
MIN_LETTERS = 4  # shorter words resemble each other, and shorter stems are shared, by chance
# Pairs below this are left out; what a higher value is worth is for the rules to say.
MIN_SIMILARITY = 70
MIN_REST = 3  # a word that a prefix stands before has so many letters at least
MAX_PREFIX = 4  # a prefix has so many letters at most: `non-` has four
MAX_ACRONYM = 6  # longer words in capitals are shouted
MAX_JOINT = 3  # longer words are more than what joins others
MAX_PARTS = 3  # a word that is written otherwise has so many tokens at most
MAX_BETWEEN = 6  # so many tokens at most stand between the first word of a phrase and the others
MAX_PIECES = 4  # so many tokens at most are a word of a phrase that the tokeniser cuts
_SPLIT_OFF = frozenset({"PRON", "DET"})

_Ways: TypeAlias = "dict[str, tuple[int, bool]]"
"""What is written from a token on: how many tokens that takes, and whether more may follow."""
_DOTTED = re.compile(r"(?:[^\W\d_]\.){2,}[^\W\d_]?|[^\W\d_]\.[^\W\d_]")
_MARKS = re.compile(r"[-.‐‑]")


def within_limits(pair: Pair) -> Pair:
    """The pair with a stand-in for each token of more than ``LONGEST_WORD`` characters.

    No lexicon has such a token, and comparing its letters takes too long; rules see its form. Nor
    has one apostrophes that are not straight.
    """
    sides = (replace(side, tokens=tuple(map(_looked_up, side.tokens))) for side in pair.sentences)
    return Pair(pair.id, *sides)


def _looked_up(token: Token) -> Token:
    if len(token.form) > LONGEST_WORD:
        return Token(token.index, _UNKNOWN, (Word(_UNKNOWN, _UNKNOWN, "X", _UNKNOWN),))
    if (form := straight(token.form)) == token.form:
        return token
    words = tuple(replace(word, form=straight(word.form)) for word in token.words)
    return replace(token, form=form, words=words)


def plain_form(token: Token) -> str:
    """The token without what was split from it, such as a full stop."""
    return token.words[0].form if token.words else token.form


def unpunctuated(token: Token) -> str:
    """The token without the punctuation that was split from it; empty if it is nothing else."""
    forms = [word.form for word in token.words] or [token.form]
    return " ".join(form for form in forms if any(map(str.isalnum, form)))


def spellings(
    words1: Iterable[str], words2: Iterable[str], plain: Callable[[str], str] = str
) -> Iterator[str]:
    """Different words of the two sentences that are spelt alike, in lower case.

    They are alphabetic, have :data:`MIN_LETTERS`, and as ``plain`` words :data:`MIN_SIMILARITY`.
    """

    def plainly(words: Iterable[str]) -> list[tuple[str, str]]:
        lower = {word.lower() for word in words if len(word) >= MIN_LETTERS and word.isalpha()}
        return [(word, plain(word)) for word in sorted(lower)]

    for (word1, plain1), (word2, plain2) in product(plainly(words1), plainly(words2)):
        alike = 0 if word1 == word2 else similarity(plain1, plain2, MIN_SIMILARITY)
        if alike >= MIN_SIMILARITY:
            yield v.fact("spelling", quoted(word1), quoted(word2), alike)


def similarity(word1: str, word2: str, least: int = 0) -> int:
    """How alike two words are spelt, from 0 to 100, ignoring case.

    ``100 * (1 - d / length of the longer)``, rounded down, where ``d`` is the Damerau-Levenshtein
    distance in its optimal string alignment form: insertions, deletions, substitutions and swaps of
    neighbouring letters. Unlike the ratio of :mod:`difflib`, it is symmetric and counts each slip
    of a typist once. Below ``least`` the value is not exact.
    """
    first, second = word1.lower(), word2.lower()
    longest = max(len(first), len(second))
    if not longest:
        return 100
    edits = _edits()(first, second, score_cutoff=longest * (100 - least) // 100)
    return 100 * (longest - edits) // longest


@cache
def _edits() -> Callable[..., int]:
    # Explanations, which look at how words are written only, do without the library.
    from rapidfuzz.distance import OSA

    return OSA.distance


def shared_letters(words1: Iterable[str], words2: Iterable[str]) -> Iterator[str]:
    """How alike two sentences are written, from 1 to 1000; no fact for 0.

    Dice's coefficient of the runs of three letters, including the blanks between words and at both
    ends, ignoring case. It tolerates typing errors, endings and compounds.
    """
    runs1, runs2 = _trigrams(words1), _trigrams(words2)
    share = 2000 * (runs1 & runs2).total() // max(1, runs1.total() + runs2.total())
    if share:
        yield v.fact("letters_shared", share)


def _trigrams(words: Iterable[str]) -> Counter[str]:
    text = f" {' '.join(words).lower()} "
    return Counter(text[start : start + 3] for start in range(len(text) - 2))


def glued(words1: Sequence[str], words2: Sequence[str]) -> list[str]:
    """Words in letters that are two neighbours of the other sentence, joined: ``thebulb``."""
    facts = []
    for sentence, words, others in ((1, words1, words2), (2, words2, words1)):
        neighbours = [(token, word) for token, word in enumerate(others, 1) if word != "-"]
        joined = defaultdict(list)
        for (first, left), (_, right) in pairwise(neighbours):
            if left.isalpha() and right.isalpha():
                joined[(left + right).lower()].append(first)
        for token, word in enumerate(words, 1):
            facts += [v.fact("glued", sentence, token, at) for at in joined.get(word.lower(), ())]
    return facts


def prefixed(words1: Iterable[str], words2: Iterable[str]) -> list[str]:
    """The words of either sentence that are a word of the other with letters before it.

    A prefix has 1 to :data:`MAX_PREFIX` letters, the other word at least :data:`MIN_REST`.
    """
    sides = ({word.lower() for word in words1}, {word.lower() for word in words2})
    matches = {
        (word, word[cut:], word[:cut])
        for longer, shorter in (sides, sides[::-1])
        for word in longer
        for cut in range(1, min(MAX_PREFIX, len(word) - MIN_REST) + 1)
        if word[cut:] in shorter
    }
    return [v.fact("prefixed", *map(quoted, match)) for match in sorted(matches)]


def acronyms(words1: Sequence[str], words2: Sequence[str]) -> Iterator[str]:
    """The acronyms of both sentences, then the words whose initials are one of the other's."""
    sides = [_acronyms(words) for words in (words1, words2)]
    for sentence, side in enumerate(sides, 1):
        for token, letters in side.items():
            yield v.fact("acronym", sentence, token, quoted(letters))
    for sentence, words, others in ((1, words1, sides[1]), (2, words2, sides[0])):
        for first, last, letters in initials(words, {*others.values()}):
            yield v.fact("initials", sentence, first, last, quoted(letters))


def _acronyms(words: Sequence[str]) -> dict[int, str]:
    """Letters by token; none in several in capitals, where nothing tells them from other words."""
    if len(words) > 1 and not any(letter.islower() for word in words for letter in word):
        return {}
    return {number: letters for number, word in enumerate(words, 1) if (letters := acronym(word))}


def acronym(word: str) -> str | None:
    """The letters, in lower case, of a word that is written like an acronym, or None.

    It has 2 to 6 letters, begins with a capital and has at least two (``UN``, ``BoE``), or has a
    full stop after each letter (``U.N.``, ``p.m.``). A plural ending (``GPs``) does not count.
    """
    if _DOTTED.fullmatch(word):
        letters = word.replace(".", "")
    elif PLURAL_ACRONYM.fullmatch(word):
        letters = word[:-1]
    elif word.isalpha() and word[0].isupper() and sum(map(str.isupper, word)) > 1:
        letters = word
    else:
        return None
    return letters.lower() if len(letters) <= MAX_ACRONYM else None


def initials(words: Sequence[str], targets: set[str]) -> Iterator[tuple[int, int, str]]:
    """Runs of words, first and last, whose initials, or capital initials, are wanted ones.

    ``Bank of England`` has the initials ``boe`` and ``be``, ``red, green and blue`` has ``rgb``.
    A run begins and ends with a word that counts, and counts at least two.
    """
    longest = max(map(len, targets), default=0)
    for start, first in enumerate(words if targets else ()):
        complete = capital = long = ""
        for end in range(start, min(start + longest + 2, len(words))):
            word = words[end]
            complete += word[0].lower()
            if word == ",":  # of a list
                capital += word
                continue
            if not word[0].isalpha():
                break
            if word[0].isupper():
                capital += word[0].lower()
            if end == start or len(word) > MAX_JOINT:
                long += word[0].lower()
            if end > start:
                both = first[0].isupper() and word[0].isupper()
                for letters in sorted({complete, capital if both else long} & targets):
                    yield start + 1, end + 1, letters


def stems(sentence: int, words: Sequence[str], stem: Callable[[str], str]) -> Iterator[str]:
    """Stems of words in letters, which join a family: ``fallecieron`` and ``fallecimiento``."""
    for token, word in enumerate(words, 1):
        if word.isalpha() and len(short := stem(word.lower())) >= MIN_LETTERS:
            yield v.fact("stem", sentence, token, quoted(short))


def endings(words: Iterable[str]) -> list[str]:
    """The last letters of words, 1 to 6 (`-ábamos`)."""
    lower = sorted({word.lower() for word in words if word.isalpha()})
    cuts = ((word, n) for word in lower for n in range(1, min(7, len(word))))
    return [v.fact("ending", quoted(word), n, quoted(word[-n:])) for word, n in cuts]


def written_otherwise(
    words1: Sequence[str], words2: Sequence[str]
) -> Iterator[tuple[int, int, int, str, int]]:
    """Words that differ by hyphens, full stops and blanks only, or numbers by blanks at a mark.

    Such are ``flat-screen`` and ``flat screen``, ``may be`` and ``maybe``, ``4,5`` and ``4 , 5``.
    """
    sides = _by_letters(words1), _by_letters(words2)
    for word in sorted(sides[0].keys() & sides[1].keys()):
        ways = [{written for _, _, written in side[word]} for side in sides]
        if ways[0] != ways[1]:
            both = ways[0] | ways[1]
            marked = not word.isalpha() or any(map(_MARKS.search, both))
            shortest = 0 if marked else min(len(part) for way in both for part in way.split())
            for number, side in enumerate(sides, 1):
                yield from ((number, first, last, word, shortest) for first, last, _ in side[word])


def _by_letters(words: Sequence[str]) -> dict[str, list[tuple[int, int, str]]]:
    """Up to three tokens by their letters: the first, the last, and how they are written."""
    runs: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    letters = [_MARKS.sub("", word).lower() for word in words]
    plain = [
        part if part.isalpha() else word.lower() for part, word in zip(letters, words, strict=True)
    ]
    for first in range(len(plain)):
        for end in range(first + 1, min(first + MAX_PARTS, len(plain)) + 1):
            joined = "".join(plain[first:end])
            if (joined.isalpha() and len(joined) >= MIN_LETTERS) or _MARKED_NUMBER.search(joined):
                runs[joined].append((first + 1, end, " ".join(words[first:end]).lower()))
    return runs


_MARKED_NUMBER = re.compile(r"[0-9](/|,(?![0-9]{3}))\w")
_DIGIT = re.compile("[0-9]")
_NUMERAL = re.compile(
    r"""
    (?P<sign>[-+\N{MINUS SIGN}])?
    [$€£¥]?
    (?P<whole>[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?
    (?:\.(?P<fraction>[0-9]+))?
    [%°€$£¥]?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLOCK = re.compile(r"([0-9]{1,2})[:h]([0-9]{2})h?")
_PART = re.compile("(?<=[0-9])[¼½¾]")
_FRACTION = re.compile(r"([0-9]{1,4})[/\N{FRACTION SLASH}]([0-9]{1,4})")
_GROUPS = re.compile(r"(?<!\S)[1-9][0-9]{0,2}(?: [0-9]{3}){1,2}(?!\S)")
_DATE = re.compile(r"([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4})\.?")
_MEASURE = re.compile(
    r"(?P<number>[$€£¥]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?)"
    r"-?(?P<unit>[°µμ]?[a-z]+(?:-[a-z]+)*)\.?",
    re.IGNORECASE,
)


def numbers(pair: Pair, written: Callable[[str], str]) -> Iterator[str]:
    """Tokens that are numbers, numbers with letters, and large values as smaller ones, as atoms.

    A token counts as a whole or without its punctuation. ``written`` writes its digits in English.
    """
    measures: list[str] = []
    values: set[str] = set()
    for sentence, tokens in ((1, pair.sent1.tokens), (2, pair.sent2.tokens)):
        text = " ".join(token.form for token in tokens)
        for groups in _GROUPS.finditer(text):
            first = text.count(" ", 0, groups.start()) + 1
            last = first + groups[0].count(" ")
            yield v.fact("digit_groups", sentence, first, last, int(groups[0].replace(" ", "")))
        for token in tokens:
            sign = normalize("NFKC", token.form) if len(token.form) == 1 else token.form
            if (share := _FRACTION.fullmatch(sign)) and int(share[2]):
                yield v.fact("fraction", sentence, token.index, *map(int, share.groups()))
            if not _DIGIT.search(token.form):
                continue
            parts = [word.form for word in token.words if any(map(str.isalnum, word.form))]
            forms = [written(form) for form in (token.form, *parts * (len(parts) == 1))]
            for clock in filter(None, map(_CLOCK.fullmatch, forms[:1])):
                yield v.fact("clock_time", sentence, token.index, int(clock[1]), int(clock[2]))
            if date := _DATE.fullmatch(token.form):
                figures = map(int, date.group(1, 3, 4))
                yield v.fact("date_in_digits", sentence, token.index, quoted(date[2]), *figures)
            if (value := next(filter(None, map(numeral, forms)), None)) is not None:
                values.add(value)
                yield v.fact("numeral", sentence, token.index, quoted(value))
            if (amount := next(filter(None, map(measure, forms)), None)) is not None:
                values.add(amount[0])
                measures.append(v.fact("measure", sentence, token.index, *map(quoted, amount)))
    yield from measures
    for value in sorted(values):
        number, zeros = decimal(value)
        if abs(number) < 10**9:
            yield v.fact("decimal", quoted(value), number, zeros)


def numeral(form: str) -> str | None:
    """The canonical value of a word in digits, or None if it is not simply a number.

    Commas between thousands, a plus sign, a currency or percent sign, and redundant zeros are
    dropped: ``1,000`` is ``1000``, ``$3.20`` is ``3.2``, ``50%`` is ``50``, ``-05`` is ``-5``,
    ``1½`` is ``1.5``. Units (``10m``), ranges (``5-4``), times (``10:30``) and decimal commas
    (``2,5``) have no value.
    """
    match = _NUMERAL.fullmatch(_PART.sub(lambda part: f"{numeric(part[0]):g}"[1:], form))
    if match is None or not (match["whole"] or match["fraction"]):
        return None
    digits = (match["whole"] or "").replace(",", "").lstrip("0") or "0"
    decimals = (match["fraction"] or "").rstrip("0")
    value = f"{digits}.{decimals}" if decimals else digits
    return f"-{value}" if match["sign"] not in (None, "+") and value != "0" else value


def measure(form: str) -> tuple[str, str] | None:
    """The value and the unit of a number that letters follow in the same word, or None.

    ``250-M`` is 250 and ``m``, ``6.3-magnitude`` 6.3 and ``magnitude``, ``10-year-old`` 10
    and ``year-old``, ``3rd`` 3 and ``rd``. What the letters mean is for the rules.
    """
    match = None if numeral(form) else _MEASURE.fullmatch(form)
    value = match and numeral(match["number"])
    return (value, match["unit"].lower()) if match and value else None


def decimal(value: str) -> tuple[int, int]:
    """A canonical value as a whole number without zeros at its end, and how many zeros it loses so.

    ``389000000`` is 389 with 6 zeros, ``1500`` is 15 with 2, ``0.25`` is 25 with -2, ``0`` is 0.
    """
    whole, _, fraction = value.partition(".")
    digits = (whole + fraction).rstrip("0") or "0"
    return int(digits), len(whole) - len(digits)


class Phrases:
    """Entries of word tables that are more than a word in letters: ``step down``, ``US$``."""

    def __init__(self, entries: Iterable[str]) -> None:
        self.entries = sorted(entries)
        self._by_word = defaultdict[str, list[tuple[str, list[str]]]](list)
        for entry in self.entries:
            first, *rest = entry.split()
            self._by_word[first].append((entry, rest))

    def find(
        self, tokens: Sequence[Token]
    ) -> tuple[list[tuple[int, int, str]], list[tuple[int, int, int, str]]]:
        """The phrases in a sentence, and those whose first word stands apart from the others.

        The former are first token, last token and entry, the latter first token, first and last
        token of the other words, and entry. A word is a token's form or lemma, or several tokens
        without blanks (``US``, ``$``). Rules handle single words.
        """
        joined, split = [], []
        ways = [_ways(tokens, start) for start in range(len(tokens))]
        for start, written in enumerate(ways):
            for word in written.keys() & self._by_word.keys():
                size, goes_on = written[word]
                for entry, rest in self._by_word[word]:
                    begin = start + size
                    if not rest and word != plain_form(tokens[start]).lower():
                        joined.append((start + 1, begin, entry))
                    for second in range(begin, begin + 1 + MAX_BETWEEN) if rest and goes_on else ():
                        if end := _end(ways, second, rest):
                            if second == begin:
                                joined.append((start + 1, end, entry))
                            elif size == 1:
                                split.append((start + 1, second + 1, end, entry))
                            break
        return joined, sorted(split)


def _ways(tokens: Sequence[Token], start: int) -> _Ways:
    token = tokens[start]
    # A pronoun or an article that was split from a word is no part of a phrase.
    goes_on = all(word.upos in _SPLIT_OFF and word.form.isalpha() for word in token.words[1:])
    texts = (plain_form(token), *(word.lemma for word in token.words[:1]))
    ways = {text.lower(): (1, goes_on) for text in texts}
    joined = ""
    for size, piece in enumerate(tokens[start : start + MAX_PIECES], 1):
        joined += piece.form.lower()
        if size == 1 or not joined.isalpha():
            ways.setdefault(joined, (size, True))
    return ways


def _end(ways: Sequence[_Ways], start: int, rest: Sequence[str]) -> int:
    """The last token of words from a place on, counted from 1; 0 if they do not stand there."""
    goes_on = True
    for word in rest:
        if not goes_on or start >= len(ways) or word not in ways[start]:
            return 0
        size, goes_on = ways[start][word]
        start += size
    return start
