"""One pair's facts in, its best answers out; or those of many pairs, which is faster.

A program is parsed once and used for many pairs. A pair alone has a control object of its
own; several pairs share one, with rules that keep them apart
(:mod:`ists_asp.solver.pairing`). Statements are added as syntax trees and facts as symbols,
which takes half the time of text.
"""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING

from ists_asp.answers import read_answer
from ists_asp.errors import TimeLimitError, UnsatisfiableError
from ists_asp.solver.batch import Batches
from ists_asp.solver.batching import in_batches, short_pairs
from ists_asp.solver.best import Best
from ists_asp.solver.grounder import Grounder
from ists_asp.solver.options import Solution, SolverOptions
from ists_asp.solver.pairing import pair_up
from ists_asp.solver.search import FALLBACK, Found, exclude, search

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clingo import Control, Symbol
    from clingo.ast import AST

    from ists_asp.model import Pair
    from ists_asp.rules.loader import RuleSet
    from ists_asp.rules.messages import RuleWarning
    from ists_asp.solver.batching import Item
    from ists_asp.solver.program import Program
    from ists_asp.solver.together import Together

__all__ = ["Solver"]

_BATCH_LIMIT = 2.0
"""Seconds of processor time to search for a batch: most take hundredths, others are redone."""


class Solver:
    """A rule set made ready to decide pairs.

    Args:
        rules: the parsed rules, ``asp/`` and ``lp_rules/`` together.
        options: how to solve.

    Raises:
        UsageError: a constant is not an ASP term.
        RuleError: clingo cannot ground the facts and tables among the rules.
    """

    def __init__(self, rules: RuleSet, options: SolverOptions | None = None) -> None:
        self._options = options or SolverOptions()
        self._grounder = Grounder(rules, self._options)

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What clingo has warned about so far, such as atoms that no rule derives."""
        return self._grounder.warnings

    def solve(self, pair: Pair, facts: Sequence[Symbol]) -> Solution:
        """Decide a pair.

        Raises:
            UnsatisfiableError: the rules admit no answer set for the pair.
            TimeLimitError: there was no answer set within the time limit.
            RuleError: clingo could not ground the rules.
        """
        began = time.perf_counter()
        control = self._grounder.ground(facts)
        grounded = time.perf_counter()
        found: Found | None = self._first(control, facts, pair)[1]
        answers = []
        while found is not None:
            answers.append(read_answer(pair, found.shown, found.cost, found.optimal))
            if len(answers) == self._options.models:
                break
            exclude(control, found)
            found = self._search(control)[0]
        return Solution(tuple(answers), grounded - began, time.perf_counter() - grounded)

    def solve_batch(self, items: Sequence[Item]) -> list[Solution]:
        """Decide pairs, several at a time; the solutions are those of :meth:`solve`.

        Args:
            items: pairs with their facts.

        Returns:
            A solution for each pair, in their order.

        Raises:
            UnsatisfiableError: the rules admit no answer set for a pair.
            TimeLimitError: there was no answer set for a pair within the time limit.
            RuleError: clingo could not ground the rules.
        """
        return list(self.solve_all(items))

    def solve_all(self, items: Iterable[Item]) -> Iterator[Solution]:
        """Decide pairs lazily, in their order, several at a time.

        Whatever raises an error, an item or a pair without an answer, does so only after
        the solutions of the pairs before it.

        Raises:
            SolveError: there is no answer for a pair, as for :meth:`solve`.
        """
        return in_batches(items, self._solve_some)

    def ground_atoms(self, facts: Sequence[Symbol]) -> dict[Symbol, bool]:
        """Ground the rules for a pair and return the atoms.

        Returns:
            Each atom that the grounder could derive, and whether it holds in every answer
            set (a fact) rather than being decided by the solver.
        """
        control = self._grounder.ground(facts)
        return {atom.symbol: atom.is_fact for atom in control.symbolic_atoms}

    def best(self, pair: Pair, facts: Sequence[Symbol]) -> Best:
        """Find the best answer set of a pair with all its atoms, for whoever asks why.

        Raises:
            UnsatisfiableError: the rules admit no answer set for the pair.
            TimeLimitError: there was no answer set within the time limit.
            RuleError: clingo could not ground the rules.
        """
        control, found = self._first(self._grounder.ground(facts), facts, pair, atoms=True)
        return Best(found, self._grounder.program_for(facts), lambda: control)

    def best_of_all(self, items: Iterable[Item], extra: Sequence[AST] = ()) -> Iterator[Best]:
        """Find the best answer sets of pairs, as :meth:`best` does, several at a time.

        Lazily, in their order, as :meth:`solve_all` decides pairs.

        Args:
            items: pairs with their facts.
            extra: more rules for the pairs that are decided together, rewritten as
                :mod:`ists_asp.solver.pairing` does; no other rule may depend on them.

        Raises:
            SolveError: there is no answer for a pair, as for :meth:`solve`.
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
        control = self._grounder.ground(facts)
        with control.backend() as backend:
            for symbol, true in wanted:
                atom = control.symbolic_atoms[symbol]
                if atom is not None:
                    backend.add_rule([], [-atom.literal if true else atom.literal])
                elif true:
                    return None, True
        return search(control, self._options.time_limit, atoms=True)

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
    def _batches(self) -> Batches | None:
        """Made when there are several pairs for the first time: that takes half a second."""
        if self._options.models > 1:
            return None
        statements = pair_up(self.program)
        if statements is None:
            return None
        limit = min(self._options.time_limit, _BATCH_LIMIT)
        return Batches(statements, self.program, self._grounder.arguments, limit)

    def _solve_some(self, items: Sequence[Item]) -> Iterator[Solution]:
        """Decide the pairs of a batch, the short ones together."""
        short = short_pairs(items)
        together: dict[int, Solution] = {}
        if short and self._batches is not None:
            solutions = self._batches.solve([items[number] for number in short])
            if solutions is not None:
                together = dict(zip(short, solutions, strict=True))
        for number, (pair, facts) in enumerate(items):
            yield together[number] if number in together else self.solve(pair, facts)

    def _best_of_some(self, items: Sequence[Item], extra: Sequence[AST]) -> Iterator[Best]:
        """The best answer sets of the pairs of a batch, the short ones together."""
        short = short_pairs(items)
        together: Together | None = None
        if short and self._batches is not None:
            together = self._batches.best([items[place] for place in short], extra)
        numbers = {place: number for number, place in enumerate(short, start=1)}
        for place, (pair, facts) in enumerate(items):
            if together is None or place not in numbers:
                yield self.best(pair, facts)
            else:
                yield self._shared(together, numbers[place], facts)

    def _shared(self, together: Together, number: int, facts: Sequence[Symbol]) -> Best:
        """The best answer set of one of several pairs."""
        share = together.shares[number]
        found = Found(
            share.shown,
            (),
            tuple(share.cost.values()),
            True,
            tuple(share.cost),
        )
        return Best(found, self.program, lambda: self._grounder.ground(facts), together, number)

    def _first(
        self, control: Control, facts: Sequence[Symbol], pair: Pair, *, atoms: bool = False
    ) -> tuple[Control, Found]:
        found, unsatisfiable = self._search(control, atoms=atoms)
        if found is None and not unsatisfiable:
            control = self._grounder.ground(facts, FALLBACK)
            found, unsatisfiable = self._search(control, atoms=atoms)
        if unsatisfiable:
            raise UnsatisfiableError(
                "the rules admit no answer set",
                where=f"pair {pair.id}",
                hint="Look for a constraint (a rule without a head) that cannot hold",
            )
        if found is None:
            raise TimeLimitError(
                f"no answer within {self._options.time_limit:g} s",
                where=f"pair {pair.id}",
                hint="Allow more time, or simplify the rules",
            )
        return control, found

    def _search(self, control: Control, *, atoms: bool = False) -> tuple[Found | None, bool]:
        wanted = atoms or self._options.models > 1
        return search(control, self._options.time_limit, atoms=wanted)
