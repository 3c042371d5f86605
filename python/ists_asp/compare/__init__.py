"""Two answers to the same pairs side by side: what differs, why, and what it gains."""

from ists_asp.compare.answered import Answered, read_answered
from ists_asp.compare.changes import Change, ChangeKind, find_changes
from ists_asp.compare.comparison import Comparison, PairComparison, compare
from ists_asp.compare.edits import Edit, EditKind, WeightEdits, find_edits

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
