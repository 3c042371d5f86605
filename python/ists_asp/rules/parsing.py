"""The texts of rule files to syntax trees, and what clingo says of them in plain words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import msgspec
from clingo import MessageCode
from clingo.ast import AST, ASTType, Location, parse_files, parse_string

from ists_asp.errors import RuleError, shortened
from ists_asp.io.store import Memo, Store, key_of, made_by
from ists_asp.model import Label
from ists_asp.rules.directives import NamedRule, name_rules
from ists_asp.rules.source import SUFFIX, Include, Report, SourceText, refuse
from ists_asp.syntax import trees
from ists_asp.vocabulary import CORRECTION, WEIGHT, WEIGHTS

PLACED = re.compile(
    r"(?P<file>.*):(?P<line>\d+):(?P<column>\d+)-(?:(?P<line2>\d+):)?(?P<column2>\d+): "
    r"(?:error|warning|info): (?P<text>.*)",
    re.DOTALL,
)
_SYNTAX = re.compile(
    r"(?:syntax|lexer) error, unexpected (?P<token>.+?)(?:, expecting (?P<wish>.+))?"
)
_WORDS = {
    "EOF": "the end of the file",
    "<EOF>": "the end of the file",
    "<IDENTIFIER>": "a name",
    "<VARIABLE>": "a variable",
    "<NUMBER>": "a number",
    "<STRING>": "a string",
}
_EXTREME = re.compile(r"(evidence|weight|correction)\(.*,(#sup|#inf)\)", re.DOTALL)
_CALL = re.compile(r"(?<!%)@\s*[%a-z_']")
_PRIVATE = re.compile(r"(?<![A-Za-z0-9_'])_")
_WEIGHTS = frozenset(predicate.name for predicate in WEIGHTS)
WEIGHED = re.compile(rf"\b({'|'.join(predicate.name for predicate in WEIGHTS)})\(")
_TERM = r'(?:[a-z]\w*|"[^"\\]*")'
_NAME = rf"[a-z]\w*(?:\({_TERM}(?:,{_TERM})*\))?"  # of evidence, such as word(here,"but")
_PLAIN = re.compile(rf"{WEIGHED.pattern}({_NAME}),([a-z]\w*),-?\w+\)\.")

_MOST = 1000  # files that are remembered; those that change are parsed again
_parsed_files: dict[tuple[Path, SourceText, tuple[Include, ...]], _Parsed] = {}  # faultless files


@dataclass(frozen=True, slots=True)
class RuleWarning:
    """A warning of clingo, with its place ``file:line`` (empty where unknown)."""

    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.text}" if self.where else self.text


SHIPPED = ("asp/", "lp_rules/")  # how the names of shipped files begin
UNDEFINED = "; see ists-asp rules check"  # how the warning ends that an atom is derived by nothing


@dataclass(slots=True)
class Messages:
    """A logger for :class:`clingo.Control` and the parser, which keeps what it is told."""

    names: Mapping[str, str] = field(default_factory=dict)  # of files for users, by clingo's path
    errors: list[str] = field(default_factory=list)  # clingo's so far, as they came
    _warnings: dict[RuleWarning, None] = field(default_factory=dict)

    def __call__(self, code: MessageCode, text: str) -> None:
        """Take one message; clingo calls this."""
        if code is MessageCode.RuntimeError:
            self.errors.append(text.strip())
            return
        if code is MessageCode.AtomUndefined:
            text = f"{text.rstrip()}{UNDEFINED}"
        where = ""
        if match := PLACED.fullmatch(text.strip()):
            where = f"{self.names.get(match['file'], match['file'])}:{match['line']}"
            text = match["text"]
        self.add(RuleWarning(where, _one_line(text)))

    def add(self, warning: RuleWarning) -> None:
        """Keep a warning, unless it is already there."""
        self._warnings[warning] = None

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """The warnings so far, each once, in order: misspelt predicates, undefined sums."""
        return tuple(self._warnings)


def _syntax_errors(source: SourceText, errors: Sequence[str]) -> tuple[RuleError, ...]:
    """Turn the parser's messages about a file into errors, at least one, in order of place."""
    # Only the first message of a line counts: the others follow from it.
    matches = [match for match in map(PLACED.fullmatch, errors) if match]
    first = {int(match["line"]): match for match in reversed(matches)}
    if not first:
        text = _one_line("; ".join(errors)) or "clingo cannot read this file"
        return (source.error(text, 1, 1),)
    return tuple(_explain(source, first[line]) for line in sorted(first))


