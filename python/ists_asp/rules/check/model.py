"""The model of a check: its findings, and all files, read once, with their programs and atoms."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cached_property
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from clingo.ast import AST, ASTType

from ists_asp.errors import RuleError, UnknownNameError
from ists_asp.io.store import Memo, Store, key_of
from ists_asp.resources import asp_dir, rules_dir
from ists_asp.rules.arguments import Atom, Read, read_statement
from ists_asp.rules.catalogue import is_shipped, shipped_texts
from ists_asp.rules.directives import NamedRule
from ists_asp.rules.loader import RuleSet, load_rules, with_includes
from ists_asp.rules.parsing import WEIGHED, Weighed, weighed
from ists_asp.rules.profiles import Profile, Purpose, list_profiles, load_profile
from ists_asp.rules.programs import Overlay, program_sources, read_overlay
from ists_asp.rules.source import SUFFIX, RuleSource, SourceText, find_rules, read_source
from ists_asp.syntax.terms import read_atom
from ists_asp.syntax.trees import atoms
from ists_asp.terminal import unbroken
from ists_asp.vocabulary import MUST_JOIN, MUST_SPLIT

_NAME = re.compile(r"(?<![A-Za-z0-9_'])_*[a-z][A-Za-z0-9_']*")


class Severity(StrEnum):
    """The severity of a finding, the most severe first.

    An error keeps rules from being loaded, or makes them say what was not meant; a warning is
    about something without effect, or hard to follow; a note may be intentional.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


_KINDS = {
    Severity.ERROR: (
        "file syntax include directive profile clingo unsafe pooled-negation name-twice "
        "weight-twice undefined misspelt evidence domain mixed private reserved shadows sums "
        "target no-answer"
    ),
    Severity.WARNING: (
        "word-form variable one-direction never-fires entry unused unmade nameless replaces "
        "unloaded weights-file split-and-join counted-once loose-set empty-set no-label"
    ),
    Severity.NOTE: "unweighed unfired needless-allow pooled-variables",
}
SEVERITIES: Mapping[str, Severity] = {
    kind: severity for severity, kinds in _KINDS.items() for kind in kinds.split()
}
"""The codes of all findings; a name that rules of different programs have is only a warning."""

_STOPPING = frozenset(
    ["undefined", "misspelt", "evidence", "domain", "private", "target", "shadows", "sums"]
)
"""Findings in a user's file that stop a run: names that exist nowhere, sums without an end."""


_reads: dict[tuple[str, frozenset[str]], list[list[Read]]] = {}  # of files, for the next check
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault or an oddity in a rule file."""

    severity: Severity
    kind: str  # one of SEVERITIES
    subject: str  # the rule or predicate that it is about, if there is one
    file: str
    line: int  # from 1; 0 if unknown
    column: int  # in characters, from 1
    found: str
    hint: str
    excerpt: str  # the line with a caret below it, if the place is known

    @property
    def stops(self) -> bool:
        """Whether it stops a run where it is in a user's file."""
        return self.kind in _STOPPING

    @property
    def error(self) -> RuleError:
        """The finding as what keeps a run from going on."""
        told = {"where": self.where, "hint": self.hint, "excerpt": self.excerpt}
        return (UnknownNameError if self.stops else RuleError)(self.found, **told)

    @property
    def where(self) -> str:
        """File, line and column, as far as known."""
        numbers = [str(number) for number in (self.line, self.column) if self.line and number]
        return ":".join([self.file, *numbers])

    @classmethod
    def from_error(cls, kind: str, error: RuleError) -> Finding:
        """An error that keeps a file from being loaded, as a finding."""
        where = error.where or ""
        match = re.fullmatch(r"(.*?):(\d+)(?::(\d+))?", where)
        file, line, column = match.groups() if match else (where, 0, 0)
        found = f"{error.found}; expected {error.expected}" if error.expected else error.found
        place = file, int(line), int(column or 0)
        return cls(SEVERITIES[kind], kind, "", *place, found, error.hint or "", error.excerpt or "")

    @property
    def annotation(self) -> str:
        """The finding as a command of GitHub's workflows."""
        kind = "notice" if self.severity is Severity.NOTE else self.severity
        values = {"file": self.file, "line": self.line, "col": self.column, "title": self.kind}
        pairs = (f"{key}={_escaped(str(text), ',:')}" for key, text in values.items() if text)
        return f"::{kind} {','.join(pairs)}::{_escaped(f'{self.found}. {self.hint}')}"

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            key: None if key in ("subject", "line", "column", "excerpt") and not value else value
            for key, value in asdict(self).items()
        }

    def __str__(self) -> str:
        hint = f". {self.hint}" if self.hint else ""
        text = unbroken(f"{self.where}: {self.severity}: {self.found}{hint} [{self.kind}]")
        return f"{text}\n{self.excerpt}" if self.excerpt else text


