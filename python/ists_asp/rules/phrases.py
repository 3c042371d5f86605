"""The entries of several words in the word tables of a rule set."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clingo import SymbolType
from clingo.ast import ASTType

from ists_asp.syntax.trees import derived, is_fact, walk
from ists_asp.vocabulary import OPPOSITE, SAME_MEANING

if TYPE_CHECKING:
    from ists_asp.rules.loader import RuleSet

_SEVERAL = re.compile(r'"[^"]* [^"]*"')
_TABLES = {SAME_MEANING.signature, OPPOSITE.signature}


def phrases(rules: RuleSet) -> frozenset[str]:
    """The entries of several words in the tables of a rule set."""
    return frozenset(rules.remembered.recall("phrases", [], lambda: sorted(_found(rules))))


def _found(rules: RuleSet) -> set[str]:
    return {
        part.symbol.string
        for node, rule in zip(rules.statements, rules.rules, strict=True)
        # To look into a syntax tree takes longer than to look for words.
        if _SEVERAL.search(rule.text)
        and any(table.name in rule.text for table in _TABLES)
        and node.ast_type is ASTType.Rule
        and is_fact(node)
        and derived(node.head) & _TABLES
        for part in walk(node.head)
        if part.ast_type is ASTType.SymbolicTerm
        and part.symbol.type is SymbolType.String
        and " " in part.symbol.string
    }
