"""Ground a program and search for its best answer set, within a time limit."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from clingo import Control, MessageCode
from clingo.ast import ProgramBuilder

from ists_asp.errors import RuleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from clingo import Symbol
    from clingo.ast import AST

__all__ = ["CORE_GUIDED", "FALLBACK", "Found", "ground", "search"]

# Core-guided optimisation proves these objectives in milliseconds where branch and bound
# takes minutes, but may have no answer set at all when it is stopped: hence the fallback.
CORE_GUIDED = "--opt-strategy=usc"
FALLBACK = "--opt-strategy=bb"


@dataclass(frozen=True, slots=True)
class Found:
    """A copy of an answer set: models do not outlive the search that found them.

    ``true`` has all its atoms if they were asked for; ``optimal`` says whether the search
    proved that no other is better. ``priorities`` has the priority of each value of ``cost``.
    """

    shown: tuple[Symbol, ...]
    true: tuple[Symbol, ...]
    cost: tuple[int, ...]
    optimal: bool
    priorities: tuple[int, ...] = ()


def ground(
    statements: Iterable[AST],
    facts: Iterable[Symbol],
    arguments: Sequence[str],
    logger: Callable[[MessageCode, str], None],
) -> Control:
    """Ground statements and facts.

    Args:
        statements: syntax trees.
        facts: atoms that hold.
        arguments: clingo's command line arguments.
        logger: gets clingo's messages.

    Raises:
        RuleError: clingo cannot ground them.
    """
    errors: list[str] = []

    def log(code: MessageCode, text: str) -> None:
        if code is MessageCode.RuntimeError:
            errors.append(text.strip())
        logger(code, text)

    control = Control(list(arguments), logger=log)
    # The facts first: clingo evaluates #show statements when a backend is closed.
    with control.backend() as backend:
        for symbol in facts:
            backend.add_rule([backend.add_atom(symbol)])
    with ProgramBuilder(control) as builder:
        for node in statements:
            builder.add(node)
    try:
        control.ground([("base", [])])
    except RuntimeError as error:
        text = errors[-1] if errors else str(error)
        raise RuleError(
            f"clingo cannot ground the rules: {' '.join(text.split())}",
            hint="Mend the rule that the message names",
        ) from None
    return control


def search(
    control: Control,
    time_limit: float,
    *,
    atoms: bool,
    assumptions: Sequence[tuple[Symbol, bool]] = (),
) -> tuple[Found | None, bool]:
    """Search for the best answer set.

    Args:
        control: a ground program.
        time_limit: seconds after which the best answer set so far is good enough.
        atoms: whether all true atoms are wanted, which takes longer than the shown ones.
        assumptions: atoms that are to be true or false this time.

    Returns:
        The best answer set, if one was found, and whether there can be none.
    """
    deadline = time.perf_counter() + time_limit
    found: Found | None = None
    with control.solve(assumptions, yield_=True, async_=True) as handle:
        while handle.wait(max(0.0, deadline - time.perf_counter())):
            model = handle.model()
            if model is None:
                exhausted = bool(handle.get().exhausted)
                if found is None:
                    return None, exhausted
                # Without an objective clingo stops at the first answer set, as good as any.
                return replace(found, optimal=exhausted or not found.cost), False
            found = Found(
                tuple(model.symbols(shown=True)),
                tuple(model.symbols(atoms=True)) if atoms else (),
                tuple(model.cost),
                optimal=False,
                priorities=tuple(model.priority),
            )
            handle.resume()
        handle.cancel()
    return found, False