def _explain(source: SourceText, match: re.Match[str]) -> RuleError:
    line, byte = int(match["line"]), int(match["column"])
    end = (int(match["line2"] or line), int(match["column2"]))
    parsed = _SYNTAX.fullmatch(_one_line(match["text"]))
    column = source.character(line, byte)
    if parsed is None:
        return source.error(_one_line(match["text"]), line, column)
    token = _WORDS.get(parsed["token"], "")
    text = source.span((line, byte), end).strip()
    # clingo stumbles over the point of 0.5, or over what follows the 5.
    decimals = re.finditer(r"(?<![\d.])\d+\.\d+", source.line(line))
    decimal = next((part for part in decimals if part.start() < column <= part.end() + 1), None)
    found = f'"{shortened(text)}"' if text else token or "this place"
    found = f"syntax error at {found}"
    if token.startswith("the end"):
        found, hint = "the file ends in the middle of a rule", "End each rule with a full stop"
        lines = enumerate(source.text.split("\n"), 1)
        line = max((n for n, row in lines if row.strip() and row.lstrip()[0] != "%"), default=1)
        column = len(source.line(line)) + 1
    elif decimal is not None:
        column, found = decimal.start() + 1, f'"{decimal[0]}" is not a number of clingo'
        hint = "Numbers are integers: write 50 of 100 for 0.5"
    elif not source.line(line)[: column - 1].strip():
        hint = "Check that the rule above ends with a full stop"
        hint = "Comments begin with %" if text in ("#", "/") else hint
    else:
        hint = "Check the commas, brackets and full stops here"
    wish = parsed["wish"]
    wish = wish and re.sub(r"<[A-Z]+>", lambda word: _WORDS.get(word[0], word[0]), wish)
    return source.error(found, line, column, expected=wish, hint=hint)


def _one_line(text: str) -> str:
    return " ".join(text.split())


class _Parsed(NamedTuple):
    """A file's syntax trees, a rule for each, and which define private predicates or weights."""

    statements: Sequence[AST]
    rules: Sequence[NamedRule]
    private: Sequence[tuple[int, trees.Signature]]
    weights: Sequence[tuple[int, Weighed]]


