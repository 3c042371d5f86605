"""Hard rules, constraints and preferences that changed a decision: it is decided without each.

What forbids, and what is weighed beside the evidence, leaves no trace in the sums of a decision.
So the pair is decided once more without each such rule of ``lp_rules/`` or of the user's that
bears on it; where the decision is another one then, the rule is a reason.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
from clingo.ast import ASTType

from ists_asp.errors import IstsError
from ists_asp.solver import Solver
from ists_asp.syntax.signatures import derived, is_fact
from ists_asp.trace.view.contrast import RulePlace
from ists_asp.trace.view.decisions import PREDICATES, told
from ists_asp.vocabulary import (
    FORBIDDEN_LABEL,
    FORBIDDEN_PAIR,
    FORBIDDEN_SCORE,
    MUST_JOIN,
    MUST_SPLIT,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clingo.ast import AST

    from ists_asp.rules import NamedRule, RuleSet
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.trace import Trace
    from ists_asp.trace.view.decisions import Decision

__all__ = ["Restraint", "restraints"]

MOST = 20
"""So many rules are tried at most."""

_HARD = frozenset(
    one.signature
    for one in (FORBIDDEN_LABEL, FORBIDDEN_PAIR, FORBIDDEN_SCORE, MUST_SPLIT, MUST_JOIN)
)
_MACHINE = "asp/"


class Restraint(msgspec.Struct, frozen=True):
    """A rule without which decisions would be others: its words, its place, what would be."""

    sentence: str
    rule: RulePlace
    instead: tuple[str, ...]


def restraints(trace: Trace, decisions: Sequence[Decision]) -> tuple[Restraint, ...]:
    """The hard rules, constraints and weak constraints that changed decisions.

    Args:
        trace: the trace of the answer.
        decisions: those that are asked about.
    """
    wanted = {one.atom for one in decisions}
    ours = {atom for atom in trace.best.shown if atom.name in PREDICATES}
    found = []
    for place, rule in list(_bearing(trace))[:MOST]:
        try:
            other = _without(trace, place)
        except IstsError:
            # Whatever has no answer without the rule says nothing about it.
            continue
        if wanted - other:
            instead = tuple(told(trace, sorted(other - ours)))
            found.append(Restraint(_says(trace, rule), RulePlace.of(rule), instead))
    return tuple(found)


def _bearing(trace: Trace) -> Iterator[tuple[int, NamedRule]]:
    """The rules that may have restrained the answer, by their places among the statements."""
    fired = {
        firing.probe.rule.name
        for firings in trace.firings.by_head.values()
        for firing in firings
        if (firing.head.name, len(firing.head.arguments)) in _HARD
    }
    rules = trace.reified.rules
    for place, (node, rule) in enumerate(zip(rules.statements, rules.rules, strict=True)):
        if rule.file.startswith(_MACHINE):
            continue
        if _is_preference(node) or _is_constraint(node) or rule.name in fired or _forbids(node):
            yield place, rule


def _is_preference(node: AST) -> bool:
    return node.ast_type is ASTType.Minimize


def _forbids(node: AST) -> bool:
    """Whether it is a fact of a hard rule, which fires for no pair in particular."""
    return (
        node.ast_type is ASTType.Rule and is_fact(node) and not _HARD.isdisjoint(derived(node.head))
    )


def _is_constraint(node: AST) -> bool:
    return node.ast_type is ASTType.Rule and str(node.head) == "#false"


def _without(trace: Trace, place: int) -> set[Ground]:
    """The decisions of the best answer without a rule."""
    rules = trace.reified.rules
    less: RuleSet = replace(
        rules,
        statements=(*rules.statements[:place], *rules.statements[place + 1 :]),
        rules=(*rules.rules[:place], *rules.rules[place + 1 :]),
    )
    best = Solver(less, trace.reified.solver.options).best(trace.answer.pair, trace.facts)
    return {atom for atom in best.shown if atom.name in PREDICATES}


def _says(trace: Trace, rule: NamedRule) -> str:
    """What a rule says where it fired, or its own words."""
    for firings in trace.firings.by_head.values():
        for firing in firings:
            if firing.probe.rule is rule:
                return trace.says(firing)
    return rule.sentence or " ".join(rule.text.split())
