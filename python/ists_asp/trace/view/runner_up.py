"""What came second to a decision: the best answer without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo import parse_term

from ists_asp.trace.view.decisions import PREDICATES, DecisionKind
from ists_asp.vocabulary import ALIGNED, LABEL, SCORE

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.trace import Trace
    from ists_asp.trace.view.decisions import Decision

_ONE_LINK = (ALIGNED.name, LABEL.name, SCORE.name)


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The best answer without a decision.

    ``by`` is what the decision gains over it at each priority that differs, the most
    important first; ``gone`` and ``come`` are the decisions that differ.
    """

    by: tuple[tuple[int, int], ...]
    gone: tuple[Ground, ...]
    come: tuple[Ground, ...]


def runner_up(trace: Trace, decision: Decision) -> RunnerUp | None:
    """The best answer without a decision, all decisions before it kept.

    An alignment is compared with all answers without it, a label with other labels of the
    pair, a score with its other scores. None where there is no such answer, or no choice.
    """
    name = decision.atom.name
    if decision.atom not in trace.best.undecided(name, _arity(name)):
        return None
    if decision.kind is DecisionKind.ALIGN:
        found, _ = trace.reified.solver.with_atoms(
            trace.facts, [(parse_term(decision.atom), False)]
        )
        if found is None:
            return None
        cost = dict(zip(found.priorities, found.cost, strict=True))
        shown = {atom for atom in found.shown if atom.name in PREDICATES}
        ours = {atom for atom in trace.best.shown if atom.name in PREDICATES}
    elif decision.kind in (DecisionKind.LABEL, DecisionKind.SCORE):
        other = _otherwise(trace, decision)
        if other is None:
            return None
        cost, shown, ours = other[0], set(other[1]), set(other[2])
    else:
        return None
    return RunnerUp(
        difference(trace, cost), tuple(sorted(ours - shown)), tuple(sorted(shown - ours))
    )


def _otherwise(
    trace: Trace, decision: Decision
) -> tuple[dict[int, int], Set[Ground], Set[Ground]] | None:
    """The best answer with another label, or score, for a pair, all else the same.

    Its cost by priority, and of what may differ what it has and what the answer has.
    """
    best = trace.best
    link = decision.atom.arguments[:2]
    open_ = {name: best.undecided(name, arity) for name, (_, arity) in PREDICATES.items()}
    assumptions = [-open_[decision.atom.name][decision.atom]]
    for name in _ONE_LINK:
        for symbol, literal in open_[name].items():
            own = symbol.arguments[:2] == link
            if not own or name == ALIGNED.name or (name == LABEL.name and decision.kind == "score"):
                assumptions.append(literal if symbol in trace.true else -literal)
    # Nothing else can differ when so much is kept.
    literals = {
        symbol: literal
        for name, symbols in open_.items()
        for symbol, literal in symbols.items()
        if name not in _ONE_LINK or symbol.arguments[:2] == link
    }
    other = best.other(assumptions, literals, trace.reified.solver.options.time_limit)
    if other is None:
        return None
    return *other, literals.keys() & trace.true


def difference(trace: Trace, other: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    """What the answer gains over one with another cost, by priority."""
    own = dict(zip(trace.best.found.priorities, trace.best.found.cost, strict=True))
    return tuple(
        (priority, other.get(priority, 0) - own.get(priority, 0))
        for priority in sorted(own.keys() | other.keys(), reverse=True)
        if other.get(priority, 0) != own.get(priority, 0)
    )


def _arity(name: str) -> int:
    return PREDICATES[name][1]
