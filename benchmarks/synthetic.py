"""Long pairs: some look like real ones, others repeat a dozen words, or a single one."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from ists_asp.io.pairs import parse_chunks
from ists_asp.model import Pair

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_NOUNS = _words("""
actor airport army artist attack ball bank bicycle bird boat bomb book border bottle boy
bridge budget building bus camera car cat chair child church city coach coast company court
cow crash crowd dancer deal desk doctor dog driver election engine factory farmer fence field
film fire flood flower forest garden girl glass government guard guitar harbour hat hill horse
hospital hotel house island jacket judge kitchen lake law lawyer leader library lorry man
market minister mountain museum nurse office painter paper park pilot plane player police
prison protest queen river road roof room school sea ship shirt shop singer soldier storm
street strike student table tax teacher team tower train tree trial tunnel valley village
voter wall window woman worker writer
""")
_ADJECTIVES = _words("""
big black blue brown busy calm cheap clean cold dark dry empty famous foreign former fresh
green grey heavy huge large late little local long narrow new northern old open orange
private public quiet red rich rural sandy sharp small southern steep strong tall tiny warm
weak wet white wide wooden yellow young
""")
_VERBS = _words("""
accepts attacks blocks breaks builds buys carries chases checks cleans closes covers crosses
cuts defends delays denies destroys draws drops enters faces feeds finds follows guards hears
helps hits holds joins kills leaves lifts loses meets opens orders paints passes plans plays
pulls pushes raises reaches rejects repairs saves sees seeks sells shows stops supports takes
throws visits warns washes watches wins
""")
_PREPOSITIONS = _words("""
above after against along before behind below by for from in near of on over to under with
""")
_NAMES = _words("""
Berlin Chile Dublin Egypt France Ghana India Japan Kenya Lima Madrid Nepal Oslo Peru Rome
""")
_PHRASES = ("subject", "verb", "object", "prepositional", "prepositional")

_COUNTERPARTS = 0.5
_CHANGES = 0.4
_SWAPS = 0.2


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A chunk and what it is made of; ``kind`` is one of ``_PHRASES``."""

    kind: str
    words: tuple[str, ...]


def make_pair(size: int, seed: int) -> Pair:
    """Two sentences of ``size`` chunks each, chunked; the same seed gives the same pair.

    A sentence is a row of clauses, each of a subject, a verb, an object and two prepositional
    phrases. About half of the chunks come back in the other sentence, two in five of these
    with another adjective, article or preposition, and some neighbours change places.
    """
    random = Random(f"{size} {seed}")
    kinds = [_PHRASES[place % len(_PHRASES)] for place in range(size)]
    first = [_phrase(kind, random) for kind in kinds]
    second = [
        _counterpart(phrase, random)
        if random.random() < _COUNTERPARTS
        else _phrase(phrase.kind, random)
        for phrase in first
    ]
    for place in range(size - 1):
        if random.random() < _SWAPS:
            second[place : place + 2] = reversed(second[place : place + 2])
    return Pair(f"{size}-{seed}", parse_chunks(_line(first)), parse_chunks(_line(second)))


def make_dense_pair(size: int, seed: int) -> Pair:
    """Two sentences of ``size`` chunks each, chunked, out of a dozen words.

    Nearly every chunk shares a word with a third of those of the other sentence.
    """
    random = Random(f"dense {size} {seed}")
    words = {"nouns": _NOUNS[:6], "adjectives": _ADJECTIVES[:4], "verbs": _VERBS[:4]}
    kinds = [_PHRASES[place % len(_PHRASES)] for place in range(size)]
    first, second = ([_few(kind, words, random) for kind in kinds] for _ in range(2))
    return Pair(f"dense-{size}-{seed}", parse_chunks(_line(first)), parse_chunks(_line(second)))


def make_repeated_pair(size: int) -> Pair:
    """Two sentences of ``size`` chunks each, chunked, which are all the same word."""
    line = _line([_Phrase("object", ("dog",))] * size)
    return Pair(f"repeated-{size}", parse_chunks(line), parse_chunks(line))


def _few(kind: str, words: Mapping[str, Sequence[str]], random: Random) -> _Phrase:
    """A phrase of few words: all phrases of a kind but verbs have an adjective and a noun."""
    if kind == "verb":
        return _Phrase(kind, (random.choice(words["verbs"]),))
    opening = (random.choice(_PREPOSITIONS[:4]),) if kind == "prepositional" else ()
    return _Phrase(
        kind,
        (*opening, "the", random.choice(words["adjectives"]), random.choice(words["nouns"])),
    )


def _phrase(kind: str, random: Random) -> _Phrase:
    if kind == "verb":
        return _Phrase(kind, (random.choice(_VERBS),))
    opening = (random.choice(_PREPOSITIONS),) if kind == "prepositional" else ()
    if opening and random.random() < 0.3:
        return _Phrase(kind, (*opening, random.choice(_NAMES)))
    words = (random.choice(("a", "the")), *_adjective(random), random.choice(_NOUNS))
    return _Phrase(kind, opening + words)


def _adjective(random: Random) -> tuple[str, ...]:
    return (random.choice(_ADJECTIVES),) if random.random() < 0.5 else ()


def _counterpart(phrase: _Phrase, random: Random) -> _Phrase:
    """The same phrase, or one that shares its last word."""
    if random.random() >= _CHANGES:
        return phrase
    other = _phrase(phrase.kind, random)
    return _Phrase(phrase.kind, (*other.words[:-1], phrase.words[-1]))


def _line(phrases: Sequence[_Phrase]) -> str:
    return " ".join(f"[ {' '.join(phrase.words)} ]" for phrase in phrases)
