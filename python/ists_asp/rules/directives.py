"""Rule names: ``%@rule NAME: "sentence with {Variables}"`` above the rule that it names.

For clingo it is a comment. The sentence says what it means that the rule fired; it may name
the rule's variables in curly brackets (``{{`` and ``}}`` stand for the brackets themselves).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from string import Formatter
from typing import TYPE_CHECKING

from clingo.ast import AST, ASTType

from ists_asp.errors import RuleError, shortened
from ists_asp.syntax.trees import children

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ists_asp.rules.source import SourceText

_DIRECTIVE = re.compile(
    r'%@rule\s+(?P<name>[a-z][A-Za-z0-9_]*)\s*:\s*"(?P<sentence>(?:[^"\\]|\\["\\]){0,1000}+)"\s*'
)
_LONGEST = 1000
"""Characters of a directive at most: its sentence stands in traces, lists and pictures."""

_FORM = '%@rule name: "sentence with {Variables}"'
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


def refuse(error: RuleError) -> None:
    """Raise an error: what to do with a fault unless all faults are wanted."""
    raise error


def names_in(text: str) -> Mapping[str, str]:
    """The names that a file gives, with their sentences, without parsing the rules."""
    return {match["name"]: match["sentence"] for match in _DIRECTIVE.finditer(text)}


def name_rules(
    source: SourceText,
    comments: Sequence[AST],
    statements: Sequence[AST],
    report: Callable[[RuleError], None] = refuse,
) -> tuple[NamedRule, ...]:
    """Return a named rule for each statement of a file, in order.

    Args:
        source: the file.
        comments: its comments, as parsed.
        statements: its other statements, as parsed, in order.
        report: gets each fault; if it does not raise it, the directive is passed over.

    Raises:
        RuleError: a directive is unknown or malformed, shares its line with a rule, stands
            in a rule or before no rule, or names a variable that its rule lacks.
    """
    begins = [_begin(statement) for statement in statements]
    given: dict[tuple[int, int], tuple[str, str]] = {}
    for comment in comments:
        if not str(comment.value).startswith("%@"):
            continue
        try:
            name, sentence = _parse(source, comment)
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
    for comment in comments:
        if str(comment.value).startswith("%@"):
            try:
                _parse(source, comment)
            except RuleError as error:
                report(error)


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


def _parse(source: SourceText, comment: AST) -> tuple[str, str]:
    line, byte = _begin(comment)
    if source.span((line, 1), (line, byte)).strip():
        raise _fault(
            source, comment, "this directive shares its line with a rule", expected="its own line"
        )
    text = str(comment.value).rstrip()
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


def _begin(node: AST) -> tuple[int, int]:
    return node.location.begin.line, node.location.begin.column


def _end(node: AST) -> tuple[int, int]:
    return node.location.end.line, node.location.end.column
