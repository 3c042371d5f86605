"""How to solve, and what comes of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeVar

from ists_asp.errors import UsageError
from ists_asp.rules.profiles import check_constant

if TYPE_CHECKING:
    from collections.abc import Mapping

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """How to solve.

    Args:
        models: how many answers to find for a pair, best first.
        time_limit: seconds of processor time for a pair. The search has what grounding leaves of
            it, and a second at least; grounding itself cannot be stopped.
        constants: values of ``#const`` definitions, as clingo's ``-c name=value``.

    Raises:
        UsageError: there are to be no answers, or no time for them.
    """

    models: int = 1
    time_limit: float = 10.0
    constants: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        if not isinstance(self.models, int) or self.models < 1:
            raise UsageError(f"models={self.models!r}", expected="how many answers, from 1")
        seconds = self.time_limit
        if not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
            raise UsageError(f"time_limit={seconds!r}", expected="seconds, more than 0")


@dataclass(frozen=True, slots=True)
class Solution(Generic[A]):
    """What was read of a pair, best first, and the seconds that grounding and solving took.

    Pairs that were solved together share their time equally. ``unique`` if it is sure that no
    other answer is as good; ``kept`` if it was found in a run before; ``edit`` says what made it
    necessary to decide again what had been decided before.
    """

    answers: tuple[A, ...]
    grounding: float
    solving: float
    unique: bool = False
    kept: bool = False
    edit: str = ""


def constant_arguments(constants: Mapping[str, str]) -> list[str]:
    """The command line arguments that set constants."""
    for name, value in constants.items():
        check_constant(name, value)
    return [part for name, value in constants.items() for part in ("-c", f"{name}={value}")]
