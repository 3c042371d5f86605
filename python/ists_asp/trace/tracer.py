"""From a pair to the trace of its answer.

1. The original program gives the best answer set.
2. The rewritten program (:mod:`ists_asp.trace.probes`) is grounded over its atoms and gives the
   firings; tables, which are the same for all pairs, are traced once, and the elements of
   aggregates on request. Pairs that were solved together are traced together.
3. The trace must account for the answer: :func:`ists_asp.trace.trace.check`.

:class:`Coverage` says only which rules fire in a run.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any

from clingo import Control, Symbol

from ists_asp.errors import IstsError, TraceError
from ists_asp.model import Answer, Subject
from ists_asp.resources import gc_paused
from ists_asp.rules import RuleSet
from ists_asp.solver import Best, Solver
from ists_asp.solver.batch import batches
from ists_asp.solver.search import Item
from ists_asp.syntax.ground import Ground, texts
from ists_asp.trace.decisions import PREDICATES, Decision, decisions
from ists_asp.trace.grounding import Grounding, RuleInstance
from ists_asp.trace.instances import RuleInstances
from ists_asp.trace.near_misses import NearMisses
from ists_asp.trace.reified import Names, ReifiedRules
from ists_asp.trace.rendering import Grower, document, render
from ists_asp.trace.trace import Trace, check
from ists_asp.trace.why import Why, WhyNot, why, why_not
from ists_asp.vocabulary import MUST_JOIN, MUST_SPLIT


def _reach(traces: Sequence[Trace]) -> None:
    """Find the elements of all firings that decisions rest on, for all pairs at a time.

    Each grounding takes clingo a fixed time, so that it is done in waves: the atoms that decisions
    rest on, the atoms counted for these, and so on. For a single pair it is done on demand.
    """
    together = [trace for trace in traces if trace.best.together is not None]
    walks = [(trace.firings.grounding, _waves(trace)) for trace in together]
    while True:
        wanted: dict[Grounding, list[RuleInstance]] = defaultdict(list)
        for shared, walk in walks:
            wanted[shared] += next(walk)
        if not any(wanted.values()):
            break
        for shared, firings in wanted.items():
            shared.want(firings)


def _waves(trace: Trace) -> Iterator[list[RuleInstance]]:
    """The firings that are reached and whose elements are not known, until there is none such."""
    visited: set[Ground] = set()
    queue = [atom for name in PREDICATES for atom in trace.atoms(name)]
    queue += chain.from_iterable(firing.positive for firing in trace.firings.objective)
    while True:
        waiting: list[RuleInstance] = []
        while queue:
            atom = queue.pop()
            if atom not in visited:
                visited.add(atom)
                for firing in trace.reasons(atom)[:1]:
                    queue += firing.positive
                    if firing.probe.companions and trace.is_own(firing):
                        waiting.append(firing)
        yield waiting
        queue += chain.from_iterable(map(trace.firings.counted, waiting))


class AskedTrace(Trace):
    """A trace that says why a decision was taken, and why another one was not."""

    rating: AskedTrace | None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.answer!r}>"

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def text(
        self, chosen: Iterable[Decision] | None = None, depth: int = 2, everything: bool = False
    ) -> str:
        """A tree for each decision, or for those that are chosen, and for the rating."""
        pair = self.answer.pair
        lines = [f"Pair {pair.id}", f"  1: {pair.sent1.text}", f"  2: {pair.sent2.text}"]
        items = [(self, decision) for decision in (decisions(self) if chosen is None else chosen)]
        if self.rating is not None:
            items += [(self.rating, decision) for decision in decisions(self.rating)]
        for trace, decision in items:
            lines += ["", *render(Grower(trace, depth, everything=everything).decision(decision))]
        return "\n".join(lines) + "\n"

    def to_dict(self, *, compare: bool = True) -> dict[str, Any]:
        """The trace by its schema; to ``compare`` with what came second takes a search each."""
        return document(self, compare=compare)

    def why(self, *decision: str) -> Why:
        """Why a decision of the answer was taken; see :meth:`ists_asp.engine.SolvedAnswer.why`."""
        return why(self, self.nearest, *decision)

    def why_not(self, *decision: str) -> WhyNot:
        """Why it was not taken; see :meth:`ists_asp.engine.SolvedAnswer.why_not`."""
        return why_not(self, self.nearest, *decision)

    @cached_property
    def nearest(self) -> NearMisses:
        """Looks for the rules that come nearest to deriving an atom."""
        return NearMisses(self)


class Tracer:
    """Explains answers of a solver by rules; a RuleError for rules that cannot be traced."""

    def __init__(
        self, rules: RuleSet, solver: Solver[Answer], knowledge: Sequence[str] = ()
    ) -> None:
        self.solver = solver
        self.reified = ReifiedRules(rules, solver, knowledge)

    def trace(self, subject: Subject, facts: Sequence[Symbol]) -> AskedTrace:
        """Decide about a subject, such as a pair, and trace the answer."""
        with gc_paused():
            return self._alone(facts, self.solver.best(subject, facts))

    def trace_all(self, items: Iterable[Item]) -> Iterator[AskedTrace]:
        """Decide and trace pairs lazily, in their order; several share their grounding."""
        return chain.from_iterable(map(self._some, batches(items)))

    def _some(self, items: Sequence[Item]) -> Iterator[AskedTrace]:
        """The traces of the pairs of a batch; those before an error come first."""
        traces: list[AskedTrace] = []
        failure: IstsError | None = None
        began = time.process_time()
        with gc_paused():
            try:
                traces += self._each(items)
            except IstsError as error:
                failure = error
            _reach(traces)
        elapsed = time.process_time() - began
        for trace in traces:
            trace.seconds = elapsed / len(traces)
        yield from traces
        if failure is not None:
            raise failure

    def _each(self, items: Sequence[Item], names: Names = None) -> Iterator[AskedTrace]:
        """The traces of pairs; those that were decided together are traced together."""
        rewritten = self.reified.rewritten(self.solver.program, names)
        shared: dict[int, Grounding] = {}
        best_of_all = self.solver.best_of_all(items, lambda: rewritten.paired)
        for (pair, facts), best in zip(items, best_of_all, strict=True):
            if (together := best.together) is None:
                yield self._alone(facts, best, names)
                continue
            new = Grounding(together.control, lambda: rewritten.paired_later, together)
            try:
                trace = self._make(facts, best, shared.setdefault(id(together), new), names)
            except TraceError:
                # The error names the pair if it is traced alone.
                trace = self.trace(pair, facts)
            yield trace

    def fired(self, items: Iterable[Item], names: Iterable[str]) -> Iterator[AskedTrace]:
        """Decide pairs as :meth:`trace_all` does, and find the firings of rules with some names.

        These traces know of no other rules, so that they do not account for their answers.
        """
        return self._each(list(items), frozenset(names))

    def _alone(
        self, facts: Sequence[Symbol], best: Best[Answer], names: Names = None
    ) -> AskedTrace:
        rewritten = self.reified.rewritten(best.program, names)
        control = rewritten.ground(best.atoms)
        return self._make(facts, best, Grounding(control, lambda: rewritten.later), names, control)

    def _make(
        self,
        facts: Sequence[Symbol],
        best: Best[Answer],
        grounding: Grounding,
        names: Names = None,
        control: Control | None = None,
    ) -> AskedTrace:
        rewritten = self.reified.rewritten(best.program, names)
        inputs = frozenset(texts(facts))
        certain = rewritten.known | inputs
        true = certain.union(*best.atoms.values())
        probes, strata = rewritten.live(best.atoms), rewritten.strata
        firings = RuleInstances(probes, grounding, strata, true, certain, best.number)
        trace = AskedTrace(
            self.reified, best.answer, best, tuple(facts), firings, rewritten, true, inputs, control
        )
        if names is None:
            check(trace)
        return trace


@dataclass(slots=True)
class Coverage:
    """The names of the rules that fired in some pairs, and of the predicates that had atoms."""

    fired: set[str] = field(default_factory=set)
    predicates: set[str] = field(default_factory=set)
    # Rules of which one begins a chunk where the other joins it, with an example: "of" in pair 12.
    clashes: dict[tuple[str, str], str] = field(default_factory=dict)

    def add(self, trace: Trace) -> None:
        """Add all firings of a pair, whether or not a decision rests on them."""
        pair, best = trace.answer.pair, trace.best
        by_head: dict[Ground, list[str]] = defaultdict(list)
        for firing in chain(trace.firings.deriving, trace.tables.deriving):
            by_head[firing.head].append(firing.probe.rule.name)
        for at in (head.arguments for head in by_head if head.name == MUST_SPLIT.name):
            sentence = pair.sent1 if at[0] == "1" else pair.sent2
            example = f'"{sentence.words((int(at[1]),))}" in pair {pair.id}'
            heads = (Ground(both.text(*at)) for both in (MUST_SPLIT, MUST_JOIN))
            splits, joins = (by_head.get(head, ()) for head in heads)
            self.clashes |= {(split, join): example for split in splits for join in joins}
        self.fired.update(trace.firings.by_rule, trace.tables.by_rule)
        self.predicates.update(best.atoms, trace.rewritten.known_by_name)
