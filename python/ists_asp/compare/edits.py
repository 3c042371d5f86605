"""How two sets of rules differ, whatever they decide."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from clingo.ast import ASTType

from ists_asp.vocabulary import WEIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ists_asp.rules import NamedRule, RuleSet

_KINDS = (ASTType.Rule, ASTType.Minimize)
_WEIGHT = f"{WEIGHT.name}("


class EditKind(StrEnum):
    """What happened to a rule."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Edit:
    """A rule that only one rule set has, or whose text is another; at least one is not None."""

    kind: EditKind
    old: NamedRule | None
    new: NamedRule | None


@dataclass(frozen=True, slots=True)
class WeightEdits:
    """How many weights were added, removed and changed."""

    added: int
    removed: int
    changed: int


def texts(rules: RuleSet) -> Mapping[str, NamedRule]:
    """The rules by their texts, without what blanks and line ends they have."""
    return {
        " ".join(rule.text.split()): rule
        for node, rule in zip(rules.statements, rules.rules, strict=True)
        if node.ast_type in _KINDS
    }


def find_edits(old: RuleSet, new: RuleSet) -> tuple[tuple[Edit, ...], WeightEdits]:
    """The rules that differ, and how many weights do; where a rule stands does not matter.

    Weights that have a name are among the rules as well.
    """
    before, after = texts(old), texts(new)
    gone = {text: rule for text, rule in before.items() if text not in after}
    come = {text: rule for text, rule in after.items() if text not in before}
    old_weights, new_weights = (
        {text.rpartition(",")[0] for text in found if text.startswith(_WEIGHT)}
        for found in (gone, come)
    )
    old_names, new_names = (
        {
            rule.name: rule
            for text, rule in found.items()
            if rule.sentence is not None or not text.startswith(_WEIGHT)
        }
        for found in (gone, come)
    )
    edits = [
        Edit(EditKind.CHANGED, rule, new_names[name])
        for name, rule in old_names.items()
        if name in new_names
    ]
    edits += [
        Edit(EditKind.REMOVED, rule, None)
        for name, rule in old_names.items()
        if name not in new_names
    ]
    edits += [
        Edit(EditKind.ADDED, None, rule)
        for name, rule in new_names.items()
        if name not in old_names
    ]
    both = len(old_weights & new_weights)
    return tuple(edits), WeightEdits(len(new_weights) - both, len(old_weights) - both, both)
