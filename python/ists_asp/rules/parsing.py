"""The texts of rule files to syntax trees, with the names of the rules."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from string import Formatter
from typing import TYPE_CHECKING, NamedTuple

from clingo.ast import AST, ASTSequence, ASTType, Location, parse_files, parse_string

from ists_asp.errors import RuleError, shortened
from ists_asp.io.store import made_by
from ists_asp.rules.messages import Messages, Report, in_one, refuse, syntax_errors
from ists_asp.rules.source import SUFFIX
from ists_asp.syntax.trees import Signature, children, derived, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from ists_asp.io.store import Store
    from ists_asp.rules.source import Include, SourceText

_DIRECTIVE = re.compile(
    r'%@rule\s+(?P<name>[a-z][A-Za-z0-9_]*)\s*:\s*"(?P<sentence>(?:[^"\\]|\\["\\]){0,1000}+)"\s*'
)
_OPEN = re.compile(r'%@rule\s+\w+\s*:\s*"(?:[^"\\]|\\.)*+')
_RUN_ON = re.compile(r"\s*\n[ \t]*%[ \t]*")
_LONGEST = 1000
"""Characters of a directive at most: its sentence stands in traces, lists and pictures."""

_FORM = '%@rule name: "sentence with {Variables}"'
_CALL = re.compile(r"@\s*[a-z_'][A-Za-z0-9_']*\s*\(")
_NAMEABLE = (ASTType.Rule, ASTType.Minimize)
_LOCAL = (ASTType.ConditionalLiteral, ASTType.BodyAggregateElement, ASTType.TheoryAtomElement)


@dataclass(frozen=True, slots=True)
class NamedRule:
    """A statement with its name and place.

    ``sentence`` is None, and ``name`` is ``file:line``, where the file gives no name.
    ``text`` is the statement as written (an element of ``#maximize`` or ``#minimize`` as
    the weak constraint that it stands for). ``line`` and ``column`` start at 1 and count
    characters.
    """

    name: str
    sentence: str | None
    file: str
    line: int
    column: int
    text: str


def _raise(error: RuleError) -> None:
    """Raise an error: what to do with a fault unless all faults are wanted."""
    raise error


def names_in(text: str) -> Mapping[str, str]:
    """The names that a file gives, with their sentences, without parsing the rules."""
    return {
        match["name"]: _RUN_ON.sub(" ", match["sentence"]) for match in _DIRECTIVE.finditer(text)
    }


def name_rules(
    source: SourceText,
    comments: Sequence[AST],
    statements: Sequence[AST],
    report: Callable[[RuleError], None] = _raise,
) -> tuple[NamedRule, ...]:
    """Return a named rule for each statement of a file, in order."""
    begins = [_begin(statement) for statement in statements]
    given: dict[tuple[int, int], tuple[str, str]] = {}
    for comment, text in _directives(source, comments):
        try:
            name, sentence = _parse(source, comment, text)
            place = _named_place(source, comment, statements, begins)
            begin = begins[place]
            if begin in given:
                raise _fault(
                    source, comment, "the rule below has two names", expected="one directive"
                )
            given[begin] = (name, sentence)
            _check(source, comment, sentence, statements[place])
        except RuleError as error:
            report(error)
    return tuple(
        _named(source, statement, given.get(begin))
        for statement, begin in zip(statements, begins, strict=True)
    )


def check_forms(
    source: SourceText, comments: Sequence[AST], report: Callable[[RuleError], None]
) -> None:
    """Report malformed directives, wherever they stand.

    That is all that can be said where some of the rules that they name could not be parsed.
    """
    for comment, text in _directives(source, comments):
        try:
            _parse(source, comment, text)
        except RuleError as error:
            report(error)


def _directives(source: SourceText, comments: Sequence[AST]) -> Iterator[tuple[AST, str]]:
    """The directives with their texts: a sentence may run on in the comments right below."""
    for place, comment in enumerate(comments):
        text = str(comment.value).rstrip()
        if not text.startswith("%@"):
            continue
        line = _begin(comment)[0]
        for below in comments[place + 1 : place + _LONGEST]:
            line += 1
            more = str(below.value).rstrip()
            alone = _begin(below)[0] == line and not source.span((line, 1), _begin(below)).strip()
            ends = len(text) > _LONGEST or not _OPEN.fullmatch(text)
            if ends or not alone or more.startswith(("%@", "%*")):
                break
            text = f"{text} {more.lstrip('%').strip()}"
        yield comment, text


def _named_place(
    source: SourceText,
    comment: AST,
    statements: Sequence[AST],
    begins: Sequence[tuple[int, int]],
) -> int:
    """The place of the rule that a directive names."""
    # The parser puts an empty #program base in front of each file, at its first column.
    index = max(bisect_left(begins, _begin(comment)), 1)
    if _end(statements[index - 1]) > _begin(comment):
        raise _fault(
            source, comment, "this directive stands inside a rule", expected="it above the rule"
        )
    if index == len(statements) or statements[index].ast_type not in _NAMEABLE:
        raise _fault(source, comment, "no rule follows this directive", expected="a rule below")
    return index


def variables(statement: AST) -> frozenset[str]:
    """Return the variables of a rule that have a value when it fires.

    Those are the ones outside aggregates and conditions in the body; the head counts whole,
    as each of its atoms is a firing of its own.
    """
    found = set(_variables(statement, skip=_LOCAL))
    if statement.ast_type == ASTType.Rule:
        found.update(_variables(statement.head, skip=()))
    return frozenset(found - {"_"})


def _variables(node: AST, skip: tuple[ASTType, ...]) -> Iterator[str]:
    if node.ast_type == ASTType.Variable:
        yield node.name
    for part in children(node):
        if part.ast_type not in skip:
            yield from _variables(part, skip)


def _parse(source: SourceText, comment: AST, text: str) -> tuple[str, str]:
    line, byte = _begin(comment)
    if source.span((line, 1), (line, byte)).strip():
        raise _fault(
            source, comment, "this directive shares its line with a rule", expected="its own line"
        )
    keyword = re.match(r"%@\S*", text)
    if keyword is not None and keyword[0] not in ("%@rule", "%@rule:"):
        raise _fault(source, comment, f"unknown directive {shortened(keyword[0])}", expected=_FORM)
    if len(text) > _LONGEST:
        raise _fault(
            source,
            comment,
            f"this directive has {len(text)} characters",
            expected=f"{_LONGEST} at most",
        )
    match = _DIRECTIVE.fullmatch(text)
    if match is None:
        raise _fault(source, comment, "malformed directive", expected=_FORM)
    return match["name"], re.sub(r"\\(.)", r"\1", match["sentence"])


def _check(source: SourceText, comment: AST, sentence: str, statement: AST) -> None:
    try:
        fields = [field[1:] for field in Formatter().parse(sentence) if field[1] is not None]
    except ValueError:
        raise _fault(
            source, comment, "the sentence has an unpaired curly bracket", expected="{Variable}"
        ) from None
    known = variables(statement)
    for variable, spec, conversion in fields:
        if spec or conversion or variable not in known:
            raise _fault(
                source,
                comment,
                f"the rule has no variable {{{shortened(str(variable))}}}",
                expected=", ".join(sorted(known)) or "a sentence without variables",
            )


def _named(source: SourceText, statement: AST, given: tuple[str, str] | None) -> NamedRule:
    begin = _begin(statement)
    text = source.span(begin, _end(statement))
    if statement.ast_type == ASTType.Minimize and not text.startswith(":~"):
        text = str(statement)
    name, sentence = given or (f"{source.name}:{begin[0]}", None)
    return NamedRule(name, sentence, source.name, begin[0], source.character(*begin), text)


def _fault(source: SourceText, comment: AST, found: str, *, expected: str) -> RuleError:
    line, byte = _begin(comment)
    return source.error(found, line, source.character(line, byte), expected=expected)


def _refused(nodes: Sequence[AST], text: str) -> Iterator[tuple[AST, str, str]]:
    """What clingo would take, but rules of ours may not have, each with why and what to do."""
    called = _CALL.search(text)
    for node in nodes:
        if node.ast_type is ASTType.Edge:
            found = "#edge is refused: with it the search for the best answer may not end"
            yield node, found, "Say by rules what leads where, and forbid what leads back"
        # To look into all trees takes long, and hardly a file has such a text.
        for part in walk(node) if called else ():
            if part.ast_type is ASTType.Function and part.external:
                found = f"@{part.name} is refused: it would be a function of a script"
                yield part, found, "Express it as rules"


def _begin(node: AST) -> tuple[int, int]:
    return node.location.begin.line, node.location.begin.column


def _end(node: AST) -> tuple[int, int]:
    return node.location.end.line, node.location.end.column


_MOST = 1000
"""Files that are remembered; those that change are parsed again."""

_known: dict[tuple[Path, SourceText, tuple[Include, ...]], _Parsed] = {}
"""What files gave that nobody complained of. Nobody changes the trees."""

_PRIVATE = re.compile(r"(?<![A-Za-z0-9_'])_")


class _Parsed(NamedTuple):
    """A file's syntax trees, a rule for each, and which of them define private predicates."""

    statements: Sequence[AST]
    rules: Sequence[NamedRule]
    private: Sequence[tuple[int, Signature]]

    @property
    def kept(self) -> object:
        """All but the trees, as JSON can write it."""
        return {
            "rules": [
                (rule.name, rule.sentence, rule.file, rule.line, rule.column, rule.text)
                for rule in self.rules
            ],
            "private": [(place, *name) for place, name in self.private],
        }


