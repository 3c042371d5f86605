"""The trace of an answer: which rules fired, for which atoms, with what weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from ists_asp.trace.core.words import Words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clingo import Control, Symbol

    from ists_asp.model import Answer
    from ists_asp.solver import Best
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.instance import Group, RuleInstance
    from ists_asp.trace.core.instances import RuleInstances
    from ists_asp.trace.core.reified import ReifiedRules
    from ists_asp.trace.core.rewritten import Rewritten


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the objective that counts in an answer: less is better.

    ``terms``, its tuple, tells it from others of the same weight; ``firings`` are the reasons
    for it, one in most cases.
    """

    priority: int
    weight: int
    terms: tuple[Ground, ...]
    firings: tuple[RuleInstance, ...]


class Trace:
    """Why an answer is as it is. Made by :class:`ists_asp.trace.Tracer`.

    ``rating`` is the trace of how the answer is rated, if that was asked for. ``seconds`` says
    how long it took to decide and to trace; pairs that were traced together share their time
    equally.
    """

    def __init__(
        self,
        reified: ReifiedRules,
        answer: Answer,
        best: Best[Answer],
        facts: tuple[Symbol, ...],
        firings: RuleInstances,
        rewritten: Rewritten,
        true: frozenset[Ground],
        given: frozenset[Ground],
        control: Control | None = None,
    ) -> None:
        self.reified = reified
        self.answer = answer
        self.rating: Trace | None = None
        self.seconds = 0.0
        self.best = best
        self.facts = facts
        self.firings = firings
        self.rewritten = rewritten
        self._control = control
        self._reasons: dict[Ground, tuple[RuleInstance, ...]] = {}
        self.true = true
        self.given = given

    @property
    def tables(self) -> RuleInstances:
        """What derives the facts that hold for every pair."""
        return self.rewritten.tables

    @cached_property
    def words(self) -> Words:
        """The pair's words, for sentences about it."""
        atoms = chain.from_iterable(map(self.atoms, Words.READ))
        return Words(self.answer.pair, atoms, self.reified.places)

    def atoms(self, name: str) -> tuple[Ground, ...]:
        """The atoms of the answer set with a name, however many arguments they have."""
        return (*self.best.atoms.get(name, ()), *self.rewritten.known_by_name.get(name, ()))

    @cached_property
    def control(self) -> Control:
        """The rewritten program, ground over the answer set of this pair alone."""
        return self._control or self.rewritten.ground(self.best.atoms)

    def says(self, firing: RuleInstance) -> str:
        """What a firing means, in words."""
        return self.words.sentence(firing.probe, firing.values)

    @cached_property
    def objective(self) -> tuple[Term, ...]:
        """The terms of the objective, highest priority first, heaviest first."""
        return terms(self.firings.objective)

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
        return (self.firings if self.is_own(firing) else self.tables).groups(firing)

    def is_own(self, firing: RuleInstance) -> bool:
        """Whether a firing is of this pair, rather than the same for every pair."""
        return firing.probe.name not in self.rewritten.table_probes

    def rank(self, atom: Ground) -> tuple[int, int]:
        """Where an atom stands in the order of derivation: what it rests on ranks lower."""
        if atom in self.rewritten.known and atom not in self.given:
            return self.tables.rank(atom)
        return self.firings.rank(atom)


def terms(firings: Iterable[RuleInstance]) -> tuple[Term, ...]:
    """The terms that firings of an objective stand for: equal ones count once."""
    found: dict[Ground, list[RuleInstance]] = {}
    for firing in firings:
        found.setdefault(firing.head, []).append(firing)
    made = []
    for head, reasons in found.items():
        weight, priority, rest = head.arguments
        made.append(Term(priority.number, weight.number, rest.arguments, tuple(reasons)))
    return tuple(sorted(made, key=lambda term: (-term.priority, term.weight, str(term.terms))))
