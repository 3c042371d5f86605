"""What a check finds: how grave it is, where it is, and what to do about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ists_asp.terminal import unbroken

if TYPE_CHECKING:
    from ists_asp.errors import RuleError

_PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d+)(?::(?P<column>\d+))?")


class Severity(StrEnum):
    """How grave a finding is, the gravest first.

    An error keeps rules from being loaded, or makes them say what was not meant; a warning is
    about something without effect, or hard to follow; a note may be as it should be.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at in a rule file.

    ``kind`` is a short constant name of what is checked, such as ``undefined``; ``subject`` is
    the rule or predicate that it is about, if there is one. ``line`` and ``column`` start at 1
    and count characters; 0 stands for unknown. ``excerpt`` is the line with a caret below it,
    empty where the place is unknown.
    """

    severity: Severity
    kind: str
    file: str
    line: int
    column: int
    found: str
    hint: str
    excerpt: str = ""
    subject: str = ""

    @property
    def where(self) -> str:
        """``file:line:column``, as far as it is known."""
        numbers = (self.line, self.column) if self.line else ()
        return ":".join([self.file, *(str(number) for number in numbers if number)])

    def as_dict(self) -> dict[str, object]:
        """Everything, in a form that ``json.dumps`` takes."""
        return {
            "severity": str(self.severity),
            "kind": self.kind,
            "subject": self.subject or None,
            "file": self.file,
            "line": self.line or None,
            "column": self.column or None,
            "found": self.found,
            "hint": self.hint,
            "excerpt": self.excerpt or None,
        }

    def __str__(self) -> str:
        text = f"{self.where}: {self.severity}: {self.found}"
        if self.hint:
            text += f". {self.hint}"
        text = unbroken(text)
        return f"{text}\n{self.excerpt}" if self.excerpt else text


def from_error(kind: str, error: RuleError) -> Finding:
    """What keeps a file from being loaded, as a finding."""
    match = _PLACE.fullmatch(error.where or "")
    file, line, column = match.group("file", "line", "column") if match else (error.where, 0, 0)
    found = f"{error.found}; expected {error.expected}" if error.expected else error.found
    return Finding(
        Severity.ERROR,
        kind,
        file or "",
        int(line or 0),
        int(column or 0),
        found,
        error.hint or "",
        error.excerpt or "",
    )
