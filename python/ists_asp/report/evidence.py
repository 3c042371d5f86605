"""What speaks for each line of an answer: its decisions as contrasts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.trace.contrast import Contrast, contrast
from ists_asp.trace.decisions import DecisionKind, decisions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ists_asp.trace.trace import Trace

Line = tuple[tuple[int, ...], tuple[int, ...]]
"""The token numbers of both sides: they identify a line of an answer."""


def evidence(trace: Trace) -> Mapping[Line, tuple[Contrast, ...]]:
    """The contrasts of each line of an answer, one for each of its decisions.

    Args:
        trace: the trace of the answer.
    """
    found: dict[Line, list[Contrast]] = {}
    for decision in decisions(trace):
        if decision.kind is not DecisionKind.BOUNDARY:
            line = decision.tokens1, decision.tokens2
            found.setdefault(line, []).append(contrast(trace, decision).contrast)
    return {line: tuple(parts) for line, parts in found.items()}
