"""One pair's facts in, its best answers out; or those of many pairs, which is faster.

A program is parsed once and used for many pairs. A pair alone has a control object of its
own; several pairs share one, with rules that keep them apart
(:mod:`ists_asp.solver.program`). Statements are added as syntax trees and facts as symbols,
which takes half the time of text.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from ists_asp.answers import read_answer, too_large
from ists_asp.confidence import Confident, confidence_tables
from ists_asp.errors import (
    AnswerError,
    IstsError,
    MemoryLimitError,
    RuleError,
    UnsatisfiableError,
    WeightsError,
    inside,
    unless_it_fails,
)
from ists_asp.solver.batch import Batches, in_batches, short_pairs, weights_of, weights_of_atoms
from ists_asp.solver.bounds import Objective, objective_for
from ists_asp.solver.faults import Blame, culprits
from ists_asp.solver.pairing import paired
from ists_asp.solver.search import Found, Solution, SolverOptions, search
from ists_asp.solver.single import Alone, Best, Grounder
from ists_asp.solver.statements import Shapes
from ists_asp.syntax.changes import switched, switches
from ists_asp.syntax.ground import texts
from ists_asp.vocabulary import BEYOND_LIMITS, CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from clingo import Control, Symbol
    from clingo.ast import AST

    from ists_asp.answers import Read
    from ists_asp.confidence import AddConfidence, Weights
    from ists_asp.model import Pair
    from ists_asp.rules.loader import RuleSet
    from ists_asp.rules.messages import RuleWarning
    from ists_asp.solver.batch import BatchModel, Item
    from ists_asp.solver.edits import Edits
    from ists_asp.solver.program import Program
    from ists_asp.solver.statements import Version
    from ists_asp.syntax.trees import Signature

A = TypeVar("A")
T = TypeVar("T")


_CULPRITS = 5
"""Constraints that are named at most."""

_BATCH_LIMIT = 2.0
"""Seconds of processor time to search for a batch: most take hundredths, others are redone."""


class Solver(Generic[A]):
    """A rule set made ready to decide pairs.

    Args:
        rules: the parsed rules, ``asp/`` and ``lp_rules/`` together.
        options: how to solve.
        read: reads answer sets; what it gives, answers by default, stands in solutions.
        confident: adds to answers how sure they are; by default the tables among the rules do.

    Raises:
        UsageError: a constant is not an ASP term.
        RuleError: clingo cannot ground the facts and tables among the rules, or a table of
            confidence is none.
    """

    def __init__(
        self,
        rules: RuleSet,
        options: SolverOptions | None = None,
        read: Read[A] = read_answer,  # type: ignore[assignment]
        confident: AddConfidence[A] | None = None,
    ) -> None:
        self._options = options or SolverOptions()
        self._shapes = Shapes(rules.remembered)
        self._grounder = Grounder(rules, self._options, self._shapes)
        self._rules = rules
        self._read = read
        self._objective = objective_for(rules, self._shapes)
        try:
            self.sure = confidence_tables(self.program.by_predicate.get(CONFIDENCE.signature, ()))
        except RuleError as error:
            error.where = self._last_to_derive(CONFIDENCE.signature)
            raise
        # Tables are among the rules of answers only.
        own: AddConfidence[A] | None = Confident(self.sure) if self.sure else None  # type: ignore[assignment]
        self._confident = confident or own

    def with_rules(self, rules: RuleSet, confident: AddConfidence[A] | None = None) -> Solver[A]:
        """A solver of other rules, with the same options, that reads alike."""
        return Solver(rules, self._options, self._read, confident)

    def switched(self, places: Collection[int]) -> Solver[A]:
        """A solver of the same rules, with a switch for those at some places among them.

        A pair that has :func:`ists_asp.syntax.changes.off` of a place among its facts is decided
        as if that rule were not there.
        """
        rules = self._rules
        statements = [
            switched(node, place) if place in places else node
            for place, node in enumerate(rules.statements)
        ]
        statements.append(switches())
        # A statement of the core encoding, so to speak: of no user's rule.
        names = (*rules.rules, replace(rules.rules[0], sentence=None))
        return self.with_rules(replace(rules, statements=tuple(statements), rules=names))

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What clingo has warned about so far, such as atoms that no rule derives."""
        return self._grounder.warnings

    def solve(self, pair: Pair, facts: Sequence[Symbol]) -> Solution[A]:
        """Decide a pair.

        Raises:
            UnsatisfiableError: the rules admit no answer set for the pair.
            TimeLimitError: there was no answer set within the time limit.
            MemoryLimitError: there was not enough memory.
            RuleError: clingo could not ground the rules, or what they derive is no answer.
        """
        return self._surely(pair, facts, self._solution, atoms=self._options.models > 1)

    def solve_batch(self, items: Sequence[Item]) -> list[Solution[A]]:
        """Decide pairs, several at a time; the solutions are those of :meth:`solve`.

        Args:
            items: pairs with their facts.

        Returns:
            A solution for each pair, in their order.

        Raises:
            IstsError: there is no answer for a pair, as for :meth:`solve`.
        """
        return list(self.solve_all(items))

    def solve_all(self, items: Iterable[Item]) -> Iterator[Solution[A]]:
        """Decide pairs lazily, in their order, several at a time.

        Whatever raises an error, an item or a pair without an answer, does so only after
        the solutions of the pairs before it.

        Raises:
            IstsError: there is no answer for a pair, as for :meth:`solve`.
        """
        for tried in self.try_all(items):
            if isinstance(tried, IstsError):
                raise tried
            yield tried

    def try_all(
        self, items: Iterable[Item], *, least: int = 2
    ) -> Iterator[Solution[A] | IstsError]:
        """As :meth:`solve_all`; a pair without an answer has its error instead.

        Args:
            items: pairs with their facts.
            least: how many pairs are decided as several are, which tells whether another answer
                is as good, but takes longer for one.

        Raises:
            MemoryLimitError: there was not enough memory.
        """
        return in_batches(items, lambda some: self._try_some(some, least))

    def ground_atoms(self, facts: Sequence[Symbol]) -> dict[Symbol, bool]:
        """Ground the rules for a pair and return the atoms.

        Returns:
            Each atom that the grounder could derive, and whether it holds in every answer
            set (a fact) rather than being decided by the solver.
        """
        control = self._grounder.ground(facts, objective=self._objective())
        return {atom.symbol: atom.is_fact for atom in control.symbolic_atoms}

    def check(self, facts: Sequence[Symbol]) -> None:
        """Ground the rules for a pair, so that clingo can find fault with them.

        Raises:
            RuleError: clingo cannot ground them.
        """
        self._grounder.ground(facts)

    def derivable(
        self, items: Iterable[Item], wanted: Sequence[Signature]
    ) -> Iterator[list[Symbol]]:
        """Ground the rules for pairs, several at a time, and return what could be derived.

        Args:
            items: pairs with their facts.
            wanted: predicates; those that do not depend on the pair have no atoms.

        Returns:
            For each pair, in their order and lazily, its atoms of these predicates.
        """
        return in_batches(items, lambda some: self._derivable(some, wanted))

    def best(self, pair: Pair, facts: Sequence[Symbol]) -> Best[A]:
        """Find the best answer set of a pair with all its atoms, for whoever asks why.

        Raises:
            IstsError: there is no answer for the pair, as for :meth:`solve`.
        """
        return self._surely(pair, facts, self._best, atoms=True)

    def answer(self, pair: Pair, found: Found) -> A:
        """What an answer set says, found with all its atoms.

        Raises:
            RuleError: it is no answer.
        """
        try:
            return self._reading(pair, found)
        except AnswerError as error:
            raise self._named(error, found) from None

    def best_of_all(
        self, items: Iterable[Item], extra: Callable[[], Sequence[AST]] = tuple
    ) -> Iterator[Best[A]]:
        """Find the best answer sets of pairs, as :meth:`best` does, several at a time.

        Lazily, in their order, as :meth:`solve_all` decides pairs.

        Args:
            items: pairs with their facts.
            extra: gives more rules for the pairs that are decided together, rewritten as
                :mod:`ists_asp.solver.program` does; no other rule may depend on them.

        Raises:
            IstsError: there is no answer for a pair, as for :meth:`solve`.
        """
        return in_batches(items, lambda some: self._best_of_some(some, extra))

    def with_atoms(
        self, facts: Sequence[Symbol], wanted: Sequence[tuple[Symbol, bool]]
    ) -> tuple[Found | None, bool]:
        """Find the best answer set in which atoms are true or false.

        Each time in a new control object: core-guided optimisation under assumptions, one
        after the other in the same object, may never end, and cannot be cancelled then.

        Returns:
            The best answer set, if one was found, and whether there can be none.

        Raises:
            RuleError: clingo could not ground the rules.
        """
        control, objective = self._priced(facts)
        with control.backend() as backend:
            for symbol, true in wanted:
                atom = control.symbolic_atoms[symbol]
                if atom is not None:
                    backend.add_rule([], [-atom.literal if true else atom.literal])
                elif true:
                    return None, True
        return search(control, self._options.time_limit, atoms=True, objective=objective)

    def edits(self, old: Version, new: Version) -> Edits:
        """What differs between the rules as they were and as they are.

        Args:
            old: their version before.
            new: their version now.
        """
        # Few runs need it.
        from ists_asp.solver.edits import Edits

        return Edits(old, new, self._rules, self.program, self._shapes)

    @cached_property
    def shows_answers(self) -> bool:
        """Whether nothing but the core encoding says what is shown of an answer."""
        from ists_asp.solver.edits import shown_by_core

        return shown_by_core(self._rules, self._shapes)

    @property
    def options(self) -> SolverOptions:
        """How pairs are solved."""
        return self._options

    @property
    def program(self) -> Program:
        """What is grounded for a pair, and what holds for every pair."""
        return self._grounder.program

    @property
    def arguments(self) -> tuple[str, ...]:
        """Clingo's command line arguments, without those that choose a strategy."""
        return self._grounder.arguments

    @cached_property
    def _batches(self) -> Batches[A] | None:
        """Made when there are several pairs for the first time: that takes half a second."""
        if self._options.models > 1:
            return None
        arguments = self._grounder.arguments
        found = unless_it_fails(lambda: paired(self._rules, self.program, arguments, self._shapes))
        if found is None:
            return None
        limit = min(self._options.time_limit, _BATCH_LIMIT)
        return Batches(found, self.program, arguments, limit, self._read, self._confident)

    @cached_property
    def _blame(self) -> Blame:
        return Blame(self._rules, self._grounder.arguments)

    def _try_some(self, items: Sequence[Item], least: int) -> Iterator[Solution[A] | IstsError]:
        """Decide the pairs of a batch, the short ones together."""
        batches = {short[0]: short for short in short_pairs(items, least)}
        together: dict[int, Solution[A] | None] = {}
        for number, (pair, facts) in enumerate(items):
            short = batches.get(number)
            if short is not None and self._batches is not None:
                solutions = self._batches.solve([items[place] for place in short])
                together.update(zip(short, solutions or (), strict=bool(solutions)))
            try:
                yield together.pop(number, None) or self.solve(pair, facts)
            except MemoryLimitError:
                raise
            except IstsError as error:
                yield error

    def _derivable(
        self, items: Sequence[Item], wanted: Sequence[Signature]
    ) -> Iterator[list[Symbol]]:
        batches = {short[0]: short for short in short_pairs(items)}
        found: dict[int, list[Symbol]] = {}
        for place, (_, facts) in enumerate(items):
            short = batches.get(place)
            if short is not None and self._batches is not None:
                together = self._batches.derivable([items[each] for each in short], wanted)
                found.update(zip(short, together or (), strict=bool(together)))
            if place in found:
                yield found.pop(place)
            else:
                atoms = self.ground_atoms(facts)
                yield [atom for atom in atoms if (atom.name, len(atom.arguments)) in wanted]

    def _best_of_some(
        self, items: Sequence[Item], extra: Callable[[], Sequence[AST]]
    ) -> Iterator[Best[A]]:
        """The best answer sets of the pairs of a batch, the short ones together."""
        batches = {short[0]: short for short in short_pairs(items)}
        shares: dict[int, tuple[BatchModel, int]] = {}
        for place, (pair, facts) in enumerate(items):
            short = batches.get(place)
            if short is not None and self._batches is not None:
                together = self._batches.best([items[each] for each in short], extra())
                if together is not None:
                    shares.update(
                        (each, (together, number)) for number, each in enumerate(short, start=1)
                    )
            if place in shares:
                yield self._shared(*shares.pop(place), pair, facts)
            else:
                yield self.best(pair, facts)

    def _shared(
        self, together: BatchModel, number: int, pair: Pair, facts: Sequence[Symbol]
    ) -> Best[A]:
        """The best answer set of one of several pairs."""
        share = together.shares[number]
        found = Found(
            share.shown,
            (),
            tuple(share.cost.values()),
            True,
            tuple(share.cost),
        )
        try:
            read = self._reading(pair, found)
            answer = self._sure(read, found, lambda: weights_of_atoms(share.atoms))
        except AnswerError:
            return self.best(pair, facts)
        return Best(
            answer,
            found,
            self.program,
            lambda: self._priced(facts),
            together,
            number,
        )

    def _priced(self, facts: Sequence[Symbol]) -> tuple[Control, Objective]:
        """The ground program of a pair, and its objective, with prices."""
        prices = self._objective()
        return self._grounder.ground(facts, objective=prices), prices

    def _surely(
        self,
        pair: Pair,
        facts: Sequence[Symbol],
        decide: Callable[[Pair, Alone, Callable[[Pair, Found], A]], T],
        *,
        atoms: bool,
    ) -> T:
        """Decide a pair; where that gives no answer, make sure, and name the rules to blame."""
        with inside(pair):
            try:
                return self._certain(pair, facts, decide, atoms=atoms)
            except WeightsError as error:
                raise self._overflow(error, facts) from None

    def _certain(
        self,
        pair: Pair,
        facts: Sequence[Symbol],
        decide: Callable[[Pair, Alone, Callable[[Pair, Found], A]], T],
        *,
        atoms: bool,
    ) -> T:
        limit = self._options.time_limit
        with suppress(AnswerError):
            alone = Alone(self._grounder, facts, limit, self._objective(), atoms=atoms)
            try:
                return decide(pair, alone, self._reading)
            except UnsatisfiableError as error:
                raise self._unsatisfied(error, facts) from None
        alone = Alone(self._grounder, facts, limit, self._objective(), atoms=True)
        return decide(pair, alone, self.answer)

    def _last_to_derive(self, key: Signature) -> str | None:
        """The file and line of the last rule with a predicate in its head: users' come last."""
        places = [
            f"{rule.file}:{rule.line}"
            for node, rule in zip(self._rules.statements, self._rules.rules, strict=True)
            if key in self._shapes.of(node).derived
        ]
        return places[-1] if places else None

    def _overflow(self, error: WeightsError, facts: Sequence[Symbol]) -> RuleError:
        """The error with the numbers or the rules in its words that it comes from."""
        named = unless_it_fails(lambda: self._beyond_limits(facts))
        return named or unless_it_fails(lambda: self._weighed(error)) or error

    def _beyond_limits(self, facts: Sequence[Symbol]) -> AnswerError | None:
        """The error for numbers that clingo cannot add up, if there are such, with their rules."""
        # The atoms are those of the control object as long as that lives.
        control = self._grounder.ground(facts)
        found = control.symbolic_atoms.by_signature(*BEYOND_LIMITS.signature)
        large = texts(atom.symbol.arguments[0] for atom in found)
        every = {atom.symbol for atom in control.symbolic_atoms}
        return self._blame.named(too_large(large), every) if large else None

    def _weighed(self, error: WeightsError) -> WeightsError | None:
        """The error with the rules of users in its words that add up weights."""
        rules = self._blame.weighing()
        found = f"{error.found}; look at {rules}"
        return WeightsError(found, hint=error.hint) if rules else None

    def _unsatisfied(self, error: UnsatisfiableError, facts: Sequence[Symbol]) -> IstsError:
        """The error with the constraints in its words that cannot all hold."""
        arguments = self._grounder.arguments
        found = unless_it_fails(lambda: culprits(self._rules, arguments, facts, self._blame.own))
        if not found:
            return error
        told = "; ".join(
            rule.name if rule.sentence is None else f"{rule.file}:{rule.line} ({rule.name})"
            for rule in found[:_CULPRITS]
        )
        return UnsatisfiableError(
            f"the rules admit no answer set, for these cannot all hold: {told}",
            hint="Loosen or remove one of them",
        )

    def _solution(self, pair: Pair, alone: Alone, read: Callable[[Pair, Found], A]) -> Solution[A]:
        began = time.process_time()
        found: Found | None = alone.first()
        answers = []
        while found is not None:
            answers.append(self._sure(read(pair, found), found, lambda: weights_of(alone.control)))
            if len(answers) == self._options.models:
                break
            found = alone.after(found)
        return Solution(tuple(answers), alone.grounding, time.process_time() - began)

    def _named(self, error: AnswerError, found: Found) -> AnswerError:
        """The error, with the rules to blame in its words if they can be found."""
        return unless_it_fails(lambda: self._blame.named(error, found.true)) or error

    def _reading(self, pair: Pair, found: Found) -> A:
        return self._read(pair, found.shown, found.cost, found.optimal)

    def _best(self, pair: Pair, alone: Alone, read: Callable[[Pair, Found], A]) -> Best[A]:
        found = alone.first()
        answer = self._sure(read(pair, found), found, lambda: weights_of(alone.control))
        return Best(answer, found, alone.program, lambda: (alone.control, alone.objective))

    def _sure(self, answer: A, found: Found, weights: Callable[[], Weights]) -> A:
        """The answer with its confidence."""
        try:
            return answer if self._confident is None else self._confident(answer, weights())
        except AnswerError as error:
            raise self._named(error, found) from None
