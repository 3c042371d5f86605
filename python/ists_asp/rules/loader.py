"""Rule files to syntax trees, read once and added to many solvers."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cache, partial
from hashlib import sha256
from typing import TYPE_CHECKING, TypeAlias

from clingo.ast import AST, ASTType

from ists_asp.errors import RuleError, shortened
from ists_asp.io.store import Memo, Store
from ists_asp.lang import texts_of
from ists_asp.resources import asp_dir, rules_dir
from ists_asp.rules.directives import apply_exceptions
from ists_asp.rules.parsing import Parsing, RuleWarning
from ists_asp.rules.source import RuleFile, RuleSource, join, read_source, refuse, resolved
from ists_asp.syntax.ground import Later
from ists_asp.syntax.trees import Signature, derived, predicates

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
    from pathlib import Path

    from ists_asp.rules.directives import NamedRule
    from ists_asp.rules.source import Include, Report, SourceText

MOST = 1 << 26  # bytes of all rule files together at most
MOST_FILES = 1000  # rule files at most
DEEPEST = 50  # files that include one another at most
_AsksDerives: TypeAlias = "tuple[Set[Signature], Set[Signature]]"  # predicates of a rule


@dataclass(slots=True)
class Reading:
    """The files read so far, includes first in ``texts``; ``report`` may raise a fault."""

    report: Report
    files: dict[Path, RuleFile] = field(default_factory=dict)
    texts: list[tuple[Path, SourceText, tuple[Include, ...]]] = field(default_factory=list)
    size: int = 0

    def read(self, source: RuleSource, depth: int = 0) -> None:
        """Read a file, ``depth`` includes deep, and what it includes, unless it has been read."""
        path = source.path.resolve()
        if path in self.files:
            return
        kind = "file"
        try:
            text, data = self._load(source, path)
            checksum, kind = sha256(data).hexdigest(), "syntax"
            self.files[path] = RuleFile(path, source.name, checksum)
            # clingo must not see a text for which this fails.
            includes = text.includes()
        except RuleError as error:
            for fault in (error, *error.others):
                self.report(kind, fault)
            return
        included: list[Path] = []
        wanted: dict[str, Include] = {}
        for include in includes:
            wanted.setdefault(include.target, include)
        for include in [*wanted.values()][: MOST_FILES + 1]:
            try:
                if len(included) == MOST_FILES:
                    found = f"the file includes more than {MOST_FILES} others"
                    raise text.error_at(include.start, found, expected="fewer")
                target = _included(source, text, include, depth)
            except RuleError as error:
                self.report("include", error)
                continue
            self.read(target, depth + 1)
            included.append(target.path.resolve())
        self.files[path] = RuleFile(path, source.name, checksum, tuple(included))
        self.texts.append((path, text, includes))

    def _load(self, source: RuleSource, path: Path) -> tuple[SourceText, bytes]:
        if not path.is_relative_to(source.root):
            found, hint = "this link leads out of the rule folder", "Copy the file into the folder"
            expected = f"a file in {_shown(source)}"
            raise RuleError(found, where=source.name, expected=expected, hint=hint)
        try:
            os.fsencode(path).decode()
        except UnicodeDecodeError:
            found = "the path of this file is not UTF-8, and clingo takes no other"
            hint = "Rename the file or its folder"
            raise RuleError(found, where=source.name, hint=hint) from None
        text, data = read_source(path, source.name, self.report)
        self.size += len(data)
        if self.size > MOST or len(self.files) == MOST_FILES:
            found = f"more than {MOST >> 20} MB or {MOST_FILES} files of rules"
            hint = "Give a folder that holds nothing but your rules"
            raise RuleError(found, where=source.name, hint=hint)
        return text, data


def _included(source: RuleSource, text: SourceText, include: Include, depth: int) -> RuleSource:
    if depth == DEEPEST:
        found = f"files include one another {DEEPEST} deep"
        raise text.error_at(include.start, found, expected="fewer")
    path = resolved(source.path.parent / include.target)
    if path is not None and not path.is_relative_to(source.root):
        found = f'"{shortened(include.target)}" lies outside the rule folder'
        expected, hint = f"a file in {_shown(source)}", "Copy the file into the folder"
        raise text.error_at(include.start, found, expected=expected, hint=hint)
    if path is None or not path.is_file():
        found = f'there is no file "{shortened(include.target)}"'
        expected = "a path relative to the file that includes it"
        raise text.error_at(include.start, found, expected=expected)
    name = join(source.root_name, path.relative_to(source.root).as_posix())
    return RuleSource(path, name, source.root, source.root_name)


def _shown(source: RuleSource) -> str:
    return "this folder" if source.root_name in ("", ".") else source.root_name


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Parsed rule files.

    Locations in the trees have absolute paths: ``names`` gives the names of files in messages.
    ``memo`` caches results about these statements; changed statements need an empty one.
    """

    files: tuple[RuleFile, ...]
    statements: Sequence[AST]  # clingo's syntax trees without comments
    rules: Sequence[NamedRule]  # name and place of each statement
    warnings: tuple[RuleWarning, ...]  # the parser's
    language: str = "en"  # that people are told about them in
    memo: Memo = field(default=Memo(), init=False, compare=False)

    @property
    def names(self) -> Mapping[str, str]:
        """The files' names in messages, by absolute path."""
        return {str(file.path): file.name for file in self.files}

    def with_memo(self, memo: Memo) -> RuleSet:
        """These rules, with the memory of the same statements."""
        object.__setattr__(self, "memo", memo)
        return self

    @property
    def both(self) -> Iterator[tuple[AST, NamedRule]]:
        """Each statement with its name and place."""
        return zip(self.statements, self.rules, strict=True)

    def translated(self) -> RuleSet:
        """The same rules, with their sentences in the language, of those that it has."""
        says = texts_of(self.language, "rules")

        def rules() -> Iterator[NamedRule]:
            for rule in self.rules:
                sentence = says.get(rule.sentence or "")
                yield replace(rule, sentence=sentence) if sentence else rule

        return replace(self, rules=Later(rules)).with_memo(self.memo) if says else self

    def only(self, wanted: Callable[[AST, NamedRule], object]) -> RuleSet:
        """Some of these rules, without a memory."""
        pairs = [(node, rule) for node, rule in self.both if wanted(node, rule)]
        nodes, named = zip(*pairs, strict=True) if pairs else ((), ())
        return replace(self, statements=nodes, rules=named)


