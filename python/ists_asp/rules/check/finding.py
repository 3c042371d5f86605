"""What a check finds: of what kind, how grave, where it is, and what to do about it."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ists_asp.terminal import unbroken

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ists_asp.errors import RuleError


class Severity(StrEnum):
    """How grave a finding is, the gravest first.

    An error keeps rules from being loaded, or makes them say what was not meant; a warning is
    about something without effect, or hard to follow; a note may be as it should be.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


_KINDS = {
    Severity.ERROR: (
        "file syntax include directive profile clingo unsafe pooled-negation name-twice "
        "weight-twice undefined misspelt evidence domain mixed private reserved target"
    ),
    Severity.WARNING: (
        "word-form variable one-direction never-fires entry unused unmade nameless replaces "
        "unloaded weights-file split-and-join"
    ),
    Severity.NOTE: "unweighed unfired needless-allow",
}
SEVERITIES: Mapping[str, Severity] = {
    kind: severity for severity, kinds in _KINDS.items() for kind in kinds.split()
}
"""All kinds of findings; a name that rules of different programs have is only a warning."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at in a rule file.

    ``kind`` is one of :data:`SEVERITIES`; ``subject`` is the rule or predicate that it is about,
    if there is one. ``line`` and ``column`` start at 1 and count characters; 0 stands for unknown.
    ``excerpt`` is the line with a caret below it, empty where the place is unknown.
    """

    severity: Severity
    kind: str
    subject: str
    file: str
    line: int
    column: int
    found: str
    hint: str
    excerpt: str

    @property
    def where(self) -> str:
        """File, line and column, as far as they are known."""
        numbers = [str(number) for number in (self.line, self.column) if self.line and number]
        return ":".join([self.file, *numbers])

    @classmethod
    def from_error(cls, kind: str, error: RuleError) -> Finding:
        """What keeps a file from being loaded, as a finding."""
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
        told = ",".join(f"{key}={_escaped(str(one), ',:')}" for key, one in values.items() if one)
        return f"::{kind} {told}::{_escaped(f'{self.found}. {self.hint}')}"

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            key: None if key in ("subject", "line", "column", "excerpt") and not value else value
            for key, value in asdict(self).items()
        }

    def __str__(self) -> str:
        text = f"{self.where}: {self.severity}: {self.found}"
        text = unbroken(
            f"{text}. {self.hint} [{self.kind}]" if self.hint else f"{text} [{self.kind}]"
        )
        return f"{text}\n{self.excerpt}" if self.excerpt else text


def _escaped(text: str, more: str = "") -> str:
    """A text as a command of a workflow has it; in its properties ``more`` is escaped, too."""
    return "".join(f"%{ord(one):02X}" if one in f"%\r\n{more}" else one for one in text)
