"""Evidence and weights that miss one another."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from clingo.ast import ASTType

from ists_asp.rules.check.finding import Finding, Severity
from ists_asp.rules.weights import Weight, rule_weights
from ists_asp.syntax.ground import Ground
from ists_asp.syntax.terms import Call, atoms, bind, parsed, read
from ists_asp.vocabulary import EVIDENCE, TARGETS, WEIGHT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from ists_asp.rules.check.atoms import Statement
    from ists_asp.rules.check.source import Checked, Weighed
    from ists_asp.syntax.terms import Bindings, Term

_EVIDENCE = EVIDENCE.signature
_WEIGHT = WEIGHT.signature


def check_evidence(checked: Checked) -> Iterator[Finding]:
    """Look for evidence about unknown targets or without weights, and weights without evidence."""
    yield from _targets(checked)
    if checked.weights_files:
        yield from _weights(checked)


def _targets(checked: Checked) -> Iterator[Finding]:
    for statement in checked.statements:
        if statement.node.ast_type is not ASTType.Rule:
            continue
        for atom in atoms(statement.node.head):
            if (atom.name, len(atom.arguments)) != _EVIDENCE:
                continue
            target = read(atom.arguments[0])
            if not isinstance(target, Call):
                continue
            known = TARGETS.get(target.name)
            if known is None or known.arity != len(target.arguments):
                near = get_close_matches(target.name, TARGETS, n=1)
                yield checked.finding(
                    Severity.ERROR,
                    "target",
                    statement.path,
                    atom.arguments[0],
                    f"no evidence is about {target.name}/{len(target.arguments)}",
                    (f"Did you mean {TARGETS[near[0]]}? " if near else "")
                    + "Evidence is about boundary(S,I), pair(X,Y), link(X,Y) or side(S,X,Y)",
                )


def _weights(checked: Checked) -> Iterator[Finding]:
    """Both ways: who weighs what a rule derives, and who derives what is weighed."""
    statements = [one for found in checked.by_file.values() for one in found]
    # What a weight weighs plays no part, so that one file's is as good as another's.
    each = {key: one for found in checked.weights.values() for key, one in found.items()}
    constants = {
        pair for program in checked.plan.programs for pair in program.profile.constants.items()
    }
    every = [*statements, *each.values()]
    makers = rule_weights(
        replace(
            checked.rules,
            statements=tuple(one.node for one in every),
            rules=tuple(one.rule for one in every),
        ),
        constants,
    )
    yield from _unweighed(checked, statements, makers)
    yield from _unmade(checked, statements, makers)


def _unweighed(
    checked: Checked,
    statements: list[Statement],
    makers: Mapping[str, tuple[Weight, ...]],
) -> Iterator[Finding]:
    for statement in statements:
        if statement.path not in checked.plan.own or statement.rule.name not in makers:
            continue
        programs = [one for one in checked.programs_of[statement.path] if one.decides]
        keys = {(one.evidence, one.decision) for one in makers[statement.rule.name]}
        files = {path for one in programs for path in checked.loaded[one]} & checked.weights.keys()
        if programs and not any(keys & checked.weights[path].keys() for path in files):
            yield checked.finding(
                Severity.NOTE,
                "unweighed",
                statement.path,
                (statement.rule.line, statement.rule.column),
                "the evidence that this rule derives has no weight, and counts for nothing",
                "Say what it argues for by argues/3 and weigh it by weight/3, or by ists-asp learn",
                statement.rule.name,
            )


def _unmade(
    checked: Checked,
    statements: list[Statement],
    makers: Mapping[str, tuple[Weight, ...]],
) -> Iterator[Finding]:
    named = _named(statements)
    made: dict[Path, set[Weighed]] = defaultdict(set)
    for statement in statements:
        found = makers.get(statement.rule.name, ())
        made[statement.path].update((one.evidence, one.decision) for one in found)
    for path in checked.plan.own & checked.weights.keys():
        files = {file for one in checked.programs_of[path] for file in checked.loaded[one]}
        there: set[Weighed] = set().union(*(made[file] for file in files))
        for (feature, decision), statement in checked.weights[path].items():
            if (feature, decision) not in there and not _asked((feature, decision), named):
                told = checked.finding(
                    Severity.WARNING,
                    "unmade",
                    path,
                    (statement.rule.line, statement.rule.column),
                    f"no rule derives the evidence {feature} for {decision}",
                    "Check its spelling, or remove the weight",
                    feature,
                )
                if not checked.is_others(told):
                    yield told


def _named(statements: Iterable[Statement]) -> list[tuple[Term, Term]]:
    """The weights that rules ask for by name, rather than for whatever evidence there is."""
    found: list[tuple[Term, Term]] = []
    for statement in statements:
        if WEIGHT.name not in statement.rule.text:
            continue
        node = statement.node
        bodies = [*node.body] if node.ast_type in (ASTType.Rule, ASTType.Minimize) else []
        for atom in (atom for part in bodies for atom in atoms(part)):
            if (atom.name, len(atom.arguments)) == _WEIGHT:
                name, decision = (read(part) for part in atom.arguments[:2])
                if isinstance(name, Call | Ground):
                    found.append((name, decision))
    return found


def _asked(key: Weighed, named: Iterable[tuple[Term, Term]]) -> bool:
    feature, decision = map(parsed, key)
    for one, two in named:
        bound: Bindings = {}
        if bind(one, feature, bound) and bind(two, decision, bound):
            return True
    return False
