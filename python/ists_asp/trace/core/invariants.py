"""What every trace must fulfil; otherwise nothing in it can be relied on."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ists_asp.errors import TraceError, of_pair

if TYPE_CHECKING:
    from ists_asp.trace.core.trace import Trace


def check(trace: Trace) -> None:
    """Check that a trace accounts for its answer.

    Every atom has a derivation or was given, none rests on itself (which the order of
    derivation has shown), no constraint fired, and the weights sum to the cost.

    Raises:
        TraceError: it does not; the message says which.
    """
    where = of_pair(trace.answer.pair.id)
    lacking = trace.true - trace.given
    lacking -= trace.firings.by_head.keys()
    lacking -= trace.rewritten.known
    if lacking:
        raise TraceError(
            f"{len(lacking)} atoms have no derivation, such as {min(lacking)}", where=where
        )
    for firing in trace.firings.violated:
        rule = firing.probe.rule
        raise TraceError(f"the constraint at {rule.file}:{rule.line} fired", where=where)
    sums: dict[int, int] = defaultdict(int)
    for term in trace.objective:
        sums[term.priority] += term.weight
    cost = dict(zip(trace.best.found.priorities, trace.best.found.cost, strict=True))
    for priority in sums.keys() | cost.keys():
        if sums[priority] != cost.get(priority, 0):
            raise TraceError(
                f"the weights at priority {priority} sum to {sums[priority]}",
                where=where,
                expected=f"the cost {cost.get(priority, 0)}",
            )
