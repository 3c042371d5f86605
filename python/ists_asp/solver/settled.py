"""Labels and scores settled while grounding, where nothing else restrains them.

An aligned pair has the label that weighs most, and the score nearest to what it is worth with
that label. ``asp/label.lp`` and ``asp/score.lp`` say so by choices and an objective, which is
what a trace explains and what rules of a user may restrain. Where no such rule speaks of labels
or scores, ``asp/settled.lp`` finds the same while grounding, and takes the place of the choices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clingo.ast import ASTType, parse_files

from ists_asp.resources import asp_dir
from ists_asp.syntax.trees import derived
from ists_asp.vocabulary import (
    ALIGNED,
    CLOSENESS,
    FORBIDDEN_SCORE,
    LABEL,
    SCORE,
    SCORE_WEIGHT,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from clingo.ast import AST

    from ists_asp.rules.loader import RuleSet
    from ists_asp.solver.program import Program
    from ists_asp.solver.shapes import Shape, Shapes
    from ists_asp.syntax.trees import Signature

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


def settle(rules: RuleSet, program: Program, shapes: Shapes) -> tuple[AST, ...] | None:
    """The statements with settled labels and scores; None if some rule may restrain them.

    Args:
        rules: the rule set.
        program: what is grounded for a pair.
        shapes: what is known of the statements.
    """
    core = asp_dir().resolve()
    own: list[AST] = []
    parse_files([str(core / _FILE)], own.append)
    # Somebody may have given a predicate of their own the name of a private one of this file.
    heads = (derived(node.head) for node in own if node.ast_type is ASTType.Rule)
    restrained = _RESTRAINED.union(key for keys in heads for key in keys if key.name[0] == "_")
    machine = {file.name for file in rules.files if file.path.is_relative_to(core)}
    named = {id(node): rule for node, rule in zip(rules.statements, rules.rules, strict=True)}
    kept: list[AST] = []
    gone: set[str] = set()
    for node in program.statements:
        rule = named[id(node)]
        ours = rule.file in machine
        if ours and rule.name in _REPLACED:
            gone.add(rule.name)
        elif ours or not _restrains(shapes.of(node), restrained):
            kept.append(node)
        else:
            return None
    given = program.by_predicate.keys()
    if gone != _REPLACED or not given.isdisjoint({*restrained, ALIGNED.signature}):
        return None
    skipped = (ASTType.Comment, ASTType.Program)
    return tuple(node for node in (*kept, *own) if node.ast_type not in skipped)


def _restrains(shape: Shape, restrained: Collection[Signature]) -> bool:
    """Whether a statement speaks of labels or scores, or derives alignments."""
    if shape.kind in (ASTType.Defined, ASTType.Definition, ASTType.ShowSignature):
        return False
    return not shape.predicates.isdisjoint(restrained) or ALIGNED.signature in shape.derived
