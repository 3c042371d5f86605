"""clingo's messages: warnings kept for the user, syntax errors put in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from clingo import MessageCode

from ists_asp.errors import RuleError, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ists_asp.rules.source import SourceText

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


@dataclass(frozen=True, slots=True)
class RuleWarning:
    """What clingo finds suspicious, with its place ``file:line`` (empty where unknown)."""

    where: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.text}" if self.where else self.text


@dataclass(slots=True)
class Messages:
    """A logger for :class:`clingo.Control` and the parser, which keeps what it is told.

    ``names`` maps the paths that clingo knows to the names that users know
    (:attr:`ists_asp.rules.loader.RuleSet.names`).
    """

    names: Mapping[str, str] = field(default_factory=dict)
    _warnings: dict[RuleWarning, None] = field(default_factory=dict)
    _errors: list[str] = field(default_factory=list)

    def __call__(self, code: MessageCode, text: str) -> None:
        """Take one message; clingo calls this."""
        if code is MessageCode.RuntimeError:
            self._errors.append(text.strip())
            return
        if code is MessageCode.AtomUndefined:
            text = f"{text.rstrip()}; see ists-asp rules check"
        match = PLACED.fullmatch(text.strip())
        if match is None:
            self.add(RuleWarning("", _one_line(text)))
            return
        file = self.names.get(match["file"], match["file"])
        self.add(RuleWarning(f"{file}:{match['line']}", _one_line(match["text"])))

    def add(self, warning: RuleWarning) -> None:
        """Keep a warning, unless it is already there."""
        self._warnings[warning] = None

    @property
    def warnings(self) -> tuple[RuleWarning, ...]:
        """The warnings so far, each once, in order: misspelt predicates, undefined sums."""
        return tuple(self._warnings)

    @property
    def errors(self) -> tuple[str, ...]:
        """What clingo reported as errors so far, as it came."""
        return tuple(self._errors)


def syntax_errors(source: SourceText, errors: Sequence[str]) -> tuple[RuleError, ...]:
    """Turn the parser's messages about a file into errors, at least one, in order of place.

    Only the first message of a line counts: the others follow from it.
    """
    found: dict[int, RuleError] = {}
    for message in errors:
        match = PLACED.fullmatch(message)
        if match is not None and int(match["line"]) not in found:
            found[int(match["line"])] = _explain(source, match)
    if not found:
        text = _one_line("; ".join(errors)) or "clingo cannot read this file"
        return (source.error(text, 1, 1),)
    return tuple(found[line] for line in sorted(found))


def in_one(errors: Sequence[RuleError]) -> RuleError:
    """One error that tells all of them, the first in front."""
    first, *others = errors
    if others:
        first.excerpt = "\n".join([str(first.excerpt), *(str(other) for other in others)])
    return first


def _explain(source: SourceText, match: re.Match[str]) -> RuleError:
    line, byte = int(match["line"]), int(match["column"])
    end = (int(match["line2"] or line), int(match["column2"]))
    parsed = _SYNTAX.fullmatch(_one_line(match["text"]))
    column = source.character(line, byte)
    if parsed is None:
        return source.error(_one_line(match["text"]), line, column)
    token = _WORDS.get(parsed["token"], "")
    text = source.span((line, byte), end).strip()
    decimal = _decimal(source.line(line), column)
    found = (
        f'syntax error at "{shortened(text)}"'
        if text
        else f"syntax error at {token or 'this place'}"
    )
    if token.startswith("the end"):
        found, hint = "the file ends in the middle of a rule", "End each rule with a full stop"
        line = len(source.text.rstrip().split("\n"))
        column = len(source.line(line)) + 1
    elif decimal is not None:
        column, found = decimal.start() + 1, f'"{decimal[0]}" is not a number of clingo'
        hint = "Numbers are integers: write 50 of 100 for 0.5"
    elif not source.line(line)[: column - 1].strip():
        hint = "Check that the rule above ends with a full stop"
    else:
        hint = "Check the commas, brackets and full stops here"
    wish = parsed["wish"]
    expected = (
        re.sub(r"<[A-Z]+>", lambda word: _WORDS.get(word[0], word[0]), wish) if wish else None
    )
    return source.error(found, line, column, expected=expected, hint=hint)


def _decimal(line: str, column: int) -> re.Match[str] | None:
    # clingo stumbles over the point of 0.5, or over what follows the 5.
    for match in re.finditer(r"(?<![\d.])\d+\.\d+", line):
        if match.start() < column <= match.end() + 1:
            return match
    return None


def _one_line(text: str) -> str:
    return " ".join(text.split())


Report: TypeAlias = Callable[[str, RuleError], None]
"""Gets a fault with its kind: ``file``, ``syntax``, ``include`` or ``directive``."""


def refuse(_kind: str, error: RuleError) -> None:
    """Raise a fault."""
    raise error
