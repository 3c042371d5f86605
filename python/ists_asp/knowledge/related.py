"""How two words of WordNet are related, and how far they are apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from ists_asp.knowledge.entry import Entry, Reading

MAX_EDGES = 4
"""Hypernym paths, and paths between cohyponyms, are followed so many edges at most."""

_CONCEPTUAL = ("part", "whole", "cause", "effect")


def relate(
    entry1: Entry, pos1: str, entry2: Entry, pos2: str, broad: Container[int]
) -> Iterator[tuple[str, int]]:
    """Tell how two words are related.

    Args:
        entry1: a word of sentence 1.
        pos1: its part of speech; any if it has no such sense.
        entry2: a word of sentence 2.
        pos2: its part of speech.
        broad: synsets that make no cohyponyms.

    Returns:
        Kinds and distances, as :class:`~ists_asp.knowledge.relation.Relation` tells; a kind may
        come more than once.
    """
    parts1 = entry1.parts(pos1)
    parts2 = entry2.parts(pos2)
    for part in parts1 | parts2:
        reading1 = entry1.readings.get(part)
        reading2 = entry2.readings.get(part)
        if reading1 is None or reading2 is None:
            continue
        yield from _shared_senses(reading1, reading2)
        yield from _linked(("antonym",), reading1, entry2.word, reading2)
        if part in parts1 and part in parts2:
            yield from _near(reading1, reading2, broad)
            yield from _linked(_CONCEPTUAL, reading1, entry2.word, reading2)
    for reading1 in entry1.readings.values():
        for reading2 in entry2.readings.values():
            yield from _derived(reading1, entry2.word, reading2)
    for part1 in parts1:
        for part2 in parts2:
            yield from _same_base(entry1.readings[part1], entry2.readings[part2])


def _near(reading1: Reading, reading2: Reading, broad: Container[int]) -> Iterator[tuple[str, int]]:
    """Hypernyms, hyponyms, cohyponyms and adjectives of one cluster."""
    alike = False
    together: list[int] = []
    for synset in reading1.paths.keys() & reading2.paths.keys():
        edges1 = reading1.paths[synset]
        edges2 = reading2.paths[synset]
        if edges1 and edges2:
            if edges1 + edges2 <= MAX_EDGES and synset not in broad:
                together.append(edges1 + edges2)
            continue
        # Words of which one has or covers a sense of the other also share its ancestors.
        alike = True
        if edges2:
            yield "hypernym", edges2
        elif edges1:
            yield "hyponym", edges1
    if together and not alike:
        yield "cohyponym", min(together)
    for head in reading1.heads.keys() & reading2.heads.keys():
        edges = reading1.heads[head] + reading2.heads[head]
        if edges:
            yield "similar", edges


def _shared_senses(reading1: Reading, reading2: Reading) -> Iterator[tuple[str, int]]:
    for synset in reading1.senses.keys() & reading2.senses.keys():
        yield "synonym", reading1.senses[synset] + reading2.senses[synset]


def _linked(
    kinds: Iterable[str], reading1: Reading, word2: int, reading2: Reading
) -> Iterator[tuple[str, int]]:
    """Links from the first word, or its synonyms, to the second, or its synonyms."""
    for kind in kinds:
        links = reading1.links.get(kind)
        if links is not None:
            for distance in links.to_word(word2, reading2.senses):
                yield kind, distance
            for distance in links.to_senses(reading2.senses):
                yield kind, distance


def _derived(reading1: Reading, word2: int, reading2: Reading) -> Iterator[tuple[str, int]]:
    """Derivation between the words themselves."""
    links = reading1.links.get("derivation")
    if links is not None:
        for distance in links.to_word(word2, reading2.senses):
            yield "derivation", distance


def _same_base(reading1: Reading, reading2: Reading) -> Iterator[tuple[str, int]]:
    """Derivation between synonyms of the words, or from one base."""
    links1 = reading1.links.get("derivation")
    links2 = reading2.links.get("derivation")
    if links1 is not None and links2 is not None:
        for distance in (*links1.to_senses(reading2.senses), *links1.to_base(links2)):
            yield "derivation", distance
