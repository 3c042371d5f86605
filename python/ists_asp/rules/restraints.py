"""Which statements restrain answers: hard rules, constraints, and preferences.

What they do shows in no sum of evidence. Whoever asks what one of them has changed decides once
more without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clingo.ast import ASTType

from ists_asp.syntax.trees import derived, is_fact
from ists_asp.vocabulary import (
    FORBIDDEN_LABEL,
    FORBIDDEN_PAIR,
    FORBIDDEN_SCORE,
    MUST_JOIN,
    MUST_SPLIT,
)

if TYPE_CHECKING:
    from clingo.ast import AST

    from ists_asp.rules.directives import NamedRule
    from ists_asp.rules.loader import RuleSet

HARD = frozenset(
    one.signature
    for one in (FORBIDDEN_LABEL, FORBIDDEN_PAIR, FORBIDDEN_SCORE, MUST_SPLIT, MUST_JOIN)
)
"""The predicates by which hard rules forbid or force decisions."""

_CORE = "asp/"


def restrains(node: AST) -> bool:
    """Whether a statement is a hard rule, a constraint, or a preference."""
    return _is_constraint(node) or _is_preference(node) or _forbids(node)


def is_unconditional(node: AST) -> bool:
    """Whether a statement may restrain an answer in which nothing shows that it fired.

    That is a constraint, which never fires in an answer, a preference, and a fact that forbids.
    """
    return _is_constraint(node) or _is_preference(node) or (is_fact(node) and _forbids(node))


def restraining(rules: RuleSet) -> tuple[frozenset[int], frozenset[int]]:
    """The places of the statements that restrain answers, and of the unconditional among them."""

    def work() -> list[list[int]]:
        return [
            [place for place, node in enumerate(rules.statements) if holds(node)]
            for holds in (restrains, is_unconditional)
        ]

    every, unconditional = rules.remembered.recall("restraints", [], work)
    return frozenset(every), frozenset(unconditional)


def is_core(rule: NamedRule) -> bool:
    """Whether a rule is of the core encoding, without which there is no answer."""
    return rule.file.startswith(_CORE)


def _is_constraint(node: AST) -> bool:
    return node.ast_type is ASTType.Rule and str(node.head) == "#false"


def _is_preference(node: AST) -> bool:
    return node.ast_type is ASTType.Minimize


def _forbids(node: AST) -> bool:
    return node.ast_type is ASTType.Rule and not HARD.isdisjoint(derived(node.head))
