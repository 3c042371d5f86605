"""What makes a ``.wa`` file ill-formed."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Fault"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong: where (``file:line``), its kind, what was found and expected."""

    where: str
    kind: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.where}: {self.kind}: found {self.found}, expected {self.expected}"

    def as_dict(self) -> dict[str, object]:
        """The fields, in a form that ``json.dumps`` takes."""
        return {
            "where": self.where,
            "kind": self.kind,
            "found": self.found,
            "expected": self.expected,
        }
