"""What is known about the words of a pair: meanings, nearness, spelling and numbers.

Only what the pair's own words need is collected, in an order that does not vary.
"""

from ists_asp.knowledge.knowledge import Knowledge
from ists_asp.knowledge.nearness import Near, Nearness, Norm, Product
from ists_asp.knowledge.pair_knowledge import (
    Acronym,
    Decimal,
    Initials,
    Measure,
    Multiword,
    Numeral,
    PairKnowledge,
    Spelling,
    Stem,
    VerbUsage,
    WordClass,
)
from ists_asp.knowledge.relation import Relation
from ists_asp.knowledge.spelling import Glued

__all__ = [
    "Acronym",
    "Decimal",
    "Glued",
    "Initials",
    "Knowledge",
    "Measure",
    "Multiword",
    "Near",
    "Nearness",
    "Norm",
    "Numeral",
    "PairKnowledge",
    "Product",
    "Relation",
    "Spelling",
    "Stem",
    "VerbUsage",
    "WordClass",
]
