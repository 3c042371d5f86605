"""The trace of an answer: which rules fired, for which atoms, with what weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from ists_asp.trace.words import Words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clingo import Control, Symbol

    from ists_asp.model import Answer
    from ists_asp.solver import Best
    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.answers import Why
    from ists_asp.trace.firing import Firing, Group
    from ists_asp.trace.firings import Firings
    from ists_asp.trace.nearest import Nearest
    from ists_asp.trace.refusals import WhyNot
    from ists_asp.trace.rewritten import Rewritten
    from ists_asp.trace.tracer import Tracer

__all__ = ["Term", "Trace", "by_name", "terms"]


@dataclass(frozen=True, slots=True)
class Term:
    """A term of the objective that counts in an answer: less is better.

    ``terms``, its tuple, tells it from others of the same weight; ``firings`` are the reasons
    for it, one in most cases.
    """

    priority: int
    weight: int
    terms: tuple[Ground, ...]
    firings: tuple[Firing, ...]


class Trace:
    """Why an answer is as it is. Made by :class:`ists_asp.trace.Tracer`.

    ``rating`` is the trace of how the answer is rated, if that was asked for. ``seconds`` says
    how long it took to decide and to trace; pairs that were traced together share their time
    equally.
    """

    def __init__(
        self,
        tracer: Tracer,
        answer: Answer,
        best: Best,
        facts: tuple[Symbol, ...],
        firings: Firings,
        rewritten: Rewritten,
        true: frozenset[Ground],
        given: frozenset[Ground],
        control: Control | None = None,
    ) -> None:
        self.tracer = tracer
        self.answer = answer
        self.rating: Trace | None = None
        self.seconds = 0.0
        self.best = best
        self.facts = facts
        self.firings = firings
        self.rewritten = rewritten
        self._control = control
        self._reasons: dict[Ground, tuple[Firing, ...]] = {}
        self.true = true
        self.given = given

    @property
    def tables(self) -> Firings:
        """What derives the facts that hold for every pair."""
        return self.rewritten.tables

    @cached_property
    def words(self) -> Words:
        """The pair's words, for sentences about it."""
        atoms = chain.from_iterable(map(self.atoms, Words.READ))
        return Words(self.answer.pair, atoms, self.tracer.places)

    @cached_property
    def nearest(self) -> Nearest:
        """Looks for the rules that come nearest to deriving an atom."""
        from ists_asp.trace.nearest import Nearest

        return Nearest(self)

    def atoms(self, name: str) -> tuple[Ground, ...]:
        """The atoms of the answer set with a name, however many arguments they have."""
        return (*self.best.atoms.get(name, ()), *self.rewritten.known_by_name.get(name, ()))

    @cached_property
    def control(self) -> Control:
        """The rewritten program, ground over the answer set of this pair alone."""
        return self._control or self.rewritten.ground(self.best.atoms)

    def says(self, firing: Firing) -> str:
        """What a firing means, in words."""
        return self.words.sentence(firing.probe, firing.values)

    @cached_property
    def objective(self) -> tuple[Term, ...]:
        """The terms of the objective, highest priority first, heaviest first."""
        return terms(self.firings.objective)

    def why(self, decision: str) -> Why:
        """Why a decision of the answer was taken.

        Args:
            decision: as a line of a ``.wa`` file, ``"4 5 <==> 3 4"``, with label and score or
                without, a chunk, ``"1: 3 4 5"``, or ``"rating"``.

        Raises:
            UsageError: it is malformed, or the answer has no such decision.
        """
        from ists_asp.trace.answers import why

        return why(self, decision)

    def why_not(self, decision: str) -> WhyNot:
        """Why a decision was not taken.

        Args:
            decision: as for :meth:`why`.

        Raises:
            UsageError: it is malformed, or the answer has the decision.
            TimeLimitError: there was no answer with it within the time limit.
        """
        from ists_asp.trace.refusals import why_not

        return why_not(self, decision)

    def reasons(self, atom: Ground) -> tuple[Firing, ...]:
        """The firings that derive an atom, the primary one first; none for what was given."""
        found = self._reasons.get(atom)
        if found is None:
            found = tuple(self.firings.firings(atom))
            if atom in self.rewritten.known:
                found = (*self.tables.firings(atom), *found)
            self._reasons[atom] = found
        return found

    def groups(self, firing: Firing) -> tuple[Group, ...]:
        """The aggregates and conditional literals of a firing, with their elements."""
        return (self.firings if self.is_own(firing) else self.tables).groups(firing)

    def is_own(self, firing: Firing) -> bool:
        """Whether a firing is of this pair, rather than the same for every pair."""
        return firing.probe.name not in self.rewritten.table_probes

    def rank(self, atom: Ground) -> tuple[int, int]:
        """Where an atom stands in the order of derivation: what it rests on ranks lower."""
        if atom in self.rewritten.known and atom not in self.given:
            return self.tables.rank(atom)
        return self.firings.rank(atom)


def by_name(atoms: Iterable[Ground]) -> dict[str, list[Ground]]:
    """Atoms by the name of their predicate."""
    found: dict[str, list[Ground]] = {}
    for atom in atoms:
        found.setdefault(atom.name, []).append(atom)
    return found


def terms(firings: Iterable[Firing]) -> tuple[Term, ...]:
    """The terms that firings of an objective stand for: equal ones count once."""
    found: dict[Ground, list[Firing]] = {}
    for firing in firings:
        found.setdefault(firing.head, []).append(firing)
    made = []
    for head, reasons in found.items():
        weight, priority, rest = head.arguments
        made.append(Term(priority.number, weight.number, rest.arguments, tuple(reasons)))
    return tuple(sorted(made, key=lambda term: (-term.priority, term.weight, str(term.terms))))
