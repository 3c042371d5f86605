"""Questions about single pairs, which are annotated; the command line and the workbench ask them.

Each is for a process with a system (see :mod:`~ists_asp.run.worker`). What it answers can be
pickled: a trace holds the ground program and stays in the process.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ists_asp.engine import System
from ists_asp.engine.answer import SolvedAnswer
from ists_asp.model import Answer, Pair, Rating
from ists_asp.solver import Solver

if TYPE_CHECKING:
    from ists_asp.evaluate.scorer import Reference
    from ists_asp.trace import AskedTrace
    from ists_asp.trace.effects import Looked

_TRACES = 4  # traces that are kept, as a pair is asked about more than once


@lru_cache(3)
def with_rules(system: System, rules: tuple[Path, ...], *, checked: bool = True) -> System:
    """A system that differs in its rules; whether their names exist need not be ``checked``."""
    setup = replace(system.setup, rules=rules)
    return System(setup, None if checked else (setup.load_profile(), setup.load_program()))


def decide(system: System, pair: Pair) -> SolvedAnswer:
    """The best answer of a pair."""
    ((best, *_),) = system.decide([pair])
    return SolvedAnswer.of(best, knowledge=system.knowledge, made_by=system.provenance)


def explain(system: System, answer: Answer) -> dict[str, Any]:
    """An answer in words, as JSON values; nothing where the profile has none."""
    return system.explain(answer).to_dict()


def rate(system: System, answer: Answer) -> Rating | None:
    """The rating of an answer; None where the profile does not rate."""
    return system.rate(answer) if system.rates else None


@lru_cache(_TRACES)
def _trace(system: System, pair: Pair) -> AskedTrace:
    return next(system.trace_annotated([pair], rated=system.rates))


def why(
    system: System, pair: Pair, decision: Sequence[str], *, negative: bool = False
) -> dict[str, Any]:
    """Why a decision was taken, or why it was not, as JSON values."""
    trace = _trace(system, pair)
    return (trace.why_not(*decision) if negative else trace.why(*decision)).to_dict()


def shown_trace(
    system: System, pairs: Sequence[Pair], show: Callable[[AskedTrace], object], *, rated: bool
) -> Iterator[tuple[Answer, object]]:
    """The answers of pairs, and what is shown of their traces, ``rated`` where that is possible."""
    for trace in system.trace_annotated(pairs, rated=rated and system.rates):
        yield trace.answer, show(trace)


@lru_cache(_TRACES)
def _switched(system: System, names: frozenset[str]) -> Solver[Answer]:
    """A solver with a switch for each rule of these names."""
    from ists_asp.trace.effects import places

    return system.solver.switched(places(system.rules, names))


def where(
    system: System,
    pairs: Sequence[Pair],
    groups: Mapping[str, Collection[str]],
    gold: Mapping[str, Reference],
    *,
    near: bool = True,
) -> Iterator[tuple[Looked, dict[str, list[str]]]]:
    """The effects of groups of rules in pairs, and, in lines, what those lack that do not fire.

    Of many groups neither this nor the ``near`` decisions are looked for, which takes long.
    """
    from ists_asp.trace.effects import look
    from ists_asp.trace.rendering import render

    names = frozenset(chain.from_iterable(groups.values()))
    told = set[str]()
    for trace in system.trace_annotated(pairs):
        known = gold.get(trace.answer.pair.id)
        looked = look(trace, groups, lambda: _switched(system, names), known, near=near)
        lacking = dict[str, list[str]]()
        for name, effect in looked.effects.items():
            if near and not effect.fired and name not in told:
                nearest = trace.nearest.of_rules(groups[name])
                if lines := [line for branch in nearest for line in render(branch)]:
                    lacking[name] = lines
                    told.add(name)
        yield looked, lacking
