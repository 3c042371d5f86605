"""The texts of rule files to syntax trees, with the names of the rules."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from clingo.ast import AST, ASTSequence, ASTType, Location, parse_files, parse_string
from clingo.script import enable_python

from ists_asp.rules.directives import NamedRule, check_forms, name_rules
from ists_asp.rules.messages import Messages, in_one, syntax_errors
from ists_asp.rules.reading import Report, refuse
from ists_asp.rules.tables import SUFFIX
from ists_asp.syntax.signatures import Signature, derived

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ists_asp.errors import RuleError
    from ists_asp.rules.source import Include, SourceText

__all__ = ["Parsing"]

_MOST = 1000
"""Files that are remembered; those that change are parsed again."""

_known: dict[
    tuple[Path, SourceText, tuple[Include, ...]], tuple[Sequence[AST], Sequence[NamedRule]]
] = {}
"""The syntax trees and rules of files that nobody complained of. Nobody changes the trees."""

_PRIVATE = re.compile(r"(?<![A-Za-z0-9_'])_")


@dataclass(slots=True)
class Parsing:
    """What has been parsed so far.

    ``report`` gets each fault and its kind; parsing goes on unless it raises it. Whether files
    go together is only asked where it raises.
    """

    report: Report
    statements: list[AST] = field(default_factory=list)
    rules: list[NamedRule] = field(default_factory=list)
    messages: Messages = field(default_factory=Messages)
    places: dict[str, NamedRule] = field(default_factory=dict)
    private: dict[Signature, NamedRule] = field(default_factory=dict)

    def take(self, path: Path, text: SourceText, includes: tuple[Include, ...]) -> None:
        """Take in a file, parsed once in a process as long as it says the same."""
        key = path, text, includes
        found = _known.get(key)
        if found is None:
            faults = 0

            def report(kind: str, error: RuleError) -> None:
                nonlocal faults
                faults += 1
                self.report(kind, error)

            found, silent = self._parse(path, text, includes, report)
            if silent and not faults:
                if len(_known) >= _MOST:
                    _known.clear()
                _known[key] = found
        statements, rules = found
        if any(node.ast_type is ASTType.Script for node in statements):
            enable_python()
        if self.report is refuse:
            self._keep_apart(text, statements, rules)
        self.statements.extend(statements)
        self.rules.extend(rules)

    def _parse(
        self, path: Path, text: SourceText, includes: tuple[Include, ...], report: Report
    ) -> tuple[tuple[Sequence[AST], Sequence[NamedRule]], bool]:
        """The syntax trees and rules of a file, and whether the parser had nothing to say."""
        messages = Messages({str(path): text.name})
        nodes: list[AST] = []
        whole = True
        try:
            if includes or path.suffix == SUFFIX:
                # clingo would look for included files in the working directory first, and a
                # table is rules only as it was read.
                parse_string(text.without(includes), nodes.append, logger=messages)
                for node in nodes:
                    _place(node, str(path))
            else:
                parse_files([str(path)], nodes.append, logger=messages)
        except RuntimeError:
            errors = syntax_errors(text, messages.errors)
            if self.report is refuse:
                raise in_one(errors) from None
            whole = False
            for error in errors:
                report("syntax", error)
        for warning in messages.warnings:
            self.messages.add(warning)
        comments = [node for node in nodes if node.ast_type == ASTType.Comment]
        statements = [node for node in nodes if node.ast_type != ASTType.Comment]
        directive = partial(report, "directive")
        if not whole:
            check_forms(text, comments, directive)
        rules = name_rules(text, comments if whole else (), statements, directive)
        return (statements, rules), not messages.warnings

    def _keep_apart(
        self, text: SourceText, statements: Sequence[AST], rules: Sequence[NamedRule]
    ) -> None:
        """Refuse names that an earlier file has given to something else."""
        for rule in rules:
            if rule.sentence is None:
                continue
            taken = self.places.setdefault(rule.name, rule)
            # The elements of one #maximize share its place and name.
            if (taken.file, taken.line, taken.column) != (rule.file, rule.line, rule.column):
                raise text.error(
                    f"the rule name {rule.name} is taken by the rule at {taken.file}:{taken.line}",
                    rule.line,
                    rule.column,
                    hint="Give each rule a name of its own, and load each file once",
                )
        for statement, rule in zip(statements, rules, strict=True):
            self._keep_private(text, statement, rule)

    def _keep_private(self, text: SourceText, statement: AST, rule: NamedRule) -> None:
        """Refuse a private predicate that two files define: clingo would merge them silently."""
        if statement.ast_type is not ASTType.Rule or not _PRIVATE.search(str(statement.head)):
            return
        for key in derived(statement.head):
            if not key.name.startswith("_"):
                continue
            taken = self.private.setdefault(key, rule)
            if taken.file != rule.file:
                raise text.error(
                    f"the private predicate {key.name}/{key.arity} is also defined at "
                    f"{taken.file}:{taken.line}",
                    rule.line,
                    rule.column,
                    expected="a name that begins with _ in one file only",
                    hint="Rename one of them",
                )


def _place(node: AST, path: str) -> None:
    """Set the file of all places in a syntax tree."""
    if "location" in node.keys():  # noqa: SIM118 (a syntax tree is no mapping)
        begin, end = node.location
        node.location = Location(begin._replace(filename=path), end._replace(filename=path))
    for key in node.child_keys:
        child = getattr(node, key)
        for part in child if isinstance(child, ASTSequence) else (child,):
            if isinstance(part, AST):
                _place(part, path)
