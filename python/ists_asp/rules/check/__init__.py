"""What is wrong, or odd, about rules: all of it at once, each with its place and what to do.

The rules are read (:mod:`~ists_asp.rules.check.source`) for the programs that profiles make of
them (:mod:`~ists_asp.rules.check.finding`); nothing is decided with them here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.rules.check.domains import check_domains
from ists_asp.rules.check.finding import Finding, Severity, from_error, make_plan
from ists_asp.rules.check.names import check_evidence, check_names, check_tables
from ists_asp.rules.check.predicates import check_predicates, check_statements
from ists_asp.rules.check.source import Checked, read_plan

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ists_asp.errors import RuleError

__all__ = ["Checked", "Finding", "Severity", "check_rules", "in_order"]

_CHECKS = (
    check_statements,
    check_predicates,
    check_domains,
    check_evidence,
    check_names,
    check_tables,
)


def check_rules(
    given: Sequence[Path], profiles: Sequence[str] = (), *, machine: bool = False
) -> tuple[Checked, tuple[Finding, ...]]:
    """Check rules, as :func:`make_plan` takes them: what was read, findings in order."""
    found: list[Finding] = []

    def report(kind: str, error: RuleError) -> None:
        found.append(from_error(kind, error))

    checked = read_plan(make_plan(given, profiles, report, machine=machine), report)
    for check in _CHECKS:
        found.extend(check(checked))
    return checked, in_order(found)


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Findings by file, line and column, each once."""
    return tuple(
        sorted(
            dict.fromkeys(findings),
            key=lambda one: (one.file, one.line, one.column, list(Severity).index(one.severity)),
        )
    )
