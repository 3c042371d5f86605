"""What became of a pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ists_asp.engine import Timings
    from ists_asp.model import Answer, Pair
    from ists_asp.rules import RuleWarning


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a pair has no answer, as a phrase, and what can be done about it."""

    reason: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A pair with its answers, best first, or the reason why there is none.

    ``trace`` is the line of JSON that traces the first answer, if traces were asked for;
    ``knowledge`` is what words were compared by.
    """

    pair: Pair
    answers: tuple[Answer, ...]
    failure: Failure | None = None
    trace: str = ""
    knowledge: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What a worker sends back for a batch: an outcome for each pair, in their order."""

    outcomes: tuple[Outcome, ...]
    times: Timings
    warnings: tuple[RuleWarning, ...]
