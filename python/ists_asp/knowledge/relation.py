"""How two words are related."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Relation:
    """How a lemma of sentence 1 is related to a lemma of sentence 2.

    ============== ===================================================== ==================
    ``kind``       meaning                                               ``distance``
    ============== ===================================================== ==================
    ``synonym``    they share a synset                                   ranks
    ``antonym``    they, or synonyms of them, are opposites              ranks (+ 1)
    ``derivation`` one is derived from the other (``kill``, ``killer``), ranks (+ 1)
                   or they or synonyms of them share a base
    ``hypernym``   ``lemma1`` is more general than ``lemma2``            edges, 1 to 4
    ``hyponym``    ``lemma1`` is more specific than ``lemma2``           edges, 1 to 4
    ``cohyponym``  both are below one synset that is not very broad      edges, 2 to 4
    ``similar``    adjectives of one cluster: a head and its satellites  edges, 1 or 2
    ``part``       ``lemma1`` is a part of ``lemma2``                    ranks
    ``whole``      ``lemma2`` is a part of ``lemma1``                    ranks
    ``cause``      doing ``lemma1`` makes ``lemma2`` happen              ranks
    ``effect``     doing ``lemma2`` makes ``lemma1`` happen              ranks
    ============== ===================================================== ==================

    *Ranks* is the sum of the places, from 0, of the two senses among the senses of their
    words, by frequency: 0 relates the most frequent sense of each. *(+ 1)* is added where
    only synonyms of the words have the relation. Where several senses give the same kind,
    the distance is the smallest.
    """

    kind: str
    lemma1: str
    lemma2: str
    distance: int
