"""A rule set cut in two: what derives evidence, and what decides by them.

Leaving out a rule for evidence changes nothing but evidence. So a pair is grounded once,
with a switch on each such rule; the evidence that is left when one is switched off are
facts for the second part, the machine, which is small and quickly grounded.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo.ast import AST, ASTType

from ists_asp.rules import RuleSet
from ists_asp.syntax.changes import declared, guarded
from ists_asp.syntax.changes import switch as switch_of
from ists_asp.syntax.trees import Signature, derived, derives_atom, is_fact, predicates, walk
from ists_asp.vocabulary import EVIDENCE, WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Set

    from clingo import Symbol

    from ists_asp.rules import NamedRule

_SWITCH = "__on"
_EVIDENCE = EVIDENCE.signature
_WEIGHT = WEIGHT.signature
_TARGETS = ("pair", "link", "side")
_MACHINE = "asp/"
_CHOICES = (ASTType.Aggregate, ASTType.HeadAggregate, ASTType.Disjunction)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a rule set.

    ``features`` are the statements that derive evidence, each rule for evidence about alignments
    and labels with a switch; ``switched`` has the numbers of the switches by the rules' names.
    ``decide`` are the rules that decide by evidence, without the weights; ``given`` the
    predicates that they take from the first part; ``asked`` the names of the functions whose
    weights they ask for, rather than for those of evidence.
    """

    features: tuple[AST, ...]
    switched: Mapping[str, tuple[int, ...]]
    decide: RuleSet
    given: frozenset[Signature]
    asked: frozenset[str]


def switch(number: int) -> Symbol:
    """The atom that a switch is."""
    return switch_of(_SWITCH, number)


def cut(rules: RuleSet) -> Parts:
    """Cut a rule set in two."""
    both = list(zip(rules.statements, rules.rules, strict=True))
    deciding = _deciding(both)
    decide: list[tuple[AST, NamedRule]] = []
    features: list[AST] = []
    switched: dict[str, list[int]] = defaultdict(list)
    number = 0
    for node, rule in both:
        if node.ast_type is not ASTType.Rule:
            if node.ast_type is not ASTType.Program:
                decide.append((node, rule))
            if node.ast_type in (ASTType.Definition, ASTType.Defined):
                features.append(node)
            continue
        heads, used = derived(node.head), _used(node)
        if is_fact(node) and heads == {_WEIGHT}:
            continue
        if heads & deciding or (not heads and used & deciding):
            decide.append((node, rule))
        if heads & deciding and (used & deciding or _WEIGHT in used):
            continue
        if _target(node) in _TARGETS:
            number += 1
            switched[rule.name].append(number)
            features.append(guarded(node, _SWITCH, number))
        elif node.head.ast_type not in _CHOICES and (heads or not used & deciding):
            features.append(node)
    features += declared(_SWITCH, number)
    taken = {key for node, _ in decide for key in _taken(node)}
    return Parts(
        tuple(node for node in features if node.ast_type is not ASTType.Program),
        {name: tuple(numbers) for name, numbers in switched.items()},
        RuleSet(
            rules.files,
            tuple(node for node, _ in decide),
            tuple(rule for _, rule in decide),
            (),
        ),
        frozenset(taken - deciding - {_WEIGHT}),
        frozenset(name for node, _ in decide for name in _arguments([node], _WEIGHT)),
    )


def _deciding(both: Iterable[tuple[AST, NamedRule]]) -> set[Signature]:
    """What is chosen, or weighed by evidence of alignments and labels, and what rests on it."""
    rules = [
        (derived(node.head), _used(node), rule.file.startswith(_MACHINE), node)
        for node, rule in both
        if node.ast_type is ASTType.Rule
    ]
    chosen = {key for heads, *_, node in rules if node.head.ast_type in _CHOICES for key in heads}
    weighed = {
        key
        for heads, used, machine, node in rules
        if machine and _WEIGHT in used and set(_arguments(node.body, _EVIDENCE)) & set(_TARGETS)
        for key in heads
    }
    while True:
        before = len(chosen) + len(weighed)
        for heads, used, machine, _ in rules:
            if used & chosen:
                chosen |= heads
            elif machine and used & weighed:
                weighed |= heads
        if len(chosen) + len(weighed) == before:
            return chosen | weighed


def _used(rule: AST) -> set[Signature]:
    """The predicates in the conditions of a rule, those in its head included."""
    used = {key for part in rule.body for key in predicates(part)}
    if rule.head.ast_type in _CHOICES:
        used |= predicates(rule.head) - derived(rule.head)
    return used


def _taken(node: AST) -> Set[Signature]:
    """The predicates whose atoms a statement needs."""
    if node.ast_type is ASTType.ShowSignature:
        return {Signature(node.name, node.arity)}
    return _used(node) if node.ast_type is ASTType.Rule else predicates(node)


def _target(rule: AST) -> str:
    """What the evidence is about that a rule derives; empty if it derives none."""
    return next(_arguments([rule.head], _EVIDENCE), "") if derives_atom(rule) else ""


def _arguments(nodes: Iterable[AST], predicate: Signature) -> Iterator[str]:
    """The names of the functions that are the first arguments of a predicate's atoms."""
    for part in (part for node in nodes for part in walk(node)):
        if part.ast_type is ASTType.Function and (part.name, len(part.arguments)) == predicate:
            first = part.arguments[0]
            if first.ast_type is ASTType.Function:
                yield first.name
