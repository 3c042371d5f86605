"""What makes a ``.wa`` file ill-formed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Origin(StrEnum):
    """Whose rule a fault breaks."""

    OFFICIAL = "official"
    OURS = "ours"
    PILOT = "pilot"


_SAID = {
    Origin.OFFICIAL: "",
    Origin.OURS: " (our own rule: the official check accepts it)",
    Origin.PILOT: " (a rule of the pilot's: the official check accepts it)",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong: where (``file:line``), its kind, what was found and expected."""

    where: str
    kind: str
    found: str
    expected: str
    origin: Origin = Origin.OFFICIAL

    def __str__(self) -> str:
        said = _SAID[self.origin]
        return f"{self.where}: {self.kind}: found {self.found}, expected {self.expected}{said}"

    def as_dict(self) -> dict[str, object]:
        """The fields, in a form that ``json.dumps`` takes."""
        return {
            "where": self.where,
            "kind": self.kind,
            "found": self.found,
            "expected": self.expected,
            "origin": str(self.origin),
        }
