"""What can be said of a statement by itself: is it safe, does it mean what it seems to mean."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clingo import Control, MessageCode
from clingo.ast import ASTType, ProgramBuilder, Sign

from ists_asp.edge import unsafe
from ists_asp.rules.check.finding import Finding, Severity
from ists_asp.syntax.trees import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ists_asp.rules.check.atoms import Statement
    from ists_asp.rules.check.source import Checked

_MESSAGES = 10_000
_PLACED = re.compile(
    r"(?P<file>[^\n]*):(?P<line>\d+):(?P<column>\d+)-\S+: (?:error|warning|info): (?P<text>.*)",
    re.DOTALL,
)


def check_statements(checked: Checked) -> Iterator[Finding]:
    """Look for unsafe variables, pooled negation and functions of a host language."""
    yield from _refused(checked)
    for statement in checked.statements:
        yield from _pooled(checked, statement)
        yield from _hosted(checked, statement)


def _refused(checked: Checked) -> Iterator[Finding]:
    """What clingo refuses when it is given the statements, without grounding any."""
    messages: list[str] = []

    def log(code: MessageCode, text: str) -> None:
        if code is MessageCode.RuntimeError:
            messages.append(text.strip())

    control = Control(logger=log, message_limit=_MESSAGES)
    with ProgramBuilder(control) as builder:
        for statement in checked.statements:
            if statement.node.ast_type is not ASTType.Definition:
                builder.add(statement.node)
    try:
        control.ground([("nothing", [])])
    except RuntimeError as error:
        messages = messages or [str(error)]
    names = {str(path): path for path in checked.own}
    for message in messages:
        match = _PLACED.match(message)
        path = names.get(match["file"]) if match is not None else None
        if match is None or path is None:
            continue
        line = int(match["line"])
        place = line, checked.text(path).character(line, int(match["column"]))
        if "unsafe variables" in match["text"]:
            found, hint = unsafe(match["text"])
            yield checked.finding(Severity.ERROR, "unsafe", path, place, found, hint)
        else:
            text = " ".join(match["text"].split())
            yield checked.finding(Severity.ERROR, "clingo", path, place, text, "Mend the rule")


def _pooled(checked: Checked, statement: Statement) -> Iterator[Finding]:
    for part in walk(statement.node):
        if (
            part.ast_type is ASTType.Literal
            and part.sign != Sign.NoSign
            and any(below.ast_type is ASTType.Pool for below in walk(part))
        ):
            yield checked.finding(
                Severity.ERROR,
                "pooled-negation",
                statement.path,
                part,
                f'"{part}" means that one of these does not hold, not that none does',
                "Write one negation for each, or derive a predicate for them all and negate that",
            )


def _hosted(checked: Checked, statement: Statement) -> Iterator[Finding]:
    for part in walk(statement.node):
        if part.ast_type is ASTType.Function and part.external:
            yield checked.finding(
                Severity.ERROR,
                "host-function",
                statement.path,
                part,
                f"@{part.name} is a function of a host language, which rules do not have",
                "Express it as rules",
            )
