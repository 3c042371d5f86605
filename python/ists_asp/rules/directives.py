"""Directives: comments above rules that say what these mean.

``%@rule name: "sentence"`` is one, ``%@except name "why"`` above a condition another, and
``%@example "A" | "B": claim`` a third; of those any number.

The variables that the condition of an exception shares with its rule say which instances do not
fire. The condition becomes a rule for ``excepted(NAME,(V,...))`` with these variables, and the
other rule one that asks whether that holds, so that clingo, traces and ``why-not`` see nothing but
rules. Where the condition gives a shared variable no value, it is joined with what the rule asks
for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from string import Formatter
from typing import TypeAlias

import clingo
from clingo.ast import AST, ASTType, Defined, Sign, SymbolicTerm, Variable

from ists_asp.errors import RuleError, shortened, suggest
from ists_asp.rules.examples import read_example
from ists_asp.rules.source import SourceText
from ists_asp.syntax import trees

_DIRECTIVE = re.compile(
    r"%@(?:rule\s+(?P<name>[a-z][A-Za-z0-9_]*)\s*:|except\s+(?P<excepts>[a-z][A-Za-z0-9_]*)\s*:?)"
    r'\s*"(?P<sentence>(?:[^"\\]|\\["\\]){0,1000}+)"\s*'
)
ALLOW = re.compile(r"^[ \t]*%@allow[ \t]+([\w-]+)(?=[\s:]|$)", re.MULTILINE)
"""``%@allow CODE: reason`` above a rule: the finding is intentional."""

_EXAMPLE = "%@example "
_STRING = r'"(?:[^"\\]|\\.)*+'
_OPEN = re.compile(
    rf'%@(?:rule|except)\s+\w+\s*:?\s*{_STRING}|{_EXAMPLE}(?:[^"]|{_STRING}")*(?:{_STRING}|[|:~])'
)
_LONGEST = 1000  # characters of a directive: its sentence stands in traces, lists and pictures
_PARTS = re.compile(r"[{&\[]|:(?!-)")
_VARIABLE = re.compile(r"\b_*[A-Z][\w']*")

_DIVISOR = re.compile(r"/10{1,6}")

_CURLY = re.compile("[\u201c-\u201f\u00ab\u00bb]")
_FORMS = {"rule": '%@rule name: "sentence with {Variables}"', "except": '%@except name "why"'}
_NAMEABLE = (ASTType.Rule, ASTType.Minimize)
EXCEPTED = "excepted"

Place: TypeAlias = tuple[int, int]  # a line, and a byte in it, both from 1


@dataclass(frozen=True, slots=True)
class NamedRule:
    """A statement with its name and place."""

    name: str  # file:line where the file gives no name
    sentence: str | None  # None where the file gives no name
    file: str
    line: int  # from 1
    column: int  # in characters, from 1
    text: str  # as written; an element of #maximize as the weak constraint that it is
    examples: tuple[tuple[int, str], ...] = ()  # of those above it, each with its line
    excepts: str = ""  # the name of the rule to which it is an exception


def name_rules(
    source: SourceText,
    comments: Sequence[AST],
    statements: Sequence[AST],
    report: Callable[[RuleError], None],
    *,
    whole: bool,
) -> tuple[NamedRule, ...]:
    """Return a named rule for each statement of a file, in order.

    Where the file is not ``whole``, as some of the rules could not be parsed, nothing is named:
    directives are only checked for their form.
    """
    spans = [_span(statement) for statement in statements]
    begins = [begin for begin, _ in spans]
    directives: dict[tuple[int, int], tuple[str, str, str]] = {}
    examples = defaultdict[int, list[tuple[int, str]]](list)
    for begin, text in _directives(source, comments):
        line, byte = begin
        try:
            example = text.startswith(_EXAMPLE)
            behind = source.span((line, 1), begin).strip()
            if behind and not example:
                found = "this directive shares its line with a rule"
                raise RuleError(found, expected="its own line")
            if example:
                read_example(text.removeprefix(_EXAMPLE))
            else:
                name, excepts, sentence = _parsed(text)
            if not whole:
                continue
            last = bisect_left(begins, begin) - 1
            index = last if behind else _named_index(begin, statements, spans)
            if example:
                examples[index].append((line, text.removeprefix(_EXAMPLE).strip()))
                continue
            if begins[index] in directives:
                raise RuleError("the rule below has two names", expected="one directive")
            if excepts:
                if not trees.is_constraint(statements[index]):
                    expected = ':- and conditions, such as :- lemma(1,I,"otter").'
                    raise RuleError("a rule with a head below %@except", expected=expected)
                name = f"{source.name}:{begins[index][0]}"
            directives[begins[index]] = name, excepts, sentence
            _check(sentence, statements[index])
        except RuleError as error:
            column = source.character(line, byte)
            report(source.error(error.found, line, column, expected=error.expected))
    named: list[NamedRule] = []
    for statement, (begin, end) in zip(statements, spans, strict=True):
        text = source.span(begin, end)
        if statement.ast_type is ASTType.Minimize and not text.startswith(":~"):
            text = str(statement)
        name, excepts, meaning = directives.get(begin, (f"{source.name}:{begin[0]}", "", None))
        place, claims = (begin[0], source.character(*begin)), tuple(examples[len(named)])
        named.append(NamedRule(name, meaning, source.name, *place, text, claims, excepts))
    return tuple(named)


def _directives(source: SourceText, comments: Sequence[AST]) -> Iterator[tuple[Place, str]]:
    """The start and text of each directive, which may continue in the comments below it."""
    for index, comment in enumerate(comments):
        text = str(comment.value).rstrip()
        if not text.startswith("%@") or ALLOW.match(text):
            continue
        begin, _ = _span(comment)
        line, _ = begin
        for below in comments[index + 1 : index + _LONGEST]:
            line += 1
            tail = str(below.value).rstrip()
            if len(text) > _LONGEST or not _OPEN.fullmatch(text) or tail.startswith(("%@", "%*")):
                break
            start, _ = _span(below)
            if start[0] != line or source.span((line, 1), start).strip():
                break
            text = f"{text} {tail.lstrip('%').strip()}"
        yield begin, text


def _parsed(text: str) -> tuple[str, str, str]:
    keyword = text.partition(" ")[0].rstrip(":")
    form = _FORMS.get(keyword.removeprefix("%@"))
    if form is None:
        expected = f"{_FORMS['rule']}, %@except or %@example"
        raise RuleError(f"unknown directive {shortened(keyword)}", expected=expected)
    if len(text) > _LONGEST:
        found = f"this directive has {len(text)} characters"
        raise RuleError(found, expected=f"{_LONGEST} at most")
    match = _DIRECTIVE.fullmatch(text)
    if match is None:
        quotes = ", and the quotes are not straight" if _CURLY.search(text) else ""
        unnamed = keyword == "%@rule" and text.removeprefix(keyword).lstrip(" :").startswith('"')
        nameless = ": it gives no name" if unnamed else ""
        raise RuleError(f"malformed directive{nameless}{quotes}", expected=form)
    return match["name"] or "", match["excepts"] or "", re.sub(r"\\(.)", r"\1", match["sentence"])


def _named_index(
    directive: Place, statements: Sequence[AST], spans: Sequence[tuple[Place, Place]]
) -> int:
    # The parser puts an empty #program base in front of each file, at its first column.
    index = max(bisect_left(spans, directive, key=itemgetter(0)), 1)
    if spans[index - 1][1] > directive:
        raise RuleError("this directive is inside a rule", expected="it above the rule")
    if index == len(statements) or statements[index].ast_type not in _NAMEABLE:
        raise RuleError("no rule follows this directive", expected="a rule below")
    return index


def _check(sentence: str, statement: AST) -> None:
    """Refuse a sentence with other variables than those of its rule."""
    try:
        fields = [field[1:] for field in Formatter().parse(sentence) if field[1] is not None]
    except ValueError:
        found = "the sentence has an unpaired curly bracket"
        raise RuleError(found, expected="{Variable}") from None
    names = variables(statement) if fields else ()
    for variable, spec, conversion in fields:
        if conversion or variable not in names:
            found = f"the rule has no variable {{{shortened(str(variable))}}}"
            expected = ", ".join(sorted(names)) or "a sentence without variables"
            raise RuleError(found, expected=expected)
        if spec and not _DIVISOR.fullmatch(spec):
            found = f"'{shortened(spec)}' behind a variable is no divisor"
            raise RuleError(found, expected=f"{{{variable}}}, or {{{variable}:/10}} for a tenth")


def variables(statement: AST) -> frozenset[str]:
    """Return the variables of a rule that have a value when it fires.

    In the body those outside aggregates and conditions; each atom of the head is a firing.
    """
    text = re.sub(f'{_STRING}"', "", str(statement))
    if not _PARTS.search(text):
        # To look into a syntax tree takes long.
        return frozenset(_VARIABLE.findall(text))
    head = statement.head if statement.ast_type is ASTType.Rule else None
    heads = set() if head is None else trees.variable_names(head, local=True)
    return frozenset(trees.variable_names(statement) | heads)


def _span(node: AST) -> tuple[Place, Place]:
    # To ask for a location takes long.
    begin, end = node.location
    return (begin.line, begin.column), (end.line, end.column)


def apply_exceptions(
    statements: list[AST], rules: list[NamedRule], report: Callable[[RuleError], None]
) -> None:
    """Rewrite exceptions and their rules in place; an exception to no rule here says nothing.

    ``report`` gets an error for each exception to a fact.
    """
    named = defaultdict[str, list[int]](list)
    for index, named_rule in enumerate(rules):
        if named_rule.sentence is not None:
            named[named_rule.name.rstrip("'")].append(index)
    denied = defaultdict[int, list[AST]](list)
    for index, exception in enumerate(rules):
        if not exception.excepts:
            continue
        condition, targets = statements[index], named.get(exception.excepts)
        statements[index] = Defined(condition.location, EXCEPTED, 2, 1)
        if targets:
            # Of its own file, or else the first.
            target = min(targets, key=lambda index: rules[index].file != exception.file)
            rule = statements[target]
            if not rule.body:
                found = f"{exception.excepts} is a fact"
                report(_error(exception, found, expected="a rule with conditions"))
                continue
            shared = sorted(trees.variable_names(condition) & trees.variable_names(rule))
            location = condition.location
            variables = trees.tuple_of(location, [Variable(location, name) for name in shared])
            target_name = SymbolicTerm(location, clingo.Function(rules[target].name))
            head = trees.atom(location, EXCEPTED, [target_name, variables])
            atoms = [literal for literal in condition.body if trees.is_atom(literal, Sign.NoSign)]
            free = {*shared}.difference(*map(trees.variable_names, atoms))
            heads = trees.derived(rule.head) if rule.ast_type is ASTType.Rule else frozenset()
            needed = (key for part in rule.body for key in trees.predicates(part))
            if free and not heads.isdisjoint(needed):
                found = f"{exception.excepts} rests on itself, and the condition says no more of "
                expected = "conditions that give these variables values"
                report(_error(exception, found + ", ".join(sorted(free)), expected=expected))
                continue
            body = [*condition.body, *(rule.body if free else ())]
            statements[index] = condition.update(head=head, body=body)
            denied[target].append(head.update(sign=Sign.Negation))
        rules[index] = replace(exception, text=str(statements[index]))
    for target, negations in denied.items():
        rule = statements[target]
        statements[target] = rule.update(body=[*rule.body, *negations])
        rules[target] = replace(rules[target], text=str(statements[target]))


def refuse_unused(
    statements: Sequence[AST], rules: Sequence[NamedRule], names: Callable[[], set[str]]
) -> None:
    """Refuse an exception to a rule that is neither here nor among other ``names``."""
    for node, rule in zip(statements, rules, strict=True):
        if rule.excepts and node.ast_type is ASTType.Defined and rule.excepts not in names():
            candidates = {other.name for other in rules if other.sentence is not None} | names()
            hint = suggest(rule.excepts, candidates, "ists-asp rules list shows all names")
            raise _error(rule, f"no rule is called {rule.excepts}", hint=hint)


def _error(exception: NamedRule, found: str, **details: str | None) -> RuleError:
    return RuleError(found, where=f"{exception.file}:{exception.line}", **details)
