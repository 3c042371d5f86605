"""Two answers to the same pairs side by side: what differs, why, and what it gains."""

from ists_asp.compare.causes import Edit, WeightEdits, find_edits, run_both
from ists_asp.compare.comparison import Answered, compare, read_answered

__all__ = ["Answered", "Edit", "WeightEdits", "compare", "find_edits", "read_answered", "run_both"]
