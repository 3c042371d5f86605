"""Labels and scores settled while grounding, where nothing else restrains them.

An aligned pair has the label that weighs most, and the score nearest to what it is worth with
that label. ``asp/label.lp`` and ``asp/score.lp`` say so by choices and an objective, which is
what a trace explains and what rules of a user may restrain. Where no such rule speaks of labels
or scores, ``asp/settled.lp`` finds the same while grounding, and takes the place of the choices.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from clingo.ast import AST, ASTType, parse_files

from ists_asp.resources import asp_dir
from ists_asp.syntax.signatures import derived, predicates, signature
from ists_asp.vocabulary import (
    ALIGNED,
    CLOSENESS,
    FORBIDDEN_SCORE,
    LABEL,
    SCORE,
    SCORE_WEIGHT,
)

if TYPE_CHECKING:
    from ists_asp.rules.loader import RuleSet
    from ists_asp.solver.program import Program

__all__ = ["OBJECTIVE_PRIORITY", "settled", "settled_text"]

OBJECTIVE_PRIORITY = "_objective_priority"
"""``_objective_priority(N)``: the objective has a value for this priority."""

_FILE = "settled.lp"
_REPLACED = {
    "one_label",
    "one_label_unproposed",
    "closeness",
    "one_score",
    "distance_of_score",
    "score_weight",
    "nearest_score",
}
"""The rules of the core encoding that say the same by choices."""

_RESTRAINED = frozenset(
    {
        LABEL.signature,
        SCORE.signature,
        CLOSENESS.signature,
        SCORE_WEIGHT.signature,
        FORBIDDEN_SCORE.signature,
    }
)
"""What no other rule may speak of."""


def settled_text() -> str:
    """The rules that take the place of the choices."""
    return (asp_dir() / _FILE).read_text("utf-8")


def settled(rules: RuleSet, program: Program) -> Program | None:
    """The program with settled labels and scores; None if some rule may restrain them.

    Args:
        rules: the rule set.
        program: what is grounded for a pair.
    """
    core = asp_dir().resolve()
    named = {id(node): rule.name for node, rule in zip(rules.statements, rules.rules, strict=True)}
    kept: list[AST] = []
    gone: set[str] = set()
    for node in program.statements:
        ours = Path(node.location.begin.filename).is_relative_to(core)
        if ours and named.get(id(node)) in _REPLACED:
            gone.add(named[id(node)])
        elif ours or not _restrains(node):
            kept.append(node)
        else:
            return None
    given = {signature(fact) for fact in program.facts}
    if gone != _REPLACED or not given.isdisjoint({*_RESTRAINED, ALIGNED.signature}):
        return None
    parse_files([str(core / _FILE)], kept.append)
    skipped = (ASTType.Comment, ASTType.Program)
    return replace(program, statements=tuple(x for x in kept if x.ast_type not in skipped))


def _restrains(node: AST) -> bool:
    """Whether a statement speaks of labels or scores, or derives alignments."""
    if node.ast_type in (ASTType.Defined, ASTType.Definition, ASTType.ShowSignature):
        return False
    if not _RESTRAINED.isdisjoint(predicates(node)):
        return True
    return node.ast_type is ASTType.Rule and ALIGNED.signature in derived(node.head)
