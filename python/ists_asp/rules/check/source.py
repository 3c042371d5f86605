"""All files of a check, read once: statements, names, texts, and what goes with what."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from clingo import SymbolType, parse_term
from clingo.ast import AST, ASTType, Sign

from ists_asp.resources import rules_dir
from ists_asp.rules.catalogue import is_shipped
from ists_asp.rules.check.finding import Finding, Severity
from ists_asp.rules.loader import RuleSet, read_rules
from ists_asp.rules.source import SourceText, read_source
from ists_asp.syntax.terms import read_atom
from ists_asp.syntax.trees import children, functions, head_elements
from ists_asp.vocabulary import WEIGHT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from pathlib import Path

    from clingo.ast import AST

    from ists_asp.errors import RuleError
    from ists_asp.rules.check.finding import Plan, Program
    from ists_asp.rules.parsing import NamedRule
    from ists_asp.syntax.terms import Term
    from ists_asp.syntax.trees import Signature

_FILES = 512


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with its name and the path of its file."""

    path: Path
    node: AST
    rule: NamedRule


class Atom(NamedTuple):
    """An atom of a statement: its syntax tree, and its arguments."""

    node: AST
    key: Signature
    arguments: tuple[Term, ...]
    positive: bool = True


class Read(NamedTuple):
    """A statement, the atoms that it derives, and those that it asks for; pools are taken apart."""

    statement: Statement
    derived: tuple[Atom, ...]
    used: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A file, told from others by its path, its hash and the ``constants`` that it may name."""

    path: Path
    sha256: str
    constants: frozenset[str]
    statements: tuple[Statement, ...] = field(compare=False)


@lru_cache(_FILES)
def read_atoms(source: Source) -> tuple[Read, ...]:
    """The statements of a file with their atoms."""
    return tuple(_read(statement, source.constants) for statement in source.statements)


def _read(statement: Statement, constants: Collection[str]) -> Read:
    node = statement.node
    heads: list[AST] = []
    body: list[AST] = []
    if node.ast_type is ASTType.Rule:
        for literal, condition in head_elements(node.head):
            heads.append(literal)
            body += condition
        body += node.body
    elif node.ast_type is ASTType.External:
        heads.append(node.atom)
        body += node.body
    elif node.ast_type is not ASTType.ShowSignature:
        body.append(node)
    return Read(statement, tuple(_all(heads, constants)), tuple(_all(body, constants)))


def _all(nodes: Iterable[AST], constants: Collection[str]) -> Iterator[Atom]:
    # Each with whether it stands outside of what is negated.
    open_ = [(node, True) for node in nodes][::-1]
    while open_:
        node, positive = open_.pop()
        if node.ast_type is ASTType.SymbolicAtom:
            yield from _atoms(node, constants, positive=positive)
            continue
        if node.ast_type is ASTType.Literal and node.sign != Sign.NoSign:
            positive = False
        open_ += [(child, positive) for child in children(node)][::-1]


def _atoms(node: AST, constants: Collection[str], *, positive: bool) -> Iterator[Atom]:
    for single in node.unpool():
        for function in functions(single.symbol):
            if function.ast_type is ASTType.Function:
                atom = read_atom(function, constants)
                yield Atom(function, atom.signature, atom.arguments, positive)


_WEIGHT = re.compile(rf"{WEIGHT.name}\(.*\)\.", re.DOTALL)
_NAME = re.compile(r"(?<![A-Za-z0-9_'])_*[a-z][A-Za-z0-9_']*")


Weighed: TypeAlias = tuple[str, str]
"""A name of evidence and the class that it is weighed for, as texts of terms."""


class Checked:
    """What was read for a check.

    ``by_file`` has the statements of each file but for plain facts of weights, of which there
    are thousands; ``weights`` has those.
    """

    def __init__(self, plan: Plan, rules: RuleSet) -> None:
        self.plan = plan
        self.rules = rules
        self.faulty: set[Path] = set()
        self._texts: dict[Path, SourceText] = {}
        self._names = {file.path: file.name for file in rules.files}
        paths = {str(file.path): file.path for file in rules.files}
        self.by_file: dict[Path, list[Statement]] = {file.path: [] for file in rules.files}
        self.weights: dict[Path, dict[Weighed, Statement]] = {}
        for node, rule in zip(rules.statements, rules.rules, strict=True):
            path = paths[node.location.begin.filename]
            statement = Statement(path, node, rule)
            keys = _weighed(node, rule.text)
            if keys:
                self.weights.setdefault(path, {}).update(dict.fromkeys(keys, statement))
            else:
                self.by_file[path].append(statement)

    @cached_property
    def atoms(self) -> Mapping[Path, tuple[Read, ...]]:
        """The statements of each file with their atoms."""
        constants = {
            name for program in self.plan.programs for name in program.profile.constants
        } | {
            one.node.name
            for found in self.by_file.values()
            for one in found
            if one.node.ast_type is ASTType.Definition
        }
        sums = {file.path: file.sha256 for file in self.rules.files}
        return {
            path: read_atoms(Source(path, sums[path], frozenset(constants), tuple(found)))
            for path, found in self.by_file.items()
        }

    @cached_property
    def loaded(self) -> Mapping[Program, tuple[Path, ...]]:
        """The files of each program, included ones too, in the order of loading."""
        includes = {file.path: file.includes for file in self.rules.files}
        found = {}
        for program in self.plan.programs:
            files: dict[Path, None] = {}

            def load(path: Path, files: dict[Path, None] = files) -> None:
                if path in includes and path not in files:
                    files[path] = None
                    for target in includes[path]:
                        load(target)

            for source in program.sources:
                load(source.path)
            found[program] = tuple(files)
        return found

    @cached_property
    def programs_of(self) -> Mapping[Path, tuple[Program, ...]]:
        """The programs that load a file."""
        found: dict[Path, list[Program]] = defaultdict(list)
        for program, files in self.loaded.items():
            for path in files:
                found[path].append(program)
        return {path: tuple(found[path]) for path in self.by_file}

    @cached_property
    def own(self) -> tuple[Path, ...]:
        """The files about which findings are told."""
        return tuple(path for path in self.by_file if path in self.plan.own)

    @cached_property
    def copies(self) -> frozenset[str]:
        """What messages call those of these files that are the same as shipped ones."""
        return frozenset(self.name(path) for path in self.own if is_shipped(path))

    def shipped_first(self, paths: Iterable[Path]) -> list[Path]:
        """Files in their order, those that come along first: blame falls on the user's."""
        return sorted(paths, key=lambda path: path in self.plan.own and not self._is_copy(path))

    def is_shipped(self, finding: Finding) -> bool:
        """Whether a finding is about a line that stands in the shipped file of that name."""
        if finding.file in self.copies:
            return True
        path = next((path for path in self.own if self.name(path) == finding.file), None)
        if path is None or not finding.line:
            return False
        line = self.text(path).line(finding.line)
        return any(
            line in shipped.read_text("utf-8").split("\n")
            for shipped in rules_dir().rglob(path.name)
            if shipped.parent.name == path.parent.name
        )

    def is_others(self, finding: Finding) -> bool:
        """Whether a finding is about a shipped line that other profiles may need."""
        return self.plan.partial and self.is_shipped(finding)

    def _is_copy(self, path: Path) -> bool:
        return self.name(path) in self.copies

    @property
    def statements(self) -> Iterator[Statement]:
        """All statements, but for weights, of the files about which findings are told."""
        return chain.from_iterable(self.by_file[path] for path in self.own)

    @cached_property
    def weights_files(self) -> frozenset[Path]:
        """The files that profiles name as their weights."""
        return frozenset().union(*(program.weights for program in self.plan.programs))

    @cached_property
    def unread(self) -> frozenset[str]:
        """The names in files with syntax errors: what could not be read may define them."""
        return frozenset(
            name for path in self.faulty for name in _NAME.findall(self.text(path).text)
        )

    def rules_of(self, program: Program) -> RuleSet:
        """The rules of a program, as if they had been loaded for it alone."""
        files = {file.path: file for file in self.rules.files}
        chosen = [files[path] for path in self.loaded[program]]
        found = [
            statement
            for file in chosen
            for statement in (
                *self.by_file[file.path],
                *{id(one): one for one in self.weights.get(file.path, {}).values()}.values(),
            )
        ]
        return RuleSet(
            tuple(chosen),
            tuple(one.node for one in found),
            tuple(one.rule for one in found),
            (),
        )

    def name(self, path: Path) -> str:
        """What messages call a file."""
        return self._names[path]

    def text(self, path: Path) -> SourceText:
        """The text of a file."""
        if path not in self._texts:
            self._texts[path] = read_source(path, self.name(path))[0]
        return self._texts[path]

    def finding(
        self,
        severity: Severity,
        kind: str,
        path: Path,
        place: AST | tuple[int, int],
        found: str,
        hint: str,
        subject: str = "",
    ) -> Finding:
        """Something found at a syntax tree, or at line and column, of a file."""
        text = self.text(path)
        if isinstance(place, tuple):
            line, column = place
        else:
            begin = place.location.begin
            line, column = begin.line, text.character(begin.line, begin.column)
        excerpt = text.excerpt(line, column) if line else ""
        name = self.name(path)
        return Finding(severity, kind, name, line, column, found, hint, excerpt, subject)


def read_plan(plan: Plan, report: Callable[[str, RuleError], None]) -> Checked:
    """Read all files of a plan."""
    faulty: set[str] = set()

    def note(kind: str, error: RuleError) -> None:
        faulty.add((error.where or "").partition(":")[0] if kind == "syntax" else "")
        report(kind, error)

    checked = Checked(plan, read_rules(plan.sources, note))
    checked.faulty.update(file.path for file in checked.rules.files if file.name in faulty)
    return checked


def _weighed(node: AST, text: str) -> tuple[Weighed, ...]:
    """What the facts ``weight(Name,Class,Integer)`` of a statement are about; empty for others."""
    if not _WEIGHT.fullmatch(text) or node.ast_type is not ASTType.Rule:
        return ()
    found = []
    for single in node.unpool():
        try:
            symbol = parse_term(str(single.head), logger=lambda _code, _text: None)
        except RuntimeError:
            # A rule.
            return ()
        if (symbol.name, len(symbol.arguments)) != WEIGHT.signature:
            return ()
        name, decision, value = symbol.arguments
        if value.type is not SymbolType.Number:
            return ()
        found.append((str(name), str(decision)))
    return tuple(found)
