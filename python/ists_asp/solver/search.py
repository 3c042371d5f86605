"""Ground a program and search for its best answer set, within a time limit."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import Any, Generic, TypeAlias, TypeVar

from clingo import Configuration, Control, MessageCode, Model, Symbol
from clingo.ast import AST, ProgramBuilder

from ists_asp.errors import IstsError, UsageError, clingo_error
from ists_asp.rules.parsing import Messages
from ists_asp.rules.profiles import check_constant
from ists_asp.solver.bounds import DualValues, Objective
from ists_asp.solver.statements import FactLoader
from ists_asp.syntax.ground import Ground, texts

A = TypeVar("A")
T = TypeVar("T")

# Core-guided optimisation proves these objectives in milliseconds where branch and bound
# takes minutes, but may have no answer set at all when it is stopped: hence the fallback.
CORE_GUIDED = "--opt-strategy=usc"
FALLBACK = "--opt-strategy=bb"

# A :class:`~ists_asp.model.Subject`, mostly a pair, and its facts.
Item: TypeAlias = "tuple[Any, Sequence[Symbol]]"


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """How many answers to find for a pair, in how many seconds, with what values of constants.

    Where a process is asked about pair after pair it may ground ``ahead``; on Linux only.
    """

    models: int = 1
    # Of the processor; the search has what grounding leaves, and a second at least.
    time_limit: float = 10.0
    constants: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    ahead: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.models, int) or self.models < 1:
            raise UsageError(f"models={self.models!r}", expected="how many answers, from 1")
        seconds = self.time_limit
        if not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
            raise UsageError(f"time_limit={seconds!r}", expected="seconds, more than 0")


@dataclass(frozen=True, slots=True)
class Solution(Generic[A]):
    """The answers to an item, best first, and the seconds that grounding and solving took."""

    item: Item
    answers: tuple[A, ...]
    grounding: float  # pairs that were solved together share their time equally
    solving: float
    unique: bool = False  # it is sure that no other answer is as good
    kept: bool = False  # it was found in a run before
    edit: str = ""  # what made it necessary to decide again


Outcomes: TypeAlias = "Iterator[Solution[A] | IstsError]"  # in the order of items


def constant_arguments(constants: Mapping[str, str]) -> list[str]:
    """The command line arguments that set constants."""
    for name, value in constants.items():
        check_constant(name, value)
    return [part for name, value in constants.items() for part in ("-c", f"{name}={value}")]


@dataclass(frozen=True, slots=True)
class AnswerSet:
    """An answer set."""

    shown: tuple[Ground, ...]
    true: tuple[Symbol, ...]  # all its atoms, if they were asked for
    cost: tuple[int, ...]
    optimal: bool  # the search proved that no other is better
    priorities: tuple[int, ...] = ()  # of the values of the cost


def _read_model(model: Model, objective: Objective | None = None, *, atoms: bool) -> AnswerSet:
    """The answer set of a model, which does not outlive its search."""
    true = tuple(model.symbols(atoms=True)) if atoms else ()
    cost = tuple(model.cost) if objective is None else objective.cost(model)
    shown, proven = texts(model.symbols(shown=True)), model.optimality_proven
    return AnswerSet(tuple(shown), true, cost, proven, tuple(model.priority))


def ground(
    statements: Iterable[AST],
    facts: Iterable[Symbol],
    arguments: Sequence[str],
    logger: Callable[[MessageCode, str], None],
    objective: Objective | None = None,
    loader: FactLoader | None = None,
) -> Control:
    """Ground statements and facts, or raise a RuleError.

    ``logger`` gets clingo's messages; ``objective`` is told the weights of the objective, and may
    add prices to it; ``loader`` has more facts.
    """
    errors: list[str] = []

    def log(code: MessageCode, text: str) -> None:
        if code is MessageCode.RuntimeError:
            errors.append(text.strip())
        logger(code, text)

    control = Control(list(arguments), logger=log)
    if objective is not None:
        control.register_observer(objective)
    # The facts first: clingo evaluates #show statements when a backend is closed.
    with control.backend() as backend:
        for symbol in chain(facts, loader.added if loader else ()):
            backend.add_rule([backend.add_atom(symbol)])
    fetching = loader.statements if loader else ()
    try:
        with ProgramBuilder(control) as builder:
            for node in chain(statements, fetching):
                builder.add(node)
        control.ground([("base", [])], loader if fetching else None)
    except RuntimeError as error:
        text = errors[0] if errors else str(error)
        names = logger.names if isinstance(logger, Messages) else None
        raise clingo_error("ground", " ".join(text.split()), names) from None
    if isinstance(objective, DualValues):
        objective.add_to(control)
    return control


def search(
    control: Control,
    time_limit: float,
    *,
    atoms: bool,
    patience: float | None = None,
    objective: Objective | None = None,
) -> tuple[AnswerSet | None, bool]:
    """Search for the best answer set: the one that was found, and whether there can be none.

    After ``time_limit`` seconds of processor time the best so far is good enough; a search that
    has found nothing ends after ``patience``. To want all true ``atoms`` takes longer than the
    shown ones. An ``objective`` that has watched the program being grounded tells the cost where
    its sums have more than 32 bits.
    """
    read = partial(_read_model, objective=objective, atoms=atoms)
    last, ended, exhausted = last_model(control, time_limit, read, patience=patience)
    if last is None:
        return None, exhausted
    # Without an objective clingo stops at the first answer set, as good as any.
    return replace(last, optimal=exhausted or (ended and not last.cost)), False


def only_best(
    control: Control,
    time_limit: float,
    *,
    atoms: bool = False,
    objective: Objective | None = None,
) -> AnswerSet | None:
    """Find the best answer set if it is the only one, in what is projected to unless ``atoms``.

    With an ``objective``, as for :func:`search`, it is the only one in what is shown.
    """
    solving = control.configuration.solve
    assert isinstance(solving, Configuration)
    solving.opt_mode = "optN"
    solving.models = "2"
    solving.project = "no" if atoms else "show" if objective else "project"
    found_sets: list[AnswerSet] = []

    def look(model: Model) -> None:
        # All others are on the way to the best.
        if model.optimality_proven or not model.cost:
            found_sets.append(_read_model(model, objective, atoms=atoms))

    _, ended, _ = last_model(control, time_limit, look)
    return replace(found_sets[0], optimal=True) if ended and len(found_sets) == 1 else None


def exclude(control: Control, answer_set: AnswerSet) -> None:
    """Forbid an answer set, so that the next search finds the best of the others."""
    true = frozenset(answer_set.true)
    with control.backend() as backend:
        body = [
            atom.literal if atom.symbol in true else -atom.literal
            for atom in control.symbolic_atoms
            if not atom.is_fact
        ]
        backend.add_rule([], body)


def last_model(
    control: Control,
    time_limit: float,
    read: Callable[[Model], T],
    assumptions: Sequence[int] = (),
    patience: float | None = None,
) -> tuple[T | None, bool, bool]:
    """Search until no answer set is better, and read each on the way; see :func:`search`.

    Return what was read last, if there was anything; whether the search ended by itself, and
    whether it has proved that there is nothing better, or nothing at all.
    """
    # That of the processor: a busy machine takes none of it.
    clock = time.process_time
    began = clock()
    deadline = began + (time_limit if patience is None else patience)
    last: T | None = None
    try:
        with control.solve(assumptions, yield_=True, async_=True) as handle:
            while True:
                if not handle.wait(max(0.0, deadline - clock())):
                    if clock() < deadline:
                        continue
                    handle.cancel()
                    return last, False, False
                model = handle.model()
                if model is None:
                    return last, True, bool(handle.get().exhausted)
                last, deadline = read(model), began + time_limit
                handle.resume()
    except RuntimeError as error:
        raise clingo_error("solve", str(error)) from None
