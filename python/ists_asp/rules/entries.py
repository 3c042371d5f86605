"""The entries of word tables, ``same_meaning/2`` and ``opposite/2``, and their faults."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clingo import SymbolType
from clingo.ast import ASTType

from ists_asp.rules.messages import RuleWarning
from ists_asp.syntax.trees import derived, functions, is_fact
from ists_asp.vocabulary import OPPOSITE, SAME_MEANING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from clingo.ast import AST

    from ists_asp.rules.loader import RuleSet
    from ists_asp.rules.parsing import NamedRule

_MARKS = frozenset(" .,;:!?\"'()[]{}-\u2013\u2014\u2026")
_SEVERAL = re.compile(r'"[^"]* [^"]*"')
_TABLES = frozenset({SAME_MEANING.signature, OPPOSITE.signature})


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a table: its sides, where it stands, and the file's name in messages."""

    same: bool
    sides: tuple[str, str]
    file: str
    line: int
    column: int
    name: str

    @property
    def where(self) -> str:
        """``file:line``."""
        return f"{self.name}:{self.line}"

    @property
    def pair(self) -> frozenset[str]:
        """Its sides, in whatever order."""
        return frozenset(self.sides)


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with an entry, and what to do."""

    entry: Entry
    found: str
    hint: str


def entries(rules: RuleSet, *, several: bool = False) -> Iterator[Entry]:
    """The entries of all tables of a rule set that are facts of two strings.

    ``several`` asks only for statements that have an entry of several words.
    """
    names = rules.names
    for node, rule in zip(rules.statements, rules.rules, strict=True):
        if (
            _may_list(rule)
            and (not several or _SEVERAL.search(rule.text))
            and node.ast_type is ASTType.Rule
            and is_fact(node)
            and derived(node.head) & _TABLES
        ):
            yield from _entries(node, names.get(node.location.begin.filename, ""))


def phrases(rules: RuleSet) -> frozenset[str]:
    """The entries of several words in the tables of a rule set."""

    def work() -> list[str]:
        found = entries(rules, several=True)
        return sorted({side for entry in found for side in entry.sides if " " in side})

    return frozenset(rules.remembered.recall("phrases", [], work))


def _may_list(rule: NamedRule) -> bool:
    """Whether a statement may have entries: to look into its syntax tree takes long."""
    return any(table.name in rule.text for table in _TABLES)


def faults(every: Iterable[Entry], own: Collection[str]) -> Iterator[Fault]:
    """What is wrong with entries: those that match nothing, and those that contradict others."""
    known: dict[tuple[bool, frozenset[str]], Entry] = {}
    asked = []
    for entry in every:
        known.setdefault((entry.same, entry.pair), entry)
        if entry.file in own:
            asked.append(entry)
    for entry in asked:
        problem = _matches_nothing(entry)
        if problem is not None:
            yield Fault(entry, *problem)
        other = known.get((not entry.same, entry.pair))
        if other is not None:
            kind = "the same" if other.same else "opposites"
            yield Fault(
                entry,
                f"{_told(entry)} are {kind} by {other.where}",
                "They cannot be both: remove one of these entries",
            )


def table_warnings(rules: RuleSet, own: Iterable[Path]) -> tuple[RuleWarning, ...]:
    """What is wrong with the entries of some files, each with its file and line."""
    wanted = {str(path) for path in own}
    names = {file.name for file in rules.files if str(file.path) in wanted}
    if not any(rule.file in names and _may_list(rule) for rule in rules.rules):
        return ()
    return tuple(
        RuleWarning(one.entry.where, f"{one.found}. {one.hint}")
        for one in faults(entries(rules), wanted)
    )


def _matches_nothing(entry: Entry) -> tuple[str, str] | None:
    """Why an entry matches no word, and what to do; None if it may match one."""
    for side in entry.sides:
        if not side.strip():
            return "an empty word matches nothing", "Write a word, or remove the entry"
        if side != side.lower():
            return f'"{side}" matches no word: words are in lower case', f'Write "{side.lower()}"'
        if side != " ".join(side.split()):
            return (
                f'"{side}" matches no word: one blank stands between words',
                f'Write "{" ".join(side.split())}"',
            )
        if set(side) <= _MARKS:
            return f'"{side}" matches no word: it is punctuation', "Remove the entry"
    if entry.sides[0] == entry.sides[1]:
        return f'"{entry.sides[0]}" stands on both sides', "Remove the entry"
    return None


def _entries(node: AST, name: str) -> Iterator[Entry]:
    for single in node.unpool():
        if single.head.atom.ast_type is not ASTType.SymbolicAtom:
            continue
        for function in functions(single.head.atom.symbol):
            sides = [
                part.symbol.string
                for part in function.arguments
                if part.ast_type is ASTType.SymbolicTerm and part.symbol.type is SymbolType.String
            ]
            if len(sides) == len(function.arguments) == SAME_MEANING.arity:
                begin = function.arguments[0].location.begin
                same = function.name == SAME_MEANING.name
                yield Entry(
                    same, (sides[0], sides[1]), begin.filename, begin.line, begin.column, name
                )


def _told(entry: Entry) -> str:
    return " and ".join(f'"{side}"' for side in entry.sides)