def _escaped(text: str, also: str = "") -> str:
    """Text escaped for a workflow command; its properties need ``also`` escaped, too."""
    return "".join(f"%{ord(char):02X}" if char in f"%\r\n{also}" else char for char in text)


@dataclass(frozen=True, slots=True)
class Program:
    """Files that are loaded together, without what they include."""

    name: str  # what messages call it
    profile: Profile
    sources: tuple[RuleSource, ...]
    purpose: Purpose
    weights: frozenset[Path]  # those of its files that hold weights

    @property
    def decides(self) -> bool:
        """Whether it decides answers, rather than rates them or says them in words."""
        return self.purpose is Purpose.ANSWER


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement with its name and the path of its file."""

    path: Path
    node: AST
    rule: NamedRule


class Checked:
    """The model of the rules of a check.

    ``programs`` load the files; findings are about the files ``paths``. ``replaced`` says what the
    user's files replace, by path. ``partial``: only some profiles of a rule folder are checked.
    ``faulty`` files have syntax errors. ``all_by_file`` has the statements of each file,
    ``by_file`` those but for plain facts of weights, of which there are thousands; ``weights`` has
    these, by their subjects. Only the fitting statements of ``fitting`` files are loaded.

    Without ``profiles`` the programs are those of all profiles of a rule folder that has its own,
    and otherwise those of ``default``. ``machine`` adds findings about ``asp/``. ``report`` gets
    unreadable files, with the kind of fault. ``store`` caches parsed files. A run sets ``runs``,
    which says whether it uses a reader: then only programs with the user's files matter, and
    findings are about those of these files that are neither shipped nor word tables.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        profiles: Sequence[str],
        report: Callable[[str, RuleError], None],
        *,
        machine: bool = False,
        store: Store | None = None,
        runs: bool | None = None,
    ) -> None:
        overlay = read_overlay(paths)
        whole = any((path / "profiles").is_dir() for path in paths)
        self.partial = whole and bool(profiles)
        self.profiles = list_profiles(overlay.base)
        self.programs: list[Program] = []
        self.replaced: dict[Path, str] = {}
        for name in profiles or (self.profiles if whole else ("default",)):
            try:
                profile = load_profile(name, overlay.base)
                self.programs += _programs(profile, overlay, runs)
                plain = program_sources(profile, Purpose.ANSWER, overlay.base)
                self.replaced |= {mine.path: text for mine, text in overlay.replacing(plain)}
            except RuleError as error:
                report("profile", error)
        sources = {source.path: source for program in self.programs for source in program.sources}
        examined = [source for path in paths for source in find_rules(path)]
        if self.partial:
            # Files of other profiles are not asked about.
            examined = [source for source in examined if source.path in sources]
        for source in examined:
            sources.setdefault(source.path, source)
        if machine:
            examined += find_rules(asp_dir())
        faulty: set[str] = set()

        def note(kind: str, error: RuleError) -> None:
            if kind == "syntax":
                faulty.add((error.where or "").partition(":")[0])
            report(kind, error)

        self.rules = load_rules(sources.values(), report=note, store=store)
        self.files = {file.path: file for file in self.rules.files}
        self.faulty = {path for path, file in self.files.items() if file.name in faulty}
        wanted = {source.path for source in examined}
        if runs is not None:
            wanted = {path for path in wanted if path.suffix != SUFFIX and not is_shipped(path)}
        self.paths = dict.fromkeys(path for path in self.files if path in wanted)
        self._paths = {str(path): path for path in self.files}
        self.store = store
        self.fitting = frozenset(source.path for source in (*overlay.files, *overlay.added))
        self.runs = runs is not None
        self._texts: dict[Path, SourceText] = {}
        self._atoms: dict[Path, Sequence[tuple[Statement, Read]]] = {}
        self._others: Memo | None = None
        self.all_by_file: dict[Path, list[Statement]] = {path: [] for path in self.files}
        self.by_file: dict[Path, list[Statement]] = {path: [] for path in self.files}
        self.weights: dict[Path, dict[Weighed, list[Statement]]] = {}
        last, path = NamedRule("", None, "", 0, 0, ""), asp_dir()
        for node, rule in self.rules.both:
            # Statements of a file come one after the other, and to ask for places takes long.
            if rule.file != last.file or rule.line < last.line:
                path = self._paths[node.location.begin.filename]
            last = rule
            statement = Statement(path, node, rule)
            self.all_by_file[path].append(statement)
            if WEIGHED.match(rule.text) and (subjects := list(weighed(node))):
                for subject in subjects:
                    self.weights.setdefault(path, {}).setdefault(subject, []).append(statement)
            else:
                self.by_file[path].append(statement)

    @property
    def statements(self) -> Iterator[Statement]:
        """All statements to check, without weights."""
        return chain.from_iterable(self.by_file[path] for path in self.paths)

    @cached_property
    def constants(self) -> frozenset[str]:
        """The names that profiles and ``#const`` give values to."""
        statements = chain.from_iterable(self.by_file.values())
        defined = (one.node.name for one in statements if one.rule.text.startswith("#const"))
        return frozenset(defined).union(*(program.profile.constants for program in self.programs))

    @property
    def reads(self) -> Iterator[tuple[Statement, Read]]:
        """All statements with their atoms."""
        return chain.from_iterable(map(self.atoms_of, self.by_file))

    @property
    def own_reads(self) -> Iterator[tuple[Statement, Read]]:
        """The statements to check with their atoms."""
        return chain.from_iterable(map(self.atoms_of, self.paths))

    def atoms_of(self, path: Path) -> Sequence[tuple[Statement, Read]]:
        """The statements of a file with their atoms; one with pools comes several times."""
        if path not in self._atoms:
            statements, digest = self.by_file[path], self._digest([path])
            key = digest, self.constants
            if key not in _reads:
                nodes, memo = [statement.node for statement in statements], Memo(self.store, digest)
                stored = memo.recall("atoms", None, lambda: [*map(read_statement, nodes)])
                _reads[key] = [[Read.from_stored(row, key[1]) for row in rows] for rows in stored]
                if len(_reads) > _MOST:
                    del _reads[next(iter(_reads))]
            both = zip(statements, _reads[key], strict=True)
            self._atoms[path] = [(one, read) for one, variants in both for read in variants]
        return self._atoms[path]

    def of_others(self, kind: str, compute: Callable[[Iterable[Path]], Any]) -> Any:  # noqa: ANN401 (JSON)
        """A result that follows from the files that are not checked: few of them change."""
        others = [path for path in self.files if path not in self.paths]
        if self._others is None:
            self._others = Memo(self.store, self._digest(others))
        return self._others.recall(kind, sorted(self.constants), lambda: compute(others))

    def _digest(self, paths: Iterable[Path]) -> str:
        # Names of rules and private predicates may be others than in the file.
        texts = [
            [str(path), self.files[path].sha256, [one.rule.text for one in self.by_file[path]]]
            for path in paths
        ]
        return key_of("files", texts).hex()

    @cached_property
    def loaded(self) -> Mapping[Program, Collection[Path]]:
        """The files of each program, included ones too, in the order of loading."""
        return {
            program: with_includes((source.path for source in program.sources), self.files)
            for program in self.programs
        }

    @cached_property
    def programs_of(self) -> Mapping[Path, Sequence[Program]]:
        """The programs that load a file."""
        return {
            path: [program for program, files in self.loaded.items() if path in files]
            for path in self.files
        }

    def shipped_first(self, paths: Iterable[Path]) -> list[Path]:
        """Files in their order, shipped ones first, so that findings are about the user's."""
        return sorted(paths, key=lambda path: path in self.paths and path not in self._copies)

    @cached_property
    def _copies(self) -> frozenset[Path]:
        return frozenset(path for path in self.paths if is_shipped(path))

    def is_shipped(self, finding: Finding) -> bool:
        """Whether a finding is about a line that stands in the shipped file of that name."""
        path = next((path for path in self.paths if self.name(path) == finding.file), None)
        if path in self._copies:
            return True
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
        return self.partial and self.is_shipped(finding)

    @cached_property
    def weights_files(self) -> frozenset[Path]:
        """The files that profiles name as their weights."""
        return frozenset().union(*(program.weights for program in self.programs))

    @cached_property
    def unread(self) -> frozenset[str]:
        """The names in files with syntax errors: what could not be read may define them."""
        return frozenset().union(*(_NAME.findall(self.text(path).text) for path in self.faulty))

    @cached_property
    def edited(self) -> list[Statement]:
        """The statements to check that are not in the shipped files of that name."""
        return [
            statement
            for statement in self.statements
            if statement.path not in self._copies
            and not any(statement.rule.text in text for text in shipped_texts(statement.path) or ())
        ]

    def rules_about(self, program: Program, statements: Sequence[Statement]) -> RuleSet:
        """Those of a program's rules that are among ``statements``, or may disagree with them."""
        names = {statement.rule.name for statement in statements}
        return self.rules_of(program).only(
            lambda node, rule: (
                rule.name in names
                or rule.text.startswith((MUST_SPLIT.name, MUST_JOIN.name))
                or node.ast_type is ASTType.Definition
            )
        )

    def rules_of(self, program: Program) -> RuleSet:
        """The rules of a program, as if they had been loaded for it alone."""
        files = self.loaded[program]
        statements = [statement for path in files for statement in self.all_by_file[path]]
        rule_files = tuple(self.files[path] for path in files)
        hashes = "".join(f"{file.name} {file.sha256}\n" for file in rule_files)
        digest = sha256(hashes.encode()).hexdigest()
        nodes = tuple(statement.node for statement in statements)
        rules = RuleSet(rule_files, nodes, tuple(statement.rule for statement in statements), ())
        family = f"{program.profile.name} {program.purpose}"
        return rules.with_memo(Memo(self.store, f"checked {digest}", family))

    def name(self, path: Path) -> str:
        """The name of a file in messages."""
        return self.files[path].name

    def text(self, path: Path) -> SourceText:
        """The text of a file."""
        if path not in self._texts:
            self._texts[path] = read_source(path, self.name(path), lambda *_: None)[0]
        return self._texts[path]

    def _tree(self, statement: Statement, atom: Atom) -> AST | Statement:
        calls = (call for call in atoms(statement.node) if call.ast_type is ASTType.Function)
        alike = [call for call in calls if (call.name, len(call.arguments)) == atom.key]
        same = (call for call in alike if read_atom(call, self.constants)[1] == atom.arguments)
        return next(same, alike[0] if alike else statement)

    def finding(self, kind: str, place: Place, found: str, hint: str, subject: str = "") -> Finding:
        """Something found at a statement, an atom, a syntax tree, or file, line and column."""
        if isinstance(place, tuple) and isinstance(place[0], Statement):
            place = self._tree(*place)
        if isinstance(place, Statement):
            path, line, column = place.path, place.rule.line, place.rule.column
        elif isinstance(place, AST):
            begin = place.location.begin
            path, line = self._paths[begin.filename], begin.line
            column = self.text(path).character(line, begin.column)
        else:
            path, line, column = place
        name, excerpt = self.name(path), self.text(path).excerpt(line, column) if line else ""
        return Finding(SEVERITIES[kind], kind, subject, name, line, column, found, hint, excerpt)


Place: TypeAlias = "Statement | AST | tuple[Statement, Atom] | tuple[Path, int, int]"


def _programs(profile: Profile, overlay: Overlay, runs: bool | None) -> Iterator[Program]:
    """The programs of a profile; those that a reader changes with one and without."""
    paths = {*overlay.files, *overlay.added, *overlay.tables}
    for purpose in Purpose:
        files = profile.files(purpose)
        if files is None:
            continue
        by_default = profile.reader is not None
        readers = (by_default, not by_default) if files.reads else (by_default,)
        for reader in readers if runs is None else (runs,):
            option = "" if reader is by_default else " --reader none" if by_default else " --reader"
            sources = program_sources(profile, purpose, overlay.base, reader=reader)
            loaded = overlay.over(sources, purpose)
            if runs is not None and overlay.base == rules_dir() and paths.isdisjoint(loaded):
                continue
            title = {Purpose.ANSWER: "", Purpose.FEEDBACK: "feedback of "}.get(purpose)
            title = f"{purpose}s of " if title is None else title
            weights = frozenset(source.path for source in sources if source.weighs)
            title += f"profile {profile.name}{option}"
            yield Program(title, profile, loaded, purpose, weights)
