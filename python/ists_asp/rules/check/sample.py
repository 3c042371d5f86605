"""Rules that never fired while sample pairs were decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clingo.ast import ASTType, Sign

from ists_asp.rules.check.finding import Finding, Severity
from ists_asp.syntax.signatures import derives_atom, predicates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ists_asp.rules.check.source import Checked, Statement

__all__ = ["check_sample"]


def check_sample(
    checked: Checked, fired: Collection[str], seen: Collection[str], pairs: int
) -> Iterator[Finding]:
    """Look for rules that decide answers and have never fired.

    Constraints are left out, which never fire in an answer, and so are the rules of
    explanations.

    Args:
        checked: what was read.
        fired: the names of the rules that fired.
        seen: the names of the predicates that had atoms.
        pairs: how many pairs were decided.
    """
    for statement in checked.statements:
        rule = statement.rule
        if rule.name in fired or not _may_fire(statement):
            continue
        if any(program.decides for program in checked.programs_of[statement.path]):
            absent = [name for name in _needed(statement) if name not in seen]
            yield checked.finding(
                Severity.NOTE,
                "unfired",
                statement.path,
                (rule.line, rule.column),
                f"this rule never fires for the {pairs} sample pairs",
                f"They have no {absent[0]}"
                if absent
                else "Its conditions never hold together there",
                rule.name,
            )


def _may_fire(statement: Statement) -> bool:
    node = statement.node
    if node.ast_type is ASTType.Minimize:
        return True
    return derives_atom(node) or (
        node.ast_type is ASTType.Rule and node.head.ast_type is not ASTType.Literal
    )


def _needed(statement: Statement) -> Iterator[str]:
    """The predicates that must have atoms for a rule to fire, in their order."""
    for part in statement.node.body:
        if (
            part.ast_type is ASTType.Literal
            and part.sign == Sign.NoSign
            and part.atom.ast_type is ASTType.SymbolicAtom
        ):
            yield from (name.name for name in predicates(part))
