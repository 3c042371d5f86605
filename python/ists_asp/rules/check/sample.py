"""Rules that never fired while sample pairs were decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clingo.ast import ASTType, Sign

from ists_asp.syntax.changes import is_atom
from ists_asp.syntax.trees import derives_atom, predicates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from clingo.ast import AST

    from ists_asp.rules.check.checked import Checked, Statement
    from ists_asp.rules.check.finding import Finding


def check_sample(
    checked: Checked,
    asked: Sequence[Statement],
    fired: Collection[str],
    seen: Collection[str],
    clashes: Mapping[tuple[str, str], str],
    pairs: int,
) -> Iterator[Finding]:
    """Look for rules that decide answers and have never fired, or that have disagreed.

    Of the rules that are ``asked`` about: constraints are left out, which never fire in an
    answer, and so are the rules of explanations. ``seen`` are names of predicates that had atoms;
    ``clashes`` are pairs of rules of which one split chunks where the other joined them, with an
    example.
    """
    yield from _clashing(checked, clashes)
    for statement in asked:
        if statement.rule.name in fired or not _may_fire(statement.node):
            continue
        if any(program.decides for program in checked.programs_of[statement.path]):
            needed = (part for part in statement.node.body if is_atom(part, Sign.NoSign))
            absent = [
                one.name for part in needed for one in predicates(part) if one.name not in seen
            ]
            yield checked.finding(
                "unfired",
                statement,
                f"this rule never fires for the {pairs} sample pairs",
                f"They have no {absent[0]}"
                if absent
                else "Its conditions never hold together there",
                statement.rule.name,
            )


def _clashing(checked: Checked, clashes: Mapping[tuple[str, str], str]) -> Iterator[Finding]:
    """Rules that disagree, told of those about which findings are told, the user's first."""
    own = {one.rule.name: one for one in checked.statements}
    every = {one.rule.name: one for found in checked.by_file.values() for one in found}
    for names, example in clashes.items():
        mine = [own[name] for name in names if name in own]
        if not mine or not all(name in every for name in names):
            continue
        last = checked.shipped_first(one.path for one in mine)[-1]
        blamed = next(one for one in reversed(mine) if one.path == last)
        other = next(every[name].rule for name in names if every[name] is not blamed)
        yield checked.finding(
            "split-and-join",
            blamed,
            f"at {example} this rule and {other.name} ({other.file}:{other.line}) say whether a "
            "chunk begins, and disagree; must_split wins",
            "Make one of them an exception of the other",
            blamed.rule.name,
        )


def _may_fire(node: AST) -> bool:
    if node.ast_type is not ASTType.Rule:
        return node.ast_type is ASTType.Minimize
    return derives_atom(node) or node.head.ast_type is not ASTType.Literal