@dataclass(slots=True)
class Parsing:
    """What has been parsed so far.

    ``report`` gets each fault and its kind; parsing goes on unless it raises it. Whether files
    go together is only asked where it raises. ``store`` keeps the names of the rules of files
    that are faultless, most of the work.
    """

    report: Report
    store: Store | None = None
    statements: list[AST] = field(default_factory=list)
    rules: list[NamedRule] = field(default_factory=list)
    messages: Messages = field(default_factory=Messages)
    places: dict[str, NamedRule] = field(default_factory=dict)
    private: dict[Signature, NamedRule] = field(default_factory=dict)

    def take(self, path: Path, text: SourceText, includes: tuple[Include, ...]) -> None:
        """Take in a file, parsed once in a process as long as it says the same."""
        key = path, text, includes
        found = _known.get(key) or self._recalled(path, text, includes)
        if found is None:
            faults = 0

            def report(kind: str, error: RuleError) -> None:
                nonlocal faults
                faults += 1
                self.report(kind, error)

            found, silent = self._parse(path, text, includes, report)
            if silent and not faults:
                self._keep(key, found)
                if self.store is not None:
                    self.store.put(_entry_name(text), found.kept)
        if self.report is refuse:
            self._keep_apart(text, found)
        self.statements.extend(found.statements)
        self.rules.extend(found.rules)

    @staticmethod
    def _keep(key: tuple[Path, SourceText, tuple[Include, ...]], found: _Parsed) -> None:
        if len(_known) >= _MOST:
            _known.clear()
        _known[key] = found

    def _recalled(
        self, path: Path, text: SourceText, includes: tuple[Include, ...]
    ) -> _Parsed | None:
        """A file that an earlier process found faultless: only its syntax trees are made."""
        kept = self.store.get(_entry_name(text)) if self.store is not None else None
        if kept is None:
            return None
        messages = Messages({str(path): text.name})
        try:
            nodes = _nodes(path, text, includes, messages)
        except RuntimeError:
            return None
        statements = [node for node in nodes if node.ast_type is not ASTType.Comment]
        rules = kept["rules"]
        if len(statements) != len(rules) or messages.warnings:
            return None
        found = _Parsed(
            statements,
            [NamedRule(*rule) for rule in rules],
            [(place, Signature(*name)) for place, *name in kept["private"]],
        )
        self._keep((path, text, includes), found)
        return found

    def _parse(
        self, path: Path, text: SourceText, includes: tuple[Include, ...], report: Report
    ) -> tuple[_Parsed, bool]:
        """What a file gives, and whether the parser had nothing to say."""
        messages = Messages({str(path): text.name})
        nodes: list[AST] = []
        whole = True
        try:
            _nodes(path, text, includes, messages, nodes)
        except RuntimeError:
            errors = syntax_errors(text, messages.errors)
            if self.report is refuse:
                raise in_one(errors) from None
            whole = False
            for error in errors:
                report("syntax", error)
        for warning in messages.warnings:
            self.messages.add(warning)
        for node, found, hint in _refused(nodes, text.text):
            line, byte = _begin(node)
            report("syntax", text.error(found, line, text.character(line, byte), hint=hint))
        comments = [node for node in nodes if node.ast_type == ASTType.Comment]
        statements = [node for node in nodes if node.ast_type != ASTType.Comment]
        directive = partial(report, "directive")
        if not whole:
            check_forms(text, comments, directive)
        rules = name_rules(text, comments if whole else (), statements, directive)
        private = [(place, name) for place, node in enumerate(statements) for name in _own(node)]
        return _Parsed(statements, rules, private), not messages.warnings

    def _keep_apart(self, text: SourceText, found: _Parsed) -> None:
        """Refuse names that an earlier file has given to something else.

        Among them are private predicates, which clingo would merge silently.
        """
        for rule in found.rules:
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
        for place, key in found.private:
            rule = found.rules[place]
            earlier = self.private.setdefault(key, rule)
            if earlier.file != rule.file:
                raise text.error(
                    f"the private predicate {key.name}/{key.arity} is also defined at "
                    f"{earlier.file}:{earlier.line}",
                    rule.line,
                    rule.column,
                    expected="a name that begins with _ in one file only",
                    hint="Rename one of them",
                )


def _nodes(
    path: Path,
    text: SourceText,
    includes: tuple[Include, ...],
    messages: Messages,
    nodes: list[AST] | None = None,
) -> list[AST]:
    """The syntax trees of a file, comments among them; ``nodes`` gets them one by one."""
    nodes = [] if nodes is None else nodes
    if includes or path.suffix == SUFFIX:
        # clingo would look for included files in the working directory first, and a table is
        # rules only as it was read.
        parse_string(text.without(includes), nodes.append, logger=messages)
        for node in nodes:
            _place(node, str(path))
    else:
        parse_files([str(path)], nodes.append, logger=messages)
    return nodes


def _own(statement: AST) -> Iterator[Signature]:
    """The private predicates that a statement defines."""
    if statement.ast_type is ASTType.Rule and _PRIVATE.search(str(statement.head)):
        yield from sorted(key for key in derived(statement.head) if key.name.startswith("_"))


def _entry_name(text: SourceText) -> str:
    """The key of the names of a file."""
    return f"names {made_by()} {text.name} {sha256(text.text.encode()).hexdigest()}"


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
