"""What the decisions of several pairs rest on, looked for in all of them at the same time.

A look for what aggregates counted takes clingo some time however little it looks for. So it
is done in waves: what the decisions rest on, what that counted, what this rests on, and so on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.trace.view.decisions import PREDICATES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ists_asp.syntax.ground import Ground
    from ists_asp.trace.core.instance import RuleInstance
    from ists_asp.trace.core.shared import Shared
    from ists_asp.trace.core.trace import Trace


class _Walk:
    """Goes from the decisions of a trace to what they rest on, as far as that is known."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._seen: set[Ground] = set()
        self._open: list[Ground] = []
        self._waiting: list[RuleInstance] = []
        for name in PREDICATES:
            self._open += trace.atoms(name)
        for firing in trace.firings.objective:
            self._open += firing.positive

    def wanted(self) -> list[RuleInstance]:
        """The firings that were reached and whose elements are not known."""
        for firing in self._waiting:
            self._open += self._trace.firings.counted(firing)
        self._waiting = []
        while self._open:
            atom = self._open.pop()
            if atom in self._seen:
                continue
            self._seen.add(atom)
            for firing in self._trace.reasons(atom)[:1]:
                self._open += firing.positive
                if firing.probe.companions and self._trace.is_own(firing):
                    self._waiting.append(firing)
        return self._waiting


def reach(shared: Shared, traces: Sequence[Trace]) -> None:
    """Look for the elements of all firings that the decisions rest on.

    Args:
        shared: what the traces share.
        traces: traces of pairs that were decided together.
    """
    walks = [(trace.best.number, _Walk(trace)) for trace in traces]
    while wanted := [(number, firing) for number, walk in walks for firing in walk.wanted()]:
        shared.want(wanted)
