"""What is wrong, or odd, about rules: all of it at once, each with its place and what to do.

The rules are read for the programs that profiles make of them
(:mod:`~ists_asp.rules.check.checked`); what can be found is of the kinds that
:mod:`~ists_asp.rules.check.finding` lists. Nothing is decided with the rules here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ists_asp.rules.check.checked import Checked
from ists_asp.rules.check.domains import check_domains
from ists_asp.rules.check.finding import Finding, Severity
from ists_asp.rules.check.names import check_evidence, check_names, check_tables
from ists_asp.rules.check.predicates import check_predicates, check_statements

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
    """Check rules, as :class:`Checked` takes them: what was read, findings in order."""
    found: list[Finding] = []

    def report(kind: str, error: RuleError) -> None:
        found.append(Finding.from_error(kind, error))

    checked = Checked(given, profiles, report, machine=machine)
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
