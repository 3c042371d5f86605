"""Inflected forms from a Hunspell dictionary, for the lemmatiser.

Treebanks have a few forms of some verbs. A spelling dictionary lists stems with the
endings they take, and so gives the forms of all verbs with their lemmas; its flags say
which endings make verbs, plurals and feminines.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import corpus

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Entry", "Lexicon", "Source", "read", "sample"]

Entry = tuple[str, str, str]
"""Form, UPOS, lemma."""


@dataclass(frozen=True, slots=True)
class Source:
    """A Hunspell dictionary and what its flags mean.

    Attributes:
        stem: file name without ``.aff`` and ``.dic``.
        infinitive: pattern of the stems that are verbs.
        verb: flags of the forms of a verb; a stem that has none of these is no verb.
        clitics: flags of its forms with pronouns at the end.
        plural: flag of plurals, of nouns and adjectives.
        feminine: flag of feminine forms; words with it are adjectives, too.
        draw: how many entries of each kind the sequence model sees, in the order of
            :class:`Lexicon`.
    """

    stem: str
    infinitive: str
    verb: str
    clitics: str
    plural: str
    feminine: str
    draw: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The forms of a dictionary, by kind: verbs, verbs with pronouns, nouns and adjectives."""

    verbs: frozenset[Entry]
    clitics: frozenset[Entry]
    nominals: frozenset[Entry]


@dataclass(frozen=True, slots=True)
class _Ending:
    strip: str
    add: str
    after: re.Pattern[str]


_Endings = dict[str, list[_Ending]]


def _endings(path: Path) -> _Endings:
    """Read the suffix rules: ``SFX flag strip add[/flags] condition``, 0 for nothing."""
    endings: defaultdict[str, list[_Ending]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split()
        if fields[:1] == ["SFX"] and len(fields) >= 5:
            _, flag, strip, add, condition = fields[:5]
            ending = _Ending(
                strip.removeprefix("0"),
                add.partition("/")[0].removeprefix("0"),
                re.compile(f"{condition}$"),
            )
            endings[flag].append(ending)
    return dict(endings)


def _forms(word: str, flags: set[str], endings: _Endings) -> Iterator[str]:
    for flag in flags:
        for ending in endings.get(flag, ()):
            if word.endswith(ending.strip) and ending.after.search(word):
                yield word.removesuffix(ending.strip) + ending.add


def read(source: Source, directory: Path) -> Lexicon:
    """Expand a dictionary; names and words with other than letters are left out."""
    endings = _endings(directory / f"{source.stem}.aff")
    lines = (directory / f"{source.stem}.dic").read_text(encoding="utf-8").splitlines()[1:]
    verbs: set[Entry] = set()
    clitics: set[Entry] = set()
    nominals: set[Entry] = set()
    for line in lines:
        word, _, marks = line.strip().partition("/")
        flags = set(marks)
        if not (word.isalpha() and word.islower()):
            continue
        if re.fullmatch(source.infinitive, word) and flags & set(source.verb):
            for entries, kind in ((verbs, source.verb), (clitics, source.clitics)):
                entries |= {
                    (form, "VERB", word) for form in _forms(word, flags & set(kind), endings)
                }
            verbs.add((word, "VERB", word))
        elif source.plural in flags:
            plurals = list(_forms(word, {source.plural}, endings))
            nominals |= {(form, "NOUN", word) for form in plurals}
            if source.feminine in flags:
                feminine = _forms(word, {source.feminine}, endings)
                nominals |= {(form, "ADJ", word) for form in (*plurals, *feminine)}
    return Lexicon(frozenset(verbs), frozenset(clitics), frozenset(nominals))


def sample(lexicon: Lexicon, counts: tuple[int, int, int], seed: int) -> corpus.Tree:
    """Draw entries of each kind, and return them as if they were a sentence."""
    draw = random.Random(seed)
    kinds = (lexicon.verbs, lexicon.clitics, lexicon.nominals)
    nodes = [
        corpus.Node(form, lemma, upos, "_", "_", "_", False)
        for kind, count in zip(kinds, counts, strict=True)
        for form, upos, lemma in draw.sample(sorted(kind), count)
    ]
    return corpus.Tree(tuple(nodes), False)
