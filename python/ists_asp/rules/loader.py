"""Rule files to syntax trees, read once and added to many solvers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from clingo.ast import (
    AST,
    ASTSequence,
    ASTType,
    Location,
    ProgramBuilder,
    parse_files,
    parse_string,
)
from clingo.script import enable_python

from ists_asp.errors import RuleError
from ists_asp.rules.directives import NamedRule, check_forms, name_rules
from ists_asp.rules.messages import Messages, RuleWarning, in_one, syntax_errors
from ists_asp.rules.source import Include, SourceText, read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from clingo import Control

__all__ = [
    "RuleFile",
    "RuleSet",
    "RuleSource",
    "find_rules",
    "load_rules",
    "read_rules",
    "rule_files",
]

MOST = 1 << 26
"""Bytes of all rule files together at most."""

MOST_FILES = 1000
"""Rule files at most."""

DEEPEST = 50
"""Files that include one another at most."""

_PRIVATE = re.compile(r"(?<![A-Za-z0-9_'])_")


@dataclass(frozen=True, slots=True)
class RuleSource:
    """A rule file to load.

    ``name`` is what messages and traces call it; ``root`` is the folder that its includes
    must not leave, and ``root_name`` what messages call that.
    """

    path: Path
    name: str
    root: Path
    root_name: str


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A loaded file: its absolute path, its name in messages, and its SHA-256 (hexadecimal).

    ``includes`` are the absolute paths of the files that it includes.
    """

    path: Path
    name: str
    sha256: str
    includes: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Parsed rule files.

    ``statements`` are clingo syntax trees without comments; ``rules`` has the name and
    place of each, at the same index. Places in the trees have absolute paths: ``names``
    gives the files' names in messages. ``warnings`` are the parser's.
    """

    files: tuple[RuleFile, ...]
    statements: tuple[AST, ...]
    rules: tuple[NamedRule, ...]
    warnings: tuple[RuleWarning, ...]

    @property
    def names(self) -> Mapping[str, str]:
        """The files' names in messages, by absolute path."""
        return {str(file.path): file.name for file in self.files}

    def add_to(self, control: Control) -> None:
        """Add all statements to a solver, ready to be grounded."""
        with ProgramBuilder(control) as builder:
            for statement in self.statements:
                builder.add(statement)


def find_rules(path: Path, name: str | None = None) -> tuple[RuleSource, ...]:
    """Return the rule files that a path stands for: itself, or all ``.lp`` files below it.

    Args:
        path: a file or a folder.
        name: what to call it in messages; the path as given by default.

    Raises:
        RuleError: there is nothing at the path, or a folder without ``.lp`` files.
    """
    shown = str(path) if name is None else name
    place = path.resolve()
    if place.is_dir():
        try:
            files = sorted(file for file in place.rglob("*.lp") if file.is_file())
        except RecursionError:
            raise RuleError("the folders are nested too deeply", where=shown) from None
        if not files:
            raise RuleError("the folder has no rule files", where=shown, expected="*.lp files")
        return tuple(
            RuleSource(file, _join(shown, file.relative_to(place).as_posix()), place, shown)
            for file in files
        )
    if not place.is_file():
        raise RuleError(
            "there is no such rule file or folder", where=shown, hint="Check the path's spelling"
        )
    root_name = str(path.parent) if name is None else name.rpartition("/")[0]
    return (RuleSource(place, shown, place.parent, root_name),)


def load_rules(sources: Iterable[RuleSource], *, scripts: bool = False) -> RuleSet:
    """Parse rule files, and what they include, each once, in the order of their mention.

    Args:
        sources: the files.
        scripts: whether they may hold scripts, which can do anything that this process can.

    Raises:
        RuleError: a file is missing, is not UTF-8, has a syntax error, a script, an include
            that leaves its folder, a faulty directive, or a rule name that is taken.
    """
    reading = _Reading(scripts)
    reading.read_all(sources)
    return _parsed(reading)


def rule_files(sources: Iterable[RuleSource], *, scripts: bool = False) -> tuple[RuleFile, ...]:
    """Say which files :func:`load_rules` loads, without giving any of them to clingo.

    Args:
        sources: the files.
        scripts: whether they may hold scripts.

    Raises:
        RuleError: a file is missing, is not UTF-8, or has what clingo must not see.
    """
    reading = _Reading(scripts)
    reading.read_all(sources)
    return tuple(reading.files.values())


def read_rules(sources: Iterable[RuleSource], report: Callable[[str, RuleError], None]) -> RuleSet:
    """Parse what can be parsed of rule files, and tell all that is wrong with them.

    Names and private predicates that two files define are not looked at: these may be files
    of different programs.

    Args:
        sources: the files.
        report: gets each fault with its kind: ``file``, ``syntax``, ``include`` or
            ``directive``.
    """
    reading = _Reading(report=report)
    for source in sources:
        reading.read(source)
    return _parsed(reading)


def _refuse(_kind: str, error: RuleError) -> None:
    raise error


def _parsed(reading: _Reading) -> RuleSet:
    loading = _Loading(reading.report)
    for path, text, includes in reading.texts:
        loading.add(text, *loading.parse(path, text, includes))
    return RuleSet(
        tuple(reading.files.values()),
        tuple(loading.statements),
        tuple(loading.rules),
        loading.messages.warnings,
    )


