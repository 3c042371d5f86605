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
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from ists_asp import errors
from ists_asp.answers import Read, read_answer
from ists_asp.confidence import AddConfidence, Confident, Weights, confidence_tables
from ists_asp.errors import AnswerError, IstsError, RuleError, inside, unless_it_fails
from ists_asp.solver.batch import Batches, Item, in_batches, raising, short_pairs, weights_of
from ists_asp.solver.bounds import Objective, objective_for
from ists_asp.solver.program import paired
from ists_asp.solver.search import Found, Solution, SolverOptions, search
from ists_asp.solver.single import Alone, Best, Grounder
from ists_asp.solver.statements import Shapes
from ists_asp.syntax.trees import Signature, switched, switches
from ists_asp.vocabulary import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from clingo import Control, Symbol
    from clingo.ast import AST

    from ists_asp.model import Pair
    from ists_asp.rules.loader import RuleSet
    from ists_asp.rules.parsing import RuleWarning
    from ists_asp.solver.faults import Blame

A = TypeVar("A")
T = TypeVar("T")

ReadFound: TypeAlias = "Callable[[Pair, Found, Callable[[], Weights]], A]"
"""Reads an answer set, by the weights of its program."""

_BATCH_LIMIT = 2.0
"""Seconds of processor time to search for a batch: most take hundredths, others are redone."""


