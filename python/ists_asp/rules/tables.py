"""Word tables: which words mean the same, and which are opposites.

They stand in files of words (:func:`~ists_asp.rules.source.table_rules`), or as facts among rules.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from clingo import SymbolType
from clingo.ast import ASTType, Position

from ists_asp.rules.parsing import RuleWarning
from ists_asp.syntax.trees import atoms, is_fact
from ists_asp.vocabulary import OPPOSITE, SAME_MEANING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    from ists_asp.rules.directives import NamedRule
    from ists_asp.rules.loader import RuleSet

TABLES = frozenset({SAME_MEANING.signature, OPPOSITE.signature})
_SEVERAL = re.compile(r'"[^"]* [^"]*"')
_WORDS = re.compile(r'"([^"]*)"')
_MARKS = frozenset(" .,;:!?\"'()[]{}-\u2013\u2014\u2026")


class Entry(NamedTuple):
    """An entry of a table: its sides, where it stands, and the file's name in messages."""

    same: bool
    sides: tuple[str, str]
    place: Position
    name: str

    @property
    def where(self) -> str:
        """``file:line``."""
        return f"{self.name}:{self.place.line}"


def entries(
    rules: RuleSet, asked: Callable[[NamedRule], object] = lambda _rule: True
) -> Iterator[Entry]:
    """The entries of all tables of a rule set, in the statements asked for: facts of two strings.

    To look into a syntax tree takes long, so that many are better left out.
    """
    names = rules.names
    for node, rule in rules.both:
        if not (_may_list(rule) and asked(rule) and is_fact(node)):
            continue
        for atom in (atom for single in node.unpool() for atom in atoms(single.head)):
            sides = [
                part.symbol.string
                for part in atom.arguments
                if part.ast_type is ASTType.SymbolicTerm and part.symbol.type is SymbolType.String
            ]
            if (atom.name, len(atom.arguments)) in TABLES and len(sides) == 2:
                place = atom.arguments[0].location.begin
                same = atom.name == SAME_MEANING.name
                yield Entry(same, (sides[0], sides[1]), place, names.get(place.filename, ""))


def _may_list(rule: NamedRule) -> bool:
    """Whether a statement may have entries."""
    return any(name in rule.text for name, _ in TABLES)


def phrases(rules: RuleSet) -> frozenset[str]:
    """The entries of several words in the tables of a rule set."""

    def work() -> list[str]:
        found = entries(rules, lambda rule: _SEVERAL.search(rule.text))
        return sorted({side for entry in found for side in entry.sides if " " in side})

    return frozenset(rules.remembered.recall("phrases", [], work))


def faults(every: Iterable[Entry], own: Collection[str]) -> Iterator[tuple[Entry, str, str]]:
    """The entries in some files that match nothing, or contradict others.

    With each comes what is wrong with it, and what to do.
    """
    known: dict[tuple[bool, frozenset[str]], Entry] = {}
    asked = []
    for entry in every:
        known.setdefault((entry.same, frozenset(entry.sides)), entry)
        if entry.place.filename in own:
            asked.append(entry)
    for entry in asked:
        if problem := _matches_nothing(*entry.sides):
            yield entry, *problem
        if other := known.get((not entry.same, frozenset(entry.sides))):
            told = " and ".join(f'"{side}"' for side in entry.sides)
            kind = "the same" if other.same else "opposites"
            hint = "They cannot be both: remove one of these entries"
            yield entry, f"{told} are {kind} by {other.where}", hint


def _matches_nothing(*sides: str) -> tuple[str, str] | None:
    """Why an entry matches no word, and what to do; None if it may match one."""
    for side in sides:
        lower, blanks = side.lower(), " ".join(side.split())
        if not blanks:
            return "an empty word matches nothing", "Write a word, or remove the entry"
        if side != lower:
            return f'"{side}" matches no word: words are in lower case', f'Write "{lower}"'
        if side != blanks:
            return f'"{side}" matches no word: one blank stands between words', f'Write "{blanks}"'
        if set(side) <= _MARKS:
            return f'"{side}" matches no word: it is punctuation', "Remove the entry"
    if sides[0] == sides[1]:
        return f'"{sides[0]}" stands on both sides', "Remove the entry"
    return None


def table_warnings(rules: RuleSet, own: Iterable[Path]) -> tuple[RuleWarning, ...]:
    """What is wrong with the entries of some files, each with its file and line."""
    wanted = {str(path) for path in own}
    names = {file.name for file in rules.files if str(file.path) in wanted}
    sides = {side for one in entries(rules, lambda rule: rule.file in names) for side in one.sides}
    if not sides:
        return ()
    # Only entries about the same words can contradict them.
    about = entries(
        rules, lambda rule: "\\" in rule.text or not sides.isdisjoint(_WORDS.findall(rule.text))
    )
    return tuple(
        RuleWarning(entry.where, f"{found}. {hint}") for entry, found, hint in faults(about, wanted)
    )
