"""The trace of an answer: which rules fired, for which atoms, with what weights."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from ists_asp.errors import TraceError, of_pair
from ists_asp.trace.instances import RuleInstances, agrees
from ists_asp.trace.words import Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clingo import Control, Symbol

    from ists_asp.model import Answer
    from ists_asp.solver import Best
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.grounding import Grounding, Group, RuleInstance
    from ists_asp.trace.reified import ReifiedRules, Rewritten
    from ists_asp.vocabulary import Predicate


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the objective that counts in an answer: less is better.

    ``terms``, its tuple, tells it from others of the same weight; ``firings`` are the reasons
    for it, one in most cases.
    """

    priority: int
    weight: int
    terms: tuple[Ground, ...]
    firings: tuple[RuleInstance, ...] = field(compare=False)


@dataclass(eq=False)
class Trace:
    """Why an answer is as it is. Made by :class:`ists_asp.trace.Tracer`.

    ``rating`` is the trace of how the answer is rated, if that was asked for. ``seconds`` says
    how long it took to decide and to trace; pairs that were traced together share their time
    equally.
    """

    reified: ReifiedRules
    answer: Answer
    best: Best[Answer]
    facts: tuple[Symbol, ...]
    firings: RuleInstances
    rewritten: Rewritten
    true: frozenset[Ground]
    given: frozenset[Ground]
    ground: Control | None = None
    rating: Trace | None = None
    seconds: float = 0.0
    _reasons: dict[Ground, tuple[RuleInstance, ...]] = field(default_factory=dict)

    @property
    def tables(self) -> RuleInstances:
        """What derives the facts that hold for every pair."""
        return self.rewritten.tables

    @property
    def cost(self) -> dict[int, int]:
        """What the answer costs, by priority."""
        return dict(zip(self.best.found.priorities, self.best.found.cost, strict=True))

    @cached_property
    def words(self) -> Words:
        """The pair's words, for sentences about it."""
        atoms = chain.from_iterable(map(self.atoms, Words.READ))
        return Words(self.answer.pair, atoms, self.reified.places)

    def atoms(self, name: str) -> tuple[Ground, ...]:
        """The atoms of the answer set with a name, however many arguments they have."""
        return (*self.best.atoms.get(name, ()), *self.rewritten.known_by_name.get(name, ()))

    def matching(self, patterns: Iterable[Ground]) -> Iterator[Ground]:
        """The atoms of the answer set that negated atoms speak of, or others with :data:`ANY`."""
        for pattern in patterns:
            yield from (atom for atom in self.atoms(pattern.name) if agrees(pattern, atom))

    def beginning(self, predicate: Predicate, *start: Ground | None) -> Iterator[Ground]:
        """The atoms of a predicate whose first arguments are these."""
        return (
            atom
            for atom in self.atoms(predicate.name)
            if len(atom.arguments) == predicate.arity and atom.arguments[: len(start)] == start
        )

    @cached_property
    def control(self) -> Control:
        """The rewritten program, ground over the answer set of this pair alone."""
        return self.ground or self.rewritten.ground(self.best.atoms)

    def says(self, firing: RuleInstance) -> str:
        """What a firing means, in words."""
        return self.words.sentence(firing.probe, firing.values)

    @cached_property
    def objective(self) -> tuple[Term, ...]:
        """The terms of the objective, highest priority first, heaviest first.

        Firings that stand for equal terms count once.
        """
        found: dict[tuple[Ground, ...], list[RuleInstance]] = defaultdict(list)
        for firing in self.firings.objective:
            found[firing.head.arguments].append(firing)
        made = (
            Term(priority.number, weight.number, rest.arguments, tuple(reasons))
            for (weight, priority, rest), reasons in found.items()
        )
        return tuple(sorted(made, key=lambda term: (-term.priority, term.weight, str(term.terms))))

    def reasons(self, atom: Ground) -> tuple[RuleInstance, ...]:
        """The firings that derive an atom, the primary one first; none for what was given."""
        found = self._reasons.get(atom)
        if found is None:
            found = tuple(self.firings.firings(atom))
            if atom in self.rewritten.known:
                found = (*self.tables.firings(atom), *found)
            self._reasons[atom] = found
        return found

    def groups(self, firing: RuleInstance) -> tuple[Group, ...]:
        """The aggregates and conditional literals of a firing, with their elements."""
        return self._all(firing).groups(firing)

    def rests_on(self, firing: RuleInstance) -> tuple[Ground, ...]:
        """The atoms that a firing needs, those in its aggregates and conditions included."""
        if not firing.probe.companions:
            return firing.positive
        return (*firing.positive, *self._all(firing).counted(firing))

    def _all(self, firing: RuleInstance) -> RuleInstances:
        """The firings that one is among."""
        return self.firings if self.is_own(firing) else self.tables

    def is_own(self, firing: RuleInstance) -> bool:
        """Whether a firing is of this pair, rather than the same for every pair."""
        return firing.probe.name not in self.rewritten.table_probes

    def rank(self, atom: Ground) -> tuple[int, int]:
        """Where an atom stands in the order of derivation: what it rests on ranks lower."""
        if atom in self.rewritten.known and atom not in self.given:
            return self.tables.rank(atom)
        return self.firings.rank(atom)


def check(trace: Trace) -> None:
    """Check that a trace accounts for its answer.

    Every atom has a derivation or was given, none rests on itself (which the order of
    derivation has shown), no constraint fired, and the weights sum to the cost.

    Raises:
        TraceError: it does not; the message says which.
    """
    where = of_pair(trace.answer.pair.id)
    lacking = trace.true - trace.given
    lacking -= trace.firings.by_head.keys()
    lacking -= trace.rewritten.known
    if lacking:
        raise TraceError(
            f"{len(lacking)} atoms have no derivation, such as {min(lacking)}", where=where
        )
    for firing in trace.firings.violated:
        rule = firing.probe.rule
        raise TraceError(f"the constraint at {rule.file}:{rule.line} fired", where=where)
    sums: Counter[int] = Counter()
    for term in trace.objective:
        sums[term.priority] += term.weight
    cost = Counter(trace.cost)
    for priority in sums.keys() | cost.keys():
        if sums[priority] != cost[priority]:
            raise TraceError(
                f"the weights at priority {priority} sum to {sums[priority]}",
                where=where,
                expected=f"the cost {cost[priority]}",
            )


def look_ahead(traces: Iterable[Trace]) -> None:
    """Look for the elements of all firings of traces at once, which takes less than one by one."""
    wanted: dict[int, tuple[Grounding, list[RuleInstance]]] = {}
    for trace in traces:
        grounding = trace.firings.grounding
        _, firings = wanted.setdefault(id(grounding), (grounding, []))
        firings += chain(trace.firings.deriving, trace.firings.objective)
    for grounding, firings in wanted.values():
        grounding.want(firings)