@dataclass(slots=True)
class _Reading:
    """What has been read so far: ``files`` as they are mentioned, ``texts`` includes first.

    ``report`` gets each fault and its kind; reading goes on unless it raises it.
    """

    scripts: bool = False
    report: Callable[[str, RuleError], None] = _refuse
    files: dict[Path, RuleFile] = field(default_factory=dict)
    texts: list[tuple[Path, SourceText, tuple[Include, ...]]] = field(default_factory=list)
    size: int = 0

    def read_all(self, sources: Iterable[RuleSource]) -> None:
        for source in sources:
            self.read(source)
        if not self.files:
            raise RuleError("there are no rule files to load", hint="Name at least one")

    def read(self, source: RuleSource, depth: int = 0) -> None:
        path = source.path.resolve()
        if path in self.files:
            return
        try:
            text, data = self._read(source, path)
        except RuleError as error:
            self.report("file", error)
            return
        checksum = sha256(data).hexdigest()
        self.files[path] = RuleFile(path, source.name, checksum)
        try:
            includes = text.includes(scripts=self.scripts)
        except RuleError as error:
            # clingo must not see such a text.
            self.report("syntax", error)
            return
        included = []
        for include in includes:
            try:
                target = _included(source, text, include, depth)
            except RuleError as error:
                self.report("include", error)
                continue
            self.read(target, depth + 1)
            included.append(target.path.resolve())
        self.files[path] = RuleFile(path, source.name, checksum, tuple(included))
        self.texts.append((path, text, includes))

    def _read(self, source: RuleSource, path: Path) -> tuple[SourceText, bytes]:
        if not path.is_relative_to(source.root):
            raise RuleError(
                "this link leads out of the rule folder",
                where=source.name,
                expected=f"a file in {source.root_name or '.'}",
                hint="Copy the file into the folder",
            )
        text, data = read_source(path, source.name)
        self.size += len(data)
        if self.size > MOST or len(self.files) == MOST_FILES:
            raise RuleError(
                f"more than {MOST >> 20} MB or {MOST_FILES} files of rules",
                where=source.name,
                hint="Give a folder that holds nothing but your rules",
            )
        return text, data


@dataclass(slots=True)
class _Loading:
    """What has been parsed so far.

    ``report`` gets each fault and its kind; loading goes on unless it raises it. Whether files
    go together is only asked where it raises.
    """

    report: Callable[[str, RuleError], None]
    statements: list[AST] = field(default_factory=list)
    rules: list[NamedRule] = field(default_factory=list)
    messages: Messages = field(default_factory=Messages)
    places: dict[str, NamedRule] = field(default_factory=dict)
    private: dict[tuple[str, int], NamedRule] = field(default_factory=dict)

    def parse(
        self, path: Path, text: SourceText, includes: tuple[Include, ...]
    ) -> tuple[list[AST], bool]:
        """The syntax trees of a file, and whether they are all that should be there."""
        messages = Messages({str(path): text.name})
        nodes: list[AST] = []
        whole = True
        try:
            if includes:
                # clingo would look for included files in the working directory first.
                parse_string(text.without(includes), nodes.append, logger=messages)
                for node in nodes:
                    _place(node, str(path))
            else:
                parse_files([str(path)], nodes.append, logger=messages)
        except RuntimeError:
            errors = syntax_errors(text, messages.errors)
            if self.report is _refuse:
                raise in_one(errors) from None
            whole = False
            for error in errors:
                self.report("syntax", error)
        for warning in messages.warnings:
            self.messages.add(warning)
        return nodes, whole

    def add(self, text: SourceText, nodes: list[AST], whole: bool) -> None:
        comments = [node for node in nodes if node.ast_type == ASTType.Comment]
        statements = [node for node in nodes if node.ast_type != ASTType.Comment]
        if any(node.ast_type is ASTType.Script for node in statements):
            enable_python()
        report = partial(self.report, "directive")
        if not whole:
            check_forms(text, comments, report)
        rules = name_rules(text, comments if whole else (), statements, report)
        if self.report is _refuse:
            self._keep_apart(text, statements, rules)
        self.statements.extend(statements)
        self.rules.extend(rules)

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
        if statement.ast_type != ASTType.Rule or not _PRIVATE.search(str(statement.head)):
            return
        head = statement.head
        if head.ast_type != ASTType.Literal or head.atom.ast_type != ASTType.SymbolicAtom:
            return
        symbol = head.atom.symbol
        for function in symbol.arguments if symbol.ast_type == ASTType.Pool else (symbol,):
            if function.ast_type != ASTType.Function:
                continue
            name = function.name
            if not name.startswith("_"):
                continue
            key = (name, len(function.arguments))
            taken = self.private.setdefault(key, rule)
            if taken.file != rule.file:
                raise text.error(
                    f"the private predicate {name}/{key[1]} is also defined at "
                    f"{taken.file}:{taken.line}",
                    rule.line,
                    rule.column,
                    expected="a name that begins with _ in one file only",
                    hint="Rename one of them",
                )


def _included(source: RuleSource, text: SourceText, include: Include, depth: int) -> RuleSource:
    if depth == DEEPEST:
        raise text.error_at(
            include.start, f"files include one another {DEEPEST} deep", expected="fewer"
        )
    path = (source.path.parent / include.target).resolve()
    if not path.is_relative_to(source.root):
        raise text.error_at(
            include.start,
            f'"{include.target}" lies outside the rule folder',
            expected=f"a file in {source.root_name or '.'}",
            hint="Copy the file into the folder",
        )
    if not path.is_file():
        raise text.error_at(
            include.start,
            f'there is no file "{include.target}"',
            expected="a path relative to the file that includes it",
        )
    name = _join(source.root_name, path.relative_to(source.root).as_posix())
    return RuleSource(path, name, source.root, source.root_name)


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


def _join(folder: str, relative: str) -> str:
    return relative if folder in ("", ".") else f"{folder.rstrip('/')}/{relative}"
