"""Word tables: which words mean the same, are opposites, abbreviations, or only look alike.

They stand in files of words (:func:`~ists_asp.rules.source.table_rules`), or as facts among rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from clingo import SymbolType
from clingo.ast import ASTType, Position

from ists_asp.io.store import Memo
from ists_asp.rules.directives import NamedRule
from ists_asp.rules.loader import RuleSet
from ists_asp.rules.parsing import RuleWarning
from ists_asp.syntax.trees import atoms, derives_atom
from ists_asp.vocabulary import LOOKALIKE, OPPOSITE, SAME_MEANING, SHORT_FOR

_TABLES = (SAME_MEANING, OPPOSITE, SHORT_FOR, LOOKALIKE)
TABLES = frozenset(table.signature for table in _TABLES)
_WORDS = re.compile(r'"([^"]*)"')
_ENTRY = re.compile(r'"([^"\\]*)"\s*,\s*"([^"\\]*)"')
_LISTED = rf"\s*{_ENTRY.pattern}\s*"
_PLAIN = re.compile(
    rf"({'|'.join(table.name for table in _TABLES)})\({_LISTED}(?:;{_LISTED})*\)\s*\.", re.ASCII
)
"""A fact of nothing but entries, as most are; to look into its syntax tree takes much longer."""
_EXCLUDED = {SAME_MEANING.name: OPPOSITE.name, OPPOSITE.name: SAME_MEANING.name}
_MARKS = frozenset(" .,;:!?\"'()[]{}-\u2013\u2014\u2026")


class Entry(NamedTuple):
    """An entry of a table: its predicate, its sides, its place, and the file's name in messages."""

    table: str
    sides: tuple[str, str]
    place: Position
    name: str

    @property
    def where(self) -> str:
        """``file:line``."""
        return f"{self.name}:{self.place.line}"


def entries(
    rules: RuleSet, wanted: Callable[[NamedRule], object] = lambda _rule: True
) -> Iterator[Entry]:
    """The entries of tables of a rule set, in the statements asked for: heads of two strings."""
    names = rules.names
    for node, rule in rules.both:
        if not (_tabular(rule) and wanted(rule)):
            continue
        if plain := _PLAIN.fullmatch(rule.text):
            begin = node.location.begin
            for both, place in _listed(rule.text, begin):
                yield Entry(plain[1], both, place, names.get(begin.filename, ""))
            continue
        if not derives_atom(node):
            continue
        for atom in (atom for single in node.unpool() for atom in atoms(single.head)):
            terms = [term for term in atom.arguments if term.ast_type is ASTType.SymbolicTerm]
            symbols = [term.symbol for term in terms]
            sides = [symbol.string for symbol in symbols if symbol.type is SymbolType.String]
            if (atom.name, len(atom.arguments)) in TABLES and len(sides) == 2:
                place = atom.arguments[0].location.begin
                yield Entry(atom.name, (sides[0], sides[1]), place, names.get(place.filename, ""))


def _tabular(rule: NamedRule) -> bool:
    return rule.text.count('"') >= 4 and any(name in rule.text for name, _ in TABLES)


def _listed(text: str, begin: Position) -> Iterator[tuple[tuple[str, str], Position]]:
    """The sides and places of entries in a statement; as for the parser, columns count bytes."""
    line, read, first = begin.line, 0, 1 - begin.column
    for match in _ENTRY.finditer(text):
        start = match.start()
        if ends := text.count("\n", read, start):
            line, first = line + ends, text.rindex("\n", read, start) + 1
        read = start
        column = 1 + len(text[max(first, 0) : start].encode()) - min(first, 0)
        yield (match[1], match[2]), Position(begin.filename, line, column)


def lists_words(statement: str) -> bool:
    """Whether a statement is a fact of nothing but entries."""
    return _PLAIN.fullmatch(statement) is not None


def phrases(rules: RuleSet) -> frozenset[str]:
    """The entries in the tables of a rule set that are more than a word in letters."""

    def compute() -> list[str]:
        texts = [*filter(lists_words, (rule.text for rule in rules.rules))]
        others = (entry.sides for entry in entries(rules, lambda rule: not lists_words(rule.text)))
        plain = chain.from_iterable(map(_ENTRY.findall, texts))  # without places, which take long
        sides = {*chain.from_iterable((*plain, *others))}
        return sorted(side for side in sides if side.split() and not side.isalpha())

    tabular = [rule.text for rule in rules.rules if _tabular(rule)]
    return frozenset(Memo(rules.memo.store).recall("phrases", tabular, compute))


def faults(listed: Iterable[Entry], filenames: Collection[str]) -> Iterator[tuple[Entry, str, str]]:
    """The entries in some files that match nothing, or contradict others; why, and what to do."""
    listed = [*listed]
    first = {(entry.table, frozenset(entry.sides)): entry for entry in reversed(listed)}
    for entry in (entry for entry in listed if entry.place.filename in filenames):
        if problem := _matches_nothing(*entry.sides):
            yield entry, *problem
        kind = _EXCLUDED.get(entry.table)
        if kind and (other := first.get((kind, frozenset(entry.sides)))):
            words = " and ".join(f'"{side}"' for side in entry.sides)
            relation = "the same" if kind == SAME_MEANING.name else "opposites"
            hint = "They cannot be both: remove one of these entries"
            yield entry, f"{words} are {relation} by {other.where}", hint


def _matches_nothing(*sides: str) -> tuple[str, str] | None:
    """Why an entry matches no word, and what to do; None if it may match one."""
    for side in sides:
        lower, blanks = side.lower(), " ".join(side.split())
        if not blanks:
            return "an empty word matches nothing", "Write a word, or remove the entry"
        if side != lower:
            return f'"{side}" matches no word: words are in lower case', f'Write "{lower}"'
        if side != blanks:
            found = f'"{side}" matches no word: words are separated by one space'
            return found, f'Write "{blanks}"'
        if set(side) <= _MARKS:
            return f'"{side}" matches no word: it is punctuation', "Remove the entry"
    if sides[0] == sides[1]:
        return f'"{sides[0]}" stands on both sides', "Remove the entry"
    return None


def table_warnings(rules: RuleSet, paths: Iterable[Path]) -> tuple[RuleWarning, ...]:
    """The faults of the entries of some files, each with its file and line."""
    filenames = {str(path) for path in paths}
    names = {file.name for file in rules.files if str(file.path) in filenames}
    own_entries = entries(rules, lambda rule: rule.file in names)
    sides = {side for entry in own_entries for side in entry.sides}
    if not sides:
        return ()
    # Only entries about the same words can contradict them.
    about = entries(
        rules, lambda rule: "\\" in rule.text or not sides.isdisjoint(_WORDS.findall(rule.text))
    )
    faulty = faults(about, filenames)
    return tuple(RuleWarning(entry.where, f"{found}. {hint}") for entry, found, hint in faulty)
