"""How to solve, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from ists_asp.rules.values import check_constant

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ists_asp.model import Answer

__all__ = ["Solution", "SolverOptions", "constant_arguments"]


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """How to solve.

    Args:
        models: how many answers to find for a pair, best first.
        time_limit: seconds of processor time for a pair. The search has what grounding leaves of
            it, and a second at least; grounding itself cannot be stopped.
        constants: values of ``#const`` definitions, as clingo's ``-c name=value``.
    """

    models: int = 1
    time_limit: float = 10.0
    constants: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Solution:
    """The answers for a pair, best first, and the seconds that grounding and solving took.

    Pairs that were solved together share their time equally.
    """

    answers: tuple[Answer, ...]
    grounding: float
    solving: float


def constant_arguments(constants: Mapping[str, str]) -> list[str]:
    """The command line arguments that set constants.

    Raises:
        UsageError: a constant has no name of one, or its value is no term, or one to be evaluated.
    """
    for name, value in constants.items():
        check_constant(name, value)
    return [part for name, value in constants.items() for part in ("-c", f"{name}={value}")]