@dataclass(slots=True)
class Parsing:
    """The files parsed so far."""

    report: Report  # gets each fault and its kind; parsing goes on unless it raises it
    store: Store | None = None  # of the names of rules in files that are faultless
    statements: list[AST] = field(default_factory=list)
    rules: list[NamedRule] = field(default_factory=list)
    messages: Messages = field(default_factory=Messages)
    names: set[str] = field(default_factory=set)
    private: set[str] = field(default_factory=set)
    weights: dict[Weighed, NamedRule] = field(default_factory=dict)
    replaced: set[Weighed] = field(default_factory=set)

    def take(self, path: Path, text: SourceText, includes: tuple[Include, ...]) -> None:
        """Take in a file, parsed once in a process as long as it says the same."""
        key = path, text, includes
        parsed = _parsed_files.get(key)
        if parsed is None:
            parsed, faultless = self._parse(*key)
            if faultless:
                if len(_parsed_files) >= _MOST:
                    _parsed_files.clear()
                _parsed_files[key] = parsed
        if self.report is refuse:
            self._refuse_duplicates(text, parsed)
        parsed = self._with_unique_names(parsed)
        self.statements.extend(parsed.statements)
        self.rules.extend(parsed.rules)

    def _cached(self, text: SourceText, statements: Sequence[AST]) -> _Parsed | None:
        """The stored names of a file that an earlier process found faultless."""
        stored = None if self.store is None else Memo(self.store).get(_key(text))
        if stored is None or len(statements) != len(stored[0]):
            return None
        return _Parsed(statements, *msgspec.convert(stored, _Stored))

    def _parse(
        self, path: Path, text: SourceText, includes: tuple[Include, ...]
    ) -> tuple[_Parsed, bool]:
        """Parse a file; say whether it has neither faults nor warnings."""
        messages = Messages({str(path): text.name})
        nodes: list[AST] = []
        faults: list[tuple[str, RuleError]] = []
        whole, in_memory = True, bool(includes) or path.suffix == SUFFIX
        try:
            if in_memory:
                # clingo would look for included files in the working directory first, and a table
                # is rules only as it was read.
                parse_string(text.without(includes), nodes.append, logger=messages)
            else:
                parse_files([str(path)], nodes.append, logger=messages)
        except RuntimeError:
            whole = False
            first, *others = _syntax_errors(text, messages.errors)
            if self.report is refuse:
                first.others = others
                raise first from None
            faults += [("syntax", error) for error in (first, *others)]
        comments: list[AST] = []
        statements: list[AST] = []
        for node in nodes:
            if in_memory:
                _set_path(node, str(path))
            (comments if node.ast_type is ASTType.Comment else statements).append(node)
        cached = None if faults or messages.warnings else self._cached(text, statements)
        if cached is not None:
            return cached, True
        for warning in messages.warnings:
            self.messages.add(warning)
        faults += [("syntax", error) for error in _refused(statements, text)]
        malformed: list[RuleError] = []
        rules = name_rules(text, comments, statements, malformed.append, whole=whole)
        faults += [("directive", error) for error in malformed]
        for kind, error in faults:
            self.report(kind, error)
        private = [
            (index, name)
            for index, (node, rule) in enumerate(zip(statements, rules, strict=True))
            if _PRIVATE.search(rule.text) and node.ast_type is ASTType.Rule
            for name in sorted(trees.derived(node.head))
            if name.name.startswith("_")
        ]
        weights = [
            (index, name)
            for index, node in enumerate(statements)
            if any(name in rules[index].text for name in _WEIGHTS)
            for name in weighed(node, facts=False)
        ]
        faultless = not faults and not messages.warnings
        if faultless and self.store is not None:
            Memo(self.store).put(_key(text), (rules, private, weights))
        return _Parsed(statements, rules, private, weights), faultless

    def _refuse_duplicates(self, text: SourceText, parsed: _Parsed) -> None:
        """Refuse a name given twice in a file, and weights of two files: both would count."""
        first: dict[str, NamedRule] = {}
        for rule in (rule for rule in parsed.rules if rule.sentence is not None):
            namesake = first.setdefault(rule.name, rule)
            # The elements of one #maximize share its place and name.
            if (namesake.line, namesake.column) != (rule.line, rule.column):
                place = f"{text.name}:{namesake.line}"
                found = f"the rule name {rule.name} is taken by the rule at {place}"
                hint = "Give each rule a name of its own"
                raise text.error(found, rule.line, rule.column, hint=hint)
        for index, name in parsed.weights:
            rule = parsed.rules[index]
            if name in self.weights:
                if fault := name.twice(self.weights[name], rule):
                    raise text.error(fault[0], rule.line, rule.column, hint=fault[1])
                self.replaced.add(name)
            self.weights[name] = rule

    def drop_replaced(self) -> None:
        """Leave out the shipped corrections that a user's take the place of."""
        for at, rule in reversed([*enumerate(self.rules)] if self.replaced else []):
            if rule.file.startswith(SHIPPED) and self.replaced & {*weighed(self.statements[at])}:
                parts = self.statements[at].unpool()
                left = [node for node in parts if not self.replaced & {*weighed(node)}]
                self.statements[at : at + 1] = left
                self.rules[at : at + 1] = [replace(rule, text=str(node)) for node in left]

    def _with_unique_names(self, parsed: _Parsed) -> _Parsed:
        """A file with primes behind the names of rules and private predicates that others have."""
        # These names are a file's own; clingo, and traces, would take them for one.
        named = {rule.name for rule in parsed.rules if rule.sentence is not None}
        names = {name: _primed(name, self.names) for name in named}
        private = {key.name: _primed(key.name, self.private) for _, key in parsed.private}
        self.names.update(names.values())
        self.private.update(private.values())
        changed = {old: new for old, new in private.items() if old != new}
        if not changed and all(old == new for old, new in names.items()):
            return parsed
        return _renamed(parsed, *map(frozenset, (names.items(), changed.items())))