class Solver(Generic[A]):
    """A rule set made ready to decide pairs.

    ``program`` is what is grounded for a pair, and what holds for every pair; ``arguments`` are
    clingo's command line arguments, without those that choose a strategy. What ``read`` makes of
    an answer set stands in solutions; ``confident`` adds to it how sure it is, by default by the
    tables among the rules.

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
        self.options = options or SolverOptions()
        self.shapes = Shapes(rules.remembered)
        self._grounder = Grounder(rules, self.options, self.shapes)
        self.program = self._grounder.program
        self.arguments = self._grounder.arguments
        self._rules = rules
        self._read = read
        self._objective = objective_for(rules, self.shapes)
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
        return Solver(rules, self.options, self._read, confident)

    def switched(self, places: Collection[int]) -> Solver[A]:
        """A solver of the same rules, with a switch for those at some places among them.

        A pair that has :func:`ists_asp.syntax.trees.off` of a place among its facts is decided
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
        changed, memo = replace(rules, statements=tuple(statements), rules=names), rules.remembered
        digest = f"{memo.digest} switched {sorted(places)}"
        return self.with_rules(changed.remembering(replace(memo, digest=digest)))

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
        return self._surely(pair, facts, self._solution, atoms=self.options.models > 1)

    def solve_all(self, items: Iterable[Item]) -> Iterator[Solution[A]]:
        """Decide pairs as :meth:`solve` does, lazily, in their order, several at a time.

        Whatever raises an error, an item or a pair without an answer, does so only after
        the solutions of the pairs before it.
        """
        return raising(self.try_all(items))

    def try_all(
        self, items: Iterable[Item], *, least: int = 2
    ) -> Iterator[Solution[A] | IstsError]:
        """As :meth:`solve_all`; a pair without an answer has its error, unless memory ran out.

        From ``least`` on, pairs are decided as several are, which tells whether another answer
        is as good, but takes longer for one.
        """

        def alone(pair: Pair, facts: Sequence[Symbol]) -> Solution[A] | IstsError:
            try:
                return self.solve(pair, facts)
            except errors.MemoryLimitError:
                raise
            except IstsError as error:
                return error

        return self._in_batches(items, Batches.solve, alone, least)

    def check_grounding(self, facts: Sequence[Symbol]) -> None:
        """Ground the rules for a pair, so that clingo can find fault with them."""
        self._grounder.ground(facts)

    def ground_atoms(self, facts: Sequence[Symbol]) -> list[Symbol]:
        """Ground the rules for a pair; the atoms that could be derived."""
        # The atoms are those of the control object as long as that lives.
        control = self._grounder.ground(facts)
        return [atom.symbol for atom in control.symbolic_atoms]

    def derivable(
        self, items: Iterable[Item], wanted: Sequence[Signature]
    ) -> Iterator[list[Symbol]]:
        """The atoms of wanted predicates that could be derived for each pair, lazily, in order.

        Those that do not depend on the pair have none.
        """

        def alone(_: Pair, facts: Sequence[Symbol]) -> list[Symbol]:
            atoms = self.ground_atoms(facts)
            return [atom for atom in atoms if (atom.name, len(atom.arguments)) in wanted]

        return self._in_batches(items, lambda batches, some: batches.derivable(some, wanted), alone)

    def best(self, pair: Pair, facts: Sequence[Symbol]) -> Best[A]:
        """Find the best answer set of a pair with all its atoms, for whoever asks why."""
        return self._surely(pair, facts, self._best, atoms=True)

    def answer(self, pair: Pair, found: Found, weights: Callable[[], Weights] | None = None) -> A:
        """What an answer set says that was found with all its atoms, or a RuleError.

        Without the weights of its program it says nothing of its confidence.
        """
        try:
            return self._read_found(pair, found, weights)
        except AnswerError as error:
            # With the rules to blame in its words, if they can be found.
            named = partial(self._blame.named, error, found.true)
            raise unless_it_fails(named) or error from None

    def best_of_all(
        self, items: Iterable[Item], extra: Callable[[], Sequence[AST]] = tuple
    ) -> Iterator[Best[A]]:
        """As :meth:`best`, of many pairs, as :meth:`solve_all` decides them.

        ``extra`` gives more rules for the pairs that are decided together, rewritten as
        :mod:`ists_asp.solver.program` does; no other rule may depend on them.
        """

        def together(batches: Batches[A], some: Sequence[Item]) -> list[Best[A] | None] | None:
            model = batches.best(some, extra())
            if model is None:
                return None
            return [
                None
                if answer is None
                else Best(answer, found, self.program, partial(self._priced, facts), model, number)
                for (number, (found, *_)), (_, facts), answer in zip(
                    model.shares.items(), some, batches.answers(some, model), strict=True
                )
            ]

        return self._in_batches(items, together, self.best)

    def with_atoms(
        self, facts: Sequence[Symbol], wanted: Sequence[tuple[Symbol, bool]]
    ) -> tuple[Found | None, bool]:
        """The best answer set in which atoms are true or false, and whether there can be none.

        Each time in a new control object: core-guided optimisation under assumptions, one
        after the other in the same object, may never end, and cannot be cancelled then.
        """
        control, objective = self._priced(facts)
        with control.backend() as backend:
            for symbol, true in wanted:
                atom = control.symbolic_atoms[symbol]
                if atom is not None:
                    backend.add_rule([], [-atom.literal if true else atom.literal])
                elif true:
                    return None, True
        return search(control, self.options.time_limit, atoms=True, objective=objective)

    @cached_property
    def _batches(self) -> Batches[A] | None:
        """Made when there are several pairs for the first time: that takes half a second."""
        if self.options.models > 1:
            return None
        program, arguments = self.program, self.arguments
        found = unless_it_fails(lambda: paired(self._rules, program, arguments, self.shapes))
        if found is None:
            return None
        limit = min(self.options.time_limit, _BATCH_LIMIT)
        return Batches(found, program, arguments, limit, self._read_found)

    @cached_property
    def _blame(self) -> Blame:
        # Few pairs need it.
        from ists_asp.solver.faults import Blame

        return Blame(self._rules, self._grounder)

    def _in_batches(
        self,
        items: Iterable[Item],
        together: Callable[[Batches[A], Sequence[Item]], Sequence[T | None] | None],
        alone: Callable[[Pair, Sequence[Symbol]], T],
        least: int = 2,
    ) -> Iterator[T]:
        """Work pairs out lazily, in their order, the short ones together where that is certain."""

        def some(items: Sequence[Item]) -> Iterator[T]:
            batches = {short[0]: short for short in short_pairs(items, least)}
            known: dict[int, T | None] = {}
            for place, item in enumerate(items):
                short = batches.get(place)
                if short is not None and (ready := self._batches) is not None:
                    found = unless_it_fails(
                        partial(together, ready, [items[each] for each in short])
                    )
                    known.update(zip(short, found or (), strict=bool(found)))
                one = known.pop(place, None)
                yield alone(*item) if one is None else one

        return in_batches(items, some)

    def _priced(self, facts: Sequence[Symbol]) -> tuple[Control, Objective]:
        """The ground program of a pair, and its objective, with prices."""
        prices = self._objective()
        return self._grounder.ground(facts, objective=prices), prices

    def _surely(
        self,
        pair: Pair,
        facts: Sequence[Symbol],
        decide: Callable[[Pair, Alone, ReadFound[A]], T],
        *,
        atoms: bool,
    ) -> T:
        """Decide a pair; where that gives no answer, make sure, and name the rules to blame."""
        limit = self.options.time_limit
        with inside(pair):
            try:
                with suppress(AnswerError):
                    alone = Alone(self._grounder, facts, limit, self._objective(), atoms=atoms)
                    return decide(pair, alone, self._read_found)
                alone = Alone(self._grounder, facts, limit, self._objective(), atoms=True)
                return decide(pair, alone, self.answer)
            except errors.UnsatisfiableError as error:
                raise unless_it_fails(lambda: self._blame.unsatisfied(facts)) or error from None
            except errors.WeightsError as error:
                raise self._blame.overflow(error, facts) from None

    def _last_to_derive(self, key: Signature) -> str | None:
        """The file and line of the last rule with a predicate in its head: users' come last."""
        places = [
            f"{rule.file}:{rule.line}"
            for node, rule in self._rules.both
            if key in self.shapes.of(node).derived
        ]
        return places[-1] if places else None

    def _solution(self, pair: Pair, alone: Alone, read: ReadFound[A]) -> Solution[A]:
        began = time.process_time()
        found: Found | None = alone.first()
        answers = []
        while found is not None:
            answers.append(read(pair, found, lambda: weights_of(alone.control)))
            if len(answers) == self.options.models:
                break
            found = alone.after(found)
        return Solution(tuple(answers), alone.grounding, time.process_time() - began)

    def _best(self, pair: Pair, alone: Alone, read: ReadFound[A]) -> Best[A]:
        found = alone.first()
        answer = read(pair, found, lambda: weights_of(alone.control))
        return Best(answer, found, alone.program, lambda: (alone.control, alone.objective))

    def _read_found(self, pair: Pair, found: Found, weights: Callable[[], Weights] | None) -> A:
        answer = self._read(pair, found.shown, found.cost, found.optimal)
        if weights is None or self._confident is None:
            return answer
        return self._confident(answer, weights())
