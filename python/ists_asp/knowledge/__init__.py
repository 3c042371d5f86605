"""What is known about the words of a pair: meanings, nearness, spelling and numbers.

Only what the pair's own words need is collected, in an order that does not vary.
"""

from ists_asp.knowledge.knowledge import Knowledge, shipped_vectors

__all__ = ["Knowledge", "shipped_vectors"]