def load_rules(
    sources: Iterable[RuleSource],
    *,
    report: Report = refuse,
    store: Store | None = None,
    family: str = "",
) -> RuleSet:
    """Parse rule files, and what they include, each once, in the order of their mention.

    With a ``report`` that does not raise its errors, parsing goes on after a fault, and names and
    private predicates that two files define are accepted: the files may be of different programs.
    Shipped files in which an earlier process found no fault are parsed on demand; others at once,
    as they may be edited.
    """
    reading = _read_all(sources, report)

    @cache
    def parsed() -> Parsing:
        parsing = Parsing(report, store)
        for path, text, includes in reading.texts:
            parsing.take(path, text, includes)
        parsing.drop_replaced()
        apply_exceptions(parsing.statements, parsing.rules, partial(report, "directive"))
        return parsing

    files = tuple(reading.files.values())
    # What tells the rule set that files give, loaded in this order, from all others.
    names = "".join(f"{file.name}\n{file.path}\n{file.sha256}\n" for file in files)
    digest = sha256(names.encode(errors="surrogateescape")).hexdigest()
    memo, warnings = Memo(store, digest, family), tuple[RuleWarning, ...]()
    faultless = memo.key("faultless", [])
    shipped = all(any(map(file.path.is_relative_to, (asp_dir(), rules_dir()))) for file in files)
    if report is not refuse or not shipped or memo.get(faultless) is None:
        warnings = parsed().messages.warnings
        if report is refuse and not warnings:
            memo.put(faultless, True)
    statements, rules = Later(lambda: parsed().statements), Later(lambda: parsed().rules)
    return RuleSet(files, statements, rules, warnings).with_memo(memo)


def fitting(rules: RuleSet, paths: Collection[Path]) -> RuleSet:
    """Leave out what the other files have no use for of the files at ``paths``, and their includes.

    Facts and rules stay if all predicates that they ask for are derived, or declared as input, in
    the program. Constraints and preferences go: they are about what is decided.
    """
    files = {file.path: file for file in rules.files}
    added = {str(path) for path in with_includes((path.resolve() for path in paths), files)}
    if not added:
        return rules
    derivable: set[Signature] = set()
    open_: dict[int, _AsksDerives] = {}
    remaining: set[int] = set()
    for node, rule in rules.both:
        kind, from_added = node.ast_type, node.location.begin.filename in added
        if from_added and not rule.excepts and kind in (ASTType.Rule, ASTType.Minimize):
            if kind is ASTType.Rule and (heads := derived(node.head)):
                open_[id(node)] = predicates(node) - heads, heads
            continue
        remaining.add(id(node))
        if kind is ASTType.Rule:
            derivable |= derived(node.head)
        elif kind is ASTType.Defined and not from_added:
            derivable.add(Signature(node.name, node.arity))
    remaining.update(fits(derivable, open_))
    return rules.only(lambda node, _: id(node) in remaining).with_memo(rules.memo)


def with_includes(paths: Iterable[Path], files: Mapping[Path, RuleFile]) -> dict[Path, None]:
    """Those of some files that have been read, and what they include, in the order of loading."""
    loaded: dict[Path, None] = {}

    def add(path: Path) -> None:
        if path in files and path not in loaded:
            loaded[path] = None
            for target in files[path].includes:
                add(target)

    for path in paths:
        add(path)
    return loaded


def fits(derivable: set[Signature], rules: Mapping[int, _AsksDerives]) -> set[int]:
    """Those of some rules that ask only for what is known, which grows by what they derive."""
    left = dict(rules)
    while fitted := [number for number, (used, _) in left.items() if used <= derivable]:
        derivable.update(*(left.pop(number)[1] for number in fitted))
    return rules.keys() - left.keys()


def rule_files(sources: Iterable[RuleSource]) -> tuple[RuleFile, ...]:
    """Say which files :func:`load_rules` loads, without giving any of them to clingo."""
    return tuple(_read_all(sources, refuse).files.values())


def _read_all(sources: Iterable[RuleSource], report: Report) -> Reading:
    reading = Reading(report)
    for source in sources:
        reading.read(source)
    if not reading.files and report is refuse:
        raise RuleError("there are no rule files to load", hint="Name at least one")
    return reading
