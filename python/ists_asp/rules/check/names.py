"""Names and headers: what traces and readers go by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clingo.ast import ASTType

from ists_asp.rules.check.finding import Finding, Severity
from ists_asp.rules.tables import SUFFIX
from ists_asp.syntax.trees import is_fact, predicates
from ists_asp.vocabulary import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ists_asp.rules.check.atoms import Statement
    from ists_asp.rules.check.source import Checked

_NAMED = (ASTType.Rule, ASTType.Minimize)
_HEADER = re.compile(r"(%[^\n]*\n)*")
_FIRST = re.compile(r"% [A-Z].*[.:]")
_PARTS = ("Purpose", "Input", "Output", "Private")
_PART = re.compile(rf"^% ({'|'.join(_PARTS)}):\s+\S", re.MULTILINE)


def check_names(checked: Checked) -> Iterator[Finding]:
    """Look for rules without a name, names used twice, odd files and headers."""
    yield from _twice(checked)
    yield from _replacing(checked)
    yield from _nameless(checked)
    yield from _weights_files(checked)
    yield from _files(checked)


def _twice(checked: Checked) -> Iterator[Finding]:
    first: dict[str, Statement] = {}
    for path in checked.shipped_first(checked.by_file):
        for statement in checked.by_file[path]:
            rule = statement.rule
            if rule.sentence is None:
                continue
            taken = first.setdefault(rule.name, statement)
            if (taken.path, taken.rule.line, taken.rule.column) == (path, rule.line, rule.column):
                # The elements of one #maximize share its place and name.
                continue
            if path not in checked.plan.own:
                continue
            together = set(checked.programs_of[path]) & set(checked.programs_of[taken.path])
            yield checked.finding(
                Severity.ERROR if together or path == taken.path else Severity.WARNING,
                "name-twice",
                path,
                (rule.line, rule.column),
                f"the rule name {rule.name} is taken by {taken.rule.file}:{taken.rule.line}",
                "Give each rule a name of its own",
                rule.name,
            )


def _replacing(checked: Checked) -> Iterator[Finding]:
    for path, name in checked.plan.replaced.items():
        yield checked.finding(
            Severity.WARNING,
            "replaces",
            path,
            (0, 0),
            f"this file takes the place of {name}, as it has its name",
            "Give it another name if its rules are to be added",
        )


def _nameless(checked: Checked) -> Iterator[Finding]:
    for statement in checked.statements:
        rule = statement.rule
        if statement.path in checked.faulty or rule.sentence is not None or _is_table(statement):
            continue
        if statement.path.suffix == SUFFIX:
            # A line of a word table speaks for itself, and has no place for a name.
            continue
        if statement.node.ast_type in _NAMED:
            yield checked.finding(
                Severity.WARNING,
                "nameless",
                statement.path,
                (rule.line, rule.column),
                "this rule has no name: traces can only tell its place",
                'Put %@rule name: "what it means, with {Variables}" on the line above',
            )


def _is_table(statement: Statement) -> bool:
    """Whether a statement says how sure decisions are: such tables stand beside weights."""
    return is_fact(statement.node) and predicates(statement.node.head) == {CONFIDENCE.signature}


def _weights_files(checked: Checked) -> Iterator[Finding]:
    for path in checked.own:
        for statement in checked.by_file[path] if path in checked.weights_files else ():
            if statement.node.ast_type is not ASTType.Program and not _is_table(statement):
                yield checked.finding(
                    Severity.WARNING,
                    "weights-file",
                    path,
                    (statement.rule.line, statement.rule.column),
                    "a weights file has something else than weights",
                    "Move it to another file: ists-asp learn writes weights files anew",
                )


def _files(checked: Checked) -> Iterator[Finding]:
    including = {file.path for file in checked.rules.files if file.includes}
    for path in checked.own:
        if checked.plan.programs and not checked.programs_of[path]:
            yield checked.finding(
                Severity.WARNING,
                "unloaded",
                path,
                (1, 1),
                "no profile loads this file",
                "Name it, or its folder, in profiles/NAME.toml",
            )
        if path.suffix == SUFFIX:
            continue
        if path in including and not any(
            one.node.ast_type in _NAMED for one in checked.by_file[path]
        ):
            wanted: tuple[str, ...] = ()
        else:
            wanted = _PARTS
        text = checked.text(path).text
        found = _HEADER.match(text)
        header = found[0] if found else ""
        first = header.partition("\n")[0]
        parts_said = tuple(_PART.findall(header))
        lacking = [part for part in wanted if part not in parts_said]
        if _FIRST.fullmatch(first) and parts_said and lacking:
            yield checked.finding(
                Severity.NOTE,
                "header",
                path,
                (1, 1),
                "the heading of the file lacks " + _listed("{}:", lacking),
                "Add " + _listed('"% {}: none"', lacking) + ", or what there is",
            )
        elif not _FIRST.fullmatch(first) or parts_said != wanted:
            parts = f", then {', '.join(wanted)}" if wanted else ""
            yield checked.finding(
                Severity.NOTE,
                "header",
                path,
                (1, 1),
                "the file does not begin with what it is about and which predicates it has",
                f'Begin with a sentence ("% What: why."){parts}, as the shipped files do',
            )


def _listed(form: str, parts: Sequence[str]) -> str:
    return " and ".join(map(form.format, parts))
