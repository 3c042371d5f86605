"""One pair with a control object of its own: its rules made ready, its answer sets, the best."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, TypeVar

from clingo import Configuration, Control, Symbol

from ists_asp.errors import UnsatisfiableError, too_late
from ists_asp.rules.parsing import Messages, RuleWarning
from ists_asp.rules.profiles import check_kinds
from ists_asp.solver.bounds import Objective
from ists_asp.solver.program import Program, prepared
from ists_asp.solver.search import (
    CORE_GUIDED,
    FALLBACK,
    SolverOptions,
    constant_arguments,
    exclude,
    ground,
    last_model,
    search,
)
from ists_asp.syntax.ground import Ground, by_name, texts
from ists_asp.syntax.trees import signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ists_asp.rules.loader import RuleSet
    from ists_asp.solver.batch import BatchModel
    from ists_asp.solver.search import Found
    from ists_asp.solver.statements import Shapes


class Grounder:
    """Grounds a rule set for one pair at a time.

    ``program`` is what is grounded for a pair, and what holds for every pair; ``arguments`` are
    clingo's command line arguments, without those that choose a strategy.
    """

    def __init__(self, rules: RuleSet, options: SolverOptions, shapes: Shapes) -> None:
        self._messages = Messages(rules.names)
        check_kinds(options.constants, rules)
        self.arguments = tuple(constant_arguments(options.constants))
        self._prepared = partial(prepared, rules, self.arguments, self._messages, shapes)
        self.program = self._prepared(tables=True)

    @cached_property
    def _plain(self) -> Program:
        """The program with its tables left to clingo: few pairs ask for it."""
        return self._prepared(tables=False)

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """What clingo has warned about so far, such as atoms that no rule derives."""
        return self._messages.warnings

    def ground(
        self,
        facts: Sequence[Symbol],
        strategy: str = CORE_GUIDED,
        objective: Objective | None = None,
    ) -> Control:
        """Ground the rules for a pair; see :func:`~ists_asp.solver.search.ground`."""
        program, arguments = self.program_for(facts), (strategy, *self.arguments)
        statements, given = program.statements, program.given
        return ground(statements, facts, arguments, self._messages, objective, given)

    def program_for(self, facts: Iterable[Symbol]) -> Program:
        """The program, its tables left to clingo where a pair's facts add to them."""
        tables = self.program.tables
        if self.program.derived and any(signature(fact) in tables for fact in facts):
            return self._plain
        return self.program


_LEAST = 1.0
"""Seconds for a search, if the limit for a pair is not less."""


class Alone:
    """Finds the answer sets of a pair, the best first.

    ``control`` is the ground program, ``objective`` has watched it being grounded, and
    ``grounding`` is how many seconds that took. The time limit is for grounding and search, but
    the search has a second at least.
    """

    def __init__(
        self,
        grounder: Grounder,
        facts: Sequence[Symbol],
        time_limit: float,
        objective: Objective,
        *,
        atoms: bool,
    ) -> None:
        self._grounder = grounder
        self._facts = facts
        self._time_limit = time_limit
        self.objective = objective
        self._atoms = atoms
        began = time.process_time()
        self._ends = began + time_limit
        self.control: Control = grounder.ground(facts, objective=objective)
        self.grounding = time.process_time() - began

    @property
    def program(self) -> Program:
        """What was grounded for the pair."""
        return self._grounder.program_for(self._facts)

    def first(self) -> Found:
        """The best answer set."""
        left = self._left_for_one()
        found, unsatisfiable = self._search(left, patience=left / 2)
        if found is None and not unsatisfiable:
            self.objective = Objective()
            self.control = self._grounder.ground(self._facts, FALLBACK, self.objective)
            found, unsatisfiable = self._search(self._left_for_one())
        if unsatisfiable:
            raise UnsatisfiableError(
                "the rules admit no answer set",
                hint="Look for a constraint (a rule without a head) that cannot hold",
            )
        if found is None:
            raise too_late(self._time_limit)
        return found

    def after(self, found: Found) -> Found | None:
        """The best answer set but those before it, if there is one and time is left."""
        left = self._ends - time.process_time()
        if left <= 0:
            return None
        exclude(self.control, found)
        return self._search(left)[0]

    def _left_for_one(self) -> float:
        """Seconds for a first answer set: whether there is one must not rest on milliseconds."""
        return max(self._ends - time.process_time(), min(self._time_limit, _LEAST))

    def _search(self, seconds: float, patience: float | None = None) -> tuple[Found | None, bool]:
        atoms, objective = self._atoms, self.objective
        return search(self.control, seconds, atoms=atoms, patience=patience, objective=objective)


A = TypeVar("A")

Other = tuple[dict[int, int], frozenset["Ground"]]
"""Another answer set: the value of each priority, and the atoms that were looked at."""


@dataclass(eq=False)
class Best(Generic[A]):
    """The best answer set of a pair with all its atoms.

    ``answer`` is what it says, ``program`` what was grounded for the pair. If several pairs were
    solved together, ``together`` is what they share, and ``number`` that of this one; ``found``
    lacks the atoms that are not shown, and ``ground`` grounds the program for this pair alone.
    """

    answer: A
    found: Found
    program: Program
    ground: Callable[[], tuple[Control, Objective]]
    together: BatchModel | None = None
    number: int = 0

    @cached_property
    def _alone(self) -> tuple[Control, Objective]:
        return self.ground()

    @property
    def control(self) -> Control:
        """The ground program of this pair alone."""
        return self._alone[0]

    @cached_property
    def atoms(self) -> Mapping[str, Sequence[Ground]]:
        """The atoms by name, without the facts of the program."""
        if self.together is not None:
            return self.together.shares[self.number].atoms
        return by_name(texts(frozenset(self.found.true).difference(self.program.facts)))

    def undecided(self, name: str, arity: int) -> Mapping[Ground, int]:
        """The atoms of a predicate that the solver decides, with their literals."""
        found = [
            atom
            for atom in self.control.symbolic_atoms.by_signature(name, arity)
            if not atom.is_fact
        ]
        written = texts(atom.symbol for atom in found)
        return dict(zip(written, (atom.literal for atom in found), strict=True))

    def other(
        self, assumptions: Sequence[int], looked_at: Mapping[Ground, int], time_limit: float
    ) -> Other | None:
        """Find the best answer set in which literals are true; None if there is none.

        So many should be given that branch and bound looks at the rest in no time. After
        ``time_limit`` seconds the best so far is good enough.
        """
        control, objective = self._alone
        solver = control.configuration.solver
        assert isinstance(solver, Configuration)
        solver.opt_strategy = "bb"
        return last_model(
            control,
            time_limit,
            lambda model: (
                dict(zip(model.priority, objective.cost(model), strict=True)),
                frozenset(atom for atom, literal in looked_at.items() if model.is_true(literal)),
            ),
            assumptions,
        )[0]
