"""What would be without a rule: what hard rules and constraints change, and what they forbid.

What forbids, and what is weighed beside the evidence, leaves no trace in the sums of a decision.
So the pair is decided once more without each such rule of ``lp_rules/`` or of the user's that
bears on it; where the decision is another one then, the rule is a reason.

For a decision that no answer has, constraints and the bounds of choices get a condition each that
can be switched off; what must be on for there to be no answer is shrunk one by one. There may be
other such sets.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import msgspec
from clingo import Control, Symbol
from clingo.ast import (
    AST,
    ASTType,
    ComparisonOperator,
    External,
    Function,
    ProgramBuilder,
    Sign,
    Variable,
)

from ists_asp.errors import IstsError
from ists_asp.rules.catalogue import HARD, is_core
from ists_asp.syntax.changes import PREFIX, atom, off, tuple_of
from ists_asp.syntax.ground import Atoms, texts
from ists_asp.trace.decisions import decided
from ists_asp.trace.evidence import RulePlace
from ists_asp.trace.probes import Kind, parsed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from ists_asp.rules import NamedRule
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.decisions import Decided, Decision
    from ists_asp.trace.probes import Probe
    from ists_asp.trace.trace import Trace

MOST = 20
"""So many rules are tried at most."""


class Restraint(msgspec.Struct, frozen=True):
    """A rule without which decisions would be others: its words, its place, what would be."""

    sentence: str
    rule: RulePlace
    instead: tuple[str, ...]


def restraints(
    trace: Trace,
    decisions: Sequence[Decision] | None = None,
    absent: Collection[Decided] = (),
) -> tuple[Restraint, ...]:
    """The hard rules, constraints and weak constraints that changed decisions.

    Asked about are some ``decisions``, by default all, and some that the answer does not have.
    """
    ours = decided(trace.answer)
    wanted = ours.keys() if decisions is None else {one.decided for one in decisions}
    found = []
    for place, rule in list(bearing(trace))[:MOST]:
        other = without(trace, place)
        if other is not None:
            about = (wanted - other.keys()) | (other.keys() & absent)
            if about or (decisions is None and other != ours):
                instead = tuple(text for key, text in other.items() if key not in ours)
                found.append(Restraint(said(trace, rule, about), RulePlace.of(rule), instead))
    return tuple(found)


def bearing(trace: Trace) -> Iterator[tuple[int, NamedRule]]:
    """The rules that may have restrained the answer, with their places among the statements."""
    fired = {
        firing.probe.rule.name
        for firing in trace.firings.deriving
        if (firing.head.name, len(firing.head.arguments)) in HARD
    }
    every, unconditional = trace.reified.restraining
    for place in sorted(every | unconditional):
        rule = trace.reified.rules.rules[place]
        if not is_core(rule) and (place in unconditional or rule.name in fired):
            yield place, rule


def without(trace: Trace, place: int) -> Mapping[Decided, str] | None:
    """The decisions of the best answer without a rule; None if there is no answer then."""
    facts = Atoms.of(trace.facts).with_more([off(place)])
    try:
        solution = trace.reified.switched.solve(trace.answer.pair, facts)
    except IstsError:
        # Whatever has no answer without the rule says nothing about it.
        return None
    return decided(solution.answers[0])


def said(trace: Trace, rule: NamedRule, about: Iterable[Decided] = ()) -> str:
    """What a rule says where it fired, or its own words.

    ``about`` are the decisions in question: of what fired, that counts which is about their tokens.
    """
    wanted = {
        (side, token)
        for _, *sides, _ in about
        for side, tokens in enumerate(sides, start=1)
        for token in tokens
    }
    fired = [firing for firing in trace.firings.deriving if firing.probe.rule is rule]
    if fired:
        return trace.says(max(fired, key=lambda one: len(wanted & trace.words.about(one.head))))
    return rule.sentence or " ".join(rule.text.split())


Instance: TypeAlias = "tuple[Probe, dict[str, Ground]]"
"""A constraint or a bound with values for its variables."""

_AGGREGATES = (ASTType.Aggregate, ASTType.BodyAggregate)


def conflict(trace: Trace, assumptions: Sequence[tuple[Symbol, bool]]) -> list[Instance] | None:
    """One minimal set of constraints and bounds that admit no answer with these atoms.

    None if there is no answer without any constraint either.
    """
    control, guards = _guarded(trace)
    switches = {
        found.literal: found.symbol
        for name in guards
        for found in control.symbolic_atoms.by_signature(name, 1)
    }
    fixed = []
    for symbol, true in assumptions:
        atom = control.symbolic_atoms[symbol]
        if atom is not None:
            fixed.append(atom.literal if true else -atom.literal)
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
            kept = [literal for literal in kept if literal in smaller]
    if not kept:
        return None
    symbols = [switches[literal] for literal in kept]
    probes = [guards[symbol.name] for symbol in symbols]
    return [
        (probe, dict(zip(probe.variables, texts(symbol.arguments[0].arguments), strict=True)))
        for probe, symbol in zip(probes, symbols, strict=True)
    ]


def _guarded(trace: Trace) -> tuple[Control, dict[str, Probe]]:
    """The pair's program, ground, with a switch for each instance of a constraint, by its name."""
    guards: dict[str, Probe] = {}
    program, reified = trace.best.program, trace.reified
    probes = {
        id(statement): [probe for probe in each if probe.kind.forbids]
        for statement, each in zip(reified.rules.statements, reified.by_statement, strict=True)
    }
    control = Control(
        ["--opt-mode=ignore", *reified.solver.arguments], logger=lambda _code, _text: None
    )
    with control.backend() as backend:
        for fact in chain(program.facts, trace.facts):
            backend.add_rule([backend.add_atom(fact)])
    with ProgramBuilder(control) as builder:
        for statement in program.statements:
            found = probes[id(statement)]
            kind = statement.head.ast_type if statement.ast_type is ASTType.Rule else None
            if not found or kind is ASTType.Disjunction:
                builder.add(statement)
                continue
            if any(probe.kind is Kind.BOUND for probe in found):
                free = statement.head.update(left_guard=None, right_guard=None)
                builder.add(statement.update(head=free))
            for probe in found:
                name = f"{PREFIX}on_{probe.name}"
                guards[name] = probe
                for written in _switch(probe, name):
                    builder.add(written)
    control.ground([("base", [])])
    return control, guards


def _switch(probe: Probe, name: str) -> list[AST]:
    """A constraint that holds where its switch is on, and the switch, which is free."""
    (own,) = parsed(probe.own)
    place = own.location
    variables = tuple_of(place, [Variable(place, variable) for variable in probe.variables])
    switch = atom(place, name, [variables])
    outer = [
        part
        for part in probe.body
        if part.ast_type is ASTType.Literal
        and part.sign == Sign.NoSign
        and (part.atom.ast_type not in _AGGREGATES or _assigns(part.atom))
    ]
    # Atoms in the body of #external say for which instances, not when.
    external = External(place, switch.atom, outer, Function(place, "free", [], 0))
    return [external, own.update(body=[*own.body, switch])]


def _assigns(aggregate: AST) -> bool:
    guard = aggregate.left_guard
    return guard is not None and guard.comparison == ComparisonOperator.Equal
