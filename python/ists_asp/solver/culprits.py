"""Which constraints leave a pair without an answer: a smallest set that cannot all hold.

Each constraint that is not the machine's gets a switch. The pair is grounded once; while the
program is unsatisfiable without a constraint, that one is not needed for it. What is left is
minimal, unless the time runs out: without any one of them there is an answer (J. Marques-Silva,
"Minimal unsatisfiability", 2010, calls this deletion).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from clingo.ast import AST, ASTType

from ists_asp.rules.messages import Messages
from ists_asp.solver.pairing import OWN
from ists_asp.solver.search import ground
from ists_asp.syntax.changes import declared, guarded, switch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clingo import Control, Symbol

    from ists_asp.rules import NamedRule, RuleSet

_SWITCH = f"{OWN}holds"
_MACHINE = "asp/"

MOST = 50
"""Constraints that are tried at most."""

SECONDS = 2.0
"""Seconds that all tries together may take: the pair has had its time already."""


def culprits(
    rules: RuleSet, arguments: Sequence[str], facts: Iterable[Symbol]
) -> tuple[NamedRule, ...]:
    """A smallest set of constraints that cannot all hold for a pair.

    Args:
        rules: the parsed rules.
        arguments: clingo's command line arguments.
        facts: those of the pair.

    Returns:
        The rules; none if the reason lies elsewhere, or was not found in time.
    """
    statements: list[AST] = []
    switched: list[NamedRule] = []
    for node, rule in zip(rules.statements, rules.rules, strict=True):
        if node.ast_type is ASTType.Minimize:
            continue
        if _restrains(node) and not rule.file.startswith(_MACHINE) and len(switched) < MOST:
            switched.append(rule)
            statements.append(guarded(node, _SWITCH, len(switched)))
        else:
            statements.append(node)
    if not switched:
        return ()
    statements += declared(_SWITCH, len(switched))
    control = ground(statements, facts, arguments, Messages(rules.names))
    ends = time.monotonic() + SECONDS
    if not _satisfiable(control, set(), len(switched), ends):
        return ()
    needed = set(range(1, len(switched) + 1))
    for number in sorted(needed):
        if _satisfiable(control, needed - {number}, len(switched), ends) is False:
            needed.discard(number)
    return tuple(switched[number - 1] for number in sorted(needed))


def _restrains(node: AST) -> bool:
    return node.ast_type is ASTType.Rule and str(node.head) == "#false"


def _satisfiable(control: Control, on: set[int], count: int, ends: float) -> bool | None:
    """Whether there is an answer with some constraints on; None if there is no time left."""
    for number in range(1, count + 1):
        control.assign_external(switch(_SWITCH, number), number in on)
    with control.solve(async_=True) as search:
        if not search.wait(max(0.0, ends - time.monotonic())):
            search.cancel()
            return None
        return bool(search.get().satisfiable)
