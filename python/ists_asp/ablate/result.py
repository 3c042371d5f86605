"""What an ablation finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ists_asp.evaluate.scorer import DECIMALS, Summed

if TYPE_CHECKING:
    from ists_asp.evaluate.scorer import Scores
    from ists_asp.rules import NamedRule


@dataclass(frozen=True, slots=True)
class Tally(Summed):
    """How often a rule fired, for how many pairs, and the decisions that rest on it.

    ``right`` and ``wrong`` are alignments, labels and scores that it supports, by whether gold
    has them.
    """

    fires: int = 0
    pairs: int = 0
    right: int = 0
    wrong: int = 0


@dataclass(frozen=True, slots=True)
class RuleWorth:
    """A rule, what it did, the measures without it, and for how many pairs they differ."""

    rule: NamedRule
    tally: Tally
    without: Scores
    changed: int


@dataclass(frozen=True, slots=True)
class Ablation:
    """The measures with all rules over ``pairs`` pairs, and each rule's worth, best first."""

    pairs: int
    scores: Scores
    rules: tuple[RuleWorth, ...]

    def worth(self, one: RuleWorth) -> tuple[tuple[str, float], ...]:
        """What F1 a rule adds, by the official name of the measure; negative if it harms."""
        pairs = zip(self.scores.named(), one.without.named(), strict=True)
        return tuple((name, full.f1 - less.f1) for (name, full), (_, less) in pairs)

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes; worth has six decimals."""
        return {
            "pairs": self.pairs,
            "f1": {name: round(measure.f1, DECIMALS) for name, measure in self.scores.named()},
            "rules": [
                {
                    "name": one.rule.name,
                    "file": one.rule.file,
                    "line": one.rule.line,
                    "fires": one.tally.fires,
                    "pairs": one.tally.pairs,
                    "right": one.tally.right,
                    "wrong": one.tally.wrong,
                    "changed": one.changed,
                    "worth": {name: round(value, 6) for name, value in self.worth(one)},
                }
                for one in self.rules
            ],
        }
