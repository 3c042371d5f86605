"""What is wrong, or odd, about rules: all of it at once, each with its place and what to do.

The rules are read for the programs that profiles make of them
(:mod:`~ists_asp.rules.check.checked`); what can be found is of the kinds that
:mod:`~ists_asp.rules.check.finding` lists. Nothing is decided with the rules here.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeAlias

from clingo.ast import ASTType

from ists_asp.rules.check.checked import Checked
from ists_asp.rules.check.domains import check_domains
from ists_asp.rules.check.finding import SEVERITIES, Finding, Severity
from ists_asp.rules.check.meanings import check_meanings
from ists_asp.rules.check.names import check_evidence, check_names, check_tables, check_targets
from ists_asp.rules.check.predicates import check_predicates, check_statements
from ists_asp.rules.directives import ALLOW
from ists_asp.rules.profiles import list_profiles
from ists_asp.rules.programs import read_overlay
from ists_asp.rules.source import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from ists_asp.errors import RuleError
    from ists_asp.io.store import Store

_Check: TypeAlias = "Callable[[Checked], Iterator[Finding]]"

__all__ = ["Checked", "Finding", "Severity", "check_names_of_run", "check_rules"]

_CHECKS = (
    check_statements,
    check_predicates,
    check_domains,
    check_meanings,
    check_targets,
    check_evidence,
    check_names,
    check_tables,
)


STOPPING = frozenset(("undefined", "misspelt", "evidence", "domain", "target"))
"""What keeps a run from going on, in a user's file: names that exist nowhere."""

_SOMEWHERE = frozenset(("evidence", "domain"))
"""Those of them that the rules of other profiles may know."""

_SAMPLED = frozenset(("unfired", "split-and-join"))


def check_rules(
    given: Sequence[Path],
    profiles: Sequence[str] = (),
    *,
    machine: bool = False,
    store: Store | None = None,
    sample: Callable[[Checked], Sequence[Finding]] | None = None,
) -> tuple[Checked, tuple[Finding, ...]]:
    """Check rules, as :class:`Checked` takes them: what was read, findings in order.

    Where there are no errors, ``sample`` finds more.
    """
    found: list[Finding] = []

    def report(kind: str, error: RuleError) -> None:
        found.append(Finding.from_error(kind, error))

    checked = Checked(given, profiles, report, machine=machine, store=store)
    for check in _CHECKS:
        found.extend(check(checked))
    # Of a name that exists nowhere it need not be told that nothing derives it.
    unknown = {(one.file, one.line) for one in found if one.kind == "evidence"}
    found = [one for one in found if one.kind != "unmade" or (one.file, one.line) not in unknown]
    grave = any(one.severity is Severity.ERROR for one in _permitted(checked, found))
    if sample is not None and not grave:
        found += sample(checked)
    needless = _needless(checked, found, ran=sample is not None)
    return checked, in_order([*_permitted(checked, found), *needless])


def check_names_of_run(
    given: Sequence[Path], profile: str, *, reads: bool, store: Store | None
) -> tuple[Finding, ...]:
    """The names in a user's files that exist nowhere: what stops a run with this profile."""

    def found(
        profiles: Sequence[str],
        runs: bool | None = None,
        checks: Sequence[_Check] = (check_predicates, check_domains, check_targets),
    ) -> tuple[Finding, ...]:
        checked = Checked(given, profiles, lambda _kind, _error: None, store=store, runs=runs)
        each = (one for check in checks if checked.own for one in check(checked))
        every = [one for one in each if one.kind in STOPPING]
        return in_order([one for one in _permitted(checked, every) if not checked.is_shipped(one)])

    first = found([profile], reads)
    if not first:
        return ()
    # What other programs know is told of predicates; what other profiles know exists somewhere.
    there = {_place(one): one for one in found([profile])}
    elsewhere = there
    if any(one.kind in _SOMEWHERE for one in first):
        # To read all of them takes seconds.
        every = list_profiles(read_overlay(given).base)
        elsewhere = {_place(one): one for one in found(every, checks=[check_domains])}
    return tuple(
        there.get(_place(one), one)
        for one in first
        if _place(one) in (elsewhere if one.kind in _SOMEWHERE else there)
    )


def _place(finding: Finding) -> tuple[str, int, int]:
    return finding.file, finding.line, finding.column


def _allowed(
    checked: Checked, found: Sequence[Finding]
) -> Iterator[tuple[tuple[Path, int, str], set[Finding]]]:
    """What files allow, each with the findings that it is about."""
    for path in checked.own:
        text = checked.text(path).text
        for match in ALLOW.finditer(text) if path.suffix != SUFFIX else ():
            line = text.count("\n", 0, match.start()) + 1
            ends = (
                one.node.location.end.line
                for one in checked.every[path]
                if one.rule.line >= line and one.node.ast_type is not ASTType.Program
            )
            about, lines = (checked.name(path), match[1]), range(line, next(ends, line) + 1)
            yield (
                (path, line, match[1]),
                {one for one in found if (one.file, one.kind) == about and one.line in lines},
            )


def _permitted(checked: Checked, found: Sequence[Finding]) -> list[Finding]:
    """The findings that no ``%@allow`` above a rule is about."""
    allowed = set[Finding]().union(*(about for _, about in _allowed(checked, found)))
    return [one for one in found if one not in allowed]


def _needless(checked: Checked, found: Sequence[Finding], *, ran: bool) -> Iterator[Finding]:
    """Each ``%@allow`` that allows nothing of all that was found."""
    for (path, line, code), about in _allowed(checked, found):
        if code not in SEVERITIES:
            near = get_close_matches(code, SEVERITIES, n=1)
            hint = f"Did you mean {near[0]}?" if near else "ists-asp rules check prints the codes"
            yield checked.finding(
                "directive", (path, line, 1), f"no finding has the code {code}", hint
            )
        elif not about and (ran or code not in _SAMPLED):
            told = f"nothing below has the finding {code} that this allows"
            yield checked.finding("needless-allow", (path, line, 1), told, "Remove the line", code)


def in_order(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Findings by file, line and column, each once."""
    return tuple(
        sorted(
            dict.fromkeys(findings),
            key=lambda one: (one.file, one.line, one.column, list(Severity).index(one.severity)),
        )
    )
