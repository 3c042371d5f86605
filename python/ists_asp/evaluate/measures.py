"""Sums, precision, recall and F1: the arithmetic that the evaluation is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.evaluate.summed import Summed

if TYPE_CHECKING:
    from ists_asp.model import Label

DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Measure(Summed):
    """Matched weight over total weight, seen from the system and from the gold standard."""

    matched_system: float = 0.0
    total_system: float = 0.0
    matched_gold: float = 0.0
    total_gold: float = 0.0

    @property
    def precision(self) -> float:
        """The share of the system's weight that is right, 0 to 1; 1 where both have none."""
        return self._ratio(self.matched_system, self.total_system)

    @property
    def recall(self) -> float:
        """The share of the gold weight that was found, 0 to 1; 1 where both have none."""
        return self._ratio(self.matched_gold, self.total_gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, 0 to 1."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def as_dict(self) -> dict[str, float]:
        """Precision, recall and F1, rounded to four decimals."""
        return {
            "precision": round(self.precision, DECIMALS),
            "recall": round(self.recall, DECIMALS),
            "f1": round(self.f1, DECIMALS),
        }

    def _ratio(self, matched: float, total: float) -> float:
        if total:
            return matched / total
        return 0.0 if self.total_system or self.total_gold else 1.0


@dataclass(frozen=True, slots=True)
class Scores(Summed):
    """The four official measures: alignment, type, score, type and score."""

    alignment: Measure = Measure()
    type: Measure = Measure()
    score: Measure = Measure()
    type_score: Measure = Measure()

    def named(self) -> tuple[tuple[str, Measure], ...]:
        """The measures with the names that the official scorer prints."""
        return (
            ("Ali", self.alignment),
            ("Type", self.type),
            ("Score", self.score),
            ("Typ+Sco", self.type_score),
        )

    def as_dict(self) -> dict[str, object]:
        """Precision, recall and F1 of each measure, by its official name."""
        return {name: measure.as_dict() for name, measure in self.named()}


@dataclass(frozen=True, slots=True)
class PairScores:
    """The measures of one pair."""

    id: str
    scores: Scores


@dataclass(frozen=True, slots=True)
class Confusion:
    """How much link weight has this gold label and this system label.

    NOALI stands for a link that one side does not have; its weight is then that of the
    other side, and the gold weight otherwise.
    """

    gold: Label
    system: Label
    weight: float


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An answer file measured against a gold file.

    ``missing`` are ids that only the gold file has, ``extra`` those that only the system
    file has; both count against the system. ``confusion`` is ordered by the labels.
    """

    scheme: str
    overall: Scores
    pairs: tuple[PairScores, ...]
    confusion: tuple[Confusion, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            "scheme": self.scheme,
            "overall": self.overall.as_dict(),
            "pairs": [{"id": pair.id, **pair.scores.as_dict()} for pair in self.pairs],
            "confusion": [
                {
                    "gold": str(cell.gold),
                    "system": str(cell.system),
                    "weight": round(cell.weight, DECIMALS),
                }
                for cell in self.confusion
            ],
            "missing": list(self.missing),
            "extra": list(self.extra),
        }
