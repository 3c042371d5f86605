"""Why a decision is forbidden: one minimal set of constraints that exclude it.

Constraints and the bounds of choices get a condition each that can be switched off; what
must be on for there to be no answer is shrunk one by one. There may be other such sets.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from clingo import Control, Symbol
from clingo.ast import (
    AST,
    ASTType,
    BooleanConstant,
    ComparisonOperator,
    External,
    Function,
    Literal,
    ProgramBuilder,
    Rule,
    Sign,
    Variable,
)

from ists_asp.syntax.changes import PREFIX, atom, tuple_of
from ists_asp.syntax.ground import texts
from ists_asp.trace.core.reified_rule import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.reified_rule import ReifiedRule
    from ists_asp.trace.core.trace import Trace

Instance: TypeAlias = "tuple[ReifiedRule, dict[str, Ground]]"
"""A constraint or a bound with values for its variables."""

_AGGREGATES = (ASTType.Aggregate, ASTType.BodyAggregate)


def conflict(trace: Trace, assumptions: Sequence[tuple[Symbol, bool]]) -> list[Instance] | None:
    """One minimal set of constraints that admit no answer with these atoms.

    Returns:
        The constraints and choice bounds with values for their variables; None if there is no
        answer without any constraint either.
    """
    guards: dict[str, ReifiedRule] = {}
    control = _guarded(trace, guards)
    switches = {
        found.literal: found.symbol
        for name in guards
        for found in control.symbolic_atoms.by_signature(name, 1)
    }
    fixed = []
    for symbol, true in assumptions:
        found = control.symbolic_atoms[symbol]
        if found is not None:
            fixed.append(found.literal if true else -found.literal)
        elif true:
            return None

    def core(literals: Sequence[int]) -> list[int] | None:
        with control.solve(assumptions=[*fixed, *literals], yield_=True) as handle:
            if handle.get().satisfiable:
                return None
            wanted = set(literals)
            return [literal for literal in handle.core() if literal in wanted]

    kept = core(list(switches))
    if kept is None:
        # The answer changed without an objective: nothing is forbidden after all.
        return []
    index = 0
    while index < len(kept):
        smaller = core(kept[:index] + kept[index + 1 :])
        if smaller is None:
            index += 1
        else:
            order = {literal: place for place, literal in enumerate(kept)}
            kept = sorted(smaller, key=order.__getitem__)
            index = min(index, len(kept))
    if not kept:
        return None
    result = []
    for literal in kept:
        symbol = switches[literal]
        probe = guards[symbol.name]
        values = zip(probe.variables, texts(symbol.arguments[0].arguments), strict=True)
        result.append((probe, dict(values)))
    return result


def _guarded(trace: Trace, guards: dict[str, ReifiedRule]) -> Control:
    """The pair's program, ground, with a switch for each instance of a constraint."""
    program = trace.best.program
    by_rule: dict[tuple[str, int, int], list[ReifiedRule]] = {}
    for probe in trace.reified.probes:
        if probe.kind.forbids:
            rule = probe.rule
            by_rule.setdefault((rule.file, rule.line, rule.column), []).append(probe)
    places = {
        id(statement): (rule.file, rule.line, rule.column)
        for statement, rule in zip(
            trace.reified.rules.statements, trace.reified.rules.rules, strict=True
        )
    }
    control = Control(
        ["--opt-mode=ignore", *trace.reified.solver.arguments], logger=lambda _code, _text: None
    )
    with control.backend() as backend:
        for fact in chain(program.facts, trace.facts):
            backend.add_rule([backend.add_atom(fact)])
    with ProgramBuilder(control) as builder:
        for statement in program.statements:
            found = by_rule.get(places[id(statement)], ())
            kind = statement.head.ast_type if statement.ast_type is ASTType.Rule else None
            if not found or kind is ASTType.Disjunction:
                builder.add(statement)
                continue
            if any(probe.kind is Kind.BOUND for probe in found):
                free = statement.head.update(left_guard=None, right_guard=None)
                builder.add(statement.update(head=free))
            for probe in found:
                for written in _switch(probe):
                    guards[f"{PREFIX}on_{probe.name}"] = probe
                    builder.add(written)
    control.ground([("base", [])])
    return control


def _switch(probe: ReifiedRule) -> list[AST]:
    """A constraint that holds where its switch is on, and the switch, which is free."""
    assert probe.statement is not None
    place = probe.statement.location
    variables = tuple_of(place, [Variable(place, variable) for variable in probe.variables])
    switch = atom(place, f"{PREFIX}on_{probe.name}", [variables])
    outer = [
        part
        for part in probe.body
        if part.ast_type is ASTType.Literal
        and part.sign == Sign.NoSign
        and (part.atom.ast_type not in _AGGREGATES or _assigns(part.atom))
    ]
    # Atoms in the body of #external say for which instances, not when.
    external = External(place, switch.atom, outer, Function(place, "free", [], 0))
    false = Literal(place, Sign.NoSign, BooleanConstant(0))
    return [external, Rule(place, false, [*probe.statement.body, switch])]


def _assigns(aggregate: AST) -> bool:
    guard = aggregate.left_guard
    return guard is not None and guard.comparison == ComparisonOperator.Equal
