"""What each rule is worth on gold pairs: how they would be answered if it were left out."""

from ists_asp.ablate.result import Ablation, RuleWorth, Tally
from ists_asp.ablate.study import GoldItem, Study, ablate

__all__ = ["Ablation", "GoldItem", "RuleWorth", "Study", "Tally", "ablate"]