@trees.cached_by_identity
def _renamed(parsed: _Parsed, *new: frozenset[tuple[str, str]]) -> _Parsed:
    names, changed = map(dict, new)
    written = re.compile(rf"(?<![\w'])({'|'.join(changed)})(?![\w'])")
    statements, rules = list[AST](), list[NamedRule]()
    for node, rule in zip(parsed.statements, parsed.rules, strict=True):
        text, name = rule.text, names.get(rule.name, rule.name)
        if changed and written.search(text):
            text = written.sub(lambda match: changed[match[0]], text)
            node = trees.rename(node, changed)
        statements.append(node)
        rules.append(replace(rule, name=name, text=text))
    return parsed._replace(statements=statements, rules=rules)


def _primed(name: str, used: Collection[str]) -> str:
    """A name with as many primes as it takes to be none of those that are taken."""
    while name in used:
        name += "'"
    return name


def _refused(nodes: Iterable[AST], text: SourceText) -> Iterator[RuleError]:
    def refused(node: AST, found: str, hint: str) -> RuleError:
        line, byte = node.location.begin.line, node.location.begin.column
        return text.error(found, line, text.character(line, byte), hint=hint)

    extreme = "#sup" in text.text or "#inf" in text.text
    called, labels = _CALL.search(text.text), {str(label).lower() for label in Label}
    for node in nodes:
        if node.ast_type is ASTType.Definition and node.name in labels:
            found = f"#const {node.name} is refused: it would replace the label {node.name}"
            yield refused(node, found, "Choose another name")
        deriving = extreme and node.ast_type is ASTType.Rule
        for literal, _ in trees.head_elements(node.head) if deriving else ():
            if match := _EXTREME.fullmatch(str(literal)):
                hint = "Write an integer, which can be weighed"
                yield refused(node, f"{match[2]} is no number in {match[1]}", hint)
        if node.ast_type is ASTType.Edge:
            found = "#edge is refused: with it the search for the best answer may not end"
            yield refused(node, found, "Say by rules what leads where, and forbid what leads back")
        # To look into all trees takes long, and hardly a file has such a text.
        for part in trees.walk(node) if called else ():
            if part.ast_type is ASTType.Function and part.external:
                found = f"@{part.name} is refused: it would be a function of a script"
                yield refused(part, found, "Express it as rules")


class Weighed(NamedTuple):
    """The subject of a weight or correction: its predicate and the text of its first two terms."""

    predicate: str
    evidence: str
    decision: str

    def twice(self, earlier: NamedRule, later: NamedRule) -> tuple[str, str] | None:
        """The fault of a second fact about the same; None if it corrects a shipped correction."""
        shipped = [rule.file.startswith(SHIPPED) for rule in (earlier, later)]
        if self.predicate == CORRECTION.name and shipped == [True, False]:
            return None
        about = f"({self.evidence},{self.decision},"
        hint = f"Write {CORRECTION.name}{about}N) to add N to that weight, or rename your evidence"
        found = f"{self.predicate}{about}…) is also given at {earlier.file}:{earlier.line}"
        return found, hint if self.predicate == WEIGHT.name else "Add them up in one"


_Stored = tuple[list[NamedRule], list[tuple[int, trees.Signature]], list[tuple[int, Weighed]]]


def weighed(statement: AST, *, facts: bool = True) -> Iterator[Weighed]:
    """The weights and corrections that a statement states or derives."""
    if plain := facts and _PLAIN.fullmatch(trees.text_of(statement)):
        yield Weighed(*plain.groups())  # to look into a syntax tree takes long
        return
    if statement.ast_type is not ASTType.Rule or not WEIGHED.search(head := str(statement.head)):
        return
    if facts and (statement.head.ast_type is not ASTType.Literal or statement.body):
        return
    for single in statement.unpool() if WEIGHED.match(head.lstrip("{ ")) else ():
        for literal, _ in trees.head_elements(single.head):
            for function in trees.functions(literal.atom.symbol):
                if len(function.arguments) == WEIGHT.arity and function.name in _WEIGHTS:
                    yield Weighed(function.name, *map(str, function.arguments[:2]))


def _key(text: SourceText) -> bytes:
    return key_of("names", made_by(), text.name, text.text)


def _set_path(node: AST, path: str) -> None:
    if "location" in node.keys():  # noqa: SIM118 (a syntax tree is no mapping)
        begin, end = node.location
        node.location = Location(begin._replace(filename=path), end._replace(filename=path))
    for part in trees.children(node):
        _set_path(part, path)
