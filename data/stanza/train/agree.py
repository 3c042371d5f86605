"""Bringing treebanks that read words differently closer to one of them.

Universal Dependencies leaves room: a year is a numeral here and a noun there, `su` a
determiner or a pronoun, `Corte Suprema` two names or a noun and an adjective. A tagger
that is shown both learns neither, so the other treebanks follow the first.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import corpus

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from languages import Language

__all__ = ["follow", "training"]

_CLOSED = frozenset({"ADP", "ADV", "AUX", "CCONJ", "DET", "NUM", "PRON", "SCONJ"})

_OPEN_IN_NAMES = frozenset({"ADJ", "NOUN", "VERB"})

_ARGUMENTS = frozenset({"nsubj", "obj", "iobj", "obl"})

_ENOUGH = 5
"""Occurrences in the first treebank from which on it is believed."""

_RARE = 0.03
"""A reading with a smaller share of a form's occurrences counts as unknown there."""

_YEAR = re.compile(r"(?:1\d|20)\d\d")

_Readings = Counter[tuple[str, str]]
"""How often each (UPOS, lemma) of a form occurs."""


def training(language: Language, directory: Path, *, whole: bool = False) -> list[corpus.Treebank]:
    """Read the training treebanks of a language, ready to be learned from."""
    treebanks = [corpus.read([directory / name], whole=whole) for name in language.train]
    if not language.xpos:
        treebanks = [corpus.without_xpos(treebank) for treebank in treebanks]
    if language.guided:
        # The guide itself may be read whole: its function words are the same.
        guide, *others = treebanks
        return [guide, *(follow(treebank, guide) for treebank in others)]
    return treebanks


def follow(treebank: corpus.Treebank, guide: corpus.Treebank) -> corpus.Treebank:
    """Return ``treebank`` with the readings that ``guide`` would give its words.

    A form that the guide hardly ever reads so, and mostly as a function word, gets the
    guide's reading. What else differs in Spanish: names in small letters (months) are
    nouns, words of a name are names, years are nouns, and a relative ``que`` is a pronoun.
    """
    readings: defaultdict[str, _Readings] = defaultdict(Counter)
    for tree in guide:
        for node in tree.nodes:
            readings[node.form.lower()][node.upos, node.lemma] += 1
    return [
        replace(tree, nodes=tuple(_reread(node, readings) for node in tree.nodes))
        for tree in treebank
    ]


def _reread(node: corpus.Node, readings: Mapping[str, _Readings]) -> corpus.Node:
    known = readings.get(node.form.lower(), Counter())
    if node.upos != "PROPN" and known.total() >= _ENOUGH:
        (upos, lemma), _ = known.most_common(1)[0]
        same = sum(count for (other, _), count in known.items() if other == node.upos)
        if upos in _CLOSED and same < _RARE * known.total():
            node = replace(node, upos=upos, lemma=lemma)
    if node.upos == "PROPN" and node.form.islower():
        return replace(node, upos="NOUN")
    if node.upos in _OPEN_IN_NAMES and "Proper=True" in node.misc:
        return replace(node, upos="PROPN", lemma=node.form)
    if node.upos == "NUM" and _YEAR.fullmatch(node.form):
        return replace(node, upos="NOUN")
    relative = node.deprel.partition(":")[0] in _ARGUMENTS
    if node.upos == "SCONJ" and node.form.lower() == "que" and relative:
        return replace(node, upos="PRON")
    return node
