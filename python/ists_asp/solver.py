"""One pair's facts in, its best answers out, within a time limit.

A program is parsed once and used for many pairs, each in a control object of its own, so
that pairs cannot influence one another. Statements are added as syntax trees and facts as
symbols, which takes half the time of text.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from clingo import Control
from clingo.ast import AST, ASTType, ProgramBuilder

from ists_asp.answers import read_answer
from ists_asp.errors import RuleError, TimeLimitError, UnsatisfiableError, UsageError
from ists_asp.rules.messages import Messages, RuleWarning

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clingo import Model, Symbol

    from ists_asp.model import Answer, Pair
    from ists_asp.rules.loader import RuleSet

__all__ = ["Solution", "Solver", "SolverOptions"]

# Core-guided optimisation proves these objectives in milliseconds where branch and bound
# takes minutes, but may have no answer set at all when it is stopped: hence the fallback.
_CORE_GUIDED = "--opt-strategy=usc"
_FALLBACK = "--opt-strategy=bb"


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """How to solve.

    Args:
        models: how many answers to find for a pair, best first.
        time_limit: seconds for the search for one answer; grounding is not limited by it.
        constants: values of ``#const`` definitions, as clingo's ``-c name=value``.
    """

    models: int = 1
    time_limit: float = 10.0
    constants: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Solution:
    """The answers for a pair, best first, and the seconds that grounding and solving took."""

    answers: tuple[Answer, ...]
    grounding: float
    solving: float


@dataclass(frozen=True, slots=True)
class _Found:
    """A copy of an answer set: models do not outlive the search that found them."""

    shown: tuple[Symbol, ...]
    true: tuple[Symbol, ...]
    cost: tuple[int, ...]
    optimal: bool


class Solver:
    """A rule set made ready to decide pairs.

    Args:
        rules: the parsed rules, ``asp/`` and ``lp_rules/`` together.
        options: how to solve.

    Raises:
        UsageError: a constant is not an ASP term.
        RuleError: clingo cannot ground the facts among the rules.
    """

    def __init__(self, rules: RuleSet, options: SolverOptions | None = None) -> None:
        self._options = options or SolverOptions()
        self._messages = Messages(rules.names)
        self._arguments = _constant_arguments(self._options.constants)
        self._statements = [node for node in rules.statements if not _is_fact(node)]
        self._facts = self._own_facts(rules.statements)

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
        control = self._ground(facts, _CORE_GUIDED)
        grounded = time.perf_counter()
        found: _Found | None = self._first(control, facts, pair)
        answers = []
        while found is not None:
            answers.append(read_answer(pair, found.shown, found.cost, found.optimal))
            if len(answers) == self._options.models:
                break
            _exclude(control, found)
            found = self._best(control)[0]
        return Solution(tuple(answers), grounded - began, time.perf_counter() - grounded)

    def ground_atoms(self, facts: Sequence[Symbol]) -> dict[Symbol, bool]:
        """Ground the rules for a pair and return the atoms.

        Returns:
            Each atom that the grounder could derive, and whether it holds in every answer
            set (a fact) rather than being decided by the solver.
        """
        control = self._ground(facts, _CORE_GUIDED)
        return {atom.symbol: atom.is_fact for atom in control.symbolic_atoms}

    def _first(self, control: Control, facts: Sequence[Symbol], pair: Pair) -> _Found:
        found, unsatisfiable = self._best(control)
        if found is None and not unsatisfiable:
            found, unsatisfiable = self._best(self._ground(facts, _FALLBACK))
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
        return found

    def _own_facts(self, statements: Iterable[AST]) -> list[Symbol]:
        """Evaluate the facts among the statements, so that each pair gets them as symbols."""
        control = Control(self._arguments, logger=self._messages)
        with ProgramBuilder(control) as builder:
            for node in statements:
                if _is_fact(node) or node.ast_type is ASTType.Definition:
                    builder.add(node)
        self._run_grounder(control)
        return [atom.symbol for atom in control.symbolic_atoms if atom.is_fact]

    def _ground(self, facts: Sequence[Symbol], strategy: str) -> Control:
        control = Control([strategy, *self._arguments], logger=self._messages)
        # The facts first: clingo evaluates #show statements when a backend is closed.
        with control.backend() as backend:
            for symbol in chain(self._facts, facts):
                backend.add_rule([backend.add_atom(symbol)])
        with ProgramBuilder(control) as builder:
            for node in self._statements:
                builder.add(node)
        self._run_grounder(control)
        return control

    def _run_grounder(self, control: Control) -> None:
        try:
            control.ground([("base", [])])
        except RuntimeError as error:
            text = self._messages.errors[-1] if self._messages.errors else str(error)
            raise RuleError(
                f"clingo cannot ground the rules: {' '.join(text.split())}",
                hint="Mend the rule that the message names",
            ) from None

    def _best(self, control: Control) -> tuple[_Found | None, bool]:
        """Search for the best answer set until the limit; also say if there can be none."""
        deadline = time.perf_counter() + self._options.time_limit
        found: _Found | None = None
        with control.solve(yield_=True, async_=True) as search:
            while search.wait(max(0.0, deadline - time.perf_counter())):
                model = search.model()
                if model is None:
                    exhausted = bool(search.get().exhausted)
                    if found is None:
                        return None, exhausted
                    # Without an objective clingo stops at the first answer set, as good as any.
                    return replace(found, optimal=exhausted or not found.cost), False
                found = _copy(model)
                search.resume()
            search.cancel()
        return found, False


def _copy(model: Model) -> _Found:
    return _Found(
        tuple(model.symbols(shown=True)),
        tuple(model.symbols(atoms=True)),
        tuple(model.cost),
        optimal=False,
    )


def _exclude(control: Control, found: _Found) -> None:
    """Forbid an answer set, so that the next search finds the best of the others."""
    true = frozenset(found.true)
    with control.backend() as backend:
        body = [
            atom.literal if atom.symbol in true else -atom.literal
            for atom in control.symbolic_atoms
            if not atom.is_fact
        ]
        backend.add_rule([], body)


def _is_fact(node: AST) -> bool:
    """Whether a statement is a fact, pools and intervals included."""
    return bool(
        node.ast_type is ASTType.Rule
        and not node.body
        and node.head.ast_type is ASTType.Literal
        and node.head.atom.ast_type is ASTType.SymbolicAtom
    )


def _constant_arguments(constants: Mapping[str, str]) -> list[str]:
    arguments = [part for name, value in constants.items() for part in ("-c", f"{name}={value}")]
    try:
        Control(arguments, logger=lambda _code, _text: None)
    except RuntimeError:
        shown = ", ".join(f"{name}={value}" for name, value in constants.items())
        raise UsageError(
            f"a constant is not NAME=TERM: {shown}",
            expected="a name in lower case and an ASP term, as in max_span=2",
        ) from None
    return arguments
