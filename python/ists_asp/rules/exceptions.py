"""Exceptions to rules: conditions below ``%@except NAME "why"``.

The variables that a condition shares with its rule say which instances do not fire. The condition
becomes a rule for ``excepted(NAME,(V,...))`` with these variables, and the other rule one that
asks whether that holds, so that clingo, traces and ``why-not`` see nothing but rules. Where the
condition gives a shared variable no value, it is joined with what the rule asks for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

import clingo
from clingo.ast import AST, ASTType, Defined, Sign, SymbolicTerm, Variable

from ists_asp.errors import RuleError, suggest
from ists_asp.rules.directives import NamedRule
from ists_asp.syntax.trees import atom, derived, is_atom, predicates, tuple_of, variable_names

EXCEPTED = "excepted"


def apply_exceptions(
    statements: list[AST], rules: list[NamedRule], report: Callable[[RuleError], None]
) -> None:
    """Rewrite exceptions and their rules in place; an exception to no rule here says nothing.

    ``report`` gets an error for each exception to a fact.
    """
    named = defaultdict[str, list[int]](list)
    for index, named_rule in enumerate(rules):
        if named_rule.sentence is not None:
            named[named_rule.name.rstrip("'")].append(index)
    denied = defaultdict[int, list[AST]](list)
    for index, exception in enumerate(rules):
        if not exception.excepts:
            continue
        condition, targets = statements[index], named.get(exception.excepts)
        statements[index] = Defined(condition.location, EXCEPTED, 2, 1)
        if targets:
            # Of its own file, or else the first.
            target = min(targets, key=lambda index: rules[index].file != exception.file)
            rule = statements[target]
            if not rule.body:
                found = f"{exception.excepts} is a fact"
                report(_error(exception, found, expected="a rule with conditions"))
                continue
            shared = sorted(variable_names(condition) & variable_names(rule))
            location = condition.location
            variables = tuple_of(location, [Variable(location, name) for name in shared])
            target_name = SymbolicTerm(location, clingo.Function(rules[target].name))
            head = atom(location, EXCEPTED, [target_name, variables])
            atoms = [literal for literal in condition.body if is_atom(literal, Sign.NoSign)]
            free = {*shared}.difference(*map(variable_names, atoms))
            heads = derived(rule.head) if rule.ast_type is ASTType.Rule else frozenset()
            if free and not heads.isdisjoint(key for part in rule.body for key in predicates(part)):
                found = f"{exception.excepts} rests on itself, and the condition says no more of "
                expected = "conditions that give these variables values"
                report(_error(exception, found + ", ".join(sorted(free)), expected=expected))
                continue
            body = [*condition.body, *(rule.body if free else ())]
            statements[index] = condition.update(head=head, body=body)
            denied[target].append(head.update(sign=Sign.Negation))
        rules[index] = replace(exception, text=str(statements[index]))
    for target, negations in denied.items():
        rule = statements[target]
        statements[target] = rule.update(body=[*rule.body, *negations])
        rules[target] = replace(rules[target], text=str(statements[target]))


def refuse_unused(
    statements: Sequence[AST], rules: Sequence[NamedRule], names: Callable[[], set[str]]
) -> None:
    """Refuse an exception to a rule that is neither here nor among other ``names``."""
    for node, rule in zip(statements, rules, strict=True):
        if rule.excepts and node.ast_type is ASTType.Defined and rule.excepts not in names():
            candidates = {other.name for other in rules if other.sentence is not None} | names()
            hint = suggest(rule.excepts, candidates, "ists-asp rules list shows all names")
            raise _error(rule, f"no rule is called {rule.excepts}", hint=hint)


def _error(exception: NamedRule, found: str, **details: str | None) -> RuleError:
    return RuleError(found, where=f"{exception.file}:{exception.line}", **details)
