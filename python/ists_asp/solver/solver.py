"""One pair's facts in, its best answers out; or those of many pairs, which is faster.

A program is parsed once and used for many pairs. A pair alone has a control object of its
own; several pairs share one, with rules that keep them apart
(:mod:`ists_asp.solver.pairing`). Statements are added as syntax trees and facts as symbols,
which takes half the time of text.
"""

from __future__ import annotations

import time
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from ists_asp.answers import read_answer
from ists_asp.errors import TimeLimitError, UnsatisfiableError
from ists_asp.rules.messages import Messages, RuleWarning
from ists_asp.solver.batch import Batches
from ists_asp.solver.best import Best
from ists_asp.solver.options import Solution, SolverOptions, constant_arguments
from ists_asp.solver.pairing import pair_up
from ists_asp.solver.prices import Prices
from ists_asp.solver.program import Program, prepare
from ists_asp.solver.search import CORE_GUIDED, FALLBACK, Found, ground, search
from ists_asp.solver.signatures import signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from clingo import Control, Symbol
    from clingo.ast import AST

    from ists_asp.model import Pair
    from ists_asp.rules.loader import RuleSet
    from ists_asp.solver.together import Together

__all__ = ["BATCH", "Solver", "in_batches"]

Item: TypeAlias = "tuple[Pair, Sequence[Symbol]]"
"""A pair with its facts."""

S = TypeVar("S")
T = TypeVar("T")

BATCH = 100
"""Pairs solved together: 60 take a tenth more time, more gain little."""

_LONG = 100
"""Tokens of a pair, both sentences together, from which it is solved alone."""

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
        self._messages = Messages(rules.names)
        self._arguments = constant_arguments(self._options.constants)
        self._program = prepare(rules.statements, self._arguments, self._messages)
        self._plain = self._program
        if self._program.derived:
            self._plain = prepare(rules.statements, self._arguments, self._messages, tables=False)

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What clingo has warned about so far, such as atoms that no rule derives."""
        return self._messages.warnings

    def solve(self, pair: Pair, facts: Sequence[Symbol]) -> Solution:
        """Decide a pair.

        Raises:
            UnsatisfiableError: the rules admit no answer set for the pair.
            TimeLimitError: there was no answer set within the time limit.
            RuleError: clingo could not ground the rules.
        """
        began = time.perf_counter()
        control = self._ground(facts, CORE_GUIDED)
        grounded = time.perf_counter()
        found: Found | None = self._first(control, facts, pair)[1]
        answers = []
        while found is not None:
            answers.append(read_answer(pair, found.shown, found.cost, found.optimal))
            if len(answers) == self._options.models:
                break
            _exclude(control, found)
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
        """Decide pairs lazily, taking :data:`BATCH` at a time, in their order.

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
        control = self._ground(facts, CORE_GUIDED)
        return {atom.symbol: atom.is_fact for atom in control.symbolic_atoms}

    def best(self, pair: Pair, facts: Sequence[Symbol]) -> Best:
        """Find the best answer set of a pair with all its atoms, for whoever asks why.

        Raises:
            UnsatisfiableError: the rules admit no answer set for the pair.
            TimeLimitError: there was no answer set within the time limit.
            RuleError: clingo could not ground the rules.
        """
        control, found = self._first(self._ground(facts, CORE_GUIDED), facts, pair, atoms=True)
        return Best(found, self._program_for(facts), lambda: control)

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
        control = self._ground(facts, CORE_GUIDED)
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
        return self._program

    @property
    def arguments(self) -> tuple[str, ...]:
        """Clingo's command line arguments, without those that choose a strategy."""
        return tuple(self._arguments)

    @cached_property
    def _batches(self) -> Batches | None:
        """Made when there are several pairs for the first time: that takes half a second."""
        if self._options.models > 1:
            return None
        statements = pair_up(self._program)
        if statements is None:
            return None
        limit = min(self._options.time_limit, _BATCH_LIMIT)
        return Batches(statements, self._program, self._arguments, limit)

    def _solve_some(self, items: Sequence[Item]) -> Iterator[Solution]:
        """Decide the pairs of a batch, the short ones together."""
        short = _short(items)
        together: dict[int, Solution] = {}
        if short and self._batches is not None:
            solutions = self._batches.solve([items[number] for number in short])
            if solutions is not None:
                together = dict(zip(short, solutions, strict=True))
        for number, (pair, facts) in enumerate(items):
            yield together[number] if number in together else self.solve(pair, facts)

    def _best_of_some(self, items: Sequence[Item], extra: Sequence[AST]) -> Iterator[Best]:
        """The best answer sets of the pairs of a batch, the short ones together."""
        short = _short(items)
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
        return Best(
            found, self._program, lambda: self._ground(facts, CORE_GUIDED), together, number
        )

    def _first(
        self, control: Control, facts: Sequence[Symbol], pair: Pair, *, atoms: bool = False
    ) -> tuple[Control, Found]:
        found, unsatisfiable = self._search(control, atoms=atoms)
        if found is None and not unsatisfiable:
            control = self._ground(facts, FALLBACK)
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

    def _ground(self, facts: Sequence[Symbol], strategy: str) -> Control:
        program = self._program_for(facts)
        arguments = (strategy, *self._arguments)
        return ground(
            program.statements,
            chain(program.facts, facts),
            arguments,
            self._messages,
            Prices() if strategy == CORE_GUIDED else None,
        )

    def _program_for(self, facts: Iterable[Symbol]) -> Program:
        """The program, its tables left to clingo where a pair's facts add to them."""
        tables = self._program.tables
        if self._program.derived and any(signature(fact) in tables for fact in facts):
            return self._plain
        return self._program


def in_batches(items: Iterable[S], decide: Callable[[Sequence[S]], Iterator[T]]) -> Iterator[T]:
    """Decide items, :data:`BATCH` at a time; what came before an error is decided first."""
    remaining = iter(items)
    failure: Exception | None = None
    while failure is None:
        batch: list[S] = []
        try:
            # One at a time: what came before an error is kept.
            for item in islice(remaining, BATCH):
                batch.append(item)
        except Exception as error:
            failure = error
        if not batch:
            break
        yield from decide(batch)
    if failure is not None:
        raise failure


def _short(items: Sequence[Item]) -> list[int]:
    """The places of the pairs that are solved together, if there are at least two."""
    short = [place for place, (pair, _) in enumerate(items) if not _is_long(pair)]
    return short if len(short) > 1 else []


def _is_long(pair: Pair) -> bool:
    return len(pair.sent1.tokens) + len(pair.sent2.tokens) > _LONG


def _exclude(control: Control, found: Found) -> None:
    """Forbid an answer set, so that the next search finds the best of the others."""
    true = frozenset(found.true)
    with control.backend() as backend:
        body = [
            atom.literal if atom.symbol in true else -atom.literal
            for atom in control.symbolic_atoms
            if not atom.is_fact
        ]
        backend.add_rule([], body)
