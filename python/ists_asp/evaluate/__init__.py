"""Official measures, well-formedness, statistics and chunk boundaries of answers."""
