"""Checks of rules: everything that is wrong or odd, each with its place and what to do.

The rules are read into one model (:mod:`~ists_asp.rules.check.model`) of the programs that profiles
make of them, and each check is a function over it that yields findings. ``docs/pages/findings.md``
says of each code what it means, with examples. Nothing is decided with the rules here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from clingo.ast import ASTType

from ists_asp.errors import RuleError, suggest
from ists_asp.io.store import Store
from ists_asp.rules.check import names
from ists_asp.rules.check.domains import check_constants, check_shadows
from ists_asp.rules.check.meanings import check_meanings, check_scope, check_sums
from ists_asp.rules.check.model import SEVERITIES, Checked, Finding, Severity
from ists_asp.rules.directives import ALLOW
from ists_asp.rules.profiles import list_profiles
from ists_asp.rules.programs import read_overlay
from ists_asp.rules.source import SUFFIX

_Check: TypeAlias = "Callable[[Checked], Iterator[Finding]]"
_Findings: TypeAlias = tuple[Finding, ...]

__all__ = ["Checked", "Finding", "Severity", "check_rules", "check_run"]

_OF_RUNS = (names.check_predicates, check_constants, names.check_targets, check_shadows, check_sums)
_OF_RULES = (names.check_statements, check_meanings, check_scope)
_OTHERS = (*_OF_RULES, names.check_evidence, names.check_names, names.check_tables)

_REPORTED = frozenset(["mixed", "pooled-negation", "word-form", "variable", "never-fires"])
_REPORTED |= {"reserved", "unsafe", "counted-once", "loose-set", "empty-set", "no-label"}
"""Findings in a user's file that a run only tells: rules that do not do what they say."""

_SOMEWHERE = frozenset(("evidence", "domain"))  # those that other profiles may know
_CAUSES = {"unmade": ("evidence", 2), "mixed": ("domain", 3), "nameless": ("directive", 1)}
"""Findings that need not be told beside another, of the same file, line (2) and column (3)."""
_SAMPLED = frozenset(("no-answer", "unfired", "split-and-join"))


def check_rules(
    paths: Sequence[Path],
    profiles: Sequence[str] = (),
    *,
    machine: bool = False,
    store: Store | None = None,
    sample: Callable[[Checked], Sequence[Finding]] | None = None,
) -> tuple[Checked, _Findings]:
    """Check rules, as :class:`Checked` takes them: return the model and the findings in order."""
    findings: list[Finding] = []

    def report(kind: str, error: RuleError) -> None:
        findings.append(Finding.from_error(kind, error))

    checked = Checked(paths, profiles, report, machine=machine, store=store)
    for check in (*_OF_RUNS, *_OTHERS):
        findings.extend(check(checked))
    errors = any(finding.severity is Severity.ERROR for finding in _permitted(checked, findings))
    if sample is not None and not errors:
        findings += sample(checked)
    needless = _needless(checked, findings, sampled=sample is not None)
    return checked, _in_order([*_permitted(checked, findings), *needless])


def check_run(
    paths: Sequence[Path], profile: str, *, reads: bool, store: Store | None
) -> _Findings:
    """The findings in a user's files that a run with this profile tells, or that stop it."""

    def findings(profiles: Sequence[str], *checks: _Check, runs: bool | None = None) -> _Findings:
        checked = Checked(paths, profiles, lambda _kind, _error: None, store=store, runs=runs)
        findings = (finding for check in checks if checked.paths for finding in check(checked))
        reported = (finding for finding in findings if finding.stops or finding.kind in _REPORTED)
        permitted = _permitted(checked, [*reported])
        return _in_order([finding for finding in permitted if not checked.is_shipped(finding)])

    first = findings([profile], *_OF_RUNS, *_OF_RULES, runs=reads)
    if not any(finding.stops for finding in first):
        return first
    # Other programs of the profile may have a predicate, and other profiles a constant.
    places = {_place(fault) for fault in first if fault.stops}
    stopping = [fault for fault in findings([profile], *_OF_RUNS) if _place(fault) in places]
    if any(fault.kind in _SOMEWHERE for fault in stopping):
        # To read all of them takes seconds.
        profiles = list_profiles(read_overlay(paths).base)
        anywhere = {_subject(fault) for fault in findings(profiles, check_constants)}
        stopping = [
            fault
            for fault in stopping
            if fault.kind not in _SOMEWHERE or _subject(fault) in anywhere
        ]
    reported = [fault for fault in first if fault.kind in _REPORTED]
    return _in_order([*{_subject(fault): fault for fault in (*reported, *stopping)}.values()])


def _subject(finding: Finding) -> tuple[str, str, int, int]:
    return finding.kind, *_place(finding)


def _place(finding: Finding) -> tuple[str, int, int]:
    return finding.file, finding.line, finding.column


def _allowed(
    checked: Checked, findings: Sequence[Finding]
) -> Iterator[tuple[tuple[Path, int, str], set[Finding]]]:
    """Each ``%@allow`` of the files, as path, line and code, with the findings that it is about."""
    for path in checked.paths:
        text = checked.text(path).text
        for match in ALLOW.finditer(text) if path.suffix != SUFFIX else ():
            line = text.count("\n", 0, match.start()) + 1
            ends = (
                statement.node.location.end.line
                for statement in checked.all_by_file[path]
                if statement.rule.line >= line and statement.node.ast_type is not ASTType.Program
            )
            about, lines = (checked.name(path), match[1]), range(line, next(ends, line) + 1)
            alike = (finding for finding in findings if (finding.file, finding.kind) == about)
            yield (path, line, match[1]), {finding for finding in alike if finding.line in lines}


def _permitted(checked: Checked, findings: Sequence[Finding]) -> list[Finding]:
    """The findings that no ``%@allow`` above a rule is about."""
    allowed = set[Finding]().union(*(about for _, about in _allowed(checked, findings)))
    return [finding for finding in findings if finding not in allowed]


def _needless(checked: Checked, findings: Sequence[Finding], *, sampled: bool) -> Iterator[Finding]:
    """Each ``%@allow`` of an unknown code, or that is about none of the findings."""
    for (path, line, code), about in _allowed(checked, findings):
        if code not in SEVERITIES:
            found = f"no finding has the code {code}"
            hint = suggest(code, SEVERITIES, "ists-asp rules check prints the codes")
            yield checked.finding("directive", (path, line, 1), found, hint)
        elif not about and (sampled or code not in _SAMPLED):
            found = f"nothing below has the finding {code} that this allows"
            yield checked.finding("needless-allow", (path, line, 1), found, "Remove the line", code)


def _in_order(findings: Sequence[Finding]) -> _Findings:
    rank = [*Severity].index
    told = {(fault.kind, *_place(fault)[:known]) for fault in findings for known in (1, 2, 3)}
    causes = ((fault, *_CAUSES.get(fault.kind, ("", 0))) for fault in dict.fromkeys(findings))
    unique = [fault for fault, kind, known in causes if (kind, *_place(fault)[:known]) not in told]
    return tuple(sorted(unique, key=lambda fault: (*_place(fault), rank(fault.severity))))
