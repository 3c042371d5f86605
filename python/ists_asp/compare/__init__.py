"""Two answers to the same pairs side by side: what differs, why, and what it gains."""

from ists_asp.compare.causes import Edit, EditKind, WeightEdits, find_edits
from ists_asp.compare.changes import Answered, Change, ChangeKind, find_changes, read_answered
from ists_asp.compare.comparison import Comparison, PairComparison, compare

__all__ = [
    "Answered",
    "Change",
    "ChangeKind",
    "Comparison",
    "Edit",
    "EditKind",
    "PairComparison",
    "WeightEdits",
    "compare",
    "find_changes",
    "find_edits",
    "read_answered",
]
